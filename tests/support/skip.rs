//! Messages of tests that cannot run here.

use std::io::Write;

/// Prints a line that test harnesses do not capture.
pub fn skipped(what: &str, why: &str) {
    // Not `eprintln`, which a test harness captures.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}: {why}");
}
