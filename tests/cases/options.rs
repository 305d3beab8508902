//! `Option`: as element, argument and result, with its methods and patterns.

use stm_runtime::prelude::*;

#[gpu_transaction]
pub fn take(tx: &mut Tx, slots: &Shared<Option<u32>>, i: u32) -> TxResult<Option<u32>> {
    let old = tx.read(slots, i)?;
    if old.is_some() {
        tx.write(slots, i, None)?;
    }
    Ok(old)
}

#[gpu_transaction]
pub fn choose(tx: &mut Tx, data: &Shared<u32>, a: Option<u32>, b: Option<u32>) -> TxResult<Option<(u32, bool)>> {
    let found = a.or(b).unwrap_or(7);
    let Some(x) = a.and(b) else { return Ok(None) };
    let sure = a.unwrap();
    tx.write(data, 0, found + x + sure)?;
    Ok(Some((x, a == b)))
}

#[gpu_transaction]
pub fn settle(tx: &mut Tx, data: &Shared<Result<u32, u8>>, i: u32, a: Option<u32>) -> TxResult<Result<u32, u8>> {
    let paid = a.ok_or(3_u8).and_then(|x| if x > 9 { Err(5) } else { Ok(x) });
    let old = tx.read(data, i)?;
    tx.write(data, i, paid.map_err(|code| code + 1))?;
    Ok(old.map(|value| value + paid.unwrap_or(1)))
}
