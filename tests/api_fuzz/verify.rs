//! The properties that every run must have.

use stm_runtime::report::LISTED;
use stm_runtime::{Error, GpuError, Outcome, Report, UnresolvedReason};

use crate::call::End;
use crate::order::Case;
use crate::settings::Progress;
use crate::world::{Checked, Entry, Place, Sort, World, Wrong, must, show};

/// Threads in flight that every device supports.
const MANY_THREADS: usize = 1000;
/// The largest number of transactions of a report that is printed in full.
const PRINTED: usize = 300;

/// Verifies an undisturbed run: its report, its order, and the arrays.
pub(crate) fn run(world: &mut World<'_>, at: usize, result: Result<Report, Error>) -> Checked {
    let shelves = world.reached(at);
    let report = match outcome(world, at, result)? {
        Some(report) => report,
        None => {
            let emulated = world.places[world.batches[at].place].sort == Sort::Emulated;
            return shelves.into_iter().try_for_each(|shelf| match emulated {
                true => world.reread(shelf),
                false => world.compare(shelf),
            });
        }
    };
    let ends = report_alone(&world.batches[at], &world.places[world.batches[at].place], &report)?;
    order(world, at, &ends)?;
    conserved(world, at)?;
    shelves.into_iter().try_for_each(|shelf| world.reread(shelf))?;
    keep(world, at, report);
    Ok(())
}

/// Keeps a report for later calls.
pub(crate) fn keep(world: &mut World<'_>, at: usize, report: Report) {
    const MOST: usize = 4;
    if world.reports.len() == MOST {
        world.reports.remove(0);
    }
    let transactions = world.batches[at].transactions.len();
    world.reports.push((at, transactions, report));
}

/// Returns the report, unless the run had to fail, or was allowed to fail.
pub(crate) fn outcome(world: &mut World<'_>, at: usize, result: Result<Report, Error>) -> Checked<Option<Report>> {
    world.counts.runs += 1;
    let batch = &world.batches[at];
    let error = match result {
        Ok(report) => {
            must!(batch.wrong.is_none(), "a batch with a call that does not fit ({:?}) ran", batch.wrong);
            must!(
                batch.settings.refused.is_empty(),
                "a batch ran with values that mean nothing: {:?}",
                batch.settings.refused
            );
            return Ok(Some(report));
        }
        Err(error) => error,
    };
    world.counts.errors += 1;
    must!(!error.to_string().is_empty(), "an error without words: {error:?}");
    let must_be = match (batch.wrong, &error) {
        (Some(Wrong::Foreign), Error::ForeignArray { .. }) | (Some(Wrong::PartsDiffer), Error::PartsDiffer { .. }) => {
            true
        }
        (Some(_), _) => false,
        (None, Error::OptionValue { .. }) => !batch.settings.refused.is_empty(),
        (None, error) => may_fail(batch, &world.places[batch.place], error),
    };
    must!(must_be, "batch {at} ({:?}) fails with: {error}", batch.wrong);
    Ok(None)
}

/// Returns true if a device may refuse the batch, or run out of a resource.
fn may_fail(batch: &Entry, place: &Place, error: &Error) -> bool {
    let Error::Gpu(error) = error else { return false };
    let threads = batch.settings.threads.unwrap_or(MANY_THREADS);
    let specs = || batch.settings.engines.iter().map(|engine| engine.spec());
    match error {
        GpuError::TooManyThreads { most, .. } => threads as u64 > *most,
        GpuError::NotInParts { .. } => specs().any(|spec| spec.requires.partitions),
        GpuError::PartsTooLarge { .. } => batch.settings.little_local_memory,
        GpuError::TooManyElements { .. } => specs().any(|spec| spec.requires.max_footprint.is_some()),
        GpuError::OutOfMemory { .. } | GpuError::StepLimit { .. } | GpuError::NoProgress { .. } => place.is_poor,
        GpuError::Emulator { .. } => place.is_poor || threads > MANY_THREADS,
        _ => false,
    }
}

/// Checks the properties of any report of the batch. Returns how each transaction ended.
pub(crate) fn report_alone(batch: &Entry, place: &Place, report: &Report) -> Checked<Vec<End>> {
    let all = batch.transactions.len() as u64;
    let Report { committed, rejected, faulted, unresolved, .. } = *report;
    must!(report.transactions == all, "{} transactions reported, not {all}", report.transactions);
    must!(committed + rejected + faulted + unresolved == all, "statuses do not add up\n{report}");
    must!(report.codes.values().sum::<u64>() == rejected, "codes do not add up: {:?}", report.codes);
    must!(report.faults.len() as u64 == faulted.min(LISTED as u64), "{} faults listed", report.faults.len());
    let listed = report.unresolved_transactions.len();
    must!(listed as u64 == unresolved.min(LISTED as u64), "{listed} unresolved listed of {unresolved}");
    must!(
        report.proof.is_some() == batch.settings.check,
        "checked: {}, proof: {:?}",
        batch.settings.check,
        report.proof
    );
    must!(report.serializable() != Some(false), "not serializable\n{report}");
    must!(
        report.conflict_locations.is_empty() || batch.settings.profile,
        "conflicts by line, without a request for them"
    );
    must!((0.0..).contains(&report.rate()), "a rate of {}", report.rate());
    must!(report.is_complete() == (unresolved == 0), "complete with {unresolved} unresolved");
    must!(report.phases.is_none() || place.sort == Sort::Emulated, "phases on CPU threads");
    must!(report.to_string().contains("transactions on"), "it does not print\n{report}");
    must!(all > PRINTED as u64 || format!("{report:?}").contains("Report"), "it has no debugging form");
    let ends: Vec<End> = batch.ended.iter().take(batch.transactions.len()).map(|ended| ended(report)).collect();
    let count = |is: fn(&End) -> bool| ends.iter().filter(|end| is(end)).count() as u64;
    must!(count(|end| matches!(end, End::Committed(_))) == committed, "tickets tell other commits\n{report}");
    must!(count(|end| matches!(end, End::Rejected(_))) == rejected, "tickets tell other rejections\n{report}");
    must!(count(|end| matches!(end, End::Faulted(..))) == faulted, "tickets tell other faults\n{report}");
    transactions(report, &ends)?;
    reasons(batch, &ends)?;
    Ok(ends)
}

/// Checks that the outcomes by number are those of the tickets.
fn transactions(report: &Report, ends: &[End]) -> Checked {
    for (transaction, end) in ends.iter().enumerate().take(64) {
        // Without components, the type of the result makes no difference.
        let by_number = report.outcome_at::<()>(transaction);
        let same = match (&by_number, end) {
            (Ok(Outcome::Committed(())), End::Committed(_)) => true,
            (Ok(Outcome::Faulted(fault)), End::Faulted(..)) => fault.transaction == transaction,
            (Ok(Outcome::Rejected(code)), End::Rejected(same)) => code == same,
            (Ok(Outcome::Unresolved(why)), End::Unresolved(same)) => why == same,
            _ => false,
        };
        must!(same, "transaction {transaction} is {by_number:?} by its number and {end:?} by its ticket");
    }
    for outside in [ends.len(), ends.len() + 1, usize::MAX] {
        let outcome = report.outcome_at::<u64>(outside);
        must!(
            outcome == Ok(Outcome::Unresolved(UnresolvedReason::NotRun)),
            "transaction {outside} of {}: {outcome:?}",
            ends.len()
        );
    }
    Ok(())
}

/// Checks that the options of the batch allow the reason of each unresolved transaction.
fn reasons(batch: &Entry, ends: &[End]) -> Checked {
    for (transaction, end) in ends.iter().enumerate() {
        let End::Unresolved(why) = end else { continue };
        let settings = &batch.settings;
        let may_be = match why {
            UnresolvedReason::GuardNeverHeld => true,
            UnresolvedReason::PassLimit => settings.pass_limit.is_some(),
            UnresolvedReason::TimeLimit => settings.time_limit.is_some(),
            UnresolvedReason::Stopped => settings.can_be_stopped(),
            _ => false,
        };
        must!(may_be, "transaction {transaction} is unresolved because {why}");
    }
    Ok(())
}

/// Checks that some serial order explains the run: the order of the batch where its transactions ran one at a time.
fn order(world: &mut World<'_>, at: usize, ends: &[End]) -> Checked {
    let after = read(world, at)?;
    let find = |number: usize| after.iter().find(|(known, _)| *known == number).map(|(_, words)| words.clone());
    let Some(mut case) = Case::new(world, at, find) else { return Ok(()) };
    let batch = &world.batches[at];
    let settings = &batch.settings;
    let is_sequential = match world.places[batch.place].sort {
        Sort::Threads(threads) | Sort::Seeded(threads) => settings.is_sequential(threads),
        Sort::Emulated => false,
    };
    let mut is_explained = false;
    if is_sequential
        && settings.is_unlimited()
        && let Some((want, same_memory)) = case.in_order()
    {
        if let Some(transaction) = (0..ends.len()).find(|transaction| want[*transaction] != ends[*transaction]) {
            let name = batch.transactions[transaction].procedure.name;
            return Err(format!(
                "transaction {transaction}, {name}: {:x?}, and must be {:x?}",
                ends[transaction], want[transaction]
            ));
        }
        must!(same_memory, "in order, the transactions of batch {at} leave other words in its arrays");
        is_explained = true;
    }
    if !is_explained {
        let found = case.some_order(ends);
        must!(found != Some(false), "no order of the transactions explains {ends:x?} and the arrays of batch {at}");
        is_explained = found == Some(true);
    }
    if settings.is_unlimited()
        && let Some(transaction) = case.could_go_on(ends)
    {
        return Err(format!("transaction {transaction} is left, and its guard holds in the end"));
    }
    world.counts.explained += u64::from(is_explained);
    Ok(())
}

/// Returns the current words of the arrays of a batch, by component.
fn read(world: &World<'_>, at: usize) -> Checked<Vec<(usize, Vec<u64>)>> {
    let mut all = Vec::new();
    for shelf in world.batches[at].shelves.iter().map(|shelf| &world.shelves[*shelf]) {
        let Some(held) = &shelf.held else { continue };
        let words = held.words().map_err(|why| format!("an array cannot be read after a run: {why}"))?;
        all.extend(shelf.components.iter().copied().zip(words));
    }
    Ok(all)
}

/// Checks that the sums that no procedure of the batch changes are as before.
fn conserved(world: &World<'_>, at: usize) -> Checked {
    let batch = &world.batches[at];
    if !batch.transactions.iter().all(|transaction| transaction.procedure.conserves) {
        return Ok(());
    }
    let sum = |words: &[u64]| words.iter().fold(0_u64, |sum, word| sum.wrapping_add(*word)) as u32;
    // A procedure that conserves the sum of an array need not conserve the sum of one field.
    for shelf in batch.shelves.iter().map(|shelf| &world.shelves[world.shelves[*shelf].whole]) {
        let Some(held) = &shelf.held else { continue };
        let words = held.words().map_err(|why| format!("an array cannot be read after a run: {why}"))?;
        let before = shelf.components.iter().map(|number| sum(&world.components[*number]));
        let (before, now) = (before.fold(0, u32::wrapping_add), words.iter().map(|words| sum(words)));
        let now = now.fold(0, u32::wrapping_add);
        must!(before == now, "the sum was {before}, is {now}, and must not change: {}", show(&words.concat()));
    }
    Ok(())
}

/// Returns true if a run may end by a panic of its own progress function, the only panic that is allowed.
pub(crate) fn may_panic(batch: &Entry) -> bool {
    batch.settings.progress == Progress::Panics
}
