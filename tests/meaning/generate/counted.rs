//! Chains whose elements Rust counts, which `rev` goes through backwards, and `zip` with any chain.

use kernels_gen::spec::Scalar;

use super::expr::Gen;
use super::types::Ty;

impl Gen<'_> {
    /// Returns an iterator over such integers that goes backwards after steps that count.
    pub(super) fn backwards(&mut self, of: Scalar) -> String {
        let (mut chain, name) = (self.counted(of), of.rust());
        let (w, x, value) = (self.fresh(), self.fresh(), self.component(&Ty::Scalar(of)));
        match self.dice.below(6) {
            0 => format!("{chain}.enumerate().rev().map(|({x}, {w})| {w}.wrapping_add({x} as {name}))"),
            1 => format!("{chain}.zip({}).rev().map(|({w}, {x})| {w}.wrapping_mul(3) ^ {x})", self.counted(of)),
            // A map between two `rev` is refused.
            2 => format!("{}.map(|{w}| {w} / 3).skip({}).rev()", chain.replace(".rev()", ""), self.dice.below(3)),
            3 => {
                chain = chain.replace(".rev()", "");
                format!("{chain}.map(|{w}| {w} ^ {value}).enumerate().rev().map(|({x}, {w})| {w} ^ {x} as {name})")
            }
            4 => format!("{chain}.rev().filter(|{w}| *{w} != {value})"),
            _ => {
                chain += ".rev()";
                let counted = (0..self.dice.below(2)).map(|_| self.count_step()).collect::<String>();
                chain + &counted
            }
        }
    }

    /// Returns an iterator whose length Rust knows, after steps that count.
    fn counted(&mut self, of: Scalar) -> String {
        let (ty, name) = (Ty::Scalar(of), of.rust());
        let small = of.size() <= 4 || matches!(of, Scalar::Usize | Scalar::Isize);
        let (least, most) = (self.dice.below(3), 2 + self.dice.below(6));
        let source = match self.dice.below(4) {
            0 if small => format!("({least}..{most}_{name})"),
            1 if of.size() <= 2 => format!("({least}..={most}_{name})"),
            _ => match self.part(of).filter(|_| self.dice.chance(50)) {
                Some(part) => format!("{part}.iter().copied()"),
                None => {
                    let elements: Vec<String> = (0..2 + self.dice.below(3)).map(|_| self.component(&ty)).collect();
                    format!("[{}].into_iter()", elements.join(", "))
                }
            },
        };
        let steps: String = (0..1 + self.dice.below(2)).map(|_| self.count_step()).collect();
        source + &steps
    }

    fn count_step(&mut self) -> String {
        let count = match self.dice.chance(30) {
            true => format!("{} & 3", self.component(&Ty::Scalar(Scalar::Usize))),
            false => self.dice.below(4).to_string(),
        };
        match self.dice.below(4) {
            0 => format!(".skip({count})"),
            1 => format!(".take({count})"),
            // A step of 0 is a fault.
            2 if self.dice.chance(10) => format!(".step_by({count})"),
            2 => format!(".step_by(1 + ({count}))"),
            _ => ".rev()".to_owned(),
        }
    }

    /// Returns a chain of any steps for `zip` and for comparisons.
    pub(super) fn other_chain(&mut self, of: Scalar) -> String {
        let mut chain = if self.dice.chance(40) { self.backwards(of) } else { self.chain_source(of).0 };
        for _ in 0..self.dice.below(3) {
            let (w, x, value) = (self.fresh(), self.fresh(), self.component(&Ty::Scalar(of)));
            chain += &match self.dice.below(8) {
                0 => format!(".filter(|{w}| *{w} > {value})"),
                1 => format!(".map(|{w}| {w} ^ {value})"),
                2 => format!(".filter_map(|{w}| {w}.checked_sub({value}))"),
                3 => format!(".skip_while(|{w}| *{w} < {value})"),
                4 => format!(".take_while(|{w}| *{w} != {value})"),
                5 => format!(".chain([{value}, 4])"),
                6 => format!(
                    ".scan({value}, |{x}, {w}| {{ *{x} = {x}.wrapping_add({w}); if *{x} > 90 {{ None }} else {{ Some(*{x}) }} }})"
                ),
                _ => self.count_step().replace(".rev()", ".skip(1)"),
            };
        }
        match chain.contains("flat") || chain.contains("repeat(") {
            true => format!("[{}, 6].into_iter()", self.component(&Ty::Scalar(of))),
            false => chain,
        }
    }
}
