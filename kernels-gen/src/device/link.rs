//! Joins the headers, an engine, the scheduler and the generated bodies into one unit for NVRTC.
//!
//! Everything that a table knows before it runs is printed as a constant: which regions each call site uses and how
//! they lie, which column holds which argument, what the analysis found.

use super::engines::{EngineSpec, Layout};
use super::launch;
use crate::fault::FaultCode;
use crate::methods;
use crate::spec::{Intent, KindSpec, Role, Scalar, Slot};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Threads of a block in every unit.
pub const BLOCK: u32 = 256;

/// Up to so many bindings, each thread goes through its run once for each; beyond, once for all.
const MOST_SWEEPS: usize = 8;

/// One region of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RegionSpec {
    /// Element type.
    pub scalar: Scalar,
    /// How it lies on the device.
    pub layout: Layout,
    /// Elements under one lock word, as a power of two.
    pub coverage_log2: u32,
}

/// One way of calling a kind: its regions and where its values are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BindingSpec {
    /// Index into [`UnitSpec::kinds`].
    pub kind: usize,
    /// For each region parameter in order, an index into [`UnitSpec::regions`].
    pub regions: Vec<usize>,
    /// For each value parameter in order, an index into [`UnitSpec::columns`].
    pub columns: Vec<usize>,
}

/// The width of an argument column's entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnWidth {
    /// For values of up to 4 bytes.
    U32,
    /// For values of 8 bytes.
    U64,
}

/// Everything that a unit is made from.
#[derive(Debug, Clone, Copy)]
pub struct UnitSpec<'a> {
    /// The concurrency control.
    pub engine: &'static EngineSpec,
    /// The kinds in the table.
    pub kinds: &'a [&'a KindSpec],
    /// The ways in which they are called; a row's entry in the binding column is an index into it.
    pub bindings: &'a [BindingSpec],
    /// The regions of the table.
    pub regions: &'a [RegionSpec],
    /// The argument columns.
    pub columns: &'a [ColumnWidth],
    /// Some kind returns a value.
    pub results: bool,
    /// Count conflicts by site.
    pub profile: bool,
    /// Record histories.
    pub record: bool,
}

/// The CUDA C of a unit, complete: no headers are needed. The kernel is `stm_run`.
///
/// # Panics
/// Indices in `unit.bindings` must be in range.
#[must_use]
pub fn link(unit: &UnitSpec<'_>) -> String {
    let mut out = String::with_capacity(64 * 1024);
    put_config(&mut out, unit);
    put_part(&mut out, "prelude.cuh", include_str!("prelude.cuh"));
    put_methods(&mut out, unit);
    put_part(&mut out, "atomics.cuh", include_str!("atomics.cuh"));
    put_part(&mut out, "contract.cuh", include_str!("contract.cuh"));
    put_part(&mut out, "values.cuh", include_str!("values.cuh"));
    put_part(&mut out, "locks.cuh", include_str!("locks.cuh"));
    put_part(&mut out, "sets.cuh", include_str!("sets.cuh"));
    unit.engine.needs.iter().for_each(|(name, text)| put_part(&mut out, name, text));
    put_part(&mut out, unit.engine.file, unit.engine.text);
    out.push_str("#line 1 \"stm/unit.cu\"\n");
    launch::put_params(&mut out, unit.columns.len(), unit.regions.len());
    put_part(&mut out, "scheduler.cuh", include_str!("scheduler.cuh"));
    out.push_str("#line 1 \"stm/unit.cu\"\n");
    let mut site_base = 0;
    for (index, kind) in unit.kinds.iter().enumerate() {
        put_kind(&mut out, index, kind, site_base);
        site_base += kind.sites.len();
    }
    for index in 0..unit.bindings.len() {
        put_binding(&mut out, unit, index);
    }
    put_dispatch(&mut out, unit.bindings.len());
    let _ = writeln!(
        out,
        "extern \"C\" __global__ void __launch_bounds__({BLOCK}) stm_run(const __grid_constant__ stm_params p) {{ stm_run_table(p); }}"
    );
    out
}

/// The typedefs that everything else needs come from the prelude, so this part uses none of them.
fn put_config(out: &mut String, unit: &UnitSpec<'_>) {
    out.push_str("enum stm_fault : unsigned char { ");
    for code in FaultCode::ALL {
        let _ = write!(out, "{} = {}, ", code.cuda(), *code as u8);
    }
    out.push_str("};\ntypedef unsigned int u32;\n");
    launch::put_counters(out);
    let bindings = unit.bindings.len();
    let sweeps = if bindings <= MOST_SWEEPS { bindings } else { 1 };
    let _ = writeln!(out, "constexpr u32 STM_BINDINGS = {bindings}, STM_SWEEPS = {sweeps};");
    // With several kinds an attempt at each is a function of its own: inlined into one loop they take much longer to compile.
    let attempt = if bindings == 1 { "__forceinline__" } else { "__noinline__" };
    let _ = writeln!(out, "#define STM_ATTEMPT __device__ {attempt}");
    out.push_str("#define RS_SOME\n");
    for scalar in used_scalars(unit) {
        let _ = writeln!(out, "#define RS_USES_{}", scalar.cuda().to_uppercase());
    }
    let _ = writeln!(out, "constexpr bool STM_PROFILED = {}, STM_RECORDED = {};", unit.profile, unit.record);
}

/// The types that the generated text names. It declares every value, so there are no others.
fn used_scalars(unit: &UnitSpec<'_>) -> Vec<Scalar> {
    let names = words(unit);
    Scalar::ALL
        .into_iter()
        .filter(|scalar| scalar.rust() == scalar.cuda() && *scalar != Scalar::Bool && names.contains(scalar.cuda()))
        .collect()
}

/// The words of the generated text.
fn words<'a>(unit: &UnitSpec<'a>) -> BTreeSet<&'a str> {
    unit.kinds.iter().flat_map(|kind| kind.cuda.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')).collect()
}

/// The methods that the generated text calls.
fn put_methods(out: &mut String, unit: &UnitSpec<'_>) {
    let called = methods::called(words(unit));
    if called.is_empty() {
        return;
    }
    called.into_iter().for_each(|name| _ = writeln!(out, "#define {} 1", methods::guard(name)));
    put_part(out, "methods.cuh", include_str!("methods.cuh"));
    put_part(out, "methods_bits.cuh", include_str!("methods_bits.cuh"));
    put_part(out, "methods_float.cuh", include_str!("methods_float.cuh"));
}

fn put_part(out: &mut String, name: &str, text: &str) {
    let _ = writeln!(out, "#line 1 \"stm/{name}\"");
    out.push_str(text);
    if !text.ends_with('\n') {
        out.push('\n');
    }
}

/// The facts as constants, and the generated text, in a namespace of their own.
fn put_kind(out: &mut String, index: usize, kind: &KindSpec, site_base: usize) {
    let facts = &kind.facts;
    let _ = writeln!(out, "namespace stm_k{index} {{  // {}::{}", kind.module, kind.name);
    let _ = writeln!(out, "#define STM_CHECKED {}", u8::from(kind.checked));
    out.push_str("struct facts {\n");
    let _ = writeln!(out, "  static constexpr u32 FIXED = {}, INDEXED = {};", facts.slots.len(), facts.indexed);
    let _ = writeln!(out, "  static constexpr bool READ_ONLY = {}, ORDERABLE = {};", facts.read_only, facts.orderable);
    let _ = writeln!(out, "  static constexpr bool STATED = {};", facts.stated);
    let _ = writeln!(out, "  static constexpr u32 MAX_ITERATIONS = {}u, SITE_BASE = {site_base};", kind.max_iterations);
    let _ = writeln!(out, "  static constexpr u32 RESULTS = {};", kind.result.len());
    let all_written = facts.indexed == 0 && facts.slots.iter().all(|slot| slot.intent != Intent::Read);
    let _ =
        writeln!(out, "  static constexpr bool ALL_WRITTEN = {all_written};  // every element touched may be written");
    put_slots(out, "u32", "slot_site", facts.slots, |slot| slot.site.to_string());
    put_slots(out, "bool", "slot_reads", facts.slots, |slot| (slot.intent != Intent::Write).to_string());
    out.push_str("};\n");
    out.push_str(kind.cuda);
    out.push_str("\n#line 1 \"stm/unit.cu\"\n#undef STM_CHECKED\n}\n");
}

/// A constant function of the slot.
fn put_slots(out: &mut String, ty: &str, name: &str, slots: &[Slot], value: impl Fn(&Slot) -> String) {
    let _ = write!(out, "  STM_DEVICE static constexpr {ty} {name}(u32 slot) {{ ");
    for (index, slot) in slots.iter().enumerate() {
        let _ = write!(out, "if (slot == {index}) return {}; ", value(slot));
    }
    let _ = writeln!(out, "return {}; }}", if ty == "bool" { "false" } else { "STM_INDEXED" });
}

fn put_binding(out: &mut String, unit: &UnitSpec<'_>, index: usize) {
    let binding = &unit.bindings[index];
    let kind = unit.kinds[binding.kind];
    let space = format!("stm_k{}", binding.kind);
    let values = kind.params.iter().filter_map(|param| match param.role {
        Role::Value(scalar) => Some(scalar),
        Role::Region(_) => None,
    });

    let mut fields = String::new();
    let mut loads = String::new();
    for (value, (scalar, &column)) in values.zip(&binding.columns).enumerate() {
        let (name, width) = (scalar.cuda(), column_type(unit.columns[column]));
        let _ = write!(fields, " {name} v{value};");
        let _ = write!(loads, " a.v{value} = stm_word<{name}>::to(((const {width}*)p.columns[{column}])[row]);");
    }
    let arguments = put_arguments(unit, binding, kind);

    let _ = writeln!(out, "struct stm_binding_{index} {{");
    put_layout(out, unit, binding, kind, &space);
    let _ = writeln!(out, "  struct args {{{fields} }};");
    let _ = writeln!(out, "  STM_DEVICE static args load(const stm_params& p, u32 row) {{ args a;{loads} return a; }}");
    if kind.facts.orderable {
        let _ = writeln!(out, "  template <class Tx>");
        let _ = writeln!(
            out,
            "  STM_DEVICE static void announce(Tx& tx, const stm_params& p, const args& a) {{ {space}::announce(tx{arguments}); }}"
        );
    }
    let _ = writeln!(out, "  template <class Tx>");
    let _ = writeln!(
        out,
        "  STM_DEVICE static stm_status body(Tx& tx, const stm_params& p, const args& a, u64* result) {{ return {space}::body(tx{arguments}, result); }}"
    );
    out.push_str("};\n");
}

/// The kind's facts, and what only this binding knows: how its regions lie.
fn put_layout(out: &mut String, unit: &UnitSpec<'_>, binding: &BindingSpec, kind: &KindSpec, space: &str) {
    let mut regions = binding.regions.iter();
    let widths: Vec<Option<u32>> = kind
        .params
        .iter()
        .map(|param| match param.role {
            Role::Value(_) => None,
            Role::Region(_) => regions.next().map(|&id| width(unit.regions[id])),
        })
        .collect();
    let mut used = widths.iter().flatten();
    let first = used.next().copied();
    let one = first.filter(|first| used.all(|other| other == first));
    let _ = writeln!(out, "  struct facts : {space}::facts {{");
    let _ =
        writeln!(out, "    static constexpr u32 ONE_WIDTH = {};", one.map_or("~0u".to_owned(), |w| format!("{w}u")));
    out.push_str("  ");
    put_slots(out, "u32", "slot_width", kind.facts.slots, |slot| {
        widths[slot.param as usize].unwrap_or_default().to_string()
    });
    out.push_str("  };\n");
}

/// Bytes of an element in its own place, or 0 in a cell, as `stm_ref` has it.
fn width(region: RegionSpec) -> u32 {
    match region.layout {
        Layout::Cells => 0,
        Layout::Split => region.scalar.size() as u32,
    }
}

/// `, region or value` for each parameter in order.
fn put_arguments(unit: &UnitSpec<'_>, binding: &BindingSpec, kind: &KindSpec) -> String {
    let mut arguments = String::new();
    let (mut regions, mut values) = (binding.regions.iter(), 0);
    for param in kind.params {
        match param.role {
            Role::Value(_) => {
                let _ = write!(arguments, ", a.v{values}");
                values += 1;
            }
            Role::Region(_) => {
                let id = *regions.next().expect("a binding should name a region for each region parameter");
                let region = unit.regions[id];
                let _ = write!(
                    arguments,
                    ", stm_region<{}, {id}, {}, {}>{{p.regions[{id}]}}",
                    region.scalar.cuda(),
                    region.layout == Layout::Cells,
                    region.coverage_log2
                );
            }
        }
    }
    arguments
}

fn column_type(width: ColumnWidth) -> &'static str {
    match width {
        ColumnWidth::U32 => "u32",
        ColumnWidth::U64 => "u64",
    }
}

fn put_dispatch(out: &mut String, bindings: usize) {
    out.push_str(
        "STM_DEVICE stm_status stm_dispatch(const stm_params& p, u32 row, u32 binding, stm_worker& worker) {\n",
    );
    out.push_str("  switch (binding) {\n");
    for index in 1..bindings {
        let _ = writeln!(out, "    case {index}: return stm_attempt<stm_binding_{index}>(p, row, worker);");
    }
    out.push_str("    default: return stm_attempt<stm_binding_0>(p, row, worker);\n  }\n}\n");
}
