//! The threads of a run: it starts them, reports the progress meanwhile, and waits for them. A thread of a team can itself let a crew
//! of threads work, stage after stage.

use std::panic;
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use crate::backend::Job;
use crate::error::Error;
use crate::inside;
use crate::progress::Progress;
use crate::stack::Stack;
use crate::threads;
use crate::tx::Alarm;

/// The time between two calls of the progress function.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);
/// Bytes of stack of the thread that watches the time limit.
const WATCH_STACK: usize = 64 << 10;

/// What the threads of a run have in common.
pub(super) struct Team<'a> {
    pub(super) job: &'a Job<'a>,
    pub(super) alarm: &'a Alarm,
    pub(super) start: Instant,
    /// Transactions with a final outcome so far.
    pub(super) finished: &'a (dyn Fn() -> u64 + Sync),
}

impl Team<'_> {
    /// Lets that many threads work, and returns their results. `member` makes the work of a thread from its number, beginning at 0.
    /// If the system gives fewer threads, those do all the work, and `missing` is called with the numbers of the others.
    ///
    /// The calling thread is one of them, unless it has to call a progress function, or its stack may be too small.
    ///
    /// # Errors
    /// The system refuses every thread, and the stack of the caller may be too small.
    pub(super) fn work<T: Send, W: FnOnce() -> T + Send>(
        &self,
        threads: usize,
        member: impl Fn(usize) -> W,
        missing: impl Fn(usize),
    ) -> Result<Vec<T>, Error> {
        let stack = Stack::of(self.job);
        let is_apart = self.job.options.progress.is_some() || !stack.suits_callers;
        thread::scope(|scope| {
            let _end = EndOfWork(self.alarm);
            let watch = || threads::spawn(scope, WATCH_STACK, || self.alarm.keep_watch());
            if self.alarm.needs_watch() && watch().is_ok() {
                self.alarm.is_watched();
            }
            let mut others: Vec<ScopedJoinHandle<'_, T>> = Vec::new();
            let mut refusal = None;
            for number in usize::from(!is_apart)..threads {
                let work = member(number);
                let inside = move || {
                    let _inside = inside::enter();
                    work()
                };
                match threads::spawn(scope, stack.bytes, inside) {
                    Ok(other) => others.push(other),
                    Err(why) => {
                        refusal = Some(why);
                        (number + 1..threads).for_each(&missing);
                        break;
                    }
                }
            }
            let mut all = Vec::with_capacity(threads);
            match refusal {
                Some(why) if others.is_empty() && !stack.suits_callers => return Err(stack.refused(&why)),
                _ if others.is_empty() || !is_apart => all.push(member(0)()),
                _ => {}
            }
            self.tell_progress(|| others.iter().all(ScopedJoinHandle::is_finished));
            for other in others {
                // A panic of the user's function continues in the thread that runs the batch.
                all.push(other.join().unwrap_or_else(|panic| panic::resume_unwind(panic)));
            }
            Ok(all)
        })
    }

    /// Returns the threads that a thread of this team can call for a stage.
    pub(super) fn crew(&self) -> Crew {
        Crew { stack: Stack::of(self.job) }
    }

    fn tell_progress(&self, all_finished: impl Fn() -> bool) {
        let Some(progress) = &self.job.options.progress else { return };
        let tell = || {
            let (finished, transactions) = ((self.finished)(), self.job.transactions as u64);
            progress(Progress { finished, transactions, elapsed: self.start.elapsed() });
        };
        let mut next = Instant::now() + PROGRESS_EVERY;
        while !all_finished() {
            // Short sleeps, so that a short run does not wait for its progress function.
            thread::sleep(Duration::from_millis(1));
            if Instant::now() >= next {
                tell();
                next = Instant::now() + PROGRESS_EVERY;
            }
        }
        tell();
    }
}

/// Threads that a thread of a team calls for a stage.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crew {
    stack: Stack,
}

impl Crew {
    /// Lets that many threads work, the calling thread among them, and returns their results. `member` makes the work of a thread
    /// from its number. If the system gives fewer threads, those do all the work.
    pub(super) fn work<T: Send, W: FnOnce() -> T + Send>(self, threads: usize, member: impl Fn(usize) -> W) -> Vec<T> {
        thread::scope(|scope| {
            let mut others: Vec<ScopedJoinHandle<'_, T>> = Vec::new();
            for number in 1..threads {
                let work = member(number);
                let inside = move || {
                    let _inside = inside::enter();
                    work()
                };
                match threads::spawn(scope, self.stack.bytes, inside) {
                    Ok(other) => others.push(other),
                    Err(_) => break,
                }
            }
            let mut all = vec![member(0)()];
            for other in others {
                all.push(other.join().unwrap_or_else(|panic| panic::resume_unwind(panic)));
            }
            all
        })
    }
}

/// Ends the deadline watch after the work. If this thread panics, it also ends the work.
struct EndOfWork<'a>(&'a Alarm);

impl Drop for EndOfWork<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.give_up();
        }
        self.0.end_watch();
    }
}
