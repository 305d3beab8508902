//! Prints a procedure and its specializations: generated bodies, and the facts of the batch as constants.

use super::changes;
use super::engine::Layout;
use super::engine_memory::{Extent, Scope};
use super::foresight::Foreseen;
use super::header::put_own;
use super::partition;
use super::share::{UnitFunction, leaders};
use super::stage::Visited;
use super::unit::{ArraySpec, ArrayUse, ColumnSource, ColumnWidth, UnitSpec};
use crate::abi::{launch, lines};
use crate::spec::{Intent, ProcedureSpec, Role, Slot};
use std::fmt::Write as _;

/// The most components of a record that have a bit each in the logs of transactions.
const MOST_BITS: usize = 64;
/// The most arrays whose addresses the stages of foresight load before a transaction.
pub(super) const MOST_NEAR: usize = 8;
/// The most accesses whose code is inlined. With more, an access is a call.
const MOST_INLINED: u32 = 8;
/// The most accesses of which any part is copied. With more, the copies take seconds to compile.
const MOST_COPIED: u32 = 96;

/// Prints the facts as constants, and the generated text, in a namespace of their own.
pub(super) fn put_procedure(out: &mut String, unit: &UnitSpec<'_>, index: usize) {
    let procedure = unit.procedures[index];
    let facts = &procedure.facts;
    // Omitted unless it is read, so that the text of a procedure does not depend on the procedures before it.
    let (profile_base, number) = if unit.profile { (unit.profile_layout().waits(index), index) } else { (0, 0) };
    let _ = writeln!(out, "namespace stm_k{index} {{  // {}::{}", procedure.module, procedure.name);
    let _ = writeln!(out, "#define STM_CHECKED {}", u8::from(procedure.checked));
    out.push_str("struct facts {\n");
    let (slots, indexed) = (facts.slots.len(), facts.indexed);
    let fixed = if facts.is_in_registers() { slots } else { 0 };
    let _ = writeln!(out, "  static constexpr u32 FIXED = {fixed}, SLOTS = {slots}, INDEXED = {indexed};");
    let (outlined, long) = (facts.accesses > MOST_INLINED, facts.accesses > MOST_COPIED);
    let _ = writeln!(out, "  static constexpr bool OUTLINED = {outlined}, LONG = {long};");
    let _ = writeln!(out, "  static constexpr bool READ_ONLY = {}, ORDERABLE = {};", facts.read_only, facts.orderable);
    let _ = writeln!(out, "  static constexpr bool STATED = {};", facts.stated);
    let _ = writeln!(
        out,
        "  static constexpr u32 MAX_ITERATIONS = {}u, PROFILE_BASE = {profile_base}, PROCEDURE = {number};",
        procedure.max_iterations
    );
    let _ = writeln!(out, "  static constexpr u32 RESULTS = {};", procedure.result.len());
    if !procedure.lines.is_empty() {
        let _ = writeln!(out, "  static constexpr u64 LINES = {}ull;", lines::name(index, 0));
    }
    let extent = Extent::of_thread(procedure, unit.record, unit.engine.settings);
    let _ = writeln!(out, "  static constexpr u32 THREAD_BYTES = {};", unit.engine.bytes(Scope::Thread, extent));
    put_slots(out, "u32", "slot_location", facts.slots, |slot| slot.location.to_string());
    put_slots(out, "bool", "slot_reads", facts.slots, |slot| (slot.intent != Intent::Write).to_string());
    if unit.engine.asks_changes {
        changes::put(out, unit, index);
    }
    if unit.engine.last_visited() == Some(Visited::Foreseen) && unit.is_visited(Visited::Foreseen, index) {
        put_foresight(out, &unit.foreseen(), index);
    }
    out.push_str("};\n");
    out.push_str(procedure.cuda);
    out.push('\n');
    put_own(out);
    out.push_str("#undef STM_CHECKED\n}\n");
}

/// Prints what is known before a transaction runs as constants.
fn put_foresight(out: &mut String, foreseen: &Foreseen, index: usize) {
    let known = foreseen.procedures[index].clone().unwrap_or_default();
    let one_of =
        |word: &str, numbers: &[u32]| numbers.iter().map(|of| format!("{word} == {of} || ")).collect::<String>();
    let _ = writeln!(out, "  static constexpr bool FORESEEN_OUTCOME = {}, LATE = {};", known.outcome, known.is_late);
    let [late, unread, summed] = foreseen.params(index);
    let params = [
        ("is_decisive", &known.decisive),
        ("is_ticket", &known.tickets),
        ("is_unneeded", &known.unneeded),
        ("is_late", late),
        ("is_unread", unread),
        ("is_summed", summed),
        ("is_awaited", &foreseen.awaited(index)),
    ];
    for (name, params) in params {
        let _ = writeln!(
            out,
            "  STM_DEVICE static constexpr bool {name}(u32 param) {{ return {}false; }}",
            one_of("param", params)
        );
    }
    for (name, number) in [("cell", Foreseen::cell as fn(&Foreseen, usize, u32) -> u32), ("cells", Foreseen::cells)] {
        // Also of arrays that it only reads: others may write them together.
        let numbers = foreseen.written_params(index).map(|param| (param, number(foreseen, index, param)));
        let cases = numbers.map(|(param, number)| format!("param == {param} ? {number} : ")).collect::<String>();
        let others = u32::from(name == "cells");
        let _ = writeln!(out, "  STM_DEVICE static constexpr u32 {name}(u32 param) {{ return {cases}{others}; }}");
    }
    let [first, second] = known.open.each_ref().map(|locations| one_of("location", locations));
    let _ = writeln!(out, "  template <bool LATE>");
    let _ = writeln!(
        out,
        "  STM_DEVICE static constexpr bool is_open(u32 location) {{ return LATE ? {second}false : {first}false; }}"
    );
    let _ = writeln!(out, "  STM_DEVICE static constexpr u32 write_at(u32 location, u32 param) {{");
    for write in &known.writes {
        let value = if known.outcome { write.value } else { 2 };
        let said = [write.adds && known.outcome, write.is_immediate, write.is_nothing, write.is_resolved];
        let bits = (2..).zip(said).fold(value, |bits, (at, is_so)| bits | u32::from(is_so) << at);
        let bits = bits | write.piece.map_or(0, |number| number + 1) << 6;
        let (location, param) = (write.location, write.param);
        let _ = writeln!(out, "    if (location == {location} && param == {param}) return {bits}u;");
    }
    let _ = writeln!(out, "    return 2u;\n  }}");
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
    let has_row = unit.rows && !specialization.columns.is_empty();
    let row = if has_row { "row" } else { "transaction" };
    if has_row {
        let _ = write!(loads, " u32 row = ((const u32*){}.column)[transaction];", launch::place(0));
    }
    if specialization.columns.iter().any(|at| unit.columns[*at].source == ColumnSource::Counted) {
        let _ = write!(loads, " u64 counted = p.picked ? p.picked[transaction] : {row};");
    }
    for (value, (scalar, &column)) in values.zip(&specialization.columns).enumerate() {
        let (name, width, place) = (scalar.cuda(), column_type(unit.columns[column].width), launch::place(column));
        let _ = write!(fields, " {name} v{value};");
        let word = match unit.columns[column].source {
            ColumnSource::Listed => format!("((const {width}*){place}.column)[{row}]"),
            ColumnSource::Counted => format!("({width})((u64){place}.column + counted)"),
            ColumnSource::Same => format!("({width})(u64){place}.column"),
        };
        let _ = write!(loads, " a.v{value} = stm_word<{name}>::to({word});");
    }
    let arguments = put_arguments(unit, function, procedure);
    let mut load = "STM_DEVICE static args load(const stm_params& p, u32 transaction)".to_owned();
    if function.shared {
        let number = unit.array_number();
        let _ = write!(fields, " const {number}* arrays;");
        loads.push_str(" a.arrays = arrays;");
        load = format!("STM_DEVICE static args load(const stm_params& p, u32 transaction, const {number}* arrays)");
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
    let array = |slot: &Slot| ids[slot.param as usize].map(|id| unit.arrays[id]);
    let locked = |slot: &Slot| array(slot).filter(ArraySpec::is_locked);
    let mut used = ids.iter().flatten().map(|id| unit.arrays[*id]).filter(ArraySpec::is_locked).map(width);
    let first = used.next();
    let one = first.filter(|first| used.all(|other| other == *first));
    let facts = &procedure.facts;
    let mut locked_slots = facts.slots.iter().filter(|slot| locked(slot).is_some());
    let all_written = facts.indexed == 0 && locked_slots.all(|slot| slot.intent != Intent::Read);
    let _ = writeln!(out, "  struct facts : {space}::facts {{");
    let _ = writeln!(
        out,
        "    static constexpr bool ALL_WRITTEN = {all_written};  // every element that it sees may be written"
    );
    let arrays = ids.iter().flatten().map(|id| unit.arrays[*id].used);
    let deferred = arrays.zip(procedure.deferrable()).filter(|(used, _)| *used == ArrayUse::Deferred);
    let additions: u32 = deferred.filter_map(|(_, additions)| additions).sum();
    let _ = writeln!(out, "    static constexpr u32 ADDITIONS = {additions};");
    let _ =
        writeln!(out, "    static constexpr u32 ONE_WIDTH = {};", one.map_or("~0u".to_owned(), |w| format!("{w}u")));
    out.push_str("  ");
    put_slots(out, "u32", "slot_width", facts.slots, |slot| array(slot).map_or(0, width).to_string());
    // Arrays that are known only at run time may be one. The slot of an array that the engine does not see stays empty.
    out.push_str("  ");
    put_slots(out, "u32", "slot_group", facts.slots, |slot| match locked(slot) {
        None => "STM_INDEXED".to_owned(),
        Some(_) if function.shared => "0".to_owned(),
        Some(array) => array.group.to_string(),
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
    let specialization = &unit.specializations[function.first];
    let leaders = leaders(unit, specialization);
    let (mut arrays, mut values) = (specialization.arrays.iter().enumerate(), 0);
    // Foresight tells the arrays of a function apart by their parameters.
    let is_in_order = unit.engine.last_visited() == Some(Visited::Foreseen);
    let is_far = is_in_order && specialization.arrays.len() > MOST_NEAR;
    let far = |ty: String, [own, first]: [String; 2]| format!(", stm_far_param<{ty}>{{{own}.array, {first}.array}}");
    let as_param = |param: usize, ty: String, fields: &str| match is_in_order {
        true => format!(", stm_param<{ty}, {param}>{{{{{fields}}}}}"),
        false => format!(", {ty}{{{fields}}}"),
    };
    for (param, of) in procedure.params.iter().enumerate() {
        match of.role {
            Role::Value(_) => {
                let _ = write!(arguments, ", a.v{values}");
                values += 1;
            }
            Role::Array(_) | Role::Partition(..) => {
                let (nth, &id) = arrays.next().expect("a specialization should name an array for each array parameter");
                let (array, leader) = (unit.arrays[id], leaders[nth]);
                let at = |nth: usize| launch::place_of(&format!("a.arrays[{nth}]"), unit.places());
                let _ = match (function.shared, partition::part_type(unit, id)) {
                    (true, _) if !array.is_locked() => {
                        write!(arguments, ", {}{{{}.array}}", unseen_array_type(array), at(nth))
                    }
                    (false, None) if is_far && !array.is_locked() => {
                        write!(arguments, "{}", far(unseen_array_type(array), [id, id].map(launch::place)))
                    }
                    (false, None) if is_far => {
                        let ty = format!("stm_param<{}, {param}>", array_type(unit, id));
                        write!(arguments, "{}", far(ty, [id, array.group].map(launch::place)))
                    }
                    (false, None) if !array.is_locked() => {
                        write!(arguments, ", {}{{{}.array}}", unseen_array_type(array), launch::place(id))
                    }
                    (true, _) => {
                        let address = address(&at(nth), &at(leader));
                        let group = format!("a.arrays[{}]", leaders.len() + leader);
                        let fields = format!("{{{address}}}, {group}");
                        write!(arguments, "{}", as_param(param, any_array_type(array), &fields))
                    }
                    (false, Some(ty)) => write!(arguments, ", {ty}{{{}.array}}", launch::place(id)),
                    (false, None) => {
                        let address = address(&launch::place(id), &launch::place(array.group));
                        write!(arguments, "{}", as_param(param, array_type(unit, id), &address))
                    }
                };
            }
        }
    }
    arguments
}

/// Returns the address of an array at a place, whose lock words are those of the array at place `first`.
fn address(place: &str, first: &str) -> String {
    match place == first {
        true => format!("{place}.array"),
        false => format!("stm_component({place}.array, {first}.array)"),
    }
}

fn array_type(unit: &UnitSpec<'_>, id: usize) -> String {
    let ArraySpec { scalar, layout, coverage_log2, group, .. } = unit.arrays[id];
    let of_record = |arrays: &[ArraySpec]| arrays.iter().filter(|array| array.group == group).count();
    // The number of the component among those of its record. With too many of them for a bit each, none has one of its own.
    let has_bit = of_record(unit.arrays) <= MOST_BITS;
    let component = if has_bit { of_record(&unit.arrays[..id]) } else { MOST_BITS };
    format!("stm_array<{}, {group}, {}, {coverage_log2}, {component}>", scalar.cuda(), layout == Layout::Cells)
}

fn unseen_array_type(array: ArraySpec) -> String {
    let name = if array.used == ArrayUse::Deferred { "stm_deferred_array" } else { "stm_constant_array" };
    format!("{name}<{}, {}>", array.scalar.cuda(), array.layout == Layout::Cells)
}

fn any_array_type(array: ArraySpec) -> String {
    let ArraySpec { scalar, layout, coverage_log2, .. } = array;
    format!("stm_any_array<{}, {}, {coverage_log2}>", scalar.cuda(), layout == Layout::Cells)
}

fn column_type(width: ColumnWidth) -> &'static str {
    match width {
        ColumnWidth::U8 => "u8",
        ColumnWidth::U16 => "u16",
        ColumnWidth::U32 => "u32",
        ColumnWidth::U64 => "u64",
    }
}

#[cfg(test)]
mod tests;
