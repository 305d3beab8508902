//! The order of evaluation, observed through functions that count.

use stm_runtime::prelude::*;

use crate::values::Point;

/// Records that it was called, and returns the value.
#[gpu_fn]
fn note(log: &mut u32, number: u32, value: i32) -> i32 {
    *log = log.wrapping_mul(10).wrapping_add(number);
    value
}

#[gpu_fn]
fn operands(a: i32, b: i32) -> (i32, u32) {
    let mut log = 0;
    let sum = note(&mut log, 1, a) / 2 + note(&mut log, 2, b) / 2 * (note(&mut log, 3, 5) & 7);
    (sum, log)
}

/// Evaluates fields in the order in which they are written, the base last.
#[gpu_fn]
fn literals(a: i32, base: Point) -> (Point, Point, [i32; 2], (i32, i32), u32) {
    let mut log = 0;
    let point = Point { y: note(&mut log, 1, a), x: note(&mut log, 2, 7) };
    let other = Point {
        x: note(&mut log, 3, a),
        ..{
            note(&mut log, 4, 0);
            base
        }
    };
    let list = [note(&mut log, 5, 1), note(&mut log, 6, 2)];
    let pair = (note(&mut log, 7, 1), note(&mut log, 8, 2));
    (point, other, list, pair, log)
}

/// Evaluates the value of an assignment before its place.
#[gpu_fn]
fn assigned(at: usize, value: i32) -> ([i32; 3], u32) {
    let mut log = 0;
    let mut list = [0; 3];
    list[{
        note(&mut log, 1, 0);
        at
    }] = note(&mut log, 2, value);
    list[note(&mut log, 3, 1) as usize] += note(&mut log, 4, 1);
    (list, log)
}

/// Divides by zero in the value before an index out of bounds is evaluated.
#[gpu_fn]
fn first_fault(list: [i32; 2], at: usize, by: i32) -> i32 {
    let mut list = list;
    list[at] = 7 / by;
    list[at] + list[by as usize]
}

/// Checks the indices of a read one by one; for an assignment, all indices are computed first, which is observable only if two
/// of them are invalid.
#[gpu_fn]
fn indices(grid: [[i32; 2]; 2], at: usize, by: usize) -> ([[i32; 2]; 2], i32) {
    let mut grid = grid;
    let found = grid[by][7 / at] / 2;
    grid[at / 2][at] += 4 & grid[by][0];
    grid[at & 1][4 / by] = 3;
    (grid, found)
}

/// Reads a variable in the index of an assignment to it.
#[gpu_fn]
fn own_indices(list: [usize; 3], grid: [[usize; 2]; 2]) -> ([usize; 3], [[usize; 2]; 2]) {
    let (mut list, mut grid) = (list, grid);
    list[list[0] % 3] = list[1];
    list[list[list[2] % 3] % 3] /= 2;
    grid[grid[0][1] % 2][grid[1][0] % 2] = 7;
    grid[1][grid[0][0]] += 1;
    (list, grid)
}

#[gpu_fn]
fn compound(x: i32) -> (i32, i32) {
    let mut x = x / 8;
    let y =
        x + {
            x = 5;
            x
        } + x;
    x += {
        x = 7;
        y & 3
    };
    (x, y)
}

#[gpu_fn]
fn three(a: i32, b: i32, c: i32) -> i32 {
    a / 2 - b / 4 + c / 8
}

#[gpu_fn]
fn arguments(a: i32) -> (i32, u32) {
    let mut log = 0;
    let mut a = a;
    let got = three(
        note(&mut log, 1, a),
        {
            a = 3;
            note(&mut log, 2, a)
        },
        note(&mut log, 3, a),
    );
    (got.min(note(&mut log, 4, 50)), log)
}

#[gpu_fn]
fn conditions(a: i32) -> u32 {
    let mut log = 0;
    if note(&mut log, 1, a) > 3 && note(&mut log, 2, a) < 6 || note(&mut log, 3, a) == 0 {
        note(&mut log, 4, 0);
    }
    while note(&mut log, 5, a) == log as i32 {}
    match note(&mut log, 6, a) {
        x if note(&mut log, 7, x) > 2 => log / 2,
        _ => log,
    }
}

/// Evaluates the bounds of a range, its step, and then the body.
#[gpu_fn]
fn bounds(a: i32) -> u32 {
    let mut log = 0;
    for _ in (note(&mut log, 1, 0)..note(&mut log, 2, a & 3)).step_by(note(&mut log, 3, 1) as usize) {
        note(&mut log, 4, 0);
    }
    log
}

same_as_plain! { evaluation_is_in_order:
    operands(a: i32, b: i32) -> (i32, u32);
    literals(a: i32, base: Point) -> (Point, Point, [i32; 2], (i32, i32), u32);
    assigned(at: usize, value: i32) -> ([i32; 3], u32);
    first_fault(list: [i32; 2], at: usize, by: i32) -> i32;
    indices(grid: [[i32; 2]; 2], at: usize, by: usize) -> ([[i32; 2]; 2], i32);
    own_indices(list: [usize; 3], grid: [[usize; 2]; 2]) -> ([usize; 3], [[usize; 2]; 2]);
    compound(x: i32) -> (i32, i32);
    arguments(a: i32) -> (i32, u32);
    conditions(a: i32) -> u32;
    bounds(a: i32) -> u32;
}
