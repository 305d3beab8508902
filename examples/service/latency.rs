//! How long transfers take from their submission to their outcome.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

/// Times of some transfers, in the order in which they ended.
#[derive(Debug, Default)]
pub(crate) struct Latencies(Mutex<Vec<Duration>>);

/// Milliseconds that a share of the times does not exceed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Percentiles {
    pub(crate) samples: usize,
    pub(crate) p50: f64,
    pub(crate) p90: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    pub(crate) max: f64,
}

impl Latencies {
    pub(crate) fn add(&self, latency: Duration) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(latency);
    }

    /// Returns the percentiles of those from this one on.
    pub(crate) fn since(&self, first: usize) -> Percentiles {
        let mut some = self.0.lock().unwrap_or_else(PoisonError::into_inner)[first..].to_vec();
        some.sort_unstable();
        let at = |thousandths: usize| {
            let place = (some.len() * thousandths / 1000).min(some.len().saturating_sub(1));
            some.get(place).map_or(0.0, |time| 1e3 * time.as_secs_f64())
        };
        Percentiles { samples: some.len(), p50: at(500), p90: at(900), p99: at(990), p999: at(999), max: at(1000) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_samples_that_are_asked_for() {
        let latencies = Latencies::default();
        assert_eq!(latencies.since(0), Percentiles::default());
        (0..2000_u64).rev().for_each(|nth| latencies.add(Duration::from_millis(nth)));
        let (p50, p90, p99, p999, max) = (1000.0, 1800.0, 1980.0, 1998.0, 1999.0);
        assert_eq!(latencies.since(0), Percentiles { samples: 2000, p50, p90, p99, p999, max });
        assert_eq!((latencies.since(1990).samples, latencies.since(1990).max), (10, 9.0));
    }
}
