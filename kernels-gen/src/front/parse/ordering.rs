//! `a.cmp(&b)`: an `Ordering` is -1, 0 or 1.

use syn::Expr;

use super::checks::TypeCheck;
use super::lower::{Lowered, Lowering, Resolution};
use super::notes::Note;
use super::source_span::At;
use crate::infer::Class;
use crate::ir::Compare;
use crate::ir::open::{Atom, Rvalue};
use crate::spec::Scalar;

impl Lowering<'_> {
    /// Parses `a.cmp(&b)`.
    pub(super) fn compared(&mut self, whole: &Expr, value: Atom, argument: &Expr) -> Lowered {
        let other = self.scalar(argument);
        let (ty, have) = (self.type_of(&value), self.type_of(&other));
        if !self.same(ty, have, argument, |want, have| format!("`cmp` takes {want} here, but this is {have}")) {
            return Lowered::Failed;
        }
        self.checks.operators.push((TypeCheck::Compare(Compare::Lt, ty), whole.source_span()));
        // What a closure of an iterator takes is a reference in the source.
        let refers = match self.bound(argument) {
            Some(Resolution::Var(var)) => self.referring.contains(&var),
            _ => false,
        };
        if refers || matches!(argument, Expr::Reference(_)) {
            let late = matches!(self.infer.class(ty), Class::Any);
            self.notes.expr(whole, Note::Compared { late });
        }
        let (truth, number) = (self.known(Scalar::Bool), self.known(Scalar::I8));
        let [less, more] = [Compare::Lt, Compare::Gt].map(|op| {
            let holds = self.temp(Rvalue::Compare(op, value.clone(), other.clone()), truth, whole);
            self.temp(Rvalue::Cast(holds, number), number, whole)
        });
        let sign = self.wrapping(whole, "wrapping_sub", (more, number), less);
        let ordering = self.named_type(&syn::parse_quote!(::core::cmp::Ordering));
        Lowered::Atom(self.temp(Rvalue::Cast(sign, ordering), ordering, whole))
    }
}
