// What an `Option` has on the device.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn methods(tx: &mut Tx, maybe: Option<u32>, x: u32, text: u32) -> TxResult {
    let b = maybe.and_then(x);
    let c = maybe.unwrap_or(1_u8);
    let d = maybe.unwrap("message");
    let e = maybe.expect(text);
    let f = maybe.unwrapp();
    let g = x.unwrap();
    let h = maybe.take_if(|x| x > 3);
    let i = maybe.or(x);
    let j = maybe.is_some_and(x);
    let k = maybe.take();
    Ok(())
}

fn main() {}
