//! Methods of integers and arrays on fields and other places, whose types only rustc knows.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Row {
    seed: u32,
    values: [u32; 5],
    other: [u32; 5],
    grid: [[u8; 3]; 2],
    wheel: Wheel,
}

/// Its methods have the names of others.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Wheel {
    at: u32,
}

#[gpu_fn]
impl Wheel {
    fn rotate_left(&mut self, by: u32) -> u32 {
        self.at = self.at.rotate_left(by % 32) ^ 1;
        self.at
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.at ^= (a * 3 + b) as u32;
    }

    fn is_empty(&self) -> bool {
        self.at % 2 == 0
    }
}

#[gpu_fn]
impl Row {
    fn turn(&mut self, by: usize) {
        self.values.rotate_left(by % 5);
        self.seed = self.seed.rotate_left(1);
        self.other.fill(0);
        self.other[1..].copy_from_slice(&self.values[..4]);
        self.grid[1].reverse();
    }
}

#[gpu_fn]
fn fields(row: Row, by: u32) -> Row {
    let mut row = row;
    row.seed = row.seed.rotate_left(7).wrapping_add(row.values[by as usize % 5].rotate_right(3));
    row.values.rotate_left(1);
    row.other.rotate_right(by as usize % 6);
    row.grid[by as usize % 2].rotate_left(2);
    row.wheel.rotate_left(by);
    row.wheel.swap(1, 2);
    row.turn(by as usize);
    row
}

#[gpu_fn]
fn other_names(row: Row, pair: (u32, [u32; 4]), by: u32) -> (Row, (u32, [u32; 4]), [bool; 3]) {
    let (mut rows, mut pair) = ([row; 2], pair);
    for row in &mut rows {
        row.values.rotate_right(1);
        row.other.swap(1, 2);
    }
    let values = &mut rows[by as usize % 2].values;
    values.rotate_left(2);
    values.swap(0, by as usize % 5);
    pair.1.rotate_left(by as usize % 5);
    pair.0 = pair.0.rotate_left(3) ^ pair.1[2].rotate_left(1);
    let Row { other, .. } = &mut rows[1];
    other.rotate_left(1);
    (rows[1], pair, [row.wheel.is_empty(), row.values.is_empty(), pair.1.is_empty()])
}

/// Where Rust panics: the fault names these lines.
#[gpu_fn]
fn refused(row: Row, by: u32, at: usize) -> Row {
    let mut row = row;
    row.values.rotate_left(by as usize % 8);
    row.other.swap(at % 6, at % 7);
    row.other.rotate_right(by as usize % 9);
    row
}

same_as_plain! {
    methods_of_places_are_those_of_rust:
    fields(row: Row, by: u32) -> Row;
    other_names(row: Row, pair: (u32, [u32; 4]), by: u32) -> (Row, (u32, [u32; 4]), [bool; 3]);
    refused(row: Row, by: u32, at: usize) -> Row;
}
