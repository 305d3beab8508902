//! The methods of scalars that a transaction can call: one table for the type checker, the printers and the tests.
//!
//! The device computes them in `device/methods.cuh` and `device/methods_float.cuh`. A method `m` has the function
//! `rs_m`, or, where the result has several components, one function for each: `rs_m_is_some` and `rs_m_some` for an `Option`
//! (0 for `None`), `rs_m_0` and `rs_m_1` for a pair. All are defined for all operands. [`Faults`] lists the functions that
//! report a fault where Rust would panic.
//!
//! Rust leaves open which NaN arithmetic gives, and which zero `min` and `max` of `0.0` and `-0.0` give. A device and a CPU
//! may differ only there.

mod table;

use std::collections::BTreeSet;

use crate::spec::Scalar;

pub use table::{ASSOCIATED, BYTES, INEXACT, METHODS};

/// One method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// The types that have it.
    pub on: Receiver,
    /// The types of the arguments after the receiver.
    pub args: &'static [Operand],
    /// The type of its result.
    pub result: MethodResult,
    /// The conditions under which it faults.
    pub faults: Faults,
}

/// The types that have a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receiver {
    /// Every integer.
    Int,
    /// Every signed integer.
    Signed,
    /// Every unsigned integer.
    Unsigned,
    /// `f32` and `f64`.
    Float,
    /// `bool`.
    Bool,
}

/// The type of an argument, or of a component of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// The type of the receiver.
    Same,
    /// This type.
    Is(Scalar),
    /// The unsigned integer of the receiver's width.
    Unsigned,
    /// The signed integer of the receiver's width.
    Signed,
}

/// The result of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodResult {
    /// One scalar.
    One(Operand),
    /// An `Option` of it.
    Option(Operand),
    /// A pair.
    Pair(Operand, Operand),
}

/// The conditions under which a method faults. The device functions that decide return a `stm_fault`, or 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Faults {
    /// Never.
    Never,
    /// Where `rs_m_fault` returns one, in checked mode; otherwise the method wraps.
    WhenChecked,
    /// Where `rs_m_fault` returns one, in both modes.
    Always,
    /// Where `rs_m_fault` returns one, in both modes; else where `rs_m_overflow` does, in checked mode.
    Both,
}

impl Operand {
    /// Returns the type for a receiver of this type.
    #[must_use]
    pub const fn of(self, receiver: Scalar) -> Scalar {
        match self {
            Operand::Same => receiver,
            Operand::Is(scalar) => scalar,
            Operand::Unsigned => receiver.unsigned(),
            Operand::Signed => receiver.signed(),
        }
    }
}

impl Receiver {
    /// Returns whether the type has the method.
    #[must_use]
    pub const fn has(self, scalar: Scalar) -> bool {
        match self {
            Receiver::Int => scalar.is_int(),
            Receiver::Signed => scalar.is_signed(),
            Receiver::Unsigned => scalar.is_int() && !scalar.is_signed(),
            Receiver::Float => scalar.is_float(),
            Receiver::Bool => matches!(scalar, Scalar::Bool),
        }
    }
}

impl Method {
    /// Returns the method of that name for a type; or the function `T::name` without a receiver, whose arguments are all in
    /// [`Method::args`].
    #[must_use]
    pub fn find(name: &str, ty: Scalar) -> Option<&'static Method> {
        METHODS.iter().chain(ASSOCIATED).find(|m| m.name == name && m.on.has(ty))
    }

    /// Returns whether a method of that name faults for some type. On a CPU it is called through `ops`, which covers every type.
    #[must_use]
    pub fn may_fault(name: &str) -> bool {
        METHODS.iter().any(|m| m.name == name && m.faults != Faults::Never)
    }

    /// Returns the device functions of the components of the result, with the type of each.
    #[must_use]
    pub fn parts(&self, receiver: Scalar) -> Vec<(String, Scalar)> {
        let name = self.name;
        match self.result {
            MethodResult::One(one) => vec![(format!("rs_{name}"), one.of(receiver))],
            MethodResult::Option(some) => {
                vec![(format!("rs_{name}_is_some"), Scalar::Bool), (format!("rs_{name}_some"), some.of(receiver))]
            }
            MethodResult::Pair(a, b) => {
                vec![(format!("rs_{name}_0"), a.of(receiver)), (format!("rs_{name}_1"), b.of(receiver))]
            }
        }
    }

    /// Returns the device functions that report its faults: in both modes, and in checked mode only.
    #[must_use]
    pub fn fault_parts(&self) -> (Option<String>, Option<String>) {
        let (fault, overflow) = (format!("rs_{}_fault", self.name), format!("rs_{}_overflow", self.name));
        match self.faults {
            Faults::Never => (None, None),
            Faults::WhenChecked => (None, Some(fault)),
            Faults::Always => (Some(fault), None),
            Faults::Both => (Some(fault), Some(overflow)),
        }
    }
}

/// The built-in methods that are not in the table, and that a type of the user's program can have, too, with the number of arguments.
const OTHERS: [(&str, usize); 15] = [
    ("len", 0),
    ("is_some", 0),
    ("is_none", 0),
    ("unwrap_or", 1),
    ("unwrap_or_default", 0),
    ("or", 1),
    ("xor", 1),
    ("and", 1),
    ("is_ok", 0),
    ("is_err", 0),
    ("ok", 0),
    ("err", 0),
    (BYTES[0], 0),
    (BYTES[1], 0),
    (BYTES[2], 0),
];

/// Returns the number of a built-in method by its name, and that of its arguments.
#[must_use]
pub fn built_in(name: &str) -> (usize, usize) {
    let of_scalars = METHODS.iter().map(|method| (method.name, method.args.len()));
    let all = of_scalars.chain(OTHERS.iter().copied()).enumerate();
    all.filter(|(_, (known, _))| *known == name).map(|(k, (_, args))| (k, args)).next().unwrap_or((usize::MAX, 0))
}

/// Returns the name of the built-in method with that number.
///
/// # Panics
/// No built-in method has that number.
#[must_use]
pub const fn name_of(number: usize) -> &'static str {
    if number < METHODS.len() { METHODS[number].name } else { OTHERS[number - METHODS.len()].0 }
}

/// The suffixes of a method's name in the names of device functions.
const SUFFIXES: [&str; 7] = ["", "_is_some", "_some", "_0", "_1", "_fault", "_overflow"];

/// The methods whose device functions are in the prelude, because operators need them, too.
const IN_PRELUDE: [&str; 6] =
    ["wrapping_add", "wrapping_sub", "wrapping_mul", "wrapping_neg", "wrapping_shl", "wrapping_shr"];

/// Returns the name of the macro that enables a method in the device text.
#[must_use]
pub fn guard(name: &str) -> String {
    format!("RS_CALLS_{}", name.to_uppercase())
}

/// Returns the methods that the words of a device text call, each once, without those of the prelude.
#[must_use]
pub fn called<'a>(words: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'static str> {
    words.into_iter().filter_map(method_of).filter(|name| !IN_PRELUDE.contains(name)).collect()
}

/// Returns the method that a device function belongs to.
fn method_of(function: &str) -> Option<&'static str> {
    let word = function.strip_prefix("rs_")?;
    let named = |name: &str| METHODS.iter().chain(ASSOCIATED).find(|m| m.name == name).map(|m| m.name);
    SUFFIXES.iter().filter_map(|suffix| word.strip_suffix(suffix)).find_map(named)
}

#[cfg(test)]
mod tests;
