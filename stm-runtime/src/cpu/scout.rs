//! Fetches the elements of the next transactions into the cache while nothing depends on them yet.
//!
//! Where all addresses of a kind follow from its arguments, its function can be run with zeros in place of values, only to
//! see what it touches. The loads of several transactions then overlap; an attempt's own loads cannot, because every lock that a
//! commit takes waits for what is before it. Nothing is read in earnest, and nothing is written.
//!
//! With zeros the function may do what it never does with real values, such as loop forever. So a look ahead ends at the last
//! element, which the facts know, and may make a few loop iterations until then. A procedure that needs more iterations gets no further
//! look ahead.

use kernels_gen::fault::FaultCode;
use kernels_gen::spec::ProcedureSpec;

use crate::cpu::CpuArray;
use crate::job::Job;
use crate::sync::Ordering;
use crate::transaction::{Resolved, Transaction};
use crate::tx::{Abort, AbortKind, Tx};

/// Transactions whose elements are fetched together: as many as a core's window of instructions covers.
pub(crate) const GROUP: usize = 8;
/// Arrays of fewer elements stay in the cache by themselves.
const WORTH_IT: u64 = 1 << 15;
/// Loop iterations of one look ahead. They take less time than one cache miss.
const ITERATIONS: u32 = 32;
/// No access, so that the look ahead runs to the end of the function.
const NOWHERE: u32 = u32::MAX;

/// Touches elements.
#[derive(Debug)]
pub(crate) struct Scout<'a> {
    arrays: Vec<&'a CpuArray>,
    /// The location at which the function first touches its last element.
    last: u32,
}

impl<'a> Scout<'a> {
    /// Prepares for the function of a kind.
    #[inline]
    pub(crate) fn begin(&mut self, procedure: &'static ProcedureSpec) {
        self.last = procedure.facts.slots.last().map_or(NOWHERE, |slot| slot.location);
    }

    /// Loads the element's cache line. The value is not used, so nothing waits for it. `is_whole` says that it is the last component of
    /// an access. After the last element the function ends.
    #[inline]
    pub(crate) fn touch(&mut self, array: u32, index: u64, location: u32, is_whole: bool) -> Result<u64, Abort> {
        if let Some(place) = self.arrays.get(array as usize).and_then(|array| array.at(index)) {
            let _ = place.lock.load(Ordering::Relaxed);
            if !place.is_one_line() {
                let _ = place.value.load(Ordering::Relaxed);
            }
        }
        if is_whole && location == self.last { Err(Abort::HALTED) } else { Ok(0) }
    }
}

/// Looks ahead for one thread.
#[derive(Debug)]
pub(crate) struct LookAhead<'a> {
    tx: Tx<'a>,
    /// For each specialization, whether a look ahead costs little and loads something.
    pays: Vec<bool>,
}

impl<'a> LookAhead<'a> {
    /// Returns a look ahead for the transactions of a job, or `None` if it would not pay.
    pub(crate) fn new(job: &Job<'_>, arrays: &[&'a CpuArray]) -> Option<LookAhead<'a>> {
        let elements: u64 = arrays.iter().map(|array| array.bytes().0 / 8).sum();
        let orderable = |procedure: usize| job.procedures[procedure].spec.facts.orderable;
        let pays: Vec<bool> =
            job.specializations.iter().map(|specialization| orderable(specialization.procedure)).collect();
        let tx = || Tx::scout(Scout { arrays: arrays.to_vec(), last: NOWHERE });
        (elements >= WORTH_IT && pays.contains(&true)).then(|| LookAhead { tx: tx(), pays })
    }

    /// Touches what a transaction of that specialization will use.
    #[inline]
    pub(crate) fn at(&mut self, specialization: usize, resolved: &Resolved<'_>, transaction: usize) {
        if self.pays[specialization] {
            self.tx.begin_look_ahead(resolved.procedure.spec, ITERATIONS);
            // It may end early, because zeros are not the real values.
            let ended = (resolved.procedure.run)(&mut self.tx, &Transaction::new(resolved, transaction), &mut []);
            let is_long =
                |abort: Abort| matches!(abort.kind(), AbortKind::Fault { code: FaultCode::TooManyIterations, .. });
            self.pays[specialization] = !ended.is_err_and(is_long);
        }
    }
}
