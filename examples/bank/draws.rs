//! The random transactions, as a program has its data: a list for each argument.

use std::sync::atomic::{AtomicBool, Ordering};

use examples::{Teller, Transfers};

use crate::cli::{Args, Fill, ProcedureName};

/// The most accounts of one audit.
const AUDITED: u32 = 4;

/// The transactions of a batch.
#[derive(Debug, Default)]
pub(crate) struct Draws {
    /// The procedure of each transaction, in the order in which they were drawn.
    pub(crate) order: Vec<ProcedureName>,
    pub(crate) transfers: Transfers,
    pub(crate) deposits: Deposits,
    pub(crate) audits: Audits,
}

#[derive(Debug, Default)]
pub(crate) struct Deposits {
    pub(crate) customer: Vec<u32>,
    pub(crate) amount: Vec<u32>,
}

#[derive(Debug, Default)]
pub(crate) struct Audits {
    pub(crate) first: Vec<u32>,
    pub(crate) last: Vec<u32>,
}

impl Draws {
    /// Draws the transactions. Ends early when `stop` becomes true.
    pub(crate) fn new(args: &Args, stop: &AtomicBool) -> Draws {
        let mut teller = Teller::new(args.seed, args.accounts);
        let weights: u32 = args.procedures.iter().map(|procedure| procedure.weight()).sum();
        let mut draws = Draws::default();
        let listed = if args.fill == Fill::Index { 0 } else { args.transactions };
        for transaction in 0..listed {
            if transaction % (1 << 16) == 0 && stop.load(Ordering::Relaxed) {
                break;
            }
            let at = if args.procedures.len() > 1 { teller.below(weights) } else { 0 };
            draws.add(pick(&args.procedures, at), &mut teller, args.accounts);
        }
        draws
    }

    fn add(&mut self, procedure: ProcedureName, teller: &mut Teller, accounts: u32) {
        self.order.push(procedure);
        match procedure {
            ProcedureName::Transfer => {
                self.transfers.from.push(teller.account());
                self.transfers.to.push(teller.account());
                self.transfers.amount.push(i64::from(teller.amount()));
            }
            ProcedureName::Deposit => {
                self.deposits.customer.push(teller.account());
                self.deposits.amount.push(teller.amount());
            }
            ProcedureName::Audit => {
                let first = teller.account();
                self.audits.first.push(first);
                self.audits.last.push(first.saturating_add(AUDITED - 1).min(accounts - 1));
            }
        }
    }
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
