//! A parameter that selects a procedure: a footprint is known at compile time, so each size is a separate procedure.

use std::fmt;
use std::str::FromStr;

/// A power of two from `LEAST` to `MOST`, which are powers of two themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size<const LEAST: u32, const MOST: u32>(u32);

impl<const LEAST: u32, const MOST: u32> Size<LEAST, MOST> {
    /// Returns that number, if it is one of them.
    #[must_use]
    pub fn new(number: u32) -> Option<Self> {
        (number.is_power_of_two() && (LEAST..=MOST).contains(&number)).then_some(Size(number))
    }

    /// Returns the number.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0
    }
}

impl<const LEAST: u32, const MOST: u32> FromStr for Size<LEAST, MOST> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.parse().ok().and_then(Size::new);
        number.ok_or_else(|| format!("use a power of two from {LEAST} to {MOST}"))
    }
}

impl<const LEAST: u32, const MOST: u32> fmt::Display for Size<LEAST, MOST> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Parses Zipf's exponent.
pub(super) fn exponent(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=10.0).contains(number));
    number.ok_or_else(|| "use a number from 0 to 10".to_owned())
}

/// Parses a percentage with decimals.
pub(super) fn percentage(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "use a number from 0 to 100".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_powers_of_two_in_the_range() {
        let sizes = ["2", "128", "1", "256", "3", "0", "x"].map(|text| text.parse::<Size<2, 128>>().map(Size::get));
        let wrong = || Err("use a power of two from 2 to 128".to_owned());
        assert_eq!(sizes, [Ok(2), Ok(128), wrong(), wrong(), wrong(), wrong(), wrong()]);
    }
}
