// Each kind of expression that is not in the language, with what to write instead.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn kinds(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult {
    let tuple = (x, 1);
    let array = [x; 4];
    let closure = |y: u32| y + x;
    let reference = &x;
    let text = "text";
    let letter = 'x';
    let range = 0..x;
    let element = data[0];
    let chosen = match x {
        0 => 1,
        _ => 2,
    };
    if let 3 = x {}
    unsafe {}
    Ok(())
}

fn main() {}
