// A line is printed as both devices can.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn prints(tx: &mut Tx, data: &Shared<u32>, x: u32, f: f64) -> TxResult {
    gpu_println!("{x:w$}");
    gpu_println!("{:*>5}", f);
    gpu_println!("{0}", x);
    gpu_println!("{");
    gpu_println!("}");
    gpu_println!("{} {}", x);
    gpu_println!("{}", x, f);
    gpu_println!(x);
    gpu_println!("{y}");
    gpu_println!("{x + 1}");
    gpu_println!("{}", data);
    gpu_println!("{:e}", x);
    Ok(())
}

fn main() {}
