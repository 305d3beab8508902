//! Types as the user writes them.

use syn::{Expr, ExprLit, ExprPath, GenericArgument, Lit, PathArguments, Type, TypePath};

use super::lower::Lowering;
use crate::infer::Class;
use crate::ir::{Length, TyId};
use crate::spec::Scalar;

impl Lowering<'_> {
    /// The type that the user wrote; one that agrees with everything where it is rejected.
    pub(super) fn written_type(&mut self, ty: &Type) -> TyId {
        if let Some(scalar) = scalar(ty) {
            return self.known(scalar);
        }
        if let Some(inner) = argument(ty, "Option") {
            let inner = self.written_type(inner);
            return self.infer.fresh(Class::Option(inner));
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
            Type::Path(_) if is_wide(ty) => self.rejected_type(ty),
            Type::Path(_) => self.named_type(ty),
            _ => self.rejected_type(ty),
        }
    }

    fn rejected_type(&mut self, ty: &Type) -> TyId {
        self.bad_type(ty);
        self.infer.fresh(Class::Dead)
    }

    /// The length of an array, as the source gives it.
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
                    super::text::source(other)
                );
                self.diags.report(crate::front::diag::Rule::Mismatch, other, message);
                Length::Open
            }
            other => Length::Constant(self.constant_id(other)),
        }
    }
}

/// The scalar that a type names.
pub(crate) fn scalar(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Path(TypePath { qself: None, path, .. }) => Scalar::from_rust(&path.get_ident()?.to_string()),
        Type::Paren(inner) => scalar(&inner.elem),
        Type::Group(inner) => scalar(&inner.elem),
        _ => None,
    }
}

/// A type of Rust that is known to have no place on the device.
pub(super) fn is_wide(ty: &Type) -> bool {
    const NONE: [&str; 12] =
        ["char", "str", "i128", "u128", "f16", "f128", "String", "Vec", "Box", "HashMap", "Rc", "Arc"];
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|s| NONE.iter().any(|none| s.ident == none)))
}

/// The part of a type that surely is none of the device.
pub(crate) fn refused(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Paren(inner) => refused(&inner.elem),
        Type::Group(inner) => refused(&inner.elem),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(refused),
        Type::Array(array) => refused(&array.elem),
        Type::Path(_) if is_wide(ty) => Some(ty),
        Type::Path(_) => argument(ty, "Option").and_then(refused),
        _ => Some(ty),
    }
}

/// `T` of `Name<T>`.
pub(crate) fn argument<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(TypePath { qself: None, path, .. }) = ty else { return None };
    let last = path.segments.last().filter(|s| s.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.iter().collect::<Vec<_>>().as_slice() {
        [GenericArgument::Type(element)] => Some(element),
        _ => None,
    }
}

/// `T` and `N` of `Partition<T, N>`, as far as they are there; `None` for another type.
pub(crate) fn local(ty: &Type) -> Option<(Option<&Type>, Option<Expr>)> {
    parts(ty, "Partition")
}

/// The same of `Name<T, N>`.
pub(super) fn parts<'a>(ty: &'a Type, name: &str) -> Option<(Option<&'a Type>, Option<Expr>)> {
    let Type::Path(TypePath { qself: None, path, .. }) = ty else { return None };
    let last = path.segments.last().filter(|s| s.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return Some((None, None)) };
    let mut arguments = arguments.args.iter();
    let element = match arguments.next() {
        Some(GenericArgument::Type(element)) => Some(element),
        _ => None,
    };
    let size = match arguments.next() {
        Some(GenericArgument::Const(size)) => Some(size.clone()),
        // The name of a constant looks like that of a type.
        Some(GenericArgument::Type(Type::Path(TypePath { qself, path, .. }))) => {
            Some(Expr::Path(ExprPath { attrs: Vec::new(), qself: qself.clone(), path: path.clone() }))
        }
        _ => None,
    };
    Some((element, size.filter(|_| arguments.next().is_none())))
}
