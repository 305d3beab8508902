//! Annotated functions on CPU threads: what a user writes, from the attribute to the report.

use stm_runtime::prelude::*;
use stm_runtime::{Engine, FaultCode, UnresolvedReason};

/// Moves `amount` once the funds are there.
#[gpu_transaction]
fn transfer(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult {
    let balance = tx.read(accounts, from)?;
    tx.guard(balance >= amount)?;
    tx.write(accounts, from, balance - amount)?;
    let target = tx.read(accounts, to)?;
    tx.write(accounts, to, target + amount)
}

/// The sum of `n` accounts.
#[gpu_transaction(max_accesses = 64)]
fn audit(tx: &mut Tx, accounts: &Shared<i64>, first: u32, n: u32) -> TxResult<i64> {
    let mut sum = 0;
    for i in first..first + n {
        sum += tx.read(accounts, i)?;
    }
    Ok(sum)
}

/// The larger half, or a reject.
#[gpu_transaction(overflow = "check")]
fn halve(tx: &mut Tx, accounts: &Shared<i64>, names: &Shared<u8>, at: usize, by: i64) -> TxResult<u8> {
    let name = tx.read(names, at)?;
    let old = tx.read(accounts, at)?;
    if old < 2 {
        return tx.reject(name as u32);
    }
    tx.write(accounts, at, old / by)?;
    tx.write(names, at, name + 1)?;
    Ok(name)
}

/// Adds one to each of `n` cells, twice: large sets, repeated reads, own writes.
#[gpu_transaction(max_accesses = 256, overflow = "wrap")]
fn bump(tx: &mut Tx, cells: &Shared<u32>, first: u32, n: u32) -> TxResult<u32> {
    let mut last = 0;
    for _round in 0..2_u32 {
        for i in first..first + n {
            last = tx.read(cells, i)? + 1;
            tx.write(cells, i, last)?;
        }
    }
    Ok(last)
}

#[test]
fn large_sets_work_under_contention_and_any_coverage() -> Result<(), Error> {
    for coverage in [1, 16, 256] {
        let device = Device::cpu(4);
        let cells = device.shared_with(&[0_u32; 200], coverage)?;
        let mut batch = device.batch();
        let mut wanted = vec![0_u32; 200];
        for i in 0..1500_u32 {
            let (first, n) = (i * 31 % 90, 1 + i * 7 % 110);
            batch.push(bump::call(&cells, first, n));
            wanted[first as usize..(first + n) as usize].iter_mut().for_each(|cell| *cell += 2);
        }
        let report = batch.run_with(&RunOptions::new().check(true))?;
        assert_eq!((report.committed, report.serializable()), (1500, Some(true)), "{report}");
        assert_eq!(cells.to_vec()?, wanted);
    }
    Ok(())
}

#[test]
fn a_bank_keeps_its_money_and_shows_it_in_every_audit() -> Result<(), Error> {
    let device = Device::cpu(3);
    let accounts = device.shared(&[100_i64; 50])?;
    let mut batch = device.batch();
    let mut audits = Vec::new();
    for i in 0..5000_u32 {
        let (from, to) = (i * 7 % 50, (i * 7 + 1 + i % 48) % 50);
        batch.push(transfer::call(&accounts, from, to, i64::from(i % 30)));
        if i % 50 == 0 {
            audits.push(batch.push(audit::call(&accounts, 0, 50)));
        }
    }
    let report = batch.run_with(&RunOptions::new().check(true))?;
    assert_eq!(report.serializable(), Some(true), "{report}");
    assert_eq!(accounts.to_vec()?.iter().sum::<i64>(), 5000);
    assert!(audits.into_iter().all(|ticket| report.outcome(ticket) == Outcome::Committed(5000)));
    Ok(())
}

#[test]
fn results_rejects_and_faults_come_back() -> Result<(), Error> {
    let device = Device::cpu(2);
    let accounts = device.shared(&[10_i64, 1, 7])?;
    let names = device.shared(b"a\x07c")?;
    let mut batch = device.batch();
    let fine = batch.push(halve::call(&accounts, &names, 0, 2));
    let poor = batch.push(halve::call(&accounts, &names, 1, 2));
    let fault = batch.push(halve::call(&accounts, &names, 2, 0));
    let nowhere = batch.push(halve::call(&accounts, &names, 3, 1));
    let never = batch.push(transfer::call(&accounts, 1, 0, 2));
    let report = batch.run()?;
    assert_eq!(report.outcome(fine), Outcome::Committed(b'a'));
    assert_eq!(report.outcome(poor), Outcome::Rejected(7));
    assert_eq!(report.outcome(never), Outcome::Unresolved(UnresolvedReason::GuardNeverHeld));
    let Outcome::Faulted(fault) = report.outcome(fault) else { panic!("{report}") };
    assert_eq!((fault.code, fault.procedure), (FaultCode::DivideByZero, "halve"));
    assert!(fault.file.ends_with("annotated.rs") && fault.text.contains("old / by"), "{fault}");
    let Outcome::Faulted(nowhere) = report.outcome(nowhere) else { panic!("{report}") };
    assert_eq!(nowhere.code, FaultCode::IndexOutOfRange);
    assert_eq!(accounts.to_vec()?, [5, 1, 7]);
    Ok(())
}

/// Swaps the balances of two neighbours, whose indices are computed, and returns the first one.
#[gpu_transaction]
fn swap(tx: &mut Tx, accounts: &Shared<i64>, pair: u32) -> TxResult<i64> {
    let first = tx.read(accounts, 2 * pair)?;
    let second = tx.read(accounts, 2 * pair + 1)?;
    tx.write(accounts, 2 * pair, second)?;
    tx.write(accounts, 2 * pair + 1, first)?;
    Ok(first)
}

/// Enough calls of several procedures, on enough accounts, that threads execute them procedure by procedure, and touch their elements before.
/// Calls are of six neighbouring accounts each, so that it is known what becomes of each.
#[test]
fn calls_of_several_procedures_keep_their_outcomes() -> Result<(), Error> {
    const CALLS: u32 = 24_000;
    let run = |device: Device, options: RunOptions, is_checked: bool| -> Result<(), Error> {
        let accounts = device.shared(&vec![100_i64; 6 * CALLS as usize])?;
        let names = device.shared(&vec![7_u8; 6 * CALLS as usize])?;
        let mut batch = device.batch();
        let (mut moved, mut halved, mut swapped) = (Vec::new(), Vec::new(), Vec::new());
        for at in 0..CALLS {
            let first = 6 * at;
            match at % 4 {
                // Each of these waits for the one after it.
                0 if at.is_multiple_of(40) => {
                    moved.push((batch.push(transfer::call(&accounts, first, first + 1, 150)), true));
                    moved.push((batch.push(transfer::call(&accounts, first + 2, first, 60)), true));
                }
                0 => moved.push((batch.push(transfer::call(&accounts, first, first + 1, 30)), true)),
                1 => moved.push((batch.push(transfer::call(&accounts, first, 6 * CALLS + at, 10)), false)),
                2 => {
                    let by = i64::from(at % 100 != 2) * 2;
                    halved.push((batch.push(halve::call(&accounts, &names, first as usize, by)), by != 0));
                }
                _ => swapped.push(batch.push(swap::call(&accounts, first / 2))),
            }
        }
        let report = batch.run_with(&options.check(is_checked))?;
        for (ticket, commits) in moved {
            let outcome = report.outcome(ticket);
            assert!(if commits { outcome == Outcome::Committed(()) } else { matches!(outcome, Outcome::Faulted(_)) });
        }
        for (ticket, commits) in halved {
            let outcome = report.outcome(ticket);
            assert!(if commits { outcome == Outcome::Committed(7) } else { matches!(outcome, Outcome::Faulted(_)) });
        }
        assert!(swapped.into_iter().all(|ticket| report.outcome(ticket) == Outcome::Committed(100)));
        let wanted = |at: u32| match at % 4 {
            0 if at.is_multiple_of(40) => [10, 250, 40],
            0 => [70, 130, 100],
            2 if at % 100 != 2 => [50, 100, 100],
            _ => [100, 100, 100],
        };
        let balances = accounts.to_vec()?;
        assert!((0..CALLS).all(|at| balances[6 * at as usize..][..3] == wanted(at)), "{report}");
        assert_eq!(report.serializable(), is_checked.then_some(true), "{report}");
        Ok(())
    };
    for is_checked in [false, true] {
        for threads in [1, 2, 5] {
            run(Device::cpu(threads), RunOptions::new(), is_checked)?;
            run(Device::cpu(threads), RunOptions::new().engine(Engine::PRIORITY), is_checked)?;
        }
    }
    Ok(())
}

#[test]
fn the_kernel_shows_its_source() -> Result<(), Error> {
    let kernel = transfer::kernel();
    let source = kernel.cuda_source()?;
    assert!(source.contains("stm_run") && source.contains(kernel.cuda_body()?));
    assert_eq!(kernel.facts()?.footprint(), 2);
    assert!(kernel.facts()?.orderable, "the CPU engine looks ahead where addresses are known");
    Ok(())
}
