//! The threads that submit transfers, and those that wait for their outcomes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use examples::Transfers;
use gpu_transactions::prelude::*;
use gpu_transactions::{Pipeline, Submission, Submissions};

use crate::cli::Args;
use crate::latency::Latencies;
use crate::transfer;

/// The transfers that a client draws beforehand and then submits again and again.
const DRAWN: usize = 1 << 20;
/// Of that many single transfers, one is measured.
const MEASURED: usize = 1 << 8;

/// What the threads share.
pub(crate) struct Clients<'a> {
    pub(crate) args: &'a Args,
    pub(crate) pipeline: &'a Pipeline,
    pub(crate) accounts: &'a Shared<i64>,
    pub(crate) latencies: &'a Latencies,
    pub(crate) stop: &'a AtomicBool,
}

/// A ticket that is waited for.
enum Waiting {
    One(Submission),
    List(Submissions),
}

impl Clients<'_> {
    /// Submits transfers until the program is to stop, and measures some. Returns how many it has submitted.
    pub(crate) fn run(&self, number: u32) -> Result<u64, Error> {
        let drawn = Transfers::draw(self.args.seed + u64::from(number), self.args.accounts, DRAWN);
        let (measured, receiver) = channel();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| self.wait(receiver));
            let submitted = self.submit(&drawn, measured);
            waiting.join().expect("it does not panic")?;
            submitted
        })
    }

    fn submit(&self, drawn: &Transfers, measured: Sender<(Instant, Waiting)>) -> Result<u64, Error> {
        let list = self.args.list as usize;
        let rate = self.args.rate.map(|rate| rate as f64 / f64::from(self.args.threads));
        let (begin, mut submitted) = (Instant::now(), 0);
        for nth in 0.. {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let at = nth * list % DRAWN;
            let start = (list > 1 || nth % MEASURED == 0).then(Instant::now);
            let ticket = if list > 1 {
                Waiting::List(self.submit_list(drawn, at, list)?)
            } else {
                let call = transfer::call(self.accounts, drawn.from[at], drawn.to[at], drawn.amount[at]);
                Waiting::One(self.pipeline.submit(call)?)
            };
            submitted += list as u64;
            if let Some(start) = start {
                // The other end is there as long as this one.
                let _ = measured.send((start, ticket));
            }
            if let Some(rate) = rate {
                let due = Duration::from_secs_f64(submitted as f64 / rate);
                thread::sleep(due.saturating_sub(begin.elapsed()));
            }
        }
        Ok(submitted)
    }

    fn submit_list(&self, drawn: &Transfers, at: usize, list: usize) -> Result<Submissions, Error> {
        let rows = at.min(DRAWN - list)..at.min(DRAWN - list) + list;
        let (from, to, amount) = (&drawn.from[rows.clone()], &drawn.to[rows.clone()], &drawn.amount[rows]);
        self.pipeline.submit_columns(transfer::columns(self.accounts, from, to, amount))
    }

    /// Waits for outcomes, in the order of the submissions.
    fn wait(&self, waiting: Receiver<(Instant, Waiting)>) -> Result<(), Error> {
        for (start, ticket) in waiting {
            match ticket {
                Waiting::One(one) => _ = one.wait()?,
                Waiting::List(list) => _ = list.wait()?,
            }
            self.latencies.add(start.elapsed());
        }
        Ok(())
    }
}
