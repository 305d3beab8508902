//! The outcome of push order is the same on every device and in each run, and is that of the definition.

use stm_runtime::prelude::*;
use stm_runtime::{EmulatorOptions, Order, Outcome, Report, Ticket, UnresolvedReason};
use stm_tests::draw::Draw;
use stm_tests::procedures::guards::pass_on;
use stm_tests::skip::skipped;

/// Where the transactions work: accounts, and the number whose turn it is.
struct World {
    accounts: Vec<i64>,
    turns: Vec<u32>,
}

const ACCOUNTS: usize = 6;
const TURNS: usize = 3;
/// So many elements that a transaction that reads all waits for any change.
const MANY: usize = 40;

/// Moves an amount once it is there, and returns what is left. Refuses to empty an account.
#[gpu_transaction]
fn pay(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult<i64> {
    let balance = tx.read(accounts, from)?;
    tx.guard(balance >= amount)?;
    if balance == amount {
        return tx.reject(7);
    }
    tx.write(accounts, from, balance - amount)?;
    let target = tx.read(accounts, to)?;
    tx.write(accounts, to, target + amount)?;
    Ok(balance - amount)
}

/// Takes its turn, and says what it found on the account.
#[gpu_transaction]
fn take_turn(tx: &mut Tx, turns: &Shared<u32>, accounts: &Shared<i64>, at: u32, number: u32) -> TxResult<i64> {
    let now = tx.read(turns, at)?;
    tx.guard(now == number)?;
    tx.write(turns, at, now + 1)?;
    tx.read(accounts, at)
}

/// Waits until the sum of many elements is large enough.
#[gpu_transaction(max_accesses = 41)]
fn collect(tx: &mut Tx, many: &Shared<i64>, least: i64) -> TxResult<i64> {
    let mut sum = 0;
    for at in 0..40 {
        sum += tx.read(many, at)?;
    }
    tx.guard(sum >= least)?;
    tx.write(many, 0, 0)?;
    Ok(sum)
}

/// Adds one.
#[gpu_transaction]
fn add(tx: &mut Tx, many: &Shared<i64>, at: u32) -> TxResult<i64> {
    let now = tx.read(many, at)?;
    tx.write(many, at, now + 1)?;
    Ok(now)
}

#[derive(Debug, Clone, Copy)]
enum Call {
    Pay(usize, usize, i64),
    Turn(usize, u32),
    Collect(i64),
    Add(usize),
}

/// Returns what a call does to the arrays at its turn; `None` where it waits.
fn step(call: Call, world: &mut World, many: &mut [i64]) -> Option<Outcome<i64>> {
    match call {
        Call::Pay(from, to, amount) => {
            let balance = world.accounts[from];
            if balance < amount {
                return None;
            }
            if balance == amount {
                return Some(Outcome::Rejected(7));
            }
            world.accounts[from] -= amount;
            world.accounts[to] += amount;
            Some(Outcome::Committed(balance - amount))
        }
        Call::Turn(at, number) => {
            if world.turns[at] != number {
                return None;
            }
            world.turns[at] += 1;
            Some(Outcome::Committed(world.accounts[at]))
        }
        Call::Collect(least) => {
            let sum: i64 = many.iter().sum();
            (sum >= least).then(|| {
                many[0] = 0;
                Outcome::Committed(sum)
            })
        }
        Call::Add(at) => {
            many[at] += 1;
            Some(Outcome::Committed(many[at] - 1))
        }
    }
}

/// Returns what push order means: all that wait, in order, round after round, as long as something commits.
fn by_definition(calls: &[Call], world: &mut World, many: &mut [i64]) -> Vec<Option<Outcome<i64>>> {
    let mut outcomes = vec![None; calls.len()];
    loop {
        let mut has_changed = false;
        for (call, outcome) in calls.iter().zip(&mut outcomes).filter(|(_, outcome)| outcome.is_none()) {
            *outcome = step(*call, world, many);
            has_changed |= matches!(outcome, Some(Outcome::Committed(_)));
        }
        if !has_changed {
            return outcomes;
        }
    }
}

fn drawn(draw: &mut Draw, n: usize) -> Vec<Call> {
    let mut next = [0; TURNS];
    let mut calls: Vec<Call> = (0..n)
        .map(|_| match draw.below(8) {
            0..3 => Call::Pay(draw.below(ACCOUNTS), draw.below(ACCOUNTS), draw.below(160) as i64),
            3..6 => {
                let at = draw.below(TURNS);
                next[at] += 1;
                Call::Turn(at, next[at] - 1)
            }
            6 => Call::Collect(draw.below(30) as i64),
            _ => Call::Add(draw.below(MANY)),
        })
        .collect();
    for at in (1..n).rev() {
        calls.swap(at, draw.below(at + 1));
    }
    calls
}

/// Runs the calls in push order. Returns the report, the outcomes, and the elements of all arrays.
fn run(device: &Device, calls: &[Call], options: &RunOptions) -> (Report, Vec<Outcome<i64>>, String) {
    let accounts = device.shared(&[100_i64; ACCOUNTS]).expect("room for accounts");
    let turns = device.shared(&[0_u32; TURNS]).expect("room for numbers");
    let many = device.shared(&[0_i64; MANY]).expect("room for numbers");
    let mut batch = device.batch();
    let tickets: Vec<Ticket<i64>> = calls
        .iter()
        .map(|call| match *call {
            Call::Pay(from, to, amount) => batch.push(pay::call(&accounts, from as u32, to as u32, amount)),
            Call::Turn(at, number) => batch.push(take_turn::call(&turns, &accounts, at as u32, number)),
            Call::Collect(least) => batch.push(collect::call(&many, least)),
            Call::Add(at) => batch.push(add::call(&many, at as u32)),
        })
        .collect();
    let report = batch.run_with(options).expect("the batch should run");
    let outcomes = tickets.iter().map(|ticket| report.outcome(*ticket)).collect();
    let left = format!("{:?} {:?} {:?}", accounts.to_vec(), turns.to_vec(), many.to_vec());
    (report, outcomes, left)
}

/// Returns the devices of this machine with their names.
fn devices() -> Vec<(String, Device)> {
    let mut devices = vec![Device::cpu(1), Device::cpu(4), Device::cpu_seeded(3, 5)];
    let emulated = [EmulatorOptions::fibers(3), EmulatorOptions { plan: Some(2), ..EmulatorOptions::threads() }];
    for options in emulated {
        match Device::emulated(options) {
            Ok(device) => devices.push(device),
            Err(why) => skipped("push order on an emulated device", &why.to_string()),
        }
    }
    match Device::cuda(0) {
        Ok(device) => devices.push(device),
        Err(why) => skipped("push order on a GPU", &why.to_string()),
    }
    devices.into_iter().map(|device| (device.to_string(), device)).collect()
}

fn pushed() -> RunOptions {
    RunOptions::new().order(Order::Pushed)
}

#[test]
fn every_device_has_the_outcome_of_the_definition() {
    let devices = devices();
    for (seed, n) in [(1, 40), (2, 300), (3, 300), (4, 1200)] {
        let calls = drawn(&mut Draw::new(seed), n);
        let (mut world, mut many) = (World { accounts: vec![100; ACCOUNTS], turns: vec![0; TURNS] }, vec![0; MANY]);
        let waiting = Outcome::Unresolved(UnresolvedReason::GuardNeverHeld);
        let expected = by_definition(&calls, &mut world, &mut many);
        let expected: Vec<Outcome<i64>> = expected.into_iter().map(|one| one.unwrap_or(waiting.clone())).collect();
        let left = format!(
            "{:?} {:?} {:?}",
            Ok::<_, Error>(world.accounts),
            Ok::<_, Error>(world.turns),
            Ok::<_, Error>(many)
        );
        for (name, device) in &devices {
            for check in [false, true] {
                let (report, outcomes, found) = run(device, &calls, &pushed().check(check));
                let first = outcomes.iter().zip(&expected).position(|(got, want)| got != want);
                assert_eq!(
                    first,
                    None,
                    "{name}, seed {seed}, {:?}: {report}",
                    first.map(|at| (calls[at], &outcomes[at], &expected[at]))
                );
                assert_eq!(found, left, "{name}, seed {seed}");
                assert_eq!(report.serializable(), check.then_some(true), "{report}");
            }
        }
    }
}

#[test]
fn a_limit_on_the_rounds_ends_all_devices_at_the_same_place() {
    let calls = drawn(&mut Draw::new(9), 400);
    let mut all = Vec::new();
    for (name, device) in devices() {
        for check in [false, true] {
            let (report, outcomes, left) = run(&device, &calls, &pushed().pass_limit(3).check(check));
            assert!(report.passes <= 3 && report.unresolved > 0, "{name}: {report}");
            assert_eq!(report.serializable(), check.then_some(true), "{report}");
            all.push((outcomes, left));
        }
    }
    assert!(all.iter().all(|one| *one == all[0]));
}

#[test]
fn a_chain_of_guards_costs_its_length_whatever_the_number_of_rounds() {
    let (device, n) = (Device::cpu(1), 20_000);
    let mut places = vec![0_u32; n as usize + 1];
    places[0] = 1;
    let flags = device.shared(&places).expect("room for flags");
    let mut batch = device.batch();
    (0..n).rev().for_each(|from| _ = batch.push(pass_on::call(&flags, from, from + 1)));
    let report = batch.run_with(&pushed()).expect("the batch should run");
    assert_eq!((report.committed, report.passes), (u64::from(n), u64::from(n)), "{report}");
    assert!(report.postponements < 3 * u64::from(n), "{report}");
}

#[test]
fn an_engine_does_not_keep_the_order() {
    let device = Device::cpu(2);
    let numbers = device.shared(&[0_i64]).expect("room for a number");
    let mut batch = device.batch();
    batch.push(add::call(&numbers, 0));
    for engine in ["priority", "serial", "auto"] {
        let options = pushed().engine(Selection::try_from(engine).expect("a known name"));
        let refused = batch.run_with(&options).expect_err("no engine keeps it");
        assert!(refused.to_string().contains("leave the engine to the plan"), "{refused}");
    }
    assert_eq!(batch.run_with(&pushed()).expect("the plan keeps it").committed, 1);
}
