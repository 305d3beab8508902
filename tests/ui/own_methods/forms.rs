// What an `impl` block of the device cannot contain.
#![allow(unused)]

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, GpuData)]
struct Order {
    price: i64,
}

#[gpu_fn]
impl Order {
    fn generic<T>(self, x: T) -> i64 {
        1
    }

    fn anything(self, x: impl Copy, y: &dyn Copy) -> i64 {
        1
    }

    fn typed(self: Self) -> i64 {
        1
    }

    fn boxed(self: Box<Self>) -> i64 {
        1
    }

    fn lives<'a>(&'a self) -> i64 {
        1
    }

    async fn later(&self) -> i64 {
        1
    }

    unsafe fn unsafely(&self) -> i64 {
        1
    }

    fn borrowed(&self) -> &i64 {
        &self.price
    }

    fn bad_body(&self) -> i64 {
        vec![1].len() as i64
    }

    fn handle_without_result(&self, tx: &mut Tx) {}
}

trait Price {
    fn price(&self) -> i64;
}

#[gpu_fn]
impl<T> Price for Vec<T> {
    fn price(&self) -> i64 {
        1
    }
}

#[gpu_fn(inline)]
impl Price for Order {
    fn price(&self) -> i64 {
        self.price
    }
}

#[gpu_fn]
trait Holds {
    fn contains(&self, x: &i64) -> bool;
    fn holds(&self, x: i64) -> bool;
}

#[gpu_fn]
impl Holds for [i64; 2] {
    fn contains(&self, x: &i64) -> bool {
        self[0] == *x
    }

    fn holds(&self, x: i64) -> bool {
        self[1] == x
    }
}

#[gpu_fn]
struct Nothing;

fn main() {}
