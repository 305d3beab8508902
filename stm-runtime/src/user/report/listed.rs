//! The transactions that a report lists one by one, and the codes of the rejected ones.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::memory::{self, NoMemory};
use crate::outcome::{COMMITTED, FAULTED, LISTED, REJECTED, Statuses, TOGETHER, Tally};
use crate::threads::{processors, share};

/// The purpose of the memory, for the error when a report does not fit.
pub(super) const WHAT: &str = "a report";
/// Transactions that a thread describes: fewer are not worth one.
const FEW: usize = if cfg!(test) { 3 } else { 128 };

/// Codes that are counted without a list of all.
const FEW_CODES: usize = if cfg!(test) { 2 } else { 16 };

/// The most threads that describe transactions: to start more takes longer than they save.
const MOST_THREADS: usize = 4;

/// The first transactions that have faulted, and the first that are unresolved.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub(super) faults: Vec<usize>,
    pub(super) unresolved: Vec<usize>,
}

impl Listed {
    /// Adds those of a block.
    pub(super) fn add(&mut self, status: &Statuses, block: &Tally) {
        let lists_faults = block.faulted > 0 && self.faults.len() < LISTED;
        let lists_unresolved = block.unresolved() > 0 && self.unresolved.len() < LISTED;
        if !lists_faults && !lists_unresolved {
            return;
        }
        for (transaction, status) in of_block(status, block, |status| matches!(status, COMMITTED | REJECTED)) {
            let list = if status == FAULTED { &mut self.faults } else { &mut self.unresolved };
            if list.len() < LISTED {
                list.push(transaction);
            }
        }
    }
}

/// Returns the statuses of a block that are not like others, with their transactions.
fn of_block<'s>(
    status: &'s Statuses,
    block: &Tally,
    others: impl Fn(u8) -> bool + Copy + 's,
) -> impl Iterator<Item = (usize, u8)> + 's {
    let first = block.nth * TOGETHER;
    status.unlike(first..first + block.statuses as usize, others)
}

/// Describes transactions, on several threads if there are many: it takes a microsecond for each.
pub(super) fn described<T: Send>(transactions: &[usize], describe: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let each = transactions.len().div_ceil(processors().min(MOST_THREADS)).max(FEW);
    let parts = transactions.chunks(each);
    if parts.len() < 2 {
        return transactions.iter().map(|transaction| describe(*transaction)).collect();
    }
    let all = Mutex::new(Vec::new());
    share(parts.len(), parts.enumerate(), |(nth, part)| {
        let part: Vec<T> = part.iter().map(|transaction| describe(*transaction)).collect();
        all.lock().unwrap_or_else(PoisonError::into_inner).push((nth, part));
    });
    let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_unstable_by_key(|(nth, _)| *nth);
    all.into_iter().flat_map(|(_, part)| part).collect()
}

/// Counts the rejected transactions by code.
pub(super) fn codes(status: &Statuses, tallies: &[Tally], detail: &[u32]) -> Result<BTreeMap<u32, u64>, NoMemory> {
    // Most batches have few codes. Those of others are sorted.
    let (mut few, mut others): (Vec<(u32, u64)>, Vec<u32>) = (Vec::with_capacity(FEW_CODES), Vec::new());
    for block in tallies.iter().filter(|block| block.rejected > 0) {
        let mut rejected = of_block(status, block, |status| status != REJECTED);
        let codes = rejected.by_ref().filter_map(|(transaction, _)| detail.get(transaction));
        let mut codes = codes.copied().peekable();
        let Some(first) = codes.peek().copied() else { continue };
        // As a rule they all have one code, and to count that is quick.
        if same(status, block, detail, first) == block.rejected {
            add(&mut few, &mut others, (first, block.rejected))?;
        } else {
            codes.try_for_each(|code| add(&mut few, &mut others, (code, 1)))?;
        }
    }
    others.sort_unstable();
    let each = || others.chunk_by(|a, b| a == b);
    // A map cannot report lack of memory, so ask for its maximum size beforehand.
    memory::ask::<[u64; 5]>(WHAT, few.len() + each().count())?;
    Ok(few.into_iter().chain(each().map(|same| (same[0], same.len() as u64))).collect())
}

/// Returns how many of a block were rejected with that code.
fn same(status: &[u8], block: &Tally, detail: &[u32], code: u32) -> u64 {
    let transactions = block.nth * TOGETHER..block.nth * TOGETHER + block.statuses as usize;
    let (status, detail) = (&status[transactions.clone()], detail.get(transactions).unwrap_or_default());
    status.iter().zip(detail).map(|(status, own)| u32::from((*status == REJECTED) & (*own == code))).sum::<u32>().into()
}

/// Adds a number of transactions with one code.
fn add(few: &mut Vec<(u32, u64)>, others: &mut Vec<u32>, (code, count): (u32, u64)) -> Result<(), NoMemory> {
    match few.iter().position(|(known, _)| *known == code) {
        Some(at) => few[at].1 += count,
        None if few.len() < FEW_CODES => few.push((code, count)),
        None => (0..count).try_for_each(|_| memory::push(WHAT, others, code))?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_described_in_their_order() {
        for count in [0, 1, 2 * FEW, 50 * FEW + 1] {
            let transactions: Vec<usize> = (0..count).map(|at| 3 * at).collect();
            let described = described(&transactions, |transaction| transaction.to_string());
            assert_eq!(described, transactions.iter().map(usize::to_string).collect::<Vec<_>>());
        }
    }

    #[test]
    fn codes_and_lists_come_from_their_blocks() {
        let mut status = vec![COMMITTED; 3 * TOGETHER + 2];
        (status[1], status[TOGETHER], status[TOGETHER + 1], status[3 * TOGETHER + 1]) =
            (REJECTED, FAULTED, 0, REJECTED);
        let status = Statuses::from(status);
        let mut detail = vec![0; status.len()];
        (detail[1], detail[TOGETHER], detail[3 * TOGETHER + 1]) = (7, 99, 7);
        let tallies = status.tallies();
        assert_eq!(codes(&status, &tallies, &detail).unwrap(), BTreeMap::from([(7, 2)]));
        let many: Vec<u32> = (0..100).map(|transaction| transaction % 7).collect();
        let rejected = Statuses::from(vec![REJECTED; many.len()]);
        let counted = codes(&rejected, &rejected.tallies(), &many).unwrap();
        assert_eq!(counted, (0..7).map(|code| (code, if code < 2 { 15 } else { 14 })).collect());
        assert!(codes(&status, &tallies, &[]).unwrap().is_empty());
        let mut listed = Listed::default();
        tallies.iter().for_each(|block| listed.add(&status, block));
        assert_eq!((listed.faults, listed.unresolved), (vec![TOGETHER], vec![TOGETHER + 1]));
    }
}
