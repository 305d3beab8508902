//! Procedures as back ends see them: the compiler's facts about one, and host functions that run its transactions.

use kernels_gen::spec::{ProcedureSpec, Role, Scalar};

use crate::tx::{Abort, Tx};

/// A compiled procedure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CompiledProcedure {
    pub(crate) spec: &'static ProcedureSpec,
}

impl CompiledProcedure {
    /// Returns the components of the array parameters, in order.
    pub(crate) fn arrays(self) -> impl Iterator<Item = (&'static str, Role)> {
        self.spec.params.iter().filter(|p| p.role.array().is_some()).map(|p| (p.name, p.role))
    }

    /// Returns the components of the value parameters, in order.
    pub(crate) fn values(self) -> impl Iterator<Item = (&'static str, Scalar)> {
        self.spec.params.iter().filter_map(|p| Some((p.name, p.role.value()?)))
    }
}

/// A specialization's function, with access to its arguments.
pub(crate) trait Function: Send + Sync {
    /// Runs the function of one transaction and writes the words of its result to the slice.
    fn call(&self, tx: &mut Tx<'_>, transaction: usize, results: &mut [u64]) -> Result<(), Abort>;
}

/// One specialization, resolved once for each run so that reading an argument of a transaction costs two loads.
pub(crate) struct Resolved<'a> {
    pub(crate) spec: &'static ProcedureSpec,
    /// Index of the procedure among those of the job.
    pub(crate) procedure_index: usize,
    pub(crate) function: Box<dyn Function + 'a>,
    /// The locations whose reads lock an element: see [`read_for_update`](crate::tx::attempt::read_for_update).
    pub(crate) for_update: u64,
}

impl Resolved<'_> {
    /// Runs the function of one transaction and writes the words of its result to the slice.
    #[inline]
    pub(crate) fn call(&self, tx: &mut Tx<'_>, transaction: usize, results: &mut [u64]) -> Result<(), Abort> {
        self.function.call(tx, transaction, results)
    }
}
