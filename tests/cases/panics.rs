//! Panics are faults with the message at their place.

use stm_runtime::prelude::*;

#[gpu_transaction]
pub fn asserted(tx: &mut Tx, data: &Shared<u32>, i: u32, x: u32) -> TxResult<u32> {
    let old = tx.read(data, i)?;
    assert!(old != 3);
    assert_eq!(old % 2, x % 2, "parity");
    if x > 8 {
        panic!("too large");
    }
    match x {
        0 => todo!(),
        1..=8 => Ok(old),
        _ => unreachable!("checked above"),
    }
}

#[gpu_transaction]
pub fn unwrapped(tx: &mut Tx, slots: &Shared<Option<u32>>, i: u32, x: Option<u32>) -> TxResult<u32> {
    let old = tx.read(slots, i)?.expect("the slot is full");
    Ok(old.checked_sub(x.unwrap()).unwrap())
}
