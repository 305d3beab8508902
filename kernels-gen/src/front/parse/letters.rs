//! The methods of letters, of `u8` and `char`: comparisons of numbers.

use syn::Expr;

use super::lower::{Lowered, Lowering};
use super::tree::strip;
use crate::front::diag::Rule;
use crate::infer::Class;
use crate::ir::open::{Atom, Rvalue, StmtKind, TyId};
use crate::ir::{Compare, Logic};
use crate::spec::Scalar;

const CAPITALS: (u32, u32) = (65, 90);
const SMALL: (u32, u32) = (97, 122);
const DIGITS: (u32, u32) = (48, 57);

/// The tests of letters, with the ranges of numbers that pass.
const TESTS: [(&str, &[(u32, u32)]); 12] = [
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
    ("is_whitespace", &WHITE),
];

/// The white space of Unicode, which has not changed since its version 6.3.
const WHITE: [(u32, u32); 10] = [
    (9, 13),
    (32, 32),
    (0x85, 0x85),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
];

/// What to write instead of another function of `char`.
const FUNCTIONS: &str = "those of `char` here are `char::from`, `char::from_u32` and `char::from_digit`";

/// The methods that change the case, with the letters that change.
const CHANGES: [(&str, (u32, u32)); 2] = [("to_ascii_lowercase", CAPITALS), ("to_ascii_uppercase", SMALL)];

/// Returns whether it is a method of `char` alone, with that number of arguments.
pub(super) fn is_of_char(name: &str, arguments: usize) -> bool {
    matches!((name, arguments), ("to_digit" | "is_digit", 1) | ("len_utf8", 0))
}

/// Returns whether it is the name of a method of letters without arguments.
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

    /// Parses a method of `char` alone.
    pub(super) fn of_char(&mut self, whole: &Expr, name: &str, letter: Atom, args: &[&Expr]) -> Lowered {
        let (number, usize) = (self.known(Scalar::U32), self.known(Scalar::Usize));
        let code = self.temp(Rvalue::Cast(letter, number), number, whole);
        let Some(radix) = args.first() else {
            // Each of these is the first that needs one more byte.
            let mut length = Atom::Int(1, usize);
            for first in [0x80, 0x800, 0x1_0000] {
                let more = self.inside(whole, &code, (first, 0x10_FFFF));
                let more = self.temp(Rvalue::Cast(more, usize), usize, whole);
                length = self.wrapping(whole, "wrapping_add", (length, usize), more);
            }
            return Lowered::Atom(length);
        };
        let Some(radix) = self.radix(radix, name) else { return Lowered::Failed };
        let truth = self.known(Scalar::Bool);
        let decimal = self.inside(whole, &code, (48, 47 + radix.min(10)));
        let digit = self.wrapping(whole, "wrapping_sub", (code.clone(), number), Atom::Int(48, number));
        let (mut is_digit, mut value) = (decimal.clone(), digit);
        if radix > 10 {
            // The two cases of a letter differ by the bit 32.
            let small = self.temp(Rvalue::Logic(Logic::Or, code, Atom::Int(32, number)), number, whole);
            let letter = self.inside(whole, &small, (97, 86 + radix));
            is_digit = self.temp(Rvalue::Logic(Logic::Or, decimal.clone(), letter), truth, whole);
            let high = self.wrapping(whole, "wrapping_sub", (small, number), Atom::Int(87, number));
            value = self.chosen(whole, decimal, number, (Rvalue::Use(value), Rvalue::Use(high)));
        }
        if name == "is_digit" {
            return Lowered::Atom(is_digit);
        }
        let option = self.infer.fresh(Class::Option(number));
        Lowered::Atom(self.chosen(whole, is_digit, option, (Rvalue::Some(value), Rvalue::None)))
    }

    /// Parses `char::from_u32(x)`, `char::from_digit(x, 10)` or `char::from(x)`.
    pub(super) fn char_of(&mut self, whole: &Expr, name: &str, args: &[&Expr]) -> Lowered {
        let (letter, number) = (self.written_type(&syn::parse_quote!(char)), self.known(Scalar::U32));
        let (valid, code) = match (name, args) {
            ("from", [argument]) => {
                let operand = self.scalar(argument);
                return Lowered::Atom(self.temp(Rvalue::Cast(operand, letter), letter, whole));
            }
            ("from_u32", [argument]) => {
                let code = self.letter_code(argument, name);
                let [low, high] = [(0, 0xD7FF), (0xE000, 0x10_FFFF)].map(|range| self.inside(whole, &code, range));
                let truth = self.known(Scalar::Bool);
                (self.temp(Rvalue::Logic(Logic::Or, low, high), truth, whole), code)
            }
            ("from_digit", [argument, radix]) => {
                let digit = self.letter_code(argument, name);
                let Some(radix) = self.radix(radix, name) else { return Lowered::Failed };
                let valid = self.inside(whole, &digit, (0, radix - 1));
                let decimal = self.inside(whole, &digit, (0, 9));
                let [low, high] = [48, 87].map(|first| {
                    self.wrapping(whole, "wrapping_add", (digit.clone(), number), Atom::Int(first, number))
                });
                (valid, self.chosen(whole, decimal, number, (Rvalue::Use(low), Rvalue::Use(high))))
            }
            _ => {
                let message = format!("`char::{name}` has no meaning on the device; {FUNCTIONS}");
                self.diags.report(Rule::Method, whole, message);
                return Lowered::Failed;
            }
        };
        let option = self.infer.fresh(Class::Option(letter));
        let made = self.temp(Rvalue::Cast(code, letter), letter, whole);
        Lowered::Atom(self.chosen(whole, valid, option, (Rvalue::Some(made), Rvalue::None)))
    }

    fn letter_code(&mut self, argument: &Expr, name: &str) -> Atom {
        let code = self.scalar(argument);
        self.expect(Scalar::U32, &code, argument, &format!("the argument of `char::{name}`"));
        self.freeze(code, argument)
    }

    /// Returns the base of digits. A literal cannot be out of range when it runs.
    fn radix(&mut self, expr: &Expr, name: &str) -> Option<u32> {
        let number = match strip(expr) {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => int.base10_parse().ok(),
            _ => None,
        };
        let number = number.filter(|number| (2..=36).contains(number));
        if number.is_none() {
            let message = format!("the radix of `{name}` is a literal from 2 to 36 here, as in `{name}(.., 10)`");
            self.diags.report(
                Rule::Method,
                expr,
                message.replace("to_digit(.., ", "to_digit(").replace("is_digit(.., ", "is_digit("),
            );
        }
        number
    }

    /// Returns one of two values.
    pub(super) fn chosen(&mut self, whole: &Expr, condition: Atom, ty: TyId, (yes, no): (Rvalue, Rvalue)) -> Atom {
        let var = self.var(None, ty, false);
        self.push(StmtKind::Declare { var }, whole);
        let [then, other] = [yes, no].map(|value| {
            let give = |this: &mut Self| {
                let value = this.temp(value, ty, whole);
                this.push(StmtKind::Assign { var, steps: Vec::new(), value }, whole);
            };
            self.block(give).0.stmts
        });
        self.push(StmtKind::If { condition, then, other }, whole);
        Atom::Var(var)
    }

    /// Returns whether a number is in the range, both ends included.
    fn inside(&mut self, whole: &Expr, code: &Atom, (least, most): (u32, u32)) -> Atom {
        let (number, truth) = (self.known(Scalar::U32), self.known(Scalar::Bool));
        let above = self.wrapping(whole, "wrapping_sub", (code.clone(), number), Atom::Int(least.into(), number));
        self.temp(Rvalue::Compare(Compare::Le, above, Atom::Int((most - least).into(), number)), truth, whole)
    }
}
