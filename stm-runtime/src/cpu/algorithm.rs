//! The two algorithms of CPU threads.

use crate::engine::Engine;
use crate::outcome::Algorithm;

/// Returns whether the engine runs sequentially: the engine with one thread on a GPU does so on the CPU too.
pub(super) fn is_sequential(engine: Engine) -> bool {
    engine.spec().is_sequential()
}

/// Returns the algorithm that runs for an engine.
pub(super) fn of(asked: Engine) -> Algorithm {
    if is_sequential(asked) { Algorithm::CpuSerial { asked } } else { Algorithm::CpuThreads { asked } }
}
