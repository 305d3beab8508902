//! The generated kernel, through the public interface.

use examples::Transfer;
use gpu_transactions::prelude::*;

use crate::contest::{Contestant, Run, Shape};

const WARP: u64 = 32;

/// Moves `amount`, as in `bank`.
#[gpu_transaction]
pub(crate) fn transfer(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult {
    let balance = tx.read(accounts, from)?;
    tx.guard(balance >= amount)?;
    tx.write(accounts, from, balance - amount)?;
    let target = tx.read(accounts, to)?;
    tx.write(accounts, to, target + amount)
}

/// A batch of transfers on a device.
pub(crate) struct Generated {
    name: String,
    batch: Batch<'static>,
    accounts: Shared<i64>,
    most_threads: u64,
    total: i128,
}

impl Generated {
    pub(crate) fn new(
        device: &Device,
        transfers: &[Transfer],
        accounts: u32,
        start: u32,
        most_threads: u64,
    ) -> Result<Generated, Error> {
        let accounts = device.shared(&vec![i64::from(start); accounts as usize])?;
        let mut batch = device.batch();
        for at in transfers {
            batch.push(transfer::call(&accounts, at.from, at.to, i64::from(at.amount)));
        }
        let name = format!("generated, engine {}", Engine::default());
        let total = sum(&accounts)?;
        Ok(Generated { name, batch, accounts, most_threads, total })
    }
}

impl Contestant for Generated {
    fn name(&self) -> &str {
        &self.name
    }

    fn most_threads(&self) -> Result<u64, Error> {
        Ok(self.most_threads)
    }

    fn run(&mut self, shape: Shape) -> Result<Run, Error> {
        let Shape { threads, spread } = shape;
        let warps = (self.most_threads / WARP).max(1);
        let lanes = if spread { threads.div_ceil(warps).min(WARP) } else { WARP };
        let report = self.batch.run_with(&RunOptions::new().threads(threads as usize).lanes(lanes as u32))?;
        Ok(Run {
            threads,
            lanes,
            time: report.times.kernel,
            committed: report.committed,
            conflicts: report.conflicts.total(),
            conserved: sum(&self.accounts)? == self.total,
        })
    }
}

fn sum(accounts: &Shared<i64>) -> Result<i128, Error> {
    Ok(accounts.to_vec()?.into_iter().map(i128::from).sum())
}
