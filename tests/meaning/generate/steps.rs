//! Further steps, sources and ends of chains: closures that change what is around them, elements of any type.

use kernels_gen::spec::Scalar;

use super::expr::{Form, Gen, Var};
use super::types::Ty;

impl Gen<'_> {
    /// Returns what a closure gives, without `?`, of its parameters and everything around it.
    pub(super) fn in_closure(&mut self, params: &[Var], value: impl FnOnce(&mut Self) -> String) -> String {
        self.scoped(|this| {
            this.vars.extend_from_slice(params);
            // `?` would leave the closure alone.
            let form = std::mem::replace(&mut this.form, Form::Plain(Ty::Unit));
            let value = value(this);
            this.form = form;
            value
        })
    }

    /// Returns an iterator over such integers that is no array or range of the program.
    pub(super) fn made_source(&mut self, scalar: Scalar) -> String {
        let ty = Ty::Scalar(scalar);
        let (a, b, k, name) = (self.component(&ty), self.component(&ty), self.dice.below(4), scalar.rust());
        match self.dice.below(6) {
            0 => format!("std::iter::once({a})"),
            1 => format!("std::iter::repeat({a}).take({k})"),
            2 => format!("std::iter::repeat_n({a}, {k})"),
            3 => format!("[[{a}, {b}], [{b}, 3]].iter().flatten().copied()"),
            4 => format!("[Some({a}), None, Some({b})].iter().flatten().copied()"),
            _ => {
                let w = self.fresh();
                let var = Var::new(&w, Ty::Scalar(Scalar::Usize));
                let value = self.in_closure(&[var], |this| this.component(&ty));
                format!("std::array::from_fn::<{name}, {}, _>(|{w}| {value}).into_iter()", k + 1)
            }
        }
    }

    pub(super) fn more_step(&mut self, of: Scalar) -> String {
        let (w, other, name) = (self.fresh(), self.fresh(), of.rust());
        let ty = Ty::Scalar(of);
        let (value, var) = (self.component(&ty), [Var::new(&w, ty.clone())]);
        let few = self.dice.below(4);
        match self.dice.below(12) {
            0 => format!(".map(|{w}| {})", self.in_closure(&var, |this| this.expr(&ty, 1))),
            1 => {
                let seen = [Var { place: true, ..var[0].clone() }];
                format!(".filter(|{w}| {})", self.in_closure(&seen, |this| this.bool(1)))
            }
            2 => format!(".skip_while(|{w}| *{w} < {value})"),
            3 => format!(".filter_map(|{w}| {w}.checked_sub({value}))"),
            4 => format!(".map_while(|{w}| {w}.checked_add({value}))"),
            5 => format!(
                ".scan({value}, |{other}, {w}| {{ *{other} = {other}.wrapping_add({w}); if *{other} > 90 {{ None }} else {{ Some(*{other}) }} }})"
            ),
            6 => format!(".chain(std::iter::once({value}))"),
            7 => format!(".chain(std::iter::repeat_n({value}, {few}))"),
            8 => format!(".flat_map(|{w}| (0..{few}_{name}).map(move |{other}| {other}.wrapping_add({w})))"),
            9 => format!(".map(|{w}| Some({w}).filter(|{other}| *{other} != {value})).flatten()"),
            10 => format!(".map(|{w}| ({w}, {value})).map(|({w}, {other})| {w} ^ {other})"),
            _ => format!(".map(|&{w}| {w} | {value})").replace("|&", "|"),
        }
    }

    pub(super) fn more_end(&mut self, chain: &str, of: Scalar, name: &str) -> String {
        let (w, other) = (self.fresh(), self.fresh());
        let ty = Ty::Scalar(of);
        let (value, few) = (self.component(&ty), self.dice.below(4));
        match self.dice.below(15) {
            0 => format!("({chain}.all(|{w}| {w} != {value}) as {name})"),
            1 => format!("{chain}.min().unwrap_or({value})"),
            2 => format!("{chain}.map(|{w}| {w} & 3).product::<{name}>()"),
            3 => format!("{chain}.max_by_key(|{w}| {w} ^ {value}).unwrap_or(4)"),
            4 => format!("{chain}.min_by(|{w}, {other}| {other}.cmp({w})).unwrap_or({value})"),
            5 => format!(
                "{chain}.max_by(|{w}, {other}| ({w} & 3).cmp(&({other} & 3)).then({other}.cmp({w}))).unwrap_or(1)"
            ),
            6 => format!("{chain}.nth({few}).unwrap_or({value})"),
            7 => format!("{chain}.find_map(|{w}| {w}.checked_sub({value})).unwrap_or(2)"),
            8 => format!("({chain}.eq([{value}, 1, 2]) as {name})"),
            9 => format!(
                "({{ let mut {other} = {value}; {chain}.for_each(|{w}| {other} = {other}.wrapping_mul(5) ^ {w}); {other} }})"
            ),
            10 => format!(
                "({{ let mut {other} = {value}; let {w} = {chain}.inspect(|x| {other} ^= *x).count(); {other}.wrapping_add({w} as {name}) }})"
            ),
            11 => format!("{chain}.map(|{w}| {w}.checked_sub({value})).sum::<Option<{name}>>().unwrap_or(6)"),
            12 => format!("{chain}.fold({value}, {name}::max)"),
            13 if self.by_rustc(100) => format!("{chain}.map(Some).last().flatten().unwrap_or({value})"),
            _ => format!("{chain}.next().map_or({value}, |{w}| {w} / 2)"),
        }
    }

    /// Returns an integer from a chain over an array of any type, whose closures see its elements.
    pub(super) fn over_elements(&mut self, scalar: Scalar, depth: usize) -> String {
        let ty = self.world.usual(self.dice);
        let array = Ty::Array(Box::new(ty.clone()), 1 + self.dice.below(4));
        let (list, w, k, name) = (self.fresh(), self.fresh(), self.fresh(), scalar.rust());
        let (text, value, depth) = (self.world.text(&array), self.expr(&array, depth), depth.min(1));
        let by_reference = Var { place: true, ..Var::new(&w, ty.clone()) };
        let numbered = [by_reference.clone(), Var::new(&k, Ty::Scalar(Scalar::Usize))];
        let by_reference = [by_reference];
        let result = Ty::Scalar(scalar);
        let chain = self.scoped(|this| {
            this.vars.push(Var::new(&list, array.clone()));
            match this.dice.below(8) {
                0 => {
                    let value = this.in_closure(&numbered, |this| this.expr(&result, depth));
                    format!("{list}.iter().enumerate().map(|({k}, {w})| {value}).fold(0, |a, b| a ^ b)")
                }
                1 => {
                    let value = this.in_closure(&by_reference, |this| this.expr(&result, depth));
                    format!("{list}.iter().rev().map(|{w}| {value}).max().unwrap_or(5)")
                }
                2 => {
                    let other = this.expr(&ty, depth);
                    format!("({list}.iter().filter(|{w}| **{w} == {other}).count() as {name})")
                }
                3 => {
                    let test = this.in_closure(&by_reference, |this| this.bool(1));
                    format!("({list}.iter().position(|{w}| {test}).unwrap_or(9) as {name})")
                }
                4 => {
                    let test = this.in_closure(&by_reference, |this| this.bool(1));
                    let (either, side) = (*this.dice.pick(&["any", "all"]), *this.dice.pick(&["", ".skip(1)", ".rev()"]));
                    format!("({list}.iter(){side}.{either}(|{w}| {test}) as {name})")
                }
                5 => {
                    let values = this.in_closure(&by_reference, |this| this.expr(&result, depth));
                    format!("{list}.iter().zip([1, 5, 2]).map(|({w}, {k})| {k} ^ {values}).fold(1, |a, b| b.wrapping_sub(a))")
                }
                6 => {
                    let key = this.in_closure(&by_reference, |this| this.expr(&result, depth));
                    format!("({list}.iter().enumerate().min_by_key(|&(_, {w})| {key}).map_or(7, |(k, _)| k) as {name})")
                }
                _ => {
                    let value = this.in_closure(&by_reference, |this| this.expr(&result, depth));
                    format!("{list}.iter().take(2).chain({list}.iter().skip(1)).map(|{w}| {value}).reduce(|a, b| a.wrapping_mul(3) ^ b).unwrap_or(0)")
                }
            }
        });
        format!("({{ let {list}: {text} = {value}; {chain} }})")
    }
}
