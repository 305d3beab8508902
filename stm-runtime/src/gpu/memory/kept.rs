//! The arrays that one block keeps in its memory while it runs transactions: small ones.

use kernels_gen::abi::launch::ArrayAddress;
use kernels_gen::device::turns::KEPT_FROM;

/// Gives each of these arrays a place in the memory of a block, the small ones first, as long as there is any, and stores it with the array's address. `kept`
/// has the bytes of an element of each. Returns the bytes that the block then needs.
pub(crate) fn keep(kept: &[(usize, u64)], block_bytes: u32, addresses: &mut [ArrayAddress]) -> u32 {
    let bytes = |(array, width): (usize, u64)| addresses[array].len.saturating_mul(width);
    let mut all: Vec<(u64, usize)> = kept.iter().map(|kept| (bytes(*kept), kept.0)).collect();
    all.sort_unstable();
    let mut next = KEPT_FROM;
    for (bytes, array) in all {
        let fits = next.saturating_add(bytes) <= block_bytes.into();
        addresses[array].extra = if fits { next } else { 0 };
        next += if fits { bytes.next_multiple_of(8) } else { 0 };
    }
    next as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_arrays_are_kept_while_there_is_memory() {
        let mut addresses = [100, u64::MAX, 3, 20].map(|len| ArrayAddress { len, extra: 1, ..ArrayAddress::default() });
        let bytes = keep(&[(0, 8), (1, 8), (2, 1), (3, 8)], 424, &mut addresses);
        assert_eq!(addresses.map(|at| at.extra), [0, 0, KEPT_FROM, KEPT_FROM + 8]);
        assert_eq!(u64::from(bytes), KEPT_FROM + 8 + 160);
    }

    #[test]
    fn arrays_that_are_not_kept_stay_as_they_are() {
        let mut addresses = [ArrayAddress { len: 1, extra: 7, ..ArrayAddress::default() }];
        assert_eq!(u64::from(keep(&[], 1 << 10, &mut addresses)), KEPT_FROM);
        assert_eq!(addresses[0].extra, 7);
    }
}
