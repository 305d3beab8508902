//! The arrays as plain words, for one transaction at a time without concurrency.

use kernels_gen::fault::FaultCode;

use super::abort::Abort;
use crate::memory::{self, NoMemory};

/// The purpose of the memory, for the error when the sets do not fit.
const WHAT: &str = "the sets of a transaction";

/// Every array as plain words, and the accesses of the current transaction.
#[derive(Debug, Default)]
pub(crate) struct Sequential {
    memory: Vec<Vec<u64>>,
    /// The undo log: the overwritten words, oldest first.
    undo: Vec<(usize, usize, u64)>,
    /// The accesses of the current transaction, if traced: array, index, is a write.
    trace: Option<Vec<(usize, u64, bool)>>,
}

impl Sequential {
    /// Returns the state for the words of each array of the run.
    pub(crate) fn new(memory: Vec<Vec<u64>>) -> Sequential {
        Sequential { memory, ..Sequential::default() }
    }

    /// Returns the words of each array.
    pub(crate) fn memory(&self) -> &[Vec<u64>] {
        &self.memory
    }

    /// Takes the words of each array, at the end.
    pub(crate) fn take_memory(&mut self) -> Vec<Vec<u64>> {
        std::mem::take(&mut self.memory)
    }

    /// Traces the accesses of each transaction from now on.
    pub(crate) fn trace_accesses(&mut self) {
        self.trace.get_or_insert_default();
    }

    /// Returns the accesses of the current transaction, in its order: array, index, is a write.
    pub(crate) fn trace(&self) -> &[(usize, u64, bool)] {
        self.trace.as_deref().unwrap_or(&[])
    }

    /// Returns whether the current transaction has written something.
    pub(crate) fn has_written(&self) -> bool {
        !self.undo.is_empty()
    }

    pub(crate) fn read(&mut self, array: u32, index: u64, location: u32) -> Result<u64, Abort> {
        let at = self.at(array, index, location)?;
        self.note(at, false)?;
        Ok(self.memory[at.0][at.1])
    }

    pub(crate) fn write(&mut self, array: u32, index: u64, word: u64, location: u32) -> Result<(), Abort> {
        let at = self.at(array, index, location)?;
        self.note(at, true)?;
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

    fn note(&mut self, at: (usize, usize), write: bool) -> Result<(), NoMemory> {
        match &mut self.trace {
            Some(trace) => memory::push(WHAT, trace, (at.0, at.1 as u64, write)),
            None => Ok(()),
        }
    }

    pub(crate) fn begin(&mut self) {
        self.undo.clear();
        if let Some(trace) = &mut self.trace {
            trace.clear();
        }
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
