//! What a programmer would write by hand: a plain loop of one core, and spin locks on several.

use std::hint::{black_box, spin_loop};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread;

use examples::Transfers;

/// Transfers that are prefetched together.
const AHEAD: usize = 8;

/// Makes all transfers in a plain loop.
pub(crate) fn plain_loop(transfers: &Transfers, balances: &mut [i64]) {
    for ((from, to), amount) in transfers.from.iter().zip(&transfers.to).zip(&transfers.amount) {
        if balances[*from as usize] >= *amount {
            balances[*from as usize] -= amount;
            balances[*to as usize] += amount;
        }
    }
}

/// An account with its lock.
#[repr(align(16))]
pub(crate) struct Account {
    is_locked: AtomicBool,
    balance: AtomicI64,
}

impl Account {
    pub(crate) fn new(balance: i64) -> Account {
        Account { is_locked: AtomicBool::new(false), balance: AtomicI64::new(balance) }
    }

    fn lock(&self) {
        while self.is_locked.swap(true, Ordering::Acquire) {
            spin_loop();
        }
    }
}

/// Makes all transfers by that many threads, each under the locks of both accounts, which are taken in their order.
pub(crate) fn spin_locks(transfers: &Transfers, accounts: &[Account], threads: usize) {
    let (all, share) = (transfers.from.len(), transfers.from.len().div_ceil(threads));
    thread::scope(|scope| {
        for first in (0..all).step_by(share) {
            scope.spawn(move || transfer_share(transfers, accounts, first..all.min(first + share)));
        }
    });
}

fn transfer_share(transfers: &Transfers, accounts: &[Account], share: Range<usize>) {
    for group in share.clone().step_by(AHEAD) {
        let group = group..share.end.min(group + AHEAD);
        for at in group.clone() {
            black_box(accounts[transfers.from[at] as usize].balance.load(Ordering::Relaxed));
            black_box(accounts[transfers.to[at] as usize].balance.load(Ordering::Relaxed));
        }
        for at in group.filter(|at| transfers.from[*at] != transfers.to[*at]) {
            let (from, to) = (transfers.from[at] as usize, transfers.to[at] as usize);
            let (first, second) = (&accounts[from.min(to)], &accounts[from.max(to)]);
            first.lock();
            second.lock();
            let amount = transfers.amount[at];
            let (from, to) = (&accounts[from].balance, &accounts[to].balance);
            if from.load(Ordering::Relaxed) >= amount {
                from.store(from.load(Ordering::Relaxed) - amount, Ordering::Relaxed);
                to.store(to.load(Ordering::Relaxed) + amount, Ordering::Relaxed);
            }
            second.is_locked.store(false, Ordering::Release);
            first.is_locked.store(false, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_make_the_same_transfers() {
        let transfers = Transfers::draw(1, 50, 20_000);
        let mut balances = vec![1_000_000; 50];
        let accounts: Vec<Account> = balances.iter().copied().map(Account::new).collect();
        plain_loop(&transfers, &mut balances);
        spin_locks(&transfers, &accounts, 4);
        let locked: Vec<i64> = accounts.into_iter().map(|account| account.balance.into_inner()).collect();
        assert_eq!((locked, balances.iter().sum::<i64>()), (balances, 50_000_000));
    }
}
