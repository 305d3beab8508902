//! The progress bar of a sweep, with the remaining time.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on standard error, where that is a terminal.
#[derive(Debug, Clone)]
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// Returns a bar without steps; with `silent` it is hidden.
    pub(crate) fn new(silent: bool) -> Bar {
        let bar = if silent { ProgressBar::hidden() } else { ProgressBar::new(0) };
        let style = ProgressStyle::with_template("{elapsed:>4} [{bar:30}] {pos}/{len} runs, {eta} left  {msg}");
        bar.set_style(style.expect("the template is constant").progress_chars("=> "));
        Bar(bar)
    }

    /// Adds `steps` steps.
    pub(crate) fn more(&self, steps: u64) {
        self.0.inc_length(steps);
    }

    /// Shows an activity that is not a step.
    pub(crate) fn say(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }

    /// Begins a step.
    pub(crate) fn step(&self, what: &str) {
        self.0.set_message(what.to_owned());
        self.0.inc(1);
    }

    pub(crate) fn end(&self) {
        self.0.finish_and_clear();
    }
}
