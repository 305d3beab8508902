// A pattern copies what it names.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn patterns(tx: &mut Tx, x: u32, pair: (u32, u32), list: [u32; 3], maybe: Option<u32>) -> TxResult {
    let ref c = x;
    let &d = x;
    let [e, f, g] = list;
    let (h, ref i) = pair;
    match x {
        1 | 2 => {}
        y @ (3 | 4) => {}
        some!() => {}
        "text" => {}
        _ => {}
    }
    if let Some(&value) = maybe {
        f += value;
    }
    tx.guard(c + d + e + f + g + h + i > list[e as usize])?;
    Ok(())
}

fn main() {}
