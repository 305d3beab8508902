//! Functions by their names in place of closures: those of types, of records, and of the module.

use kernels_gen::spec::Scalar;

use super::expr::Gen;
use super::types::{Helper, Param, Receiver, Ty};

/// Functions of a record that take values, `&` and `&mut`.
pub(super) const ITEMS: &str = "\
#[gpu_fn]
impl Key {
pub fn of(low: u64) -> Key {
Key { high: 3, low }
}
pub fn none() -> u64 {
9
}
pub fn low(self) -> u64 {
self.low
}
pub fn rank(&self) -> u64 {
self.low ^ self.high as u64
}
pub fn is_odd(&self) -> bool {
self.low & 1 == 1
}
pub fn is_high(self) -> bool {
self.high > 2
}
pub fn above(&self) -> Option<u64> {
self.low.checked_sub(4)
}
pub fn raise(&mut self) {
self.high = self.high.wrapping_add(1);
self.low = self.low.rotate_left(1);
}
pub fn joined(self, other: Key) -> Key {
Key { high: self.high.wrapping_mul(3), low: other.low ^ self.low }
}
pub fn mixed(sum: u64, other: &Key) -> u64 {
sum.wrapping_mul(3) ^ other.rank()
}
pub fn by_low(a: &Key, b: &Key) -> std::cmp::Ordering {
a.low.cmp(&b.low)
}
pub fn checked(self) -> Result<u64, Key> {
if self.is_high() { Err(self) } else { Ok(self.low) }
}
}
";

/// Chains over `list: [Key; 3]` and `slots: [Option<Key>; 2]` that end with a `u64`.
const OF_KEYS: [&str; 22] = [
    "list.iter().map(Key::rank).fold(1, u64::wrapping_add)",
    "list.into_iter().map(Key::low).reduce(u64::max).unwrap_or_else(Key::none)",
    "list.iter().copied().filter(Key::is_odd).map(Key::low).fold(0, |x, y| x ^ y)",
    "list.into_iter().skip_while(Key::is_odd).map(Key::low).map(u64::swap_bytes).min().unwrap_or(5)",
    "list.iter().filter_map(Key::above).max().map_or_else(Key::none, u64::reverse_bits)",
    "list.iter().copied().reduce(Key::joined).map_or(0, Key::low)",
    "list.iter().fold(1, Key::mixed)",
    "list.into_iter().max_by(Key::by_low).map_or(4, Key::low)",
    "list.into_iter().min_by_key(Key::rank).map_or(3, Key::low)",
    "list.iter().any(Key::is_odd) as u64 + 2 * list.into_iter().all(Key::is_high) as u64",
    "list.into_iter().position(Key::is_high).map_or(7, |k| k as u64)",
    "list.iter().map(Key::rank).map(Key::of).map(Key::low).map(u64::count_ones).map(u64::from).sum::<u64>()",
    "slots.iter().flatten().map(Key::rank).fold(3, u64::max)",
    "slots.into_iter().flatten().map(Key::checked).map(|x| x.map_err(Key::low).unwrap_or(3)).fold(0, |x, y| x ^ y)",
    "slots.iter().map(Option::is_some).filter(|is| *is).count() as u64",
    "slots[0].map(Key::low).unwrap_or_else(Key::none)",
    "slots[1].as_ref().map_or(5, Key::rank)",
    "slots[0].filter(Key::is_odd).map_or_else(Key::none, Key::low)",
    "slots[1].is_some_and(Key::is_high) as u64",
    "({ list.iter_mut().for_each(Key::raise); list[1].low() ^ list[2].rank() })",
    "({ slots.iter_mut().flatten().for_each(Key::raise); slots[1].map_or(1, Key::low) })",
    "({ list.sort_by_key(Key::rank); list.partition_point(Key::is_odd) as u64 ^ list[0].low })",
];

impl Gen<'_> {
    /// Returns an integer from functions by their names.
    pub(super) fn by_path(&mut self, scalar: Scalar, depth: usize) -> String {
        match self.dice.below(4) {
            0 => self.widened(scalar, depth),
            1 => self.of_helper(scalar, depth).unwrap_or_else(|| self.widened(scalar, depth)),
            _ => self.of_keys(scalar, depth),
        }
    }

    fn of_keys(&mut self, scalar: Scalar, depth: usize) -> String {
        let key = |this: &mut Self| {
            let [high, low] = [Scalar::I32, Scalar::U64].map(|part| this.expr(&Ty::Scalar(part), depth.min(1)));
            format!("Key {{ high: {high}, low: {low} }}")
        };
        let [a, b, c] = [key(self), key(self), key(self)];
        let (list, slots, is) = (self.fresh(), self.fresh(), self.bool(1));
        let chain = (*self.dice.pick(&OF_KEYS)).replace("list", &list).replace("slots", &slots);
        let declared = match chain.contains(&list) {
            true => format!("let mut {list}: [Key; 3] = [{a}, {b}, {c}];"),
            false => {
                format!("let mut {slots}: [Option<Key>; 2] = [Some({a}), if {is} {{ None }} else {{ Some({b}) }}];")
            }
        };
        format!("({{ {declared} ({chain}) as {} }})", scalar.rust())
    }

    /// Returns an integer from others that `From` makes wider.
    fn widened(&mut self, scalar: Scalar, depth: usize) -> String {
        let from: Vec<Scalar> = Scalar::ALL.into_iter().filter(|from| widens(*from, scalar)).collect();
        let name = scalar.rust();
        if from.is_empty() {
            let test = if scalar.is_signed() { "is_negative" } else { "is_power_of_two" };
            let [a, b] = [self.component(&Ty::Scalar(scalar)), self.component(&Ty::Scalar(scalar))];
            return format!("([{a}, {b}].into_iter().any({name}::{test}) as {name})");
        }
        let from = Ty::Scalar(*self.dice.pick(&from));
        let [a, b] = [self.typed(&from, depth.min(1)), self.typed(&from, depth.min(1))];
        match self.dice.below(4) {
            0 => format!("[{a}, {b}].into_iter().map({name}::from).fold(1, {name}::wrapping_mul)"),
            1 => format!("[{a}, {b}].map({name}::from)[{}]", self.dice.below(2)),
            2 => format!("[Some({a}), None, Some({b})].into_iter().flatten().map({name}::from).fold(5, {name}::max)"),
            _ => format!("Some({a}).map({name}::from).unwrap_or({})", self.component(&Ty::Scalar(scalar))),
        }
    }

    /// Returns an integer from a method or a function of the module by its name.
    fn of_helper(&mut self, scalar: Scalar, depth: usize) -> Option<String> {
        let helpers: Vec<(String, Ty, bool)> =
            self.world.helpers.iter().filter_map(|helper| self.world_path(helper, scalar)).collect();
        if helpers.is_empty() {
            return None;
        }
        let (path, of, lent) = self.dice.pick(&helpers).clone();
        let (list, text, name) = (self.fresh(), self.world.text(&of), scalar.rust());
        let [a, b] = [self.expr(&of, depth.min(1)), self.expr(&of, depth.min(1))];
        let each = if lent { "iter" } else { "into_iter" };
        Some(format!(
            "({{ let {list}: [{text}; 2] = [{a}, {b}]; {list}.{each}().map({path}).fold(7, |x: {name}, y| x.wrapping_mul(3) ^ y) }})"
        ))
    }

    /// Returns the path of a function of one argument that gives such an integer, the type of the argument, and whether it takes a `&`.
    fn world_path(&self, helper: &Helper, scalar: Scalar) -> Option<(String, Ty, bool)> {
        if helper.tries || helper.result != Ty::Scalar(scalar) {
            return None;
        }
        let name = &helper.name;
        match (&helper.owner, helper.params.as_slice()) {
            (Some((ty, Receiver::Reference)), []) => {
                Some((format!("{}::{name}", self.world.text(ty)), ty.clone(), true))
            }
            (Some((ty, Receiver::Value)), []) => Some((format!("{}::{name}", self.world.text(ty)), ty.clone(), false)),
            (Some((ty, Receiver::None)), [Param::Value(of)]) => {
                Some((format!("{}::{name}", self.world.text(ty)), of.clone(), false))
            }
            (None, [Param::Value(of)]) => Some((name.clone(), of.clone(), false)),
            (None, [Param::Reference(of)]) => Some((name.clone(), of.clone(), true)),
            _ => None,
        }
    }
}

/// Returns whether Rust has a `From` from one integer to the other.
fn widens(from: Scalar, to: Scalar) -> bool {
    let exact = |scalar: Scalar| !matches!(scalar, Scalar::Usize | Scalar::Isize);
    let fits = from.size() < to.size() && (to.is_signed() || !from.is_signed());
    from.is_int() && exact(from) && exact(to) && fits
}
