//! Size limits of arrays.

/// The most elements of one array: an access is recorded with 48 bits of index.
pub(crate) const MAX_LEN: usize = 1 << 47;
/// The most partitions of one array: transactions name theirs with 32 bits.
pub(crate) const MAX_PARTS: usize = u32::MAX as usize;
/// The most elements under one lock word.
pub(crate) const MAX_COVERAGE: usize = 1 << 30;
