//! The procedures of a batch as functions that back ends call.

use super::arguments::{Arguments, Transaction};
use super::definition::{Procedure, ProcedureFn};
use crate::backend::{Device, Function, Functions, Job, Resolved};
use crate::tx::attempt::read_for_update;
use crate::tx::{Abort, Tx};

/// The procedures of a batch, in the order of its job.
pub(crate) struct BatchFunctions<'a> {
    pub(crate) device: &'a Device,
    pub(crate) procedures: &'a [&'static Procedure],
}

impl Functions for BatchFunctions<'_> {
    fn resolve<'a>(&self, job: &Job<'a>) -> Vec<Resolved<'a>> {
        let resolve = |specialization| {
            let arguments = Arguments::of(self.device, job, specialization);
            let run = self.procedures[specialization.procedure].run();
            let spec = job.procedures[specialization.procedure].spec;
            Resolved {
                spec,
                for_update: read_for_update(spec),
                procedure_index: specialization.procedure,
                function: Box::new(Bound { run, arguments }),
            }
        };
        job.specializations.iter().map(resolve).collect()
    }
}

/// A function with the state that it needs to read the arguments of its transactions.
struct Bound<'a> {
    run: ProcedureFn,
    arguments: Arguments<'a>,
}

impl Function for Bound<'_> {
    #[inline]
    fn call(&self, tx: &mut Tx<'_>, transaction: usize, results: &mut [u64]) -> Result<(), Abort> {
        (self.run)(tx, &Transaction::new(&self.arguments, transaction), results)
    }
}
