//! A transaction of several hundred lines, as a generator of programs writes it: repeated calls of `step`.

use stm_runtime::prelude::*;
use stm_tests::draw::Draw;

use crate::harness::{Bench, End, everywhere, plain};
use crate::steps::{compute, mix};

/// Has a line of accesses for each of many elements.
#[rustfmt::skip]
#[gpu_transaction(overflow = "wrap")]
fn touch(tx: &mut Tx, data: &Shared<u32>, start: (u32, u32)) -> TxResult<((u32, u32), [u32; 4])> {
    let result = compute(start);
    let mut sum = result.0.0;
    let x0 = tx.read(data, 0)?;
    tx.guard(x0 < 4_000_000_000)?;
    sum = mix(sum, x0);
    if x0 % 3 == 0 {
        tx.write(data, 0, x0 + 1)?;
    }
    let x1 = tx.read(data, 1)?;
    tx.guard(x1 < 4_000_000_000)?;
    sum = mix(sum, x1);
    if x1 % 3 == 1 {
        tx.write(data, 1, x1 + 1)?;
    }
    let x2 = tx.read(data, 2)?;
    tx.guard(x2 < 4_000_000_000)?;
    sum = mix(sum, x2);
    if x2 % 3 == 2 {
        tx.write(data, 2, x2 + 1)?;
    }
    let x3 = tx.read(data, 3)?;
    tx.guard(x3 < 4_000_000_000)?;
    sum = mix(sum, x3);
    if x3 % 3 == 0 {
        tx.write(data, 3, x3 + 1)?;
    }
    let x4 = tx.read(data, 4)?;
    tx.guard(x4 < 4_000_000_000)?;
    sum = mix(sum, x4);
    if x4 % 3 == 1 {
        tx.write(data, 4, x4 + 1)?;
    }
    let x5 = tx.read(data, 5)?;
    tx.guard(x5 < 4_000_000_000)?;
    sum = mix(sum, x5);
    if x5 % 3 == 2 {
        tx.write(data, 5, x5 + 1)?;
    }
    let x6 = tx.read(data, 6)?;
    tx.guard(x6 < 4_000_000_000)?;
    sum = mix(sum, x6);
    if x6 % 3 == 0 {
        tx.write(data, 6, x6 + 1)?;
    }
    let x7 = tx.read(data, 7)?;
    tx.guard(x7 < 4_000_000_000)?;
    sum = mix(sum, x7);
    if x7 % 3 == 1 {
        tx.write(data, 7, x7 + 1)?;
    }
    let x8 = tx.read(data, 8)?;
    tx.guard(x8 < 4_000_000_000)?;
    sum = mix(sum, x8);
    if x8 % 3 == 2 {
        tx.write(data, 8, x8 + 1)?;
    }
    let x9 = tx.read(data, 9)?;
    tx.guard(x9 < 4_000_000_000)?;
    sum = mix(sum, x9);
    if x9 % 3 == 0 {
        tx.write(data, 9, x9 + 1)?;
    }
    let x10 = tx.read(data, 10)?;
    tx.guard(x10 < 4_000_000_000)?;
    sum = mix(sum, x10);
    if x10 % 3 == 1 {
        tx.write(data, 10, x10 + 1)?;
    }
    let x11 = tx.read(data, 11)?;
    tx.guard(x11 < 4_000_000_000)?;
    sum = mix(sum, x11);
    if x11 % 3 == 2 {
        tx.write(data, 11, x11 + 1)?;
    }
    let x12 = tx.read(data, 12)?;
    tx.guard(x12 < 4_000_000_000)?;
    sum = mix(sum, x12);
    if x12 % 3 == 0 {
        tx.write(data, 12, x12 + 1)?;
    }
    let x13 = tx.read(data, 13)?;
    tx.guard(x13 < 4_000_000_000)?;
    sum = mix(sum, x13);
    if x13 % 3 == 1 {
        tx.write(data, 13, x13 + 1)?;
    }
    let x14 = tx.read(data, 14)?;
    tx.guard(x14 < 4_000_000_000)?;
    sum = mix(sum, x14);
    if x14 % 3 == 2 {
        tx.write(data, 14, x14 + 1)?;
    }
    let x15 = tx.read(data, 15)?;
    tx.guard(x15 < 4_000_000_000)?;
    sum = mix(sum, x15);
    if x15 % 3 == 0 {
        tx.write(data, 15, x15 + 1)?;
    }
    let x16 = tx.read(data, 16)?;
    tx.guard(x16 < 4_000_000_000)?;
    sum = mix(sum, x16);
    if x16 % 3 == 1 {
        tx.write(data, 16, x16 + 1)?;
    }
    let x17 = tx.read(data, 17)?;
    tx.guard(x17 < 4_000_000_000)?;
    sum = mix(sum, x17);
    if x17 % 3 == 2 {
        tx.write(data, 17, x17 + 1)?;
    }
    let x18 = tx.read(data, 18)?;
    tx.guard(x18 < 4_000_000_000)?;
    sum = mix(sum, x18);
    if x18 % 3 == 0 {
        tx.write(data, 18, x18 + 1)?;
    }
    let x19 = tx.read(data, 19)?;
    tx.guard(x19 < 4_000_000_000)?;
    sum = mix(sum, x19);
    if x19 % 3 == 1 {
        tx.write(data, 19, x19 + 1)?;
    }
    let x20 = tx.read(data, 20)?;
    tx.guard(x20 < 4_000_000_000)?;
    sum = mix(sum, x20);
    if x20 % 3 == 2 {
        tx.write(data, 20, x20 + 1)?;
    }
    let x21 = tx.read(data, 21)?;
    tx.guard(x21 < 4_000_000_000)?;
    sum = mix(sum, x21);
    if x21 % 3 == 0 {
        tx.write(data, 21, x21 + 1)?;
    }
    let x22 = tx.read(data, 22)?;
    tx.guard(x22 < 4_000_000_000)?;
    sum = mix(sum, x22);
    if x22 % 3 == 1 {
        tx.write(data, 22, x22 + 1)?;
    }
    let x23 = tx.read(data, 23)?;
    tx.guard(x23 < 4_000_000_000)?;
    sum = mix(sum, x23);
    if x23 % 3 == 2 {
        tx.write(data, 23, x23 + 1)?;
    }
    let x24 = tx.read(data, 24)?;
    tx.guard(x24 < 4_000_000_000)?;
    sum = mix(sum, x24);
    if x24 % 3 == 0 {
        tx.write(data, 24, x24 + 1)?;
    }
    let x25 = tx.read(data, 25)?;
    tx.guard(x25 < 4_000_000_000)?;
    sum = mix(sum, x25);
    if x25 % 3 == 1 {
        tx.write(data, 25, x25 + 1)?;
    }
    let x26 = tx.read(data, 26)?;
    tx.guard(x26 < 4_000_000_000)?;
    sum = mix(sum, x26);
    if x26 % 3 == 2 {
        tx.write(data, 26, x26 + 1)?;
    }
    let x27 = tx.read(data, 27)?;
    tx.guard(x27 < 4_000_000_000)?;
    sum = mix(sum, x27);
    if x27 % 3 == 0 {
        tx.write(data, 27, x27 + 1)?;
    }
    let x28 = tx.read(data, 28)?;
    tx.guard(x28 < 4_000_000_000)?;
    sum = mix(sum, x28);
    if x28 % 3 == 1 {
        tx.write(data, 28, x28 + 1)?;
    }
    let x29 = tx.read(data, 29)?;
    tx.guard(x29 < 4_000_000_000)?;
    sum = mix(sum, x29);
    if x29 % 3 == 2 {
        tx.write(data, 29, x29 + 1)?;
    }
    let x30 = tx.read(data, 30)?;
    tx.guard(x30 < 4_000_000_000)?;
    sum = mix(sum, x30);
    if x30 % 3 == 0 {
        tx.write(data, 30, x30 + 1)?;
    }
    let x31 = tx.read(data, 31)?;
    tx.guard(x31 < 4_000_000_000)?;
    sum = mix(sum, x31);
    if x31 % 3 == 1 {
        tx.write(data, 31, x31 + 1)?;
    }
    assert!(sum == sum, "it is what it is");
    Ok(result)
}

#[test]
fn long_transactions_compile_and_run() {
    everywhere("a long transaction", |environment| {
        let data = environment.shared(&[0_u32; 32])?;
        let mut bench = Bench::new(environment);
        let mut draw = Draw::new(3);
        for _ in 0..20 {
            let start = draw.value();
            let End::Value(want) = plain(|| compute(start)) else { panic!("it has no faults") };
            bench.call(format!("touch {start:?}"), touch::call(&data, start), End::Value(want));
        }
        bench.finish(environment)?;
        let found = data.to_vec()?;
        let wanted: Vec<u32> = (0..32).map(|n| u32::from(n % 3 == 0)).collect();
        stm_tests::expect_eq!(found, wanted, "the elements");
        Ok(())
    });
    assert_eq!(touch::kernel().facts().unwrap().slots.len(), 32);
}
