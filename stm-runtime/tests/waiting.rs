//! Guards that wait for each other on CPU threads: every transaction that can continue does, and useless attempts stay in
//! proportion.

mod support;

use stm_runtime::prelude::*;
use stm_runtime::{Report, UnresolvedReason};
use support::Random;
use support::waiting::{hand_on, put, shuffled, take, take_turn};

/// Sets a mark, once `n` others from `first` on are set.
#[gpu_transaction(max_accesses = 64)]
fn follow(tx: &mut Tx, marks: &Shared<u32>, first: u32, n: u32, own: u32) -> TxResult {
    let mut missing = 0;
    for at in first..first + n {
        if tx.read(marks, at)? == 0 {
            missing += 1;
        }
    }
    tx.guard(missing == 0)?;
    tx.write(marks, own, 1)
}

/// Returns the devices with their names: threads, more threads than cores, threads that take turns, one at a time.
fn devices() -> [(&'static str, Device); 5] {
    let serial = Device::cpu(1).with_engine("serial").unwrap();
    [
        ("one thread", Device::cpu(1)),
        ("two threads", Device::cpu(2)),
        ("seven threads", Device::cpu(7)),
        ("two in turns", Device::cpu_seeded(2, 3)),
        ("serial", serial),
    ]
}

/// Returns the number of transactions for a device: those with threads that take turns are slow.
fn transactions(name: &str, many: u32) -> u32 {
    if name == "two in turns" { many / 100 } else { many }
}

/// Checks that everything committed, with at most `false_guards` false guards for each transaction.
fn expect_all(name: &str, report: &Report, false_guards: u64) {
    assert_eq!((report.committed, report.unresolved), (report.transactions, 0), "{name}: {report}");
    assert!(report.postponements <= false_guards * report.transactions, "{name}: {report}");
}

#[test]
fn a_chain_costs_its_length_in_whatever_order_it_is_pushed() {
    for (name, device) in devices() {
        let n = transactions(name, 20_000);
        for order in [(0..n).rev().collect(), shuffled(n)] {
            let mut here = vec![0_u32; n as usize + 1];
            here[0] = 1;
            let batons = device.shared(&here).unwrap();
            let mut batch = device.batch();
            order.iter().for_each(|from| _ = batch.push(hand_on::call(&batons, *from)));
            expect_all(name, &batch.run().unwrap(), 4);
            assert_eq!(batons.to_vec().unwrap()[n as usize], 1);
        }
    }
}

#[test]
fn many_that_wait_for_one_element_find_whose_turn_it_is() {
    for (name, device) in devices() {
        let n = transactions(name, 20_000);
        for order in [(0..n).collect::<Vec<_>>(), (0..n).rev().collect()] {
            let counter = device.shared(&[0_u32]).unwrap();
            let mut batch = device.batch();
            order.iter().for_each(|number| _ = batch.push(take_turn::call(&counter, *number)));
            // Threads that reach it in no order make some more attempts; the square would be 10,000 times as many.
            expect_all(name, &batch.run().unwrap(), 300);
            assert_eq!(counter.to_vec().unwrap(), [n]);
        }
    }
}

#[test]
fn producers_and_consumers_one_behind_the_other_take_turns() {
    for (name, device) in devices() {
        let n = transactions(name, 20_000);
        for puts_first in [true, false] {
            let (ends, places) = (device.shared(&[0_u64; 2]).unwrap(), device.shared(&[0_u64; 64]).unwrap());
            let mut batch = device.batch();
            for transaction in 0..n {
                if (transaction < n / 2) == puts_first {
                    batch.push(put::call(&ends, &places, 1));
                } else {
                    batch.push(take::call(&ends, &places));
                }
            }
            expect_all(name, &batch.run().unwrap(), 60);
            assert_eq!(ends.to_vec().unwrap(), [u64::from(n / 2); 2]);
        }
    }
}

/// Marks that follow from others: each from a few before it, in any order of transactions.
fn fill(batch: &mut stm_runtime::Batch, marks: &Shared<u32>, n: u32, most: u32, random: &mut Random) {
    for own in shuffled(n) {
        let count = if own == 0 { 0 } else { 1 + random.below(most.min(own)) };
        let first = if own == 0 { 0 } else { random.below(own - count + 1) };
        batch.push(follow::call(marks, first, count, own));
    }
}

#[test]
fn no_wake_up_is_lost() {
    for (name, device) in devices() {
        for seed in 0..4 {
            // Many elements, and elements that share lock words; fewer and more reads than the limit on watched elements.
            for (coverage, most, many) in [(1, 3, 2000), (8, 3, 2000), (1, 60, 400)] {
                let n = transactions(name, many).max(64);
                let mut random = Random::new(100 + seed);
                let marks = device.shared_with(&vec![0_u32; n as usize], coverage).unwrap();
                let mut batch = device.batch();
                fill(&mut batch, &marks, n, most, &mut random);
                let report = batch.run_with(&RunOptions::new().check(true).seed(seed)).unwrap();
                assert_eq!((report.committed, report.serializable()), (u64::from(n), Some(true)), "{name}: {report}");
            }
        }
    }
}

#[test]
fn an_end_is_found_where_some_wait_for_ever() {
    for (name, device) in devices() {
        let n = transactions(name, 3000).max(64);
        let marks = device.shared(&vec![0_u32; n as usize + 1]).unwrap();
        let mut batch = device.batch();
        fill(&mut batch, &marks, n, 3, &mut Random::new(9));
        // A mark that no transaction sets, for one transaction, for others, and for many at once.
        let never: Vec<_> = (0..40).map(|k| batch.push(follow::call(&marks, n - k, 1 + k, n))).collect();
        let report = batch.run_with(&RunOptions::new().check(true)).unwrap();
        assert_eq!((report.committed, report.unresolved), (u64::from(n), 40), "{name}: {report}");
        assert_eq!(report.serializable(), Some(true), "{name}: {report}");
        let waits = |ticket| report.outcome(ticket) == Outcome::Unresolved(UnresolvedReason::GuardNeverHeld);
        assert!(never.into_iter().all(waits), "{name}");
    }
}

#[test]
fn a_pass_limit_is_how_often_a_transaction_is_taken_up() {
    for (name, device) in devices() {
        let (n, counter) = (transactions(name, 2000).max(100), device.shared(&[0_u32]).unwrap());
        let mut batch = device.batch();
        shuffled(n).iter().for_each(|number| _ = batch.push(take_turn::call(&counter, *number)));
        let report = batch.run_with(&RunOptions::new().pass_limit(3)).unwrap();
        assert!(report.passes <= 3 && report.unresolved > 0, "{name}: {report}");
        assert!(report.postponements <= 3 * u64::from(n), "{name}: {report}");
        assert!(
            report.unresolved_transactions.iter().all(|transaction| transaction.reason == UnresolvedReason::PassLimit),
            "{name}: {report}"
        );
        assert_eq!(u64::from(counter.to_vec().unwrap()[0]), report.committed);
    }
}
