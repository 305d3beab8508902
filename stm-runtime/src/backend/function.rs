//! Procedures as back ends see them: the compiler's facts about one, and host functions that run its transactions.

use std::sync::atomic::{AtomicU32, Ordering};

use kernels_gen::spec::{ProcedureSpec, Role, Scalar};

use crate::tx::{Abort, Claim, Ended, FastPath, Handles, InPlace, OnThreads, Tx};

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

/// A specialization's function, with access to its arguments, for each kind of memory.
pub(crate) trait Function: Send + Sync {
    /// Attempts the transactions of a claim on the fast path, one after the other.
    fn on_threads(&self, tx: &mut Tx<'_, OnThreads>, claim: &mut Claim<'_>) -> Ended;

    /// Does the same in place.
    fn in_place(&self, tx: &mut Tx<'_, InPlace>, claim: &mut Claim<'_>) -> Ended;

    /// Attempts the transactions of a claim on the slow path.
    fn slow(&self, tx: &mut Tx<'_>, claim: &mut Claim<'_>) -> Ended;
}

/// One specialization, resolved once for each run so that reading an argument of a transaction costs two loads.
pub(crate) struct Resolved<'a> {
    pub(crate) spec: &'static ProcedureSpec,
    /// Index of the procedure among those of the job.
    pub(crate) procedure_index: usize,
    pub(crate) function: Box<dyn Function + 'a>,
    /// The locations whose reads take the lock, one bit each: those of records that the transaction may write later.
    pub(crate) for_update: u64,
    /// Whether attempts on the fast path succeed as a rule.
    pub(crate) is_fast: bool,
    /// How often an attempt on the fast path has needed the slow path after all. From [`MOST_DETOURS`] on, none is made.
    pub(crate) detours: AtomicU32,
    /// The most attempts from one look at the alarm to the next.
    pub(crate) stretch: usize,
}

/// The most attempts on the fast path that may be made for nothing.
const MOST_DETOURS: u32 = 64;

/// A kind of memory for the fast path, with the function that is compiled for it.
pub(crate) trait FastFunction: FastPath + Sized {
    /// Attempts the transactions of a claim on the fast path, one after the other.
    fn attempt(function: &dyn Function, tx: &mut Tx<'_, Self>, claim: &mut Claim<'_>) -> Ended;
}

impl FastFunction for OnThreads {
    #[inline]
    fn attempt(function: &dyn Function, tx: &mut Tx<'_, OnThreads>, claim: &mut Claim<'_>) -> Ended {
        function.on_threads(tx, claim)
    }
}

impl FastFunction for InPlace {
    #[inline]
    fn attempt(function: &dyn Function, tx: &mut Tx<'_, InPlace>, claim: &mut Claim<'_>) -> Ended {
        function.in_place(tx, claim)
    }
}

impl Resolved<'_> {
    /// Attempts the transactions of a claim on the fast path, and the next one on the slow path if it needs that. `for_update` has a
    /// bit for each location whose reads take the lock.
    pub(crate) fn attempt<K: FastFunction>(
        &self,
        handles: &mut Handles<'_, K>,
        for_update: u64,
        claim: &mut Claim<'_>,
    ) -> Ended {
        claim.stretch = self.stretch;
        if self.is_fast && handles.has_fast_path() && self.detours.load(Ordering::Relaxed) < MOST_DETOURS {
            let ended = K::attempt(&*self.function, handles.fast(self.spec, for_update), claim);
            if ended != Ended::Early(Abort::NEEDS_SLOW_PATH) {
                return ended;
            }
            K::undo(handles.memory());
            // Only procedures with loops need it for themselves, and not for what happens beside them.
            if self.stretch == 1 {
                self.detours.fetch_add(1, Ordering::Relaxed);
            }
        }
        claim.end = claim.next + 1;
        self.function.slow(handles.slow(self.spec, for_update), claim)
    }

    /// Runs the function of one transaction, which the caller has started, and writes the words of its result to the slice.
    pub(crate) fn call(&self, tx: &mut Tx<'_>, transaction: usize, result: &mut [u64]) -> Result<(), Abort> {
        self.function.slow(tx, &mut Claim::one(transaction, result)).of_one()
    }
}
