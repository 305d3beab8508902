//! The environment of a scenario: a device, an engine, and the size of its batches.

use std::fmt;
use std::time::Duration;

use kernels_gen::device::ThreadMapping;
use stm_runtime::{
    Batch, Device, EmulatorOptions, Engine, Error, GpuData, Order, Report, RunOptions, Sanitizer, Selection, Shared,
};

use crate::failure::Failure;
use crate::mutation::mutant;
use crate::variants::{FEW_SERVER_LANES, SMALL};

/// A back end of the runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// The Rust functions on CPU threads.
    Cpu,
    /// The same functions on one CPU thread at a time, in a seeded order.
    CpuSeeded {
        /// Chooses the interleaving.
        seed: u64,
    },
    /// The same functions on CPU threads by the plan, in short stages that are drawn.
    CpuStaged {
        /// Chooses the stages.
        seed: u64,
    },
    /// The generated CUDA C on threads of the operating system.
    EmulatedThreads,
    /// The same on several devices, which run each batch together.
    EmulatedCluster {
        /// Their number.
        devices: usize,
    },
    /// The same by the plan, which also uses the cores of the host, with predictions that are drawn.
    EmulatedPlan {
        /// Chooses the predictions.
        seed: u64,
    },
    /// The same as fibers, in push order.
    EmulatedPushed {
        /// Chooses the interleaving.
        seed: u64,
    },
    /// The generated CUDA C as fibers under a seeded scheduler.
    EmulatedFibers {
        /// Chooses the interleaving.
        seed: u64,
    },
    /// A real device.
    Gpu {
        /// Its number.
        ordinal: usize,
        /// Threads in flight, in whole warps; `None` for the device's own choice, which avoids conflicts.
        threads: Option<usize>,
    },
    /// Several real devices, from the first one on, on all of which every launch runs.
    Gpus {
        /// Their number.
        devices: usize,
        /// Threads in flight, in whole warps; `None` for the device's own choice, which avoids conflicts.
        threads: Option<usize>,
    },
}

impl Backend {
    /// Returns true if the Rust functions run.
    #[must_use]
    pub fn is_cpu(self) -> bool {
        matches!(self, Backend::Cpu | Backend::CpuSeeded { .. } | Backend::CpuStaged { .. })
    }

    /// Returns true if the plan chooses what runs, whatever the engine.
    #[must_use]
    pub fn is_planned(self) -> bool {
        matches!(self, Backend::CpuStaged { .. } | Backend::EmulatedPlan { .. })
    }

    /// Returns true if several devices run each batch together.
    #[must_use]
    pub fn is_cluster(self) -> bool {
        matches!(self, Backend::EmulatedCluster { .. } | Backend::Gpus { .. })
    }

    /// Returns true if the generated CUDA C runs on this machine.
    fn is_emulated(self) -> bool {
        !self.is_cpu() && !matches!(self, Backend::Gpu { .. } | Backend::Gpus { .. })
    }
}

/// Returns the engine itself, or in the emulator the same engine with sizes that suit the short batches there.
fn suited(engine: Engine, backend: Backend) -> Engine {
    if !backend.is_emulated() {
        return engine;
    }
    let spec = engine.spec();
    let serves = if spec.execution().is_served() { FEW_SERVER_LANES.at } else { &[] };
    mutant(engine, spec.name, &[SMALL.at, serves].concat()).expect("every engine has these sizes")
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Backend::Cpu => f.write_str("cpu"),
            Backend::CpuSeeded { seed } => write!(f, "cpu-seeded-{seed}"),
            Backend::CpuStaged { seed } => write!(f, "cpu-staged-{seed}"),
            Backend::EmulatedThreads => f.write_str("emulator-threads"),
            Backend::EmulatedCluster { devices } => write!(f, "emulator-cluster-{devices}"),
            Backend::EmulatedPlan { seed } => write!(f, "emulator-plan-{seed}"),
            Backend::EmulatedPushed { seed } => write!(f, "emulator-pushed-{seed}"),
            Backend::EmulatedFibers { seed } => write!(f, "emulator-fibers-{seed}"),
            Backend::Gpu { ordinal, threads: None } => write!(f, "cuda:{ordinal}"),
            Backend::Gpu { ordinal, threads: Some(threads) } => write!(f, "cuda:{ordinal}, {threads} threads"),
            Backend::Gpus { devices, threads } => write!(f, "{devices} GPUs, {threads:?} threads"),
        }
    }
}

/// Steps after which the run of fibers counts as stuck: about a hundred times what the longest scenario takes.
const MAX_STEPS: u64 = 60_000_000;
/// Average number of switches of fibers between two pauses, where there are pauses.
const PAUSES: u32 = 64;
/// The largest number of blocks in the emulator where one thread of each block works.
const BLOCKS: usize = 12;
/// No scenario takes as long: a batch that reaches the limit is a failure, and the suite does not hang.
const TIME_LIMIT: Duration = Duration::from_secs(60);

impl fmt::Display for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.backend, if self.checked { "" } else { ", unchecked" })
    }
}

/// Returns the engines that accept arrays without partitions: all but those that keep partitions in block memory.
pub fn engines_for_whole_arrays() -> impl Iterator<Item = Engine> {
    Engine::ALL.iter().copied().filter(|engine| !engine.spec().requires.partitions)
}

/// Returns the engines that run whole arrays, and can run each transaction in push order, with the options for that.
pub fn engines_in_push_order() -> impl Iterator<Item = Engine> {
    engines_for_whole_arrays().filter(|engine| !engine.spec().finishes_in_visits() || takes_turns(*engine))
}

/// Returns the options under which an engine of [`engines_in_push_order`] runs transactions in that order: its stages do so, or there is
/// one thread.
pub fn in_push_order(engine: Engine) -> RunOptions {
    let options = RunOptions::new().engine(engine);
    if takes_turns(engine) { options.order(Order::Pushed) } else { options.threads(1) }
}

/// Returns whether the stages of an engine can give transactions their turns in push order.
pub fn takes_turns(engine: Engine) -> bool {
    engine.spec().keeps_order()
}

/// One device with one engine.
pub struct Environment {
    /// The device.
    pub device: Device,
    /// The concurrency control.
    pub engine: Engine,
    /// The back end of the device.
    pub backend: Backend,
    /// Threads in flight where the scenario gives no number; `None` for the device's own choice.
    pub threads: Option<usize>,
    /// Whether histories are recorded and verified. Without recording, the device runs other code: the code that users run.
    checked: bool,
    /// The factor of the number of transactions over the smallest useful batch.
    factor: usize,
    seed: u64,
    /// Steps after which the run of fibers counts as stuck.
    max_steps: u64,
    /// The time limit of its batches.
    time_limit: Duration,
}

impl Environment {
    /// Opens the device.
    ///
    /// # Errors
    /// The device cannot be opened.
    pub fn new(backend: Backend, engine: Engine) -> Result<Environment, Error> {
        // Threads that wait for a commit server only use up its steps.
        let served = engine.spec().execution().is_served();
        let (device, threads, factor, seed) = match backend {
            Backend::Cpu => (Device::cpu(4), None, 30, 0),
            Backend::CpuSeeded { seed } => (Device::cpu_seeded(4, seed), None, 1, seed),
            Backend::CpuStaged { seed } => (Device::cpu_in_stages(4, seed), None, 4, seed),
            Backend::EmulatedPlan { seed } => {
                let options = EmulatorOptions { plan: Some(seed), ..EmulatorOptions::threads() };
                (Device::emulated(options)?, None, 4, seed)
            }
            Backend::EmulatedCluster { devices } if served => (Device::emulated(cluster(devices))?, Some(32), 1, 0),
            Backend::EmulatedCluster { devices } => (Device::emulated(cluster(devices))?, Some(128), 4, 0),
            Backend::EmulatedThreads if served => (Device::emulated(EmulatorOptions::threads())?, Some(32), 1, 0),
            Backend::EmulatedFibers { seed } if served => (Device::emulated(fibers(seed))?, Some(64), 1, seed),
            Backend::EmulatedThreads => {
                // There are many engines; the default has the longest batches.
                let factor = if engine == Engine::default() { 16 } else { 4 };
                (Device::emulated(EmulatorOptions::threads())?, Some(128), factor, 0)
            }
            Backend::EmulatedPushed { seed } | Backend::EmulatedFibers { seed } => {
                (Device::emulated(fibers(seed))?, Some(64), 2, seed)
            }
            Backend::Gpu { ordinal, threads } => (Device::cuda(ordinal)?, threads, factor_on_gpu(engine), 0),
            Backend::Gpus { devices, threads } => {
                let all: Vec<usize> = (0..devices).collect();
                (Device::cuda_always_together(&all)?, threads, factor_on_gpu(engine), 0)
            }
        };
        Ok(Environment {
            device,
            engine: suited(engine, backend),
            backend,
            threads,
            checked: true,
            factor,
            seed,
            max_steps: MAX_STEPS,
            time_limit: TIME_LIMIT,
        })
    }

    /// Returns the same environment with another time limit for its batches.
    #[must_use]
    pub fn with_time_limit(self, time_limit: Duration) -> Environment {
        Environment { time_limit, ..self }
    }

    /// Returns the same environment, where the run of fibers counts as stuck after `max_steps` steps.
    ///
    /// # Errors
    /// There is no emulator.
    pub fn with_max_steps(self, max_steps: u64) -> Result<Environment, Error> {
        let Backend::EmulatedFibers { seed } = self.backend else { return Ok(self) };
        let device = Device::emulated(EmulatorOptions { max_steps, ..EmulatorOptions::fibers(seed) })?;
        Ok(Environment { device, max_steps, ..self })
    }

    /// Returns the same environment with fibers that sometimes pause for as long as others need to commit.
    ///
    /// # Errors
    /// There is no emulator.
    pub fn with_pauses(&self) -> Result<Environment, Error> {
        let environment = self.under(self.engine);
        let Backend::EmulatedFibers { seed } = self.backend else { return Ok(environment) };
        let options = EmulatorOptions { max_steps: self.max_steps, pauses: PAUSES, ..EmulatorOptions::fibers(seed) };
        Ok(Environment { device: Device::emulated(options)?, ..environment })
    }

    /// Returns the same environment without the proof; scenarios still check their expected results.
    #[must_use]
    pub fn unchecked(self) -> Environment {
        Environment { checked: false, ..self }
    }

    /// Returns an emulated environment with a sanitizer; the process must have been started with its library.
    ///
    /// # Errors
    /// The sanitizer is not loaded, or there is no compiler.
    pub fn watched(backend: Backend, engine: Engine, sanitizer: Sanitizer) -> Result<Environment, Error> {
        let mut options = match backend {
            Backend::EmulatedFibers { seed } => fibers(seed),
            _ => EmulatorOptions::threads(),
        };
        options.sanitizer = Some(sanitizer);
        let device = Device::emulated(options)?;
        Ok(Environment { device, threads: Some(64), factor: 1, seed: 0, ..Environment::new(backend, engine)? })
    }

    /// Returns the same device with another engine.
    #[must_use]
    pub fn under(&self, engine: Engine) -> Environment {
        Environment { device: self.device.clone(), engine: suited(engine, self.backend), ..*self }
    }

    /// Returns a number of transactions for this device, from the number that a test on 64 threads needs.
    #[must_use]
    pub fn transactions(&self, smallest: usize) -> usize {
        smallest * self.factor
    }

    /// Returns true where every device thread costs a thread or a fiber of the host.
    #[must_use]
    pub fn is_emulated(&self) -> bool {
        self.backend.is_emulated()
    }

    /// Returns true if the engine runs more than one transaction at a time here.
    #[must_use]
    pub fn is_concurrent(&self) -> bool {
        !self.engine.spec().is_sequential()
    }

    /// Creates a shared array.
    ///
    /// # Errors
    /// The device has too little memory.
    pub fn shared<T: GpuData>(&self, elements: &[T]) -> Result<Shared<T>, Failure> {
        Ok(self.device.shared(elements)?)
    }

    /// Returns an empty batch of the device.
    #[must_use]
    pub fn batch(&self) -> Batch<'static> {
        self.device.batch()
    }

    /// Returns options of a run that is checked, if the environment is, and that always ends.
    pub fn options(&self) -> RunOptions {
        // Only where no engine is chosen are there stages on CPU threads.
        let selection = match self.backend {
            backend if backend.is_planned() => Selection::plan(),
            Backend::EmulatedPushed { .. } if !takes_turns(self.engine) => Selection::plan(),
            _ => self.engine.into(),
        };
        let order = match self.backend {
            Backend::EmulatedPushed { .. } => Order::Pushed,
            _ => Order::Any,
        };
        let options = RunOptions::new().engine(selection).order(order).check(self.checked);
        let options = options.seed(self.seed).time_limit(self.time_limit);
        match self.threads {
            // Whole warps: idle lanes would be threads of the emulator too.
            Some(threads) => options.threads(self.bearable(threads)).lanes(32),
            None => options,
        }
    }

    /// Limits a number of threads in flight to what the emulator bears: every thread of a block costs one of the host. Where one
    /// thread of each block works, the others are idle; threads that wait for a commit server only use up its steps.
    #[must_use]
    pub fn bearable(&self, threads: usize) -> usize {
        let stage = self.engine.spec().execution();
        match self.is_emulated() {
            true if stage.threads == ThreadMapping::OnePerBlock => threads.min(BLOCKS),
            true if stage.is_served() => threads.min(32),
            _ => threads,
        }
    }

    /// Runs a batch; the proof must hold.
    ///
    /// # Errors
    /// The run failed, or the proof does not hold.
    pub fn run(&self, batch: &Batch) -> Result<Report, Failure> {
        self.run_with(batch, &self.options())
    }

    /// Runs a batch with options that were made from those of [`Environment::options`]; the proof must hold.
    ///
    /// # Errors
    /// As [`Environment::run`].
    pub fn run_with(&self, batch: &Batch, options: &RunOptions) -> Result<Report, Failure> {
        let report = batch.run_with(options)?;
        match &report.proof {
            None if self.checked => Err(Failure::History("the batch was not checked".into())),
            None => Ok(report),
            Some(proof) => match proof.violation() {
                Some(violation) => Err(Failure::History(violation.to_string())),
                None => Ok(report),
            },
        }
    }

    /// Runs a batch of which every transaction must commit.
    ///
    /// # Errors
    /// As [`Environment::run`], or a transaction did not commit.
    pub fn run_all(&self, batch: &Batch) -> Result<Report, Failure> {
        self.run_all_with(batch, &self.options())
    }

    /// Runs a batch of which every transaction must commit, with options as [`Environment::run_with`] takes them.
    ///
    /// # Errors
    /// As [`Environment::run_all`].
    pub fn run_all_with(&self, batch: &Batch, options: &RunOptions) -> Result<Report, Failure> {
        let report = self.run_with(batch, options)?;
        crate::expect_eq!(report.committed, batch.len() as u64, "not all committed\n{report}\ncommitted");
        Ok(report)
    }
}

/// Returns the factor on a GPU: the default engine has the longest batches. Engines that number commits with one shared clock
/// commit one transaction after the other, some hundred thousand a second; longer batches would reach the time limit.
fn factor_on_gpu(engine: Engine) -> usize {
    match engine.spec().numbers_commits_by_lock() {
        true if engine == Engine::default() => 64,
        true => 16,
        false => 4,
    }
}

fn cluster(devices: usize) -> EmulatorOptions {
    EmulatorOptions { devices, ..EmulatorOptions::threads() }
}

fn fibers(seed: u64) -> EmulatorOptions {
    let mut options = EmulatorOptions::fibers(seed);
    options.max_steps = MAX_STEPS;
    options
}

/// A cheap pseudo-random sequence of numbers below a bound, the same in each run.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Creates a sequence from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below `bound`, which is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// Returns an index below `bound`.
    pub fn index(&mut self, bound: usize) -> u32 {
        self.below(bound) as u32
    }
}

/// Returns the engines for a test of what all engines share: the default and one other in turn, all in push order, or that of
/// `STM_TEST_ENGINE`.
///
/// # Panics
/// There is no engine of that name.
pub fn engines_by_turns(turn: usize) -> Vec<Engine> {
    if let Ok(name) = std::env::var("STM_TEST_ENGINE") {
        return vec![name.parse().unwrap_or_else(|error| panic!("STM_TEST_ENGINE: {error}"))];
    }
    let others: Vec<Engine> = engines_in_push_order().filter(|engine| *engine != Engine::default()).collect();
    vec![Engine::default(), others[turn % others.len()]]
}

/// Returns one engine for each way in which CPU threads run transactions, whatever the engine: in parallel, and one at a time.
pub fn engines_for_cpu(engines: &[Engine]) -> Vec<Engine> {
    let (one, many): (Vec<Engine>, Vec<Engine>) = engines.iter().partition(|engine| engine.spec().is_sequential());
    many.into_iter().take(1).chain(one.into_iter().take(1)).collect()
}
