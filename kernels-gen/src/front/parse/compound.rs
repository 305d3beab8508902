//! Compound values: tuples, arrays, records, `Some`.

use quote::quote;
use syn::{Expr, ExprArray, ExprRepeat, ExprStruct, ExprTuple};

use super::lower::{Lowered, Lowering};
use super::place::member;
use super::text;
use crate::front::diag::Rule;
use crate::infer::Class;
use crate::ir::open::{Atom, Length, Relation, Rvalue, TyId};
use crate::spec::PERHAPS;

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

    /// Parses `Room { free: 1, ..base }`, or `Shape::Circle { radius: 1 }`.
    pub(super) fn record(&mut self, whole: &Expr, node: &ExprStruct) -> Lowered {
        let (ty, variant) = match self.variant(&node.path).filter(|(of, _)| of.is_some() || node.rest.is_none()) {
            Some((Some(of), variant)) => (self.named_variant(&of, &variant, &node.path), Some(variant)),
            Some((None, variant)) => {
                let members: Vec<_> = node.fields.iter().map(|field| field.member.clone()).collect();
                (self.perhaps_variant(&node.path, &members), Some(variant))
            }
            None => (self.record_type(node.qself.clone(), &node.path), None),
        };
        let mut exprs: Vec<&Expr> = node.fields.iter().map(|field| &field.expr).collect();
        exprs.extend(node.rest.as_deref());
        let mut atoms = self.values(exprs);
        let base = node.rest.as_ref().and_then(|_| atoms.pop());
        let mut fields = Vec::new();
        for (field, atom) in node.fields.iter().zip(atoms) {
            field.attrs.iter().for_each(|attr| self.check_attribute(attr));
            // Only a type that the derive rejects has references, and its field then gets what it has.
            let refers = matches!(field.expr, Expr::Reference(_));
            if refers {
                self.notes.forget(&field.expr);
            }
            let name = member(&field.member);
            let full = field_of(variant.as_deref(), &name);
            let (want, have) = (self.field_type(ty, &full), self.type_of(&atom));
            self.same(want, have, &field.expr, |want, have| format!("`{name}` is {want}, but this is {have}"));
            let have = if refers { self.infer.later() } else { have };
            self.made_of(ty, node.rest.is_none().then(|| field.member.clone()), have);
            fields.push((full, atom));
        }
        if let (Some(base), Some(expr)) = (&base, &node.rest) {
            let have = self.type_of(base);
            self.same(ty, have, expr, |_, have| {
                format!("the other fields come from a value of this type, but this is {have}")
            });
        }
        let value = match variant {
            Some(variant) => Rvalue::Variant(variant, fields),
            None => Rvalue::Record(fields, base),
        };
        Lowered::Atom(self.temp(value, ty, whole))
    }

    /// Notes what the fields of a record are, of which perhaps nothing else says what it is.
    fn made_of(&mut self, ty: TyId, member: Option<syn::Member>, field: TyId) {
        if let Some(inferred) = self.external.inferred.iter_mut().rev().find(|inferred| inferred.ty == ty) {
            inferred.fields.extend(member.map(|member| (member, field)));
        }
    }

    /// Returns the type of an enum with fields that has this variant.
    pub(super) fn named_variant(&mut self, of: &syn::Type, variant: &str, path: &syn::Path) -> TyId {
        let ty = self.enum_type(of, path);
        self.relations.push(Relation::Variant { of: ty, name: variant.to_owned() });
        ty
    }

    /// Parses `Meters(3)`, a struct with unnamed fields, or `Shape::Square(3)`.
    pub(super) fn tuple_record(&mut self, whole: &Expr, path: &syn::Path, args: &[&Expr]) -> Lowered {
        let (ty, variant) = match self.variant(path) {
            Some((Some(of), variant)) => (self.named_variant(&of, &variant, path), Some(variant)),
            Some((None, variant)) => {
                let members: Vec<_> = (0..args.len()).map(syn::Member::from).collect();
                (self.perhaps_variant(path, &members), Some(variant))
            }
            None => (self.record_type(None, path), None),
        };
        let atoms = self.values(args.iter().copied());
        let mut fields = Vec::new();
        for ((k, atom), expr) in atoms.into_iter().enumerate().zip(args) {
            let name = field_of(variant.as_deref(), &k.to_string());
            let (want, have) = (self.field_type(ty, &name), self.type_of(&atom));
            self.same(want, have, *expr, |want, have| format!("field {k} is {want}, but this is {have}"));
            self.made_of(ty, Some(syn::Member::from(k)), have);
            fields.push((name, atom));
        }
        let value = match variant {
            Some(variant) => Rvalue::Variant(variant, fields),
            None => Rvalue::Record(fields, None),
        };
        Lowered::Atom(self.temp(value, ty, whole))
    }

    pub(super) fn none(&mut self, whole: &Expr, inner: Option<TyId>) -> Lowered {
        let inner = inner.unwrap_or_else(|| self.infer.fresh(Class::Any));
        let ty = self.infer.fresh(Class::Option(inner));
        Lowered::Atom(self.temp(Rvalue::None, ty, whole))
    }

    /// Parses `Ok(value)` or `Err(value)` where they are no result of a transaction.
    pub(super) fn result_value(&mut self, whole: &Expr, variant: &str, args: &[&Expr]) -> Lowered {
        let [argument] = args else {
            self.diags.report(Rule::Mismatch, whole, format!("`{variant}` has one value; write `{variant}(value)`"));
            return Lowered::Failed;
        };
        if self.tries() && variant == "Ok" && matches!(argument, Expr::Tuple(tuple) if tuple.elems.is_empty()) {
            let message = "`Ok(())` is the result of the whole function; use it at the end or after `return`";
            self.diags.report(Rule::Result, whole, message);
            return Lowered::Failed;
        }
        let value = self.expr(argument, None);
        let value = self.unit_or(value, argument);
        let (own, other) = (self.type_of(&value), self.infer.fresh(Class::Any));
        let class = if variant == "Ok" { Class::Result(own, other) } else { Class::Result(other, own) };
        let ty = self.infer.fresh(class);
        let fields = vec![(format!("{variant}.0"), value)];
        Lowered::Atom(self.temp(Rvalue::Variant(variant.to_owned(), fields), ty, whole))
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

    /// Returns the enum and the variant that a path names. Without an enum, it could also be a struct.
    pub(super) fn variant(&self, path: &syn::Path) -> Option<(Option<syn::Type>, String)> {
        if let Some((of, variant)) = variant_of(path) {
            return Some((Some(of), variant));
        }
        let name = text::plain(path.get_ident()?);
        match self.imports.named.get(&name) {
            Some((of, variant)) => Some((Some(of.clone()), variant.clone())),
            None => {
                (self.imports.all && name.starts_with(char::is_uppercase)).then(|| (None, format!("{name}{PERHAPS}")))
            }
        }
    }

    /// Returns the type of a value that is made of these members. rustc finds it where nothing else says what it is.
    pub(super) fn perhaps_variant(&mut self, path: &syn::Path, members: &[syn::Member]) -> TyId {
        let ty = self.record_type(None, path);
        if let Some(inferred) = self.external.inferred.last_mut() {
            let made = quote!(#path { #(#members: ::stm_runtime::__private::callee::never()),* });
            inferred.fallback = Some(syn::Type::Verbatim(made));
        }
        ty
    }
}

/// Returns the enum and the variant of `Shape::Circle`: types and variants begin with a capital letter, modules do not.
pub(super) fn variant_of(path: &syn::Path) -> Option<(syn::Type, String)> {
    let mut of = path.clone();
    let variant = text::plain(&of.segments.pop()?.ident);
    of.segments.pop_punct();
    let name = text::plain(&of.segments.last()?.ident);
    let capital = |name: &str| name.starts_with(char::is_uppercase);
    let known = matches!(name.as_str(), "Option" | "Result");
    (capital(&variant) && capital(&name) && !known).then(|| (type_of_path(None, &of), variant))
}

/// Returns the name of a field among those of the type.
pub(super) fn field_of(variant: Option<&str>, name: &str) -> String {
    variant.map_or_else(|| name.to_owned(), |variant| format!("{variant}.{name}"))
}

pub(super) fn type_of_path(qself: Option<syn::QSelf>, path: &syn::Path) -> syn::Type {
    syn::Type::Path(syn::TypePath { attrs: Vec::new(), qself, path: path.clone() })
}
