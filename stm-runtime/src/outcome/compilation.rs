//! How the units of a run were obtained, and where the time went.

use std::fmt;
use std::time::Duration;

use crate::engine::Engine;

/// One unit of a run: the kernels of an engine for the batch, in the variant that the options of the run need.
///
/// A run has one unit. After [`Selection::auto`](crate::Selection::auto) it has one for each candidate that was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compilation {
    /// The engine.
    pub engine: Engine,
    /// Its threads measure their phases ([`RunOptions::phases`](crate::RunOptions::phases)).
    pub timed: bool,
    /// It records a history ([`RunOptions::check`](crate::RunOptions::check)).
    pub checked: bool,
    /// It counts conflicts by location ([`RunOptions::profile`](crate::RunOptions::profile)).
    pub profiled: bool,
    /// Where it comes from.
    pub origin: Origin,
    /// Where the time went.
    pub times: CompileTimes,
}

/// Where a unit comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Origin {
    /// An earlier run of this process had loaded it.
    #[default]
    Memory,
    /// From the kernel cache on disk.
    Disk,
    /// Compiled now.
    Compiled {
        /// The parts that were compiled, all at once as far as there are processors; 1 for a unit in one piece.
        parts: u32,
        /// The parts that were in the kernel cache on disk.
        found: u32,
    },
}

/// Where the time of compiling went. The times add up to [`Times::compile`](super::Times::compile).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct CompileTimes {
    /// Making the text of the unit, and the keys of the caches.
    pub text: Duration,
    /// Looking the unit up in memory. It includes waiting for a thread that is compiling the same unit.
    pub memory: Duration,
    /// Looking it up in the kernel cache on disk, reading it, and storing it there.
    pub disk: Duration,
    /// The compiler: NVRTC, or the host's C++ compiler for the emulator. For parts, from the first to the last; it includes looking
    /// them up on disk.
    pub compiler: Duration,
    /// Linking the parts.
    pub linker: Duration,
    /// Loading the machine code into the driver.
    pub loading: Duration,
}

impl CompileTimes {
    /// Returns the sum.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.by_step().into_iter().map(|(_, time)| time).sum()
    }

    /// Returns each time with its name, in the order of the steps.
    #[must_use]
    pub fn by_step(&self) -> [(&'static str, Duration); 6] {
        [
            ("text", self.text),
            ("memory", self.memory),
            ("disk", self.disk),
            ("compiler", self.compiler),
            ("linker", self.linker),
            ("loading", self.loading),
        ]
    }

    /// Adds the times of another unit.
    pub(crate) fn add(&mut self, other: &CompileTimes) {
        self.text += other.text;
        self.memory += other.memory;
        self.disk += other.disk;
        self.compiler += other.compiler;
        self.linker += other.linker;
        self.loading += other.loading;
    }
}

impl Origin {
    /// Returns `memory`, `disk` or `compiled`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Origin::Memory => "memory",
            Origin::Disk => "disk",
            Origin::Compiled { .. } => "compiled",
        }
    }
}

/// Prints `compiled`, `compiled in 3 parts`, `from disk` or `from memory`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Memory => f.write_str("from memory"),
            Origin::Disk => f.write_str("from disk"),
            Origin::Compiled { parts: 1, found: 0 } => f.write_str("compiled"),
            Origin::Compiled { parts, found: 0 } => write!(f, "compiled in {parts} parts"),
            Origin::Compiled { parts, found } => write!(f, "compiled in {parts} parts, with {found} from disk"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_add_up() {
        let step = |n: u64| Duration::from_millis(1 << n);
        let mut times = CompileTimes {
            text: step(0),
            memory: step(1),
            disk: step(2),
            compiler: step(3),
            linker: step(4),
            loading: step(5),
        };
        assert_eq!(times.total(), Duration::from_millis(63));
        let one = times;
        times.add(&one);
        assert_eq!(times.total(), Duration::from_millis(126));
        assert!(times.by_step().iter().zip(one.by_step()).all(|(both, one)| both.1 == 2 * one.1 && both.0 == one.0));
    }

    #[test]
    fn an_origin_in_words() {
        let compiled = |parts, found| Origin::Compiled { parts, found }.to_string();
        assert_eq!(
            [compiled(1, 0), compiled(3, 0), compiled(2, 1)],
            ["compiled", "compiled in 3 parts", "compiled in 2 parts, with 1 from disk"]
        );
        assert_eq!([Origin::Memory.to_string(), Origin::Disk.to_string()], ["from memory", "from disk"]);
    }
}
