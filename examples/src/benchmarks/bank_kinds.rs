//! The transactions of the two bank benchmarks.

use std::array::from_fn;

use stm_runtime::prelude::*;

/// Moves money; if it waits, once there is enough. Otherwise the account may be overdrawn.
#[gpu_fn]
fn pay(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64, waits: bool) -> TxResult {
    let balance = tx.read(accounts, from)?;
    tx.guard(!waits || balance >= amount)?;
    tx.write(accounts, from, balance - amount)?;
    tx.update(accounts, to, |balance| balance + amount)
}

/// Between two accounts. Their addresses are arguments, so that an engine knows them beforehand.
#[gpu_transaction]
fn transfer(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64, waits: bool) -> TxResult {
    pay(tx, accounts, from, to, amount, waits)
}

/// The sum of two accounts.
#[gpu_transaction]
fn look(tx: &mut Tx, accounts: &Shared<i64>, one: u32, other: u32) -> TxResult<i64> {
    Ok(tx.read(accounts, one)? + tx.read(accounts, other)?)
}

/// Puts a transfer between two accounts that does not wait into the table.
pub(super) fn push_pair(table: &mut Table, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) {
    table.push(transfer::call(accounts, from, to, amount, false));
}

macro_rules! of_many_accounts {
    ($($size:literal => $name:ident,)*) => {
        $(
        mod $name {
            use stm_runtime::prelude::*;

            const SIZE: usize = $size;

            /// From each account of the first half to one of the second.
            #[gpu_transaction]
            pub(super) fn transfer(
                tx: &mut Tx,
                accounts: &Shared<i64>,
                of: [u32; SIZE],
                amount: i64,
                waits: bool,
            ) -> TxResult {
                for k in 0..SIZE / 2 {
                    super::pay(tx, accounts, of[k], of[k + SIZE / 2], amount, waits)?;
                }
                Ok(())
            }

            /// The sum of the accounts.
            #[gpu_transaction]
            pub(super) fn look(tx: &mut Tx, accounts: &Shared<i64>, of: [u32; SIZE]) -> TxResult<i64> {
                let mut sum = 0;
                for &at in &of {
                    sum += tx.read(accounts, at)?;
                }
                Ok(sum)
            }
        }
        )*

        /// Puts a transfer among so many accounts into the table; `account` gives one after the other.
        pub(super) fn push_transfer(
            table: &mut Table,
            accounts: &Shared<i64>,
            size: u32,
            mut account: impl FnMut() -> u32,
            (amount, waits): (i64, bool),
        ) {
            match size {
                $($size => _ = table.push($name::transfer::call(accounts, from_fn(|_| account()), amount, waits)),)*
                _ => _ = table.push(transfer::call(accounts, account(), account(), amount, waits)),
            }
        }

        /// Puts a look at so many accounts into the table.
        pub(super) fn push_look(
            table: &mut Table,
            accounts: &Shared<i64>,
            size: u32,
            mut account: impl FnMut() -> u32,
        ) {
            match size {
                $($size => _ = table.push($name::look::call(accounts, from_fn(|_| account()))),)*
                _ => _ = table.push(look::call(accounts, account(), account())),
            }
        }
    };
}

of_many_accounts! {
    4 => four,
    8 => eight,
    16 => sixteen,
    32 => thirty_two,
    64 => sixty_four,
    128 => hundred_twenty_eight,
}

macro_rules! of_all_accounts {
    ($($most:literal => $name:ident,)*) => {
        $(
        /// The sum of all accounts as they are at one moment, of which there are at most as many as stated.
        #[gpu_transaction(max_accesses = $most)]
        pub(super) fn $name(tx: &mut Tx, accounts: &Shared<i64>) -> TxResult<i64> {
            let mut sum = 0;
            for at in 0..accounts.len() {
                sum += tx.read(accounts, at)?;
            }
            Ok(sum)
        }
        )*

        /// Puts a sum of all accounts into the table. There is one for every number of accounts up to 65,535.
        pub(super) fn push_sum(table: &mut Table, accounts: &Shared<i64>) {
            match accounts.len() {
                $(0..=$most => _ = table.push($name::call(accounts)),)*
                _ => _ = table.push(sum_of_65_535::call(accounts)),
            }
        }
    };
}

of_all_accounts! {
    64 => sum_of_64,
    1_024 => sum_of_1_024,
    6_000 => sum_of_6_000,
    65_535 => sum_of_65_535,
}
