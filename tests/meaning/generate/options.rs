//! Methods of `Option` that closures, pairs and places follow.

use kernels_gen::spec::Scalar;

use super::expr::{Gen, Var};
use super::types::Ty;

impl Gen<'_> {
    /// Returns an `Option` from another one.
    pub(super) fn turned_option(&mut self, inner: &Ty, depth: usize) -> String {
        let depth = depth.min(1);
        let other = self.world.ty(self.dice, 1);
        let (text, w) = (self.world.text(inner), self.fresh());
        let from = self.typed_option(&other, depth);
        let var = [Var::new(&w, other.clone())];
        let seen = [Var { place: true, ..Var::new(&w, inner.clone()) }];
        let own = self.typed_option(inner, depth);
        let whole = Ty::Option(Box::new(inner.clone()));
        let name = self.fresh();
        let made = match self.dice.below(9) {
            0 => format!("{from}.map(|{w}| {})", self.in_closure(&var, |this| this.expr(inner, depth))),
            1 => format!("{from}.and_then(|{w}| {})", self.in_closure(&var, |this| this.expr(&whole, depth))),
            2 => format!("{own}.filter(|{w}| {})", self.in_closure(&seen, |this| this.bool(1))),
            3 => format!("{own}.or_else(|| {})", self.in_closure(&[], |this| this.expr(&whole, depth))),
            4 => format!("{own}.zip({from}).map(|(a, _)| a)"),
            5 => format!("Some({own}).flatten()"),
            6 => format!("{own}.zip({from}).unzip().0"),
            7 => {
                let error = self.component(&Ty::Scalar(Scalar::U8));
                let (result, turned) = (self.fresh(), self.fresh());
                return format!(
                    "({{ let {result}: Result<Option<{text}>, u8> = if {} {{ Ok({own}) }} else {{ Err({error}) }}; \
                     let {turned}: Option<Result<{text}, u8>> = {result}.transpose(); match {turned} {{ Some(Ok({w})) => Some({w}), _ => None }} }})",
                    self.bool(1)
                );
            }
            _ => return self.exchanged(inner, depth),
        };
        format!("({{ let {name}: Option<{text}> = {made}; {name} }})")
    }

    /// Returns an `Option` whose place a method changes.
    fn exchanged(&mut self, inner: &Ty, depth: usize) -> String {
        let [w, old] = [self.fresh(), self.fresh()];
        let text = self.world.text(inner);
        let whole = Ty::Option(Box::new(inner.clone()));
        let (value, other) = (self.expr(&whole, depth), self.expr(inner, depth));
        let change = match self.dice.below(5) {
            0 => format!("let {old} = {w}.take();"),
            1 => format!("let {old} = {w}.replace({other});"),
            2 => format!("{w}.insert({other}); let {old} = {w};"),
            3 => format!("let {old} = Some(*{w}.get_or_insert({other}));"),
            _ => format!("if let Some(x) = {w}.as_mut() {{ *x = {other}; }} let {old} = {w};"),
        };
        format!(
            "({{ let mut {w}: Option<{text}> = {value}; {change} if {} {{ {old} }} else {{ {w} }} }})",
            self.bool(1)
        )
    }

    /// Returns a test of an `Option` by a closure.
    pub(super) fn tested_option(&mut self, depth: usize) -> String {
        let inner = self.world.ty(self.dice, 1);
        let (own, w) = (self.typed_option(&inner, depth), self.fresh());
        let test = *self.dice.pick(&["is_some_and", "is_none_or"]);
        format!("{own}.{test}(|{w}| {})", self.in_closure(&[Var::new(&w, inner)], |this| this.bool(1)))
    }
}
