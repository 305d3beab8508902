//! Letters: `char`s, what they are made of, and numbers from them.

use kernels_gen::spec::Scalar;

use super::expr::Gen;
use super::types::Ty;

/// Letters with one byte and with several, and the ends of ranges.
pub(super) const LETTERS: &[&str] = &["'a'", "'Z'", "'7'", "' '", "'f'", "'@'", "'\\n'", "'\\u{e9}'", "'\\u{1f600}'"];

impl Gen<'_> {
    pub(super) fn letter(&mut self, depth: usize) -> String {
        let (byte, number) = (Ty::Scalar(Scalar::U8), Ty::Scalar(Scalar::U32));
        match self.dice.below(7) {
            0 => format!("({} as char)", self.expr(&byte, depth)),
            1 => format!("char::from({})", self.expr(&byte, depth)),
            2 => format!("char::from_u32({}).unwrap_or({})", self.expr(&number, depth), self.component(&Ty::Char)),
            3 => format!("char::from_digit({} % 12, 10).unwrap_or('x')", self.typed(&number, depth)),
            4 => format!("{}.to_ascii_uppercase()", self.typed(&Ty::Char, depth)),
            5 => format!("{}.to_ascii_lowercase()", self.typed(&Ty::Char, depth)),
            _ => format!("{}.max({})", self.typed(&Ty::Char, depth), self.component(&Ty::Char)),
        }
    }

    /// Returns a number from a letter.
    pub(super) fn of_letter(&mut self, scalar: Scalar, depth: usize) -> Option<String> {
        if !self.by_rustc(100) {
            return None;
        }
        let (letter, name) = (self.typed(&Ty::Char, depth), scalar.rust());
        Some(match self.dice.below(5) {
            0 => format!("({letter}.to_digit({}).unwrap_or(3) as {name})", self.dice.pick(&[2, 10, 16, 36])),
            1 => format!("({letter}.len_utf8() as {name})"),
            2 => format!("(u32::from({letter}) as {name})"),
            3 => format!("(match {letter} {{ 'a'..='m' | '0'..='4' => 1_{name}, ' ' => 2, _ => 3 }})"),
            _ => format!("({letter} as {name})"),
        })
    }

    /// Returns a truth about a letter.
    pub(super) fn about_letter(&mut self, depth: usize) -> String {
        const TESTS: [&str; 8] = [
            "is_ascii()",
            "is_ascii_digit()",
            "is_ascii_alphabetic()",
            "is_ascii_uppercase()",
            "is_ascii_punctuation()",
            "is_whitespace()",
            "is_digit(16)",
            "is_ascii_control()",
        ];
        let letter = self.typed(&Ty::Char, depth);
        match self.dice.chance(20) {
            true => format!("{letter}.eq_ignore_ascii_case(&{})", self.typed(&Ty::Char, depth)),
            false => format!("{letter}.{}", self.dice.pick(&TESTS)),
        }
    }

    pub(super) fn letter_pattern(&mut self) -> String {
        const PATTERNS: [&str; 6] = ["'a'..='m'", "'7'", "'0'..='9' | '@'", "..='Z'", "'n'..", "' ' | '\\n'"];
        (*self.dice.pick(&PATTERNS)).to_owned()
    }
}
