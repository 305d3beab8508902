//! How programs print, and end when their output is closed. `println!` and `eprintln!` panic then.
//!
//! A program's work is a function that prints with `writeln!(stdout(), ..)?` and returns the first error of any kind; its `main`
//! passes the result to [`ending`].

use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::process::{ExitCode, Termination};

use gpu_transactions::Device;
use serde::Serialize;

/// The version of the objects that `--json` prints. It grows when a field goes, or gets another name or meaning.
const SCHEMA: u32 = 1;

/// Something is wrong with what the program did or printed.
const WRONG: u8 = 1;
/// The program could not do its work.
const REFUSED: u8 = 2;
/// The status that shells report for a program that ended because its output was closed.
const UNREAD: u8 = 141;

/// Returns the exit status of a program: its own, or that of an error.
///
/// - The output is closed (`bank | head -1`): 141 without a message, like other tools.
/// - The output cannot be written (a full disk): 1, with a message on standard error.
/// - Anything else: 2, with a message.
pub fn ending<T: Termination>(program: &str, done: Result<T, Box<dyn Error>>) -> ExitCode {
    // Only writing gives these errors here: the runtime has its own error types.
    let flushed = done.and_then(|done| io::stdout().flush().map(|()| done).map_err(Box::from));
    let error = match flushed {
        Ok(done) => return done.report(),
        Err(error) => error,
    };
    let status = match error.downcast_ref::<io::Error>().map(io::Error::kind) {
        Some(ErrorKind::BrokenPipe) => return ExitCode::from(UNREAD),
        Some(_) => {
            remark(format_args!("{program}: cannot write to standard output: {error}"));
            WRONG
        }
        None => {
            remark(format_args!("{program}: {error}"));
            REFUSED
        }
    };
    ExitCode::from(status)
}

/// Ends a program to which clap gives no arguments: prints the requested help, or the error in the arguments.
pub fn help_or_refuse(program: &str, instead: &clap::Error) -> ExitCode {
    if instead.exit_code() == 0 {
        return ending(program, write!(io::stdout(), "{}", instead.render()).map_err(Box::from));
    }
    let _ = instead.print();
    ExitCode::from(REFUSED)
}

/// Returns the device of that name, and says so unless the program prints JSON.
///
/// # Errors
/// There is no such device, or the output cannot be written.
pub fn device(name: &str, json: bool) -> Result<Device, Box<dyn Error>> {
    let device = name.parse::<Device>()?;
    if !json {
        writeln!(io::stdout(), "Running on {device}.")?;
    }
    Ok(device)
}

/// Returns the one object that `--json` prints: the fields of a value after the version.
///
/// # Errors
/// The value has something that JSON cannot express.
pub fn json(value: &impl Serialize) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Versioned<'a, T> {
        schema: u32,
        #[serde(flatten)]
        value: &'a T,
    }
    serde_json::to_string(&Versioned { schema: SCHEMA, value })
}

/// Prints a line on standard error. Ignores errors, which could not be reported anywhere.
pub fn remark(line: fmt::Arguments<'_>) {
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}
