//! Memory of a device, and how words lie there.

/// Device memory that a back end has allocated. Only back ends create one, and `free` consumes it, so an address
/// in the run loop is always live.
#[derive(Debug)]
pub(crate) struct Allocation {
    pub(in crate::gpu) address: u64,
    pub(in crate::gpu) bytes: usize,
}

impl Allocation {
    /// Returns the address of a range within the allocation.
    ///
    /// # Panics
    /// The range is not within: a bug of the run loop, which must not become an out-of-bounds copy.
    pub(in crate::gpu) fn range(&self, offset: usize, bytes: usize) -> u64 {
        let end = offset.checked_add(bytes).expect("a range has an end");
        assert!(end <= self.bytes, "{end} bytes into an allocation of {}", self.bytes);
        self.address + offset as u64
    }
}

/// Rows of bytes in an allocation, the first one at an offset.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(in crate::gpu) at: &'a Allocation,
    pub(in crate::gpu) offset: usize,
    /// Bytes from one row to the next.
    pub(in crate::gpu) pitch: usize,
}

impl Rows<'_> {
    /// Returns the address of that many rows of that many bytes, of which there is at least one.
    #[cfg(feature = "cuda")]
    pub(in crate::gpu) fn address(self, rows: usize, bytes: usize) -> u64 {
        self.at.range(self.offset, self.pitch * (rows - 1) + bytes)
    }
}

/// Bytes of device memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryInfo {
    pub(crate) free: u64,
    pub(crate) total: u64,
    /// Bytes that earlier launches have taken for the threads' own variables. Later launches use them again.
    pub(crate) scratch: u64,
}

/// The encoding of host words on a device, with that many bytes each. `write` and `read` get one slice of bytes for all their
/// words.
#[derive(Clone, Copy)]
pub(crate) struct Encoding {
    pub(crate) bytes: usize,
    pub(crate) write: fn(&[u64], &mut [u8]),
    pub(crate) read: fn(&[u8], &mut [u64]),
}
