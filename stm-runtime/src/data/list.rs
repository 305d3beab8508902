//! The arrays and words of a call, collected by generated code.

use super::shared::Shared;
use super::value::GpuData;
use crate::backend::Array;

/// The words of values, in order.
#[doc(hidden)]
#[derive(Debug)]
pub struct Words<const N: usize> {
    list: [u64; N],
    count: usize,
}

impl<const N: usize> Words<N> {
    /// Adds the components of a value.
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

/// Returns the words that `fill` adds; `N` is their number.
#[doc(hidden)]
#[inline]
pub fn words<const N: usize>(fill: impl FnOnce(&mut Words<N>)) -> [u64; N] {
    let mut words = Words { list: [0; N], count: 0 };
    fill(&mut words);
    debug_assert_eq!(words.count, N, "a call has as many words as its values have components");
    words.list
}

/// Arrays of components, in order.
#[doc(hidden)]
#[derive(Debug)]
pub struct Arrays<'a, const N: usize> {
    list: [Option<&'a Array>; N],
    count: usize,
}

impl<'a, const N: usize> Arrays<'a, N> {
    /// Adds the arrays of the components.
    #[inline]
    pub fn add<T: GpuData>(&mut self, shared: &'a Shared<T>) {
        for component in 0..T::COMPONENTS {
            if let Some(place) = self.list.get_mut(self.count) {
                *place = shared.array(component);
            }
            self.count += 1;
        }
    }
}

/// Returns the arrays that `fill` adds.
///
/// # Panics
/// There are fewer than `N`. Generated code never does this.
#[doc(hidden)]
#[inline]
pub fn arrays<'a, const N: usize>(fill: impl FnOnce(&mut Arrays<'a, N>)) -> [&'a Array; N] {
    let mut arrays = Arrays { list: [None; N], count: 0 };
    fill(&mut arrays);
    arrays.list.map(|array| array.expect("a call should have as many arrays as its parameters have components"))
}
