//! A run on threads under locks.

use crate::cpu::stage::Stage;
use crate::cpu::state::{CpuRun, Left};
use crate::cpu::statistics::WorkerStatistics;
use crate::cpu::supply::Supply;
use crate::cpu::team::Team;
use crate::cpu::worker::Worker;
use crate::error::Error;
use crate::tx::attempt::Attempt;
use crate::tx::turns::Turns;

/// Runs all transactions of a batch on that many threads; with a seed, one at a time.
pub(super) fn work(
    run: &CpuRun<'_>,
    team: &Team<'_>,
    threads: usize,
    seed: Option<u64>,
) -> Result<Vec<WorkerStatistics>, Error> {
    let stage = Stage::last(Supply::of(0..run.job.transactions, threads), Left::default());
    let turns = seed.map(|seed| Turns::new(threads, seed));
    let member = |thread| {
        let mut attempt = Attempt::new(run.views.to_vec(), thread as u64);
        attempt.turn = turns.as_ref().map(|turns| Box::new(turns.of(thread)));
        let worker = Worker::new(run, &stage, thread, attempt);
        move || worker.run()
    };
    let missing = |thread| turns.iter().for_each(|turns| drop(turns.of(thread)));
    team.work(threads, member, missing)
}
