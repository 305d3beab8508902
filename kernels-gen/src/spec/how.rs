//! How a value is printed: what follows the `:` in the braces of a format.

/// A format of a value: `>8`, `04`, `.2`, `?`, `#x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct How {
    /// `?`, `x`, `X`, `b` or `o`; `None` prints as `{}`.
    pub kind: Option<char>,
    /// `<`, `^` or `>`.
    pub align: Option<char>,
    /// `+`
    pub plus: bool,
    /// `#`
    pub alternate: bool,
    /// `0` before the width.
    pub zero: bool,
    /// The least number of characters; 0 where none is given.
    pub width: usize,
    /// The number of digits after the point.
    pub precision: Option<usize>,
}

impl How {
    /// Parses a format; `None` if it is not one of these.
    #[must_use]
    pub fn parse(text: &str) -> Option<How> {
        let mut how = How { align: text.chars().next().filter(|c| "<^>".contains(*c)), ..How::default() };
        let mut rest = &text[usize::from(how.align.is_some())..];
        for (sign, flag) in [("+", &mut how.plus), ("#", &mut how.alternate), ("0", &mut how.zero)] {
            if let Some(after) = rest.strip_prefix(sign) {
                (*flag, rest) = (true, after);
            }
        }
        let digits = |rest: &str| rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (width, after) = rest.split_at(digits(rest));
        how.width = if width.is_empty() { 0 } else { width.parse::<u16>().ok()?.into() };
        rest = after;
        if let Some(after) = rest.strip_prefix('.') {
            let (precision, after) = after.split_at(digits(after));
            how.precision = Some(precision.parse::<u16>().ok()?.into());
            rest = after;
        }
        how.kind = match rest {
            "" => None,
            "?" => Some('?'),
            "x" | "X" | "b" | "o" if how.precision.is_none() => rest.chars().next(),
            _ => return None,
        };
        Some(how)
    }
}
