//! Blocks, `let`, and assignment.

use syn::{Block, Expr, ExprAssign, Local, Pat, Stmt};

use super::lower::{Lowered, Lowering, Resolution};
use super::tree::strip;
use super::{signature, text, types};
use crate::front::diag::{Rule, SourceSpan};
use crate::infer::Class;
use crate::ir::open::{Atom, Rvalue, StmtKind, TyId};
use crate::spec::Scalar;

impl Lowering<'_> {
    /// Parses `{ ... }` with the value of its last expression.
    pub(super) fn block_value(&mut self, block: &Block, hint: Option<Scalar>) -> Lowered {
        self.scoped(|this| {
            let (last, rest) = match block.stmts.split_last() {
                Some((Stmt::Expr(tail, None), rest)) => (Some(tail), rest),
                _ => (None, &block.stmts[..]),
            };
            this.stmts(rest);
            match last {
                Some(tail) => this.expr(tail, hint),
                None if this.ended() => Lowered::Never(None),
                None => Lowered::Unit,
            }
        })
    }

    pub(super) fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Local(local) => self.local(local),
            Stmt::Expr(expr, _) => {
                self.expr(expr, None);
            }
            // Macros in statement position became expressions before.
            Stmt::Macro(node) => {
                node.attrs.iter().for_each(|attr| self.check_attribute(attr));
                self.unknown_macro(&node.mac);
            }
            Stmt::Item(item @ (syn::Item::Const(_) | syn::Item::Use(_))) => {
                if let syn::Item::Use(item) = item {
                    self.imports.add(item);
                }
                self.external.items.push(item.clone());
            }
            Stmt::Item(item) => {
                let message = "of items, only constants, `use`, and functions at the top of a free function can stand here; move this outside of the \
                               function, and it can be used here";
                self.diags.report(Rule::Statement, item, message);
            }
        }
    }

    fn local(&mut self, local: &Local) {
        local.attrs.iter().for_each(|attr| self.check_attribute(attr));
        let (pat, written) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pat => (pat, None),
        };
        if let (Pat::Ident(ident), Some(reference)) = (pat, local.init.as_ref().and_then(super::reference::exclusive)) {
            return self.exclusive_reference(ident, written, reference);
        }
        if let Some(init) = local.init.as_ref().filter(|init| init.diverge.is_none())
            && self.names_part(pat, &init.expr)
        {
            return;
        }
        if let (Pat::Ident(ident), Some(init)) = (pat, &local.init)
            && init.diverge.is_none()
            && self.names_chosen(ident, &init.expr)
        {
            return;
        }
        if let Some(init) = local.init.as_ref().filter(|init| init.diverge.is_none())
            && self.names_chosen_place(pat, written, &init.expr)
        {
            return;
        }
        let ascribed = written.map(|ty| self.written_type(ty));
        let changes = |this: &Self, init: &Expr| {
            let refers = this.refers_to_place(init) || this.is_reference(init).is_some();
            let lent = super::part::of_reference(init).is_some() || this.lends_element(init);
            !matches!(pat, Pat::Ident(_)) && (refers || lent)
        };
        if let Some(init) = &local.init {
            match ascribed {
                Some(ascribed) => self.result_is_needed(&init.expr, ascribed),
                None => self.result_is_examined(&init.expr, [pat]),
            }
        }
        let value = local.init.as_ref().map(|init| match changes(self, &init.expr) {
            true => (Lowered::Atom(self.scrutinee(&init.expr)), &*init.expr),
            false => (self.expr(&init.expr, None), &*init.expr),
        });
        let diverge = local.init.as_ref().and_then(|init| init.diverge.as_ref());
        match pat {
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() && diverge.is_none() => {
                signature::check_name(&ident.ident, self.diags);
                let name = text::plain(&ident.ident);
                if let (super::tree::INDEX, Some(init)) = (name.as_str(), &local.init) {
                    self.update_index = text::of_expr(&init.expr);
                }
                let ty = self.declare(local, &ident.ident, ident.mutability.is_some(), ascribed, value, written);
                self.checks.named.push((name, ident.mutability.is_some(), ty, SourceSpan::of(&ident.ident)));
                if written.is_none() {
                    self.notes.local(local, ty);
                }
            }
            Pat::Wild(_) if diverge.is_none() => {}
            other => self.take_apart(other, ascribed, value, diverge.map(|(_, other)| &**other)),
        }
    }

    /// Parses `let marks = &rows.marks[k];`, a name for an array that an index chooses.
    fn names_chosen(&mut self, ident: &syn::PatIdent, init: &Expr) -> bool {
        let Expr::Reference(node) = strip(init) else { return false };
        let chooses = matches!(strip(&node.expr), Expr::Index(index) if !matches!(strip(&index.index), Expr::Lit(_)));
        if !chooses || node.mutability.is_some() || ident.mutability.is_some() || !self.is_array(init) {
            return false;
        }
        let found = self.array_path(init).map_or(Resolution::Refused, |(array, ..)| Resolution::Array(array));
        self.bind(text::key(&ident.ident), found);
        true
    }

    /// Parses `let PATTERN = value;`, perhaps with `else`.
    fn take_apart(&mut self, pat: &Pat, ascribed: Option<TyId>, value: Option<(Lowered, &Expr)>, other: Option<&Expr>) {
        let Some((value, init)) = value else {
            let message = "a pattern needs its value at once; write `let PATTERN = value;`";
            self.diags.report(Rule::Pattern, pat, message);
            return;
        };
        if let (Pat::Tuple(parts), Lowered::Unit, None) = (pat, &value, ascribed)
            && parts.elems.is_empty()
        {
            return;
        }
        let value = self.need(value, init);
        let value = self.freeze(value, init);
        if let Some(ascribed) = ascribed {
            let have = self.type_of(&value);
            self.same(ascribed, have, init, |want, have| format!("the pattern is {want}, but this is {have}"));
        }
        let before = self.examine(init);
        match other {
            Some(other) => self.let_else(pat, &value, other),
            None => {
                // rustc decides whether the pattern always matches; only the types of the test matter here.
                self.block(|this| this.test(pat, &value));
                self.bind_pattern(pat, &value);
            }
        }
        self.examines_references = before;
    }

    fn declare(
        &mut self,
        local: &Local,
        ident: &syn::Ident,
        mutable: bool,
        ascribed: Option<TyId>,
        value: Option<(Lowered, &Expr)>,
        written: Option<&syn::Type>,
    ) -> TyId {
        let (name, key) = (text::plain(ident), text::key(ident));
        let Some((value, init)) = value else {
            let ty = ascribed.unwrap_or_else(|| self.infer.fresh(Class::Any));
            let var = self.var(Some(name), ty, mutable);
            self.push(StmtKind::Declare { var }, local);
            self.bind(key, Resolution::Var(var));
            return ty;
        };
        if matches!(value, Lowered::Unit) && !mutable && written.is_none_or(is_unit) {
            self.bind(key, Resolution::Unit);
            return self.infer.fresh(Class::Unit);
        }
        // A rejected type was reported already.
        if matches!(value, Lowered::Unit) && written.is_none_or(|ty| types::scalar(ty).is_some()) {
            let message = format!("`{name}` would be `()`, which stores nothing; leave out `let {name} =`");
            self.diags.report(Rule::Mismatch, init, message);
        }
        let value = if matches!(value, Lowered::Unit) { Lowered::Failed } else { value };
        let atom = self.need(value, init);
        let mut ty = self.type_of(&atom);
        if let (Some(ascribed), Some(written)) = (ascribed, written) {
            let written = text::type_source(written);
            self.same(ascribed, ty, init, |_, have| format!("`{name}` is `{written}`, but this is {have}"));
            ty = ascribed;
        }
        let var = self.var(Some(name), ty, mutable);
        if self.may_refer(init) {
            self.referring.insert(var);
        }
        if let Atom::Var(value) = atom
            && let Some(call) = self.results_of_calls.get(&value).copied()
        {
            self.results_of_calls.insert(var, call);
        }
        self.push(StmtKind::Let { var, value: Rvalue::Use(atom) }, local);
        self.bind(key, Resolution::Var(var));
        ty
    }

    pub(super) fn assign(&mut self, whole: &Expr, node: &ExprAssign) -> Lowered {
        if let Some(Resolution::Var(var)) = self.bound(&node.left) {
            self.result_is_needed(&node.right, self.vars[var.0 as usize].ty);
        }
        let value = self.expr(&node.right, None);
        if matches!(&*node.left, Expr::Infer(_)) {
            return Lowered::Unit;
        }
        if let Expr::Tuple(_) | Expr::Array(_) | Expr::Struct(_) = &*node.left {
            let message = "an assignment goes to a variable, a part of a variable, or a tuple or record of these; write one assignment \
                           for each place";
            self.diags.report(Rule::Expression, &node.left, message);
            return Lowered::Failed;
        }
        let value = self.need(value, &node.right);
        let value = self.settle(value, &node.right, [&*node.left]);
        let Some(place) = self.place(&node.left) else { return Lowered::Failed };
        let have = self.type_of(&value);
        let name = text::of_expr(&node.left);
        let at = super::several::blamed(node);
        self.same(place.ty, have, &at, |want, have| format!("`{name}` is {want}, but this is {have}"));
        self.store(place, value, whole);
        Lowered::Unit
    }
}

fn is_unit(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Tuple(tuple) if tuple.elems.is_empty())
}
