//! Blocks, `let`, and assignment.

use syn::{Block, Expr, ExprAssign, Local, Pat, Stmt};

use super::lower::{Binding, Lowering, Value};
use super::{signature, text};
use crate::analysis::infer::Class;
use crate::diag::{Extent, Rule};
use crate::ir::{Atom, Rvalue, StmtKind, TyId};
use crate::spec::Scalar;

impl Lowering<'_> {
    /// `{ ... }` with the value of its last expression.
    pub(super) fn block_value(&mut self, block: &Block, hint: Option<Scalar>) -> Value {
        self.scoped(|this| {
            let (last, rest) = match block.stmts.split_last() {
                Some((Stmt::Expr(tail, None), rest)) => (Some(tail), rest),
                _ => (None, &block.stmts[..]),
            };
            this.stmts(rest);
            match last {
                Some(tail) => this.expr(tail, hint),
                None if this.ended() => Value::Never(None),
                None => Value::Unit,
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
            Stmt::Macro(node) => {
                self.macro_call(&node.mac);
            }
            Stmt::Item(item) => {
                let message =
                    "items cannot stand inside a transaction in this version; move this outside of the function";
                self.diags.report(Rule::Statement, item, message);
            }
        }
    }

    fn local(&mut self, local: &Local) {
        if let Some(attr) = local.attrs.first() {
            let message = "attributes inside a transaction have no meaning on the device; remove this one";
            self.diags.report(Rule::Statement, attr, message);
        }
        let (pat, written) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pat => (pat, None),
        };
        let ascribed = written.map(|ty| self.written_type(ty));
        let value = local.init.as_ref().map(|init| {
            if let Some((token, _)) = &init.diverge {
                self.diags.report(
                    Rule::Pattern,
                    token,
                    "`let .. else` cannot be used here: patterns are names; use `if`",
                );
            }
            let value = self.expr(&init.expr, None);
            (value, &*init.expr)
        });
        match pat {
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                signature::check_name(&ident.ident, self.diags);
                let name = text::plain(&ident.ident);
                let ty = self.declare(local, &name, ident.mutability.is_some(), ascribed, value, written);
                self.checks.named.push((name, ident.mutability.is_some(), ty, Extent::of(&ident.ident)));
                if written.is_none() {
                    self.notes.local(local, ty);
                }
            }
            Pat::Wild(_) => {}
            other => {
                let message = "only a name or `_` can stand here in this version; bind one variable with each `let`";
                self.diags.report(Rule::Pattern, other, message);
            }
        }
    }

    /// The type that the user wrote; one that agrees with everything where it is rejected.
    fn written_type(&mut self, ty: &syn::Type) -> TyId {
        match signature::scalar(ty) {
            Some(scalar) => self.known(scalar),
            None => {
                self.bad_type(ty);
                self.infer.fresh(Class::Dead)
            }
        }
    }

    fn declare(
        &mut self,
        local: &Local,
        name: &str,
        mutable: bool,
        ascribed: Option<TyId>,
        value: Option<(Value, &Expr)>,
        written: Option<&syn::Type>,
    ) -> TyId {
        let Some((value, init)) = value else {
            let ty = ascribed.unwrap_or_else(|| self.infer.fresh(Class::Any));
            let var = self.var(Some(name.to_owned()), ty, mutable);
            self.push(StmtKind::Declare { var }, local);
            self.bind(name.to_owned(), Binding::Var(var));
            return ty;
        };
        // A rejected type is report enough.
        if matches!(value, Value::Unit) && written.is_none_or(|ty| signature::scalar(ty).is_some()) {
            let message = format!("`{name}` would be `()`, which is nothing to keep; leave out `let {name} =`");
            self.diags.report(Rule::Mismatch, init, message);
        }
        let value = if matches!(value, Value::Unit) { Value::Failed } else { value };
        let atom = self.need(value, init);
        let mut ty = self.type_of(&atom);
        if let (Some(ascribed), Some(written)) = (ascribed, written) {
            let written = text::source(written);
            self.same(ascribed, ty, init, |_, have| format!("`{name}` is `{written}`, but this is {have}"));
            ty = ascribed;
        }
        let var = self.var(Some(name.to_owned()), ty, mutable);
        self.push(StmtKind::Let { var, value: Rvalue::Use(atom) }, local);
        self.bind(name.to_owned(), Binding::Var(var));
        ty
    }

    pub(super) fn assign(&mut self, whole: &Expr, node: &ExprAssign) -> Value {
        let value = self.expr(&node.right, None);
        if matches!(&*node.left, Expr::Infer(_)) {
            return Value::Unit;
        }
        let value = self.need(value, &node.right);
        let Some(var) = self.place(&node.left) else { return Value::Failed };
        let (want, have) = (self.type_of(&Atom::Var(var)), self.type_of(&value));
        let name = text::source(&node.left);
        self.same(want, have, &node.right, |want, have| format!("`{name}` is {want}, but this is {have}"));
        self.push(StmtKind::Assign { var, value }, whole);
        Value::Unit
    }
}
