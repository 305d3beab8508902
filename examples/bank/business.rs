//! The bank's books and its business: regions, and a table full of random transactions.

use std::sync::atomic::{AtomicBool, Ordering};

use examples::Teller;
use stm_runtime::Ticket;
use stm_runtime::prelude::*;

use crate::cli::{Args, KindName};
use crate::kinds::{audit, deposit, transfer};

/// What every account and every purse holds at the start.
pub(crate) const START: u32 = 1000;
/// Accounts that one audit looks at, as far as there are so many.
const AUDITED: u32 = 4;

/// Everything that the bank knows.
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

    /// All money, on accounts and in purses.
    pub(crate) fn total(&self) -> Result<i64, Error> {
        let on_accounts: i64 = self.accounts.to_vec()?.iter().sum();
        let in_purses: i64 = self.cash.to_vec()?.into_iter().map(i64::from).sum();
        Ok(on_accounts + in_purses)
    }
}

/// One audit whose result is shown to people.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Audit {
    pub(crate) ticket: Ticket<i64>,
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// Fills the table; gives the last audit, if there is one. Ends early when `stop` becomes true.
pub(crate) fn fill(table: &mut Table, books: &Books, args: &Args, stop: &AtomicBool) -> Result<Option<Audit>, Error> {
    let mut teller = Teller::new(args.seed, args.accounts);
    let weights: u32 = args.kinds.iter().map(|kind| kind.weight()).sum();
    let mut last_audit = None;
    let mut met = Vec::new();
    for row in 0..args.transactions {
        if row % (1 << 16) == 0 && stop.load(Ordering::Relaxed) {
            break;
        }
        let kind = pick(&args.kinds, if args.kinds.len() > 1 { teller.below(weights) } else { 0 });
        match kind {
            KindName::Transfer => push_transfer(table, books, &mut teller),
            KindName::Deposit => push_deposit(table, books, &mut teller),
            KindName::Audit => last_audit = Some(push_audit(table, books, &mut teller, args.accounts)),
        }
        // A new kind may bring new columns: now it is known what the rest of the table needs.
        if !met.contains(&kind) {
            met.push(kind);
            table.reserve(usize::try_from(args.transactions - row).unwrap_or(usize::MAX))?;
        }
    }
    Ok(last_audit)
}

/// The kind in whose part of all weights `at` falls.
fn pick(kinds: &[KindName], mut at: u32) -> KindName {
    for kind in kinds {
        match at.checked_sub(kind.weight()) {
            Some(rest) => at = rest,
            None => return *kind,
        }
    }
    KindName::Transfer
}

fn push_transfer(table: &mut Table, books: &Books, teller: &mut Teller) {
    let (from, to, amount) = (teller.account(), teller.account(), teller.amount());
    table.push(transfer::call(&books.accounts, from, to, i64::from(amount)));
}

fn push_deposit(table: &mut Table, books: &Books, teller: &mut Teller) {
    let (customer, amount) = (teller.account(), teller.amount());
    table.push(deposit::call(&books.accounts, &books.cash, customer, amount));
}

fn push_audit(table: &mut Table, books: &Books, teller: &mut Teller, accounts: u32) -> Audit {
    let first = teller.account();
    let last = first.saturating_add(AUDITED - 1).min(accounts - 1);
    Audit { ticket: table.push(audit::call(&books.accounts, first, last)), first, last }
}

/// A vector that is an error, not an abort, where the host has not enough memory.
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
    fn kinds_come_by_weight() {
        let all = [KindName::Transfer, KindName::Deposit, KindName::Audit];
        assert_eq!(pick(&all, 0), KindName::Transfer);
        assert_eq!(pick(&all, 17), KindName::Transfer);
        assert_eq!(pick(&all, 18), KindName::Deposit);
        assert_eq!(pick(&all, 19), KindName::Audit);
        assert_eq!(pick(&[KindName::Audit], 0), KindName::Audit);
    }
}
