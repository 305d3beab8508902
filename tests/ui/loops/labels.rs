// `break` and `continue` leave a loop that is there.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn labels(tx: &mut Tx, n: u32) -> TxResult {
    break;
    continue;
    'outer: while n > 0 {
        continue 'outre;
        break 'inner;
    }
    'block: {
        continue 'block;
    }
    while n > 0 {
        break 3;
    }
    let b = loop {
        if n > 1 {
            break 1_u8;
        }
        break n;
    };
    for i in 0..n {
        break i;
    }
    Ok(())
}

fn main() {}
