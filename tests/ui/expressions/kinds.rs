// Each kind of expression that is not in the language, with what to write instead.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn kinds(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult {
    let closure = move |y: u32| y + x;
    let text = "text";
    let bytes = b"text";
    let letter = 'x';
    let range = Some(0..x);
    let block = const { 1 };
    unsafe {}
    let behind = *x;
    let again;
    again = &mut x;
    Ok(())
}

#[gpu_transaction]
fn later(tx: &mut Tx, x: u32) -> TxResult {
    let a = async { 1 };
    let b = a.await;
    Ok(())
}

fn main() {}
