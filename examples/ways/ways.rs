//! The ways to have transfers made.

use std::iter::repeat_n;
use std::thread;
use std::time::Instant;

use examples::Transfers;
use gpu_transactions::options::{Fallback, Outcomes};
use gpu_transactions::prelude::*;
use gpu_transactions::{PipelineOptions, RunOptions};

use crate::hand::{Account, plain_loop, spin_locks};
use crate::procedures::{drawn, transfer};
use crate::{START, bare};

/// Transfers of a list that a thread submits to a pipeline, and of a full batch there.
const LIST: usize = 1 << 14;
const BATCH: usize = 1 << 18;
/// Batches of each thread, where several have some: many, since a thread takes as long to start as a small batch.
const BATCHES: usize = 64;

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Way {
    Batch(Fill, On),
    /// That many threads push batches of their own on accounts of their own.
    Threads(usize),
    /// Up to eight threads submit lists.
    Pipeline,
    PlainLoop,
    SpinLocks,
    /// No transfers at all.
    Launch,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Fill {
    Push,
    #[cfg(feature = "rayon")]
    ParExtend,
    Lists,
    /// The lists were copied to the device once.
    Kept,
    /// The device draws the transfers by their indices.
    Computed,
}

/// Where a batch runs.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum On {
    Device,
    /// The host, if the batch is small.
    DeviceOrHost,
    /// That many CPU threads; 0 for all.
    Cpu(usize),
}

impl Way {
    /// Returns how often the transfers are made each time.
    pub(crate) fn times(self) -> usize {
        if let Way::Threads(threads) = self { BATCHES * threads } else { 1 }
    }
}

/// What is the same for all ways.
pub(crate) struct Setting {
    pub(crate) name: String,
    pub(crate) device: Device,
    pub(crate) accounts: u32,
}

/// What is known when all transfers were made: when the last call was, and the report of a batch.
pub(crate) type Done = (Option<Instant>, Option<Report>);

/// A way that is ready to make all transfers, again and again.
pub(crate) type Contestant<'a> = Box<dyn FnMut() -> Result<Done, Error> + Send + 'a>;

impl Setting {
    /// Prepares a way; `None` where the device does not have it.
    pub(crate) fn prepare<'a>(&'a self, way: Way, transfers: &'a Transfers) -> Result<Option<Contestant<'a>>, Error> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let mut balances = vec![START; self.accounts as usize];
        Ok(Some(match way {
            Way::Batch(_, On::Cpu(_) | On::DeviceOrHost) if !self.device.is_gpu() => return Ok(None),
            Way::Batch(fill, on) => self.batch(fill, on, transfers)?,
            Way::Threads(count) => {
                let batch = |_| self.batch(Fill::Push, On::Device, transfers);
                let mut batches = (0..count).map(batch).collect::<Result<Vec<_>, Error>>()?;
                Box::new(move || {
                    thread::scope(|scope| {
                        let all = |batch: &mut Contestant<'_>| (0..BATCHES).try_for_each(|_| batch().map(drop));
                        let threads: Vec<_> = batches.iter_mut().map(|batch| scope.spawn(move || all(batch))).collect();
                        threads.into_iter().try_for_each(|thread| thread.join().expect("it does not panic"))
                    })?;
                    Ok((None, None))
                })
            }
            Way::Pipeline => self.pipeline(transfers, threads.min(8))?,
            Way::PlainLoop => Box::new(move || {
                plain_loop(transfers, &mut balances);
                Ok((None, None))
            }),
            Way::SpinLocks => {
                let accounts: Vec<Account> = balances.into_iter().map(Account::new).collect();
                Box::new(move || {
                    spin_locks(transfers, &accounts, threads);
                    Ok((None, None))
                })
            }
            Way::Launch => match bare::compile(&self.name)? {
                None => return Ok(None),
                Some(program) => Box::new(move || bare::launch(&program).map(|()| (None, None))),
            },
        }))
    }

    fn batch<'a>(&self, fill: Fill, on: On, transfers: &'a Transfers) -> Result<Contestant<'a>, Error> {
        let device = if let On::Cpu(threads) = on { Device::cpu(threads) } else { self.device.clone() };
        let fallback = if on == On::DeviceOrHost { Fallback::SmallBatches } else { Fallback::Never };
        // What the device has, it keeps.
        let outcomes = if matches!(fill, Fill::Kept | Fill::Computed) { Outcomes::Counted } else { Outcomes::Each };
        let (options, mut batch) = (RunOptions::new().fallback(fallback).outcomes(outcomes), device.batch());
        let (accounts, size) = (device.shared(&vec![START; self.accounts as usize])?, self.accounts);
        let Transfers { from, to, amount } = transfers;
        let keep = || Ok::<_, Error>((device.column(from)?, device.column(to)?, device.column(amount)?));
        let kept = (fill == Fill::Kept).then(keep).transpose()?;
        Ok(Box::new(move || {
            batch.clear();
            if let Some((from, to, amount)) = &kept {
                batch.push_columns(transfer::columns(&accounts, from, to, amount))?;
            }
            match fill {
                Fill::Push => {
                    for ((from, to), amount) in from.iter().zip(to).zip(amount) {
                        batch.push(transfer::call(&accounts, *from, *to, *amount));
                    }
                }
                #[cfg(feature = "rayon")]
                Fill::ParExtend => {
                    use rayon::prelude::*;
                    let rows = (from, to, amount).into_par_iter();
                    batch.par_extend(rows.map(|(from, to, amount)| transfer::call(&accounts, *from, *to, *amount)));
                }
                Fill::Lists => _ = batch.push_columns(transfer::columns(&accounts, from, to, amount))?,
                Fill::Kept => {}
                Fill::Computed => {
                    let (count, indices) = (from.len(), 0..from.len() as u64);
                    let drawn = drawn::columns(&accounts, indices, repeat_n(1, count), repeat_n(size, count));
                    _ = batch.push_columns(drawn)?;
                }
            }
            let filled = Instant::now();
            let report = batch.run_with(&options)?;
            assert_eq!(report.committed, from.len() as u64, "not all transfers were made: {report}");
            Ok((Some(filled), Some(report)))
        }))
    }

    fn pipeline<'a>(&self, transfers: &'a Transfers, threads: usize) -> Result<Contestant<'a>, Error> {
        let accounts = self.device.shared(&vec![START; self.accounts as usize])?;
        let pipeline = self.device.pipeline(PipelineOptions::new().max_transactions(BATCH))?;
        let Transfers { from, to, amount } = transfers;
        let (mut expected, rounds) = (0, LIST * threads);
        Ok(Box::new(move || {
            let submit = |thread: usize| {
                (thread * LIST..from.len()).step_by(rounds).try_for_each(|at| {
                    let list = at..from.len().min(at + LIST);
                    let (from, to, amount) = (&from[list.clone()], &to[list.clone()], &amount[list]);
                    pipeline.submit_columns(transfer::columns(&accounts, from, to, amount)).map(drop)
                })
            };
            thread::scope(|scope| {
                let clients: Vec<_> = (0..threads).map(|thread| scope.spawn(move || submit(thread))).collect();
                clients.into_iter().try_for_each(|client| client.join().expect("it does not panic"))
            })?;
            let (filled, totals) = (Instant::now(), pipeline.flush()?);
            expected += from.len() as u64;
            assert_eq!(totals.committed, expected, "not all transfers were made: {totals:?}");
            Ok((Some(filled), None))
        }))
    }
}
