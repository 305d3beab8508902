//! The methods of ASCII letters, of `u8` and `char`: comparisons of numbers.

use syn::Expr;

use super::lower::{Lowered, Lowering};
use crate::infer::Class;
use crate::ir::open::{Atom, Rvalue};
use crate::ir::{Compare, Logic};
use crate::spec::Scalar;

const CAPITALS: (u32, u32) = (65, 90);
const SMALL: (u32, u32) = (97, 122);
const DIGITS: (u32, u32) = (48, 57);

/// The tests of letters, with the ranges of numbers that pass.
const TESTS: [(&str, &[(u32, u32)]); 11] = [
    ("is_ascii", &[(0, 127)]),
    ("is_ascii_alphabetic", &[CAPITALS, SMALL]),
    ("is_ascii_alphanumeric", &[CAPITALS, SMALL, DIGITS]),
    ("is_ascii_control", &[(0, 31), (127, 127)]),
    ("is_ascii_digit", &[DIGITS]),
    ("is_ascii_graphic", &[(33, 126)]),
    ("is_ascii_hexdigit", &[DIGITS, (65, 70), (97, 102)]),
    ("is_ascii_lowercase", &[SMALL]),
    ("is_ascii_punctuation", &[(33, 47), (58, 64), (91, 96), (123, 126)]),
    ("is_ascii_uppercase", &[CAPITALS]),
    ("is_ascii_whitespace", &[(9, 10), (12, 13), (32, 32)]),
];

/// The methods that change the case, with the letters that change.
const CHANGES: [(&str, (u32, u32)); 2] = [("to_ascii_lowercase", CAPITALS), ("to_ascii_uppercase", SMALL)];

/// Returns whether it is the name of such a method.
pub(super) fn is_of_letters(name: &str) -> bool {
    TESTS.iter().any(|(known, _)| *known == name) || CHANGES.iter().any(|(known, _)| *known == name)
}

impl Lowering<'_> {
    /// Returns whether it is a method of letters, and the receiver may be one. rustc checks that it is.
    pub(super) fn is_of_letter(&mut self, name: &str, receiver: &Atom) -> bool {
        let ty = self.type_of(receiver);
        is_of_letters(name) && !matches!(self.infer.class(ty), Class::Known(scalar) if *scalar != Scalar::U8)
    }

    /// Parses a method of letters.
    pub(super) fn of_letter(&mut self, whole: &Expr, name: &str, letter: Atom) -> Lowered {
        let (ty, number) = (self.type_of(&letter), self.known(Scalar::U32));
        let code = self.temp(Rvalue::Cast(letter, number), number, whole);
        if let Some((_, ranges)) = TESTS.iter().find(|(known, _)| *known == name) {
            let truth = self.known(Scalar::Bool);
            let mut passes = Atom::Bool(false);
            for range in *ranges {
                let inside = self.inside(whole, &code, *range);
                passes = self.temp(Rvalue::Logic(Logic::Or, passes, inside), truth, whole);
            }
            return Lowered::Atom(passes);
        }
        // The two cases of a letter differ by the bit 32.
        let range = if name == CHANGES[0].0 { CHANGES[0].1 } else { CHANGES[1].1 };
        let inside = self.inside(whole, &code, range);
        let bit = self.temp(Rvalue::Cast(inside, number), number, whole);
        let bit = self.wrapping(whole, "wrapping_shl", (bit, number), Atom::Int(5, number));
        let changed = self.temp(Rvalue::Logic(Logic::Xor, code, bit), number, whole);
        Lowered::Atom(self.temp(Rvalue::Cast(changed, ty), ty, whole))
    }

    /// Returns whether a number is in the range, both ends included.
    fn inside(&mut self, whole: &Expr, code: &Atom, (least, most): (u32, u32)) -> Atom {
        let (number, truth) = (self.known(Scalar::U32), self.known(Scalar::Bool));
        let above = self.wrapping(whole, "wrapping_sub", (code.clone(), number), Atom::Int(least.into(), number));
        self.temp(Rvalue::Compare(Compare::Le, above, Atom::Int((most - least).into(), number)), truth, whole)
    }
}
