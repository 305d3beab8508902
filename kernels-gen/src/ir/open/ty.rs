//! The knowledge about types, and the relations between those that only rustc knows and others.

use serde::{Deserialize, Serialize};

use super::{CallId, ConstId, TyId};
use crate::spec::{Constant, Scalar};

/// The knowledge about a type.
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
    /// `Result<T, E>`. Its fields are `Ok.0` and `Err.0`.
    Result(TyId, TyId),
    /// `&Shared<T>`: a name for a shared array.
    Shared(TyId),
    /// The same type as another one.
    Same(TyId),
    /// A record or enum of the user's program, by its number among those of [`crate::compile`]. Only that stage makes this variant.
    Named(u32),
    /// A type that only its relations to others determine.
    Open(OpenTy),
}

/// The knowledge about a type that is not determined yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum OpenTy {
    /// Nothing.
    Any,
    /// Some integer.
    Int,
    /// Some float.
    Float,
    /// Any type will do: the code is never reached.
    Dead,
}

/// The length of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Length {
    /// This number of elements.
    Known(u64),
    /// The value of a constant of the user's program.
    Constant(ConstId),
    /// The length of the types that it is unified with.
    Open,
}

impl Length {
    /// Returns the number, if it is known once the constants are.
    #[must_use]
    pub fn known(self, constants: &[Constant]) -> Option<u64> {
        match self {
            Length::Known(length) => Some(length),
            Length::Constant(constant) => constants.get(constant.0 as usize)?.words.first().copied(),
            Length::Open => None,
        }
    }
}

/// Returns the name of what remains of an array without some elements at its start and its end, as a field: `[1..2]`.
#[must_use]
pub fn rest_field(before: usize, after: usize) -> String {
    format!("[{before}..{after}]")
}

/// Returns the numbers in such a name.
#[must_use]
pub fn rest_of_field(name: &str) -> Option<(usize, usize)> {
    let (before, after) = name.strip_prefix('[')?.strip_suffix(']')?.split_once("..")?;
    Some((before.parse().ok()?, after.parse().ok()?))
}

/// A relation between types that the macro cannot know and others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the fields say what they are; the variants are documented")]
pub enum Relation {
    /// `ty` is the type that this entry of [`crate::spec::Source::types`] names.
    Names { ty: TyId, name: u32 },
    /// `ty` is the type of the constant.
    Constant { ty: TyId, constant: ConstId },
    /// Two types are the same. Only [`crate::compile`] makes this variant.
    Same { a: TyId, b: TyId },
    /// `ty` is the type of the field `name` of `of`; of an array, `[1..2]` is what remains without one element at its start and two at its
    /// end.
    Field { of: TyId, name: String, ty: TyId },
    /// `ty` is the type of what `of` gives one by one: it is an array or an `Option`.
    Element { of: TyId, ty: TyId },
    /// `of` is an enum with fields that has this variant.
    Variant { of: TyId, name: String },
    /// `ty` is what the call states for a parameter of the function by its number: a type, or an array of that length.
    States { function: CallId, generic: u32, ty: TyId },
    /// `result` is the type that the method returns for these operands.
    Method { receiver: TyId, name: String, args: Vec<TyId>, result: TyId },
    /// The function takes arguments of these types in this order (an array by the type of its elements) and returns `result`.
    Call { function: CallId, args: Vec<TyId>, result: TyId },
}
