//! Types in the user's source.

use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprPath, GenericArgument, PathArguments, Type, TypeParamBound, TypePath};

use super::text;
use crate::spec::Scalar;

/// Returns the scalar that a type names.
pub(crate) fn scalar(ty: &Type) -> Option<Scalar> {
    match ty {
        Type::Path(TypePath { qself: None, path, .. }) => Scalar::from_rust(&path.get_ident()?.to_string()),
        Type::Paren(inner) => scalar(&inner.elem),
        Type::Group(inner) => scalar(&inner.elem),
        _ => None,
    }
}

/// Returns whether the type is one of the language, for which a trait of the program can be implemented, but which has no functions of
/// its own there.
pub(crate) fn is_of_language(ty: &Type) -> bool {
    let named = |name| argument(ty, name).is_some();
    let result = results(ty).is_some() && !named("TxResult");
    let letter = matches!(ty, Type::Path(TypePath { qself: None, path, .. }) if path.is_ident("char"));
    scalar(ty).is_some() || letter || matches!(ty, Type::Tuple(_) | Type::Array(_)) || named("Option") || result
}

/// Returns whether a type of Rust is known not to exist on the device.
pub(super) fn is_wide(ty: &Type) -> bool {
    const NONE: [&str; 9] = ["str", "f16", "f128", "String", "Vec", "Box", "HashMap", "Rc", "Arc"];
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|s| NONE.iter().any(|none| s.ident == none)))
}

/// Returns the part of a type that certainly does not exist on the device.
pub(crate) fn refused(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Paren(inner) => refused(&inner.elem),
        Type::Group(inner) => refused(&inner.elem),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(refused),
        Type::Array(array) => refused(&array.elem),
        Type::Path(_) if is_wide(ty) => Some(ty),
        Type::Path(_) => match results(ty) {
            Some((ok, err)) => refused(ok).or_else(|| refused(err)),
            None => argument(ty, "Option").and_then(refused),
        },
        _ => Some(ty),
    }
}

/// What to write in place of a closure as an argument.
pub(super) const NO_CLOSURE: &str = "a closure is written out where it stands; pass what it computes, or a value of a type with a trait of yours: `impl Rule`";

/// Returns whether a bound is that of closures.
pub(crate) fn is_of_closures(bound: &TypeParamBound) -> bool {
    const CLOSURES: [&str; 3] = ["Fn", "FnMut", "FnOnce"];
    let TypeParamBound::Trait(bound) = bound else { return false };
    bound.path.segments.last().is_some_and(|last| CLOSURES.iter().any(|name| last.ident == name))
}

/// Returns the message for a list of shared arrays whose number is not written as a number.
pub(super) fn uncounted(ty: &Type) -> Option<String> {
    let Type::Array(array) = ty else { return None };
    let Type::Reference(element) = &*array.elem else { return None };
    let shared = argument(&element.elem, "Shared").is_some() && !matches!(array.len, Expr::Lit(_));
    shared.then(|| {
        let (list, length) = (text::type_source(&array.elem), text::source(&array.len));
        format!(
            "the number of arrays in a list is a part of the signature, and the value of `{length}` is not known here; write the number, \
             as in `[{list}; 3]`: rustc then compares it with `{length}` at each call"
        )
    })
}

/// Returns the message for a result that does not exist on the device.
pub(super) fn no_result(ty: &Type) -> String {
    match ty {
        Type::Reference(reference) if reference.mutability.is_some() => format!(
            "a result is a value here, and nothing changes through it, so there is no `{}`; return nothing and call the methods one after \
             the other, or take `mut self` and return `Self`",
            text::type_source(ty)
        ),
        other => no_type(other),
    }
}

/// Returns the message for a type that does not exist on the device.
pub(crate) fn no_type(ty: &Type) -> String {
    let name = text::type_source(ty);
    let last = match ty {
        Type::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default(),
        _ => String::new(),
    };
    let instead = match last.as_str() {
        "f16" | "f128" => "the floats on the device are `f32` and `f64`",
        "str" | "String" => "the device has no strings; use numbers, and keep texts on the host",
        "Vec" | "Box" | "Rc" | "Arc" | "HashMap" => "the device has no heap; use an array, or a shared array",
        _ if is_slice(ty) => "a slice has no constant length; write that of the array, as in `[u32; 4]` or `&[u32; 4]`",
        _ if text_of_reference(ty) => "the device has no strings; use numbers, and keep texts on the host",
        _ if name.starts_with("impl Fn") => NO_CLOSURE,
        _ if name.starts_with('[') => "an array has a constant length; write it, as in `[u32; 4]`",
        _ if name.starts_with("&Shared") || name.starts_with("&Partition") => {
            "a shared array is a parameter, or one of a list of at most 8, `[&Shared<u32>; 3]`; write a parameter for each"
        }
        _ if name.starts_with('&') => "values are copied, so there are no references; remove the `&`",
        _ => {
            "use i8 to i128, u8 to u128, isize, usize, f32, f64, bool, tuples, arrays, `Option`, or a type with \
             `#[derive(GpuData)]`"
        }
    };
    format!("`{name}` is not a type of the device; {instead}")
}

/// Returns whether the type is `[T]`, or a reference to it.
fn is_slice(ty: &Type) -> bool {
    match ty {
        Type::Reference(node) => is_slice(&node.elem),
        Type::Slice(_) => true,
        _ => false,
    }
}

/// Returns whether the type is a reference to a text.
fn text_of_reference(ty: &Type) -> bool {
    match ty {
        Type::Reference(node) => match &*node.elem {
            Type::Path(path) => path.path.is_ident("str") || path.path.is_ident("String"),
            _ => false,
        },
        _ => false,
    }
}

/// Returns `T` of `Name<T>`.
pub(crate) fn argument<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let Type::Path(TypePath { qself: None, path, .. }) = ty else { return None };
    let last = path.segments.last().filter(|s| s.ident == name)?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.iter().collect::<Vec<_>>().as_slice() {
        [GenericArgument::Type(element)] => Some(element),
        _ => None,
    }
}

/// Returns `T` and `E` of `Result<T, E>`.
pub(crate) fn results(ty: &Type) -> Option<(&Type, &Type)> {
    let Type::Path(TypePath { qself: None, path, .. }) = ty else { return None };
    let last = path.segments.last().filter(|s| s.ident == "Result")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.iter().collect::<Vec<_>>().as_slice() {
        [GenericArgument::Type(ok), GenericArgument::Type(err)] => Some((ok, err)),
        _ => None,
    }
}

/// Returns `T` and `N` of `Partition<T, N>`, as far as they are given; `None` for another type.
pub(crate) fn partition(ty: &Type) -> Option<(Option<&Type>, Option<Expr>)> {
    parts(ty, "Partition")
}

/// Returns the same for `Name<T, N>`.
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

/// The beginning of the names of the lengths of slices.
pub(crate) const LENGTH: &str = "STM_LENGTH_";

/// Returns whether a length stands for that of a slice.
pub(crate) fn is_length_of_slice(length: &Expr) -> bool {
    matches!(length, Expr::Path(path) if path.path.get_ident().is_some_and(|name| name.to_string().starts_with(LENGTH)))
}

/// Returns `T` of `&T`.
pub(super) fn lent(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Reference(node) if node.mutability.is_none() => Some(&node.elem),
        _ => None,
    }
}

/// Returns a type without the references in it, if there are some: what lends is a value here. `Option<&T>` becomes `Option<T>`.
pub(super) fn without_references(ty: &Type) -> Option<Type> {
    struct Values(bool);
    impl VisitMut for Values {
        fn visit_type_mut(&mut self, ty: &mut Type) {
            if let Some(of) = lent(ty).filter(|of| !matches!(of, Type::Slice(_))) {
                *ty = of.clone();
                self.0 = true;
            }
            visit_mut::visit_type_mut(self, ty);
        }
    }
    let (mut values, mut ty) = (Values(false), ty.clone());
    values.visit_type_mut(&mut ty);
    values.0.then_some(ty)
}
