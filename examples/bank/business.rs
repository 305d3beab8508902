//! The bank's arrays, and how a batch is filled.

use std::iter::repeat_n;

use gpu_transactions::Ticket;
use gpu_transactions::prelude::*;

use crate::cli::{Args, Fill, ProcedureName};
use crate::draws::{Audits, Draws};
use crate::procedures::{audit, deposit, drawn, transfer};

/// The initial balance of every account and every purse.
pub(crate) const START: u32 = 1000;

/// The bank's arrays.
pub(crate) struct Books {
    accounts: Shared<i64>,
    cash: Shared<u32>,
}

impl Books {
    pub(crate) fn open(device: &Device, accounts: u32) -> Result<Books, Error> {
        let each = filled(accounts, i64::from(START))?;
        let purses = filled(accounts, START)?;
        Ok(Books { accounts: device.shared(&each)?, cash: device.shared(&purses)? })
    }

    /// Puts back what every account and every purse had in the beginning.
    pub(crate) fn reset(&self) -> Result<(), Error> {
        self.accounts.fill(i64::from(START))?;
        self.cash.fill(START)
    }

    /// Returns the sum of all money, in accounts and purses.
    pub(crate) fn total(&self) -> Result<i64, Error> {
        let on_accounts: i64 = self.accounts.to_vec()?.iter().sum();
        let in_purses: i64 = self.cash.to_vec()?.into_iter().map(i64::from).sum();
        Ok(on_accounts + in_purses)
    }
}

/// An audit whose result is shown to people.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Audit {
    pub(crate) ticket: Ticket<i64>,
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// Fills the batch; returns the last audit, if there is one.
pub(crate) fn fill<'a>(
    batch: &mut Batch<'a>,
    books: &Books,
    draws: &'a Draws,
    args: &Args,
) -> Result<Option<Audit>, Error> {
    match args.fill {
        Fill::Columns => fill_by_columns(batch, books, draws),
        Fill::Push => fill_one_by_one(batch, books, draws),
        Fill::Index => {
            let (accounts, count) = (&books.accounts, args.transactions as usize);
            let (seed, size) = (repeat_n(args.seed, count), repeat_n(args.accounts, count));
            batch.push_columns(drawn::columns(accounts, 0..args.transactions, seed, size))?;
            Ok(None)
        }
        #[cfg(feature = "rayon")]
        Fill::ParExtend => {
            fill_by_threads(batch, books, draws);
            Ok(None)
        }
    }
}

/// Adds the transactions procedure by procedure. The batch reads the lists where they are.
fn fill_by_columns<'a>(batch: &mut Batch<'a>, books: &Books, draws: &'a Draws) -> Result<Option<Audit>, Error> {
    let Draws { transfers, deposits, audits, .. } = draws;
    let Books { accounts, cash } = books;
    batch.push_columns(transfer::columns(accounts, &transfers.from, &transfers.to, &transfers.amount))?;
    batch.push_columns(deposit::columns(accounts, cash, &deposits.customer, &deposits.amount))?;
    let tickets = batch.push_columns(audit::columns(accounts, &audits.first, &audits.last))?;
    Ok(tickets.iter().last().and_then(|ticket| audits.last_one(ticket)))
}

/// Adds the transactions procedure by procedure, by several threads.
#[cfg(feature = "rayon")]
fn fill_by_threads(batch: &mut Batch<'_>, books: &Books, draws: &Draws) {
    use rayon::prelude::*;
    let Draws { transfers, deposits, audits, .. } = draws;
    let Books { accounts, cash } = books;
    let rows = (&transfers.from, &transfers.to, &transfers.amount).into_par_iter();
    batch.par_extend(rows.map(|(from, to, amount)| transfer::call(accounts, *from, *to, *amount)));
    let rows = (&deposits.customer, &deposits.amount).into_par_iter();
    batch.par_extend(rows.map(|(customer, amount)| deposit::call(accounts, cash, *customer, *amount)));
    let rows = (&audits.first, &audits.last).into_par_iter();
    batch.par_extend(rows.map(|(first, last)| audit::call(accounts, *first, *last)));
}

/// Adds the transactions in the order in which they were drawn.
fn fill_one_by_one(batch: &mut Batch<'_>, books: &Books, draws: &Draws) -> Result<Option<Audit>, Error> {
    let Draws { transfers, deposits, audits, order } = draws;
    let Books { accounts, cash } = books;
    let mut transfers = transfers.from.iter().zip(&transfers.to).zip(&transfers.amount);
    let mut deposits = deposits.customer.iter().zip(&deposits.amount);
    let mut bounds = audits.first.iter().zip(&audits.last);
    let mut last_audit = None;
    batch.reserve(order.len())?;
    for procedure in order {
        match procedure {
            ProcedureName::Transfer => {
                if let Some(((from, to), amount)) = transfers.next() {
                    batch.push(transfer::call(accounts, *from, *to, *amount));
                }
            }
            ProcedureName::Deposit => {
                if let Some((customer, amount)) = deposits.next() {
                    batch.push(deposit::call(accounts, cash, *customer, *amount));
                }
            }
            ProcedureName::Audit => {
                if let Some((first, last)) = bounds.next() {
                    last_audit = Some(batch.push(audit::call(accounts, *first, *last)));
                }
            }
        }
    }
    Ok(last_audit.and_then(|ticket| audits.last_one(ticket)))
}

impl Audits {
    /// Returns the last audit, whose ticket this is.
    fn last_one(&self, ticket: Ticket<i64>) -> Option<Audit> {
        Some(Audit { ticket, first: *self.first.last()?, last: *self.last.last()? })
    }
}

/// Returns a vector, or an error where the host has not enough memory.
fn filled<T: Copy>(len: u32, value: T) -> Result<Vec<T>, Error> {
    let mut all = Vec::new();
    let bytes = u64::from(len) * size_of::<T>() as u64;
    all.try_reserve_exact(len as usize).map_err(|_| Error::HostMemory { what: "accounts", bytes })?;
    all.resize(len as usize, value);
    Ok(all)
}
