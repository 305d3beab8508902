//! Batches that are filled by columns: the outcome is that of a batch with the same calls, one by one.

use stm_runtime::{
    Batch, Engine, Error, ForeignMemory, Outcome, PipelineOptions, RunOptions, Shared, Ticket, Tickets,
    UnresolvedReason,
};

use crate::environment::Environment;
use crate::failure::TestResult;
use crate::procedures::columns::{Kind, Order, place};
use crate::procedures::guards::{pass_on, raise_flag};
use crate::procedures::locals::{COUNTERS, count_found};
use crate::procedures::types::add_short;
use crate::{expect, expect_eq};

/// The arrays that the calls change.
struct Arrays {
    left: Shared<i64>,
    right: Shared<i64>,
    flags: Shared<u32>,
}

/// The calls, in four columns.
struct Calls {
    orders: Vec<Order>,
    rushes: Vec<bool>,
    weights: Vec<f32>,
    steps: Vec<i16>,
}

/// The elements of the arrays.
const LEN: u16 = 5;

impl Arrays {
    fn new(environment: &Environment) -> Result<Arrays, crate::failure::Failure> {
        let stock = || environment.shared(&[1000_i64; LEN as usize]);
        Ok(Arrays { left: stock()?, right: stock()?, flags: environment.shared(&[0_u32; 8])? })
    }
}

impl Calls {
    /// Some of them are rejected, and the last ones of every twenty fault: there is no such element.
    fn new(count: usize) -> Calls {
        let order = |k: usize| Order {
            item: if k % 20 < 18 { k as u16 % LEN } else { LEN + k as u16 },
            kind: if k.is_multiple_of(3) { Kind::Sell } else { Kind::Buy },
            lots: (k as i64 - 9, [k as u8 % 4, 0, 1 + k as u8 % 2]),
            more: (k % 4 < 2).then_some(-(k as i32)),
        };
        Calls {
            orders: (0..count).map(order).collect(),
            rushes: (0..count).map(|k| k % 5 < 2).collect(),
            weights: (0..count).map(|k| 1.5 * k as f32).collect(),
            steps: (0..count).map(|k| 300 - 7 * k as i16).collect(),
        }
    }
}

/// Columns of compound values and of scalars, on several arrays, between calls that are pushed; in one piece, and in chunks. Some
/// calls wait for others in a later chunk.
pub(super) fn columns_are_calls(environment: &Environment) -> TestResult {
    let calls = Calls::new(40);
    for options in [environment.options(), environment.options().chunk_size(16)] {
        let (one, other) = (Arrays::new(environment)?, Arrays::new(environment)?);
        let (mut pushed, mut columns) = (environment.batch(), environment.device.batch());
        push(&mut pushed, &one, &calls);
        columns_there_are_calls(environment, &calls, (&pushed, &one), &options)?;
        [&one.left, &one.right].into_iter().try_for_each(|stock| stock.fill(1000))?;
        one.flags.fill(0)?;
        let tickets = push_columns(&mut columns, &other, &calls)?;
        expect_eq!(pushed.len(), columns.len(), "transactions");
        let (one_report, report) =
            (environment.run_with(&pushed, &options)?, environment.run_with(&columns, &options)?);
        for transaction in 0..pushed.len() {
            let outcomes = (one_report.outcome_at::<()>(transaction), report.outcome_at::<()>(transaction));
            expect_eq!(outcomes.0, outcomes.1, "the outcome of transaction {transaction}");
        }
        let of = |ticket: Ticket<i64>| (one_report.outcome_at::<i64>(ticket.transaction()), report.outcome(ticket));
        for (ticket, order) in tickets.iter().zip(&calls.orders) {
            let (expected, outcome) = of(ticket);
            expect_eq!(expected, Ok(outcome.clone()), "the result of {ticket:?}");
            expect_eq!(matches!(outcome, Outcome::Faulted(_)), order.item >= LEN, "a fault of {ticket:?}");
        }
        expect!(report.committed > 60 && report.rejected == 2 && report.faulted == 8, "endings\n{report}");
        expect_eq!(one.left.to_vec()?, other.left.to_vec()?, "one array");
        expect_eq!(one.right.to_vec()?, other.right.to_vec()?, "the other array");
        expect_eq!(other.flags.to_vec()?, [1; 8], "flags");
        expect_eq!(one_report.memory.arguments, report.memory.arguments, "bytes of arguments");
    }
    Ok(())
}

fn push(batch: &mut Batch, arrays: &Arrays, calls: &Calls) {
    (0..7).for_each(|at| _ = batch.push(pass_on::call(&arrays.flags, at + 1, at)));
    let mut each = |stock: &Shared<i64>| {
        let values = calls.orders.iter().zip(&calls.rushes).zip(&calls.weights);
        batch.extend(values.map(|((order, rush), weight)| place::call(stock, *order, *rush, *weight)));
    };
    each(&arrays.left);
    each(&arrays.right);
    for (k, step) in calls.steps.iter().enumerate() {
        batch.push(add_short::call(&arrays.left, k as u16 % LEN, *step));
    }
    batch.push(place::call(&arrays.left, calls.orders[0], true, 2.0));
    batch.push(raise_flag::call(&arrays.flags, 7));
}

fn push_columns<'a>(
    batch: &mut Batch<'a>,
    arrays: &Arrays,
    calls: &'a Calls,
) -> Result<Tickets<i64>, crate::failure::Failure> {
    batch.push_columns(pass_on::columns(&arrays.flags, &[1, 2, 3, 4, 5, 6, 7], vec![0, 1, 2, 3, 4, 5, 6]))?;
    let Calls { orders, rushes, weights, steps } = calls;
    let tickets = batch.push_columns(place::columns(&arrays.left, orders, rushes, weights))?;
    batch.push_columns(place::columns(&arrays.right, &orders[..9], &rushes[..9], &weights[..9]))?;
    batch.push_columns(place::columns(&arrays.right, orders[9..].to_vec(), &rushes[9..], &weights[9..]))?;
    let places: Vec<u16> = (0..steps.len() as u16).map(|k| k % LEN).collect();
    let none = batch.push_columns(add_short::columns(&arrays.left, &[], &[]))?;
    expect!(none.is_empty() && none.get(0).is_none(), "no transactions");
    batch.push_columns(add_short::columns(&arrays.left, places, steps))?;
    batch.push(place::call(&arrays.left, orders[0], true, 2.0));
    batch.push(raise_flag::call(&arrays.flags, 7));
    Ok(tickets)
}

/// The same for columns that live on the device, of which some are followed by a call.
fn columns_there_are_calls(
    environment: &Environment,
    calls: &Calls,
    (pushed, one): (&Batch, &Arrays),
    options: &RunOptions,
) -> TestResult {
    let expected = environment.run_with(pushed, options)?;
    for is_followed in [false, true] {
        let other = Arrays::new(environment)?;
        let mut there = environment.device.batch();
        push_there(&mut there, &other, calls, is_followed)?;
        let report = environment.run_with(&there, options)?;
        expect_eq!(pushed.len(), there.len(), "transactions");
        let bits = report.committed_bits()?;
        for (transaction, status) in report.statuses().enumerate() {
            expect_eq!(
                bits[transaction / 64] >> (transaction % 64) & 1 == 1,
                status.is_committed(),
                "bit {transaction}"
            );
            let outcomes = (expected.outcome_at::<()>(transaction), report.outcome_at::<()>(transaction));
            expect_eq!(outcomes.0, outcomes.1, "the outcome of transaction {transaction} with columns there");
        }
        expect_eq!(one.left.to_vec()?, other.left.to_vec()?, "one array");
        expect_eq!(one.right.to_vec()?, other.right.to_vec()?, "the other array");
        expect_eq!(other.flags.to_vec()?, [1; 8], "flags");
    }
    Ok(())
}

/// Makes the calls of [`push`] from columns of the device. Those of a procedure are ranges of the same columns, one after the other.
fn push_there(batch: &mut Batch, arrays: &Arrays, calls: &Calls, is_followed: bool) -> TestResult {
    let device = arrays.left.device();
    let numbers = device.column(0..8)?;
    batch.push_columns(pass_on::columns(&arrays.flags, numbers.range(1..)?, numbers.range(..7)?))?;
    let twice = |(orders, rushes, weights): (&mut Vec<_>, &mut Vec<_>, &mut Vec<_>)| {
        orders.extend(calls.orders.clone());
        rushes.extend(calls.rushes.clone());
        weights.extend(calls.weights.clone());
    };
    let (mut orders, mut rushes, mut weights) = (vec![], vec![], vec![]);
    (0..2).for_each(|_| twice((&mut orders, &mut rushes, &mut weights)));
    orders.push(calls.orders[0]);
    rushes.push(true);
    weights.push(2.0);
    let (orders, rushes, weights) = (device.column(&orders)?, device.column(rushes)?, device.column(&weights[..])?);
    let count = calls.orders.len();
    let mut place_there = |stock, rows: std::ops::Range<usize>| -> TestResult {
        let (orders, rushes) = (orders.range(rows.clone())?, rushes.range(rows.clone())?);
        batch.push_columns(place::columns(stock, orders, rushes, &weights.range(rows)?))?;
        Ok(())
    };
    place_there(&arrays.left, 0..count)?;
    place_there(&arrays.right, count..count + 9)?;
    place_there(&arrays.right, count + 9..2 * count)?;
    let places: Vec<u16> = (0..calls.steps.len() as u16).map(|k| k % LEN).collect();
    let (places, steps) = (device.column(places)?, device.column(&calls.steps)?);
    batch.push_columns(add_short::columns(&arrays.left, &places, steps))?;
    if is_followed {
        batch.push(place::call(&arrays.left, calls.orders[0], true, 2.0));
    } else {
        let rows = 2 * count..;
        let (orders, rushes) = (orders.range(rows.clone())?, rushes.range(rows.clone())?);
        batch.push_columns(place::columns(&arrays.left, orders, rushes, weights.range(rows)?))?;
    }
    batch.push(raise_flag::call(&arrays.flags, 7));
    Ok(())
}

/// Memory of another owner, which is that of an array that no run uses.
struct Other(Shared<u32>, u64);

// SAFETY: the array lives as long as this, and nothing uses it.
unsafe impl ForeignMemory for Other {
    type Element = u32;

    fn address(&self) -> u64 {
        self.1
    }

    fn elements(&self) -> usize {
        self.0.len()
    }
}

/// Columns of one procedure that live on the device, in chunks of which some wait: uploaded, adopted, and what an earlier batch has left in an
/// array. They are used by several batches, and outlive their handles. That has nothing to do with the engine.
pub(super) fn columns_live_on_the_device(environment: &Environment) -> TestResult {
    // No engine knows where its columns lie.
    if environment.engine.name() != Engine::default().name() {
        return Ok(());
    }
    let (count, device) = (24_u32, &environment.device);
    let flags = environment.shared(&vec![0_u32; count as usize + 1])?;
    let indices = environment.shared(&(0..=count).collect::<Vec<u32>>())?;
    let written = indices.to_column()?;
    // The column is as the array was.
    indices.fill(7)?;
    let uploaded = device.column(written.to_vec()?)?;
    let memory = device.shared(&(1..=count).collect::<Vec<u32>>())?;
    let address = memory.device_memory().map_or(0, |memory| memory.address(0));
    let adopted = device.adopt_column(Other(memory, address)).map_err(Error::from);
    expect_eq!(adopted.is_ok(), device.is_gpu() && !environment.backend.is_cluster(), "adoption");
    let from = adopted.unwrap_or(written.range(1..)?);
    expect_eq!((from.len(), from.to_vec()?[5]), (count as usize, 6), "what is there");
    let mut batches = [device.batch(), device.batch()];
    // Each waits for the next one.
    batches[0].push_columns(pass_on::columns(&flags, from.clone(), written.range(..count as usize)?))?;
    batches[1].push_columns(pass_on::columns(&flags, &from, &uploaded.range(..=23)?))?;
    batches[1].push_columns(raise_flag::columns(&flags, uploaded.range(24..)?))?;
    drop((from, written, uploaded));
    let chunks = environment.options().chunk_size(8);
    for _ in 0..2 {
        flags.fill(0)?;
        let waiting = environment.run_with(&batches[0], &chunks)?;
        expect_eq!(
            (waiting.committed, waiting.unresolved),
            (0, u64::from(count)),
            "nothing raises a flag\n{waiting}\n"
        );
        let listed = &waiting.unresolved_transactions[13];
        expect_eq!(listed.arguments, [("from", "14".to_owned()), ("to", "13".to_owned())], "arguments");
        flags.write_range(count as usize, &[1])?;
        run_all(environment, &batches[0], &chunks)?;
        expect_eq!(flags.to_vec()?, vec![1; count as usize + 1], "flags");
        flags.fill(0)?;
        let report = run_all(environment, &batches[1], &chunks)?;
        expect_eq!(flags.to_vec()?, vec![1; count as usize + 1], "flags of the other batch");
        expect_eq!(report.committed_bits()?, [(1 << (count + 1)) - 1], "bits");
    }
    Ok(())
}

/// Scalars that the batch reads where they are; a run leaves a part of them for later rounds. The batch is cleared, and filled again.
pub(super) fn columns_are_used_again(environment: &Environment) -> TestResult {
    let count = 24_u32;
    let flags = environment.shared(&vec![0_u32; count as usize + 1])?;
    // Each waits for the next one.
    let (from, to): (Vec<u32>, Vec<u32>) = (0..count).map(|at| (at + 1, at)).unzip();
    let mut batch = environment.device.batch();
    let tickets = batch.push_columns(pass_on::columns(&flags, &from, &to))?;
    expect_eq!(tickets.transactions(), 0..count as usize, "transactions");
    let chunks = environment.options().chunk_size(8);
    let waiting = environment.run_with(&batch, &chunks)?;
    expect_eq!((waiting.committed, waiting.unresolved), (0, u64::from(count)), "nothing raises a flag\n{waiting}\n");
    let listed = &waiting.unresolved_transactions[5];
    expect_eq!(listed.arguments, [("from", "6".to_owned()), ("to", "5".to_owned())], "arguments");

    let raised = batch.push(raise_flag::call(&flags, count));
    run_all(environment, &batch, &chunks)?;
    expect_eq!(flags.to_vec()?, vec![1; count as usize + 1], "flags");

    batch.clear();
    expect!(batch.is_empty() && batch.kernels().len() == 0, "a batch that was cleared");
    let flags = environment.shared(&[0_u32; 3])?;
    let first = batch.push(pass_on::call(&flags, 1, 0));
    batch.push_columns(raise_flag::columns(&flags, &to[1..3]))?;
    let report = run_all(environment, &batch, &environment.options())?;
    expect_eq!(report.outcome(first), Outcome::Committed(()), "the first transaction");
    expect_eq!(report.outcome(raised), Outcome::Unresolved(UnresolvedReason::NotRun), "one from before");
    expect_eq!(flags.to_vec()?, [1, 1, 1], "flags");

    let later = vec![2_u32, 0];
    let mut batch = batch.cleared();
    let tickets = batch.push_columns(raise_flag::columns(&flags, &later))?;
    let report = run_all(environment, &batch, &environment.options())?;
    expect!(tickets.iter().all(|ticket| report.outcome(ticket).is_committed()), "commits\n{report}");
    Ok(())
}

fn run_all(
    environment: &Environment,
    batch: &Batch,
    options: &RunOptions,
) -> Result<stm_runtime::Report, crate::failure::Failure> {
    environment.run_all_with(batch, options)
}

/// Lists and calls that a pipeline takes, and runs in the background: several batches are on their way at once where a device can do that.
pub(super) fn batches_overlap(environment: &Environment) -> TestResult {
    let flags = environment.shared(&[0_u32; 112])?;
    let options = PipelineOptions::new().max_transactions(12).run(environment.options());
    let pipeline = environment.device.pipeline(options)?;
    let mut lists = Vec::new();
    for first in (0..88).step_by(11) {
        let places: Vec<u32> = (first..first + 10).rev().collect();
        // A pipeline writes ranges out.
        lists.push(match first % 2 {
            0 => pipeline.submit_columns(raise_flag::columns(&flags, &places))?,
            _ => pipeline.submit_columns(raise_flag::columns(&flags, first..first + 10))?,
        });
        drop(pipeline.submit(raise_flag::call(&flags, first + 10))?);
    }
    for list in &lists {
        let report = list.wait()?;
        expect!(list.tickets().iter().all(|ticket| report.outcome(ticket).is_committed()), "commits\n{report}");
        expect!(report.serializable() != Some(false), "the proof of a batch\n{report}");
    }
    let totals = pipeline.close()?;
    expect_eq!((totals.transactions, totals.committed, totals.failed), (88, 88, 0), "transactions");
    let mut runs = Vec::new();
    for first in [88, 96, 104] {
        let mut batch = environment.device.batch();
        batch.push_columns(raise_flag::columns(&flags, (first..first + 8).collect::<Vec<u32>>()))?;
        runs.push(batch.start_with(&environment.options()));
    }
    expect_eq!(flags.to_vec()?, [1; 112], "flags");
    runs.into_iter().try_for_each(|run| run.wait().map(drop).map_err(Into::into))
}

/// Columns of partition numbers.
pub(super) fn columns_of_parts(environment: &Environment) -> TestResult {
    let counters = environment.device.partitioned::<u32, COUNTERS>(&[0; 3 * COUNTERS])?;
    let places = environment.device.partitioned::<u8, 2>(&[1, 3].repeat(3))?;
    let parts: Vec<u32> = (0..30).map(|k| k * k % 3).collect();
    let at: Vec<u32> = (0..30).map(|k| k % 2).collect();
    let mut batch = environment.device.batch();
    let (of_places, of_counters) = (places.part_column(&parts)?, counters.part_column(parts.clone())?);
    batch.push_columns(count_found::columns(of_places, of_counters, &at))?;
    environment.run_all(&batch)?;
    let mut expected = [0; 3 * COUNTERS];
    parts.iter().zip(&at).for_each(|(part, at)| expected[*part as usize * COUNTERS + [1, 3][*at as usize]] += 1);
    expect_eq!(counters.to_vec()?, expected, "counters");
    Ok(())
}
