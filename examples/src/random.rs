//! Random numbers that follow from their index, on the host and on a device.

use gpu_transactions::prelude::gpu_fn;

/// Returns number `at` of the random numbers of a seed, below a bound.
#[gpu_fn]
#[must_use]
pub fn draw(seed: u64, at: u64, bound: u32) -> u32 {
    let mut bits = (seed ^ at).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    bits = (bits ^ (bits >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    ((bits >> 32).wrapping_mul(bound as u64) >> 32) as u32
}
