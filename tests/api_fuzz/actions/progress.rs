//! Progress functions that read, run, stop and panic.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use stm_runtime::{Device, Error, Outcome};
use stm_tests::draw::Draw;
use stm_tests::procedures::endings;

use super::batches::some;
use crate::arrays::Array;
use crate::settings::Progress;
use crate::world::{Checked, Sort, World, flag};

/// The message of planned panics of progress functions.
pub(crate) const PLANNED: &str = "a progress function panics as planned";
/// The number of planned panics.
const PANICS: u32 = 3;

const ALL: [Progress; 5] =
    [Progress::Looks, Progress::ReadsOwn, Progress::UsesOthers, Progress::Stops, Progress::Panics];

/// Sets a progress function.
pub(super) fn set(world: &mut World<'_>, draw: &mut Draw) -> Checked {
    let Some(at) = some(world, draw) else { return Ok(()) };
    let sort = *draw.pick(&ALL);
    world.call(format!("batch {at}: progress function {sort:?}"));
    let function = Function::new(world, at, sort);
    let batch = &mut world.batches[at];
    batch.settings.progress = sort;
    if sort == Progress::Stops {
        batch.change(|options| options.stop_when(function.stop.clone()));
        batch.settings.stop = Some(function.stop.clone());
        batch.settings.may_be_stopped = true;
    }
    batch.change(|options| options.progress(move |seen| function.call(seen)));
    Ok(())
}

/// A progress function and its data.
struct Function {
    sort: Progress,
    /// The arrays of the batch; `others` are arrays that it does not use.
    own: Vec<Box<dyn Array>>,
    others: Vec<Box<dyn Array>>,
    /// The device for a batch of its own; `None` in the emulator, where that would be another unit to compile.
    device: Option<Device>,
    stop: Arc<AtomicBool>,
    calls: AtomicU32,
    trouble: Arc<Mutex<Vec<String>>>,
}

impl Function {
    fn new(world: &World<'_>, at: usize, sort: Progress) -> Function {
        let batch = &world.batches[at];
        let arrays = |is_own: bool| {
            let shelves = world.shelves.iter().enumerate();
            let chosen = shelves.filter(|(number, _)| batch.shelves.contains(number) == is_own);
            chosen.filter_map(|(_, shelf)| Some(shelf.held.as_ref()?.again())).take(2).collect()
        };
        let place = &world.places[batch.place];
        Function {
            sort,
            own: arrays(true),
            others: arrays(false),
            device: (place.sort != Sort::Emulated).then(|| place.device.clone()),
            stop: flag(false),
            calls: AtomicU32::new(0),
            trouble: world.trouble.clone(),
        }
    }

    fn complain(&self, text: String) {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    fn call(&self, seen: stm_runtime::Progress) {
        if seen.finished > seen.transactions {
            self.complain(format!("{} of {} transactions are finished", seen.finished, seen.transactions));
        }
        match self.sort {
            Progress::ReadsOwn => self.read(&self.own, false),
            Progress::UsesOthers => {
                // One of them may have become an array of the batch since.
                self.read(&self.others, true);
                self.device.iter().for_each(|device| self.run(device));
            }
            Progress::Stops => self.stop.store(true, Ordering::Relaxed),
            Progress::Panics if self.calls.fetch_add(1, Ordering::Relaxed) < PANICS => std::panic::panic_any(PLANNED),
            _ => {}
        }
    }

    /// Reads arrays. The arrays of the run are in use, so reading them must fail.
    fn read(&self, arrays: &[Box<dyn Array>], may_read: bool) {
        for array in arrays {
            match array.words() {
                Err(Error::ArrayInUse) => {}
                Ok(_) if may_read => {}
                other => self.complain(format!("a progress function reads an array: {other:?}")),
            }
        }
    }

    /// Runs a batch that touches no array.
    fn run(&self, device: &Device) {
        let mut batch = device.batch();
        let ticket = batch.push(endings::nothing::call(7));
        let ran = batch.run().map(|report| report.outcome(ticket));
        if ran != Ok(Outcome::Committed(7)) {
            self.complain(format!("a run within a progress function: {ran:?}"));
        }
    }
}
