//! Literals of device code.

use crate::ir::flat::{Atom, Transaction};
use crate::spec::Scalar;

use super::names;

/// Returns an atom as C++ writes it.
pub(super) fn atom(tx: &Transaction, atom: &Atom) -> String {
    match atom {
        Atom::Var(var) => names::var(tx, *var),
        Atom::Int(value, ty) => int(*value, *ty),
        Atom::Float(text, ty) => float(text, *ty),
        Atom::Bits(word, ty) => bits(*word, *ty),
        Atom::Bool(value) => value.to_string(),
    }
}

/// Returns an integer literal of a type. C has no negative literals, hence the form of the least 64-bit value.
pub(super) fn int(value: i128, scalar: Scalar) -> String {
    let ty = scalar.cuda();
    if scalar.is_wide() {
        return format!("rs_wide<{ty}>({}ull, {}ull)", value as u64, (value >> 64) as u64);
    }
    if value == i128::from(i64::MIN) {
        return format!("({ty})(-9223372036854775807ll - 1)");
    }
    let suffix = if value > i128::from(i64::MAX) { "ull" } else { "" };
    format!("({ty}){value}{suffix}")
}

/// Returns a float literal that reads back as the same bits: Rust prints the shortest decimal that does.
pub(super) fn float(text: &str, scalar: Scalar) -> String {
    match scalar {
        Scalar::F32 => format!("(f32){:?}f", text.parse::<f32>().unwrap_or_default()),
        _ => format!("(f64){:?}", text.parse::<f64>().unwrap_or_default()),
    }
}

/// Returns a float that has no literal: an infinity or NaN.
pub(super) fn bits(word: u64, scalar: Scalar) -> String {
    format!("stm_word<{}>::to({word}ull)", scalar.cuda())
}

#[cfg(test)]
mod tests;
