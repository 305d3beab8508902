// Operators on records do not exist on the device, even where Rust has them.
#![allow(unused)]

use stm_runtime::prelude::*;

use std::ops::Add;

#[derive(Clone, Copy, GpuData)]
struct Meters(u32);

impl Add for Meters {
    type Output = Meters;
    fn add(self, other: Meters) -> Meters {
        Meters(self.0 + other.0)
    }
}

impl Meters {
    fn double(self) -> Meters {
        self
    }
}

#[gpu_transaction]
fn operators(tx: &mut Tx, data: &Shared<Meters>, a: Meters) -> TxResult {
    let b = a + a;
    let c = a.double();
    let d = a as u32;
    let e = -a;
    tx.write(data, 0, b)
}

#[gpu_transaction]
fn index(tx: &mut Tx, a: Meters) -> TxResult<u32> {
    Ok(a[0])
}

trait Amount: Copy + Add<Output = Self> {}

#[gpu_fn]
fn doubled<T: Amount>(value: T) -> T {
    value + value
}

fn main() {}
