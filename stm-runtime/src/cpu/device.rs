//! CPU threads as a device.

use crate::backend::{Ahead, ArrayShape, ArrayStore, Backend, Granularity, Job, JobOptions, Order};
use crate::bounds::{self, MOST_CPU_THREADS, check_cpu_threads};
use crate::cpu::algorithm::{self, is_sequential};
use crate::cpu::run::{self, Method};
use crate::engine::Engine;
use crate::error::Error;
use crate::memory::NoMemory;
use crate::outcome::{Algorithm, RunOutput};
use crate::threads::processors;
use crate::tx::CpuArray;

/// The reason why nothing is measured.
const ONE_ALGORITHM: &str = "not measured: CPU threads have one algorithm, whatever engine is asked for";

/// CPU threads as a device.
#[derive(Debug)]
pub(crate) struct CpuDevice {
    threads: usize,
    teamwork: Teamwork,
}

/// How the threads work together.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Teamwork {
    /// As the system lets them.
    Free,
    /// One at a time, in an order by that seed.
    InTurns(u64),
    /// As the system lets them; where no engine is chosen, in stages that are drawn by that seed.
    InStages(u64),
}

impl CpuDevice {
    /// Returns a device of that many threads; 0 means one for each core.
    pub(crate) fn new(threads: usize, teamwork: Teamwork) -> CpuDevice {
        CpuDevice { threads: if threads == 0 { processors() } else { threads }, teamwork }
    }

    fn method(&self, options: &JobOptions) -> Method {
        if options.order == Order::Pushed {
            return Method::InPushOrder;
        }
        if is_sequential(options.selection.usual()) {
            return Method::Serial;
        }
        let methods = options.selection.methods();
        // A profile counts the conflicts of threads.
        let planned = methods.filter(|_| !options.profile);
        match (self.teamwork, planned) {
            (Teamwork::InStages(seed), Some(methods)) => Method::Planned { methods, seed: Some(seed) },
            (Teamwork::Free, Some(methods)) => Method::Planned { methods, seed: None },
            _ if methods.is_some_and(|methods| !methods.has_locks()) => Method::Serial,
            (Teamwork::InTurns(seed), _) => Method::Threads { seed: Some(seed) },
            (Teamwork::Free | Teamwork::InStages(_), None) => Method::Threads { seed: None },
        }
    }
}

impl Backend for CpuDevice {
    fn describe(&self) -> String {
        let text = match self.threads {
            1 => "1 CPU thread".into(),
            threads => format!("{threads} CPU threads"),
        };
        match self.teamwork {
            Teamwork::Free => text,
            Teamwork::InTurns(seed) => format!("{text}, one at a time by seed {seed}"),
            Teamwork::InStages(seed) => format!("{text}, in stages by seed {seed}"),
        }
    }

    fn is_gpu(&self) -> bool {
        false
    }

    fn algorithm(&self, engine: Engine) -> Algorithm {
        algorithm::of(engine)
    }

    fn allocate(&self, shapes: &[ArrayShape], granularity: Granularity) -> Result<Vec<Box<dyn ArrayStore>>, NoMemory> {
        let Some(ArrayShape { len, coverage_log2, .. }) = shapes.first().copied() else { return Ok(Vec::new()) };
        let arrays = match granularity {
            Granularity::Record => CpuArray::zeros(len, shapes.len(), coverage_log2)?,
            Granularity::Field => {
                let fields = shapes.iter().map(|_| CpuArray::zeros(len, 1, coverage_log2));
                fields.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect()
            }
        };
        Ok(arrays.into_iter().map(|array| Box::new(array) as Box<dyn ArrayStore>).collect())
    }

    fn check(&self, options: &JobOptions) -> Result<(), Error> {
        check_cpu_threads(self.threads)?;
        bounds::check(options, MOST_CPU_THREADS as u64)
    }

    /// Does nothing: the functions are already compiled.
    fn compile(&self, _: &Job<'_>) -> Result<(), Error> {
        Ok(())
    }

    fn run(&self, job: &Job<'_>, _: Ahead) -> Result<RunOutput, Error> {
        let threads = job.options.threads.unwrap_or(self.threads);
        let mut output = run::run(self.method(job.options), threads, job)?;
        output.tuning = job.options.selection.unmeasured(&self.describe(), ONE_ALGORITHM);
        Ok(output)
    }
}
