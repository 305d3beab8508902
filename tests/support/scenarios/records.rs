//! Records, `Option`s, enums and functions under contention: dependent fields stay consistent.

use stm_runtime::Outcome;

use crate::environment::{Dice, Environment};
use crate::failure::TestResult;
use crate::procedures::records::{
    Light, Machine, Parts, Purses, WHOLE, move_over, move_whole, rely_on_parts, see_purses, shift_parts, sit_down,
    stand_up, step_machine, switch_light, transfer_by_functions,
};
use crate::{expect, expect_all, expect_eq};

/// The number of shared records; few, so that transactions conflict.
const FEW: usize = 3;

/// Writers by field and writers of whole records, and readers of whole records.
pub(super) fn records_stay_whole(environment: &Environment) -> TestResult {
    let start = Purses { left: 500, right: 500, moves: 0, to_left: false };
    let purses = environment.shared(&[start; FEW])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(31);
    let (mut seen, mut moved) = (Vec::new(), vec![(0_u16, 0_i64); FEW]);
    for transaction in 0..environment.transactions(100) {
        let owner = dice.index(FEW);
        let by = if dice.below(2) == 0 { 3 } else { -3 };
        match transaction % 2 {
            0 => batch.push(move_over::call(&purses, owner, by)),
            _ => batch.push(move_whole::call(&purses, owner, by)),
        };
        moved[owner as usize].0 += 1;
        moved[owner as usize].1 += by;
        seen.push(batch.push(see_purses::call(&purses, dice.index(FEW))));
    }
    let report = environment.run_all(&batch)?;
    for ticket in seen {
        let Outcome::Committed(found) = report.outcome(ticket) else { continue };
        expect_eq!(found.left + found.right, 1000, "both purses of {found:?}");
        // A move changes the amount by an odd number, so parities agree.
        expect_eq!((found.left - 500).rem_euclid(2), i64::from(found.moves % 2), "the moves of {found:?}");
    }
    for (found, (moves, by)) in purses.to_vec()?.iter().zip(moved) {
        expect_eq!((found.left, found.right, found.moves), (500 + by, 500 - by, moves), "an owner");
    }
    Ok(())
}

pub(super) fn transfers_by_functions(environment: &Environment) -> TestResult {
    let accounts = environment.shared(&[10_000_i64; 4])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(32);
    for _ in 0..environment.transactions(200) {
        batch.push(transfer_by_functions::call(&accounts, dice.index(4), dice.index(4), dice.below(6) as i64));
    }
    environment.run_all(&batch)?;
    let after = accounts.to_vec()?;
    expect_eq!(after.iter().sum::<i64>(), 40_000, "the money");
    expect!(after.iter().all(|balance| *balance >= 0), "overdrawn: {after:?}");
    Ok(())
}

/// Two seats per table; guests wait until one is free, and leave only after they sat down.
pub(super) fn bookings_wait(environment: &Environment) -> TestResult {
    let places = environment.shared(&[None; 2 * FEW])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(33);
    let mut seats = Vec::new();
    for guest in 0..environment.transactions(20) as u32 {
        let first = 2 * dice.index(FEW);
        if guest % 2 == 0 {
            batch.push(stand_up::call(&places, first, guest));
        }
        seats.push((first, batch.push(sit_down::call(&places, first, guest))));
        if guest % 2 == 1 {
            batch.push(stand_up::call(&places, first, guest));
        }
    }
    let report = environment.run_all(&batch)?;
    for (first, ticket) in seats {
        let Outcome::Committed(at) = report.outcome(ticket) else { continue };
        expect!(at == first || at == first + 1, "place {at} at the table of {first}");
    }
    expect_eq!(places.to_vec()?, [None; 2 * FEW], "the places in the end");
    Ok(())
}

/// Each light goes around, and exactly one transaction sees each step.
pub(super) fn lights_go_around(environment: &Environment) -> TestResult {
    let lights = environment.shared(&[(Light::Red, 0_u32); 2])?;
    let mut batch = environment.batch();
    let transactions = environment.transactions(90) as u32;
    let tickets: Vec<_> =
        (0..transactions).map(|transaction| batch.push(switch_light::call(&lights, transaction % 2))).collect();
    let report = environment.run_all(&batch)?;
    let mut counts = [Vec::new(), Vec::new()];
    for (transaction, ticket) in tickets.into_iter().enumerate() {
        let Outcome::Committed((light, count)) = report.outcome(ticket) else { continue };
        let want = [Light::Red, Light::Green, Light::Yellow][count as usize % 3];
        expect_eq!(light, want, "the light of step {count}");
        counts[transaction % 2].push(count);
    }
    for (light, mut counts) in counts.into_iter().enumerate() {
        counts.sort_unstable();
        let steps = transactions / 2 + (transactions % 2) * (1 - light as u32);
        expect!(counts.iter().copied().eq(1..=steps), "steps of light {light}: {counts:?}");
    }
    Ok(())
}

/// Each machine goes around through variants with fields, which agree with each other and with its count.
pub(super) fn machines_go_around(environment: &Environment) -> TestResult {
    let machines = environment.shared(&[(0, Machine::Idle); 2])?;
    let mut batch = environment.batch();
    let transactions = environment.transactions(90) as u32;
    let tickets: Vec<_> = (0..transactions).map(|k| batch.push(step_machine::call(&machines, k % 2, k))).collect();
    let report = environment.run_all(&batch)?;
    let seen = tickets.into_iter().filter_map(|ticket| match report.outcome(ticket) {
        Outcome::Committed(seen) => Some(seen),
        _ => None,
    });
    for (count, machine) in seen.chain(machines.to_vec()?) {
        let agrees = match (count % 5, machine) {
            (0, Machine::Idle) | (4, Machine::Stopped(3)) => true,
            (step @ 1..=3, Machine::Works { of, again }) => again == (of, i64::from(step)),
            _ => false,
        };
        expect!(agrees, "step {count} of a machine: {machine:?}");
    }
    Ok(())
}

/// An assertion, an array index and an `unwrap` that hold in every consistent state.
pub(super) fn zombie_panics(environment: &Environment) -> TestResult {
    let parts = environment.shared(&[Parts { low: 1, high: WHOLE - 1 }; FEW])?;
    let mut batch = environment.batch();
    let mut dice = Dice::new(34);
    let mut relying = Vec::new();
    for transaction in 0..environment.transactions(150) as u32 {
        let by = if dice.below(2) == 0 { 1000 } else { -1000 };
        batch.push(shift_parts::call(&parts, dice.index(FEW), by));
        relying.push(batch.push(rely_on_parts::call(&parts, dice.index(FEW), transaction)));
    }
    let report = environment.run(&batch)?;
    expect!(report.faulted == 0, "a doomed attempt's panic was reported: {}", report.faults[0]);
    expect_all!(report, relying, 30, "what relies on the parts");
    Ok(())
}
