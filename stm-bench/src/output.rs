//! What a program prints, and its exit when the output is closed. `println!` and `eprintln!` panic then.

use std::fmt;
use std::io::{self, ErrorKind, Write};

use serde::Serialize;

use crate::error::BenchError;

/// It ran, and something is wrong: a cell without a result, or an output that cannot be written.
pub(crate) const BAD: u8 = 1;
/// It could not run.
pub(crate) const REFUSED: u8 = 2;
/// The status that shells report for a program that ended because its output was closed (`| head`).
pub(crate) const UNREAD: u8 = 141;

/// The version of JSON objects, printed or stored. It grows when a field goes, or gets another name or meaning.
pub(crate) const SCHEMA: u32 = 1;

/// Returns the line that `--json` prints.
pub(crate) fn json(value: &impl Serialize) -> String {
    line(value).unwrap_or_default()
}

/// Returns a line of JSON: the fields of a value after the version.
pub(crate) fn line(value: &impl Serialize) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Versioned<'a, T> {
        schema: u32,
        #[serde(flatten)]
        value: &'a T,
    }
    Ok(serde_json::to_string(&Versioned { schema: SCHEMA, value })? + "\n")
}

/// Prints a line on standard error. Ignores errors, which could not be reported anywhere.
pub(crate) fn remark(line: fmt::Arguments<'_>) {
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// Returns the error of an output that cannot be written.
pub(crate) fn written(why: io::Error) -> BenchError {
    BenchError::Output(why)
}

/// Returns the exit status of a program, and reports its error. A closed output is not reported.
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
