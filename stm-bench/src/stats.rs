//! The median of a few measurements, and their spread.

use serde::{Deserialize, Serialize};

/// A median with its spread.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The median: half of the values are not above it.
    pub median: f64,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
    /// The median distance from the median: unlike minimum and maximum, a single outlier does not determine it.
    pub mad: f64,
}

impl Spread {
    /// Returns the spread of some values; `None` if there are none.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Spread> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let median = middle(&sorted);
        let mut distances: Vec<f64> = sorted.iter().map(|value| (value - median).abs()).collect();
        distances.sort_by(f64::total_cmp);
        Some(Spread { median, min, max, mad: middle(&distances) })
    }
}

/// Returns the median of sorted values.
fn middle(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) { f64::midpoint(sorted[half - 1], sorted[half]) } else { sorted[half] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[3.0]), Some(Spread { median: 3.0, min: 3.0, max: 3.0, mad: 0.0 }));
        assert_eq!(Spread::of(&[9.0, 1.0, 2.0]), Some(Spread { median: 2.0, min: 1.0, max: 9.0, mad: 1.0 }));
        assert_eq!(Spread::of(&[1.0, 2.0, 4.0, 9.0]), Some(Spread { median: 3.0, min: 1.0, max: 9.0, mad: 1.5 }));
    }
}
