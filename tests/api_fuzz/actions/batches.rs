//! Batches, and the calls in them.

use stm_runtime::{Error, Partition};
use stm_tests::draw::Draw;
use stm_tests::procedures::bank;

use super::arrays::COVERAGES;
use crate::call::Procedure;
use crate::procedures::{ALL, named};
use crate::world::{Checked, Entry, Sort, World, must};

/// The largest number of batches in one sequence.
const MOST: usize = 8;
/// The largest number of transactions in a batch.
const MOST_TRANSACTIONS: usize = 20_000;
/// The same limit for threads that run one at a time: each step wakes another thread.
const MOST_SEEDED: usize = 200;
/// The same limit for the emulator.
const MOST_EMULATED: usize = 60;

/// The procedures of batches for the emulator: each list is one unit to compile for each engine.
const UNITS: [&[&str]; 4] = [
    &["bank::transfer", "bank::audit", "bank::deposit"],
    &["put::<Room>", "book", "check_out"],
    &["locals::pass_on", "locals::sum", "locals::count_found"],
    &["endings::grow", "endings::divide", "endings::spin", "stride", "scale"],
];

/// Creates a batch.
pub(super) fn create(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    if world.batches.len() >= MOST {
        return Ok(());
    }
    let at = draw.below(world.places.len());
    let number = world.batches.len();
    world.call(format!("batch {number} on device {at}"));
    let mut batch = Entry::new(&world.places[at], at);
    if world.places[at].sort == Sort::Emulated {
        if world.scope.all_engines && draw.chance(250) {
            batch.coverage = *draw.pick(&COVERAGES);
        }
        batch.fixed = Some(draw.pick(&UNITS).iter().map(|name| named(name)).collect());
    }
    let first = batch.fixed.clone().unwrap_or_default();
    world.batches.push(batch);
    // The order of the procedures is a part of the unit.
    first.into_iter().try_for_each(|procedure| call(world, number, procedure, draw))
}

/// Pushes a call of a procedure.
fn call(world: &mut World<'_>, batch: usize, procedure: &'static Procedure, draw: &mut Draw) -> Checked {
    (procedure.push)(procedure, world, batch, draw)
}

/// Returns the procedures that a batch may call.
fn procedures(world: &World<'_>, batch: usize) -> Vec<&'static Procedure> {
    world.batches[batch].fixed.clone().unwrap_or_else(|| ALL.iter().collect())
}

/// Pushes a few calls: of one procedure, of procedures that conserve sums, or of any.
pub(super) fn push(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let Some(batch) = some(world, draw) else { return Ok(()) };
    world.call(format!("push into batch {batch}"));
    let mut all = procedures(world, batch);
    match draw.below(4) {
        0 => all = vec![*draw.pick(&all)],
        1 => all.retain(|procedure| procedure.conserves),
        2 => all.retain(|procedure| procedure.name.starts_with("bank") || procedure.name.starts_with("guards")),
        _ => {}
    }
    for _ in 0..1 + draw.below(6) {
        if !all.is_empty() && room(world, batch) > 0 {
            let procedure = *draw.pick(&all);
            call(world, batch, procedure, draw)?;
        }
    }
    Ok(())
}

/// Pushes many calls of few procedures.
pub(super) fn push_many(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let Some(batch) = some(world, draw) else { return Ok(()) };
    let mut all = procedures(world, batch);
    if draw.chance(700) && all.iter().any(|procedure| procedure.conserves) {
        all.retain(|procedure| procedure.conserves);
    }
    let few: Vec<&'static Procedure> = (0..3).map(|_| *draw.pick(&all)).collect();
    let number = room(world, batch).min(100 + draw.below(3000));
    world.call(format!("push {number} calls into batch {batch}"));
    for _ in 0..number {
        let procedure = *draw.pick(&few);
        call(world, batch, procedure, draw)?;
    }
    Ok(())
}

/// Returns how many more transactions a batch may have here.
fn room(world: &World<'_>, batch: usize) -> usize {
    let batch = &world.batches[batch];
    let most = match world.places[batch.place].sort {
        Sort::Threads(_) => MOST_TRANSACTIONS,
        Sort::Seeded(_) => MOST_SEEDED,
        Sort::Emulated => MOST_EMULATED,
    };
    most.saturating_sub(batch.transactions.len())
}

pub(super) fn some(world: &World<'_>, draw: &mut Draw) -> Option<usize> {
    (!world.batches.is_empty()).then(|| draw.below(world.batches.len()))
}

/// Reserves room, successfully or not.
pub(super) fn reserve(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let Some(at) = some(world, draw) else { return Ok(()) };
    let number = *draw.pick(&[0, 1, 1000, 100_000, 1 << 48, usize::MAX / 2, usize::MAX]);
    world.call(format!("batch {at}: reserve({number})"));
    match world.batches[at].inner.reserve(number) {
        Ok(()) => must!(number <= 100_000, "room for {number} transactions"),
        Err(Error::HostMemory { .. }) => must!(number > 100_000, "no room for {number} transactions"),
        Err(why) => return Err(format!("reserve({number}): {why}")),
    }
    Ok(())
}

/// Calls all infallible methods.
pub(super) fn look(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let Some(at) = some(world, draw) else { return Ok(()) };
    world.call(format!("look at batch {at}"));
    let batch = &world.batches[at];
    let (batch, pushed) = (&batch.inner, batch.transactions.len());
    must!(batch.len() == pushed && batch.is_empty() == (pushed == 0), "{} of {pushed} transactions", batch.len());
    must!(format!("{batch:?}").contains("Batch"), "a batch has no debugging form");
    must!(!batch.device().to_string().is_empty(), "the device of a batch has no name");
    let kernels = batch.kernels().count();
    must!(kernels <= pushed && batch.kernels().all(|kernel| !kernel.name().is_empty()), "{kernels} kernels");
    Ok(())
}

/// Drops a batch and replaces it by an empty one.
pub(super) fn discard(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let Some(at) = some(world, draw) else { return Ok(()) };
    if world.batches[at].fixed.is_some() {
        return Ok(());
    }
    world.call(format!("drop batch {at}"));
    let place = world.batches[at].place;
    world.reports.retain(|(batch, ..)| *batch != at);
    world.batches[at] = Entry::new(&world.places[place], place);
    Ok(())
}

/// Passes one partition of an array to a procedure that takes a whole array.
pub(super) fn part_as_whole(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let at = draw.below(world.places.len());
    world.call(format!("a part of an array as a whole one on device {at}"));
    let device = world.places[at].device.clone();
    let array = device.partitioned::<i64, 8>(&[5; 16]).map_err(|why| why.to_string())?;
    let part: Partition<i64, 8> = array.part(1).map_err(|why| why.to_string())?;
    let mut batch = device.batch();
    batch.push(bank::deposit::call(&part, 0, 1));
    let report = batch.run();
    must!(matches!(report, Err(Error::NotShared { transaction: 0, .. })), "a part as a whole array: {report:?}");
    must!(array.to_vec() == Ok(vec![5; 16]), "a refused batch has changed an array");
    Ok(())
}
