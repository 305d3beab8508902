// A function has no parameters for closures.
use stm_runtime::prelude::*;

#[gpu_fn]
fn applied(rule: impl Fn(u64) -> u64, x: u64) -> u64 {
    rule(x)
}

#[gpu_fn]
fn of_parameter<F: Fn(u64) -> u64>(rule: F, x: u64) -> u64 {
    rule(x)
}

#[gpu_fn]
fn of_clause<F>(mut rule: F, x: u64) -> u64
where
    F: FnMut(u64) -> u64,
{
    rule(x)
}

fn main() {}
