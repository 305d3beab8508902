//! Compound values: tuples, arrays, records, `Some`.

use syn::{Expr, ExprArray, ExprRepeat, ExprStruct, ExprTuple};

use super::lower::{Lowered, Lowering};
use super::place::member;
use super::text;
use crate::front::diag::Rule;
use crate::infer::Class;
use crate::ir::open::{Atom, Length, Rvalue, TyId};

impl Lowering<'_> {
    /// Evaluates values in order, and keeps each while the others are evaluated.
    pub(super) fn values<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<Atom> {
        let exprs: Vec<&Expr> = exprs.into_iter().collect();
        let mut atoms = Vec::with_capacity(exprs.len());
        for (k, expr) in exprs.iter().enumerate() {
            let value = self.expr(expr, None);
            let atom = self.unit_or(value, expr);
            atoms.push(self.settle(atom, expr, exprs[k + 1..].iter().copied()));
        }
        atoms
    }

    pub(super) fn tuple(&mut self, whole: &Expr, node: &ExprTuple) -> Lowered {
        let atoms = self.values(&node.elems);
        let parts: Vec<TyId> = atoms.iter().map(|atom| self.type_of(atom)).collect();
        let ty = self.infer.fresh(Class::Tuple(parts));
        Lowered::Atom(self.temp(Rvalue::Tuple(atoms), ty, whole))
    }

    pub(super) fn array(&mut self, whole: &Expr, node: &ExprArray) -> Lowered {
        let atoms = self.values(&node.elems);
        let element = self.infer.fresh(Class::Any);
        for (atom, expr) in atoms.iter().zip(&node.elems) {
            let ty = self.type_of(atom);
            self.same(element, ty, expr, |all, this| {
                format!("the elements of an array have one type, but those before are {all} and this is {this}")
            });
        }
        let ty = self.infer.fresh(Class::Array(element, Length::Known(atoms.len() as u64)));
        Lowered::Atom(self.temp(Rvalue::Array(atoms), ty, whole))
    }

    pub(super) fn repeat(&mut self, whole: &Expr, node: &ExprRepeat) -> Lowered {
        let value = self.scalar(&node.expr);
        let element = self.type_of(&value);
        let length = self.length(&node.len);
        let ty = self.infer.fresh(Class::Array(element, length));
        Lowered::Atom(self.temp(Rvalue::Repeat(value), ty, whole))
    }

    /// Parses `Room { free: 1, ..base }`.
    /// Refuses `Shape::Square(..)` and `Shape::Square { .. }`: only enums have such paths.
    pub(super) fn refuse_variant(&mut self, path: &syn::Path) -> bool {
        let capital = |segment: &syn::PathSegment| text::plain(&segment.ident).starts_with(char::is_uppercase);
        let is_variant = path.segments.len() > 1 && path.segments.iter().rev().take(2).all(capital);
        if is_variant {
            let name = text::source(path);
            let message = format!(
                "`{name}` is a variant with fields, and enums of the device have none; write a struct with a field for the kind, or an \
                 `Option`"
            );
            self.diags.report(Rule::Data, path, message);
        }
        is_variant
    }

    pub(super) fn record(&mut self, whole: &Expr, node: &ExprStruct) -> Lowered {
        if self.refuse_variant(&node.path) {
            return Lowered::Failed;
        }
        let written =
            syn::Type::Path(syn::TypePath { attrs: Vec::new(), qself: node.qself.clone(), path: node.path.clone() });
        let ty = self.named_type(&written);
        let mut exprs: Vec<&Expr> = node.fields.iter().map(|field| &field.expr).collect();
        exprs.extend(node.rest.as_deref());
        let mut atoms = self.values(exprs);
        let base = node.rest.as_ref().and_then(|_| atoms.pop());
        let mut fields = Vec::new();
        for (field, atom) in node.fields.iter().zip(atoms) {
            let name = member(&field.member);
            let (want, have) = (self.field_type(ty, &name), self.type_of(&atom));
            self.same(want, have, &field.expr, |want, have| format!("`{name}` is {want}, but this is {have}"));
            fields.push((name, atom));
        }
        if let (Some(base), Some(expr)) = (&base, &node.rest) {
            let have = self.type_of(base);
            self.same(ty, have, expr, |_, have| {
                format!("the other fields come from a value of this type, but this is {have}")
            });
        }
        Lowered::Atom(self.temp(Rvalue::Record(fields, base), ty, whole))
    }

    /// Parses `Meters(3)`, a struct with unnamed fields.
    pub(super) fn tuple_record(&mut self, whole: &Expr, path: &syn::Path, args: &[&Expr]) -> Lowered {
        if self.refuse_variant(path) {
            return Lowered::Failed;
        }
        let written = syn::Type::Path(syn::TypePath { attrs: Vec::new(), qself: None, path: path.clone() });
        let ty = self.named_type(&written);
        let atoms = self.values(args.iter().copied());
        let mut fields = Vec::new();
        for ((k, atom), expr) in atoms.into_iter().enumerate().zip(args) {
            let (want, have) = (self.field_type(ty, &k.to_string()), self.type_of(&atom));
            self.same(want, have, *expr, |want, have| format!("field {k} is {want}, but this is {have}"));
            fields.push((k.to_string(), atom));
        }
        Lowered::Atom(self.temp(Rvalue::Record(fields, None), ty, whole))
    }

    pub(super) fn some(&mut self, whole: &Expr, args: &[&Expr]) -> Lowered {
        let [argument] = args else {
            self.diags.report(Rule::Mismatch, whole, "`Some` has one value; write `Some(value)`");
            return Lowered::Failed;
        };
        let value = self.expr(argument, None);
        let value = self.unit_or(value, argument);
        let inner = self.type_of(&value);
        let ty = self.infer.fresh(Class::Option(inner));
        Lowered::Atom(self.temp(Rvalue::Some(value), ty, whole))
    }
}
