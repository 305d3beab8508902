// Types that double, or nest deeper, with each line.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn doubling(tx: &mut Tx, cells: &Shared<u8>, x: u8) -> TxResult {
    let a = (x, x, x, x, x, x, x, x);
    let b = (a, a, a, a, a, a, a, a);
    let c = (b, b, b, b, b, b, b, b);
    let d = (c, c, c, c, c, c, c, c);
    let e = (d, d, d, d, d, d, d, d);
    let f = (e, e, e, e, e, e, e, e);
    tx.write(cells, 0, f.0.0.0.0.0.0)
}

#[gpu_transaction]
fn nested(tx: &mut Tx, cells: &Shared<u8>, x: u8) -> TxResult {
    let deep = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((x,),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),),);
    tx.write(cells, 0, x)
}

fn main() {}
