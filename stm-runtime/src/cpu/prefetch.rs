//! Loads the elements of the next transactions into the cache in advance.
//!
//! Where all addresses of a procedure follow from its arguments, its function can be run with zeros in place of values, only to
//! find its elements. The loads of several transactions then overlap; an attempt's own loads cannot, because every lock of a
//! commit waits for the operations before it. This run uses no values, and writes nothing.
//!
//! With zeros the function may behave as it never does with real values, such as loop forever. So a prefetch ends at the last
//! element, which the facts know, and may make a few loop iterations until then. A procedure that needs more iterations is not
//! prefetched again.

use kernels_gen::fault::FaultCode;

use crate::backend::{Job, Resolved};
use crate::tx::{Abort, AbortKind, CpuArray, Prefetcher, Tx};

/// Transactions that are prefetched together: as many as a core's instruction window covers.
pub(crate) const GROUP: usize = 8;
/// Arrays of fewer elements stay in the cache anyway.
const WORTH_IT: u64 = 1 << 15;
/// The most loop iterations of one prefetch. They take less time than one cache miss.
const ITERATIONS: u32 = 32;
/// Prefetches for one thread.
#[derive(Debug)]
pub(crate) struct LookAhead<'a> {
    tx: Tx<'a>,
    /// For each specialization, whether a prefetch is cheap and loads something.
    pays: Vec<bool>,
}

impl<'a> LookAhead<'a> {
    /// Returns the prefetcher for the transactions of a job, or `None` if it would not pay.
    pub(crate) fn new(job: &Job<'_>, arrays: &[&'a CpuArray]) -> Option<LookAhead<'a>> {
        let elements: u64 = arrays.iter().map(|array| array.bytes().0 / 8).sum();
        let orderable = |procedure: usize| job.procedures[procedure].spec.facts.orderable;
        let pays: Vec<bool> =
            job.specializations.iter().map(|specialization| orderable(specialization.procedure)).collect();
        let tx = || Tx::prefetching(Prefetcher::new(arrays.to_vec()));
        (elements >= WORTH_IT && pays.contains(&true)).then(|| LookAhead { tx: tx(), pays })
    }

    /// Touches the elements of a transaction of that specialization.
    #[inline]
    pub(crate) fn at(&mut self, specialization: usize, resolved: &Resolved<'_>, transaction: usize) {
        if self.pays[specialization] {
            self.tx.begin_look_ahead(resolved.spec, ITERATIONS);
            // It may end early, because zeros are not the real values.
            let ended = resolved.call(&mut self.tx, transaction, &mut []);
            let is_long =
                |abort: Abort| matches!(abort.kind(), AbortKind::Fault { code: FaultCode::TooManyIterations, .. });
            self.pays[specialization] = !ended.is_err_and(is_long);
        }
    }
}
