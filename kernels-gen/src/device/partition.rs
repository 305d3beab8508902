//! Positions of a unit's partitions in block memory, for engines that keep elements there.

use super::engine::EngineSpec;
use super::engine_memory::{Extent, Scope};

use super::parameters::Settings;
use super::tuned::Tuned;
use super::unit::{ArraySpec, UnitSpec};
use crate::abi::launch;
use std::fmt::Write as _;

/// The position of one array: its elements, and the engine's data for them. Bytes from the start.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    values: u64,
    tables: Vec<u64>,
}

/// Returns the bytes of block memory that the engine takes for these arrays; 0 if it works in device memory.
#[must_use]
pub fn partition_bytes(engine: &Tuned, arrays: &[ArraySpec]) -> u64 {
    plan(engine, engine.settings, arrays).map_or(0, |(bytes, _)| bytes)
}

fn plan(engine: &EngineSpec, settings: Settings, arrays: &[ArraySpec]) -> Option<(u64, Vec<Place>)> {
    if !engine.execution().keeps_elements_in_blocks() {
        return None;
    }
    let mut next = engine.bytes(Scope::Block, Extent::new(settings));
    let mut take = |bytes: u64| {
        let at = next;
        next = next.saturating_add(bytes.div_ceil(8).saturating_mul(8));
        at
    };
    let place = |array: &ArraySpec| {
        let values = take(array.part.saturating_mul(array.scalar.size() as u64));
        let extent = Extent { scalar: array.scalar, elements: array.part, ..Extent::new(settings) };
        Place { values, tables: engine.memory_of(Scope::Partition).map(|table| take((table.bytes)(extent))).collect() }
    };
    let places = arrays.iter().map(place).collect();
    Some((next, places))
}

/// Returns the type of an array in the text, with the position of the partition in block memory.
pub(super) fn part_type(unit: &UnitSpec<'_>, id: usize) -> Option<String> {
    let (_, places) = plan(&unit.engine, unit.engine.settings, unit.arrays)?;
    let (array, Place { values, tables }) = (unit.arrays[id], &places[id]);
    let ArraySpec { scalar, part, .. } = array;
    let tables: String = tables.iter().map(|table| format!(", {table}u")).collect();
    Some(format!("stm_partition<{}, {id}, {part}u, {values}u{tables}>", scalar.cuda()))
}

/// Prints the size of the block memory, and the functions that load and store a partition.
pub(super) fn put_moves(out: &mut String, unit: &UnitSpec<'_>) {
    let Some((bytes, _)) = plan(&unit.engine, unit.engine.settings, unit.arrays) else { return };
    let _ = writeln!(out, "constexpr u32 STM_BLOCK_WORDS = {};", bytes / 8);
    out.push_str(
        "template <bool IN>\nSTM_DEVICE void stm_move_partitions(const stm_params& p, u8* memory, u32 partition) {\n",
    );
    for (id, part) in (0..unit.arrays.len()).filter_map(|id| Some((id, part_type(unit, id)?))) {
        let _ = writeln!(out, "  stm_move_partition<IN>({part}{{{}.array}}, memory, partition);", launch::place(id));
    }
    out.push_str("}\n");
}

#[cfg(test)]
mod tests;
