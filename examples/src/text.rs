//! Formats numbers for people.

/// Returns `1234567` as `1,234,567`.
#[must_use]
pub fn grouped(number: impl Into<i128>) -> String {
    let number = number.into();
    let digits = number.unsigned_abs().to_string();
    let mut text = String::from(if number < 0 { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a rate in millions, with three significant digits.
#[must_use]
pub fn millions(rate: f64) -> String {
    let millions = rate / 1e6;
    let digits = if millions >= 100.0 { 0 } else { 2 };
    format!("{millions:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_three() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(-1_000), "-1,000");
        assert_eq!(grouped(16_777_216_u64), "16,777,216");
    }

    #[test]
    fn rates() {
        assert_eq!(millions(5_123_456.0), "5.12");
        assert_eq!(millions(7.73e9), "7730");
    }
}
