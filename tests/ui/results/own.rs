// A `Result` of one's own: what it has, where `?` leads, and how its type is known.
use stm_runtime::prelude::*;

#[gpu_fn]
fn errors(x: u32) -> Result<u32, u8> {
    let a: Result<u32, i64> = Err(x);
    let b = a?;
    let c = x.checked_add(1)?;
    if x > 1 {
        return Err(300_u16);
    }
    Ok(b, c)
}

#[gpu_fn]
fn plain(x: u32, maybe: Result<u32, u8>) -> u32 {
    let a = maybe.unwrap_err();
    let b = maybe.or(Ok(3));
    let c = maybe.unwrap_or(1_u8);
    let d = if let Some(x) = maybe { x } else { 0 };
    if x > 3 {
        return Err(x);
    }
    maybe?
}

#[gpu_transaction]
fn passed_on(tx: &mut Tx, x: u32) -> TxResult<u32> {
    let a: Result<u32, u8> = if x > 1 { Ok(x) } else { Err(3) };
    let b = a?;
    let c = Ok(x);
    Err(b)
}

fn main() {}
