// A value has no lifetimes, and the types in it are those of the device.
use stm_runtime::prelude::*;

#[derive(Clone, Copy, GpuData)]
struct Pair<T> {
    a: T,
    b: (T, Box<u8>),
}

#[derive(Clone, Copy, GpuData)]
struct Borrowed<'a> {
    value: &'a u32,
}

#[gpu_fn]
impl<'a> Borrowed<'a> {
    fn taken(&mut self, n: u32) -> u32 {
        *self.value + n
    }
}

// Uses of what is refused have no errors of their own.
#[gpu_transaction]
fn uses(tx: &mut Tx, cells: &Shared<u32>) -> TxResult {
    let value = tx.read(cells, 0)?;
    let mut borrowed = Borrowed { value: &value };
    tx.write(cells, 0, borrowed.taken(3))
}

fn main() {}
