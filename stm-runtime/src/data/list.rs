//! The regions and words of a call, collected by generated code.

use crate::data::GpuData;
use crate::region::Region;
use crate::shared::Shared;

/// The words of values, in order.
#[doc(hidden)]
#[derive(Debug)]
pub struct Words<const N: usize> {
    list: [u64; N],
    count: usize,
}

impl<const N: usize> Words<N> {
    /// Adds the leaves of a value.
    #[inline]
    pub fn add<T: GpuData>(&mut self, value: T) {
        value.stm_put(&mut |word| {
            if let Some(place) = self.list.get_mut(self.count) {
                *place = word;
            }
            self.count += 1;
        });
    }
}

/// The words that `fill` adds; `N` is how many.
#[doc(hidden)]
#[inline]
pub fn words<const N: usize>(fill: impl FnOnce(&mut Words<N>)) -> [u64; N] {
    let mut words = Words { list: [0; N], count: 0 };
    fill(&mut words);
    debug_assert_eq!(words.count, N, "a call has as many words as its values have leaves");
    words.list
}

/// Regions of leaves, in order.
#[doc(hidden)]
#[derive(Debug)]
pub struct Regions<'a, const N: usize> {
    list: [Option<&'a Region>; N],
    count: usize,
}

impl<'a, const N: usize> Regions<'a, N> {
    /// Adds the regions of the leaves.
    #[inline]
    pub fn add<T: GpuData>(&mut self, shared: &'a Shared<T>) {
        for leaf in 0..T::LEAVES {
            if let Some(place) = self.list.get_mut(self.count) {
                *place = shared.region(leaf);
            }
            self.count += 1;
        }
    }
}

/// The regions that `fill` adds.
///
/// # Panics
/// When they are fewer than `N`, which generated code never lets happen.
#[doc(hidden)]
#[inline]
pub fn regions<'a, const N: usize>(fill: impl FnOnce(&mut Regions<'a, N>)) -> [&'a Region; N] {
    let mut regions = Regions { list: [None; N], count: 0 };
    fill(&mut regions);
    regions.list.map(|region| region.expect("a call should have as many regions as its parameters have leaves"))
}
