//! The bank's arrays, and a batch of random transactions.

use std::sync::atomic::{AtomicBool, Ordering};

use examples::Teller;
use gpu_transactions::Ticket;
use gpu_transactions::prelude::*;

use crate::cli::{Args, ProcedureName};
use crate::procedures::{audit, deposit, transfer};

/// The initial balance of every account and every purse.
pub(crate) const START: u32 = 1000;
/// The most accounts of one audit.
const AUDITED: u32 = 4;

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

/// Fills the batch; returns the last audit, if there is one. Ends early when `stop` becomes true.
pub(crate) fn fill(batch: &mut Batch, books: &Books, args: &Args, stop: &AtomicBool) -> Result<Option<Audit>, Error> {
    let mut teller = Teller::new(args.seed, args.accounts);
    let weights: u32 = args.procedures.iter().map(|procedure| procedure.weight()).sum();
    let mut last_audit = None;
    let mut met = Vec::new();
    for transaction in 0..args.transactions {
        if transaction % (1 << 16) == 0 && stop.load(Ordering::Relaxed) {
            break;
        }
        let procedure = pick(&args.procedures, if args.procedures.len() > 1 { teller.below(weights) } else { 0 });
        match procedure {
            ProcedureName::Transfer => push_transfer(batch, books, &mut teller),
            ProcedureName::Deposit => push_deposit(batch, books, &mut teller),
            ProcedureName::Audit => last_audit = Some(push_audit(batch, books, &mut teller, args.accounts)),
        }
        // A new procedure may add columns: only now the memory for the rest of the batch is known.
        if !met.contains(&procedure) {
            met.push(procedure);
            batch.reserve(usize::try_from(args.transactions - transaction).unwrap_or(usize::MAX))?;
        }
    }
    Ok(last_audit)
}

/// Returns the procedure in whose share of all weights `at` falls.
fn pick(procedures: &[ProcedureName], mut at: u32) -> ProcedureName {
    for procedure in procedures {
        match at.checked_sub(procedure.weight()) {
            Some(rest) => at = rest,
            None => return *procedure,
        }
    }
    ProcedureName::Transfer
}

fn push_transfer(batch: &mut Batch, books: &Books, teller: &mut Teller) {
    let (from, to, amount) = (teller.account(), teller.account(), teller.amount());
    batch.push(transfer::call(&books.accounts, from, to, i64::from(amount)));
}

fn push_deposit(batch: &mut Batch, books: &Books, teller: &mut Teller) {
    let (customer, amount) = (teller.account(), teller.amount());
    batch.push(deposit::call(&books.accounts, &books.cash, customer, amount));
}

fn push_audit(batch: &mut Batch, books: &Books, teller: &mut Teller, accounts: u32) -> Audit {
    let first = teller.account();
    let last = first.saturating_add(AUDITED - 1).min(accounts - 1);
    Audit { ticket: batch.push(audit::call(&books.accounts, first, last)), first, last }
}

/// Returns a vector, or an error where the host has not enough memory.
fn filled<T: Copy>(len: u32, value: T) -> Result<Vec<T>, Error> {
    let mut all = Vec::new();
    let bytes = u64::from(len) * size_of::<T>() as u64;
    all.try_reserve_exact(len as usize).map_err(|_| Error::HostMemory { what: "accounts", bytes })?;
    all.resize(len as usize, value);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn procedures_come_by_weight() {
        let all = [ProcedureName::Transfer, ProcedureName::Deposit, ProcedureName::Audit];
        assert_eq!(pick(&all, 0), ProcedureName::Transfer);
        assert_eq!(pick(&all, 17), ProcedureName::Transfer);
        assert_eq!(pick(&all, 18), ProcedureName::Deposit);
        assert_eq!(pick(&all, 19), ProcedureName::Audit);
        assert_eq!(pick(&[ProcedureName::Audit], 0), ProcedureName::Audit);
    }
}
