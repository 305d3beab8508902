//! Integer overflow with `wrap`, and the same as a fault: the mode of the transaction also applies to the functions that it
//! calls.

use stm_runtime::FaultCode;
use stm_runtime::prelude::*;
use stm_tests::draw::Draw;

use crate::harness::{Bench, CALLS, End, Panic, everywhere};

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Pair {
    low: u8,
    high: i16,
}

#[gpu_fn]
fn sum(pair: Pair, by: u8) -> Pair {
    Pair { low: pair.low + by, high: -pair.high * 2 }
}

#[gpu_fn]
fn shifted(pair: Pair, by: u32) -> u8 {
    pair.low << by
}

macro_rules! both {
    ($($mode:literal $name:ident;)*) => {$(
        #[gpu_transaction(overflow = $mode)]
        fn $name(_tx: &mut Tx, pair: Pair, by: u8, shift: u32) -> TxResult<(Pair, [u8; 2])> {
            let mut list = [pair.low, by];
            list[0] -= by;
            list[1] = shifted(pair, shift);
            Ok((sum(pair, by), list))
        }
    )*};
}

both! { "wrap" wrap; "check" check; }

fn wrapped(pair: Pair, by: u8, shift: u32) -> (Pair, [u8; 2]) {
    let sum = Pair { low: pair.low.wrapping_add(by), high: pair.high.wrapping_neg().wrapping_mul(2) };
    (sum, [pair.low.wrapping_sub(by), pair.low.wrapping_shl(shift)])
}

fn checked(pair: Pair, by: u8, shift: u32) -> Option<(Pair, [u8; 2])> {
    let low = pair.low.checked_sub(by)?;
    let shifted = pair.low.checked_shl(shift)?;
    let sum = Pair { low: pair.low.checked_add(by)?, high: pair.high.checked_neg()?.checked_mul(2)? };
    Some((sum, [low, shifted]))
}

#[test]
fn overflow_does_what_the_attribute_says() {
    everywhere("overflow", |environment| {
        let mut bench = Bench::new(environment);
        let mut draw = Draw::new(11);
        for _ in 0..2 * CALLS {
            let (pair, by, shift): (Pair, u8, u32) = draw.value();
            let what = |mode: &str| format!("{mode} {pair:?} {by} {shift}");
            bench.call(what("wrap"), wrap::call(pair, by, shift), End::Value(wrapped(pair, by, shift)));
            let codes = vec![FaultCode::Overflow, FaultCode::ShiftTooFar];
            let fault = Panic { codes, line: None, file: String::new() };
            let want = checked(pair, by, shift).map_or(End::Fault(fault), End::Value);
            bench.call(what("check"), check::call(pair, by, shift), want);
        }
        bench.finish(environment)
    });
}
