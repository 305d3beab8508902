//! The outcome of push order is the same on every device and in each run, and is that of the definition.

use stm_runtime::prelude::*;
use stm_runtime::report::Algorithm;
use stm_runtime::{EmulatorOptions, Engine, Order, Outcome, Report, Ticket};
use stm_tests::draw::Draw;
use stm_tests::procedures::guards::pass_on;
use stm_tests::skip::{emulated, skipped};

/// Where the transactions work: accounts, the numbers whose turn it is, and many others.
struct World {
    accounts: Vec<i64>,
    turns: Vec<u32>,
    many: Vec<i64>,
}

impl World {
    fn new() -> World {
        World { accounts: vec![100; ACCOUNTS], turns: vec![0; TURNS], many: vec![0; MANY] }
    }
}

const ACCOUNTS: usize = 6;
const TURNS: usize = 3;
/// A transaction that reads all of them waits for any change.
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

/// Returns the balance of the account whose turn it is, found on the way.
#[gpu_transaction]
fn look(tx: &mut Tx, turns: &Shared<u32>, accounts: &Shared<i64>, at: u32) -> TxResult<i64> {
    let now = tx.read(turns, at)?;
    tx.read(accounts, now % 6)
}

/// Adds to two elements again and again, with fewer elements than accesses.
#[gpu_transaction(max_accesses = 3)]
fn add_often(tx: &mut Tx, many: &Shared<i64>, at: u32, times: u32) -> TxResult<i64> {
    let mut last = 0;
    for nth in 0..times {
        last = tx.read(many, at + nth % 2)?;
        tx.write(many, at + nth % 2, last + 1)?;
    }
    Ok(last)
}

/// Adds one.
#[gpu_transaction]
fn add(tx: &mut Tx, many: &Shared<i64>, at: u32) -> TxResult<i64> {
    let now = tx.read(many, at)?;
    tx.write(many, at, now + 1)?;
    Ok(now)
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Call {
    Pay(usize, usize, i64),
    Turn(usize, u32),
    Collect(i64),
    Add(usize),
    Look(usize),
    AddOften(usize, u32),
}

/// How a transaction ends.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Committed(i64),
    Rejected(u32),
    Faulted,
    Waits,
}

impl From<Outcome<i64>> for End {
    fn from(outcome: Outcome<i64>) -> End {
        match outcome {
            Outcome::Committed(value) => End::Committed(value),
            Outcome::Rejected(code) => End::Rejected(code),
            Outcome::Faulted(_) => End::Faulted,
            Outcome::Unresolved(_) => End::Waits,
        }
    }
}

/// Returns what a call does to the arrays at its turn.
fn step(call: Call, world: &mut World) -> End {
    match call {
        Call::Pay(from, to, amount) => match world.accounts[from] {
            balance if balance < amount => End::Waits,
            balance if balance == amount => End::Rejected(7),
            _ if to == ACCOUNTS => End::Faulted,
            balance => {
                world.accounts[from] -= amount;
                world.accounts[to] += amount;
                End::Committed(balance - amount)
            }
        },
        Call::Turn(at, number) if world.turns[at] != number => End::Waits,
        Call::Turn(at, _) => {
            world.turns[at] += 1;
            End::Committed(world.accounts[at])
        }
        Call::Collect(least) => match world.many.iter().sum() {
            sum if sum < least => End::Waits,
            sum => {
                world.many[0] = 0;
                End::Committed(sum)
            }
        },
        Call::Add(at) => {
            world.many[at] += 1;
            End::Committed(world.many[at] - 1)
        }
        Call::Look(at) => End::Committed(world.accounts[world.turns[at] as usize % ACCOUNTS]),
        Call::AddOften(at, times) => {
            (0..times as usize).for_each(|nth| world.many[at + nth % 2] += 1);
            End::Committed(if times == 0 { 0 } else { world.many[at + (times as usize - 1) % 2] - 1 })
        }
    }
}

/// Returns what push order means: all that wait, in order, round after round, as long as something commits.
fn by_definition(calls: &[Call], world: &mut World) -> Vec<End> {
    let mut ends = vec![End::Waits; calls.len()];
    loop {
        let mut has_changed = false;
        for (call, end) in calls.iter().zip(&mut ends).filter(|(_, end)| **end == End::Waits) {
            *end = step(*call, world);
            has_changed |= matches!(end, End::Committed(_));
        }
        if !has_changed {
            return ends;
        }
    }
}

fn drawn(draw: &mut Draw, n: usize) -> Vec<Call> {
    let mut next = [0; TURNS];
    let mut calls: Vec<Call> = (0..n)
        .map(|_| match draw.below(10) {
            0..3 => Call::Pay(draw.below(ACCOUNTS), draw.below(ACCOUNTS + 1), 10 * draw.below(16) as i64),
            3..6 => {
                let at = draw.below(TURNS);
                next[at] += 1;
                Call::Turn(at, next[at] - 1)
            }
            6 => Call::Collect(draw.below(30) as i64),
            7 => Call::Look(draw.below(TURNS)),
            _ => Call::Add(draw.below(MANY)),
        })
        .collect();
    for at in (1..n).rev() {
        calls.swap(at, draw.below(at + 1));
    }
    calls
}

/// Runs the calls. Returns the report, how each ended, and the elements of all arrays.
fn run(device: &Device, calls: &[Call], options: &RunOptions) -> (Report, Vec<End>, String) {
    let World { accounts, turns, many } = World::new();
    let accounts = device.shared(&accounts).expect("room for accounts");
    let turns = device.shared(&turns).expect("room for numbers");
    let many = device.shared(&many).expect("room for numbers");
    let mut batch = device.batch();
    let tickets: Vec<Ticket<i64>> = calls
        .iter()
        .map(|call| match *call {
            Call::Pay(from, to, amount) => batch.push(pay::call(&accounts, from as u32, to as u32, amount)),
            Call::Turn(at, number) => batch.push(take_turn::call(&turns, &accounts, at as u32, number)),
            Call::Collect(least) => batch.push(collect::call(&many, least)),
            Call::Add(at) => batch.push(add::call(&many, at as u32)),
            Call::Look(at) => batch.push(look::call(&turns, &accounts, at as u32)),
            Call::AddOften(at, times) => batch.push(add_often::call(&many, at as u32, times)),
        })
        .collect();
    let report = batch.run_with(options).expect("the batch should run");
    let ends = tickets.iter().map(|ticket| report.outcome(*ticket).into()).collect();
    let elements = |array: Result<Vec<i64>, Error>| array.expect("an array can be read");
    let left = format!(
        "{:?} {:?} {:?}",
        elements(accounts.to_vec()),
        turns.to_vec().expect("as well"),
        elements(many.to_vec())
    );
    (report, ends, left)
}

/// Runs the calls in push order on a device, and compares everything with the definition.
fn expect_definition(name: &str, device: &Device, calls: &[Call], options: &RunOptions) -> Report {
    let mut world = World::new();
    let expected = by_definition(calls, &mut world);
    let left = format!("{:?} {:?} {:?}", world.accounts, world.turns, world.many);
    let (report, ends, found) = run(device, calls, options);
    let other = (0..calls.len()).find(|at| ends[*at] != expected[*at]);
    let other = other.map(|at| (at, calls[at], ends[at], expected[at]));
    assert_eq!(other, None, "{name}: {report}");
    assert_eq!(found, left, "{name}: {report}");
    report
}

/// Returns the devices of this machine with their names.
fn devices() -> Vec<(String, Device)> {
    let mut devices = vec![Device::cpu(1), Device::cpu(4), Device::cpu_seeded(3, 5)];
    let options = [EmulatorOptions::fibers(3), EmulatorOptions { plan: Some(2), ..EmulatorOptions::fibers(2) }];
    devices.extend(options.into_iter().filter_map(|options| emulated("push order on an emulated device", options)));
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
    for (seed, n) in [(1, 40), (2, 300), (3, 900)] {
        let calls = drawn(&mut Draw::new(seed), n);
        for (name, device) in &devices {
            for check in [false, true] {
                let report = expect_definition(name, device, &calls, &pushed().check(check));
                assert_eq!(report.serializable(), check.then_some(true), "{report}");
                let is_on_host = report.steps().iter().all(|step| matches!(step.algorithm, Algorithm::CpuPlan { .. }));
                assert_eq!(is_on_host, !name.contains("emulator"), "{report}");
            }
        }
    }
}

/// Whether a transaction can run in turn may turn out only while the batch runs.
#[test]
fn a_batch_that_cannot_run_in_turn_after_all_runs_on_the_host() {
    let Ok(device) = Device::emulated(EmulatorOptions::fibers(1)) else { return };
    let mut calls = drawn(&mut Draw::new(5), 200);
    calls.insert(100, Call::AddOften(3, 1));
    let report = expect_definition("few accesses", &device, &calls, &pushed());
    assert_eq!(report.steps().len(), 2, "{report}");
    calls.insert(150, Call::AddOften(3, 9));
    let report = expect_definition("many accesses", &device, &calls, &pushed());
    assert_eq!(report.steps()[0].finished, 0, "{report}");
}

/// Draws the next number of a counter.
#[gpu_transaction(overflow = "wrap")]
fn draw(tx: &mut Tx, counters: &Shared<u32>, of: u32) -> TxResult<u32> {
    let number = tx.read(counters, of)?;
    tx.write(counters, of, number + 1)?;
    Ok(number)
}

/// Claims name their round by few bits, so that they begin anew now and then: also where a launch goes on after another one.
#[test]
fn more_rounds_than_claims_can_name() {
    let Ok(device) = Device::emulated(EmulatorOptions::fibers(3)) else { return };
    let rounds: Engine = "in-rounds".parse().expect("the name of an engine");
    for (threads, n) in [(32, 5000_u32), (64, 4200)] {
        let counters = device.shared(&[0_u32; 2]).expect("room for counters");
        let mut batch = device.batch();
        let numbers: Vec<Ticket<u32>> = (0..n).map(|_| batch.push(draw::call(&counters, 1))).collect();
        let report = batch.run_with(&pushed().engine(rounds).threads(threads)).expect("the run should end");
        assert_eq!((report.committed, report.engine.engine()), (u64::from(n), rounds), "{report}");
        assert!(numbers.iter().zip(0..).all(|(ticket, nth)| report.outcome(*ticket) == Outcome::Committed(nth)));
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
fn other_engines_do_not_keep_the_order() {
    let device = Device::cpu(2);
    let numbers = device.shared(&[0_i64]).expect("room for a number");
    let mut batch = device.batch();
    batch.push(add::call(&numbers, 0));
    for engine in ["priority", "serial", "readers-at-rest", "auto"] {
        let options = pushed().engine(Selection::try_from(engine).expect("a known name"));
        let refused = batch.run_with(&options).expect_err("no engine keeps it");
        assert!(refused.to_string().contains("leave the engine to the plan"), "{refused}");
    }
    for selection in ["plan", "in-order"] {
        let options = pushed().engine(Selection::try_from(selection).expect("a known name"));
        assert_eq!(batch.run_with(&options).expect("it keeps the order").committed, 1);
    }
}
