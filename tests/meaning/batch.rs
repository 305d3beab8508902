//! A table of calls of several kinds, what the interpreter makes of it, and what a device makes of it.

use kernels_gen::fault::FaultCode;
use kernels_gen::interpret::{Call, Outcome};
use stm_runtime::{Device, Engine, Error, Why};

use crate::device::{self, Regions};
use crate::generate::Dice;
use crate::pool::{self, MOST_REGIONS, Pool};
use crate::subject::Subject;

/// Words of the longest result.
pub(crate) const RESULT: usize = 8;

/// What became of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ended {
    Committed(Vec<u64>),
    Rejected(u32),
    /// The code, and the line and column of the site.
    Faulted(FaultCode, u32, u32),
    /// Its guard never held.
    Left,
    /// What cannot be compared, because it should not be.
    Other(String),
}

/// What became of a table: its rows, and the words of its regions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Results {
    pub(crate) rows: Vec<Ended>,
    pub(crate) memory: Vec<Vec<u64>>,
}

/// Calls of kinds on a pool of regions.
#[derive(Clone)]
pub(crate) struct Batch<'s> {
    pub(crate) subjects: Vec<&'s Subject>,
    pub(crate) rows: Vec<(usize, Call)>,
    pub(crate) pool: Pool,
}

impl<'s> Batch<'s> {
    /// Splits kinds into tables, with so many calls of each.
    pub(crate) fn split(subjects: &'s [Subject], most: usize, calls: usize, dice: &mut Dice) -> Vec<Batch<'s>> {
        let mut batches: Vec<Batch<'s>> = Vec::new();
        for subject in subjects {
            if let Some(last) = batches.last_mut()
                && last.subjects.len() < most
            {
                let mut pool = last.pool.clone();
                let regions = pool.bind(&subject.regions, dice);
                if pool.memory.len() <= MOST_REGIONS {
                    last.pool = pool;
                    last.add(subject, &regions, calls, dice);
                    continue;
                }
            }
            let mut batch = Batch { subjects: Vec::new(), rows: Vec::new(), pool: Pool::new(1 + dice.below(8)) };
            let regions = batch.pool.bind(&subject.regions, dice);
            batch.add(subject, &regions, calls, dice);
            batches.push(batch);
        }
        batches
    }

    fn add(&mut self, subject: &'s Subject, regions: &[usize], calls: usize, dice: &mut Dice) {
        let at = self.subjects.len();
        self.subjects.push(subject);
        for _ in 0..calls {
            let words = subject.values.iter().flat_map(|ty| pool::random(dice, *ty)).collect();
            self.rows.push((at, Call { regions: regions.to_vec(), words }));
        }
    }

    /// The one row alone, on the memory that it met.
    pub(crate) fn alone(&self, row: usize, memory: &[Vec<u64>]) -> Batch<'s> {
        let (at, call) = &self.rows[row];
        let mut pool = self.pool.clone();
        pool.memory = memory.to_vec();
        Batch { subjects: vec![self.subjects[*at]], rows: vec![(0, call.clone())], pool }
    }

    /// Pass after pass over what is left, as every engine does with one thread.
    pub(crate) fn interpret(&self) -> Results {
        let mut memory = self.pool.memory.clone();
        let mut rows = vec![Ended::Left; self.rows.len()];
        let mut left: Vec<usize> = (0..rows.len()).collect();
        loop {
            let before = left.len();
            left.retain(|row| {
                rows[*row] = self.interpret_row(*row, &mut memory);
                rows[*row] == Ended::Left
            });
            if left.len() == before {
                return Results { rows, memory };
            }
        }
    }

    /// The memory that a row of the first pass met.
    pub(crate) fn memory_before(&self, row: usize) -> Vec<Vec<u64>> {
        let mut memory = self.pool.memory.clone();
        (0..row).for_each(|row| _ = self.interpret_row(row, &mut memory));
        memory
    }

    fn interpret_row(&self, row: usize, memory: &mut Vec<Vec<u64>>) -> Ended {
        let (at, call) = &self.rows[row];
        let machine = &self.subjects[*at].machine;
        match machine.run(call, memory) {
            Outcome::Committed(mut words) => {
                words.resize(RESULT, 0);
                Ended::Committed(words)
            }
            Outcome::Rejected(code) => Ended::Rejected(code),
            Outcome::Faulted(code, site) => {
                let at = machine.site(site).map_or((0, 0), |place| (place.line, place.column));
                Ended::Faulted(code, at.0, at.1)
            }
            Outcome::Postponed => Ended::Left,
            Outcome::Broken(why) => Ended::Other(why),
        }
    }

    /// What a device makes of it.
    pub(crate) fn run(&self, device: &Device, engine: Engine) -> Result<Results, Error> {
        let regions = Regions::new(device, &self.pool)?;
        let mut table = device.table();
        table.engine(engine).threads(1);
        let mut tickets = Vec::new();
        for (at, call) in &self.rows {
            tickets.push(device::push(&mut table, self.subjects[*at].kind, &regions.of(&call.regions), &call.words));
        }
        let report = table.run()?;
        let ended = |ticket| match report.outcome(ticket) {
            stm_runtime::Outcome::Committed(words) => Ended::Committed(Vec::from(words)),
            stm_runtime::Outcome::Rejected(code) => Ended::Rejected(code),
            stm_runtime::Outcome::Faulted(fault) => Ended::Faulted(fault.code, fault.line, fault.column),
            stm_runtime::Outcome::Unresolved(Why::GuardNeverHeld) => Ended::Left,
            stm_runtime::Outcome::Unresolved(why) => Ended::Other(why.to_string()),
        };
        Ok(Results { rows: tickets.into_iter().map(ended).collect(), memory: regions.words()? })
    }
}
