//! Names that are keywords of C++, raw, foreign, or look like generated ones.

use stm_runtime::prelude::*;

#[gpu_transaction]
pub fn template(handle: &mut Tx, new: &Shared<u32>, r#type: u32, größe: u32, t4: u32, _x: u32) -> TxResult {
    let int = handle.read(new, r#type)?;
    let double = int + größe;
    let double = double + t4;
    let _y = double + _x;
    handle.write(new, r#type, _y)
}
