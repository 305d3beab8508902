//! Runs the example programs as child processes, with closed outputs.

use std::fs::OpenOptions;
use std::process::{Command, Stdio};

/// The result of a program.
#[derive(Debug)]
pub struct Ended {
    /// Its exit status; `None` where a signal ended it.
    pub code: Option<i32>,
    /// What it wrote to standard output, where that was a pipe.
    pub out: String,
    /// What it wrote to standard error, where that was a pipe.
    pub err: String,
}

impl Ended {
    /// Returns the lines that it wrote to standard error. The library's line that there is no GPU is left out.
    pub fn messages(&self) -> Vec<&str> {
        self.err.lines().filter(|line| !line.starts_with("gpu-transactions: ")).collect()
    }
}

/// Returns the program of an example, which cargo has built next to the tests.
pub fn program(name: &str) -> Option<Command> {
    let tests = std::env::current_exe().expect("a test has a path");
    let path = tests.parent()?.parent()?.join("examples").join(name);
    if path.exists() {
        return Some(Command::new(path));
    }
    println!("SKIPPED the output of {name}: {} is not built; add --examples", path.display());
    None
}

/// Runs a program with these arguments and this standard output; returns `None` if it is not built.
pub fn run(name: &str, words: &str, out: Stdio) -> Option<Ended> {
    run_with(name, words, out, Stdio::piped())
}

/// Does the same with another standard error.
pub fn run_with(name: &str, words: &str, out: Stdio, err: Stdio) -> Option<Ended> {
    let mut program = program(name)?;
    program.args(words.split_whitespace()).stdout(out).stderr(err);
    let output = program.spawn().and_then(|child| child.wait_with_output()).expect("the program should start");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Some(Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) })
}

/// Returns a pipe without a reader.
pub fn closed() -> Stdio {
    let (_, writer) = std::io::pipe().expect("there are pipes");
    writer.into()
}

/// Returns a full disk; `None` on a system that has no such device.
pub fn full() -> Option<Stdio> {
    OpenOptions::new().write(true).open("/dev/full").ok().map(Stdio::from)
}

/// Checks that a program with a closed output ends without a message, and one that cannot write with a message.
pub fn ends_as_other_tools(name: &str, words: &str) {
    let Some(ended) = run(name, words, closed()) else { return };
    assert_eq!((ended.code, ended.messages()), (Some(141), vec![]), "{name} {words}, with a closed output");
    let Some(full) = full() else { return };
    let Some(ended) = run(name, words, full) else { return };
    assert_eq!(ended.code, Some(1), "{name} {words} > /dev/full: {}", ended.err);
    let start = format!("{name}: cannot write to standard output: ");
    let messages = ended.messages();
    assert!(messages.len() == 1 && messages[0].starts_with(&start), "{name} {words}: {}", ended.err);
}
