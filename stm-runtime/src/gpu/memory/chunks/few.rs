//! The transactions of a chunk that have not committed, where they are few among many: a list of them is shorter than all statuses.

use kernels_gen::device::stage::EXECUTE;

use super::{ChunkBuffers, WHAT};
use crate::error::GpuError;
use crate::gpu::backend::{Exchange, KernelCall, Limits, Shape};
use crate::outcome::COMMITTED;

/// The kernel that lists them.
const LIST: &str = include_str!("list.cu");
/// The most transactions of a list.
pub(crate) const MOST_LISTED: u64 = 1 << 10;

impl ChunkBuffers {
    /// Returns those of the first transactions of the chunk that have not committed, with their statuses, in order; `None` where they are
    /// not as many as `left`.
    pub(crate) fn not_committed(
        &self,
        transactions: usize,
        left: usize,
        limits: Limits,
    ) -> Result<Option<Vec<(usize, u8)>>, GpuError> {
        let list = self.block.beside(WHAT, 8 * (left + 1))?;
        let program = self.block.program(LIST)?;
        let Limits { block, threads, .. } = limits;
        let shape = Shape { grid: threads.div_ceil(block.into()) as u32, block, shared: 0 };
        let parameters =
            [self.address(&self.at.status), transactions as u64, COMMITTED.into(), list.address(), left as u64];
        let call = KernelCall { entry: EXECUTE, shape, parameters: &parameters, copied: &[] };
        let mut down = vec![0; list.bytes()];
        list.exchange(&*program, Exchange { call, up: down.len(), write: &|into| into.fill(0), down: &mut down })?;
        let words: Vec<u64> = down.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        Ok(listed(&words))
    }
}

/// Returns the transactions of a list with their statuses, in order; `None` where it has no room for all.
fn listed(words: &[u64]) -> Option<Vec<(usize, u8)>> {
    let (count, words) = words.split_first()?;
    if *count != words.len() as u64 {
        return None;
    }
    let words = mutant!("chunks: the last one of a list counts as committed", words, &words[..words.len().max(1) - 1]);
    let mut listed: Vec<(usize, u8)> = words.iter().map(|word| ((word >> 8) as usize, *word as u8)).collect();
    listed.sort_unstable();
    Some(listed)
}

#[cfg(any(test, feature = "mutation"))]
pub(crate) mod tests {
    use super::*;

    hunted! { a_list_is_whole_and_in_order }

    #[cfg_attr(test, test)]
    fn a_list_is_whole_and_in_order() {
        assert_eq!(listed(&[2, 9 << 8, 3 << 8 | 4]), Some(vec![(3, 4), (9, 0)]));
        assert_eq!((listed(&[2, 9 << 8]), listed(&[0]), listed(&[])), (None, Some(vec![]), None));
    }

    #[cfg(all(test, feature = "emulator"))]
    #[test]
    fn the_few_that_wait_are_found_among_many() {
        use crate::gpu::tests::procedures::transfer;
        use crate::outcome::UnresolvedReason;
        use crate::{Device, EmulatorOptions, Outcome, RunOptions};

        const MANY: u32 = 1000;
        let waiting = [0, 7, 8, 511, MANY - 1];
        for seed in 0..2 {
            let Ok(device) = Device::emulated(EmulatorOptions::fibers(seed)) else { return };
            let accounts = device.shared(&[i64::from(MANY); 4]).unwrap();
            let mut batch = device.batch();
            let amount = |k| if waiting.contains(&k) { 1 << 40 } else { 1 };
            let tickets: Vec<_> =
                (0..MANY).map(|k| batch.push(transfer(&accounts, k % 4, (k + 1) % 4, amount(k)))).collect();
            let report = batch.run_with(&RunOptions::new()).unwrap();
            let left = (0..).zip(&tickets).filter(|(_, ticket)| {
                report.outcome(**ticket) == Outcome::Unresolved(UnresolvedReason::GuardNeverHeld)
            });
            assert_eq!(left.map(|(k, _)| k).collect::<Vec<u32>>(), waiting);
            let listed: Vec<u32> = report.unresolved_transactions.iter().map(|one| one.transaction as u32).collect();
            assert_eq!((report.committed, listed), (u64::from(MANY) - 5, waiting.to_vec()), "{report}");
            let bits = report.committed_bits().unwrap();
            let unset = (0..MANY).filter(|at| bits[*at as usize / 64] >> (at % 64) & 1 == 0);
            assert_eq!((bits.len(), bits[15], unset.collect::<Vec<_>>()), (16, (1 << 39) - 1, waiting.to_vec()));
        }
    }
}
