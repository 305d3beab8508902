//! Shared arrays outside of verbs: their methods, and names for them as values: `let mut best = &desks.lanes[0];`,
//! `[&red.no, &blue.yes][k]`. The type of a name is `&Shared<T>`.

use syn::{Expr, ExprMethodCall};

use super::lower::{Lowered, Lowering};
use super::notes::Note;
use super::text;
use super::tree::strip;
use crate::front::diag::Rule;
use crate::infer::Class;
use crate::ir::open::{Arg, Atom, Length, Rvalue, TyId};
use crate::ir::{ArrayId, Compare};
use crate::spec::{LocationKind, Scalar};

impl Lowering<'_> {
    /// Parses `rooms`, `&rooms.free` or `&rooms.marks[k]` as a value.
    pub(super) fn array_name(&mut self, expr: &Expr) -> Lowered {
        let Some((array, fields, element)) = self.array_path(expr) else { return Lowered::Failed };
        let is_part = self.param_types.get(array.0 as usize).is_some_and(|(_, part)| part.is_some());
        if is_part {
            let name = text::source(strip(expr));
            let message = format!(
                "`{name}` is a partition, which has no other name; read an element with `tx.read({name}, index)?`"
            );
            self.diags.report(Rule::SharedState, expr, message);
            return Lowered::Failed;
        }
        let ty = self.infer.fresh(Class::Shared(element));
        Lowered::Atom(self.temp(Rvalue::Shared(array, fields), ty, expr))
    }

    /// Parses a method of an array. Only the length is one: it does not change while transactions run.
    pub(super) fn array_method(&mut self, whole: &Expr, call: &ExprMethodCall, name: &str) -> Lowered {
        if !matches!((name, call.args.is_empty()), ("len" | "is_empty", true)) {
            return self.no_array_method(call, name);
        }
        // All fields of one array have the same length; the path to this one is checked nevertheless.
        match self.array_path(&call.receiver) {
            Some((array, ..)) => self.method_of_array(whole, call, name, array),
            None => Lowered::Failed,
        }
    }

    /// Does the same where it is known which array it is.
    pub(super) fn method_of_array(
        &mut self,
        whole: &Expr,
        call: &ExprMethodCall,
        name: &str,
        array: ArrayId,
    ) -> Lowered {
        if let ("len" | "is_empty", true) = (name, call.args.is_empty()) {
            let usize = self.known(Scalar::Usize);
            let length = self.temp(Rvalue::Length(array), usize, whole);
            if name == "len" {
                return Lowered::Atom(length);
            }
            let truth = self.known(Scalar::Bool);
            return Lowered::Atom(self.temp(Rvalue::Compare(Compare::Eq, length, Atom::Int(0, usize)), truth, whole));
        }
        self.no_array_method(call, name)
    }

    fn no_array_method(&mut self, call: &ExprMethodCall, name: &str) -> Lowered {
        let array = text::source(&call.receiver);
        let message = match name {
            "len" | "is_empty" => format!("`{name}` takes no arguments; write `{array}.{name}()`"),
            _ => format!(
                "an array is used through `tx`; write `tx.read({array}, index)?`, or `{array}.len()` for its length"
            ),
        };
        self.diags.report(Rule::Method, &call.method, message);
        Lowered::Failed
    }

    /// Returns the array that a value names, and the type of its elements.
    pub(super) fn named_array(&mut self, value: &Atom, at: &Expr) -> Option<(ArrayId, TyId)> {
        let ty = self.type_of(value);
        let Class::Shared(element) = *self.infer.class(ty) else { return None };
        Some((self.named_now(value.clone(), at)?, element))
    }

    /// Returns the arrays of a list, and the type of their elements, if an argument is one.
    pub(super) fn listed(&mut self, expr: &Expr, arg: &Arg, ty: TyId) -> Option<(Vec<Arg>, TyId)> {
        let (Arg::Value(list), Class::Array(names, Length::Known(count))) = (arg, self.infer.class(ty).clone()) else {
            return None;
        };
        let Class::Shared(element) = *self.infer.class(names) else { return None };
        let written = match strip(expr) {
            Expr::Reference(node) => strip(&node.expr),
            other => other,
        };
        // Each array is an argument of its own, so what is neither would be evaluated for each.
        if !matches!(written, Expr::Array(_)) && !super::exchanged::is_plain(written) {
            let message = "a list of shared arrays is passed by its name; write `let lists = ..;` before the call";
            self.diags.report(Rule::Expression, expr, message);
        }
        let list = self.freeze(list.clone(), expr);
        let (usize, location) =
            (self.known(Scalar::Usize), self.location(LocationKind::Element, text::of_expr(expr), expr));
        let array = |k| {
            let index = Atom::Int(k, usize);
            self.temp(Rvalue::Element(list.clone(), index, location), names, expr)
        };
        let arrays: Vec<Atom> = (0..i128::from(count)).map(array).collect();
        self.notes.expr(expr, Note::List { count });
        let arrays = arrays.into_iter().filter_map(|array| self.named_now(array, expr));
        Some((arrays.map(|array| Arg::Array(array, Vec::new())).collect(), element))
    }

    /// Returns the array that a variable names now: it may name another one before the array is used.
    pub(super) fn named_now(&mut self, value: Atom, at: &Expr) -> Option<ArrayId> {
        match self.freeze(value, at) {
            Atom::Var(var) => Some(ArrayId(var.0)),
            _ => None,
        }
    }
}
