// What rustc says: the size belongs to the type, and a function for parts takes no whole array.
use stm_runtime::prelude::*;

#[gpu_fn]
fn first(tx: &mut Tx, cells: &Partition<u32, 8>) -> TxResult<u32> {
    tx.read(cells, 0)
}

#[gpu_transaction]
fn sizes(tx: &mut Tx, cells: &Partition<u32, 4>, all: &Shared<u32>) -> TxResult<u32> {
    let a = first(tx, cells)?;
    let b = first(tx, all)?;
    Ok(a + b)
}

fn main() {
    let device = Device::cpu(1);
    let parts = device.partitioned::<u32, 8>(&[0; 8]).unwrap();
    sizes::call(&parts.part(0).unwrap(), &device.shared(&[0]).unwrap());
    device.partitioned::<u32, 0>(&[]).unwrap();
}
