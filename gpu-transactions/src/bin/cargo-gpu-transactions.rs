//! `cargo gpu-transactions doctor`: says what this machine can run, what is missing, and what to do.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use gpu_transactions::doctor::Diagnosis;
use gpu_transactions::{Device, Error};

fn usage() -> String {
    format!(
        "\
Says what this machine can run, what is missing, and what to do

Usage: cargo gpu-transactions doctor [--device NAME]

Options:
      --device NAME  The device to try [default: auto]:
                     {}
  -h, --help         Print help
  -V, --version      Print version

Exit status: 0 if nothing is wrong, 1 if something is or standard output cannot be written, 2 for wrong arguments.
",
        Device::NAMES
    )
}

/// What the arguments ask for.
#[derive(Debug, PartialEq, Eq)]
enum Asked {
    Doctor { device: Option<String> },
    Help,
    Version,
}

/// Reads the arguments after the program's name.
fn read(arguments: impl Iterator<Item = String>) -> Result<Asked, String> {
    let mut arguments = arguments.peekable();
    // Cargo passes the name of the subcommand.
    arguments.next_if(|word| word == "gpu-transactions");
    let mut command = false;
    let mut device = None;
    while let Some(word) = arguments.next() {
        match word.as_str() {
            "-h" | "--help" => return Ok(Asked::Help),
            "-V" | "--version" => return Ok(Asked::Version),
            "doctor" if !command => command = true,
            "--device" if command => device = Some(arguments.next().ok_or("`--device` needs a name, such as `cpu`")?),
            other => match other.strip_prefix("--device=") {
                Some(name) if command => device = Some(name.to_owned()),
                _ => return Err(format!("`{other}` is not known here")),
            },
        }
    }
    if command { Ok(Asked::Doctor { device }) } else { Err("a command is missing; write `doctor`".to_owned()) }
}

/// Examines the machine and prints the findings. Returns the exit status.
fn doctor(device: Option<&str>, out: &mut dyn Write) -> io::Result<u8> {
    let opened: Result<Device, Error> = device.unwrap_or("auto").parse();
    let diagnosis = Diagnosis::of(opened);
    writeln!(out, "{diagnosis}")?;
    Ok(u8::from(!diagnosis.is_good()))
}

fn main() -> ExitCode {
    let mut out = io::stdout();
    let done = match read(std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned())) {
        Ok(Asked::Doctor { device }) => doctor(device.as_deref(), &mut out),
        Ok(Asked::Help) => out.write_all(usage().as_bytes()).map(|()| 0),
        Ok(Asked::Version) => writeln!(out, "cargo-gpu-transactions {}", env!("CARGO_PKG_VERSION")).map(|()| 0),
        Err(why) => {
            let _ = write!(io::stderr(), "cargo gpu-transactions: {why}\n\n{}", usage());
            Ok(2)
        }
    };
    match done.and_then(|code| out.flush().map(|()| code)) {
        Ok(code) => ExitCode::from(code),
        // The reader of a pipe is gone: the status that shells report for that.
        Err(why) if why.kind() == ErrorKind::BrokenPipe => ExitCode::from(141),
        Err(why) => {
            let _ = writeln!(io::stderr(), "cargo gpu-transactions: cannot write to standard output: {why}");
            ExitCode::from(1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(words: &str) -> Result<Asked, String> {
        read(words.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn cargo_and_people_ask_for_the_same() {
        for words in ["doctor", "gpu-transactions doctor"] {
            assert_eq!(asked(words), Ok(Asked::Doctor { device: None }));
        }
        for words in ["doctor --device cpu:2", "gpu-transactions doctor --device=cpu:2"] {
            assert_eq!(asked(words), Ok(Asked::Doctor { device: Some("cpu:2".to_owned()) }));
        }
        assert_eq!(asked("gpu-transactions --help"), Ok(Asked::Help));
        assert_eq!(asked("doctor -V"), Ok(Asked::Version));
    }

    #[test]
    fn wrong_arguments_have_a_reason() {
        for (words, why) in [
            ("", "a command is missing"),
            ("gpu-transactions", "a command is missing"),
            ("doctor doctor", "`doctor` is not known"),
            ("doctor --devise cpu", "`--devise` is not known"),
            ("doctor --device", "needs a name"),
            ("--device cpu doctor", "`--device` is not known"),
        ] {
            let refused = asked(words).unwrap_err();
            assert!(refused.contains(why), "{words}: {refused}");
        }
    }

    #[test]
    fn the_findings_are_printed_and_a_wrong_one_is_a_status() {
        let mut out = Vec::new();
        assert_eq!(doctor(Some("cpu:2"), &mut out).unwrap(), 0);
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("ok      device          2 CPU threads") && text.ends_with('\n'), "{text}");
        assert_eq!(doctor(Some("tpu"), &mut Vec::new()).unwrap(), 1);
    }
}
