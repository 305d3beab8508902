//! Operands and operations.

use crate::ir::{Arith, ArrayId, Compare, LocationId, Logic, UnaryOp, VarId};
use crate::spec::Scalar;

/// An operand: evaluating it has no effect and cannot fail.
#[derive(Debug, Clone, PartialEq)]
pub enum Atom {
    /// The present value of a variable.
    Var(VarId),
    /// A whole number; of an enum, its discriminant.
    Int(i128, Scalar),
    /// A float as written, without underscores and suffix, perhaps with a sign.
    Float(String, Scalar),
    /// A float by its bits, because it is not a finite number that can be written.
    Bits(u64, Scalar),
    /// `true` or `false`.
    Bool(bool),
}

/// One operation on atoms.
#[derive(Debug, Clone, PartialEq)]
pub enum Rvalue {
    /// A copy.
    Use(Atom),
    /// `!a`, or `-a` of a float or an integer; the latter has a location.
    Unary(UnaryOp, Atom, Option<LocationId>),
    /// `a + b` and the like; of integers with a location, because it can fault.
    Arith(Arith, Atom, Atom, Option<LocationId>),
    /// `a & b`, `a | b`, `a ^ b`, of integers or booleans.
    Logic(Logic, Atom, Atom),
    /// `a < b` and the like.
    Compare(Compare, Atom, Atom),
    /// `a as T`.
    Cast(Atom, Scalar),
    /// `[a, b, c]`, of the variable's type.
    Array(Vec<Atom>),
    /// `[a; N]`, of the variable's type.
    Repeat(Atom),
    /// `a[i]` of an array variable; an index out of range is a fault.
    Element(VarId, Atom, LocationId),
    /// The length of a shared array. It never changes during a run.
    Length(ArrayId),
    /// The function of the device prelude of that name, defined for all operands.
    Device(String, Vec<Atom>),
}

impl Atom {
    /// Returns an unsigned integer as an atom.
    pub(crate) fn int(value: u64, scalar: Scalar) -> Atom {
        Atom::Int(i128::from(value), scalar)
    }
}

impl Rvalue {
    /// Returns the source location of its possible fault.
    #[must_use]
    pub fn location(&self) -> Option<LocationId> {
        match self {
            Rvalue::Unary(.., location) | Rvalue::Arith(.., location) => *location,
            Rvalue::Element(.., location) => Some(*location),
            _ => None,
        }
    }
}
