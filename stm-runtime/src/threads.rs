//! Host threads for divisible work.

use std::io;
use std::sync::{Arc, Barrier, Mutex, OnceLock, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle};

use crate::error::Error;
use crate::memory;

/// The stack of a thread whose work needs little.
const USUAL_STACK: usize = 2 << 20;
/// What a thread needs beside its stack before it runs. Rust ends the process where the system refuses that.
const BESIDE: usize = 1 << 20;

/// Returns the number of threads that the machine runs in parallel.
pub(crate) fn processors() -> usize {
    // To ask takes half as long as the smallest run: the system's answer is in files.
    static KNOWN: OnceLock<usize> = OnceLock::new();
    *KNOWN.get_or_init(|| thread::available_parallelism().map_or(1, usize::from))
}

/// Starts a thread with that many bytes of stack, if there is memory for it.
pub(crate) fn spawn<'s, T: Send + 's>(
    scope: &'s Scope<'s, '_>,
    stack: usize,
    work: impl FnOnce() -> T + Send + 's,
) -> io::Result<ScopedJoinHandle<'s, T>> {
    let builder = builder(stack)?;
    let start = Start::new();
    let thread = builder.spawn_scoped(scope, start.clone().then(work))?;
    start.wait();
    Ok(thread)
}

/// Starts a thread that runs batches and may outlive the caller, if there is memory for it.
pub(crate) fn detach(work: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let start = Start::new();
    let started = builder(USUAL_STACK).and_then(|builder| builder.spawn(start.clone().then(work)));
    started.map(|_| start.wait()).map_err(|why| Error::NoThread { stack: USUAL_STACK as u64, why: why.to_string() })
}

fn builder(stack: usize) -> io::Result<thread::Builder> {
    let room = memory::ask::<u8>("a thread", stack.saturating_add(BESIDE));
    room.map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    Ok(thread::Builder::new().stack_size(stack))
}

/// The start of a thread. The thread that starts another one waits until that one runs, and so has what it needs beside its stack:
/// otherwise the memory that there was for it could be taken meanwhile.
#[derive(Clone)]
struct Start(Arc<Barrier>);

impl Start {
    fn new() -> Start {
        Start(Arc::new(Barrier::new(2)))
    }

    /// Returns the work of the thread, which first says that it runs.
    fn then<T>(self, work: impl FnOnce() -> T) -> impl FnOnce() -> T {
        move || {
            self.wait();
            work()
        }
    }

    fn wait(&self) {
        self.0.wait();
    }
}

/// Processes each item, on this thread and on others, at most `most` in all. If the system refuses threads, fewer do all the work.
pub(crate) fn share<T: Send>(most: usize, items: impl Iterator<Item = T> + Send, work: impl Fn(T) + Sync) {
    let items = Mutex::new(items);
    let take = || {
        while let Some(item) = next(&items) {
            work(item);
        }
    };
    thread::scope(|scope| {
        for _ in 1..most {
            let _ = spawn(scope, USUAL_STACK, take);
        }
        take();
    });
}

/// Takes the next item.
pub(crate) fn next<T>(items: &Mutex<impl Iterator<Item = T>>) -> Option<T> {
    items.lock().unwrap_or_else(PoisonError::into_inner).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_is_taken_once() {
        for most in [0, 1, 3, 100] {
            let mut items = vec![0_u32; 1000];
            share(most, items.iter_mut(), |item| *item += 1);
            assert_eq!(items, [1; 1000]);
        }
        share(4, std::iter::empty::<u32>(), |_| unreachable!("there is nothing to do"));
    }
}
