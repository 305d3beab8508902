//! One transaction at a time on plain words: the meaning of a transaction, with no concurrency in it.
//!
//! It is the oracle that runs are judged by, so it shares nothing with the threaded engine.

use std::sync::Arc;

use kernels_gen::abi::detail;
use kernels_gen::fault::FaultCode;

use crate::alarm::Alarm;
use crate::memory::{self, NoMemory};
use crate::print::Printer;
use crate::transaction::{Resolved, Transaction};
use crate::tx::{Abort, AbortKind, Tx, short_of_sets};

/// What is short where they do not fit.
const WHAT: &str = "the sets of a transaction";

/// Every array as plain words, and what the current transaction did to them.
#[derive(Debug, Default)]
pub(crate) struct Sequential {
    memory: Vec<Vec<u64>>,
    /// What stood where a write went, oldest first.
    undo: Vec<(usize, usize, u64)>,
    /// The accesses of the current transaction, if they are wanted: array, index, is a write.
    trace: Option<Vec<(usize, u64, bool)>>,
}

/// How one transaction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// With the result in [`Oracle::result`].
    Committed,
    /// A guard was false.
    Postponed,
    /// With this code.
    Rejected(u32),
    /// With this code and location, as a transaction's detail.
    Faulted(u32),
    /// The run ends, and the transaction is as it was.
    Halted,
}

impl Sequential {
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
        if mutant!("oracle: an index may be the length", index < len, index <= len) {
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

    fn begin(&mut self) {
        self.undo.clear();
        if let Some(trace) = &mut self.trace {
            trace.clear();
        }
    }

    fn roll_back(&mut self) {
        if mutant!("oracle: writes are undone oldest first", false, true) {
            self.undo.reverse();
        }
        for (array, index, old) in self.undo.drain(..).rev() {
            self.memory[array][index] = old;
        }
    }
}

/// Runs transactions one after the other.
#[derive(Debug)]
pub(crate) struct Oracle<'a> {
    tx: Tx<'a>,
    result: Vec<u64>,
}

impl<'a> Oracle<'a> {
    /// An oracle on these words, one list for each array of the job, for results of so many words. The alarm, if there is one,
    /// ends a transaction that takes long.
    pub(crate) fn new(memory: Vec<Vec<u64>>, results: usize, alarm: Option<&'a Alarm>) -> Oracle<'a> {
        Oracle { tx: Tx::alone(Sequential { memory, ..Sequential::default() }, alarm), result: vec![0; results] }
    }

    /// Also remembers the accesses of each transaction from now on.
    pub(crate) fn trace_accesses(&mut self) {
        self.state_mut().trace.get_or_insert_default();
    }

    /// Also prints the lines of each transaction.
    pub(crate) fn printing(mut self, printer: &Arc<Printer>) -> Oracle<'a> {
        self.tx = self.tx.printing(printer);
        self
    }

    /// Returns true if the last transaction, which has committed, wrote something.
    pub(crate) fn has_written(&mut self) -> bool {
        !self.state_mut().undo.is_empty()
    }

    /// Runs one transaction. Unless it commits, the words are as before.
    pub(crate) fn run(&mut self, specialization: &Resolved<'_>, transaction: usize) -> Result<Ended, NoMemory> {
        self.tx.begin(specialization.procedure.spec);
        self.state_mut().begin();
        mutant!("oracle: the result before stays", self.result.fill(0), ());
        let ended = match (specialization.procedure.run)(
            &mut self.tx,
            &Transaction::new(specialization, transaction),
            &mut self.result,
        ) {
            Ok(()) => return Ok(Ended::Committed),
            Err(abort) => match abort.kind() {
                AbortKind::Rejected { code } => Ok(Ended::Rejected(code)),
                AbortKind::Fault { code, location } => Ok(Ended::Faulted(fault_detail(code, location))),
                // Alone there is nothing to conflict with.
                AbortKind::Postponed | AbortKind::Conflict => Ok(Ended::Postponed),
                AbortKind::Halted => Ok(Ended::Halted),
                AbortKind::NoMemory { kib } => Err(short_of_sets(kib)),
            },
        };
        mutant!("oracle: an abort keeps its writes", self.state_mut().roll_back(), ());
        ended
    }

    /// The words of the last transaction's result, 0 where it has none.
    pub(crate) fn result(&self) -> &[u64] {
        &self.result
    }

    /// The words of all arrays.
    pub(crate) fn memory(&self) -> &[Vec<u64>] {
        &self.state().memory
    }

    /// The words of all arrays, at the end.
    pub(crate) fn into_memory(mut self) -> Vec<Vec<u64>> {
        std::mem::take(&mut self.state_mut().memory)
    }

    /// The accesses of the last transaction, in its order: array, index, is a write.
    pub(crate) fn trace(&self) -> &[(usize, u64, bool)] {
        self.state().trace.as_deref().unwrap_or(&[])
    }

    fn state(&self) -> &Sequential {
        self.tx.sequential().expect("an oracle's transaction should run alone")
    }

    fn state_mut(&mut self) -> &mut Sequential {
        self.tx.sequential_mut().expect("an oracle's transaction should run alone")
    }
}

/// A transaction's detail for a fault.
pub(crate) fn fault_detail(code: FaultCode, location: u32) -> u32 {
    detail::pack(code, location)
}
