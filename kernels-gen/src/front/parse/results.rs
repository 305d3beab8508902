//! Methods of `Result`, and its `?`.

use syn::{Expr, ExprMatch, ExprTry, Pat};

use super::lower::{Lowered, Lowering};
use super::notes::Note;
use super::source_span::At;
use super::tree::{GOOD, strip};
use crate::front::diag::Rule;
use crate::infer::Class;
use crate::ir::open::{Atom, Rvalue, StmtKind, TyId};
use crate::spec::Scalar;

/// The methods of `Result` without a closure, and the number of their arguments; `unwrap` and `expect` are those of `Option`, too.
pub(super) const RESULT: [(&str, usize); 6] =
    [("is_ok", 0), ("is_err", 0), ("ok", 0), ("err", 0), ("unwrap_or", 1), ("unwrap_or_default", 0)];

impl Lowering<'_> {
    /// Notes before an expression is parsed that its value is a `Result`: so are those of the methods that it consists of.
    pub(super) fn result_is_expected(&mut self, expr: &Expr) {
        self.result_is_left = matches!(strip(expr), Expr::Match(inner) if is_of_both(inner));
    }

    /// Does the same where the patterns say it that examine the value.
    pub(super) fn result_is_examined<'p>(&mut self, expr: &Expr, patterns: impl IntoIterator<Item = &'p Pat>) {
        let of_result = |pat: &Pat| ["Ok", "Err"].iter().any(|name| super::pattern::names_variant(pat, name));
        if patterns.into_iter().any(of_result) {
            self.result_is_expected(expr);
        }
    }

    /// Does the same where a value of this type is needed.
    pub(super) fn result_is_needed(&mut self, expr: &Expr, ty: TyId) {
        if let Class::Result(..) = self.infer.class(ty) {
            self.result_is_expected(expr);
        }
    }

    /// Lowers a method of a `Result` without a closure. Returns the type of its result.
    pub(super) fn result_method(
        &mut self,
        at: &impl At,
        name: &str,
        (ok, err): (TyId, TyId),
        atoms: &[Atom],
        exprs: &[&Expr],
    ) -> Option<TyId> {
        let Some((_, count)) = RESULT.iter().find(|(known, _)| *known == name) else {
            let message = format!(
                "`{name}` of `Result` has no meaning on the device; write `match`, or go on with `.ok()`, which gives an `Option`"
            );
            self.diags.report(Rule::Method, at, message);
            return None;
        };
        if atoms.len() != count + 1 {
            let plural = if *count == 1 { "" } else { "s" };
            self.diags.report(Rule::Method, at, format!("`{name}` takes {count} argument{plural}"));
            return None;
        }
        Some(match name {
            "is_ok" | "is_err" => self.known(Scalar::Bool),
            "ok" => self.infer.fresh(Class::Option(ok)),
            "err" => self.infer.fresh(Class::Option(err)),
            _ => {
                if let Some(other) = atoms.get(1) {
                    let given = self.type_of(other);
                    self.same(ok, given, exprs[1], |want, have| {
                        format!("`{name}` takes {want} here, but this is {have}")
                    });
                }
                ok
            }
        })
    }

    /// Parses `result?` in a function that returns a `Result`.
    pub(super) fn try_result(&mut self, whole: &Expr, node: &ExprTry, want: TyId) -> Lowered {
        // `?` tells that the methods before it are those of a `Result`.
        self.result_is_expected(&node.expr);
        let value = self.scalar(&node.expr);
        let (ok, err) = self.result_types(&value, &*node.expr);
        self.same_pattern(want, err, whole, |want, have| {
            format!("`?` leaves the function with an error of type {have}, but its own are {want}; convert it with `map_err`")
        });
        let truth = self.known(Scalar::Bool);
        let is_ok = self.temp(Rvalue::IsSome(value.clone()), truth, whole);
        let (out, ()) = self.block(|this| {
            let field = "Err.0".to_owned();
            let error = this.temp(Rvalue::Field(value.clone(), field.clone()), err, whole);
            let error = this.temp(Rvalue::Variant("Err".to_owned(), vec![(field, error)]), this.result_type, whole);
            this.push(StmtKind::Return(vec![error]), whole);
        });
        self.push(StmtKind::If { condition: is_ok, then: Vec::new(), other: out.stmts }, whole);
        self.notes.expr(whole, Note::ReturnError);
        Lowered::Atom(self.temp(Rvalue::Inner(value), ok, whole))
    }
}

/// Returns whether a `match` stands for a method that `Option` and `Result` have.
pub(super) fn is_of_both(node: &ExprMatch) -> bool {
    node.arms.first().is_some_and(|arm| super::pattern::names_variant(&arm.pat, GOOD))
}

/// Returns whether a block ends in `tx.reject(..)?` or the like: rustc treats that as a value, like every call.
pub(super) fn ends_in_try(block: &Expr) -> bool {
    let Expr::Block(node) = block else { return false };
    matches!(node.block.stmts.last(), Some(syn::Stmt::Expr(Expr::Try(_), _)))
}
