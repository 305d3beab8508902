// Methods that no type of the device has, with the nearest that it has.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn unknown(tx: &mut Tx, x: u32, f: f64, b: bool, list: [u32; 4], pair: (u32, u32)) -> TxResult {
    let a = x.wraping_add(1);
    let b = x.to_string();
    let c = f.squrt();
    let d = x.sqrt();
    let e = b.count_ones();
    let h = list.lenght();
    let i = pair.swap();
    let j = x.clamped();
    let k = u32::from_str_radix(x, 10);
    let l = char::from_u32_unchecked(x);
    let m = 'x'.to_digit(x);
    Ok(())
}

fn main() {}
