// What enums with fields do not have: names without their type, `==`, and references.
use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Shape {
    Square(u32),
    Named(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Step {
    Go(u32),
    Stop,
}

use Step::Go;

#[gpu_transaction]
fn area(tx: &mut Tx, shape: Shape, step: Step) -> TxResult<bool> {
    let bare = Go(2);
    let jump = Step::Jump(1);
    Ok(step == Step::Stop)
}

fn main() {}
