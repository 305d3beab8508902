//! Operands and operations.

use serde::{Deserialize, Serialize};

use super::{ConstId, TyId};
use crate::ir::{Arith, ArrayId, Compare, LocationId, Logic, UnaryOp, VarId};

/// An operand: evaluating it has no effect and cannot fail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Atom {
    /// The present value of a variable.
    Var(VarId),
    /// A whole number; of an enum, its discriminant.
    Int(i128, TyId),
    /// A float as written, without underscores and suffix, perhaps with a sign.
    Float(String, TyId),
    /// A float by its bits, because it is not a finite number that can be written.
    Bits(u64, TyId),
    /// `true` or `false`.
    Bool(bool),
    /// `()`.
    Unit,
}

/// One operation on atoms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Rvalue {
    /// A copy.
    Use(Atom),
    /// `!a`, or `-a` of a float or an integer; the latter has a location.
    Unary(UnaryOp, Atom, Option<LocationId>),
    /// `a + b` and the like; of integers with a location, because it can fault.
    Arith(Arith, Atom, Atom, Option<LocationId>),
    /// `a & b`, `a | b`, `a ^ b`, of integers or booleans.
    Logic(Logic, Atom, Atom),
    /// `a < b` and the like. `==` and `!=` also of compound values.
    Compare(Compare, Atom, Atom),
    /// `a as T`. Also of an enum.
    Cast(Atom, TyId),
    /// `[a, b, c]`, of the variable's type.
    Array(Vec<Atom>),
    /// `[a; N]`, of the variable's type.
    Repeat(Atom),
    /// `a[i]` of an array; an index out of range is a fault.
    Element(Atom, Atom, LocationId),
    /// `&a[start..end]` of an array, perhaps of a part of one: a view, whose type is that of the array. Bounds out of range are a fault.
    Slice(Atom, Atom, Atom, LocationId),
    /// `(a, b)`.
    Tuple(Vec<Atom>),
    /// A record of the variable's type. Fields in the order of the source; those left out come from the base.
    Record(Vec<(String, Atom)>, Option<Atom>),
    /// `Some(a)`.
    Some(Atom),
    /// `None`, of the variable's type.
    None,
    /// A field of a record, or of a tuple (`0`, `1` and so on).
    Field(Atom, String),
    /// Whether the `Option` holds a value, or the `Result` is `Ok`.
    IsSome(Atom),
    /// The value in the `Option` or in the `Ok`, where it is known to hold one.
    Inner(Atom),
    /// The variant of an enum with fields or of a `Result`, of the variable's type; the fields are named `Circle.radius`.
    Variant(String, Vec<(String, Atom)>),
    /// Whether an enum with fields is this variant.
    IsVariant(Atom, String),
    /// A constant of the user's program.
    Constant(ConstId),
    /// `&rooms.free`: a name for an array, or for a field of one. Its value says which of the arrays of the transaction it is.
    Shared(ArrayId, Vec<String>),
    /// The length of an array; a field has the length of its array. It never changes during a run.
    Length(ArrayId),
    /// A method or associated function of a scalar, with the source location of its possible fault.
    Method(String, Vec<Atom>, LocationId),
    /// `Default::default()` of the variable's type.
    Default,
}

/// One step from a variable to a part of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Step {
    /// The field of that name, or the part of a tuple.
    Field(String),
    /// The element; an index out of range is a fault.
    Element(Atom, LocationId),
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Arg {
    /// A value.
    Value(Atom),
    /// An array, or a field of one.
    Array(ArrayId, Vec<String>),
    /// `&mut` a variable or a part of it; where the function takes a value, its present value.
    Place(VarId, Vec<Step>),
    /// The receiver of a method, which the other arguments may change: the place, and the value that it had before.
    Receiver(VarId, Vec<Step>, Atom),
}

/// A part of what `gpu_println!` prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Piece {
    /// Literal text.
    Text(String),
    /// The value, and what follows the `:` in its braces.
    Value(Atom, String),
}

impl Rvalue {
    /// Returns the atoms that it uses.
    #[must_use]
    pub fn atoms(&self) -> Vec<&Atom> {
        match self {
            Rvalue::Use(a)
            | Rvalue::Unary(_, a, _)
            | Rvalue::Cast(a, _)
            | Rvalue::Repeat(a)
            | Rvalue::Some(a)
            | Rvalue::Field(a, _)
            | Rvalue::IsSome(a)
            | Rvalue::IsVariant(a, _)
            | Rvalue::Inner(a) => vec![a],
            Rvalue::Arith(_, a, b, _)
            | Rvalue::Logic(_, a, b)
            | Rvalue::Compare(_, a, b)
            | Rvalue::Element(a, b, _) => vec![a, b],
            Rvalue::Slice(a, start, end, _) => vec![a, start, end],
            Rvalue::Array(atoms) | Rvalue::Tuple(atoms) | Rvalue::Method(_, atoms, _) => atoms.iter().collect(),
            Rvalue::Variant(_, fields) => fields.iter().map(|(_, a)| a).collect(),
            Rvalue::Record(fields, base) => fields.iter().map(|(_, a)| a).chain(base).collect(),
            Rvalue::None | Rvalue::Constant(_) | Rvalue::Shared(..) | Rvalue::Length(_) | Rvalue::Default => Vec::new(),
        }
    }

    /// Returns the source location of its possible fault.
    #[must_use]
    pub fn location(&self) -> Option<LocationId> {
        match self {
            Rvalue::Unary(.., location) | Rvalue::Arith(.., location) => *location,
            Rvalue::Element(.., location) | Rvalue::Slice(.., location) | Rvalue::Method(.., location) => {
                Some(*location)
            }
            _ => None,
        }
    }
}
