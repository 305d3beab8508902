//! The text form of a tuning.

use std::fmt;

use super::result::{TrialStatus, Tuning, TuningTrial};
use crate::digits::grouped;

impl Tuning {
    /// Returns one line without the measurements: the choice and its reason.
    pub(crate) fn line(&self) -> String {
        let mut text = self.engine.to_string();
        let mut add = |what: String| text = format!("{text}, {what}");
        self.threads.into_iter().for_each(|threads| add(format!("{} threads", grouped(threads as u64))));
        self.lanes.into_iter().for_each(|lanes| add(format!("{lanes} lanes of a warp")));
        self.coverage.into_iter().for_each(|coverage| add(format!("{coverage} elements a lock")));
        format!("{text}: {}", self.reason)
    }
}

impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.line())?;
        if self.trials.is_empty() {
            return Ok(());
        }
        let engine = self.trials.iter().map(|trial| trial.engine.to_string().len()).max().unwrap_or(0).max(6);
        writeln!(
            f,
            "  round  {:engine$}  {:>8}  {:>5}  {:>6}  {:>10}  {:>10}  {:>10}  {:>10}  {:>10}",
            "engine", "threads", "lanes", "a lock", "transactions", "committed", "compile ms", "kernel ms", "million/s"
        )?;
        self.trials.iter().try_for_each(|trial| trial.write(f, engine))
    }
}

impl TuningTrial {
    fn write(&self, f: &mut fmt::Formatter<'_>, engine: usize) -> fmt::Result {
        write!(f, "  {:>5}  {:engine$}  ", self.round, self.engine)?;
        match &self.ended {
            TrialStatus::Refused(why) => return writeln!(f, "refused: {why}"),
            TrialStatus::GivenUp(why) if self.transactions == 0 => return writeln!(f, "not tried: {why}"),
            _ => {}
        }
        let coverage = self.coverage.map_or("-".into(), |coverage| coverage.to_string());
        let [compile, kernel] = [self.compile, self.kernel].map(|time| 1e3 * time.as_secs_f64());
        let (transactions, committed) = (grouped(self.transactions), grouped(self.committed));
        write!(f, "{:>8}  {:>5}  {coverage:>6}  {transactions:>10}  ", grouped(self.threads), self.lanes)?;
        write!(f, "{committed:>10}  {compile:>10.1}  {kernel:>10.3}  {:>10.3}", self.rate() / 1e6)?;
        match &self.ended {
            TrialStatus::GivenUp(why) => writeln!(f, "  given up: {why}"),
            _ => writeln!(f),
        }
    }
}
