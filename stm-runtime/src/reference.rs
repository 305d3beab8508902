//! The reference executor: one transaction at a time on plain words. It defines the meaning of a transaction, without concurrency.
//!
//! Runs are checked against it, so it shares nothing with the threaded engine.

use kernels_gen::abi::detail;

use crate::backend::Resolved;
use crate::memory::NoMemory;
use crate::tx::{AbortKind, Alarm, Sequential, Tx, short_of_sets};

/// How one transaction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransactionEnd {
    /// With the result in [`ReferenceExecutor::result`].
    Committed,
    /// A guard was false.
    Postponed,
    /// With this code.
    Rejected(u32),
    /// With this code and location, as a transaction's detail.
    Faulted(u32),
    /// The run ends, and the transaction is unfinished.
    Halted,
}

/// Runs transactions one after the other.
#[derive(Debug)]
pub(crate) struct ReferenceExecutor<'a> {
    tx: Tx<'a>,
    result: Vec<u64>,
}

impl<'a> ReferenceExecutor<'a> {
    /// Returns a reference executor on these words, one list for each array of the job, for results of up to `results` words. The
    /// alarm, if there is one, ends a long transaction.
    pub(crate) fn new(memory: Vec<Vec<u64>>, results: usize, alarm: Option<&'a Alarm>) -> ReferenceExecutor<'a> {
        ReferenceExecutor { tx: Tx::alone(Sequential::new(memory), alarm), result: vec![0; results] }
    }

    /// Runs one transaction. Unless it commits, the words are as before.
    pub(crate) fn run(
        &mut self,
        specialization: &Resolved<'_>,
        transaction: usize,
    ) -> Result<TransactionEnd, NoMemory> {
        self.tx.prepare(specialization.spec, 0);
        self.tx.begin();
        self.state_mut().begin();
        mutant!("reference: the result before stays", self.result.fill(0), ());
        let ended = match specialization.call(&mut self.tx, transaction, &mut self.result) {
            Ok(()) => return Ok(TransactionEnd::Committed),
            Err(abort) => match abort.kind() {
                AbortKind::Rejected { code } => Ok(TransactionEnd::Rejected(code)),
                AbortKind::Fault { code, location } => Ok(TransactionEnd::Faulted(detail::pack(code, location))),
                // A transaction alone has no conflicts, and is on the slow path.
                AbortKind::Postponed | AbortKind::Conflict | AbortKind::NeedsSlowPath => Ok(TransactionEnd::Postponed),
                AbortKind::Halted => Ok(TransactionEnd::Halted),
                AbortKind::NoMemory { kib } => Err(short_of_sets(kib)),
            },
        };
        mutant!("reference: an abort keeps its writes", self.state_mut().roll_back(), ());
        ended
    }

    /// Takes the effects of the last transaction back.
    pub(crate) fn take_back(&mut self) {
        self.state_mut().roll_back();
    }

    /// Returns the words of the last transaction's result, 0 where it has none.
    pub(crate) fn result(&self) -> &[u64] {
        &self.result
    }

    /// Returns the words of all arrays.
    pub(crate) fn memory(&self) -> &[Vec<u64>] {
        self.state().memory()
    }

    fn state(&self) -> &Sequential {
        self.tx.sequential().expect("the reference executor's transaction should run alone")
    }

    fn state_mut(&mut self) -> &mut Sequential {
        self.tx.sequential_mut().expect("the reference executor's transaction should run alone")
    }
}
