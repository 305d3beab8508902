//! Prints the kernels of the stages before the execution, and how code finds the function of a specialization.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::engine::Layout;
use super::foresight::{ADDS, Foreseen, KnownWrite, Listed};
use super::header::put_own;
use super::share::{Functions, UnitFunction};
use super::stage::{BLOCK, Stage, Visited, Work};
use super::unit::UnitSpec;
use crate::abi::launch;
use crate::spec::{PieceText, ProcedureSpec, Scalar};

/// Blocks on a multiprocessor that runs a function on all threads: one works while the other waits.
const MOST_BLOCKS: u32 = 2;

/// Prints the kernel of a stage that visits transactions, and how it finds the function of a specialization.
pub(super) fn put_visit_kernel(
    out: &mut String,
    unit: &UnitSpec<'_>,
    functions: &Functions,
    stage: &Stage,
    (visited, visit): (Visited, &str),
) {
    let is_visited = |function: &UnitFunction| unit.is_visited(visited, unit.specializations[function.first].procedure);
    put_visited(out, functions, visit, is_visited);
    put_visit(out, functions, visit, is_visited);
    // Most have finished before a later pass.
    let (retries, warps) = (matches!(stage.work, Work::Retry(..)), stage.block_threads(BLOCK) / 32);
    let (all, finished) = match retries {
        true => (false, " && p.status[transaction] != STM_OK"),
        false => (functions.list.iter().all(is_visited), ""),
    };
    put_kernel_head(out, stage, 1);
    out.push('\n');
    let function = visit.trim_start_matches("stm_");
    if stage.copies > 0 {
        let _ = writeln!(out, "  stm_begin_{function}(p);");
    }
    let _ = writeln!(
        out,
        "  stm_visit_all<{all}, {warps}>(p, [&](u32 transaction) {{ return {visit}_visits(stm_specialization_of(p, transaction)){finished}; }}, [&](u32 transaction, u32 specialization) {{ return {visit}_of(p, transaction, specialization); }});"
    );
    if stage.copies > 0 {
        let _ = writeln!(out, "  stm_end_{function}(p);");
    }
    out.push_str("}\n");
}

/// Prints the kernel of a stage that runs transactions in their turn: the function `all` calls those functions for each of them.
pub(super) fn put_turns_kernel(
    out: &mut String,
    unit: &UnitSpec<'_>,
    functions: &Functions,
    stage: &Stage,
    visited: Visited,
    (all, names): (&str, &[&str]),
) {
    let is_visited = |function: &UnitFunction| unit.is_visited(visited, unit.specializations[function.first].procedure);
    put_visited(out, functions, all, is_visited);
    names.iter().for_each(|name| put_visit(out, functions, name, is_visited));
    put_kernel_head(out, stage, 1);
    let _ = write!(out, "\n  {all}(p, {all}_visits");
    for name in names {
        let _ = write!(
            out,
            ", [&](u32 transaction, u32 specialization) {{ return {name}_of(p, transaction, specialization); }}"
        );
    }
    out.push_str(");\n}\n");
}

/// Prints the function that moves the arrays that a block may keep.
pub(super) fn put_kept(out: &mut String, unit: &UnitSpec<'_>) {
    let mut alike: BTreeMap<Alike<'_>, Vec<usize>> = BTreeMap::new();
    unit.kept().into_iter().for_each(|(id, _)| alike.entry(alike_of(unit, id)).or_default().push(id));
    let mut moves = String::new();
    for (nth, ((scalar, cells), ids)) in alike.iter().enumerate() {
        let list = format!("STM_KEPT_{nth}");
        put_list(out, &list, ids);
        let array = listed_array(unit, &list, "at");
        put_loop(&mut moves, ids.len(), &format!("stm_move_array<IN, {scalar}, {cells}>({array});"));
    }
    let _ = writeln!(out, "template <bool IN>\nSTM_DEVICE void stm_move_arrays(const stm_params& p) {{\n{moves}}}");
}

/// Prints the kernel of a stage that lists transactions by their devices. Those that it does not visit have none.
pub(super) fn put_route_kernel(
    out: &mut String,
    unit: &UnitSpec<'_>,
    functions: &Functions,
    stage: &Stage,
    (visited, device_of): (Visited, &str),
) {
    let is_visited = |function: &UnitFunction| unit.is_visited(visited, unit.specializations[function.first].procedure);
    let _ = writeln!(out, "STM_DEVICE u32 {device_of}_of(const stm_params& p, u32 transaction, u32 specialization) {{");
    put_switch(out, functions, |function| match is_visited(function) {
        true => called(function, device_of, "p, transaction"),
        false => "~0u".to_owned(),
    });
    out.push_str("}\n");
    put_kernel_head(out, stage, 1);
    let _ = writeln!(
        out,
        "\n  stm_route_all(p, [&](u32 transaction, u32 specialization) {{ return {device_of}_of(p, transaction, specialization); }});\n}}"
    );
}

/// Prints whether a stage visits transactions of a specialization.
fn put_visited(out: &mut String, functions: &Functions, visit: &str, is_visited: impl Fn(&UnitFunction) -> bool) {
    let _ = writeln!(out, "STM_DEVICE bool {visit}_visits(u32 specialization) {{");
    put_switch(out, functions, |function| is_visited(function).to_string());
    out.push_str("}\n");
}

/// Prints how a stage finds the function of a specialization.
fn put_visit(out: &mut String, functions: &Functions, visit: &str, is_visited: impl Fn(&UnitFunction) -> bool) {
    let _ = writeln!(out, "STM_DEVICE u32 {visit}_of(const stm_params& p, u32 transaction, u32 specialization) {{");
    put_switch(out, functions, |function| {
        if is_visited(function) { called(function, visit, "p, transaction") } else { "0".to_owned() }
    });
    out.push_str("}\n");
}

/// Prints the head of a kernel of which that many blocks at least fit on a multiprocessor.
pub(super) fn put_kernel_head(out: &mut String, stage: &Stage, blocks: u32) {
    let (entry, threads) = (stage.entry, stage.block_threads(BLOCK));
    let _ = write!(
        out,
        "extern \"C\" __global__ void __launch_bounds__({threads}, {blocks}) {entry}(const __grid_constant__ stm_params p) {{"
    );
}

/// Prints the kernel of a stage that runs a function on all threads, and then resolves pieces.
pub(super) fn put_once_kernel(out: &mut String, unit: &UnitSpec<'_>, stage: &Stage, (visited, run): (Visited, &str)) {
    let is_late = visited == Visited::Late;
    let mut alike: BTreeMap<(Alike<'_>, u32), Vec<usize>> = BTreeMap::new();
    if stage.resolves {
        let foreseen = unit.foreseen();
        for both in foreseen.pieced(if is_late { Listed::Late } else { Listed::First }) {
            alike.entry((alike_of(unit, both[1]), foreseen.cell_of(both[1]))).or_default().extend(both);
        }
    }
    let list = |nth: usize| format!("STM_PIECED_{}_{nth}", u32::from(is_late));
    alike.values().enumerate().for_each(|(nth, ids)| put_list(out, &list(nth), ids));
    put_kernel_head(out, stage, MOST_BLOCKS);
    let _ = writeln!(out, "\n  {run}(p);");
    for (nth, (((scalar, cells), cell), ids)) in alike.iter().enumerate() {
        let array = |at: &str| listed_array(unit, &list(nth), at);
        let call = format!("stm_resolve_pieces<{is_late}, {scalar}, {cells}, {cell}>");
        let apply = "[](u64 number, u64 old, u64 inputs) { return stm_apply_piece(number, old, inputs); }";
        put_loop(out, ids.len() / 2, &format!("{call}(p, {}, {}, {apply});", array("2 * at"), array("2 * at + 1")));
    }
    out.push_str("}\n");
}

/// Prints the functions of the pieces, and how a number finds them.
pub(super) fn put_pieces(out: &mut String, unit: &UnitSpec<'_>, foreseen: &Foreseen) {
    let mut cases = String::new();
    for (of, write) in foreseen.pieces() {
        let (procedure, number) = (unit.procedures[of], write.piece.unwrap_or(ADDS));
        let Some(piece) = piece_text(procedure, write) else { continue };
        let scalar = procedure.params[write.param as usize].role.array().map_or("u64", Scalar::cuda);
        let checked = u8::from(procedure.checked);
        let _ = writeln!(out, "namespace stm_piece_{number} {{\n#define STM_CHECKED {checked}\n{}", piece.cuda);
        put_own(out);
        out.push_str("#undef STM_CHECKED\n}\n");
        let call = format!("stm_piece_of<{scalar}>(stm_piece_{number}::piece, old, inputs)");
        let _ = writeln!(cases, "    case {number}: return {call};");
    }
    out.push_str("STM_DEVICE u64 stm_apply_piece(u64 number, u64 old, u64 inputs) {\n  switch (number) {\n");
    let _ = writeln!(out, "{cases}    default: return old + inputs;\n  }}\n}}");
}

/// Returns the text of a piece.
pub(super) fn piece_text(procedure: &ProcedureSpec, write: &KnownWrite) -> Option<&'static PieceText> {
    procedure.pieces.iter().find(|piece| (piece.location, piece.param) == (write.location, write.param))
}

/// What a stage does with the elements of an array is the same for all arrays of one type and layout.
type Alike<'a> = (&'a str, bool);

/// Prints the kernel of a stage that visits the elements of arrays. Arrays of one type and layout have one call, because there can be
/// thousands.
pub(super) fn put_settling_kernel(out: &mut String, unit: &UnitSpec<'_>, stage: &Stage, visit: &str) {
    let mut alike: BTreeMap<Alike<'_>, Vec<usize>> = BTreeMap::new();
    unit.settled().into_iter().for_each(|id| alike.entry(alike_of(unit, id)).or_default().push(id));
    alike.values().enumerate().for_each(|(nth, ids)| put_list(out, &settled(stage, nth), ids));
    put_kernel_head(out, stage, 1);
    out.push('\n');
    for (nth, ((scalar, cells), ids)) in alike.iter().enumerate() {
        let array = listed_array(unit, &settled(stage, nth), "at");
        put_loop(out, ids.len(), &format!("{visit}<{scalar}, {cells}>(p, {array});"));
    }
    out.push_str("}\n");
}

/// The same for a stage that visits arrays in groups that have their places together: groups of arrays that are alike have one call.
pub(super) fn put_installing_kernel(out: &mut String, unit: &UnitSpec<'_>, stage: &Stage, visit: &str) {
    let foreseen = unit.foreseen();
    let mut alike: BTreeMap<(Listed, Vec<Alike<'_>>), Vec<usize>> = BTreeMap::new();
    for group in foreseen.groups() {
        let cells = group.iter().map(|id| alike_of(unit, *id)).collect();
        alike.entry((foreseen.listed(group[0]), cells)).or_default().extend(group);
    }
    alike.values().enumerate().for_each(|(nth, ids)| put_list(out, &settled(stage, nth), ids));
    put_kernel_head(out, stage, 1);
    out.push('\n');
    for (nth, ((listed, group), ids)) in alike.iter().enumerate() {
        let array = |cell: usize| listed_array(unit, &settled(stage, nth), &format!("{} * at + {cell}", group.len()));
        let cells = group.iter().enumerate();
        let text: String = match listed {
            Listed::Unread => cells
                .map(|(cell, (scalar, is_cells))| {
                    format!("{visit}_unread<{scalar}, {is_cells}, {cell}>(p, {});", array(cell))
                })
                .collect(),
            Listed::Summed => cells
                .map(|(cell, (scalar, is_cells))| format!("{visit}_summed<{scalar}, {is_cells}>(p, {});", array(cell)))
                .collect(),
            Listed::First | Listed::Late => {
                let late = *listed == Listed::Late;
                let install = |(cell, (scalar, is_cells)): (usize, &Alike<'_>)| {
                    format!("{visit}_cell<{scalar}, {is_cells}>(versions, {}, index, place, {cell});", array(cell))
                };
                let install: String = cells.map(install).collect();
                let given = format!("const stm_versions<{late}>& versions, u64 index, u32 place");
                format!("{visit}<{late}>(p, {}, [&]({given}) {{ {install} }});", array(0))
            }
        };
        put_loop(out, ids.len() / group.len(), &text);
    }
    out.push_str("}\n");
}

fn alike_of<'a>(unit: &UnitSpec<'a>, id: usize) -> Alike<'a> {
    let array = unit.arrays[id];
    (array.scalar.cuda(), array.layout == Layout::Cells)
}

/// Returns the name of a list of arrays that a stage visits.
fn settled(stage: &Stage, nth: usize) -> String {
    format!("{}_{nth}", stage.entry.to_uppercase())
}

fn put_list(out: &mut String, name: &str, ids: &[usize]) {
    let _ = write!(out, "static __device__ const u16 {name}[{}] = {{", ids.len());
    ids.iter().for_each(|id| _ = write!(out, "{id},"));
    out.push_str("};\n");
}

/// Returns the array of a list with that index.
fn listed_array(unit: &UnitSpec<'_>, list: &str, at: &str) -> String {
    format!("{}.array", launch::place_of(&format!("{list}[{at}]"), unit.places()))
}

/// Prints a loop that is not unrolled.
fn put_loop(out: &mut String, count: usize, body: &str) {
    let _ = writeln!(out, "#pragma unroll 1\n  for (u32 at = 0; at < {count}; ++at) {{ {body} }}");
}

/// Returns the call of a function: `name`, and the function's number.
pub(super) fn called(function: &UnitFunction, name: &str, arguments: &str) -> String {
    let arrays = if function.shared { ", STM_PLACES + specialization * STM_STRIDE" } else { "" };
    format!("{name}_{}({arguments}{arrays})", function.first)
}

/// Prints what is returned for each function.
pub(super) fn put_switch(out: &mut String, functions: &Functions, value: impl Fn(&UnitFunction) -> String) {
    let which = if functions.any_shared() { "STM_FUNCTION[specialization]" } else { "specialization" };
    let _ = writeln!(out, "  switch ({which}) {{");
    let others = functions.list.iter().enumerate().skip(1).map(|(at, function)| (format!("case {at}"), function));
    let first = functions.list.first().map(|function| ("default".to_owned(), function));
    for (label, function) in others.chain(first) {
        let _ = writeln!(out, "    {label}: return {};", value(function));
    }
    out.push_str("  }\n");
}
