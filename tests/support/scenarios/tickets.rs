//! Numbers that tell where a transaction writes, found before it runs: every engine gives what some order gives, and one that runs
//! transactions in order gives what that order gives.

use stm_runtime::{Device, Order, Outcome, RunOptions, Ticket};

use super::in_order::lists_accesses;
use crate::draw::Draw;
use crate::environment::Environment;
use crate::failure::{Failure, TestResult};
use crate::procedures::tickets::{Entry, Group, enter, mark, pay, replace, replace_even, turn};
use crate::{expect, expect_eq};

const GROUPS: usize = 3;
/// Rows for the entries of a group. The last group has room for few.
const ROWS: u32 = 64;
const FEW: u32 = 3;

/// A transaction, and how it ended.
enum Row {
    Enter(usize, u64, Ticket<(u32, u64)>),
    Pay(usize, u64),
    Replace(usize, u64),
    Mark(usize, u32, Ticket<u64>),
}

/// The groups, the entries, and the cells.
type World = (Vec<Group>, Vec<Entry>, Vec<u64>);

fn world() -> World {
    let most = |of: usize| if of + 1 == GROUPS { FEW } else { ROWS };
    let group = |of: usize| Group { next: 0, most: most(of), first: of as u32 * ROWS, total: 0 };
    let nothing = Entry { number: 0, amount: 0, marks: 0 };
    ((0..GROUPS).map(group).collect(), vec![nothing; GROUPS * ROWS as usize], vec![1; GROUPS])
}

/// Nothing reads the entries: the last one at a place stays.
pub(super) fn entries_that_nobody_reads(environment: &Environment) -> TestResult {
    run(environment, Others::Replace)
}

/// The same where no two transactions write an entry.
pub(super) fn entries_that_are_written_once(environment: &Environment) -> TestResult {
    run(environment, Others::None)
}

/// Entries are found by their numbers, and by those who know their places.
pub(super) fn entries_that_are_marked(environment: &Environment) -> TestResult {
    run(environment, Others::Mark)
}

/// What some transactions do with entries beside those that enter them.
#[derive(Clone, Copy, PartialEq)]
enum Others {
    None,
    Replace,
    Mark,
}

fn run(environment: &Environment, others: Others) -> TestResult {
    let (groups, entries, cells) = world();
    let (groups, entries) = (environment.shared(&groups)?, environment.shared(&entries)?);
    let cells = environment.shared(&cells)?;
    let (mut batch, mut draw, mut rows) = (environment.batch(), Draw::new(15), Vec::new());
    for nth in 0..environment.transactions(40) as u64 {
        // A group gets far fewer than it has room for, but for the last one.
        let (of, number) = (draw.below(GROUPS), draw.below(12) as u32);
        rows.push(match draw.below(5) {
            4 => {
                batch.push(pay::call(&groups, of as u8, nth));
                Row::Pay(of, nth)
            }
            0 if others == Others::Mark => {
                Row::Mark(of, number, batch.push(mark::call(&groups, &entries, of as u8, number)))
            }
            0 if others == Others::Replace => {
                let at = of * ROWS as usize + number as usize;
                batch.push(replace::call(&entries, at as u32, nth));
                Row::Replace(at, nth)
            }
            _ => Row::Enter(of, nth, batch.push(enter::call(&groups, &entries, &cells, of as u8, nth))),
        });
    }
    let report = environment.run_with(&batch, &environment.options().chunk_size(60))?;
    let mut model = world();
    for row in rows.iter().filter(|_| lists_accesses(environment)) {
        match row {
            Row::Enter(of, amount, ticket) => {
                expect_eq!(report.outcome(*ticket), enter_in(&mut model, *of, *amount), "an entry of group {of}");
            }
            Row::Mark(of, number, ticket) => {
                let entry = &mut model.1[*of * ROWS as usize + *number as usize];
                entry.marks = entry.marks.wrapping_mul(5).wrapping_add(entry.amount);
                expect_eq!(report.outcome(*ticket), Outcome::Committed(entry.amount), "the mark of entry {number}");
            }
            Row::Pay(of, amount) => model.0[*of].total += amount,
            Row::Replace(at, amount) => model.1[*at] = Entry { number: 99, amount: *amount, marks: 1 },
        }
    }
    let found: World = (groups.to_vec()?, entries.to_vec()?, cells.to_vec()?);
    if lists_accesses(environment) {
        expect_eq!(found, model, "groups, entries and cells");
    }
    for (of, group) in found.0.iter().enumerate() {
        let paid =
            rows.iter().map(|row| if let Row::Pay(to, amount) = row { u64::from(*to == of) * amount } else { 0 });
        let entered = rows.iter().filter_map(|row| match row {
            Row::Enter(group, amount, ticket) if *group == of => {
                Some((report.outcome(*ticket).committed()?.0, *amount))
            }
            _ => None,
        });
        let (mut numbers, amounts): (Vec<u32>, Vec<u64>) = entered.unzip();
        numbers.sort_unstable();
        expect!(numbers.iter().copied().eq(0..group.next), "numbers of group {of}: {numbers:?}");
        expect_eq!(group.total, amounts.iter().sum::<u64>() + paid.sum::<u64>(), "the sum of group {of}");
    }
    Ok(())
}

fn enter_in((groups, entries, cells): &mut World, of: usize, amount: u64) -> Outcome<(u32, u64)> {
    let group = &mut groups[of];
    if group.next >= group.most {
        return Outcome::Rejected(1);
    }
    let (number, here) = (group.next, cells[of]);
    (group.next, group.total) = (number + 1, group.total + amount);
    entries[(group.first + number) as usize] = Entry { number, amount, marks: 0 };
    cells[of] = here.wrapping_mul(3).wrapping_add(amount);
    Outcome::Committed((number, here))
}

/// In push order, with and without a group that gets full, and among others that zeros would end.
pub(super) fn entries_in_push_order(environment: &Environment) -> TestResult {
    if !lists_accesses(environment) {
        return Ok(());
    }
    for groups in [GROUPS - 1, GROUPS] {
        let calls = environment.transactions(40);
        let options = environment.options().order(Order::Pushed).chunk_size(60);
        let found = after_turns(&environment.device, &options, calls, groups)?;
        let alone = RunOptions::new().order(Order::Pushed).check(true);
        expect_eq!(found, after_turns(&Device::cpu(1), &alone, calls, groups)?, "what is found after {groups} groups");
    }
    // What is refused after it has written entries that nobody reads has no effect.
    let entries = environment.shared(&world().1)?;
    let (mut batch, mut draw) = (environment.batch(), Draw::new(17));
    let mut model = entries.to_vec()?;
    for nth in 0..environment.transactions(40) as u64 {
        let at = draw.below(model.len());
        batch.push(replace_even::call(&entries, at as u32, nth));
        if nth % 2 == 0 {
            model[at] = Entry { number: 99, amount: nth, marks: 1 };
        }
    }
    batch.run_with(&environment.options().order(Order::Pushed))?;
    expect_eq!(entries.to_vec()?, model, "entries");
    Ok(())
}

fn after_turns(
    device: &Device,
    options: &RunOptions,
    calls: usize,
    of: usize,
) -> Result<(World, Vec<String>), Failure> {
    let (groups, entries, cells) = world();
    let (groups, entries, cells) = (device.shared(&groups)?, device.shared(&entries)?, device.shared(&cells)?);
    let turning = device.shared(&[2_u64; 4])?;
    let (mut batch, mut draw) = (device.batch(), Draw::new(16));
    let (mut entered, mut others) = (Vec::new(), Vec::new());
    for nth in 0..calls as u64 {
        let group = draw.below(of);
        match draw.below(4) {
            0 => others.push(batch.push(mark::call(&groups, &entries, group as u8, draw.below(9) as u32))),
            1 => others.push(batch.push(turn::call(&turning, draw.below(4) as u32))),
            _ => entered.push(batch.push(enter::call(&groups, &entries, &cells, group as u8, nth))),
        }
    }
    let report = batch.run_with(options)?;
    expect!(report.serializable() != Some(false), "{report}");
    let entered = entered.iter().map(|ticket| format!("{:?}", report.outcome(*ticket)));
    let others = others.iter().map(|ticket| format!("{:?}", report.outcome(*ticket)));
    Ok((
        (groups.to_vec()?, entries.to_vec()?, [cells.to_vec()?, turning.to_vec()?].concat()),
        entered.chain(others).collect(),
    ))
}
