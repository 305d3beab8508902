// All errors of one function come together, in the order of the source.
use stm_runtime::prelude::*;

#[gpu_transaction(max_iteration = 5)]
fn several(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult {
    let a = missing;
    let b: &str = "x";
    data[0] = x;
    for i in data {
        println!("{i}");
    }
    let c = x.sin();
    tx.reed(data, 0)?;
    tx.read(data, 0);
    let d = async {};
    Ok(c)
}

fn main() {}
