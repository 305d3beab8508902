//! `let level = if buys { &mut book.asks[k] } else { &mut book.bids[k] };`: a name for one of several places.
//!
//! The device has no references, so it copies the chosen value. Each statement that changes the copy is followed by one that gives the
//! chosen place the new value. rustc ensures that nothing else uses the place while the name is used.

use std::collections::HashMap;

use syn::{Expr, Pat, PatIdent, Type};

use super::leaves::ends;
use super::lower::{Lowered, Lowering, Resolution};
use super::places::PlaceExpr;
use super::source_span::At;
use super::tree::strip;
use super::{signature, text};
use crate::ir::VarId;
use crate::ir::open::{Arg, Atom, Rvalue, Step, StmtKind};
use crate::spec::Scalar;

impl Lowering<'_> {
    /// Parses a `let` whose value is one of several `&mut`, or a tuple with such; `false` for any other.
    pub(super) fn names_chosen_place(&mut self, pat: &Pat, written: Option<&Type>, init: &Expr) -> bool {
        if let Pat::Tuple(names) = pat
            && written.is_none()
        {
            return self.names_chosen_places(names, init).is_some();
        }
        let (Pat::Ident(name), Some(exclusive)) = (pat, self.exclusive_ends(init, None)) else { return false };
        let Some(place) = self.chosen_place(init, exclusive) else {
            self.bind(text::key(&name.ident), Resolution::Refused);
            return true;
        };
        if let Some(Type::Reference(of)) = written {
            let want = self.written_type(&of.elem);
            self.same(want, place.ty, init, |want, have| format!("the reference leads to {want}, but this is {have}"));
        }
        self.name_place(name, place);
        true
    }

    fn names_chosen_places(&mut self, pat: &syn::PatTuple, init: &Expr) -> Option<()> {
        let exclusive: Vec<_> = (0..pat.elems.len()).map(|at| self.exclusive_ends(init, Some(at))).collect();
        let named = |(pat, exclusive): (&Pat, &Option<Vec<usize>>)| exclusive.is_none() || matches!(pat, Pat::Ident(_));
        let of_tuples =
            ends(init)?.iter().all(|end| matches!(end, Expr::Tuple(node) if node.elems.len() == pat.elems.len()));
        if !of_tuples || exclusive.iter().all(Option::is_none) || !pat.elems.iter().zip(&exclusive).all(named) {
            return None;
        }
        let all = exclusive.iter().flatten().flatten().copied().collect();
        let (value, parsed) = self.parse_choice(init, all);
        let Lowered::Atom(value) = value else { return Some(()) };
        let of = self.type_of(&value);
        for (at, (pat, exclusive)) in pat.elems.iter().zip(exclusive).enumerate() {
            let name = at.to_string();
            let ty = self.field_type(of, &name);
            let part = self.temp(Rvalue::Field(value.clone(), name), ty, pat);
            match (exclusive, pat) {
                (Some(ends), Pat::Ident(name)) => {
                    let places = ends.iter().filter_map(|end| parsed.get(end).cloned()).collect();
                    let place = self.copy(part, places, init);
                    self.name_place(name, place);
                }
                _ => {
                    self.block(|this| this.test(pat, &part));
                    self.bind_pattern(pat, &part);
                }
            }
        }
        Some(())
    }

    /// Returns the place that an argument chooses: `f(if left { &mut a } else { &mut b })`.
    pub(super) fn chosen_argument(&mut self, expr: &Expr) -> Option<Option<PlaceExpr>> {
        let exclusive = self.exclusive_ends(expr, None)?;
        Some(self.chosen_place(expr, exclusive))
    }

    fn name_place(&mut self, ident: &PatIdent, place: PlaceExpr) {
        signature::check_name(&ident.ident, self.diags);
        if let Some(token) = &ident.mutability {
            self.no_other_place(token);
        }
        self.aliases.push(place);
        self.bind(text::key(&ident.ident), Resolution::Alias(self.aliases.len() - 1));
    }

    /// Returns the ends of a condition, or the parts of that number of them, if all may be exclusive references, and one certainly is.
    fn exclusive_ends(&self, expr: &Expr, at: Option<usize>) -> Option<Vec<usize>> {
        if !matches!(strip(expr), Expr::If(_) | Expr::Match(_) | Expr::Block(_)) {
            return None;
        }
        fn part(end: &Expr, at: Option<usize>) -> Option<&Expr> {
            match (end, at) {
                (end, None) => Some(end),
                (Expr::Tuple(node), Some(at)) => node.elems.iter().nth(at).map(strip),
                _ => None,
            }
        }
        let found = ends(expr)?.into_iter().map(|end| part(end, at)).collect::<Option<Vec<_>>>()?;
        // A pattern in the condition can declare a name.
        let may_be = |end: &&Expr| matches!(end, Expr::Path(path) if path.path.get_ident().is_some());
        let exclusive = |end: &&Expr| self.refers_to_place(end);
        let all = found.iter().any(exclusive) && found.iter().all(|end| exclusive(end) || may_be(end));
        all.then(|| found.into_iter().map(address).collect())
    }

    fn chosen_place(&mut self, expr: &Expr, exclusive: Vec<usize>) -> Option<PlaceExpr> {
        let (value, parsed) = self.parse_choice(expr, exclusive);
        let Lowered::Atom(value) = value else { return None };
        Some(self.copy(value, parsed.into_values().collect(), expr))
    }

    /// Parses a condition with these ends. Also returns their places, each with the variable that says whether it is chosen.
    fn parse_choice(&mut self, expr: &Expr, exclusive: Vec<usize>) -> (Lowered, HashMap<usize, (VarId, PlaceExpr)>) {
        let truth = self.known(Scalar::Bool);
        let ends: HashMap<usize, VarId> = exclusive.iter().map(|end| (*end, self.var(None, truth, true))).collect();
        let before = std::mem::take(&mut self.place_choices.ends);
        let (parsed, indices) = (self.place_choices.parsed.len(), self.place_choices.indices.len());
        self.place_choices.ends = ends.clone();
        let (block, value) = self.block(|this| this.expr(expr, None));
        self.place_choices.ends = before;
        for end in &exclusive {
            self.push(StmtKind::Let { var: ends[end], value: Rvalue::Use(Atom::Bool(false)) }, expr);
        }
        let usize = self.known(Scalar::Usize);
        for var in self.place_choices.indices.split_off(indices) {
            self.push(StmtKind::Let { var, value: Rvalue::Use(Atom::Int(0, usize)) }, expr);
        }
        self.splice(block);
        let places: HashMap<VarId, PlaceExpr> = self.place_choices.parsed.split_off(parsed).into_iter().collect();
        let of_end = |(end, var): (usize, VarId)| Some((end, (var, places.get(&var)?.clone())));
        (value, ends.into_iter().filter_map(of_end).collect())
    }

    /// Parses an end of a choice that is being parsed.
    pub(super) fn chosen_end(&mut self, expr: &Expr) -> Option<Lowered> {
        let chosen = *self.place_choices.ends.get(&address(expr))?;
        if !self.refers_to_place(expr) {
            return None;
        }
        let Some(mut place) = self.changed_place(expr) else { return Some(Lowered::Failed) };
        let usize = self.known(Scalar::Usize);
        for step in &mut place.steps {
            // The index is used after the block in which it was computed.
            if let Step::Element(index @ Atom::Var(_), _) = step {
                let var = self.var(None, usize, true);
                self.place_choices.indices.push(var);
                let value = std::mem::replace(index, Atom::Var(var));
                self.push(StmtKind::Assign { var, steps: Vec::new(), value }, expr);
            }
        }
        self.push(StmtKind::Assign { var: chosen, steps: Vec::new(), value: Atom::Bool(true) }, expr);
        let value = self.load(&place, expr);
        self.place_choices.parsed.push((chosen, place));
        Some(Lowered::Atom(value))
    }

    fn copy(&mut self, value: Atom, mut places: Vec<(VarId, PlaceExpr)>, at: &Expr) -> PlaceExpr {
        places.sort_by_key(|(chosen, _)| chosen.0);
        let ty = self.type_of(&value);
        let var = self.var(None, ty, true);
        self.push(StmtKind::Let { var, value: Rvalue::Use(value) }, at);
        self.place_choices.copies.insert(var, places);
        PlaceExpr { var, steps: Vec::new(), ty, opened: Vec::new() }
    }

    /// After a statement that changes copies, gives the chosen places the new values.
    pub(super) fn write_back(&mut self, stmt: &StmtKind, at: &impl At) {
        let changed: Vec<VarId> = match stmt {
            StmtKind::Assign { var, .. } => vec![*var],
            StmtKind::Call { args, .. } => {
                let place = |arg: &Arg| match arg {
                    Arg::Place(var, _) | Arg::Receiver(var, ..) => Some(*var),
                    _ => None,
                };
                args.iter().filter_map(place).collect()
            }
            _ => return,
        };
        for var in changed {
            for (chosen, place) in self.place_choices.copies.get(&var).cloned().unwrap_or_default() {
                let what = StmtKind::Assign { var: place.var, steps: place.steps, value: Atom::Var(var) };
                let (then, ()) = self.block(|this| this.push(what, at));
                let condition = Atom::Var(chosen);
                self.push(StmtKind::If { condition, then: then.stmts, other: Vec::new() }, at);
            }
        }
    }
}

fn address(expr: &Expr) -> usize {
    std::ptr::from_ref(expr).addr()
}
