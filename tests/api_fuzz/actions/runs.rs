//! Runs: alone, together, and stopped by others.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use stm_runtime::prelude::*;
use stm_tests::draw::Draw;

use super::batches::some;
use super::progress::PLANNED;
use crate::verify;
use crate::world::{Checked, Entry, Sort, World, must};

/// The result of a run; `None` where its own progress function panicked as planned.
type Ran = Result<Option<Result<Report, Error>>, String>;

fn caught(batch: &Entry) -> Ran {
    match panic::catch_unwind(AssertUnwindSafe(|| batch.inner.run_with(&batch.options))) {
        Ok(result) => Ok(Some(result)),
        Err(payload) if verify::may_panic(batch) && payload.downcast_ref() == Some(&PLANNED) => Ok(None),
        Err(payload) => panic::resume_unwind(payload),
    }
}

/// Runs a batch, sometimes while another thread sets its stop flag or reads its arrays.
pub(super) fn run(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let Some(at) = some(world, draw) else { return Ok(()) };
    let stop = world.batches[at].settings.stop.clone().filter(|_| draw.chance(200));
    let after = Duration::from_micros(draw.bits() % 3000);
    world.call(match stop {
        Some(_) => format!("run batch {at}, and stop it after {after:?}"),
        None => format!("run batch {at}"),
    });
    world.batches[at].settings.may_be_stopped |= stop.is_some();
    let batch = &world.batches[at];
    let reads = batch.shelves.first().filter(|_| draw.chance(100));
    let array = reads.and_then(|shelf| Some(world.shelves[*shelf].held.as_ref()?.again()));
    let (ran, read) = thread::scope(|scope| {
        let stopper = stop.map(|stop| scope.spawn(move || set_later(&stop, after)));
        let reader = array.map(|array| scope.spawn(move || array.words()));
        let ran = caught(batch);
        stopper.into_iter().for_each(|stopper| stopper.join().expect("setting a flag does not panic"));
        (ran, reader.map(|reader| reader.join()))
    });
    if let Some(read) = read {
        must!(matches!(read, Ok(Ok(_))), "another thread cannot read an array of batch {at}: {read:?}");
    }
    match ran? {
        Some(result) => verify::run(world, at, result),
        None => reread(world, at),
    }
}

fn set_later(stop: &Arc<AtomicBool>, after: Duration) {
    thread::sleep(after);
    stop.store(true, Ordering::Relaxed);
}

/// Takes over the contents of the arrays of a batch.
fn reread(world: &mut World<'_>, at: usize) -> Checked {
    let shelves = world.reached(at);
    shelves.into_iter().try_for_each(|shelf| world.reread(shelf))
}

/// Runs two batches at a time; both can be the same batch, and they may share arrays.
pub(super) fn together(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let (Some(one), Some(other)) = (some(world, draw), some(world, draw)) else { return Ok(()) };
    world.call(format!("run batches {one} and {other} together"));
    world.counts.calls += 1;
    let batches = &world.batches;
    let ran = thread::scope(|scope| {
        let first = scope.spawn(|| caught(&batches[one]));
        let second = caught(&batches[other]);
        [first.join().unwrap_or_else(|panic| panic::resume_unwind(panic)), second]
    });
    for (at, ran) in [one, other].into_iter().zip(ran) {
        let Some(result) = ran? else { continue };
        if let Some(report) = verify::outcome(world, at, result)? {
            let batch = &world.batches[at];
            verify::report_alone(batch, &world.places[batch.place], &report)?;
            verify::keep(world, at, report);
        }
    }
    reread(world, one)?;
    reread(world, other)
}

/// Compiles the unit of the next run.
pub(super) fn compile(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let Some(at) = some(world, draw) else { return Ok(()) };
    world.call(format!("compile batch {at}"));
    let batch = &world.batches[at];
    match batch.inner.compile_with(&batch.options) {
        // An invalid call is an error of the next run.
        Ok(()) => {
            let refused = &world.batches[at].settings.refused;
            must!(refused.is_empty(), "batch {at} is compiled with values that mean nothing: {refused:?}");
            Ok(())
        }
        Err(why) => verify::outcome(world, at, Err(why)).map(drop),
    }
}

/// Loops as often as the value that it read says.
#[gpu_transaction(max_iterations = 1_000_000)]
fn halve(tx: &mut Tx, cells: &Shared<u64>, at: u32) -> TxResult<u32> {
    let mut value = tx.read(cells, at)?;
    let mut steps = 0;
    while value != 1 {
        value = if value % 2 == 0 { value / 2 } else { 3 * value + 1 };
        steps += 1;
    }
    tx.write(cells, at, u64::from(steps) + 1)?;
    Ok(steps)
}

/// Loops over elements of a large array. The time limit must hold, whatever the transactions do.
pub(super) fn slow_loops(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    const LIMIT: Duration = Duration::from_millis(100);
    /// Far beyond the limit, for busy machines.
    const LONGEST: Duration = Duration::from_secs(5);
    let at = draw.below(world.places.len());
    if world.places[at].sort == Sort::Emulated || world.places[at].is_refused {
        return Ok(());
    }
    let length = 40_000;
    world.call(format!("slow loops on {length} elements of device {at}"));
    let device = world.places[at].device.clone();
    let cells = device.shared(&vec![27_u64; length]).map_err(|why| why.to_string())?;
    let mut batch = device.batch();
    for at in 0..length as u32 {
        batch.push(halve::call(&cells, at));
    }
    let begin = Instant::now();
    let report = batch.run_with(&RunOptions::new().time_limit(LIMIT)).map_err(|why| why.to_string())?;
    must!(begin.elapsed() < LONGEST, "a limit of {LIMIT:?} was kept after {:?}", begin.elapsed());
    must!(report.committed + report.unresolved == length as u64, "{report}");
    Ok(())
}
