// What is left out of the build, the macro cannot know.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn configured(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult {
    #[cfg(debug_assertions)]
    let y = 1;
    #[cfg_attr(test, allow(unused))]
    tx.write(data, 0, x)?;
    let range = std::ops::Range { start: 1, #[cfg(test)] end: 2 };
    Ok(())
}

fn main() {}
