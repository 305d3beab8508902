//! The procedures of a batch as functions that back ends call.

use std::sync::atomic::AtomicU32;

use kernels_gen::spec::{LocationKind, ProcedureSpec};

use super::arguments::Arguments;
use super::definition::{HostFunctions, Procedure};
use super::for_update::KnownArrays;
use crate::backend::{Device, Function, Functions, Job, Resolved, Specialization};
use crate::tx::{Claim, Ended, InPlace, OnThreads, Tx};

/// Attempts without loops from one look at the alarm to the next: some microseconds.
const STRETCH: usize = 64;

/// The procedures of a batch, in the order of its job.
pub(crate) struct BatchFunctions<'a> {
    pub(crate) device: &'a Device,
    pub(crate) procedures: &'a [&'static Procedure],
}

impl Functions for BatchFunctions<'_> {
    fn resolve<'a>(&self, job: &Job<'a>) -> Vec<Resolved<'a>> {
        let known = KnownArrays::of(job);
        let resolve = |specialization| {
            let arguments = Arguments::of(self.device, job, specialization);
            let run = self.procedures[specialization.procedure].run();
            let spec = job.procedures[specialization.procedure].spec;
            Resolved {
                spec,
                is_fast: is_fast(job, specialization),
                detours: AtomicU32::new(0),
                stretch: stretch(spec),
                for_update: known.read_for_update(job, specialization),
                procedure_index: specialization.procedure,
                function: Box::new(Bound { run, arguments }),
            }
        };
        job.specializations.iter().map(resolve).collect()
    }
}

/// Returns how many attempts a thread makes from one look at the alarm to the next. One with a loop may be long.
fn stretch(spec: &ProcedureSpec) -> usize {
    let has_loop = spec.locations.iter().any(|location| location.what == LocationKind::Loop);
    if has_loop { 1 } else { STRETCH }
}

/// Returns whether attempts on the fast path succeed as a rule: indices count in whole arrays, and each element has a lock word. What prints
/// takes the slow path, because it would print again there after an attempt on the fast path.
fn is_fast(job: &Job<'_>, specialization: &Specialization) -> bool {
    let spec = job.procedures[specialization.procedure].spec;
    let is_plain = |at: &usize| job.arrays[*at].part() == 0 && job.arrays[*at].coverage_log2() == 0;
    spec.lines.is_empty() && specialization.arrays.iter().all(is_plain)
}

/// A function with the state that it needs to read the arguments of its transactions.
struct Bound<'a> {
    run: HostFunctions,
    arguments: Arguments<'a>,
}

impl Function for Bound<'_> {
    fn on_threads(&self, tx: &mut Tx<'_, OnThreads>, claim: &mut Claim<'_>) -> Ended {
        (self.run.on_threads)(tx, claim, &self.arguments)
    }

    fn in_place(&self, tx: &mut Tx<'_, InPlace>, claim: &mut Claim<'_>) -> Ended {
        (self.run.in_place)(tx, claim, &self.arguments)
    }

    fn slow(&self, tx: &mut Tx<'_>, claim: &mut Claim<'_>) -> Ended {
        (self.run.slow)(tx, claim, &self.arguments)
    }
}
