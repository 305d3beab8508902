//! The transactions of the YCSB: each procedure has a fixed number of operations, in a loop or written out one by one.

use std::array::from_fn;

use stm_runtime::prelude::*;

/// The most operations of a transaction.
pub(super) const MOST: usize = 16;

/// One transaction.
#[derive(Debug, Clone, Copy)]
pub struct Transaction {
    /// The records of its operations.
    pub(super) of: [u32; MOST],
    /// A bit for each operation that writes.
    pub(super) bits: u32,
    /// The value that they write.
    pub(super) new: u64,
}

/// Reads a record and adds it to the sum.
#[gpu_fn]
fn look(tx: &mut Tx, records: &Shared<u64>, at: u32, sum: &mut u64) -> TxResult {
    *sum = sum.wrapping_add(tx.read(records, at)?);
    Ok(())
}

/// Writes a record without reading it, if `writes`, else reads it.
#[gpu_fn]
fn write_or_look(tx: &mut Tx, records: &Shared<u64>, at: u32, writes: bool, new: u64, sum: &mut u64) -> TxResult {
    if writes {
        return tx.write(records, at, new);
    }
    look(tx, records, at, sum)
}

/// Reads a record, and increments it if `writes`.
#[gpu_fn]
fn count_or_look(tx: &mut Tx, records: &Shared<u64>, at: u32, writes: bool, sum: &mut u64) -> TxResult {
    let old = tx.read(records, at)?;
    *sum = sum.wrapping_add(old);
    if writes {
        tx.write(records, at, old + 1)?;
    }
    Ok(())
}

macro_rules! in_a_loop {
    ($($size:literal => $name:ident,)*) => {$(
        mod $name {
            use stm_runtime::prelude::*;

            const SIZE: usize = $size;

            /// Reads all of its records.
            #[gpu_transaction]
            pub(super) fn read(tx: &mut Tx, records: &Shared<u64>, of: [u32; SIZE]) -> TxResult<u64> {
                let mut sum = 0;
                for &at in &of {
                    super::look(tx, records, at, &mut sum)?;
                }
                Ok(sum)
            }

            /// Writes the records whose bit is set, and reads the others.
            #[gpu_transaction]
            pub(super) fn update(tx: &mut Tx, records: &Shared<u64>, of: [u32; SIZE], bits: u32, new: u64) -> TxResult<u64> {
                let mut sum = 0;
                for (k, &at) in of.iter().enumerate() {
                    super::write_or_look(tx, records, at, bits >> k & 1 == 1, new, &mut sum)?;
                }
                Ok(sum)
            }

            /// Increments the records whose bit is set, and reads the others.
            #[gpu_transaction]
            pub(super) fn change(tx: &mut Tx, records: &Shared<u64>, of: [u32; SIZE], bits: u32) -> TxResult<u64> {
                let mut sum = 0;
                for (k, &at) in of.iter().enumerate() {
                    super::count_or_look(tx, records, at, bits >> k & 1 == 1, &mut sum)?;
                }
                Ok(sum)
            }
        }
    )*};
}

in_a_loop! {
    2 => two,
    4 => four,
    8 => eight,
    16 => sixteen,
}

macro_rules! written_out {
    ($($size:literal => $name:ident: $($k:literal)*;)*) => {$(
        mod $name {
            use stm_runtime::prelude::*;

            const SIZE: usize = $size;

            /// Reads all of its records.
            #[gpu_transaction]
            pub(super) fn read(tx: &mut Tx, records: &Shared<u64>, of: [u32; SIZE]) -> TxResult<u64> {
                let mut sum = 0;
                $(super::look(tx, records, of[$k], &mut sum)?;)*
                Ok(sum)
            }

            /// Writes the records whose bit is set, and reads the others.
            #[gpu_transaction]
            pub(super) fn update(tx: &mut Tx, records: &Shared<u64>, of: [u32; SIZE], bits: u32, new: u64) -> TxResult<u64> {
                let mut sum = 0;
                $(super::write_or_look(tx, records, of[$k], bits >> $k & 1 == 1, new, &mut sum)?;)*
                Ok(sum)
            }

            /// Increments the records whose bit is set, and reads the others.
            #[gpu_transaction]
            pub(super) fn change(tx: &mut Tx, records: &Shared<u64>, of: [u32; SIZE], bits: u32) -> TxResult<u64> {
                let mut sum = 0;
                $(super::count_or_look(tx, records, of[$k], bits >> $k & 1 == 1, &mut sum)?;)*
                Ok(sum)
            }
        }
    )*};
}

written_out! {
    1 => one_written_out: 0;
    2 => two_written_out: 0 1;
    4 => four_written_out: 0 1 2 3;
    8 => eight_written_out: 0 1 2 3 4 5 6 7;
    16 => sixteen_written_out: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15;
}

/// The form of the transactions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// The number of operations.
    pub(super) size: u32,
    /// One by one rather than in a loop.
    pub(super) written_out: bool,
    /// The written value is one more than the value that was read.
    pub(super) counts: bool,
}

macro_rules! push {
    ($($size:literal, $written_out:pat => $name:ident,)*) => {
        /// Adds a transaction to the batch. One without writes uses a procedure that is read-only by analysis.
        pub(super) fn push(batch: &mut Batch, records: &Shared<u64>, form: Form, transaction: Transaction) {
            let Transaction { of, bits, new } = transaction;
            match (form.size, form.written_out) {
                $(
                ($size, $written_out) if bits == 0 => _ = batch.push($name::read::call(records, from_fn(|k| of[k]))),
                ($size, $written_out) if form.counts => _ = batch.push($name::change::call(records, from_fn(|k| of[k]), bits)),
                ($size, $written_out) => _ = batch.push($name::update::call(records, from_fn(|k| of[k]), bits, new)),
                )*
                // `Size` has no other values.
                _ => {}
            }
        }
    };
}

push! {
    1, _ => one_written_out,
    2, true => two_written_out,
    4, true => four_written_out,
    8, true => eight_written_out,
    16, true => sixteen_written_out,
    2, false => two,
    4, false => four,
    8, false => eight,
    16, false => sixteen,
}
