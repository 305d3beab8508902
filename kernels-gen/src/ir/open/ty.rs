//! What is known of types, and what relates those that only rustc knows to others.

use serde::{Deserialize, Serialize};

use super::{CallId, ConstId, TyId};
use crate::spec::{Constant, Scalar};

/// What is known of a type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ty {
    /// A machine type.
    Scalar(Scalar),
    /// `()`.
    Unit,
    /// A tuple of at least one value.
    Tuple(Vec<TyId>),
    /// `[T; N]`.
    Array(TyId, Length),
    /// `Option<T>`.
    Option(TyId),
    /// The same type as that one.
    Same(TyId),
    /// A record or enum of the user's program, by its number among those of [`crate::compile`], which alone makes it.
    Named(u32),
    /// Only the relations to others say what it is.
    Open(OpenTy),
}

/// What is known of a type that is not known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OpenTy {
    /// Nothing.
    Any,
    /// Some integer.
    Int,
    /// Some float.
    Float,
    /// Nobody asks: the code is never reached.
    Dead,
}

/// The length of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Length {
    /// This number of elements.
    Known(u64),
    /// As many as a constant of the user's program says.
    Constant(ConstId),
    /// As many as the types that it meets have.
    Open,
}

impl Length {
    /// The number, if it is known once the constants are.
    #[must_use]
    pub fn known(self, constants: &[Constant]) -> Option<u64> {
        match self {
            Length::Known(length) => Some(length),
            Length::Constant(constant) => constants.get(constant.0 as usize)?.words.first().copied(),
            Length::Open => None,
        }
    }
}

/// What relates types that the macro cannot know to others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields say what they are; the variants are documented")]
pub enum Relation {
    /// `ty` is the type that entry of [`crate::spec::Source::types`] names.
    Names { ty: TyId, name: u32 },
    /// `ty` is the type of the constant.
    Constant { ty: TyId, constant: ConstId },
    /// `ty` is the type of the field of that name of `of`.
    Field { of: TyId, name: String, ty: TyId },
    /// `result` is what the method gives for these operands.
    Method { receiver: TyId, name: String, args: Vec<TyId>, result: TyId },
    /// The function takes arguments of these types in this order (arrays by their elements) and gives `result`.
    Call { function: CallId, args: Vec<TyId>, result: TyId },
}
