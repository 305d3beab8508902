//! `iter_mut().flatten()`: the values of `Option`s and the elements of rows change where they stand.

use kernels_gen::spec::Scalar;

use super::expr::{Around, Gen, Var};
use super::types::Ty;

/// Returns the type of the values in the elements.
fn inner(ty: &Ty) -> Option<&Ty> {
    let Ty::Array(element, _) = ty else { return None };
    match &**element {
        Ty::Option(inner) | Ty::Array(inner, _) => Some(inner),
        _ => None,
    }
}

impl Gen<'_> {
    /// Returns a loop, or a chain, that changes the values in the elements of an array.
    pub(super) fn for_flattened(&mut self, depth: usize) -> String {
        let mut found = Vec::new();
        for var in self.visible().into_iter().filter(|var| var.mutable) {
            found.push((if var.place { format!("(*{})", var.name) } else { var.name.clone() }, var.ty.clone()));
            found.extend(self.parts_of(&var.name, &var.ty, 2));
        }
        found.retain(|(_, ty)| inner(ty).is_some());
        let (before, (path, ty)) = match found.is_empty() || self.dice.chance(40) {
            true => self.declared(),
            false => (String::new(), self.dice.pick(&found).clone()),
        };
        let Some(mut inner_ty) = inner(&ty).cloned() else { return before };
        let rows = *self.dice.pick(&["", "", ".rev()", ".skip(1)", ".take(2)"]);
        let mut chain = format!("{path}.iter_mut(){rows}.flatten()");
        if let (Ty::Option(value) | Ty::Array(value, _), true) = (inner_ty.clone(), self.dice.chance(60)) {
            chain += ".flatten()";
            inner_ty = *value;
        }
        let text = self.changed_values(&path, &chain, &inner_ty, depth);
        before + &text
    }

    /// Returns a new variable with such elements.
    fn declared(&mut self) -> (String, (String, Ty)) {
        let value = self.world.ty(self.dice, 1);
        let element = match self.dice.below(3) {
            0 => Ty::Array(Box::new(value), 1 + self.dice.below(2)),
            1 => Ty::Array(Box::new(Ty::Option(Box::new(value))), 2),
            _ => Ty::Option(Box::new(value)),
        };
        let ty = Ty::Array(Box::new(element), 1 + self.dice.below(3));
        let (name, text, value) = (self.fresh(), self.world.text(&ty), self.expr(&ty, 2));
        self.vars.push(Var { name: name.clone(), ty: ty.clone(), mutable: true, place: false });
        (format!("let mut {name}: {text} = {value};\n"), (name, ty))
    }

    fn changed_values(&mut self, path: &str, chain: &str, ty: &Ty, depth: usize) -> String {
        let root: String = path.trim_start_matches(['(', '*']).chars().take_while(|c| c.is_alphanumeric()).collect();
        let (w, k) = (self.fresh(), self.fresh());
        let vars = self.vars.clone();
        // The body does not see what changes.
        self.vars.retain(|var| var.name != root);
        let value = Var { place: true, mutable: true, ..Var::new(&w, ty.clone()) };
        let text = match self.dice.below(4) {
            0 => {
                let seen = [Var { mutable: false, ..value }];
                let test = self.in_closure(&[], |this| this.bool(1));
                let new = self.in_closure(&seen, |this| this.expr(ty, 1));
                format!("{chain}.filter(|_| {test}).for_each(|{w}| *{w} = {new});\n")
            }
            1 => {
                let seen = [Var { mutable: false, ..value }, Var::new(&k, Ty::Scalar(Scalar::Usize))];
                let new = self.in_closure(&seen, |this| this.expr(ty, 1));
                format!("{chain}.enumerate().skip({}).for_each(|({k}, {w})| *{w} = {new});\n", self.dice.below(2))
            }
            _ => self.scoped(|this| {
                let numbered = this.dice.chance(30);
                let seen = [Var { mutable: false, ..value.clone() }];
                let new = this.in_closure(&seen, |this| this.expr(ty, 1));
                this.vars.push(value);
                if numbered {
                    this.vars.push(Var::new(&k, Ty::Scalar(Scalar::Usize)));
                }
                let body = this.inside(Around { label: None, is_loop: true, value: None }, depth);
                let (head, number) = if numbered { (format!("({k}, {w})"), ".enumerate()") } else { (w.clone(), "") };
                format!("for {head} in {chain}{number} {{\n*{w} = {new};\n{body}}}\n")
            }),
        };
        self.vars = vars;
        text
    }
}
