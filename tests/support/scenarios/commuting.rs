//! Transactions whose order matters only where a bound is near: every engine must give what some order gives.

use stm_runtime::Outcome;

use crate::draw::Draw;
use crate::environment::Environment;
use crate::failure::TestResult;
use crate::procedures::bank::transfer;
use crate::procedures::commuting::{
    Shelf, count_in_a_byte, deliver, double, move_twice, observe, pay_in, raise_to, score, sell, spend, turn_twice,
    withdraw,
};
use crate::{expect, expect_eq};

/// Less money than all want, in several chunks: what is paid in goes out again, and no account is overdrawn or fuller than it may be.
pub(super) fn escrow_near_the_bounds(environment: &Environment) -> TestResult {
    const LIMIT: i64 = 60;
    let first = [40_i64, 0, 25, 60, 7];
    let accounts = environment.shared(&first)?;
    let (mut batch, mut draw) = (environment.batch(), Draw::new(3));
    let (mut outs, mut ins) = (Vec::new(), Vec::new());
    for _ in 0..environment.transactions(160) {
        let (at, amount) = (draw.below(5) as u32, draw.below(9) as i64 + 1);
        outs.push((at, batch.push(withdraw::call(&accounts, at, amount))));
        let (at, amount) = (draw.below(5) as u32, draw.below(9) as i64 + 1);
        ins.push((at, amount, batch.push(pay_in::call(&accounts, at, amount, LIMIT))));
    }
    let report = environment.run_with(&batch, &environment.options().chunk_size(64))?;
    let mut expected = first;
    for (at, ticket) in outs {
        match report.outcome(ticket) {
            Outcome::Committed(amount) => expected[at as usize] -= amount,
            outcome => expect!(matches!(outcome, Outcome::Unresolved(_)), "a withdrawal: {outcome:?}"),
        }
    }
    for (at, amount, ticket) in ins {
        match report.outcome(ticket) {
            Outcome::Committed(()) => expected[at as usize] += amount,
            outcome => expect_eq!(outcome, Outcome::Rejected(7), "what is paid in"),
        }
    }
    let found = accounts.to_vec()?;
    expect_eq!(found, expected, "the accounts");
    expect!(found.iter().all(|balance| (0..=LIMIT).contains(balance)), "a bound is broken: {found:?}");
    Ok(())
}

/// The same account on both sides gets more than it gives where both balances are read first, and else what it gives. One account
/// has too little for all that it is to pay.
pub(super) fn one_element_twice(environment: &Environment) -> TestResult {
    let accounts = environment.shared(&[1_000_000_i64, 1_000_000, 1_000_000, 1_000_000, 40, 10])?;
    let mut batch = environment.batch();
    let moves = environment.transactions(60) as u32;
    for transaction in 0..moves {
        batch.push(move_twice::call(&accounts, transaction % 3, (transaction + 1) % 3, 1));
        batch.push(move_twice::call(&accounts, 3, 3, 5));
        batch.push(transfer::call(&accounts, 4, 4, 1 + i64::from(transaction % 40)));
        batch.push(transfer::call(&accounts, 3, 3, 7));
        batch.push(transfer::call(&accounts, 5, transaction % 3, 4));
    }
    let report = environment.run(&batch)?;
    let counted = (report.committed, report.unresolved);
    expect_eq!(counted, (u64::from(4 * moves + 2), u64::from(moves - 2)), "committed, and without money");
    let found = accounts.to_vec()?;
    expect_eq!(found[4], 40, "an account that pays itself");
    expect_eq!(found[..3].iter().sum::<i64>(), 3_000_008, "money that moves between accounts");
    expect_eq!(found[5], 2, "an account without money");
    expect_eq!(found[3], 1_000_000 + 10 * i64::from(moves), "money that moves from an account to itself");
    Ok(())
}

/// Accounts that keep a reserve, although there is enough for all: some are rich, and some near it. Scores begin and end below zero.
pub(super) fn reserves_and_scores(environment: &Environment) -> TestResult {
    const EACH: u32 = 12;
    let (accounts, scores) = (environment.shared(&[200_i64, 1_000_000, 30])?, environment.shared(&[-5_i32; 3])?);
    let mut batch = environment.batch();
    for number in 0..EACH {
        batch.push(spend::call(&accounts, 0, 8, 150));
        batch.push(spend::call(&accounts, 1, 8, 0));
        batch.push(withdraw::call(&accounts, 2, 7));
        batch.push(score::call(&scores, number % 3, -40 + number as i32));
    }
    let report = environment.run(&batch)?;
    expect_eq!(accounts.to_vec()?, [152, 1_000_000 - 8 * i64::from(EACH), 2], "the accounts");
    expect_eq!(scores.to_vec()?, [-147, -143, -139], "the scores");
    let counted = (report.committed, report.unresolved);
    expect_eq!(counted, (u64::from(2 * EACH + 6 + 4), u64::from(2 * EACH - 6 - 4)), "committed, and without money");
    Ok(())
}

/// Sales of records wait for deliveries that other procedures make.
pub(super) fn sales_and_deliveries(environment: &Environment) -> TestResult {
    let shelves = environment.shared(&[Shelf { stock: 3, sold: 0, open: true }; 4])?;
    let (mut batch, mut draw) = (environment.batch(), Draw::new(5));
    let (mut tickets, mut delivered) = (Vec::new(), 0);
    for _ in 0..environment.transactions(120) {
        tickets.push(batch.push(sell::call(&shelves, draw.below(4) as u32, draw.below(3) as u16 + 1)));
        let pieces = draw.below(3) as u16;
        batch.push(deliver::call(&shelves, draw.below(4) as u32, pieces));
        delivered += u64::from(pieces);
    }
    let report = environment.run(&batch)?;
    let sold = |ticket| if let Outcome::Committed(pieces) = report.outcome(ticket) { u64::from(pieces) } else { 0 };
    let sold: u64 = tickets.into_iter().map(sold).sum();
    let found = shelves.to_vec()?;
    expect!(found.iter().all(|shelf| shelf.open), "what nobody changes: {found:?}");
    expect_eq!(found.iter().map(|shelf| shelf.sold).sum::<u64>(), sold, "the sales");
    let left: u64 = found.iter().map(|shelf| u64::from(shelf.stock)).sum();
    expect_eq!(left + sold, 12 + delivered, "pieces in stock and sold");
    Ok(())
}

/// Bytes count up to their maximum; later transactions fault. Their neighbours in a word stay as they are.
pub(super) fn bytes_overflow_one_by_one(environment: &Environment) -> TestResult {
    let bytes = environment.shared(&[250_u8, 255, 0, 200, 7])?;
    let mut batch = environment.batch();
    let tickets: Vec<_> = (0..60).map(|number| batch.push(count_in_a_byte::call(&bytes, number % 4))).collect();
    let report = environment.run(&batch)?;
    expect_eq!(bytes.to_vec()?, [255, 255, 15, 215, 7], "the counts");
    let faults = tickets.into_iter().filter(|ticket| matches!(report.outcome(*ticket), Outcome::Faulted(_))).count();
    expect_eq!(faults, 10 + 15, "overflows");
    Ok(())
}

/// Extremes and bits are those of all values, in elements of all widths.
pub(super) fn extremes_and_bits(environment: &Environment) -> TestResult {
    let least = environment.shared(&[i16::MAX; 3])?;
    let most = environment.shared(&[5_u32; 3])?;
    let seen = environment.shared(&[0_u64; 3])?;
    let odd = environment.shared(&[false, true, false])?;
    let (mut batch, mut draw) = (environment.batch(), Draw::new(8));
    let bits = environment.shared(&[1_u32; 3])?;
    let mut expected = ([i16::MAX; 3], [5_u32; 3], [0_u64; 3], [false, true, false]);
    let mut turned = [1_u32; 3];
    for _ in 0..environment.transactions(150) {
        let (at, value) = (draw.below(3), draw.below(30_000) as u16);
        batch.push(observe::call(&least, &most, &seen, &odd, at as u32, value));
        expected.0[at] = expected.0[at].min(value as i16);
        expected.1[at] = expected.1[at].max(value.into());
        expected.2[at] |= 1 << (value % 64);
        expected.3[at] ^= value % 2 == 1;
        batch.push(turn_twice::call(&bits, at as u32, value.into(), 77));
        turned[at] ^= u32::from(value) ^ 77;
    }
    environment.run_all(&batch)?;
    expect_eq!((least.to_vec()?, most.to_vec()?), (expected.0.to_vec(), expected.1.to_vec()), "the extremes");
    expect_eq!(bits.to_vec()?, turned, "the bits that were turned");
    expect_eq!((seen.to_vec()?, odd.to_vec()?), (expected.2.to_vec(), expected.3.to_vec()), "the bits");
    Ok(())
}

/// Large amounts on few elements, of which blocks keep copies, and on more elements than that is worth.
pub(super) fn many_changes_of_few_elements(environment: &Environment) -> TestResult {
    const START: i64 = 1 << 40;
    // Blocks of the stage that sums up are large, and there should be several.
    let (options, threads) = (environment.options(), environment.threads);
    let options = threads.map_or(options.clone(), |threads| options.threads(environment.bearable(2 * threads)));
    for len in [2, 1000] {
        let accounts = environment.shared(&vec![START; len])?;
        let (mut batch, mut draw) = (environment.batch(), Draw::new(17));
        let mut expected = vec![START; len];
        for transaction in 0..environment.transactions(100) {
            let (at, amount) = (draw.below(len), i64::from(i32::MAX) - draw.below(9) as i64);
            if transaction % 3 == 0 {
                batch.push(withdraw::call(&accounts, at as u32, amount));
                expected[at] -= amount;
            } else {
                batch.push(pay_in::call(&accounts, at as u32, amount, i64::MAX / 2));
                expected[at] += amount;
            }
        }
        environment.run_all_with(&batch, &options)?;
        expect_eq!(accounts.to_vec()?, expected, "the accounts");
    }
    Ok(())
}

/// Withdrawals that commute, beside transactions that do not commute with them. The proof judges the order.
pub(super) fn sums_beside_others(environment: &Environment) -> TestResult {
    let accounts = environment.shared(&[20_i64; 3])?;
    let (mut batch, mut draw) = (environment.batch(), Draw::new(13));
    for transaction in 0..environment.transactions(90) {
        let at = draw.below(3) as u32;
        batch.push(withdraw::call(&accounts, at, draw.below(30) as i64));
        match transaction % 30 {
            // An account that doubles more often overflows.
            7 if transaction < 30 * 30 => _ = batch.push(double::call(&accounts, at)),
            19 => _ = batch.push(raise_to::call(&accounts, at, 15)),
            _ => {}
        }
    }
    environment.run(&batch)?;
    let found = accounts.to_vec()?;
    expect!(found.iter().all(|balance| *balance >= 0), "an account is overdrawn: {found:?}");
    Ok(())
}
