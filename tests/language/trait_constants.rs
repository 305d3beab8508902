//! Constants of a trait that are values of the type that implements it: `const VALUE: Self`.

use stm_runtime::prelude::*;

#[gpu_fn]
trait Unit {
    const VALUE: Self;
    const NAME: u32;
    const BOTH: [u32; 2] = [1, 2];
    fn join(self, o: Self) -> Self;
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Tone(u32);

impl Tone {
    const HIGH: Self = Tone(9);
    const LOW: Tone = Self(1);
}

#[gpu_fn]
impl Unit for Tone {
    const VALUE: Self = Tone(5);
    const NAME: u32 = 3;
    fn join(self, o: Self) -> Self {
        Tone(self.0 ^ o.0 ^ Self::VALUE.0)
    }
}

#[gpu_fn]
impl Unit for u32 {
    const VALUE: u32 = 7;
    const NAME: u32 = 4;
    const BOTH: [u32; 2] = [4, 5];
    fn join(self, o: u32) -> u32 {
        self ^ o ^ Self::VALUE
    }
}

#[gpu_fn]
impl Unit for (u32, bool) {
    const VALUE: Self = (1, true);
    const NAME: u32 = 9;
    fn join(self, o: Self) -> Self {
        (self.0 ^ o.0, o.1)
    }
}

#[gpu_fn]
fn start<T: Unit>() -> T {
    T::VALUE
}

#[gpu_fn]
fn joined<T: Unit + Copy>(x: T) -> T {
    x.join(T::VALUE)
}

#[gpu_fn]
fn bits<T: Unit + Copy>(_x: T) -> u32 {
    T::NAME ^ T::BOTH[1]
}

#[gpu_fn]
fn filled<T: Unit + Copy, const N: usize>(x: T) -> [T; N] {
    let mut l = [T::VALUE; N];
    l[0] = x;
    l
}

#[gpu_fn]
fn maybe<T: Unit + Copy>(x: Option<T>) -> T {
    x.unwrap_or(T::VALUE)
}

#[gpu_fn]
fn same<T: Unit + Copy + PartialEq>(x: T) -> bool {
    x == T::VALUE
}

#[gpu_fn]
fn joins(x: u32) -> (u32, u32, u32) {
    (joined(x), joined(Tone(x)).0, joined((x, false)).0)
}

#[gpu_fn]
fn by_name(x: u32) -> (u32, u32) {
    (
        start::<u32>() ^ x,
        start::<Tone>().0 ^ Tone::HIGH.0 ^ Tone::LOW.0 ^ <Tone as Unit>::VALUE.0 ^ u32::VALUE ^ <u32 as Unit>::VALUE,
    )
}

#[gpu_fn]
fn names(x: u32) -> (u32, u32) {
    (bits(x), bits(Tone(x)))
}

#[gpu_fn]
fn values(x: u32) -> (u32, u32, bool) {
    let l: [u32; 3] = filled(x);
    let t = filled::<Tone, 2>(Tone(x));
    (maybe(Some(x)) ^ l[1], maybe(Some(Tone(x))).0 ^ t[1].0, same(x))
}

#[gpu_fn]
fn by_result(x: u32) -> u32 {
    let n: u32 = start();
    let t: Tone = start();
    n ^ t.0 ^ x
}

same_as_plain! { constants_of_traits_have_values_of_self:
    joins(x: u32) -> (u32, u32, u32);
    by_name(x: u32) -> (u32, u32);
    by_result(x: u32) -> u32;
    names(x: u32) -> (u32, u32);
    values(x: u32) -> (u32, u32, bool);
}
