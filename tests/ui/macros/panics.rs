// A panic has one message, without values: the report shows the arguments.
use stm_runtime::prelude::*;

#[gpu_transaction]
fn panics(tx: &mut Tx, x: u32) -> TxResult {
    assert!();
    assert!(x > 0, "x is {}", x);
    assert!(x > 1, "x is {x}");
    assert_eq!(x);
    assert_eq!(x, 2, x);
    assert_ne!(x, 3_u8);
    assert!(x);
    if x == 4 {
        panic!("{x}");
    }
    if x == 5 {
        panic!("{}", x);
    }
    if x == 6 {
        unreachable!(x);
    }
    matches!(x);
    Ok(())
}

fn main() {}
