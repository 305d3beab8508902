//! Work on as many processors as there are.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What a function makes of each item, in their order.
pub(crate) fn side_by_side<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    *results[at].lock().expect("no panics while locked") = Some(work(item));
                }
            });
        }
    });
    let done =
        |result: Mutex<Option<R>>| result.into_inner().expect("no panics while locked").expect("every item is done");
    results.into_iter().map(done).collect()
}
