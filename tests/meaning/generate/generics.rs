//! Generic records, and functions whose parameters have bounds; what the parameters are follows from the arguments.

use kernels_gen::spec::Scalar;

use super::expr::Gen;
use super::types::{Ty, World};

/// What every module that rustc reads declares.
pub(super) const ITEMS: &str = "\
use std::ops::Add;
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, GpuData)]
pub struct Pair<T> {
pub a: T,
pub b: T,
}
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub enum Maybe<T> {
Just(T),
Both { a: T, b: T },
Nothing,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, GpuData)]
pub struct Key {
pub high: i32,
pub low: u64,
}
#[gpu_fn]
impl Add for Key {
type Output = Key;
fn add(self, other: Key) -> Key {
Key { high: self.high.wrapping_add(other.high), low: self.low.max(other.low) }
}
}
#[gpu_fn]
impl<T: Copy> Pair<T> {
pub fn new(a: T, b: T) -> Self {
Pair { a, b }
}
pub fn turned(self) -> Self {
Pair { a: self.b, b: self.a }
}
pub fn first(&self) -> T {
self.a
}
pub fn put(&mut self, a: T) -> T {
let old = self.a;
self.a = self.b;
self.b = a;
old
}
}
#[gpu_fn]
impl<T: Ord + Copy> Pair<T> {
pub fn most(&self) -> T {
self.a.max(self.b)
}
pub fn order(&mut self) {
if self.a > self.b {
*self = self.turned();
}
}
}
#[gpu_fn]
pub fn g2<T: Copy + Ord>(a: T, b: T) -> T {
if a > b { a } else { b.min(a) }
}
#[gpu_fn]
pub fn g3<T: Copy + Add<Output = T>>(a: T, b: T) -> T {
a + b
}
#[gpu_fn]
pub fn g4<T: Copy + Ord, const N: usize>(list: [T; N]) -> T {
let mut best = list[0];
for one in list.iter() {
best = if *one > best { *one } else { best };
}
best
}
#[gpu_fn]
pub fn g5<const K: u32, const UP: bool>(x: u32) -> u32 {
if UP { x.wrapping_mul(K) } else { x ^ K }
}
#[gpu_fn]
pub fn g6<T: Copy + PartialOrd>(a: Pair<T>, b: T) -> Pair<T> {
if a.a < b { Pair::new(b, a.b) } else { a.turned() }
}
#[gpu_fn]
pub fn g7<T: Copy>(of: Maybe<T>, other: T) -> T {
match of {
Maybe::Just(a) | Maybe::Both { b: a, .. } => a,
Maybe::Nothing => other,
}
}
#[gpu_fn]
pub fn g8<T: Copy + Ord>(a: Pair<T>, b: Pair<T>) -> T {
g2(a, b).most()
}
#[gpu_fn]
pub fn g9<T: Copy + Ord>(a: T, b: T) -> T {
let mut both = Pair::new(a, b);
let other = Pair { a: b, b: a }.turned();
both.order();
g2(both, other).most()
}
#[gpu_fn]
pub fn g10(a: u32, b: i64) -> (u32, i64) {
let (first, second) = (Pair::new(a, 3), Pair::new(b, -2).turned());
let nested = Pair::new(Pair { a: b, b: 4 }, second);
let Pair { a: low, .. } = g2(nested.a, second);
(g3(g5::<3, true>(first.turned().first()) / 2, g5::<1, false>(0)), low ^ nested.turned().first().b)
}
";

impl World {
    /// Returns a generic record; without its argument only where the fields say it.
    pub(super) fn pair_of(&self, part: &Ty, a: &str, b: &str) -> String {
        match part {
            // Blocks in the fields leave open what they are.
            Ty::Scalar(_) | Ty::Char if !a.contains('{') && !b.contains('{') => {
                format!("Pair {{ a: {a}, b: {b} }}")
            }
            _ => format!("Pair::<{}> {{ a: {a}, b: {b} }}", self.text(part)),
        }
    }
}

impl Gen<'_> {
    /// Returns a value of the type from a generic function or record, if rustc reads the text.
    pub(super) fn by_parameters(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        if !self.by_rustc(100) {
            return None;
        }
        let depth = depth.min(1);
        // A unit says nothing.
        if *ty == Ty::Unit {
            return None;
        }
        match ty {
            Ty::Scalar(Scalar::U32) if self.dice.chance(20) => {
                let (k, up) = (self.dice.below(9), self.dice.chance(50));
                return Some(format!("g5::<{k}, {up}>({})", self.expr(ty, depth)));
            }
            Ty::Scalar(Scalar::I64) if self.dice.chance(20) => {
                return Some(format!(
                    "g10({}, {}).1",
                    self.expr(&Ty::Scalar(Scalar::U32), depth),
                    self.expr(ty, depth)
                ));
            }
            Ty::Scalar(Scalar::I32) if self.dice.chance(20) => return Some(format!("{}.high", self.keys(depth))),
            Ty::Scalar(Scalar::U64) if self.dice.chance(20) => return Some(format!("{}.low", self.keys(depth))),
            _ => {}
        }
        let (a, b) = (self.typed(ty, depth), self.expr(ty, depth));
        let both = self.world.pair_of(ty, &a, &b);
        let is_int = matches!(ty, Ty::Scalar(scalar) if scalar.is_int());
        if self.world.has_order(ty) && self.dice.chance(60) {
            let (w, text) = (self.fresh(), self.world.text(ty));
            return Some(match self.dice.below(8) {
                0 => format!("g2({a}, {b})"),
                1 => format!("g4([{a}, {b}, {}])", self.expr(ty, depth)),
                2 => format!("Pair::<{text}>::new({a}, {b}).most()"),
                3 => format!("({{ let mut {w} = {both}; {w}.order(); {w}.a }})"),
                4 => format!("g8({both}, Pair::<{text}>::new({}, {}))", self.typed(ty, depth), self.expr(ty, depth)),
                5 => format!("g9({a}, {b})"),
                6 if is_int => format!("g3({a}, {b})"),
                _ => format!("g2(g2({a}, {b}), {})", self.expr(ty, depth)),
            });
        }
        Some(match self.dice.below(7) {
            // The front end does not read the type in each place where it is longer.
            0..3 if matches!(ty, Ty::Scalar(_)) => {
                let (w, text, c) = (self.fresh(), self.world.text(ty), self.expr(ty, depth));
                let maybe = *self.dice.pick(&["Just({a})", "Both { a: {a}, b: {b} }", "Nothing"]);
                let maybe = maybe.replace("{a}", &a).replace("{b}", &b);
                format!("({{ let {w}: Maybe<{text}> = Maybe::<{text}>::{maybe}; g7({w}, {c}) }})")
            }
            3 => format!("Pair::<{}>::new({a}, {b}).turned().first()", self.world.text(ty)),
            4 => {
                let (w, old, yes) = (self.fresh(), self.fresh(), self.bool(1));
                let c = self.expr(ty, depth);
                format!("({{ let mut {w} = {both}; let {old} = {w}.put({c}); if {yes} {{ {old} }} else {{ {w}.b }} }})")
            }
            5 => format!("g6({both}, {}).b", self.expr(ty, depth)),
            _ => format!("({both}).b"),
        })
    }

    fn keys(&mut self, depth: usize) -> String {
        let mut key = || {
            let (high, low) = (self.expr(&Ty::Scalar(Scalar::I32), depth), self.expr(&Ty::Scalar(Scalar::U64), depth));
            format!("Key {{ high: {high}, low: {low} }}")
        };
        let (a, b) = (key(), key());
        match self.dice.below(3) {
            0 => format!("({a} + {b})"),
            1 => format!("g2({a}, {b})"),
            _ => format!("g3({a}, {b})"),
        }
    }

    /// Returns a generic record.
    pub(super) fn generic_pair(&mut self, part: &Ty, depth: usize) -> String {
        let whole = Ty::Pair(Box::new(part.clone()));
        match self.dice.below(6) {
            0 | 1 => {
                format!(
                    "Pair::<{}>::new({}, {})",
                    self.world.text(part),
                    self.expr(part, depth),
                    self.expr(part, depth)
                )
            }
            2 => format!("{}.turned()", self.typed(&whole, depth)),
            3 => format!("g6({}, {})", self.typed(&whole, depth), self.expr(part, depth)),
            _ => {
                let (a, b) = (self.expr(part, depth), self.expr(part, depth));
                format!("({})", self.world.pair_of(part, &a, &b))
            }
        }
    }
}
