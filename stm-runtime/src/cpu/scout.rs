//! Fetches the elements of the next rows into the cache while nothing depends on them yet.
//!
//! Where all addresses of a kind follow from its arguments, its function can be run with zeros in place of values, only to
//! see what it touches. The loads of several rows then overlap; an attempt's own loads cannot, because every lock that a
//! commit takes waits for what is before it. Nothing is read in earnest, and nothing is written.
//!
//! With zeros the function may do what it never does with real values, such as loop forever. So a look ahead ends at the last
//! element, which the facts know, and may make a few loop iterations until then. A kind that needs more iterations gets no further
//! look ahead.

use kernels_gen::fault::FaultCode;
use kernels_gen::spec::KindSpec;

use crate::cpu::CpuRegion;
use crate::job::Job;
use crate::row::{Resolved, Row};
use crate::sync::Ordering;
use crate::tx::{Abort, AbortKind, Tx};

/// Rows whose elements are fetched together: as many as a core's window of instructions covers.
pub(crate) const GROUP: usize = 8;
/// Regions of fewer elements stay in the cache by themselves.
const WORTH_IT: u64 = 1 << 15;
/// Loop iterations of one look ahead. They take less time than one cache miss.
const ITERATIONS: u32 = 32;
/// No access, so that the look ahead runs to the end of the function.
const NOWHERE: u32 = u32::MAX;

/// Touches elements.
#[derive(Debug)]
pub(crate) struct Scout<'a> {
    regions: Vec<&'a CpuRegion>,
    /// The site at which the function first touches its last element.
    last: u32,
}

impl<'a> Scout<'a> {
    /// Prepares for the function of a kind.
    #[inline]
    pub(crate) fn begin(&mut self, kind: &'static KindSpec) {
        self.last = kind.facts.slots.last().map_or(NOWHERE, |slot| slot.site);
    }

    /// Loads the element's cache line. The value is not used, so nothing waits for it. `is_whole` says that it is the last leaf of
    /// an access. After the last element the function ends.
    #[inline]
    pub(crate) fn touch(&mut self, region: u32, index: u64, site: u32, is_whole: bool) -> Result<u64, Abort> {
        if let Some(place) = self.regions.get(region as usize).and_then(|region| region.at(index)) {
            let _ = place.lock.load(Ordering::Relaxed);
            if !place.is_one_line() {
                let _ = place.value.load(Ordering::Relaxed);
            }
        }
        if is_whole && site == self.last { Err(Abort::HALTED) } else { Ok(0) }
    }
}

/// Looks ahead for one thread.
#[derive(Debug)]
pub(crate) struct LookAhead<'a> {
    tx: Tx<'a>,
    /// For each binding, whether a look ahead costs little and loads something.
    pays: Vec<bool>,
}

impl<'a> LookAhead<'a> {
    /// Returns a look ahead for the rows of a job, or `None` if it would not pay.
    pub(crate) fn new(job: &Job<'_>, regions: &[&'a CpuRegion]) -> Option<LookAhead<'a>> {
        let elements: u64 = regions.iter().map(|region| region.bytes().0 / 8).sum();
        let orderable = |kind: usize| job.kinds[kind].spec.facts.orderable;
        let pays: Vec<bool> = job.bindings.iter().map(|binding| orderable(binding.kind)).collect();
        let tx = || Tx::scout(Scout { regions: regions.to_vec(), last: NOWHERE });
        (elements >= WORTH_IT && pays.contains(&true)).then(|| LookAhead { tx: tx(), pays })
    }

    /// Touches what a row of that binding will use.
    #[inline]
    pub(crate) fn at(&mut self, binding: usize, resolved: &Resolved<'_>, row: usize) {
        if self.pays[binding] {
            self.tx.begin_look_ahead(resolved.kind.spec, ITERATIONS);
            // It may end early, because zeros are not the real values.
            let ended = (resolved.kind.run)(&mut self.tx, &Row::new(resolved, row), &mut []);
            let is_long =
                |abort: Abort| matches!(abort.kind(), AbortKind::Fault { code: FaultCode::TooManyIterations, .. });
            self.pays[binding] = !ended.is_err_and(is_long);
        }
    }
}
