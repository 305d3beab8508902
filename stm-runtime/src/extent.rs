//! Size limits of arrays and batches.

/// The most elements of one array: an access is recorded with 48 bits of index.
pub(crate) const MAX_LEN: usize = 1 << 47;
/// The most transactions of a batch: computed columns take no memory, but outcomes do, and their bytes have to be numbers of 64 bits.
pub(crate) const MAX_TRANSACTIONS: usize = 1 << 40;
/// The most partitions of one array: transactions name theirs with 32 bits.
pub(crate) const MAX_PARTS: usize = u32::MAX as usize;
/// The most elements under one lock word.
pub(crate) const MAX_COVERAGE: usize = 1 << 30;
