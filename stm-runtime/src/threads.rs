//! Host threads for divisible work.

use std::sync::{Mutex, PoisonError};
use std::thread;

/// Returns the number of threads that the machine runs in parallel.
pub(crate) fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
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
            let _ = thread::Builder::new().spawn_scoped(scope, take);
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
