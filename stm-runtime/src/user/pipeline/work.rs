//! The threads that run the batches of a pipeline. They take them out in turn, so that the runs line up for their arrays in the order of the
//! batches. Then one batch can be copied to the device, or its report be made, while another one runs.

use std::sync::{Arc, Mutex, PoisonError};

use super::intake::Intake;
use super::parcel::FillingBatch;
use super::round::Round;
use crate::backend::Device;
use crate::error::Error;
use crate::threads;
use crate::user::options::RunOptions;
use crate::user::running::caught;

/// What the threads share.
struct Work {
    intake: Arc<Intake>,
    options: RunOptions,
    /// Whose turn it is to take a batch out.
    turn: Mutex<()>,
}

/// Starts the threads, each with a batch to fill. If the system refuses some, the others do all the work.
pub(super) fn start(device: &Device, intake: &Arc<Intake>, options: &RunOptions, workers: usize) -> Result<(), Error> {
    let work = Arc::new(Work { intake: intake.clone(), options: options.clone(), turn: Mutex::new(()) });
    for worker in 0..workers {
        let (own, other) = (work.clone(), FillingBatch::new(device.batch()));
        let started = threads::detach(move || own.run(other));
        if let Err(error) = started {
            if worker == 0 {
                return Err(error);
            }
            intake.leave_unstarted(workers - worker);
            break;
        }
    }
    Ok(())
}

/// A thread that works, and the round of its batch, with the number of its transactions.
struct AtTheEnd<'a>(&'a Intake, Option<(Arc<Round>, usize)>);

impl Drop for AtTheEnd<'_> {
    fn drop(&mut self) {
        self.0.leave(self.1.take());
    }
}

impl Work {
    /// Runs one batch after the other.
    fn run(&self, mut other: FillingBatch) {
        let mut end = AtTheEnd(&self.intake, None);
        loop {
            let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            let Some((mut filling, round)) = self.intake.next(other) else { break };
            end.1 = Some((round.clone(), filling.len()));
            // Whatever panics, the tickets have to learn of it, and the next batches have to run.
            let report = caught(|| {
                let batch = filling.batch();
                let due = batch.resolve(&self.options).and_then(|options| batch.due(options));
                drop(turn);
                let due = due?;
                filling.fill(&self.intake.kept)?;
                filling.batch().run_due(due)
            });
            self.intake.ended(filling.len(), &round, report);
            end.1 = None;
            other = filling.cleared();
        }
    }
}
