//! The algorithm that ran a batch, and the shape of its launches.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::digits::grouped;
use crate::engine::Engine;
use crate::tuning::encoding;

/// The algorithm that ran a batch. `Display` names it, and on CPU threads the requested engine too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Algorithm {
    /// An engine with its parameters, on a GPU.
    Gpu(#[serde(with = "encoding::engine")] Engine),
    /// The engine of CPU threads.
    CpuThreads {
        /// The requested engine.
        #[serde(with = "encoding::engine")]
        asked: Engine,
    },
    /// One transaction at a time on a CPU.
    CpuSerial {
        /// The requested engine.
        #[serde(with = "encoding::engine")]
        asked: Engine,
    },
    /// Stages on a CPU, as the plan chose them where no engine was requested. Each transaction with a final outcome counts once.
    CpuPlan {
        /// Transactions that wrote nothing, run before all others on as many threads as paid.
        at_rest: u64,
        /// Transactions that one thread ran in place, one at a time.
        in_place: u64,
        /// Transactions that threads ran under locks, by the engine of CPU threads.
        locked: u64,
    },
}

impl Algorithm {
    /// Returns the name of the algorithm, with the parameters of an engine on a GPU.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Algorithm::Gpu(engine) => engine.to_string(),
            Algorithm::CpuThreads { .. } => "cpu-occ".to_owned(),
            Algorithm::CpuSerial { .. } => "cpu-serial".to_owned(),
            Algorithm::CpuPlan { .. } => "cpu-plan".to_owned(),
        }
    }

    /// Returns the engine that ran on a GPU, or the requested engine on a CPU: the default engine if none was requested.
    #[must_use]
    pub fn engine(self) -> Engine {
        match self {
            Algorithm::Gpu(engine)
            | Algorithm::CpuThreads { asked: engine }
            | Algorithm::CpuSerial { asked: engine } => engine,
            Algorithm::CpuPlan { .. } => Engine::default(),
        }
    }
}

impl Default for Algorithm {
    fn default() -> Algorithm {
        Algorithm::Gpu(Engine::default())
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Algorithm::Gpu(engine) => write!(f, "{engine}"),
            Algorithm::CpuThreads { asked } | Algorithm::CpuSerial { asked } => {
                write!(f, "{} (asked: {asked})", self.name())
            }
            Algorithm::CpuPlan { at_rest, in_place, locked } => {
                let stages = [(at_rest, "at rest"), (in_place, "in place"), (locked, "under locks")];
                let stages = stages.iter().filter(|(transactions, _)| **transactions > 0);
                let stages: Vec<String> =
                    stages.map(|(transactions, how)| format!("{} {how}", grouped(**transactions))).collect();
                write!(f, "{}", self.name())?;
                if stages.is_empty() { Ok(()) } else { write!(f, " ({})", stages.join(", ")) }
            }
        }
    }
}

/// The shape of a run's launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum LaunchShape {
    /// Nothing was launched.
    #[default]
    Nothing,
    /// Launches on a GPU.
    Gpu {
        /// The shape that the run began with.
        first: GpuShape,
        /// The smaller shape that the run continued with, where too many transactions were in conflict.
        narrowed: Option<GpuShape>,
    },
    /// Threads of a CPU.
    Cpu {
        /// How many.
        threads: usize,
        /// The seed of their order, if they run one at a time.
        seed: Option<u64>,
    },
}

/// The shape of one launch on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct GpuShape {
    /// Blocks that run transactions.
    pub blocks: u32,
    /// Threads of each block.
    pub threads_per_block: u32,
    /// Lanes of each warp that run transactions.
    pub lanes: u32,
    /// Bytes of shared memory of each block.
    pub shared_bytes: u32,
}

impl LaunchShape {
    /// Returns the threads in flight that the run began with.
    #[must_use]
    pub fn threads(&self) -> u64 {
        match self {
            LaunchShape::Nothing => 0,
            LaunchShape::Gpu { first, .. } => first.threads(),
            LaunchShape::Cpu { threads, .. } => *threads as u64,
        }
    }

    /// Continues with a smaller shape.
    pub(crate) fn narrow(&mut self, to: GpuShape) {
        if let LaunchShape::Gpu { narrowed, .. } = self {
            *narrowed = Some(to);
        }
    }
}

impl GpuShape {
    /// Returns the threads in flight.
    #[must_use]
    pub fn threads(&self) -> u64 {
        u64::from(self.blocks) * u64::from(self.threads_per_block) / 32 * u64::from(self.lanes)
    }
}

impl fmt::Display for LaunchShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchShape::Nothing => Ok(()),
            LaunchShape::Gpu { first, narrowed: None } => write!(f, "{first}"),
            LaunchShape::Gpu { first, narrowed: Some(then) } => write!(f, "{first}; then {then}, for the conflicts"),
            LaunchShape::Cpu { threads, seed } => {
                write!(f, "{threads} {}", if *threads == 1 { "thread" } else { "threads" })?;
                seed.map_or(Ok(()), |seed| write!(f, ", one at a time by seed {seed}"))
            }
        }
    }
}

impl fmt::Display for GpuShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GpuShape { blocks, threads_per_block, lanes, .. } = self;
        write!(f, "{} threads ({blocks} blocks of {threads_per_block}, {lanes} of 32 lanes)", self.threads())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_and_algorithms_read_well() {
        let first = GpuShape { blocks: 2, threads_per_block: 64, lanes: 8, shared_bytes: 0 };
        let mut shape = LaunchShape::Gpu { first, narrowed: None };
        assert_eq!(shape.to_string(), "32 threads (2 blocks of 64, 8 of 32 lanes)");
        shape.narrow(GpuShape { blocks: 1, ..first });
        assert!(shape.to_string().ends_with("; then 16 threads (1 blocks of 64, 8 of 32 lanes), for the conflicts"));
        assert_eq!(LaunchShape::Cpu { threads: 1, seed: None }.to_string(), "1 thread");
        let turns = LaunchShape::Cpu { threads: 2, seed: Some(7) };
        assert_eq!((turns.to_string(), turns.threads()), ("2 threads, one at a time by seed 7".to_owned(), 2));
        let asked = Engine::default();
        assert_eq!(Algorithm::CpuThreads { asked }.to_string(), format!("cpu-occ (asked: {asked})"));
        let plan = Algorithm::CpuPlan { at_rest: 2, in_place: 0, locked: 1_000 };
        assert_eq!((plan.to_string(), plan.engine()), ("cpu-plan (2 at rest, 1,000 under locks)".to_owned(), asked));
        assert_eq!((Algorithm::Gpu(asked).name(), Algorithm::CpuSerial { asked }.engine()), (asked.to_string(), asked));
    }
}
