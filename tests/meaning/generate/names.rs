//! Names of shared arrays as values: assigned again, exchanged, in tuples, lists and `Option`s, and made of parts step by step.

use kernels_gen::spec::Scalar;

use super::expr::{Gen, Var};
use super::types::{Ty, int};

impl Gen<'_> {
    /// Returns statements that declare names of shared arrays, or change what they stand for; `None` where there are no arrays.
    pub(super) fn named_arrays(&mut self, depth: usize) -> Option<String> {
        let (_, ty) = self.some_array()?;
        match self.dice.weighted(&[1, 4, 4, 4, 4, 3, 4]) {
            0 => self.name_one(&ty),
            1 => self.name_again(),
            2 => self.name_exchanged(&ty),
            3 => self.names_in_tuple(&ty),
            4 => self.names_in_list(&ty),
            5 => self.name_in_option(&ty, depth),
            _ => self.name_steps().or_else(|| self.name_one(&ty)),
        }
    }

    fn new_name(&mut self) -> String {
        self.next += 1;
        format!("s{}", self.next)
    }

    /// Makes a name visible, for accesses and, if it is mutable, for assignments.
    fn has_name(&mut self, name: &str, ty: &Ty, mutable: bool) {
        self.arrays.push((name.to_owned(), ty.clone()));
        if mutable {
            self.renamed.push((name.to_owned(), ty.clone()));
        }
    }

    /// Returns an expression for one of the arrays of such elements.
    fn one_of_arrays(&mut self, ty: &Ty) -> Option<String> {
        let (one, other) = (self.array_of(ty, true)?, self.array_of(ty, true)?);
        Some(match self.dice.below(8) {
            0 => format!("if {} {{ {one} }} else {{ {other} }}", self.bool(1)),
            1 => self.match_with(1, |this| this.array_of(ty, true).unwrap_or_default() + ","),
            2 => format!("[{one}, {other}, {one}][{}]", self.index(3)),
            3 => {
                let label = self.new_name();
                format!("'{label}: {{ if {} {{ break '{label} {one}; }} {other} }}", self.bool(1))
            }
            _ => one,
        })
    }

    fn name_one(&mut self, ty: &Ty) -> Option<String> {
        let (value, name, mutable) = (self.one_of_arrays(ty)?, self.new_name(), self.dice.chance(70));
        self.has_name(&name, ty, mutable);
        let ascribed = if self.dice.chance(25) { format!(": &Shared<{}>", self.world.text(ty)) } else { String::new() };
        Some(format!("let {}{name}{ascribed} = {value};\n", if mutable { "mut " } else { "" }))
    }

    /// Returns an assignment to a name, perhaps on a condition.
    fn name_again(&mut self) -> Option<String> {
        if self.renamed.is_empty() {
            let (_, ty) = self.some_array()?;
            return self.name_one(&ty);
        }
        let (name, ty) = self.dice.pick(&self.renamed).clone();
        let value = self.one_of_arrays(&ty)?;
        Some(self.perhaps(&format!("{name} = {value};\n")))
    }

    fn perhaps(&mut self, text: &str) -> String {
        if self.dice.chance(50) { format!("if {} {{\n{text}}}\n", self.bool(1)) } else { text.to_owned() }
    }

    /// Returns an exchange of two names.
    fn name_exchanged(&mut self, ty: &Ty) -> Option<String> {
        let known = |this: &Self| this.renamed.iter().filter(|(_, other)| other == ty).cloned().collect::<Vec<_>>();
        let mut text = String::new();
        if known(self).len() < 2 {
            let [one, other] = [self.new_name(), self.new_name()];
            let (a, b) = (self.one_of_arrays(ty)?, self.array_of(ty, true)?);
            text += &match self.dice.chance(50) {
                true => format!("let (mut {one}, mut {other}) = ({a}, {b});\n"),
                false => format!(
                    "let (mut {one}, mut {other}) = if {} {{ ({a}, {b}) }} else {{ ({b}, {a}) }};\n",
                    self.bool(1)
                ),
            };
            self.has_name(&one, ty, true);
            self.has_name(&other, ty, true);
        }
        let names = known(self);
        let at = self.dice.below(names.len() - 1);
        let (one, other) = (&names[at].0, &names[at + 1].0);
        // Two elements of one list are not borrowed at once.
        let exchange = match self.dice.below(3) {
            0 if !one.contains('[') && !other.contains('[') => format!("std::mem::swap(&mut {one}, &mut {other});\n"),
            1 => format!("({one}, {other}) = ({other}, {});\n", self.array_of(ty, true)?),
            _ => format!("({one}, {other}) = ({other}, {one});\n"),
        };
        Some(text + &self.perhaps(&exchange))
    }

    /// Returns a tuple of names and a value, which is assigned again.
    fn names_in_tuple(&mut self, ty: &Ty) -> Option<String> {
        let (_, other) = self.some_array()?;
        let (pair, count, size) = (self.new_name(), self.fresh(), Ty::Scalar(int(self.dice)));
        let [a, b] = [self.one_of_arrays(ty)?, self.one_of_arrays(&other)?];
        let value = self.typed(&size, 1);
        let mut text = format!("let mut {pair} = ({a}, {value}, {b});\n");
        let change = match self.dice.below(4) {
            0 if *ty == other => format!("{pair} = ({pair}.2, {}, {pair}.0);\n", self.expr(&size, 1)),
            0 | 1 => format!("{pair}.0 = {};\n", self.array_of(ty, true)?),
            2 => format!("{pair} = ({}, {pair}.1, {pair}.2);\n", self.array_of(ty, true)?),
            _ => String::new(),
        };
        text += &self.perhaps(&change);
        if self.dice.chance(40) {
            let [first, last] = [self.new_name(), self.new_name()];
            text += &format!("let ({first}, {count}, {last}) = {pair};\n");
            self.has_name(&first, ty, false);
            self.has_name(&last, &other, false);
        } else {
            text += &format!("let {count} = {pair}.1;\n");
            self.has_name(&format!("{pair}.0"), ty, true);
            self.has_name(&format!("{pair}.2"), &other, true);
        }
        self.vars.push(Var::new(&count, size));
        Some(text)
    }

    /// Returns a list of names that changes.
    fn names_in_list(&mut self, ty: &Ty) -> Option<String> {
        let (list, count) = (self.new_name(), 2 + self.dice.below(2));
        let arrays = (0..count).map(|_| self.one_of_arrays(ty)).collect::<Option<Vec<_>>>()?;
        let mut text = format!("let mut {list} = [{}];\n", arrays.join(", "));
        for _ in 0..self.dice.below(3) {
            let [a, b] = [self.index(count), self.index(count)];
            let change = match self.dice.below(5) {
                0 => format!("{list}.swap({a}, {b});\n"),
                1 => format!("{list}.reverse();\n"),
                2 => format!("{list}.rotate_left({});\n", self.dice.below(count + 1)),
                3 => format!("{list}[{a}] = {list}[{b}];\n"),
                _ => format!("{list}[{a}] = {};\n", self.array_of(ty, true)?),
            };
            text += &self.perhaps(&change);
        }
        (0..count).for_each(|k| self.has_name(&format!("{list}[{k}]"), ty, true));
        if count == 2 {
            self.lists.push((list.clone(), ty.clone()));
        }
        if self.dice.chance(60) {
            let name = self.new_name();
            let last = match self.dice.chance(50) {
                true => format!("let {name} = {list}[{}];\n", self.index(count)),
                false => format!("let [.., {name}] = {list};\n"),
            };
            text += &last;
            self.has_name(&name, ty, false);
        }
        Some(text)
    }

    /// Returns an `Option` of a name, and what takes it apart.
    fn name_in_option(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let (option, name) = (self.new_name(), self.new_name());
        let [a, b, other] = [self.one_of_arrays(ty)?, self.one_of_arrays(ty)?, self.array_of(ty, true)?];
        // It has an array at some time: what never has one is refused.
        let is_some = self.dice.chance(50);
        let first = if is_some { format!("Some({a})") } else { "None".to_owned() };
        let change = match self.dice.below(4) {
            0 => format!("{option} = {option}.or(Some({b}));\n"),
            1 if is_some => format!("{option} = None;\n"),
            _ => format!("{option} = Some({b});\n"),
        };
        let text = format!("let mut {option}: Option<&Shared<{}>> = {first};\n", self.world.text(ty));
        let text = text + &self.perhaps(&change);
        let taken = match self.dice.below(5) {
            0 => format!("let {name} = {option}.unwrap_or({other});\n"),
            1 => format!(
                "let {name} = match {option} {{\nSome(s) if {} => s,\nSome(_) => {other},\nNone => {b},\n}};\n",
                self.bool(1)
            ),
            2 => {
                let leave = self.scoped(Gen::leave);
                format!("let Some({name}) = {option} else {{\n{leave}}};\n")
            }
            3 => {
                let size = self.fresh();
                self.vars.push(Var::new(&size, Ty::Scalar(Scalar::Usize)));
                return Some(format!("{text}let {size}: usize = {option}.map_or(3, |s| s.len());\n"));
            }
            _ => {
                let inside = self.scoped(|this| {
                    this.has_name(&name, ty, false);
                    this.access(&name, ty) + &this.stmts(1, depth)
                });
                return Some(format!("{text}if let Some({name}) = {option} {{\n{inside}}}\n"));
            }
        };
        self.has_name(&name, ty, false);
        Some(text + &taken)
    }

    /// Returns names for a part of an array, for a part of that part, and so on.
    fn name_steps(&mut self) -> Option<String> {
        let arrays = self.arrays.clone();
        let found: Vec<_> =
            arrays.into_iter().filter(|(_, ty)| matches!(ty, Ty::Record(_) | Ty::Pair(_) | Ty::Array(..))).collect();
        let mut text = String::new();
        let (mut path, mut ty) = (!found.is_empty()).then(|| self.dice.pick(&found).clone())?;
        loop {
            let part = match &ty {
                Ty::Array(element, length) => Some((format!("[{}]", self.index(*length)), (**element).clone())),
                Ty::Record(_) | Ty::Pair(_) => {
                    let (field, part) = self.dice.pick(&self.world.parts(&ty)).clone();
                    Some((format!(".{field}"), part))
                }
                _ => None,
            };
            let Some((step, part)) = part else { return Some(text) };
            let name = self.new_name();
            text += &format!("let {name} = &{path}{step};\n");
            self.has_name(&name, &part, false);
            (path, ty) = (name, part);
        }
    }
}
