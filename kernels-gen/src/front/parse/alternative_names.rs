//! The names of alternatives, `A(x) | B(x)`: a variable, or a name for one of several places that change.

use syn::{Pat, PatOr};

use super::lower::{Lowering, Resolution};
use super::places::PlaceExpr;
use super::tree::names;
use crate::front::diag::{Rule, SourceSpan};
use crate::infer::Class;
use crate::ir::VarId;
use crate::ir::open::{Atom, Rvalue, Step, StmtKind};
use crate::spec::Scalar;

/// A name that every alternative declares.
struct Named {
    key: String,
    var: VarId,
    /// Where alternatives stand for places: the variable that says whether this one matched, and the place.
    places: Vec<(VarId, PlaceExpr)>,
}

impl Lowering<'_> {
    /// Declares the names of alternatives: each gets its value, or its place, from the first alternative that matches.
    pub(super) fn bind_alternatives(&mut self, or: &PatOr, value: &Atom) {
        let Some(first) = or.cases.first() else { return };
        let mut named = Vec::new();
        for key in names(first) {
            let name = key.split('#').next().unwrap_or(&key).to_owned();
            let ty = self.infer.fresh(Class::Any);
            let var = self.var(Some(name), ty, true);
            self.push(StmtKind::Declare { var }, first);
            named.push(Named { key, var, places: Vec::new() });
        }
        let cases: Vec<&Pat> = or.cases.iter().collect();
        let (block, ()) = self.block(|this| this.bind_cases(&cases, value, &mut named));
        let usize = self.known(Scalar::Usize);
        for (chosen, place) in named.iter().flat_map(|name| &name.places) {
            self.push(StmtKind::Let { var: *chosen, value: Rvalue::Use(Atom::Bool(false)) }, first);
            for step in &place.steps {
                if let Step::Element(Atom::Var(index), _) = step {
                    self.push(StmtKind::Let { var: *index, value: Rvalue::Use(Atom::Int(0, usize)) }, first);
                }
            }
        }
        self.splice(block);
        for name in named {
            self.bind_alternative(name, first);
        }
    }

    fn bind_alternative(&mut self, Named { key, var, places }: Named, at: &Pat) {
        let ty = self.vars[var.0 as usize].ty;
        if places.is_empty() {
            let name = key.split('#').next().unwrap_or(&key).to_owned();
            self.checks.named.push((name, false, ty, SourceSpan::of(at)));
            if self.examines_references {
                self.referring.insert(var);
            }
            return self.bind(key, Resolution::Var(var));
        }
        // A copy, which is written back: see `place_choice.rs`.
        self.place_choices.copies.insert(var, places);
        self.aliases.push(PlaceExpr { var, steps: Vec::new(), ty, opened: Vec::new() });
        self.bind(key, Resolution::Alias(self.aliases.len() - 1));
    }

    fn bind_cases(&mut self, cases: &[&Pat], value: &Atom, named: &mut [Named]) {
        let Some((case, rest)) = cases.split_first() else { return };
        let condition = if rest.is_empty() { None } else { self.test(case, value) };
        let (then, ()) = self.block(|this| {
            this.scoped(|this| {
                let outer = this.aliases.len();
                this.bind_pattern(case, value);
                for name in named.iter_mut() {
                    // A variable that an alternative lacks is rustc's error.
                    let from = match this.lookup(&name.key) {
                        Some(Resolution::Var(from)) => Atom::Var(from),
                        Some(Resolution::Alias(alias)) if alias >= outer => this.bind_place(alias, name, case),
                        _ => continue,
                    };
                    this.same_as_others(name, &from, case);
                    let (var, steps) = (name.var, Vec::new());
                    this.push(StmtKind::Assign { var, steps, value: from }, *case);
                }
            });
        });
        let Some(condition) = condition else { return self.splice(then) };
        let (other, ()) = self.block(|this| this.bind_cases(rest, value, named));
        self.push(StmtKind::If { condition, then: then.stmts, other: other.stmts }, *case);
    }

    fn same_as_others(&mut self, name: &Named, from: &Atom, case: &Pat) {
        let (want, have, key) = (self.vars[name.var.0 as usize].ty, self.type_of(from), &name.key);
        self.same_pattern(want, have, case, |want, have| {
            format!("`{key}` is {want} in another alternative, but {have} in this one")
        });
    }

    /// Notes the place that a name stands for in this alternative, and returns its present value.
    fn bind_place(&mut self, alias: usize, name: &mut Named, case: &Pat) -> Atom {
        let (truth, usize) = (self.known(Scalar::Bool), self.known(Scalar::Usize));
        let mut place = self.aliases[alias].clone();
        if place.var.0 > name.var.0 {
            let message =
                "alternatives inside of alternatives have no names for places that change; write an arm for each";
            self.diags.report(Rule::Pattern, case, message);
        }
        for step in &mut place.steps {
            // The index is used after the block in which it was computed.
            if let Step::Element(index @ Atom::Var(_), _) = step {
                let var = self.var(None, usize, true);
                let value = std::mem::replace(index, Atom::Var(var));
                self.push(StmtKind::Assign { var, steps: Vec::new(), value }, case);
            }
        }
        let chosen = self.var(None, truth, true);
        self.push(StmtKind::Assign { var: chosen, steps: Vec::new(), value: Atom::Bool(true) }, case);
        let value = self.load(&place, case);
        name.places.push((chosen, place));
        value
    }
}
