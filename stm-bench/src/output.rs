//! What a program prints, and how it ends where nobody can read that. `println!` and `eprintln!` panic there.

use std::fmt;
use std::io::{self, ErrorKind, Write};

use crate::error::BenchError;

/// It ran, and something is wrong: a cell without a result, or an output that cannot be written.
pub(crate) const BAD: u8 = 1;
/// It could not run.
pub(crate) const REFUSED: u8 = 2;
/// As shells report a program that ended because nobody reads its output any more (`| head`).
pub(crate) const UNREAD: u8 = 141;

/// Prints a line on standard error. Where that cannot be written, there is nobody to tell.
pub(crate) fn remark(line: fmt::Arguments<'_>) {
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// What went wrong with an output.
pub(crate) fn written(why: io::Error) -> BenchError {
    BenchError::Output(why)
}

/// The exit status of a program, which says what went wrong. A reader that is gone is no failure to speak of.
pub(crate) fn status(program: &str, done: Result<u8, BenchError>, out: &mut dyn Write) -> u8 {
    let error = match done.and_then(|code| out.flush().map(|()| code).map_err(written)) {
        Ok(code) => return code,
        Err(error) => error,
    };
    let code = match &error {
        BenchError::Output(why) if why.kind() == ErrorKind::BrokenPipe => return UNREAD,
        BenchError::Output(_) => BAD,
        _ => REFUSED,
    };
    remark(format_args!("{program}: {error}"));
    code
}
