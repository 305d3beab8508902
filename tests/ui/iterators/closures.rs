// Closures are written out where they are called, and what they give is passed on.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn closures(tx: &mut Tx, data: &Shared<u32>, list: [u32; 4], maybe: Option<u32>) -> TxResult {
    let a = list.iter().map(|x| tx.read(data, *x)?).sum::<u32>();
    let b = (0..4).map(|k| Ok(tx.read(data, k)?)).max();
    let c = list.iter().map(|x, y| x + y).count();
    let d = list.iter().filter(missing(1)).count();
    let e = list.iter().fold(0, |sum| sum);
    let f = list.iter().any(|x| x + 1);
    let g = maybe.map_or(|x| x, 1);
    let h = list.iter().map(|x| x + unknown).count();
    Ok(())
}

fn main() {}
