//! Copies between the host and memory with a part on each device: each device copies its own part, over its own link to the host. A copy by
//! another device would take the link of that one, and the link between the two.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::GpuError;
use crate::gpu::backend::{Allocation, Driver, Rows};
use crate::outcome::TOGETHER;
use crate::threads::share;

/// The bytes of a copy from which the devices copy at the same time.
const WORTH_THREADS: usize = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// Items in an allocation: the offset of the first one, and the bytes of each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Items {
    pub(super) offset: usize,
    pub(super) each: usize,
    pub(super) count: usize,
}

impl Items {
    pub(super) fn bytes(self) -> usize {
        self.each * self.count
    }

    /// Returns the items that each of the devices copies, where each has `part` bytes of the allocation. Items are counted
    /// [`TOGETHER`], so those at a border may be copied by the device beside it.
    pub(super) fn shares(self, part: usize, devices: usize) -> Vec<Range<usize>> {
        let border = |nth: usize| {
            let before = (nth * part).saturating_sub(self.offset) / self.each;
            if nth == devices { self.count } else { (before / TOGETHER * TOGETHER).min(self.count) }
        };
        (0..devices).map(|nth| border(nth)..border(nth + 1)).collect()
    }
}

/// Lets each device make its copies: all devices at the same time, if there are many bytes. Returns the last error.
pub(super) fn on_each<C: Send>(
    devices: &[Arc<dyn Driver>],
    copies: Vec<C>,
    bytes: usize,
    copy: impl Fn(&dyn Driver, C) -> Result<(), GpuError> + Sync,
) -> Result<(), GpuError> {
    let most = if bytes < WORTH_THREADS { 1 } else { devices.len() };
    let failed = Mutex::new(Ok(()));
    share(most, devices.iter().zip(copies), |(device, copies)| {
        if let Err(error) = copy(&**device, copies) {
            *failed.lock().unwrap_or_else(PoisonError::into_inner) = Err(error);
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Copies ranges of an allocation to another one, where they begin at their distance from an offset.
pub(super) fn copy_ranges(
    device: &dyn Driver,
    (to, begin): (&Allocation, usize),
    (from, first): (&Allocation, usize),
    ranges: &[Range<usize>],
) -> Result<(), GpuError> {
    ranges.iter().filter(|range| !range.is_empty()).try_for_each(|range| {
        let bytes = range.len();
        let to = Rows { at: to, offset: begin + range.start - first, pitch: bytes };
        device.copy(to, Rows { at: from, offset: range.start, pitch: bytes }, 1, bytes)
    })
}

/// Splits items in ranges that follow each other.
pub(super) fn split<'a, T>(mut items: &'a mut [T], ranges: &[Range<usize>]) -> Vec<&'a mut [T]> {
    let mut taken = Vec::with_capacity(ranges.len());
    for range in ranges {
        let (first, rest) = items.split_at_mut(range.len());
        taken.push(first);
        items = rest;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_item_is_in_one_share_at_its_device() {
        for (offset, each, count) in [(0, 1, 4000), (256, 4, 700), (3000, 8, 100), (0, 16, 256), (8, 8, 0)] {
            let items = Items { offset, each, count };
            let shares = items.shares(1024, 4);
            assert_eq!((shares[0].start, shares[3].end), (0, count));
            assert!(shares.windows(2).all(|two| two[0].end == two[1].start), "{items:?}: {shares:?}");
            let at = |item: usize| (offset + each * item) / 1024;
            for (device, share) in shares.iter().enumerate() {
                let is_near = |item: usize| at(item).min(3) <= device && at(item + TOGETHER) >= device;
                assert!(share.clone().all(is_near), "{items:?}: {shares:?}");
            }
        }
    }

    #[test]
    fn slices_are_split_at_the_ranges() {
        let mut items = [0, 1, 2, 3, 4];
        assert_eq!(split(&mut items, &[0..2, 2..2, 2..5]), [&mut [0, 1][..], &mut [], &mut [2, 3, 4]]);
    }
}
