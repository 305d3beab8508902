//! The knowledge about a type, and the parts of compound types.

use crate::ir::open::{Length, OpenTy, Ty, TyId};
use crate::spec::Scalar;

/// The greatest depth of nested types.
pub(super) const DEEPEST_TYPE: u32 = 64;

/// The knowledge about a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Class {
    /// Nothing yet.
    Any,
    /// The type of code that is never reached, or that was rejected already: it agrees with every type and needs no answer.
    Dead,
    /// Some integer: `i32` by default, as in rustc.
    Int,
    /// Some float: `f64` by default.
    Float,
    /// This scalar.
    Known(Scalar),
    /// `()`.
    Unit,
    /// A tuple.
    Tuple(Vec<TyId>),
    /// An array.
    Array(TyId, Length),
    /// An `Option`.
    Option(TyId),
    /// A `Result`.
    Result(TyId, TyId),
    /// A name for a shared array with elements of that type.
    Shared(TyId),
    /// A record or enum, by number. Does not occur in the macro.
    Named(u32),
}

/// Two types that cannot be the same, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clash(pub(crate) Class, pub(crate) Class);

/// Returns the types that a class is made of.
pub(crate) fn parts(class: &Class) -> Vec<TyId> {
    match class {
        Class::Tuple(parts) => parts.clone(),
        Class::Array(part, _) | Class::Option(part) | Class::Shared(part) => vec![*part],
        Class::Result(ok, err) => vec![*ok, *err],
        _ => Vec::new(),
    }
}

impl Class {
    /// Returns what the intermediate form says of a type.
    pub(super) fn of(ty: &Ty) -> Class {
        match ty {
            Ty::Scalar(scalar) => Class::Known(*scalar),
            Ty::Unit => Class::Unit,
            Ty::Tuple(parts) => Class::Tuple(parts.clone()),
            Ty::Array(element, length) => Class::Array(*element, *length),
            Ty::Option(inner) => Class::Option(*inner),
            Ty::Result(ok, err) => Class::Result(*ok, *err),
            Ty::Shared(element) => Class::Shared(*element),
            Ty::Named(number) => Class::Named(*number),
            Ty::Open(OpenTy::Int) => Class::Int,
            Ty::Open(OpenTy::Float) => Class::Float,
            Ty::Open(OpenTy::Dead) => Class::Dead,
            Ty::Open(OpenTy::Any) | Ty::Same(_) => Class::Any,
        }
    }
}
