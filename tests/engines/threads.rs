//! CPU threads keep locks and versions of records, unless each field has its own, and none of what a batch only reads.

use stm_runtime::prelude::*;
use stm_tests::procedures::constants::{Shop, buy, raise_prices, sum_of_prices};
use stm_tests::procedures::records::{Purses, move_over, move_whole, see_purses};
use stm_tests::{Backend, Environment};

const START: Purses = Purses { left: 500, right: 500, moves: 0, to_left: false };

fn seeded(seed: u64) -> Environment {
    Environment::new(Backend::CpuSeeded { seed }, Engine::default()).expect("CPU threads are everywhere")
}

fn checked(environment: &Environment, batch: &Batch) -> Report {
    let report = environment.run_with(batch, &environment.options().check(true)).expect("the run should end");
    assert_eq!((report.faulted, report.serializable()), (0, Some(true)), "{report}");
    report
}

#[test]
fn runs_on_records_are_proved() {
    for environment in [seeded(7), Environment::new(Backend::Cpu, Engine::default()).expect("CPU threads")] {
        let device = &environment.device;
        for purses in
            [device.shared(&[START; 3]), device.shared_by_field(&[START; 3]), device.shared_with(&[START; 3], 2)]
        {
            let purses = purses.expect("room for purses");
            let mut batch = environment.batch();
            for at in 0..100 {
                batch.push(move_over::call(&purses, at % 3, 1));
                batch.push(move_whole::call(&purses, at / 2 % 3, -1));
                batch.push(see_purses::call(&purses, at % 3));
            }
            assert_eq!(checked(&environment, &batch).committed, 300);
        }
    }
}

#[test]
fn lock_words_are_those_of_what_a_batch_writes() {
    let environment = seeded(1);
    let of_purses = |purses: Result<Shared<Purses>, stm_runtime::Error>| {
        let mut batch = environment.batch();
        batch.push(move_whole::call(&purses.expect("room for purses"), 0, 1));
        checked(&environment, &batch).memory.locks
    };
    let device = &environment.device;
    assert_eq!(of_purses(device.shared(&[START; 64])), 8 * 64);
    assert_eq!(of_purses(device.shared_by_field(&[START; 64])), 4 * 8 * 64);
    assert_eq!(of_purses(device.shared_with(&[START; 64], 4)), 8 * 16);

    let prices: Shared<i64> = environment.shared(&[10; 64]).expect("room for prices");
    let shops = environment.shared(&[Shop { tax: 10, sold: 0, open: true }; 4]).expect("room for shops");
    let mut batch = environment.batch();
    for at in 0..20 {
        batch.push(buy::call(&prices, &shops, at, at % 4));
        batch.push(sum_of_prices::call(&prices, 8));
    }
    assert_eq!(checked(&environment, &batch).memory.locks, 8 * 4, "only the sums of shops are written");
    batch.push(raise_prices::call(&prices, 8, 1));
    assert_eq!(checked(&environment, &batch).memory.locks, 8 * 4 + 8 * 64);
}

/// Reads the tax of a shop, and then works on cells of its own for a while.
#[gpu_transaction]
fn tax_of(tx: &mut Tx, shops: &Shared<Shop>, cells: &Shared<u8>, own: u32) -> TxResult<i16> {
    let tax = tx.read(&shops.tax, 0)?;
    for k in 0..8 {
        tx.update(cells, 8 * own + k, |cell| cell + 1)?;
    }
    Ok(tax)
}

#[gpu_transaction]
fn sell(tx: &mut Tx, shops: &Shared<Shop>, cost: i64) -> TxResult {
    tx.update(&shops.sold, 0, |sold| sold + cost)
}

/// May write the tax, as far as anyone knows before it runs.
#[gpu_transaction]
fn raise_tax(tx: &mut Tx, shops: &Shared<Shop>, by: i16) -> TxResult {
    if by > 0 {
        tx.update(&shops.tax, 0, |tax| tax + by)?;
    }
    Ok(())
}

/// Returns the conflicts of transactions that read the tax of a shop while others write its sum. No transaction writes the tax;
/// `may_raise` says whether one of their procedures could.
fn conflicts(shops: impl Fn(&Device, &[Shop]) -> Result<Shared<Shop>, Error>, may_raise: bool) -> u64 {
    let mut conflicts = 0;
    for environment in (1..=3).map(seeded) {
        let shops = shops(&environment.device, &[Shop { tax: 10, sold: 0, open: true }]).expect("room for a shop");
        let cells: Shared<u8> = environment.device.shared(&[0; 8 * 40]).expect("room for cells");
        let mut batch = environment.batch();
        let mut taxes = Vec::new();
        for own in 0..40 {
            taxes.push(batch.push(tax_of::call(&shops, &cells, own)));
            batch.push(sell::call(&shops, 3));
        }
        if may_raise {
            batch.push(raise_tax::call(&shops, 0));
        }
        let options = environment.options().check(true).profile(true);
        let report = environment.run_with(&batch, &options).expect("the run should end");
        assert_eq!(report.serializable(), Some(true), "{report}");
        assert!(taxes.into_iter().all(|ticket| report.outcome(ticket) == Outcome::Committed(10)), "{report}");
        assert_eq!(shops.to_vec().expect("the shop")[0].sold, 120);
        let of_taxes = report.conflict_locations.iter().filter(|location| location.procedure == "tax_of");
        conflicts += of_taxes.map(|location| location.conflicts).sum::<u64>();
    }
    conflicts
}

#[test]
fn fields_of_a_record_conflict_unless_each_has_a_lock_word() {
    assert!(conflicts(Device::shared, true) > 0, "the fields have one lock word");
    assert_eq!(conflicts(Device::shared_by_field, true), 0, "each field has a lock word");
}

#[test]
fn a_field_that_no_procedure_writes_is_read_without_conflicts() {
    assert_eq!(conflicts(Device::shared, false), 0);
}
