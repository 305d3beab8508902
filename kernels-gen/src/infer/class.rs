//! What is known of a type, and how types consist of others.

use crate::ir::open::{Length, OpenTy, Ty, TyId};
use crate::spec::Scalar;

/// Types nest at most so deep.
pub(super) const DEEPEST_TYPE: u32 = 64;

/// What is known of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Class {
    /// Nothing yet.
    Any,
    /// The type of code that is never reached, or that was rejected already: agrees with everything, needs no answer.
    Dead,
    /// Some integer: `i32` where nothing else is said, as in rustc.
    Int,
    /// Some float: `f64` where nothing else is said.
    Float,
    /// This one.
    Known(Scalar),
    /// `()`.
    Unit,
    /// A tuple.
    Tuple(Vec<TyId>),
    /// An array.
    Array(TyId, Length),
    /// An `Option`.
    Option(TyId),
    /// A record or enum, by number. Never in the macro.
    Named(u32),
}

/// Two types that cannot be one, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clash(pub(crate) Class, pub(crate) Class);

/// The types that a class is made of.
pub(crate) fn parts(class: &Class) -> Vec<TyId> {
    match class {
        Class::Tuple(parts) => parts.clone(),
        Class::Array(part, _) | Class::Option(part) => vec![*part],
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
            Ty::Named(number) => Class::Named(*number),
            Ty::Open(OpenTy::Int) => Class::Int,
            Ty::Open(OpenTy::Float) => Class::Float,
            Ty::Open(OpenTy::Dead) => Class::Dead,
            Ty::Open(OpenTy::Any) | Ty::Same(_) => Class::Any,
        }
    }
}
