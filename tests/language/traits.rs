//! Traits whose functions return `Self`.

use stm_runtime::prelude::*;

use crate::harness::same_as_plain;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Hash(i32);

/// What can be joined.
#[gpu_fn]
trait Monoid {
    fn empty() -> Self;
    fn join(self, other: Self) -> Self;
}

#[gpu_fn]
impl Monoid for Hash {
    fn empty() -> Self {
        Hash(1)
    }

    fn join(self, other: Self) -> Self {
        Hash(self.0.wrapping_mul(3) ^ other.0)
    }
}

#[gpu_fn]
fn joined<T: Monoid + Copy, const N: usize>(list: [T; N]) -> T {
    let mut all = T::empty();
    for one in list {
        all = all.join(one);
    }
    all
}

#[gpu_fn]
fn hashed(a: i32, b: i32) -> (Hash, Hash) {
    (joined([Hash(a), Hash(b)]), joined([Hash(b).join(Hash::empty())]))
}

same_as_plain! { a_trait_may_return_self:
    hashed(a: i32, b: i32) -> (Hash, Hash);
}
