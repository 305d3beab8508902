//! Annotated functions on CPU threads: what a user writes, from the attribute to the report.

use stm_runtime::prelude::*;
use stm_runtime::{FaultCode, UnresolvedReason};

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

#[test]
fn the_kernel_shows_its_source() -> Result<(), Error> {
    let kernel = transfer::kernel();
    let source = kernel.cuda_source()?;
    assert!(source.contains("stm_run") && source.contains(kernel.cuda_body()?));
    assert_eq!(kernel.facts()?.footprint(), 2);
    assert!(kernel.facts()?.orderable, "the CPU engine looks ahead where addresses are known");
    Ok(())
}
