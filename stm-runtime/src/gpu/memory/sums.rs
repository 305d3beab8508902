//! What stages keep of the elements that they settle, as the sums of changes: that of all arrays, one after the other.

use std::sync::Arc;

use kernels_gen::abi::launch::ArrayAddress;
use kernels_gen::device::{Extent, Scope, Stage, Tuned, Visited};

use crate::error::GpuError;
use crate::gpu::backend::{DeviceBuffer, Driver, HostSliceMut, Limits};

/// The most bytes of copies in a block: two blocks then fit on a multiprocessor.
const MOST_COPIES: u64 = 96 << 10;

/// The most elements of which blocks have copies, each of 16 bytes (`Stage::with_copies`).
pub(crate) const MOST_COPIED: u64 = MOST_COPIES / 16;

/// The most elements of which sums are faster than locks: their sums fit into the L2 cache (one H200, docs/results).
pub(crate) const MOST_SUMMED: u64 = 3 << 20;

/// The sums of the elements of a batch; none for most engines.
pub(crate) struct Sums {
    buffer: Option<DeviceBuffer>,
    elements: u64,
    /// The bytes before the address that kernels know.
    before: u64,
}

impl Sums {
    /// Allocates the sums of these arrays' elements, and stores the address of each array's sums. Arrays of a group have theirs together.
    pub(crate) fn new(
        backend: &Arc<dyn Driver>,
        engine: &Tuned,
        settled: &[Vec<usize>],
        addresses: &mut [ArrayAddress],
    ) -> Result<Sums, GpuError> {
        let bytes = |elements| engine.bytes(Scope::Sums, Extent { elements, ..Extent::new(engine.settings) });
        let is_in_order = engine.last_visited() == Some(Visited::Foreseen);
        let lens = |group: &Vec<usize>| group.iter().map(|array| addresses[*array].len).max().unwrap_or(0);
        // An engine keeps something of each group before what it keeps of the elements, and for sums two bits of each element after them.
        let after = |len: u64| if is_in_order { 0 } else { len.div_ceil(64) };
        let lens: Vec<u64> = settled.iter().map(lens).map(|len| 1 + len + after(len)).collect();
        let elements = lens.iter().sum();
        // Stages that sort name an element by 32 bits. Without ranges they list no transaction.
        let is_named = elements < u64::from(u32::MAX) || !is_in_order;
        if elements == 0 || bytes(elements) == 0 || !is_named {
            return Ok(Sums { buffer: None, elements: 0, before: 0 });
        }
        let size = usize::try_from(bytes(elements)).unwrap_or(usize::MAX);
        let buffer = DeviceBuffer::new(backend, "the sums of elements", size)?;
        // Sums in any order are two of each element: half of them lie before the others, in the reverse order.
        let before = if is_in_order { 0 } else { bytes(elements) / 2 };
        let size = bytes(1) / if is_in_order { 1 } else { 2 };
        let mut next = buffer.address() + before;
        for (group, len) in settled.iter().zip(lens) {
            group.iter().for_each(|array| addresses[*array].extra = next + size);
            next += size * len;
        }
        Ok(Sums { buffer: Some(buffer), elements, before })
    }

    /// Zeroes them, before the transactions of a chunk.
    pub(crate) fn zero(&self) -> Result<(), GpuError> {
        self.buffer.as_ref().map_or(Ok(()), |buffer| buffer.zero_first(0, buffer.bytes()))
    }

    /// Returns the second word before them, in which a stage counts.
    pub(crate) fn counted(&self) -> Result<u64, GpuError> {
        let mut word = [0];
        let at = usize::try_from(self.before + 8).unwrap_or(usize::MAX);
        self.buffer.as_ref().map_or(Ok(()), |buffer| buffer.download(at, HostSliceMut::U64(&mut word)))?;
        Ok(word[0])
    }

    /// See [`DeviceBuffer::settle_with_kernel`].
    pub(crate) fn settle_with_kernel(&self) {
        self.buffer.iter().for_each(DeviceBuffer::settle_with_kernel);
    }

    /// Returns their address; 0 if there are none.
    pub(crate) fn address(&self) -> u64 {
        self.buffer.as_ref().map_or(0, |buffer| buffer.address() + self.before)
    }

    /// Returns their bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.buffer.as_ref().map_or(0, |buffer| buffer.bytes() as u64)
    }

    /// Returns the number of elements.
    pub(crate) fn elements(&self) -> u64 {
        self.elements
    }

    /// Returns the bytes of a block's copies in a stage; `None` if it has none, or a block has too little memory for them.
    pub(crate) fn copies(&self, stage: &Stage, limits: Limits) -> Option<u32> {
        let bytes = u64::from(stage.copies).saturating_mul(self.elements);
        let fit = bytes > 0 && bytes <= MOST_COPIES.min(limits.shared.into());
        u32::try_from(bytes).ok().filter(|_| fit)
    }

    /// Returns whether copies save additions: each block adds each copy to the sums in the end.
    pub(crate) fn is_worth(&self, blocks: u64, transactions: u64) -> bool {
        blocks.saturating_mul(self.elements) <= transactions
    }
}
