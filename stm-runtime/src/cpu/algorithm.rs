//! The two algorithms of CPU threads.

use crate::engine::Engine;
use crate::outcome::Algorithm;

/// The engine that may use one thread only is the sequential one, here too.
pub(super) fn is_sequential(engine: Engine) -> bool {
    engine.spec().is_sequential()
}

/// Returns the algorithm that runs where an engine is asked for.
pub(super) fn of(asked: Engine) -> Algorithm {
    if is_sequential(asked) { Algorithm::CpuSerial { asked } } else { Algorithm::CpuThreads { asked } }
}
