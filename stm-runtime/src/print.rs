//! The destination of the lines of `gpu_println!`. A failed output does not disturb the run.

use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Takes lines, without their ends.
pub(crate) type LineFn = Arc<dyn Fn(&str) + Send + Sync>;

/// The lines of one run.
#[derive(Default)]
pub(crate) struct Printer {
    /// Takes the lines instead of standard output.
    to: Option<LineFn>,
    /// Whether standard output has failed. Nothing more is written then, so that the run does not become slower.
    is_gone: AtomicBool,
    why: OnceLock<String>,
    unwritten: AtomicU64,
    /// Lines lost for lack of room on the device.
    lost: AtomicU64,
}

impl Printer {
    pub(crate) fn new(to: Option<LineFn>) -> Printer {
        Printer { to, ..Printer::default() }
    }

    /// Prints a line. It is not formatted if the output has failed.
    pub(crate) fn line(&self, line: fmt::Arguments<'_>) {
        if let Some(to) = &self.to {
            return to(&line.to_string());
        }
        if !self.is_gone.load(Ordering::Relaxed) {
            match write_line(line) {
                Ok(()) => return,
                Err(why) => {
                    self.is_gone.store(true, Ordering::Relaxed);
                    let _ = self.why.set(why.to_string());
                }
            }
        }
        self.unwritten.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts lines lost on a device.
    pub(crate) fn lose(&self, lines: u64) {
        self.lost.fetch_add(lines, Ordering::Relaxed);
    }

    /// Returns the notes for users after the run: the number of missing lines, and the reason.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let lost = self.lost.load(Ordering::Relaxed);
        if lost > 0 {
            notes.push(format!(
                "lines of `gpu_println!` that did not fit into the buffer of their launch, and are lost: {lost}; print in \
                 fewer transactions"
            ));
        }
        let unwritten = self.unwritten.load(Ordering::Relaxed);
        if unwritten > 0 {
            let why = self.why.get().map_or("", String::as_str);
            notes.push(format!(
                "lines of `gpu_println!` that could not be written to standard output ({why}): {unwritten}"
            ));
        }
        notes
    }
}

impl fmt::Debug for Printer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Printer").field("is_gone", &self.is_gone).finish_non_exhaustive()
    }
}

/// Prints a line outside of a run. A line that cannot be written is dropped.
#[doc(hidden)]
pub fn print_line(line: fmt::Arguments<'_>) {
    let _ = write_line(line);
}

/// Writes a line to standard output in one call. Unlike `println!`, it does not panic on failure.
fn write_line(line: fmt::Arguments<'_>) -> io::Result<()> {
    io::stdout().write_all(format!("{line}\n").as_bytes())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn lines_go_where_the_user_asks_and_lost_ones_are_reported() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let kept = lines.clone();
        let printer = Printer::new(Some(Arc::new(move |line: &str| kept.lock().unwrap().push(line.to_owned()))));
        printer.line(format_args!("{} of {:?}", 1, Some(2)));
        assert_eq!(*lines.lock().unwrap(), ["1 of Some(2)"]);
        assert!(printer.notes().is_empty());
        printer.lose(3);
        assert!(printer.notes()[0].contains("are lost: 3;"), "{:?}", printer.notes());
    }

    #[test]
    fn nothing_is_written_after_a_failure() {
        let printer = Printer::default();
        printer.is_gone.store(true, Ordering::Relaxed);
        printer.line(format_args!("this line must not be seen"));
        assert!(printer.notes()[0].ends_with(": 1"), "{:?}", printer.notes());
    }
}
