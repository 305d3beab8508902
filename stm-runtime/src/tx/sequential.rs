//! The arrays as plain words, for one transaction at a time without concurrency.

use kernels_gen::fault::FaultCode;

use super::abort::Abort;
use crate::memory;

/// The purpose of the memory, for the error when the sets do not fit.
const WHAT: &str = "the sets of a transaction";

/// Every array as plain words, and the writes of the current transaction.
#[derive(Debug, Default)]
pub struct Sequential {
    memory: Vec<Vec<u64>>,
    /// The undo log: the overwritten words, oldest first.
    undo: Vec<(usize, usize, u64)>,
}

impl Sequential {
    /// Returns the state for the words of each array of the run.
    pub(crate) fn new(memory: Vec<Vec<u64>>) -> Sequential {
        Sequential { memory, undo: Vec::new() }
    }

    /// Returns the words of each array.
    pub(crate) fn memory(&self) -> &[Vec<u64>] {
        &self.memory
    }

    pub(crate) fn read(&mut self, array: u32, index: u64, location: u32) -> Result<u64, Abort> {
        let at = self.at(array, index, location)?;
        Ok(self.memory[at.0][at.1])
    }

    pub(crate) fn write(&mut self, array: u32, index: u64, word: u64, location: u32) -> Result<(), Abort> {
        let at = self.at(array, index, location)?;
        memory::grow(WHAT, &mut self.undo)?;
        let old = std::mem::replace(&mut self.memory[at.0][at.1], word);
        self.undo.push((at.0, at.1, old));
        Ok(())
    }

    fn at(&self, array: u32, index: u64, location: u32) -> Result<(usize, usize), Abort> {
        let len = self.memory.get(array as usize).map_or(0, |words| words.len() as u64);
        if mutant!("reference: an index may be the length", index < len, index <= len) {
            Ok((array as usize, index as usize))
        } else {
            Err(Abort::fault(FaultCode::IndexOutOfRange, location))
        }
    }

    pub(crate) fn begin(&mut self) {
        self.undo.clear();
    }

    pub(crate) fn roll_back(&mut self) {
        if mutant!("reference: writes are undone oldest first", false, true) {
            self.undo.reverse();
        }
        for (array, index, old) in self.undo.drain(..).rev() {
            self.memory[array][index] = old;
        }
    }
}
