//! The methods of ASCII letters, of `u8` and `char`, and `cmp`: comparisons of numbers.

use syn::Expr;

use super::checks::TypeCheck;
use super::lower::{Lowered, Lowering};
use super::notes::Note;
use super::source_span::At;
use super::text;
use crate::infer::Class;
use crate::ir::open::{Atom, Rvalue, TyId};
use crate::ir::{Compare, Logic};
use crate::spec::{LocationKind, Scalar};

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

    /// Returns the result of a method that never faults.
    pub(super) fn wrapping(&mut self, whole: &Expr, method: &str, (value, ty): (Atom, TyId), other: Atom) -> Atom {
        let location = self.location(LocationKind::Arithmetic, text::of_expr(whole), whole);
        self.temp(Rvalue::Method(method.to_owned(), vec![value, other], location), ty, whole)
    }

    /// Gives a literal the type of an argument of `min`, `max` or `clamp`: they are methods of a trait.
    pub(super) fn agree_on_literal(&mut self, name: &str, literal: TyId, args: &[Atom]) {
        if matches!(self.infer.class(literal), Class::Int) && matches!(name, "min" | "max" | "clamp") {
            for atom in args {
                let ty = self.type_of(atom);
                _ = self.infer.unify(literal, ty);
            }
        }
    }

    /// Parses `a.cmp(&b)`: an `Ordering` is -1, 0 or 1.
    pub(super) fn compared(&mut self, whole: &Expr, value: Atom, argument: &Expr) -> Lowered {
        let other = self.scalar(argument);
        let (ty, have) = (self.type_of(&value), self.type_of(&other));
        if !self.same(ty, have, argument, |want, have| format!("`cmp` takes {want} here, but this is {have}")) {
            return Lowered::Failed;
        }
        self.checks.operators.push((TypeCheck::Compare(Compare::Lt, ty), whole.source_span()));
        if matches!(argument, Expr::Reference(_)) {
            let late = matches!(self.infer.class(ty), Class::Any);
            self.notes.expr(whole, Note::Compared { late });
        }
        let (truth, number) = (self.known(Scalar::Bool), self.known(Scalar::I8));
        let [less, more] = [Compare::Lt, Compare::Gt].map(|op| {
            let holds = self.temp(Rvalue::Compare(op, value.clone(), other.clone()), truth, whole);
            self.temp(Rvalue::Cast(holds, number), number, whole)
        });
        let sign = self.wrapping(whole, "wrapping_sub", (more, number), less);
        let ordering = self.named_type(&syn::parse_quote!(::core::cmp::Ordering));
        Lowered::Atom(self.temp(Rvalue::Cast(sign, ordering), ordering, whole))
    }
}
