//! Whether a serial order of transactions in the interpreter explains the results of a run.

use kernels_gen::spec::Scalar;
use stm_interpreter::{Call, Machine};
use stm_runtime::UnresolvedReason;

use crate::arrays::{Words, one_nan};
use crate::call::End;
use crate::world::World;

/// The limit of words of arrays times transactions: the interpreter copies all words for each transaction.
const MOST_WORK: usize = 1_000_000;
/// The largest number of transactions whose orders are searched.
const MOST_SEARCHED: usize = 9;
/// The largest number of transactions that the interpreter runs in the search for an order.
const BUDGET: u32 = 3000;

/// The transactions of a batch with the memory of its arrays.
pub(crate) struct Case<'m> {
    calls: Vec<(&'m Machine<'static>, Call)>,
    scalars: Vec<Scalar>,
    before: Words,
    after: Words,
    budget: u32,
}

impl<'m> Case<'m> {
    /// Returns the transactions of a batch; `after` gives the words of a component after the run. Returns `None` if there are too
    /// many, or if one of the arrays can no longer be read.
    pub(crate) fn new(world: &World<'_>, at: usize, after: impl Fn(usize) -> Option<Vec<u64>>) -> Option<Case<'m>> {
        let batch = &world.batches[at];
        let mut numbers: Vec<usize> = batch.transactions.iter().flat_map(|t| t.components.iter().copied()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let words: usize = numbers.iter().map(|number| world.components[*number].len()).sum();
        if words.saturating_mul(batch.transactions.len()) > MOST_WORK {
            return None;
        }
        let place = |number: &usize| numbers.binary_search(number).unwrap_or_default();
        let calls = batch.transactions.iter().map(|t| {
            let arrays = t.components.iter().map(place).collect();
            (&t.procedure.meaning().machine, Call { arrays, words: t.words.clone() })
        });
        Some(Case {
            calls: calls.collect(),
            scalars: numbers.iter().map(|number| world.scalars[*number]).collect(),
            before: numbers.iter().map(|number| world.components[*number].clone()).collect(),
            after: numbers.iter().map(|number| after(*number)).collect::<Option<_>>()?,
            budget: BUDGET,
        })
    }

    fn run(&self, transaction: usize, memory: &mut Words) -> End {
        let (machine, call) = &self.calls[transaction];
        let end = End::interpreted(machine, machine.run(call, memory));
        for (scalar, words) in self.scalars.iter().zip(memory) {
            if matches!(scalar, Scalar::F32 | Scalar::F64) {
                words.iter_mut().for_each(|word| one_nan(*scalar, word));
            }
        }
        end
    }

    /// Returns the ends of the transactions in their order, and whether the resulting memory is that of the run. Returns `None`
    /// if one of them waits, because the order then depends on the engine.
    pub(crate) fn in_order(&self) -> Option<(Vec<End>, bool)> {
        let mut memory = self.before.clone();
        let ends: Vec<End> = (0..self.calls.len()).map(|at| self.run(at, &mut memory)).collect();
        let waits = ends.contains(&End::Unresolved(UnresolvedReason::GuardNeverHeld));
        (!waits).then(|| (ends, memory == self.after))
    }

    /// Returns whether some order gives these ends and the memory of the run. Returns `None` if there are too many orders.
    pub(crate) fn some_order(&mut self, ends: &[End]) -> Option<bool> {
        let left: Vec<usize> = (0..ends.len()).filter(|at| !matches!(ends[*at], End::Unresolved(_))).collect();
        if left.len() > MOST_SEARCHED {
            return None;
        }
        let before = self.before.clone();
        let found = self.search(ends, &before, &left);
        (found || self.budget > 0).then_some(found)
    }

    fn search(&mut self, ends: &[End], memory: &Words, left: &[usize]) -> bool {
        if left.is_empty() {
            return *memory == self.after;
        }
        for at in left {
            if self.budget == 0 {
                return false;
            }
            self.budget -= 1;
            let mut next = memory.clone();
            if self.run(*at, &mut next) != ends[*at] {
                continue;
            }
            let rest: Vec<usize> = left.iter().copied().filter(|other| other != at).collect();
            if self.search(ends, &next, &rest) {
                return true;
            }
            if !matches!(ends[*at], End::Committed(_)) {
                // It has no effect in any position, so every order that explains the others may begin with it.
                return false;
            }
        }
        false
    }

    /// Returns the first unresolved transaction whose guard holds in the final state.
    pub(crate) fn could_go_on(&self, ends: &[End]) -> Option<usize> {
        let mut memory = self.after.clone();
        (0..ends.len()).find(|at| {
            ends[*at] == End::Unresolved(UnresolvedReason::GuardNeverHeld)
                && self.run(*at, &mut memory) != End::Unresolved(UnresolvedReason::GuardNeverHeld)
        })
    }
}
