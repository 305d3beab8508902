//! Checks that need to know the types.

use crate::front::diag::SourceSpan;
use crate::ir::open::TyId;
use crate::ir::{Arith, Compare, Logic, UnaryOp};
use crate::spec::Scalar;

/// The checks that need to know the types.
#[derive(Default)]
pub(crate) struct Checks {
    /// Whole numbers and floats, as written.
    pub(crate) literals: Vec<(Number, TyId, SourceSpan)>,
    /// Operators on types, and their positions.
    pub(crate) operators: Vec<(TypeCheck, SourceSpan)>,
    /// Variables whose type must be found, by name.
    pub(crate) named: Vec<(String, bool, TyId, SourceSpan)>,
}

/// An operator on types that inference has not found yet.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TypeCheck {
    Arith(Arith, TyId),
    ShiftAmount(Arith, TyId),
    Logic(Logic, TyId),
    Compare(Compare, TyId),
    Unary(UnaryOp, TyId),
    Cast(TyId, TyId),
    /// A value of `gpu_println!`.
    Printed(TyId),
    /// `To::from(x)`.
    From(TyId, TyId),
    /// A value that is indexed with `[..]`.
    Array(TyId),
    /// The value that a `for` iterates over.
    Elements(TyId),
    Index(TyId),
    Counter(TyId),
    /// A value that has to have an order, as `min` and `sort_unstable` need it.
    Ordered(TyId),
}

/// A number as written.
#[derive(Debug, Clone)]
pub(crate) enum Number {
    /// Whether it is negative, and its magnitude.
    Int(bool, u128),
    Float(String),
}

impl Number {
    /// Returns whether the number is a value of the type.
    pub(crate) fn fits(&self, scalar: Scalar) -> bool {
        match self {
            Number::Int(negative, value) => range(scalar)
                .is_some_and(|(least, most)| *value <= if *negative { least.unsigned_abs() } else { most as u128 }),
            Number::Float(text) if scalar == Scalar::F32 => text.parse::<f32>().is_ok_and(f32::is_finite),
            Number::Float(text) => text.parse::<f64>().is_ok_and(f64::is_finite),
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Int(negative, value) => write!(f, "{}{value}", if *negative { "-" } else { "" }),
            Number::Float(text) => text.fmt(f),
        }
    }
}

/// Returns the least and the greatest value of an integer type, by their bits: those of `u128::MAX` are those of -1.
pub(crate) fn range(scalar: Scalar) -> Option<(i128, i128)> {
    if !scalar.is_int() {
        return None;
    }
    let above = 128 - scalar.size() * 8;
    Some(match scalar.is_signed() {
        true => (i128::MIN >> above, i128::MAX >> above),
        false => (0, (u128::MAX >> above) as i128),
    })
}
