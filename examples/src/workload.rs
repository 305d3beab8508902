//! Random bank transfers: the same for the same seed, on every machine.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// The largest amount of one transfer; the smallest is 1.
pub const MAX_AMOUNT: u32 = 100;

/// A transfer of money from one account to another, possibly the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// The account that pays.
    pub from: u32,
    /// The account that is paid.
    pub to: u32,
    /// The amount.
    pub amount: u32,
}

/// Transfers as a program has its data: a list for each argument.
#[derive(Debug, Default)]
pub struct Transfers {
    /// The accounts that pay.
    pub from: Vec<u32>,
    /// The accounts that are paid.
    pub to: Vec<u32>,
    /// The amounts.
    pub amount: Vec<i64>,
}

impl Transfers {
    /// Draws that many transfers between that many accounts.
    #[must_use]
    pub fn draw(seed: u64, accounts: u32, count: usize) -> Transfers {
        let mut transfers = Transfers::default();
        for transfer in Teller::new(seed, accounts).take(count) {
            transfers.from.push(transfer.from);
            transfers.to.push(transfer.to);
            transfers.amount.push(i64::from(transfer.amount));
        }
        transfers
    }
}

/// A generator of transfers, with uniformly distributed accounts.
#[derive(Debug, Clone)]
pub struct Teller {
    random: Xoshiro256PlusPlus,
    accounts: u32,
}

impl Teller {
    /// Returns a teller for accounts 0 to `accounts` - 1, of which there is at least one.
    #[must_use]
    pub fn new(seed: u64, accounts: u32) -> Teller {
        Teller { random: Xoshiro256PlusPlus::seed_from_u64(seed), accounts: accounts.max(1) }
    }

    /// Returns a random account.
    #[inline]
    pub fn account(&mut self) -> u32 {
        self.below(self.accounts)
    }

    /// Returns a random amount.
    #[inline]
    pub fn amount(&mut self) -> u32 {
        1 + self.below(MAX_AMOUNT)
    }

    /// Returns a random number from 0 to `end` - 1.
    #[inline]
    pub fn below(&mut self, end: u32) -> u32 {
        self.random.random_range(0..end)
    }
}

/// Endless transfers.
impl Iterator for Teller {
    type Item = Transfer;

    #[inline]
    fn next(&mut self) -> Option<Transfer> {
        Some(Transfer { from: self.account(), to: self.account(), amount: self.amount() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_the_same_business_each_time() {
        let some = |seed| Teller::new(seed, 1000).take(100).collect::<Vec<_>>();
        assert_eq!(some(1), some(1));
        assert_ne!(some(1), some(2));
    }

    #[test]
    fn everything_is_in_range() {
        for transfer in Teller::new(7, 3).take(10_000) {
            assert!(transfer.from < 3 && transfer.to < 3 && (1..=MAX_AMOUNT).contains(&transfer.amount));
        }
        assert_eq!(Teller::new(7, 1).account(), 0);
    }
}
