//! The user's types as types of the intermediate form.

use syn::{Expr, ExprLit, Lit, Type};

use super::lower::Lowering;
use super::text;
use super::types::{argument, is_wide, results, scalar};
use crate::front::diag::Rule;
use crate::infer::Class;
use crate::ir::open::{Length, TyId};

impl Lowering<'_> {
    /// Returns the user's type; one that agrees with everything where it is rejected.
    pub(super) fn written_type(&mut self, ty: &Type) -> TyId {
        if let Some(scalar) = scalar(ty) {
            return self.known(scalar);
        }
        if let Some(inner) = argument(ty, "Option") {
            let inner = self.written_type(inner);
            return self.infer.fresh(Class::Option(inner));
        }
        if let Some((ok, err)) = results(ty) {
            let (ok, err) = (self.written_type(ok), self.written_type(err));
            return self.infer.fresh(Class::Result(ok, err));
        }
        match ty {
            Type::Paren(inner) => self.written_type(&inner.elem),
            Type::Group(inner) => self.written_type(&inner.elem),
            Type::Infer(_) => self.infer.fresh(Class::Any),
            Type::Tuple(tuple) if tuple.elems.is_empty() => self.infer.fresh(Class::Unit),
            Type::Tuple(tuple) => {
                let parts = tuple.elems.iter().map(|part| self.written_type(part)).collect();
                self.infer.fresh(Class::Tuple(parts))
            }
            Type::Array(array) => {
                let element = self.written_type(&array.elem);
                let length = self.length(&array.len);
                self.infer.fresh(Class::Array(element, length))
            }
            Type::Reference(node) if node.mutability.is_none() && argument(&node.elem, "Shared").is_some() => {
                let element = argument(&node.elem, "Shared").map(|element| self.written_type(element));
                let element = element.unwrap_or_else(|| self.infer.fresh(Class::Any));
                self.infer.fresh(Class::Shared(element))
            }
            Type::Path(_) if is_wide(ty) => self.rejected_type(ty),
            Type::Path(_) => self.named_type(ty),
            _ => self.rejected_type(ty),
        }
    }

    /// Returns the type of a parameter, or of the result: no name of a shared array is one, or a part of one.
    pub(super) fn value_type(&mut self, ty: &Type) -> TyId {
        let found = self.written_type(ty);
        if self.infer.has_shared(found) { self.rejected_type(ty) } else { found }
    }

    fn rejected_type(&mut self, ty: &Type) -> TyId {
        self.bad_type(ty);
        self.infer.fresh(Class::Dead)
    }

    /// Returns the length of an array, as the source gives it.
    pub(super) fn length(&mut self, expr: &Expr) -> Length {
        match expr {
            Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => match int.base10_parse() {
                Ok(length) => Length::Known(length),
                Err(_) => Length::Open,
            },
            Expr::Infer(_) => Length::Open,
            other if self.bound(other).is_some() => {
                let message = format!(
                    "the length of an array is a constant, because the device has no heap, but `{}` is a variable; \
                     write a number or the name of a constant",
                    text::source(other)
                );
                self.diags.report(Rule::Mismatch, other, message);
                Length::Open
            }
            other => Length::Constant(self.external.number_constant(other)),
        }
    }
}
