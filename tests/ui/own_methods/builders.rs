// A method returns a value, and no place that its caller changes.
#![allow(unused)]

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, GpuData)]
struct Order {
    price: i64,
}

#[gpu_fn]
impl Order {
    fn at(&mut self, price: i64) -> &mut Self {
        self.price = price;
        self
    }

    fn lent(&mut self) -> &mut i64 {
        &mut self.price
    }
}

fn main() {}
