// Types of locals are scalars.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn types(tx: &mut Tx) -> TxResult {
    let wide: i128 = 1;
    let letter: char = 'x';
    let nothing: () = ();
    let guessed: _ = 1;
    let unit = tx.guard(true)?;
    Ok(())
}

fn main() {}
