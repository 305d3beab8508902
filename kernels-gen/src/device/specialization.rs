//! Prints a procedure and its specializations: generated bodies, and the facts of the batch as constants.

use super::engine::Layout;
use super::header::put_own;
use super::partition;
use super::share::UnitFunction;
use super::unit::{ArraySpec, ColumnWidth, UnitSpec};
use crate::abi::lines;
use crate::spec::{Facts, Intent, ProcedureSpec, Role, Slot};
use std::fmt::Write as _;

/// The most constant slots in registers of a procedure that writes and has no accesses in loops.
const MOST_SLOTS: usize = 16;
/// The most accesses whose code is inlined. With more, an access is a call.
const MOST_INLINED: u32 = 8;

/// Prints the facts as constants, and the generated text, in a namespace of their own.
pub(super) fn put_procedure(out: &mut String, unit: &UnitSpec<'_>, index: usize) {
    let procedure = unit.procedures[index];
    let facts = &procedure.facts;
    // Omitted unless it is read, so that the text of a procedure does not depend on the procedures before it.
    let before = if unit.profile { &unit.procedures[..index] } else { &[] };
    let location_base: usize = before.iter().map(|procedure| procedure.locations.len()).sum();
    let _ = writeln!(out, "namespace stm_k{index} {{  // {}::{}", procedure.module, procedure.name);
    let _ = writeln!(out, "#define STM_CHECKED {}", u8::from(procedure.checked));
    out.push_str("struct facts {\n");
    let (slots, indexed) = (facts.slots.len(), facts.indexed);
    let fixed = if keeps_slots_in_registers(facts) { slots } else { 0 };
    let _ = writeln!(out, "  static constexpr u32 FIXED = {fixed}, SLOTS = {slots}, INDEXED = {indexed};");
    let _ = writeln!(out, "  static constexpr bool OUTLINED = {};", facts.accesses > MOST_INLINED);
    let _ = writeln!(out, "  static constexpr bool READ_ONLY = {}, ORDERABLE = {};", facts.read_only, facts.orderable);
    let _ = writeln!(out, "  static constexpr bool STATED = {};", facts.stated);
    let _ = writeln!(
        out,
        "  static constexpr u32 MAX_ITERATIONS = {}u, LOCATION_BASE = {location_base};",
        procedure.max_iterations
    );
    let _ = writeln!(out, "  static constexpr u32 RESULTS = {};", procedure.result.len());
    if !procedure.lines.is_empty() {
        let _ = writeln!(out, "  static constexpr u64 LINES = {}ull;", lines::name(index, 0));
    }
    let all_written = facts.indexed == 0 && facts.slots.iter().all(|slot| slot.intent != Intent::Read);
    let _ =
        writeln!(out, "  static constexpr bool ALL_WRITTEN = {all_written};  // every element touched may be written");
    put_slots(out, "u32", "slot_location", facts.slots, |slot| slot.location.to_string());
    put_slots(out, "bool", "slot_reads", facts.slots, |slot| (slot.intent != Intent::Write).to_string());
    out.push_str("};\n");
    out.push_str(procedure.cuda);
    out.push('\n');
    put_own(out);
    out.push_str("#undef STM_CHECKED\n}\n");
}

/// Returns whether constant slots have entries of their own, in registers. An access in a loop would compare its element with every
/// slot of its array, and that code takes long to compile.
fn keeps_slots_in_registers(facts: &Facts) -> bool {
    facts.read_only || (facts.indexed == 0 && facts.slots.len() <= MOST_SLOTS)
}

/// Prints a constant function of the slot.
fn put_slots(out: &mut String, ty: &str, name: &str, slots: &[Slot], value: impl Fn(&Slot) -> String) {
    let _ = write!(out, "  STM_DEVICE static constexpr {ty} {name}(u32 slot) {{ ");
    for (index, slot) in slots.iter().enumerate() {
        let _ = write!(out, "if (slot == {index}) return {}; ", value(slot));
    }
    let _ = writeln!(out, "return {}; }}", if ty == "bool" { "false" } else { "STM_INDEXED" });
}

/// Prints where the specializations of a function find their arrays and values.
pub(super) fn put_specialization(out: &mut String, unit: &UnitSpec<'_>, function: &UnitFunction) {
    let (index, specialization) = (function.first, &unit.specializations[function.first]);
    let procedure = unit.procedures[specialization.procedure];
    let space = format!("stm_k{}", specialization.procedure);
    let values = procedure.params.iter().filter_map(|param| param.role.value());

    let mut fields = String::new();
    let mut loads = String::new();
    for (value, (scalar, &column)) in values.zip(&specialization.columns).enumerate() {
        let (name, width) = (scalar.cuda(), column_type(unit.columns[column]));
        let _ = write!(fields, " {name} v{value};");
        let _ =
            write!(loads, " a.v{value} = stm_word<{name}>::to(((const {width}*)p.at[{column}].column)[transaction]);");
    }
    let arguments = put_arguments(unit, function, procedure);
    let mut load = "STM_DEVICE static args load(const stm_params& p, u32 transaction)";
    if function.shared {
        fields.push_str(" const u8* arrays;");
        loads.push_str(" a.arrays = arrays;");
        load = "STM_DEVICE static args load(const stm_params& p, u32 transaction, const u8* arrays)";
    }

    let _ = writeln!(out, "struct stm_specialization_{index} {{");
    put_layout(out, unit, function, procedure, &space);
    let _ = writeln!(out, "  struct args {{{fields} }};");
    let _ = writeln!(out, "  {load} {{ args a;{loads} return a; }}");
    if procedure.facts.orderable {
        let _ = writeln!(out, "  template <class Tx>");
        let _ = writeln!(
            out,
            "  STM_DEVICE static void declare(Tx& tx, const stm_params& p, const args& a) {{ {space}::declare(tx{arguments}); }}"
        );
    }
    let _ = writeln!(out, "  template <class Tx>");
    let _ = writeln!(
        out,
        "  STM_DEVICE static stm_status body(Tx& tx, const stm_params& p, const args& a, u64* result) {{ return {space}::body(tx{arguments}, result); }}"
    );
    out.push_str("};\n");
}

/// Prints the procedure's facts, and the array layouts of this specialization.
fn put_layout(out: &mut String, unit: &UnitSpec<'_>, function: &UnitFunction, procedure: &ProcedureSpec, space: &str) {
    let mut arrays = unit.specializations[function.first].arrays.iter();
    let ids: Vec<Option<usize>> =
        procedure.params.iter().map(|param| param.role.array().and_then(|_| arrays.next().copied())).collect();
    let mut used = ids.iter().flatten().map(|id| width(unit.arrays[*id]));
    let first = used.next();
    let one = first.filter(|first| used.all(|other| other == *first));
    let _ = writeln!(out, "  struct facts : {space}::facts {{");
    let _ =
        writeln!(out, "    static constexpr u32 ONE_WIDTH = {};", one.map_or("~0u".to_owned(), |w| format!("{w}u")));
    out.push_str("  ");
    put_slots(out, "u32", "slot_width", procedure.facts.slots, |slot| {
        ids[slot.param as usize].map_or(0, |id| width(unit.arrays[id])).to_string()
    });
    // Arrays that are known only at run time may be one.
    out.push_str("  ");
    put_slots(out, "u32", "slot_group", procedure.facts.slots, |slot| {
        ids[slot.param as usize].filter(|_| !function.shared).unwrap_or_default().to_string()
    });
    out.push_str("  };\n");
}

/// Returns the bytes of a packed element, or 0 for a cell, as `stm_ref` expects.
fn width(array: ArraySpec) -> u32 {
    match array.layout {
        Layout::Cells => 0,
        Layout::Split => array.scalar.size() as u32,
    }
}

/// Prints `, array or value` for each parameter in order.
fn put_arguments(unit: &UnitSpec<'_>, function: &UnitFunction, procedure: &ProcedureSpec) -> String {
    let mut arguments = String::new();
    let (mut arrays, mut values) = (unit.specializations[function.first].arrays.iter().enumerate(), 0);
    for param in procedure.params {
        match param.role {
            Role::Value(_) => {
                let _ = write!(arguments, ", a.v{values}");
                values += 1;
            }
            Role::Array(_) | Role::Partition(..) => {
                let (nth, &id) = arrays.next().expect("a specialization should name an array for each array parameter");
                let place = if function.shared { format!("a.arrays[{nth}]") } else { id.to_string() };
                let _ = match (function.shared, partition::part_type(unit, id)) {
                    (true, _) => {
                        let ty = any_array_type(unit.arrays[id]);
                        write!(arguments, ", {ty}{{{{p.at[{place}].array}}, {place}}}")
                    }
                    (false, Some(ty)) => write!(arguments, ", {ty}{{p.at[{place}].array}}"),
                    (false, None) => {
                        let ty = array_type(unit.arrays[id], id);
                        write!(arguments, ", {ty}{{p.at[{place}].array}}")
                    }
                };
            }
        }
    }
    arguments
}

fn array_type(array: ArraySpec, id: usize) -> String {
    let ArraySpec { scalar, layout, coverage_log2, .. } = array;
    format!("stm_array<{}, {id}, {}, {coverage_log2}>", scalar.cuda(), layout == Layout::Cells)
}

fn any_array_type(array: ArraySpec) -> String {
    let ArraySpec { scalar, layout, coverage_log2, .. } = array;
    format!("stm_any_array<{}, {}, {coverage_log2}>", scalar.cuda(), layout == Layout::Cells)
}

fn column_type(width: ColumnWidth) -> &'static str {
    match width {
        ColumnWidth::U32 => "u32",
        ColumnWidth::U64 => "u64",
    }
}
