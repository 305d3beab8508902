//! The histories of the transactions of a chunk, which a checked run downloads.

use kernels_gen::abi::history;

use super::transactions::{Transactions, is_finished};
use super::unordered::Unordered;
use crate::error::GpuError;
use crate::gpu::backend::{DeviceBuffer, HostSliceMut};
use crate::memory;
use crate::outcome::{Entry, History};

/// The number of transactions whose histories are downloaded at a time.
const LOG_TRANSACTIONS: usize = 1 << 16;

/// Adds the histories of the transactions that a chunk finished, with `stride` words each; the outcomes are already on the host.
pub(super) fn download(
    log: &DeviceBuffer,
    stride: usize,
    transactions: &Transactions<'_>,
    status: &[u8],
    history: &mut History,
) -> Result<(), GpuError> {
    let mut unordered = Unordered::default();
    let mut words =
        memory::zeroed::<u64>("histories", stride.saturating_mul(LOG_TRANSACTIONS.min(transactions.len())))?;
    for begin in (0..transactions.len()).step_by(LOG_TRANSACTIONS) {
        let count = LOG_TRANSACTIONS.min(transactions.len() - begin);
        let words = &mut words[..stride * count];
        log.download(8 * stride * begin, HostSliceMut::U64(words))?;
        for (index, record) in words.chunks_exact(stride).enumerate() {
            let transaction = transactions.at(begin + index);
            if is_finished(status[transaction]) {
                let number =
                    mutant!("chunks: histories number the transactions of a chunk", transaction, begin + index);
                match record[0] & history::UNORDERED {
                    0 => history.push(number, entries(record))?,
                    _ => unordered.push(turn(record), number, entries(record))?,
                }
            }
        }
    }
    unordered.put_in_order(history)
}

/// Returns the turn of a commit without locks.
fn turn(record: &[u64]) -> u64 {
    (record[0] & !history::UNORDERED) >> history::TURN_SHIFT
}

/// Decodes a record: a count and that many pairs. A count that does not fit is the device's error; the record is truncated.
fn entries(record: &[u64]) -> impl Iterator<Item = Entry> {
    let (count, pairs) = record.split_first().expect("a record has a count");
    let count = usize::try_from(*count & history::COUNT_MASK).unwrap_or(usize::MAX);
    let taken = mutant!("chunks: a history has all that fits", count, usize::MAX);
    pairs.chunks_exact(2).take(taken).map(|pair| Entry::from_words(pair[0], pair[1]))
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;

    hunted! {
        a_record_that_counts_past_its_end_is_cut
    }

    #[cfg_attr(test, test)]
    fn a_record_that_counts_past_its_end_is_cut() {
        assert_eq!(entries(&[1, 5, 6, 7, 8]).count(), 1);
        assert_eq!(entries(&[u64::MAX, 5, 6, 7, 8]).count(), 2);
        assert_eq!(entries(&[0]).count(), 0);
    }
}
