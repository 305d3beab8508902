//! Numbers as people read them.

use indicatif::{HumanBytes, HumanCount};

/// Returns `1234567` as `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

/// Returns a rate in millions, with three significant digits.
pub(crate) fn rate(rate: f64) -> String {
    digits(rate / 1e6)
}

/// Returns a number with three significant digits, without an exponent.
pub(crate) fn digits(value: f64) -> String {
    let before = if value.abs() >= 1.0 { value.abs().log10().floor() as usize + 1 } else { 0 };
    let behind = match value.abs() {
        0.0 => 0,
        small if small < 1.0 => 3 + (-small.log10()).floor().max(0.0) as usize,
        _ => 3_usize.saturating_sub(before),
    };
    format!("{value:.behind$}")
}

/// Returns a number for an axis: `5k`, `2.6M`, `0.01`.
pub(crate) fn short(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        v if v >= 1e9 => (value / 1e9, "G"),
        v if v >= 1e6 => (value / 1e6, "M"),
        v if v >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let rounded = if scaled.abs() >= 100.0 { (scaled * 10.0).round() / 10.0 } else { (scaled * 1e9).round() / 1e9 };
    let text = digits(rounded);
    // Trailing zeros carry no information on an axis.
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text };
    format!("{text}{unit}")
}

pub(super) fn bytes(count: u64) -> String {
    HumanBytes(count).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(16_777_216), "16,777,216");
        assert_eq!((rate(7.73e9), rate(5_123_456.0), rate(41_234.0)), ("7730".into(), "5.12".into(), "0.0412".into()));
        let on_axis = [0.0, 0.01, 0.5, 2.0, 20.0, 256.0, 1280.0, 10_000.0, 2_621_440.0, 5e9].map(short);
        assert_eq!(on_axis, ["0", "0.01", "0.5", "2", "20", "256", "1280", "10k", "2.62M", "5G"]);
        assert_eq!((bytes(1023), bytes(3 << 19)), ("1023 B".into(), "1.50 MiB".into()));
    }
}
