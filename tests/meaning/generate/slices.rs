//! Parts of arrays, whose bounds are known only when they run: iterated, cut into pieces, matched by their length.

use kernels_gen::spec::Scalar;

use super::expr::{Gen, Var};
use super::types::Ty;

impl Gen<'_> {
    /// Returns an integer from parts of an array that it declares.
    pub(super) fn of_parts(&mut self, scalar: Scalar, depth: usize) -> String {
        let (element, name, length) = (Ty::Scalar(scalar), self.fresh(), 1 + self.dice.below(4));
        let elements: Vec<String> = (0..length).map(|_| self.expr(&element, depth.min(1))).collect();
        let ty = Ty::Array(Box::new(element), length);
        let text = self.world.text(&ty);
        self.scoped(|this| {
            this.vars.push(Var { name: name.clone(), ty, mutable: false, place: false });
            let found = this.dice.chance(40).then(|| this.match_of_part(scalar)).flatten();
            let found = found.unwrap_or_else(|| this.chain_of(scalar));
            format!("({{\nlet {name}: {text} = [{}];\n{found}\n}})", elements.join(", "))
        })
    }

    /// Returns a part of an array of such scalars, mostly in bounds. `None`: there is no array.
    pub(super) fn part(&mut self, scalar: Scalar) -> Option<String> {
        let ty = |length| Ty::Array(Box::new(Ty::Scalar(scalar)), length);
        let mut arrays = Vec::new();
        for length in 1..5 {
            arrays.extend(self.paths(&ty(length)).into_iter().map(|(path, _)| (path, length)));
        }
        if arrays.is_empty() {
            return None;
        }
        let (array, length) = self.dice.pick(&arrays).clone();
        let (start, end) = (self.bound(length), self.bound(length));
        Some(match self.dice.below(5) {
            0 => format!("{array}[{start}..]"),
            1 => format!("{array}[..{end}]"),
            2 => format!("{array}[..={}]", self.index(length)),
            3 => format!("{array}[{start}..{end}]"),
            _ => format!("{array}[0..{end}]"),
        })
    }

    /// Returns where a part begins or ends.
    fn bound(&mut self, length: usize) -> String {
        let value = self.component(&Ty::Scalar(Scalar::Usize));
        if self.dice.chance(95) { format!("{value} % {}", length + 1) } else { value }
    }

    /// Returns an iterator over what the pieces of a part give.
    pub(super) fn pieces(&mut self, part: &str) -> String {
        let cut = *self.dice.pick(&["chunks", "windows", "chunks_exact"]);
        let (w, value) = (self.fresh(), self.component(&Ty::Scalar(Scalar::Usize)));
        let of_piece = *self.dice.pick(&["[0]", "[w.len() - 1]", ".iter().fold(1, |a, b| a ^ b.wrapping_mul(3))"]);
        let size = if self.dice.chance(90) { format!("1 + {value} % 3") } else { format!("{value} % 3") };
        format!("{part}.{cut}({size}).map(|{w}| {w}{})", of_piece.replace("w.", &format!("{w}.")))
    }

    /// Returns a `match` of a part by its length.
    pub(super) fn match_of_part(&mut self, scalar: Scalar) -> Option<String> {
        let part = self.part(scalar)?;
        let (a, b, rest) = (self.fresh(), self.fresh(), self.fresh());
        let (value, name) = (self.component(&Ty::Scalar(scalar)), scalar.rust());
        let arms = [
            format!("[] => {value},"),
            format!("[{a}] => *{a} ^ {value},"),
            format!("[{a}, {b}] if {a} < {b} => {b}.wrapping_sub(*{a}),"),
            format!("[{a}, .., {b}] => {a}.wrapping_mul(5) ^ {b},"),
            format!("[1 | 3, {rest} @ ..] => {rest}.len() as {name},"),
            format!("[{rest} @ .., {a}] => {rest}.iter().fold(*{a}, |old, w| old.wrapping_add(*w)),"),
        ];
        let some = (0..1 + self.dice.below(4)).map(|_| format!("{}\n", self.dice.pick(&arms))).collect::<String>();
        Some(format!("(match &{part} {{\n{some}_ => {value},\n}})"))
    }
}
