//! Compiles kernels in parallel before a sweep begins. Compiled one after the other, each before its first run, they take most of
//! the time of a sweep of short runs.

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use stm_runtime::Device;

use crate::cell::Key;
use crate::contender::Contender;
use crate::interrupt::Stop;
use crate::measure::Point;

/// Compiles what the points need under their engines, on all processors. A failure here recurs in the measurement, and is reported
/// there.
pub(crate) fn compile(points: &[(&Point<'_>, Vec<(Contender, &Key)>)], device: &Device, stop: &Stop) {
    if points.iter().map(|(_, engines)| engines.len()).sum::<usize>() < 2 {
        return;
    }
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((point, engines)) = points.get(next.fetch_add(1, Ordering::Relaxed)) {
            if stop.is_asked() {
                return;
            }
            let engines: Vec<Contender> = engines.iter().map(|(engine, _)| *engine).collect();
            if let Ok((workload, _)) = point.entry.open(&point.given) {
                // A benchmark may panic, here as in its runs.
                let _ = catch_unwind(AssertUnwindSafe(|| workload.compile(device, &engines, &point.options)));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get).min(points.len()) {
            scope.spawn(work);
        }
    });
}
