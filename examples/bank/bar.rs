//! A progress bar for runs that take long.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use stm_runtime::Batch;

/// Runs that are over sooner show no bar.
const LONG: Duration = Duration::from_millis(700);

/// Lets the batch move a bar on standard error, where that is a terminal.
pub(crate) fn attach(batch: &mut Batch) -> ProgressBar {
    let style = ProgressStyle::with_template("{elapsed:>4} [{bar:40}] {human_pos} of {human_len} transactions {msg}")
        .expect("the template is constant");
    let bar = ProgressBar::with_draw_target(Some(batch.len() as u64), ProgressDrawTarget::hidden());
    bar.set_style(style.progress_chars("=> "));
    let moved = bar.clone();
    batch.progress(move |progress| {
        if moved.is_hidden() && progress.elapsed > LONG {
            moved.set_draw_target(ProgressDrawTarget::stderr());
        }
        moved.set_position(progress.finished);
    });
    bar
}
