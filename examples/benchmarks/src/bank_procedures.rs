//! The transactions of the two bank benchmarks.

use stm_runtime::prelude::*;

/// Moves money. If `waits`, it waits for the funds; otherwise the account may be overdrawn.
#[gpu_fn]
fn pay(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64, waits: bool) -> TxResult {
    let balance = tx.read(accounts, from)?;
    tx.guard(!waits || balance >= amount)?;
    tx.write(accounts, from, balance - amount)?;
    tx.update(accounts, to, |balance| balance + amount)
}

/// Moves money between two accounts. Their indices are arguments, so the access set is known in advance.
#[gpu_transaction]
fn transfer(tx: &mut Tx, accounts: &Shared<i64>, from: u32, to: u32, amount: i64, waits: bool) -> TxResult {
    pay(tx, accounts, from, to, amount, waits)
}

/// Returns the sum of two accounts.
#[gpu_transaction]
fn look(tx: &mut Tx, accounts: &Shared<i64>, one: u32, other: u32) -> TxResult<i64> {
    Ok(tx.read(accounts, one)? + tx.read(accounts, other)?)
}

/// Adds a transfer between two accounts that does not wait to the batch.
pub(super) fn push_pair(batch: &mut Batch, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) {
    batch.push(transfer::call(accounts, from, to, amount, false));
}

/// Returns the kth account of a transaction on many, by SplitMix64: 128 accounts as arguments would be 512 bytes.
#[gpu_fn]
pub(super) fn account(seed: u64, k: usize, accounts: usize) -> u32 {
    let mut mixed = seed.wrapping_add((k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    (((mixed >> 32) * accounts as u64) >> 32) as u32
}

macro_rules! of_many_accounts {
    ($($size:literal => $name:ident,)*) => {$(
        mod $name {
            use stm_runtime::prelude::*;

            use super::{account, pay};

            const SIZE: usize = $size;

            /// Moves money from each account of one half to one of the other. `first` is where the paying half begins.
            #[gpu_transaction]
            pub(super) fn transfer(
                tx: &mut Tx,
                accounts: &Shared<i64>,
                seed: u64,
                first: usize,
                amount: i64,
                waits: bool,
            ) -> TxResult {
                for k in 0..SIZE / 2 {
                    let from = account(seed, first + k, accounts.len());
                    let to = account(seed, SIZE / 2 - first + k, accounts.len());
                    pay(tx, accounts, from, to, amount, waits)?;
                }
                Ok(())
            }

            /// Returns the sum of the accounts.
            #[gpu_transaction]
            pub(super) fn look(tx: &mut Tx, accounts: &Shared<i64>, seed: u64) -> TxResult<i64> {
                let mut sum = 0;
                for k in 0..SIZE {
                    sum += tx.read(accounts, account(seed, k, accounts.len()))?;
                }
                Ok(sum)
            }
        }
    )*};
}

of_many_accounts! {
    4 => four,
    8 => eight,
    16 => sixteen,
    32 => thirty_two,
    64 => sixty_four,
    128 => hundred_twenty_eight,
}

/// Defines the same without a loop: accesses that are written out one by one have addresses known in advance.
macro_rules! written_out {
    ($($size:literal => $name:ident: $($k:literal)*;)*) => {$(
        mod $name {
            use stm_runtime::prelude::*;

            use super::{account, pay};

            const HALF: usize = $size / 2;

            /// Moves money from each account of one half to one of the other. `first` is where the paying half begins.
            #[gpu_transaction]
            pub(super) fn transfer(
                tx: &mut Tx,
                accounts: &Shared<i64>,
                seed: u64,
                first: usize,
                amount: i64,
                waits: bool,
            ) -> TxResult {
                $(
                    let from = account(seed, first + $k, accounts.len());
                    let to = account(seed, HALF - first + $k, accounts.len());
                    pay(tx, accounts, from, to, amount, waits)?;
                )*
                Ok(())
            }

            /// Returns the sum of the accounts.
            #[gpu_transaction]
            pub(super) fn look(tx: &mut Tx, accounts: &Shared<i64>, seed: u64) -> TxResult<i64> {
                let mut sum = 0;
                $(
                    sum += tx.read(accounts, account(seed, $k, accounts.len()))?;
                    sum += tx.read(accounts, account(seed, $k + HALF, accounts.len()))?;
                )*
                Ok(sum)
            }
        }
    )*};
}

written_out! {
    4 => four_written_out: 0 1;
    8 => eight_written_out: 0 1 2 3;
    16 => sixteen_written_out: 0 1 2 3 4 5 6 7;
}

/// A transfer among many accounts.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    /// The seed of the accounts.
    pub(super) seed: u64,
    /// The second half of the accounts pays, rather than the first.
    pub(super) back: bool,
    /// The amount of each payment.
    pub(super) amount: i64,
    /// It waits until all payers have the funds.
    pub(super) waits: bool,
}

/// The form of the transactions on many accounts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// The number of accounts.
    pub(super) size: u32,
    /// One by one rather than in a loop.
    pub(super) written_out: bool,
}

macro_rules! push {
    ($($size:literal, $written_out:pat => $name:ident,)*) => {
        /// Adds a transfer among that many accounts to the batch.
        pub(super) fn push_transfer(batch: &mut Batch, accounts: &Shared<i64>, form: Form, transfer: Transfer) {
            let Transfer { seed, back, amount, waits } = transfer;
            let first = if back { form.size as usize / 2 } else { 0 };
            let at = |k| account(seed, k, accounts.len());
            match (form.size, form.written_out) {
                $(($size, $written_out) => _ = batch.push($name::transfer::call(accounts, seed, first, amount, waits)),)*
                _ => _ = batch.push(transfer::call(accounts, at(first), at(1 - first), amount, waits)),
            }
        }

        /// Adds a query of that many accounts to the batch.
        pub(super) fn push_look(batch: &mut Batch, accounts: &Shared<i64>, form: Form, seed: u64) {
            let at = |k| account(seed, k, accounts.len());
            match (form.size, form.written_out) {
                $(($size, $written_out) => _ = batch.push($name::look::call(accounts, seed)),)*
                _ => _ = batch.push(look::call(accounts, at(0), at(1))),
            }
        }
    };
}

push! {
    4, true => four_written_out,
    8, true => eight_written_out,
    16, true => sixteen_written_out,
    4, false => four,
    8, false => eight,
    16, false => sixteen,
    32, _ => thirty_two,
    64, _ => sixty_four,
    128, _ => hundred_twenty_eight,
}

macro_rules! of_all_accounts {
    ($($most:literal => $name:ident,)*) => {
        $(
        /// Returns the sum of all accounts in a consistent snapshot; there are at most as many as stated.
        #[gpu_transaction(max_accesses = $most)]
        pub(super) fn $name(tx: &mut Tx, accounts: &Shared<i64>) -> TxResult<i64> {
            let mut sum = 0;
            for at in 0..accounts.len() {
                sum += tx.read(accounts, at)?;
            }
            Ok(sum)
        }
        )*

        /// Adds a sum of all accounts to the batch. A procedure exists for every number of accounts up to 65,535.
        pub(super) fn push_sum(batch: &mut Batch, accounts: &Shared<i64>) {
            match accounts.len() {
                $(0..=$most => _ = batch.push($name::call(accounts)),)*
                _ => _ = batch.push(sum_of_65_535::call(accounts)),
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
