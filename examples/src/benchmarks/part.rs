//! The benchmarks of GPU-LocalTM: small parts, each for one work group of 256 work items, that have nothing to do with each
//! other. On a region for all, element `i` of a part is `part * N + i`.

/// Work items of a group: so many rows, one after the other, belong to one part.
pub(super) const GROUP: u64 = 256;

/// The part of a row, and its number within the group.
pub(super) fn part_of(row: u64, parts: u32) -> (u32, u32) {
    ((row / GROUP % u64::from(parts.max(1))) as u32, (row % GROUP) as u32)
}
