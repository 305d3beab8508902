//! The memory of the emulated device.
//!
//! It tracks the bytes that the host has written or zeroed. The host may read no others: kernel output depends on how far the
//! kernel
//! got, and on a real device the rest is old data.

use std::alloc::{Layout, alloc, dealloc};
use std::collections::BTreeMap;
use std::ops::Range;
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::backend::Content;
use crate::error::{ForeignProblem, GpuError};
use crate::gpu::backend::{Allocation, MemoryInfo};

/// The driver's alignment.
const ALIGNMENT: usize = 256;
/// The fill value of new memory, unlike any plausible value.
const UNDEFINED: u8 = 0xa5;

pub(super) struct EmulatedMemory {
    total: u64,
    live: Mutex<Live>,
}

/// Allocations by address.
#[derive(Default)]
struct Live {
    used: u64,
    blocks: BTreeMap<u64, Block>,
    /// Freed memory that has the columns of batches. It counts as free.
    kept: Vec<(Content, Allocation)>,
    /// What is to be zeroed before the next kernel begins: allocations, with the bytes of each.
    later: Vec<(Allocation, Range<usize>)>,
}

/// One allocation.
struct Block {
    bytes: usize,
    /// What has a value.
    defined: Vec<Range<usize>>,
}

impl EmulatedMemory {
    pub(super) fn new(total: u64) -> EmulatedMemory {
        EmulatedMemory { total, live: Mutex::default() }
    }

    pub(super) fn info(&self) -> MemoryInfo {
        MemoryInfo { free: self.total.saturating_sub(self.live().used), total: self.total, scratch: 0 }
    }

    pub(super) fn alloc(&self, what: &'static str, bytes: usize) -> Result<Allocation, GpuError> {
        let mut live = self.live();
        let free = self.total.saturating_sub(live.used);
        if bytes as u64 > free.saturating_sub(live.kept.iter().map(|(_, kept)| kept.bytes as u64).sum()) {
            live.give_up(|_| true);
        }
        let short = || GpuError::OutOfMemory { what, needed: bytes as u64, free };
        let layout = layout(bytes).filter(|_| bytes as u64 <= free).ok_or_else(short)?;
        // SAFETY: the layout is not empty: callers ask for at least one byte, and `layout` rounds up.
        let memory = unsafe { alloc(layout) };
        if memory.is_null() {
            return Err(short());
        }
        // SAFETY: as many bytes were allocated just now.
        unsafe { memory.write_bytes(UNDEFINED, layout.size()) };
        let address = memory.expose_provenance() as u64;
        live.used += bytes as u64;
        live.blocks.insert(address, Block { bytes, defined: Vec::new() });
        Ok(Allocation { address, bytes })
    }

    /// # Panics
    /// Some of it is to be zeroed: a bug of the runtime.
    pub(super) fn free(&self, allocation: Allocation, content: Option<Content>) {
        let mut live = self.live();
        let is_settled = live.later.iter().all(|(later, _)| later.address != allocation.address);
        assert!(is_settled, "memory that the device is about to zero is given back");
        live.used -= allocation.bytes as u64;
        match content {
            Some(content) => live.kept.push((content, allocation)),
            None => live.give_back(&allocation),
        }
    }

    /// Returns memory that its owner has filled, in a live allocation of the device.
    pub(super) fn adopt(&self, address: u64, bytes: usize) -> Result<Allocation, ForeignProblem> {
        let mut live = self.live();
        let (offset, block) = live.block(address).ok_or(ForeignProblem::NoMemory { address })?;
        if block.bytes - offset < bytes {
            return Err(ForeignProblem::TooShort { needed: bytes, has: block.bytes - offset });
        }
        add(&mut block.defined, offset..offset + bytes);
        Ok(Allocation { address, bytes })
    }

    pub(super) fn find(&self, content: Content, bytes: usize) -> Option<Allocation> {
        let mut live = self.live();
        let at = live.kept.iter().position(|(of, kept)| *of == content && kept.bytes == bytes)?;
        live.used += bytes as u64;
        Some(live.kept.swap_remove(at).1)
    }

    /// Gives up what is kept of some batches.
    pub(super) fn forget(&self, is_meant: impl Fn(&Content) -> bool) {
        self.live().give_up(is_meant);
    }

    pub(super) fn write(&self, to: &Allocation, offset: usize, from: &[u8]) {
        let target = pointer(to.range(offset, from.len()));
        // SAFETY: `range` is within a live allocation, which no slice of the host overlaps. No launch works on it, because the
        // run loop waits for each.
        unsafe { ptr::copy_nonoverlapping(from.as_ptr(), target, from.len()) };
        self.define(to, offset..offset + from.len());
    }

    /// # Panics
    /// The host has not written or zeroed all of these bytes: a bug of the runtime.
    pub(super) fn read(&self, from: &Allocation, offset: usize, into: &mut [u8]) {
        let source = pointer(from.range(offset, into.len()));
        let range = offset..offset + into.len();
        let is_defined = self
            .live()
            .block(from.address)
            .is_some_and(|(first, block)| covers(&block.defined, &(first + range.start..first + range.end)));
        assert!(is_defined, "the host reads bytes {range:?} of device memory that may have no value");
        // SAFETY: as in `write`.
        unsafe { ptr::copy_nonoverlapping(source, into.as_mut_ptr(), into.len()) };
    }

    pub(super) fn zero(&self, at: &Allocation, offset: usize, bytes: usize) {
        // SAFETY: `range` is within a live allocation; no launch works on it.
        unsafe { ptr::write_bytes(pointer(at.range(offset, bytes)), 0, bytes) };
        self.define(at, offset..offset + bytes);
    }

    /// Zeroes bytes when the next kernel begins. Until then they have no value.
    pub(super) fn zero_later(&self, &Allocation { address, bytes: all }: &Allocation, offset: usize, bytes: usize) {
        let at = Allocation { address, bytes: all };
        // SAFETY: `range` is within a live allocation; no launch works on it.
        unsafe { ptr::write_bytes(pointer(at.range(offset, bytes)), UNDEFINED, bytes) };
        let mut live = self.live();
        if let Some((first, block)) = live.block(address) {
            remove(&mut block.defined, first + offset..first + offset + bytes);
        }
        live.later.push((at, offset..offset + bytes));
    }

    /// Zeroes those bytes.
    pub(super) fn settle(&self) {
        // Under the lock: another thread could free the memory meanwhile.
        let mut live = self.live();
        for (at, range) in std::mem::take(&mut live.later) {
            // SAFETY: `range` is within an allocation, which is live as long as it is listed; no launch works on it.
            unsafe { ptr::write_bytes(pointer(at.range(range.start, range.len())), 0, range.len()) };
            if let Some((first, block)) = live.block(at.address) {
                add(&mut block.defined, first + range.start..first + range.end);
            }
        }
    }

    fn define(&self, of: &Allocation, range: Range<usize>) {
        if let Some((first, block)) = self.live().block(of.address) {
            add(&mut block.defined, first + range.start..first + range.end);
        }
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Live {
    /// Returns the offset of an address in its allocation, and the allocation.
    fn block(&mut self, address: u64) -> Option<(usize, &mut Block)> {
        let (first, block) = self.blocks.range_mut(..=address).next_back()?;
        let offset = (address - first) as usize;
        (offset < block.bytes).then_some((offset, block))
    }

    fn give_up(&mut self, is_meant: impl Fn(&Content) -> bool) {
        let (meant, kept) = std::mem::take(&mut self.kept).into_iter().partition(|(content, _)| is_meant(content));
        self.kept = kept;
        let meant: Vec<(Content, Allocation)> = meant;
        meant.iter().for_each(|(_, allocation)| self.give_back(allocation));
    }

    fn give_back(&mut self, allocation: &Allocation) {
        let is_live = self.blocks.remove(&allocation.address).is_some();
        if let Some(layout) = layout(allocation.bytes).filter(|_| is_live) {
            // SAFETY: allocated by `alloc` with the same layout, and freed once: it was still listed.
            unsafe { dealloc(pointer(allocation.address), layout) };
        }
    }
}

/// Adds a range to a list of ordered, disjoint ranges.
fn add(ranges: &mut Vec<Range<usize>>, mut new: Range<usize>) {
    if new.is_empty() {
        return;
    }
    let first = ranges.partition_point(|range| range.end < new.start);
    let end = ranges.partition_point(|range| range.start <= new.end);
    for range in &ranges[first..end] {
        new = new.start.min(range.start)..new.end.max(range.end);
    }
    ranges.splice(first..end, [new]);
}

/// Removes a range from a list of ordered, disjoint ranges.
fn remove(ranges: &mut Vec<Range<usize>>, old: Range<usize>) {
    let parts = |range: &Range<usize>| {
        [range.start..range.end.min(old.start), range.start.max(old.end)..range.end]
            .into_iter()
            .filter(|r| !r.is_empty())
    };
    *ranges = ranges.iter().flat_map(parts).collect();
}

fn covers(ranges: &[Range<usize>], wanted: &Range<usize>) -> bool {
    wanted.is_empty() || ranges.iter().any(|range| range.start <= wanted.start && wanted.end <= range.end)
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()
}

fn pointer(address: u64) -> *mut u8 {
    ptr::with_exposed_provenance_mut(address as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_grow_together() {
        let mut ranges = Vec::new();
        for range in [10..20, 30..40, 0..5, 50..50, 38..45, 20..30, 4..6] {
            add(&mut ranges, range);
        }
        assert_eq!(ranges, [0..6, 10..45]);
        assert!(covers(&ranges, &(10..45)) && covers(&ranges, &(2..6)) && covers(&ranges, &(7..7)));
        assert!(!covers(&ranges, &(5..7)) && !covers(&ranges, &(44..46)) && !covers(&ranges, &(0..45)));
        remove(&mut ranges, 5..20);
        assert_eq!(ranges, [0..5, 20..45]);
        remove(&mut ranges, 30..31);
        assert_eq!(ranges, [0..5, 20..30, 31..45]);
    }

    #[test]
    fn what_a_batch_has_is_there_until_others_need_the_memory() {
        let (memory, content) = (EmulatedMemory::new(1000), Content { batch: 1, transactions: 2, specializations: 1 });
        let keep = |memory: &EmulatedMemory| memory.free(memory.alloc("test", 600).unwrap(), Some(content));
        keep(&memory);
        assert!(memory.find(content, 599).is_none() && memory.info().free == 1000);
        let found = memory.find(content, 600).unwrap();
        assert_eq!(memory.info().free, 400);
        memory.free(found, Some(content));
        memory.free(memory.alloc("test", 500).unwrap(), None);
        assert!(memory.find(content, 600).is_none(), "the memory was needed");
        keep(&memory);
        memory.forget(|of| of.batch == 1);
        assert!(memory.find(content, 600).is_none(), "the batch has ended");
    }

    #[test]
    fn what_has_no_value_is_not_read() {
        let memory = EmulatedMemory::new(1000);
        let at = memory.alloc("test", 16).unwrap();
        memory.write(&at, 4, &[1; 8]);
        let mut bytes = [0; 8];
        memory.read(&at, 4, &mut bytes);
        assert_eq!(bytes, [1; 8]);
        for offset in [3, 5] {
            let read = std::panic::AssertUnwindSafe(|| memory.read(&at, offset, &mut [0; 8]));
            assert!(std::panic::catch_unwind(read).is_err(), "bytes from {offset} on");
        }
        memory.zero(&at, 0, 16);
        memory.zero_later(&at, 8, 8);
        let read = std::panic::AssertUnwindSafe(|| memory.read(&at, 8, &mut [0; 8]));
        assert!(std::panic::catch_unwind(read).is_err(), "bytes that are not zeroed yet");
        memory.settle();
        memory.read(&at, 8, &mut bytes);
        assert_eq!(bytes, [0; 8]);
        memory.free(at, None);
        assert_eq!(memory.info(), MemoryInfo { free: 1000, total: 1000, scratch: 0 });
        let again = memory.alloc("test", 16).unwrap();
        let read = std::panic::AssertUnwindSafe(|| memory.read(&again, 0, &mut [0; 8]));
        assert!(std::panic::catch_unwind(read).is_err(), "memory that was freed has no value");
        memory.free(again, None);
    }
}
