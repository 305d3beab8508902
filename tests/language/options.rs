//! Methods of `Option` and `Result` that types of the user's program can have, too.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Slot {
    owner: Option<Option<u32>>,
    pair: Option<(u32, i16)>,
    map: Map,
}

/// Its methods have the names of others.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Map {
    x: u32,
    y: u32,
}

#[gpu_fn]
impl Map {
    fn flatten(&self) -> u32 {
        self.x ^ self.y
    }

    fn transpose(self) -> Map {
        Map { x: self.y, y: self.x }
    }
}

#[gpu_fn]
fn opened(slot: Slot, known: Option<Option<u8>>, a: Option<u32>) -> (Option<u32>, Option<u8>, Option<u32>, u32) {
    let least = a.map(|a| a.checked_sub(4)).flatten();
    (slot.owner.flatten().or(least), known.flatten(), Some(a).flatten(), slot.map.flatten())
}

#[gpu_fn]
fn parted(slot: Slot, known: Option<(u8, bool)>) -> (Option<u32>, Option<i16>, (Option<u8>, Option<bool>)) {
    let (a, b) = slot.pair.unzip();
    (a, b, known.unzip())
}

#[gpu_fn]
fn turned(
    a: Result<Option<u32>, u8>,
    b: Option<Result<u32, i16>>,
    slot: Slot,
) -> (Option<Result<u32, u8>>, Result<Option<u32>, i16>, Map) {
    (a.transpose(), b.transpose(), slot.map.transpose())
}

#[gpu_fn]
fn first_error(b: Option<Result<u32, i16>>) -> Result<u32, i16> {
    let x = b.transpose()?;
    Ok(x.unwrap_or(7))
}

same_as_plain! {
    methods_of_options_are_those_of_rust:
    opened(slot: Slot, known: Option<Option<u8>>, a: Option<u32>) -> (Option<u32>, Option<u8>, Option<u32>, u32);
    parted(slot: Slot, known: Option<(u8, bool)>) -> (Option<u32>, Option<i16>, (Option<u8>, Option<bool>));
    turned(a: Result<Option<u32>, u8>, b: Option<Result<u32, i16>>, slot: Slot)
        -> (Option<Result<u32, u8>>, Result<Option<u32>, i16>, Map);
    first_error(b: Option<Result<u32, i16>>) -> Result<u32, i16>;
}
