//! Fallible allocation of host memory whose size follows from what the user passes in.
//!
//! Too little memory is an error and never aborts the process. A system that overcommits may still end the process when the
//! memory is used; no program can turn that into an error. The functions here fail where the system refuses a request.

use std::collections::VecDeque;

use bytemuck::Zeroable;
use bytemuck::allocation::try_zeroed_vec;

/// An allocation that the host refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoMemory {
    /// The purpose of the memory.
    pub(crate) what: &'static str,
    /// Requested bytes.
    pub(crate) bytes: u64,
}

impl NoMemory {
    /// Returns the error for a list of that many elements.
    pub(crate) fn for_elements<T>(what: &'static str, elements: usize) -> NoMemory {
        NoMemory { what, bytes: (elements as u64).saturating_mul(size_of::<T>() as u64) }
    }
}

/// Returns an empty list with room for that many elements.
pub(crate) fn with_room<T>(what: &'static str, elements: usize) -> Result<Vec<T>, NoMemory> {
    let mut list = Vec::new();
    list.try_reserve_exact(elements).map_err(|_| NoMemory::for_elements::<T>(what, elements))?;
    Ok(list)
}

/// Returns that many zeros. The system makes the pages when they are first touched, so several threads can share that work.
pub(crate) fn zeroed<T: Zeroable>(what: &'static str, elements: usize) -> Result<Vec<T>, NoMemory> {
    try_zeroed_vec(elements).map_err(|()| NoMemory::for_elements::<T>(what, elements))
}

/// Returns a list of that many copies of a value.
pub(crate) fn filled<T: Clone>(what: &'static str, elements: usize, value: T) -> Result<Vec<T>, NoMemory> {
    let mut list = with_room(what, elements)?;
    list.resize(elements, value);
    Ok(list)
}

/// Checks that there is memory for that many elements, on behalf of a collection that cannot report a refusal itself.
pub(crate) fn ask<T>(what: &'static str, elements: usize) -> Result<(), NoMemory> {
    // Without the black box the compiler removes the unused allocation.
    with_room::<T>(what, elements).map(|list| drop(std::hint::black_box(list)))
}

/// Collects an iterator of known length.
pub(crate) fn collected<T>(what: &'static str, items: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, NoMemory> {
    let mut list = with_room(what, items.len())?;
    list.extend(items);
    Ok(list)
}

/// Copies a list.
pub(crate) fn copied<T: Copy>(what: &'static str, items: &[T]) -> Result<Vec<T>, NoMemory> {
    collected(what, items.iter().copied())
}

/// Makes room for one more element, so that the next push cannot fail.
#[inline]
pub(crate) fn grow<T>(what: &'static str, list: &mut Vec<T>) -> Result<(), NoMemory> {
    if list.len() == list.capacity() { grow_by(what, list, 1) } else { Ok(()) }
}

/// Makes room for that many more elements.
#[cold]
pub(crate) fn grow_by<T>(what: &'static str, list: &mut Vec<T>, elements: usize) -> Result<(), NoMemory> {
    let wanted = list.len().saturating_add(elements);
    list.try_reserve(elements).map_err(|_| NoMemory::for_elements::<T>(what, wanted))
}

/// Adds an element.
#[inline]
pub(crate) fn push<T>(what: &'static str, list: &mut Vec<T>, item: T) -> Result<(), NoMemory> {
    grow(what, list)?;
    list.push(item);
    Ok(())
}

/// Adds an element at the end of a queue.
pub(crate) fn push_back<T>(what: &'static str, queue: &mut VecDeque<T>, item: T) -> Result<(), NoMemory> {
    queue.try_reserve(1).map_err(|_| NoMemory::for_elements::<T>(what, queue.len() + 1))?;
    queue.push_back(item);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_never_be_is_an_error_with_its_size() {
        assert_eq!(with_room::<u64>("words", 1 << 60).unwrap_err(), NoMemory { what: "words", bytes: 1 << 63 });
        assert_eq!(filled("bytes", usize::MAX, 0_u8).unwrap_err().bytes, u64::MAX);
        assert_eq!(ask::<u8>("bytes", usize::MAX / 2).unwrap_err().bytes, u64::MAX / 2);
        assert_eq!(ask::<u8>("bytes", 1000), Ok(()));
        assert_eq!(zeroed::<u32>("words", 1 << 60).unwrap_err().bytes, 1 << 62);
        assert_eq!(zeroed::<u32>("words", usize::MAX).unwrap_err().bytes, u64::MAX);
        let mut list = vec![1_u8];
        assert_eq!(grow_by("bytes", &mut list, usize::MAX).unwrap_err().bytes, u64::MAX);
        assert_eq!(list, [1]);
    }

    #[test]
    fn what_fits_is_as_it_should_be() {
        assert_eq!(filled("bytes", 3, 7_u8).unwrap(), [7; 3]);
        assert_eq!(zeroed::<u64>("words", 3).unwrap(), [0; 3]);
        assert_eq!(copied("words", &[1_u64, 2]).unwrap(), [1, 2]);
        let mut list = Vec::new();
        (0..100).for_each(|item| push("numbers", &mut list, item).unwrap());
        assert_eq!(list, (0..100).collect::<Vec<_>>());
        let mut queue = VecDeque::new();
        (0..9).for_each(|item| push_back("numbers", &mut queue, item).unwrap());
        assert_eq!(queue, (0..9).collect::<Vec<_>>());
    }
}
