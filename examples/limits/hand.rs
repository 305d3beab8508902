//! The hand-written kernels: compiled by the same NVRTC, launched on the same device, timed by the same events.

use examples::Transfer;
use gpu_transactions::Error;
use gpu_transactions::raw::{Buffer, Gpu, Program};

use crate::contest::{Contestant, Run, Shape};

const COMMON: &str = include_str!("kernels/common.cuh");
/// Threads of a block.
const BLOCK: u32 = 256;
/// The owner field of the library's lock word has 19 bits.
const MOST_THREADS: u64 = 1 << 19;
/// Bounds of every loop, so that no launch hangs: attempts at one transaction, and time.
const ATTEMPTS: u64 = 1 << 24;
const BUDGET_NS: u64 = 20_000_000_000;

/// Name and text of every kernel.
pub(crate) const KERNELS: [(&str, &str); 3] = [
    ("two atomicAdd, no guard", include_str!("kernels/atomic_add.cu")),
    ("hand-written locks", include_str!("kernels/locks.cu")),
    ("PR-STM as a library", include_str!("kernels/library.cu")),
];

/// The kernel that all are compared with.
pub(crate) const LOCKS: &str = KERNELS[1].0;

/// The batch on the device.
pub(crate) struct Columns {
    gpu: Gpu,
    transactions: usize,
    balances: Vec<u64>,
    from: Buffer,
    to: Buffer,
    amount: Buffer,
    status: Buffer,
    accounts: Buffer,
    locks: Buffer,
    conflicts: Buffer,
}

impl Columns {
    pub(crate) fn new(gpu: &Gpu, transfers: &[Transfer], accounts: u32, start: u32) -> Result<Columns, Error> {
        let column = |of: fn(&Transfer) -> u32| transfers.iter().map(of).collect::<Vec<u32>>();
        let amounts: Vec<u64> = transfers.iter().map(|transfer| u64::from(transfer.amount)).collect();
        let balances = vec![u64::from(start); accounts as usize];
        Ok(Columns {
            gpu: gpu.clone(),
            transactions: transfers.len(),
            from: gpu.upload("a column", &column(|transfer| transfer.from))?,
            to: gpu.upload("a column", &column(|transfer| transfer.to))?,
            amount: gpu.upload("a column", &amounts)?,
            status: gpu.zeroed("the status column", transfers.len())?,
            accounts: gpu.upload("accounts", &balances)?,
            locks: gpu.zeroed("locks", 4 * balances.len())?,
            conflicts: gpu.zeroed("a counter", 8)?,
            balances,
        })
    }

    /// Restores the initial state.
    fn reset(&self) -> Result<(), Error> {
        self.accounts.upload(&self.balances)?;
        [&self.status, &self.locks, &self.conflicts].into_iter().try_for_each(Buffer::zero)
    }

    /// Returns `stm_params` of kernels/common.cuh.
    fn parameters(&self) -> [u64; 10] {
        [
            self.transactions as u64,
            self.from.address(),
            self.to.address(),
            self.amount.address(),
            self.status.address(),
            self.accounts.address(),
            self.locks.address(),
            self.conflicts.address(),
            ATTEMPTS,
            BUDGET_NS,
        ]
    }
}

/// One kernel with a batch.
pub(crate) struct Hand<'a> {
    name: &'static str,
    program: Program,
    columns: &'a Columns,
}

impl<'a> Hand<'a> {
    pub(crate) fn compile(name: &'static str, text: &str, columns: &'a Columns) -> Result<Hand<'a>, Error> {
        let program = columns.gpu.compile(&format!("{COMMON}#line 1 \"{name}\"\n{text}"))?;
        Ok(Hand { name, program, columns })
    }
}

impl Hand<'_> {
    /// Returns blocks and threads a block. A block smaller than a warp leaves the warp's other lanes idle.
    fn grid(&self, shape: Shape) -> Result<(u32, u32), Error> {
        let most = u64::from(self.program.resident_blocks(1)?).max(1);
        let block = if shape.spread { shape.threads.div_ceil(most) } else { shape.threads };
        let block = block.clamp(1, u64::from(BLOCK));
        Ok(((shape.threads / block).max(1) as u32, block as u32))
    }
}

impl Contestant for Hand<'_> {
    fn name(&self) -> &str {
        self.name
    }

    fn most_threads(&self) -> Result<u64, Error> {
        let resident = u64::from(self.program.resident_blocks(BLOCK)?) * u64::from(BLOCK);
        Ok(resident.min(self.columns.gpu.threads()).min(MOST_THREADS))
    }

    fn run(&mut self, shape: Shape) -> Result<Run, Error> {
        let columns = self.columns;
        columns.reset()?;
        let (blocks, block) = self.grid(shape)?;
        // SAFETY: the kernels stay within the columns, whose lengths they are given or which are as long as the largest
        // index in them, and all loops are bounded by ATTEMPTS and BUDGET_NS.
        let time = unsafe { self.program.launch(blocks, block, &columns.parameters()) }?;

        let mut status = vec![0_u8; columns.transactions];
        columns.status.download(&mut status)?;
        let mut balances = vec![0_u64; columns.balances.len()];
        columns.accounts.download(&mut balances)?;
        let mut conflicts = [0_u64];
        columns.conflicts.download(&mut conflicts)?;
        Ok(Run {
            threads: u64::from(blocks) * u64::from(block),
            lanes: u64::from(block.min(32)),
            time,
            committed: status.iter().filter(|mark| **mark == 1).count() as u64,
            conflicts: conflicts[0],
            conserved: sum(&balances) == sum(&columns.balances),
        })
    }
}

/// Returns the sum of balances, which are two's complement words.
fn sum(words: &[u64]) -> i128 {
    words.iter().map(|word| i128::from(word.cast_signed())).sum()
}
