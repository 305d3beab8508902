//! Each work item puts its number into the first free cell of its bucket.
//!
//! Source: GPU-LocalTM, section 5.1.1: groups of 256 work items, each with a table of 2 to 256 buckets that hold all of them; few
//! buckets cause many conflicts. The search for the free cell is part of the transaction here.
//!
//! Invariant: every number that committed is in its bucket once, nothing else is, and no bucket has a gap. A rejected transaction
//! found its bucket full, which happens only when the batch has more transactions than there are cells.

use clap::Args;
use stm_bench::{Benchmark, Rng};
use stm_runtime::prelude::*;

use super::ending::{expect, no_faults, nothing_waits, result};
use super::fill::elements;
use super::part::{Parts, part_of};
use super::size::Size;

/// Cells of a partition, over all of its buckets.
const CELLS: usize = 256;
const SIZE: u32 = CELLS as u32;
/// The value of a free cell; the others hold the number plus 1.
const FREE: u32 = 0;
/// The reject code for a full bucket.
const FULL: u32 = 1;

macro_rules! with_so_many_buckets {
    ($($buckets:literal => $name:ident,)*) => {
        $(
        /// Puts a number into its bucket; returns the cell.
        #[gpu_transaction]
        fn $name(tx: &mut Tx, cells: &Partition<u32, CELLS>, number: u32) -> TxResult<u32> {
            let first = number % $buckets * (SIZE / $buckets);
            for step in 0..SIZE / $buckets {
                let at = first + step;
                if tx.read(cells, at)? == FREE {
                    tx.write(cells, at, number + 1)?;
                    return Ok(at);
                }
            }
            tx.reject(FULL)
        }
        )*

        fn push(batch: &mut Batch, cells: &Parts<u32, CELLS>, buckets: u32, Transaction { part, number }: Transaction) {
            let cells = cells.part(part);
            match buckets {
                $($buckets => _ = batch.push($name::call(cells, number)),)*
                // `Size` has no other values.
                _ => {}
            }
        }
    };
}

with_so_many_buckets! {
    2 => into_2,
    4 => into_4,
    8 => into_8,
    16 => into_16,
    32 => into_32,
    64 => into_64,
    128 => into_128,
    256 => into_256,
}

/// Numbers that go into the first free cell of their bucket
#[derive(Debug, Clone, Args)]
pub struct Hashtable {
    /// Buckets of each part: 2, 4, 8 .. 256
    #[arg(long, default_value = "32")]
    pub buckets: Size<2, 256>,
    /// Parts; each is filled by 256 transactions
    #[arg(long, default_value_t = 4_096, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    pub parts: u32,
}

/// One transaction.
#[derive(Debug, Clone, Copy)]
pub struct Transaction {
    part: u32,
    number: u32,
}

impl Benchmark for Hashtable {
    const NAME: &'static str = "hashtable";
    const SUMMARY: &'static str = "numbers that go into the first free cell of their bucket";
    const SOURCE: &'static str = "GPU-LocalTM, section 5.1.1";

    type State = Parts<u32, CELLS>;
    type Transaction = Transaction;

    fn setup(&self, device: &Device, _seed: u64) -> Result<Parts<u32, CELLS>, Error> {
        Parts::new(device, &elements(self.parts as usize * CELLS, |_| FREE)?)
    }

    fn transaction(&self, _rng: &mut Rng, number: u64) -> Transaction {
        let (part, number) = part_of(number, self.parts);
        Transaction { part, number }
    }

    fn push(&self, cells: &Parts<u32, CELLS>, transaction: Transaction, batch: &mut Batch) {
        push(batch, cells, self.buckets.get(), transaction);
    }

    fn check(&self, cells: &Parts<u32, CELLS>, report: &Report, transactions: &[Transaction]) -> Result<(), String> {
        no_faults(report)?;
        nothing_waits(report)?;
        let found = cells.contents()?;
        let mut want = vec![FREE; found.len()];
        for (at, transaction) in transactions.iter().enumerate() {
            let Some(cell) = result::<u32>(report, at) else { continue };
            let size = SIZE / self.buckets.get();
            let own = cell < SIZE && cell / size == transaction.number % self.buckets.get();
            expect(own, || format!("transaction {at} put {} into cell {cell} of another bucket", transaction.number))?;
            let cell = &mut want[(transaction.part * SIZE + cell) as usize];
            expect(*cell == FREE, || {
                format!("transactions put {} and {} into one cell", *cell - 1, transaction.number)
            })?;
            *cell = transaction.number + 1;
        }
        let wrong = found.iter().zip(&want).position(|(found, want)| found != want);
        let at = wrong.unwrap_or_default();
        expect(wrong.is_none(), || format!("cell {at} holds {} and not {} (0: free)", found[at], want[at]))?;
        self.check_buckets(&found, report, transactions)
    }
}

impl Hashtable {
    fn check_buckets(&self, found: &[u32], report: &Report, transactions: &[Transaction]) -> Result<(), String> {
        let size = (SIZE / self.buckets.get()) as usize;
        let gap =
            found.chunks_exact(size).position(|bucket| bucket.windows(2).any(|two| two[0] == FREE && two[1] != FREE));
        expect(gap.is_none(), || format!("bucket {gap:?} has a gap"))?;
        let turned_away = |(at, transaction): (usize, &Transaction)| {
            let bucket = transaction.part * self.buckets.get() + transaction.number % self.buckets.get();
            let last = found[bucket as usize * size + size - 1];
            matches!(report.outcome_at::<()>(at), Ok(Outcome::Rejected(_))) && last == FREE
        };
        let wrong = transactions.iter().enumerate().position(turned_away);
        expect(wrong.is_none(), || format!("transaction {wrong:?} was turned away from a bucket that has room"))
    }
}
