//! How programs print and end where nobody can read them. `println!` and `eprintln!` panic there.
//!
//! A program's work is a function that prints with `writeln!(stdout(), ..)?` and returns the first error, whatever it is; its
//! `main` hands what came of it to [`ending`].

use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::process::{ExitCode, Termination};

/// Something is wrong with what the program did or printed.
const WRONG: u8 = 1;
/// The program could not do its work.
const REFUSED: u8 = 2;
/// As shells report a program that ended because nobody reads its output any more.
const UNREAD: u8 = 141;

/// The end of a program: its own exit status, or that of what went wrong.
///
/// - Nobody reads the output any more (`bank | head -1`): 141 without a word, as other tools end.
/// - The output cannot be written (a full disk): 1, with a message on standard error.
/// - Anything else: 2, with a message.
pub fn ending<T: Termination>(program: &str, done: Result<T, Box<dyn Error>>) -> ExitCode {
    // Only writing gives these errors here: the runtime has errors of its own.
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

/// The end of a program to which clap gives no arguments: it prints the help that was asked for, or what is wrong with them.
pub fn help_or_refuse(program: &str, instead: &clap::Error) -> ExitCode {
    if instead.exit_code() == 0 {
        return ending(program, write!(io::stdout(), "{}", instead.render()).map_err(Box::from));
    }
    let _ = instead.print();
    ExitCode::from(REFUSED)
}

/// Prints a line on standard error. Where that cannot be written, there is nobody to tell.
pub fn remark(line: fmt::Arguments<'_>) {
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}
