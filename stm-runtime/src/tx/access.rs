//! The accesses that every kind of memory has.

use std::fmt::Debug;

use super::abort::Abort;
use crate::sync::AtomicU64;

/// The memory of the verbs. An array is given by its place among those of the run.
#[doc(hidden)]
pub trait Memory: Debug {
    /// Whether an access is a few instructions. Otherwise [`Memory::read`] and [`Memory::write`] are called.
    const IS_FAST: bool = true;
    /// Whether no other thread runs transactions meanwhile, or only such that write nothing, so that nothing has to be done before or
    /// after a commit.
    const IS_ALONE: bool = false;

    /// Prepares for attempts at transactions of one procedure. `for_update` has a bit for each location whose reads take the lock.
    fn prepare(&mut self, for_update: u64);

    /// Starts an attempt.
    fn begin(&mut self);

    /// Returns whether the attempt has written something that an abort undoes; not for all kinds.
    fn has_written(&self) -> bool {
        true
    }

    /// Reads a word if that takes only a few instructions.
    fn read_at_once(&mut self, array: u32, index: u64, location: u32) -> Option<u64>;

    /// Writes a word if that takes only a few instructions; returns false otherwise.
    fn write_at_once(&mut self, array: u32, index: u64, word: u64, location: u32) -> bool;

    /// Reads a word that was not read at once, if that is not left to the slow path.
    ///
    /// # Errors
    /// The attempt has to end, or needs the slow path.
    #[inline(always)]
    fn read_otherwise(&mut self, _array: u32, _index: u64, _location: u32) -> Result<u64, Abort> {
        Err(Abort::NEEDS_SLOW_PATH)
    }

    /// Writes a word that was not written at once, if that is not left to the slow path.
    ///
    /// # Errors
    /// The attempt has to end, or needs the slow path.
    #[inline(always)]
    fn write_otherwise(&mut self, _array: u32, _index: u64, _word: u64, _location: u32) -> Result<(), Abort> {
        Err(Abort::NEEDS_SLOW_PATH)
    }

    /// Returns the values of that many components of a record, of which this array has the first, if they can be loaded without further
    /// ado.
    #[inline(always)]
    fn plain_row(&self, _array: u32, _index: u64, _components: usize) -> Option<&[AtomicU64]> {
        None
    }

    /// Returns whether that many components of a record, of which this array has the first, are accessed in one step, with
    /// [`Memory::read_row`] and [`Memory::write_row`].
    #[inline(always)]
    fn has_rows(&self, _array: u32, _components: usize) -> bool {
        false
    }

    /// Reads components of a record, of which this array has the first.
    ///
    /// # Errors
    /// The attempt has to end.
    fn read_row(&mut self, _array: u32, _index: u64, _location: u32, _words: &mut [u64]) -> Result<(), Abort> {
        Err(Abort::NEEDS_SLOW_PATH)
    }

    /// Writes components of a record, of which this array has the first.
    ///
    /// # Errors
    /// The attempt has to end.
    fn write_row(&mut self, _array: u32, _index: u64, _location: u32, _words: &[u64]) -> Result<(), Abort> {
        Err(Abort::NEEDS_SLOW_PATH)
    }

    /// Reads a word. `is_last` says that it is the last component of the element.
    ///
    /// # Errors
    /// The attempt has to end.
    fn read(&mut self, array: u32, index: u64, location: u32, is_last: bool) -> Result<u64, Abort>;

    /// Writes a word.
    ///
    /// # Errors
    /// The attempt has to end.
    fn write(&mut self, array: u32, index: u64, word: u64, location: u32, is_last: bool) -> Result<(), Abort>;

    /// Makes the writes of the attempt final. Returns whether there are any.
    ///
    /// # Errors
    /// The attempt has to end.
    fn commit(&mut self) -> Result<bool, Abort>;

    /// Does what is due now and then in a loop.
    ///
    /// # Errors
    /// The attempt has to end.
    fn look(&mut self) -> Result<(), Abort> {
        Ok(())
    }

    /// Returns whether the values are not the real ones, so that guards mean nothing.
    #[inline]
    fn is_blind(&self) -> bool {
        false
    }
}
