//! Methods of arrays and of their parts: those that change one, those that make one, and those that search it.

use kernels_gen::spec::Scalar;

use super::expr::{Gen, Var};
use super::types::Ty;

impl Gen<'_> {
    /// Returns an array that a method or a function makes.
    pub(super) fn made_array(&mut self, element: &Ty, length: usize, depth: usize) -> String {
        let (list, w) = (self.fresh(), self.fresh());
        let whole = Ty::Array(Box::new(element.clone()), length);
        let text = self.world.text(&whole);
        let made = match self.dice.below(3) {
            0 => {
                let at = [Var::new(&w, Ty::Scalar(Scalar::Usize))];
                let value = self.in_closure(&at, |this| this.expr(element, depth.min(1)));
                format!("std::array::from_fn(|{w}| {value})")
            }
            1 => {
                let from = self.world.ty(self.dice, 1);
                let array = self.typed(&Ty::Array(Box::new(from.clone()), length), depth.min(1));
                let value = self.in_closure(&[Var::new(&w, from)], |this| this.expr(element, depth.min(1)));
                format!("{array}.map(|{w}| {value})")
            }
            _ => {
                let value = self.expr(&whole, depth.min(1));
                let changes = self.changes(&list, element, length);
                return format!("({{ let mut {list}: {text} = {value}; {changes}{list} }})");
            }
        };
        format!("({{ let {list}: {text} = {made}; {list} }})")
    }

    /// Returns statements that change an array.
    fn changes(&mut self, list: &str, element: &Ty, length: usize) -> String {
        let is_int = matches!(element, Ty::Scalar(scalar) if scalar.is_int());
        let mut text = String::new();
        for _ in 0..1 + self.dice.below(3) {
            let [a, b] = [self.index(length), self.index(length)];
            let part = self.cut(list, length);
            let whole = if self.dice.chance(50) { list.to_owned() } else { part };
            text += &match self.dice.below(if is_int { 12 } else { 8 }) {
                0 => format!("{list}.swap({a}, {b}); "),
                1 => format!("{whole}.reverse(); "),
                2 => format!("{list}.rotate_left({}); ", self.dice.below(length + 1)),
                3 => format!("{whole}.fill({}); ", self.expr(element, 1)),
                4 => format!("*{list}.last_mut().unwrap() = {}; ", self.expr(element, 1)),
                5 => format!("if let Some(x) = {list}.get_mut({a}) {{ *x = {}; }} ", self.expr(element, 1)),
                6 => format!("{list}.copy_within(..1, {}); ", self.dice.below(length)),
                7 => format!("for x in {list}.iter_mut().skip(1) {{ *x = {}; }} ", self.expr(element, 1)),
                8 => format!("{whole}.sort_unstable(); "),
                9 => format!("{whole}.sort_by_key(|x| x.wrapping_mul(3)); "),
                10 => format!("{whole}.sort_by(|x, y| y.cmp(x)); "),
                _ => format!("{whole}.iter_mut().for_each(|x| *x ^= {}); ", self.component(element)),
            };
        }
        text
    }

    /// Returns a part of an array, mostly in bounds.
    fn cut(&mut self, list: &str, length: usize) -> String {
        let (start, end) = (self.dice.below(length + 1), self.index(length));
        match self.dice.below(3) {
            0 => format!("{list}[{start}..]"),
            1 => format!("{list}[..{end}]"),
            _ => format!("{list}[{}..={end}]", self.dice.below(2)),
        }
    }

    /// Returns an integer from patterns of an array whose type is declared.
    fn taken_apart(&mut self, list: &str, scalar: Scalar, length: usize) -> String {
        let element = Ty::Scalar(scalar);
        let [a, b, rest] = [self.fresh(), self.fresh(), self.fresh()];
        let (one, few) = (self.component(&element), self.dice.below(9));
        let mut arms = vec![
            format!("[{few}, ..] => {one}, "),
            format!("[.., {a} @ ({few} | 3)] => {a} ^ {one}, "),
            format!("[{a}, ..] if {a} > {one} => {a}.wrapping_mul(7), "),
        ];
        if length > 1 {
            arms.push(format!("[{a}, .., {b}] if {a} < {b} => {b}.wrapping_sub({a}), "));
            arms.push(format!("[{a}, {rest} @ ..] if {rest}[0] != {one} => {rest}.iter().fold({a}, |x, y| x ^ *y), "));
            arms.push(format!("[{rest} @ .., ({few}..)] => {rest}.len() as {}, ", scalar.rust()));
            arms.push(format!("[({few} | 2), .., {a}] | [{a}, .., {few}] => {a}, "));
        }
        let some: String = (0..1 + self.dice.below(4)).map(|_| self.dice.pick(&arms).clone()).collect();
        format!("(match {list} {{ {some}_ => 5 }})")
    }

    /// Returns an integer that a method finds in an array.
    pub(super) fn of_array(&mut self, scalar: Scalar, depth: usize) -> String {
        let (list, length, name) = (self.fresh(), 1 + self.dice.below(4), scalar.rust());
        let element = Ty::Scalar(scalar);
        let whole = Ty::Array(Box::new(element.clone()), length);
        let (text, value) = (self.world.text(&whole), self.expr(&whole, depth.min(2)));
        let (one, at) = (self.component(&element), self.index(length));
        let changes = if self.dice.chance(50) { self.changes(&list, &element, length) } else { String::new() };
        let part = self.cut(&list, length);
        let found = match self.dice.below(11) {
            10 => self.taken_apart(&list, scalar, length),
            0 => format!("({list}.binary_search(&{one}).unwrap_or_else(|k| k + 5) as {name})"),
            1 => format!("({list}.partition_point(|x| *x < {one}) as {name})"),
            2 => format!("({list}.contains(&{one}) as {name})"),
            3 => format!("{list}.first().copied().unwrap_or({one})"),
            4 => format!("{list}.get({at}).copied().unwrap_or({one})"),
            5 => format!("({list}.starts_with(&[{one}]) as {name})"),
            6 => format!("({list}.is_sorted() as {name})"),
            7 => format!("{part}.iter().fold({one}, |a, b| a.wrapping_mul(3) ^ *b)"),
            8 => {
                let (left, right) = (self.fresh(), self.fresh());
                let fold = "iter().fold(1, |a, b| a ^ b.wrapping_add(3))";
                format!(
                    "({{ let ({left}, {right}) = {list}.split_at({at}); {left}.len() as {name} ^ {right}.{fold} }})"
                )
            }
            _ => format!("{list}.map(|x| x ^ {one})[{at}]"),
        };
        format!("({{ let mut {list}: {text} = {value}; {changes}{found} }})")
    }
}
