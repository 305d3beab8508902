// Transactions and their functions are free: a block of methods has no place for what the attribute adds.
#![allow(unused)]

use stm_runtime::prelude::*;

struct Bank;

impl Bank {
    #[gpu_transaction]
    fn method(&self, tx: &mut Tx) -> TxResult {
        Ok(())
    }

    #[gpu_transaction]
    fn associated(tx: &mut Tx) -> TxResult {
        Ok(())
    }

    #[gpu_fn]
    fn helper(self, x: u32) -> u32 {
        x
    }
}

fn main() {}
