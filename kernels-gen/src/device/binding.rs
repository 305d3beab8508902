//! Prints a kind and a way of calling it: generated bodies, and what a table knows of them as constants.

use super::engines::Layout;
use super::home;
use super::lines;
use super::link::{BindingSpec, ColumnWidth, RegionSpec, UnitSpec, put_own};
use super::share::Function;
use crate::spec::{Intent, KindSpec, Role, Slot};
use std::fmt::Write as _;

/// The facts as constants, and the generated text, in a namespace of their own.
pub(super) fn put_kind(out: &mut String, unit: &UnitSpec<'_>, index: usize) {
    let kind = unit.kinds[index];
    let facts = &kind.facts;
    // Left out where nothing reads it, so that the text of a kind does not depend on the kinds before it.
    let before = if unit.profile { &unit.kinds[..index] } else { &[] };
    let site_base: usize = before.iter().map(|kind| kind.sites.len()).sum();
    let _ = writeln!(out, "namespace stm_k{index} {{  // {}::{}", kind.module, kind.name);
    let _ = writeln!(out, "#define STM_CHECKED {}", u8::from(kind.checked));
    out.push_str("struct facts {\n");
    let _ = writeln!(out, "  static constexpr u32 FIXED = {}, INDEXED = {};", facts.slots.len(), facts.indexed);
    let _ = writeln!(out, "  static constexpr bool READ_ONLY = {}, ORDERABLE = {};", facts.read_only, facts.orderable);
    let _ = writeln!(out, "  static constexpr bool STATED = {};", facts.stated);
    let _ = writeln!(out, "  static constexpr u32 MAX_ITERATIONS = {}u, SITE_BASE = {site_base};", kind.max_iterations);
    let _ = writeln!(out, "  static constexpr u32 RESULTS = {};", kind.result.len());
    if !kind.lines.is_empty() {
        let _ = writeln!(out, "  static constexpr u64 LINES = {}ull;", lines::name(index, 0));
    }
    let all_written = facts.indexed == 0 && facts.slots.iter().all(|slot| slot.intent != Intent::Read);
    let _ =
        writeln!(out, "  static constexpr bool ALL_WRITTEN = {all_written};  // every element touched may be written");
    put_slots(out, "u32", "slot_site", facts.slots, |slot| slot.site.to_string());
    put_slots(out, "bool", "slot_reads", facts.slots, |slot| (slot.intent != Intent::Write).to_string());
    out.push_str("};\n");
    out.push_str(kind.cuda);
    out.push('\n');
    put_own(out);
    out.push_str("#undef STM_CHECKED\n}\n");
}

/// A constant function of the slot.
fn put_slots(out: &mut String, ty: &str, name: &str, slots: &[Slot], value: impl Fn(&Slot) -> String) {
    let _ = write!(out, "  STM_DEVICE static constexpr {ty} {name}(u32 slot) {{ ");
    for (index, slot) in slots.iter().enumerate() {
        let _ = write!(out, "if (slot == {index}) return {}; ", value(slot));
    }
    let _ = writeln!(out, "return {}; }}", if ty == "bool" { "false" } else { "STM_INDEXED" });
}

/// Where the specializations that a function serves find their regions and values.
pub(super) fn put_binding(out: &mut String, unit: &UnitSpec<'_>, function: &Function) {
    let (index, binding) = (function.first, &unit.bindings[function.first]);
    let kind = unit.kinds[binding.kind];
    let space = format!("stm_k{}", binding.kind);
    let values = kind.params.iter().filter_map(|param| param.role.value());

    let mut fields = String::new();
    let mut loads = String::new();
    for (value, (scalar, &column)) in values.zip(&binding.columns).enumerate() {
        let (name, width) = (scalar.cuda(), column_type(unit.columns[column]));
        let _ = write!(fields, " {name} v{value};");
        let _ = write!(loads, " a.v{value} = stm_word<{name}>::to(((const {width}*)p.at[{column}].column)[row]);");
    }
    let arguments = put_arguments(unit, function, kind);
    let mut load = "STM_DEVICE static args load(const stm_params& p, u32 row)";
    if function.shared {
        fields.push_str(" const u8* regions;");
        loads.push_str(" a.regions = regions;");
        load = "STM_DEVICE static args load(const stm_params& p, u32 row, const u8* regions)";
    }

    let _ = writeln!(out, "struct stm_binding_{index} {{");
    put_layout(out, unit, binding, kind, &space);
    let _ = writeln!(out, "  struct args {{{fields} }};");
    let _ = writeln!(out, "  {load} {{ args a;{loads} return a; }}");
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
        .map(|param| param.role.region().and_then(|_| regions.next()).map(|&id| width(unit.regions[id])))
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
fn put_arguments(unit: &UnitSpec<'_>, function: &Function, kind: &KindSpec) -> String {
    let mut arguments = String::new();
    let (mut regions, mut values) = (unit.bindings[function.first].regions.iter().enumerate(), 0);
    for param in kind.params {
        match param.role {
            Role::Value(_) => {
                let _ = write!(arguments, ", a.v{values}");
                values += 1;
            }
            Role::Region(_) | Role::Local(..) => {
                let (nth, &id) = regions.next().expect("a binding should name a region for each region parameter");
                let place = if function.shared { format!("a.regions[{nth}]") } else { id.to_string() };
                let _ = match (function.shared, home::part_type(unit, id)) {
                    (true, _) => {
                        let ty = any_region_type(unit.regions[id]);
                        write!(arguments, ", {ty}{{{{p.at[{place}].region}}, {place}}}")
                    }
                    (false, Some(ty)) => write!(arguments, ", {ty}{{p.at[{place}].region}}"),
                    (false, None) => {
                        let ty = region_type(unit.regions[id], id);
                        write!(arguments, ", {ty}{{p.at[{place}].region}}")
                    }
                };
            }
        }
    }
    arguments
}

fn region_type(region: RegionSpec, id: usize) -> String {
    let RegionSpec { scalar, layout, coverage_log2, .. } = region;
    format!("stm_region<{}, {id}, {}, {coverage_log2}>", scalar.cuda(), layout == Layout::Cells)
}

fn any_region_type(region: RegionSpec) -> String {
    let RegionSpec { scalar, layout, coverage_log2, .. } = region;
    format!("stm_any_region<{}, {}, {coverage_log2}>", scalar.cuda(), layout == Layout::Cells)
}

fn column_type(width: ColumnWidth) -> &'static str {
    match width {
        ColumnWidth::U32 => "u32",
        ColumnWidth::U64 => "u64",
    }
}
