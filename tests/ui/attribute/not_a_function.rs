// The attribute stands on functions, and on constants whose value is a closure.
#![allow(unused)]

use stm_runtime::prelude::*;

#[gpu_transaction]
struct Account {
    balance: i64,
}

#[gpu_transaction]
static deposit: u32 = 1;

#[gpu_transaction]
mod transfers {}

#[gpu_transaction]
use std::vec::Vec as Batch;

fn main() {}
