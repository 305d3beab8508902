//! Fetches the elements of the next rows into the cache while nothing depends on them yet.
//!
//! Where all addresses of a kind follow from its arguments, its function can be run with zeros in place of values, only to
//! see what it touches. The loads of several rows then overlap; an attempt's own loads cannot, because every lock that a
//! commit takes waits for what is before it. Nothing is read in earnest, and nothing is written.

use crate::cpu::CpuRegion;
use crate::row::{Resolved, Row};
use crate::sync::Ordering;
use crate::tx::Tx;

/// Rows whose elements are fetched together: as many as a core's window of instructions covers.
pub(crate) const GROUP: usize = 8;
/// Regions of fewer elements stay in the cache by themselves.
const WORTH_IT: u64 = 1 << 15;

/// Touches elements.
#[derive(Debug)]
pub(crate) struct Scout<'a> {
    regions: Vec<&'a CpuRegion>,
}

impl<'a> Scout<'a> {
    /// A transaction that only touches; `None` where it would not pay.
    pub(crate) fn over(regions: &[&'a CpuRegion]) -> Option<Tx<'a>> {
        let elements: u64 = regions.iter().map(|region| region.bytes().0 / 8).sum();
        (elements >= WORTH_IT).then(|| Tx::scout(Scout { regions: regions.to_vec() }))
    }

    /// Loads the element's cache line. The value is not used, so nobody waits for it.
    #[inline]
    pub(crate) fn touch(&mut self, region: u32, index: u64) -> u64 {
        if let Some(place) = self.regions.get(region as usize).and_then(|region| region.at(index)) {
            let _ = place.lock.load(Ordering::Relaxed);
            if !place.is_one_line() {
                let _ = place.value.load(Ordering::Relaxed);
            }
        }
        0
    }
}

/// Touches what a row will use, if that can be known.
#[inline]
pub(crate) fn look_ahead(scout: &mut Tx<'_>, binding: &Resolved<'_>, row: usize) {
    if binding.kind.spec.facts.orderable {
        scout.begin(binding.kind.spec);
        // It may well end early: zeros are not the values.
        let _ = (binding.kind.run)(scout, &Row::new(binding, row), &mut []);
    }
}
