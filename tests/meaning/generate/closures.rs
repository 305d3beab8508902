//! Closures with a name, which capture what is around them.

use kernels_gen::spec::Scalar;

use super::expr::{Gen, Var};
use super::types::{Param, Ty, int};

impl Gen<'_> {
    /// Returns a value from calls of a closure with a name.
    pub(super) fn by_closure(&mut self, scalar: Scalar, depth: usize) -> String {
        let result = Ty::Scalar(scalar);
        let argument = Ty::Scalar(int(self.dice));
        let [f, w, kept, more] = [self.fresh(), self.fresh(), self.fresh(), self.fresh()];
        let (text, given) = (self.world.text(&argument), self.world.text(&result));
        let captured = self.expr(&result, depth);
        // Names that the closure uses are declared once: it sees its own variables alone.
        let all = std::mem::take(&mut self.vars);
        let own = [Var::new(&w, argument.clone()), Var::new(&kept, result.clone())];
        let body = self.in_closure(&own, |this| this.expr(&result, 1));
        self.vars = all;
        let [a, b] = [self.expr(&argument, depth.min(1)), self.expr(&argument, depth.min(1))];
        let call = match self.dice.below(5) {
            0 => format!("{f}({a})"),
            1 => format!("{f}({a}).wrapping_sub({f}({b}))"),
            2 => format!("[{a}, {b}].into_iter().map({f}).fold(0, |x, y| x ^ y)"),
            3 => format!("Some({a}).map({f}).unwrap_or({})", self.component(&result)),
            _ => format!("[{a}, {b}, 3].iter().map(|x| {f}(*x)).max().unwrap_or(1)"),
        };
        match self.dice.chance(25) {
            // One that changes what it captures.
            true => format!(
                "({{ let mut {kept}: {given} = {captured}; let mut {f} = |{w}: {text}| {{ {kept} = {kept}.wrapping_add({w} as {given}); }}; \
                 {f}({a}); {f}({b}); {kept} }})"
            ),
            false => {
                format!(
                    "({{ let {kept}: {given} = {captured}; let {f} = |{w}: {text}| -> {given} {{ {body} }}; let {more}: {given} = {call}; {more} }})"
                )
            }
        }
    }

    /// Returns a chain with a function by its name in place of a closure.
    pub(super) fn by_name(&mut self, scalar: Scalar) -> String {
        let ty = Ty::Scalar(scalar);
        let fits = |helper: &&super::types::Helper| {
            helper.owner.is_none()
                && !helper.tries
                && helper.result == ty
                && helper.params == [Param::Value(ty.clone())]
        };
        let functions: Vec<String> = self.world.helpers.iter().filter(fits).map(|helper| helper.name.clone()).collect();
        let [a, b, name] = [self.component(&ty), self.component(&ty), scalar.rust().to_owned()];
        if functions.is_empty() || self.dice.chance(40) {
            let method = *self.dice.pick(&["max", "min", "wrapping_add", "wrapping_mul"]);
            return format!("[{a}, {b}].into_iter().fold(3, {name}::{method})");
        }
        format!("[{a}, {b}].into_iter().map({}).fold(7, |x, y| x ^ y)", self.dice.pick(&functions))
    }
}
