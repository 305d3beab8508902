//! A progress bar for runs that take long.

use std::time::Duration;

use gpu_transactions::RunOptions;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The duration after which a bar is shown.
const LONG: Duration = Duration::from_millis(700);

/// Returns a bar for a batch of that many transactions, which is not shown yet.
pub(crate) fn hidden(transactions: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{elapsed:>4} [{bar:40}] {human_pos} of {human_len} transactions {msg}")
        .expect("the template is constant");
    let bar = ProgressBar::with_draw_target(Some(transactions as u64), ProgressDrawTarget::hidden());
    bar.set_style(style.progress_chars("=> "));
    bar
}

/// Lets the run move the bar on standard error, where that is a terminal.
pub(crate) fn attach(bar: &ProgressBar, options: RunOptions) -> RunOptions {
    let moved = bar.clone();
    options.progress(move |progress| {
        if moved.is_hidden() && progress.elapsed > LONG {
            moved.set_draw_target(ProgressDrawTarget::stderr());
        }
        moved.set_position(progress.finished);
    })
}
