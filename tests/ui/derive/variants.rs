// An enum with fields has one error where it is declared, and one for each use.
use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, GpuData)]
enum Shape {
    Empty,
    Square(u32),
    Box { width: u32, height: u32 },
}

#[gpu_transaction]
fn area(tx: &mut Tx, shape: Shape, n: u32) -> TxResult<u32> {
    let made = Shape::Square(n);
    let wide = Shape::Box { width: n, height: 1 };
    Ok(match shape {
        Shape::Empty => 0,
        Shape::Square(side) => side * side,
        Shape::Box { width, height } => width * height,
    })
}

#[gpu_transaction]
fn named(tx: &mut Tx, cells: &Shared<u32>, at: u32) -> TxResult {
    tx.update(cells, at, |cells| cells + at)
}

fn main() {}
