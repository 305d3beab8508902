//! A batch of calls of several procedures, run by the interpreter or by a device.

use kernels_gen::fault::FaultCode;
use stm_interpreter::{Call, Outcome};
use stm_runtime::{Device, Engine, Error, UnresolvedReason};
use stm_tests::in_push_order;

use crate::device::{self, Arrays};
use crate::generate::Dice;
use crate::pool::{self, MOST_ARRAYS, Pool};
use crate::subject::Subject;

/// Words of the longest result.
pub(crate) const RESULT: usize = 8;

/// The outcome of a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ended {
    Committed(Vec<u64>),
    Rejected(u32),
    /// The code, and the line and column of the location.
    Faulted(FaultCode, u32, u32),
    /// Unresolved: its guard was never true.
    Left,
    /// An outcome that should not occur and cannot be compared.
    Other(String),
}

/// The results of a batch: the outcomes of its transactions, and the words of its arrays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Results {
    pub(crate) transactions: Vec<Ended>,
    pub(crate) memory: Vec<Vec<u64>>,
}

/// Calls of procedures on a pool of arrays.
#[derive(Clone)]
pub(crate) struct Batch<'s> {
    pub(crate) subjects: Vec<&'s Subject>,
    pub(crate) transactions: Vec<(usize, Call)>,
    pub(crate) pool: Pool,
}

impl<'s> Batch<'s> {
    /// Splits procedures into batches, with `calls` calls of each.
    pub(crate) fn split(subjects: &'s [Subject], most: usize, calls: usize, dice: &mut Dice) -> Vec<Batch<'s>> {
        let mut batches: Vec<Batch<'s>> = Vec::new();
        for subject in subjects {
            if let Some(last) = batches.last_mut()
                && last.subjects.len() < most
            {
                let mut pool = last.pool.clone();
                let arrays = pool.bind(&subject.arrays, dice);
                if pool.memory.len() <= MOST_ARRAYS {
                    last.pool = pool;
                    last.add(subject, &arrays, calls, dice);
                    continue;
                }
            }
            let mut batch =
                Batch { subjects: Vec::new(), transactions: Vec::new(), pool: Pool::new(1 + dice.below(8)) };
            let arrays = batch.pool.bind(&subject.arrays, dice);
            batch.add(subject, &arrays, calls, dice);
            batches.push(batch);
        }
        batches
    }

    fn add(&mut self, subject: &'s Subject, arrays: &[usize], calls: usize, dice: &mut Dice) {
        let at = self.subjects.len();
        self.subjects.push(subject);
        for _ in 0..calls {
            let words = subject.values.iter().flat_map(|ty| pool::random(dice, *ty)).collect();
            self.transactions.push((at, Call { arrays: arrays.to_vec(), words }));
        }
    }

    /// Returns a batch of this transaction alone, on the memory that it started with.
    pub(crate) fn alone(&self, transaction: usize, memory: &[Vec<u64>]) -> Batch<'s> {
        let (at, call) = &self.transactions[transaction];
        let mut pool = self.pool.clone();
        pool.memory = memory.to_vec();
        Batch { subjects: vec![self.subjects[*at]], transactions: vec![(0, call.clone())], pool }
    }

    /// Returns a batch of the transactions that stages of an engine can run at their turn in push order. What waits goes on on the host.
    pub(crate) fn with_turns(&self, engine: Engine) -> Batch<'s> {
        let has_turns = |spec| engine.spec().has_turns(spec) == Some(true);
        let takes_turn = |subject: &Subject| subject.is_compiled && subject.procedure.spec().is_ok_and(has_turns);
        let turns = self.transactions.iter().filter(|(at, _)| takes_turn(self.subjects[*at]));
        Batch { transactions: turns.cloned().collect(), ..self.clone() }
    }

    /// Runs all transactions in the interpreter, in passes over the postponed ones, as every engine does with one thread.
    pub(crate) fn interpret(&self) -> Results {
        let mut memory = self.pool.memory.clone();
        let mut transactions = vec![Ended::Left; self.transactions.len()];
        let mut left: Vec<usize> = (0..transactions.len()).collect();
        loop {
            let before = left.len();
            left.retain(|transaction| {
                transactions[*transaction] = self.interpret_transaction(*transaction, &mut memory);
                transactions[*transaction] == Ended::Left
            });
            if left.len() == before {
                return Results { transactions, memory };
            }
        }
    }

    /// Returns the memory before a transaction of the first pass.
    pub(crate) fn memory_before(&self, transaction: usize) -> Vec<Vec<u64>> {
        let mut memory = self.pool.memory.clone();
        (0..transaction).for_each(|transaction| _ = self.interpret_transaction(transaction, &mut memory));
        memory
    }

    fn interpret_transaction(&self, transaction: usize, memory: &mut Vec<Vec<u64>>) -> Ended {
        let (at, call) = &self.transactions[transaction];
        let machine = &self.subjects[*at].machine;
        match machine.run(call, memory) {
            Outcome::Committed(mut words) => {
                words.resize(RESULT, 0);
                Ended::Committed(words)
            }
            Outcome::Rejected(code) => Ended::Rejected(code),
            Outcome::Faulted(code, location) => {
                let at = machine.location(location).map_or((0, 0), |place| (place.line, place.column));
                Ended::Faulted(code, at.0, at.1)
            }
            Outcome::Postponed => Ended::Left,
            Outcome::Broken(why) => Ended::Other(why),
        }
    }

    /// Runs the batch on a device.
    pub(crate) fn run(&self, device: &Device, engine: Engine) -> Result<Results, Error> {
        let arrays = Arrays::new(device, &self.pool)?;
        let mut batch = device.batch();
        let mut tickets = Vec::new();
        for (at, call) in &self.transactions {
            tickets.push(device::push(&mut batch, self.subjects[*at].procedure, &arrays.of(&call.arrays), &call.words));
        }
        let report = batch.run_with(&in_push_order(engine))?;
        let ended = |ticket| match report.outcome(ticket) {
            stm_runtime::Outcome::Committed(words) => Ended::Committed(Vec::from(words)),
            stm_runtime::Outcome::Rejected(code) => Ended::Rejected(code),
            stm_runtime::Outcome::Faulted(fault) => Ended::Faulted(fault.code, fault.line, fault.column),
            stm_runtime::Outcome::Unresolved(UnresolvedReason::GuardNeverHeld) => Ended::Left,
            stm_runtime::Outcome::Unresolved(why) => Ended::Other(why.to_string()),
        };
        Ok(Results { transactions: tickets.into_iter().map(ended).collect(), memory: arrays.words()? })
    }
}
