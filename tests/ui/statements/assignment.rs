// A place, or several in a tuple.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn assigns(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult {
    let mut a = 1;
    let mut b = 2;
    (a, b) = (b, a, 1);
    (a, x) = (true, a);
    [a, b] = [1, 2];
    (a, [_, b]) = (1, [2, 3]);
    (a, 1) = (b, 1);
    (a, missing) = (b, 1);
    1 = 2;
    a + b = 3;
    x.y = 4;
    a = 1_u8;
    Ok(())
}

fn main() {}
