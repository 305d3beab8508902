// An array is no array: every access goes through the handle, which the engine sees.
use stm_runtime::prelude::*;

#[derive(Clone, Copy, GpuData)]
struct Row {
    marks: [u32; 4],
}

#[gpu_transaction]
fn uses(tx: &mut Tx, data: &Shared<u32>, rows: &Shared<Row>, x: u32) -> TxResult {
    let element = data[x];
    let count = data.len(1);
    let empty = data.is_empty(x, x);
    let length: u32 = data.len();
    let first = data.first();
    let all = data.to_vec()?;
    let mark = tx.read(&rows.marks[x as usize], 0)?;
    let copy = rows.marks;
    for value in data {}
    let sum = data + 1;
    Ok(())
}

fn main() {}
