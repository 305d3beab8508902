//! The progress bar of a sweep, with the remaining time.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on standard error, where that is a terminal.
#[derive(Debug, Clone)]
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// Returns a bar without steps; with `silent` it is hidden.
    pub(crate) fn new(silent: bool) -> Bar {
        let target = if silent { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        let style = ProgressStyle::with_template("{elapsed:>4} [{bar:30}] {pos}/{len} runs, {eta} left  {msg}");
        bar.set_style(style.expect("the template is constant").progress_chars("=> "));
        Bar(bar)
    }

    /// Adds `steps` steps.
    pub(crate) fn more(&self, steps: u64) {
        self.0.inc_length(steps);
    }

    /// Returns the number of steps.
    #[cfg(test)]
    pub(crate) fn len(&self) -> u64 {
        self.0.length().unwrap_or(0)
    }

    /// Shows what is being done.
    pub(crate) fn say(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }

    /// Returns how many steps are done.
    pub(crate) fn done(&self) -> u64 {
        self.0.position()
    }

    /// Says how many steps are done.
    pub(crate) fn reach(&self, done: u64) {
        self.0.set_position(done);
    }

    pub(crate) fn end(&self) {
        self.0.finish_and_clear();
    }
}
