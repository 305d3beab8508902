//! Attributes for lints, comments, and unused functions: expansions trigger only the lints of the user's own code.

use stm_runtime::prelude::*;

/// An unused function with an allowance.
#[allow(dead_code)]
#[gpu_fn]
fn unused(x: u32) -> u32 {
    x
}

/// Is documented and `pub`, with attributes on statements and expressions.
#[gpu_transaction(max_accesses = 8, overflow = "wrap")]
#[expect(clippy::many_single_char_names, reason = "there are many")]
fn lints(tx: &mut Tx, data: &Shared<u32>, a: u32, b: u32) -> TxResult<u32> {
    // A comment.
    #[allow(unused_variables, reason = "for the test")]
    let c = a;
    /* Another. */
    #[expect(unused_mut)]
    let mut d = b;
    #[rustfmt::skip]
    let e = [a, b,
             d];
    #[allow(clippy::needless_range_loop)]
    for i in 0..e.len() {
        tx.write(data, i, e[i])?;
    }
    let mut f = 0;
    #[allow(clippy::while_let_loop)]
    loop {
        let Some(g) = a.checked_sub(f) else { break };
        f += 1 + g / 2;
    }
    match a {
        #[allow(clippy::match_same_arms)]
        0 => Ok(f),
        1 => Ok(f),
        _ => tx.reject(1),
    }
}

#[gpu_fn]
fn never_called_with_a_handle(tx: &mut Tx, data: &Shared<u32>) -> TxResult {
    tx.write(data, 0, 1)
}

/// Uses the constructs that expand to longer code: arguments of verbs, several places, loops over arrays.
#[gpu_fn]
fn written_out(tx: &mut Tx, data: &Shared<u32>, list: [u32; 2]) -> TxResult<u32> {
    let (mut a, mut b) = (tx.read(data, tx.read(data, data.len() - 1)?)?, 1);
    (a, b) = (b, a);
    for (i, &x) in list.iter().enumerate() {
        (b, _) = (b + x / 2, i);
    }
    for x in &list {
        a += x.pow(2);
    }
    for x in list {
        never_called_with_a_handle(tx, data)?;
        tx.write(data, x, tx.read(data, a % 3)? + plain(b))?;
    }
    Ok(a)
}

#[gpu_fn]
fn plain(b: u32) -> u32 {
    let (mut b, mut c) = (b, 1);
    (c, b) = (b, c);
    b + c
}

/// Has literals with digit groups and without type suffixes.
#[gpu_fn]
fn groups(a: u64, b: f64) -> u64 {
    let mixed = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0b1010_0101 | 0o1234_5670;
    mixed / 1_000_000 + (b * 1_234.567_8) as u64 + (b * 123_456.0) as u64 + 100_000_000_000
}

#[gpu_transaction]
fn calls_written_out(tx: &mut Tx, data: &Shared<u32>, list: [u32; 2]) -> TxResult<u32> {
    let (mut a, mut b) = (written_out(tx, data, list)?, 0);
    (b, a) = (a, b);
    Ok(a + b + groups(0x1234_5678_9abc_def0, 0.0) as u32 - groups(0x1234_5678_9abc_def0, 0.0) as u32)
}

#[gpu_transaction(instantiate(u32, f64))]
#[allow(dead_code)]
fn generic<T>(tx: &mut Tx, data: &Shared<T>, value: T) -> TxResult {
    tx.write(data, 0, value)
}

#[test]
fn attributes_stay_where_they_are() -> Result<(), Error> {
    let device = Device::cpu(1);
    let (data, zeros) = (device.shared(&[0_u32; 3])?, device.shared(&[0_u32; 3])?);
    let mut batch = device.batch();
    let ticket = batch.push(lints::call(&data, 1, 5));
    let other = batch.push(generic::<u32>::call(&data, 8));
    let third = batch.push(calls_written_out::call(&zeros, [0, 1]));
    let report = batch.run()?;
    assert!(matches!(report.outcome(third), Outcome::Committed(2)));
    assert!(matches!(report.outcome(ticket), Outcome::Committed(2)));
    assert!(matches!(report.outcome(other), Outcome::Committed(())));
    let kept: fn(&mut Tx<'_>, &Shared<u32>) -> TxResult = never_called_with_a_handle;
    let _ = kept;
    Ok(())
}
