//! The two orders of a batch that the thesis compares.

use std::fmt;

use clap::ValueEnum;

/// The order of the transactions in the batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// The random order: a transaction may have to wait for a later one.
    General,
    /// Sorted in advance, so that no transaction waits when they run one after the other. Transactions that never become enabled
    /// come last.
    Sorted,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_possible_value().map_or(Ok(()), |value| f.write_str(value.get_name()))
    }
}

/// Sorts transactions so that each can run after those before it. `run` runs a transaction on the caller's model, or returns that
/// it has to wait.
pub(super) fn sort_by_running<R: Copy>(transactions: &mut Vec<R>, mut run: impl FnMut(&R) -> bool) {
    let mut sorted = Vec::with_capacity(transactions.len());
    loop {
        let before = sorted.len();
        transactions.retain(|transaction| {
            let runs = run(transaction);
            if runs {
                sorted.push(*transaction);
            }
            !runs
        });
        if sorted.len() == before {
            break;
        }
    }
    sorted.append(transactions);
    *transactions = sorted;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_enables_stands_first_and_what_nothing_enables_last() {
        let mut transactions = vec![-9, -3, 2, -1, 4];
        let mut money = 0;
        sort_by_running(&mut transactions, |amount| {
            let runs = money + amount >= 0;
            money += if runs { *amount } else { 0 };
            runs
        });
        assert_eq!(transactions, [2, -1, 4, -3, -9]);
    }
}
