//! Builds the harness with the host's C++ compiler and runs cases through it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::case::{Answer, Case};
use crate::ops::{fault_codes, numbers};

/// The prelude as the linker takes it.
pub(crate) const PRELUDE: &str = include_str!("../../kernels-gen/src/device/prelude.cuh");
const CASES: &str = include_str!("cases.cuh");
const SHIM: &str = include_str!("shim.h");
const HOST: &str = include_str!("host.cpp");

const STRICT: [&str; 5] = ["-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];
const SANITIZED: [&str; 2] = ["-fsanitize=undefined,float-cast-overflow", "-fno-sanitize-recover=all"];

/// How a harness is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// Optimised, all warnings are errors, undefined behaviour ends it.
    Strict,
    /// As fast to build as can be.
    Quick,
}

/// The text for a device: one kernel, `prelude_cases`.
pub(crate) fn device_unit() -> String {
    [&fault_codes(), &numbers(), PRELUDE, CASES].concat()
}

/// A program of its own for the host around `prelude` and `rest`.
pub(crate) fn host_unit(prelude: &str, rest: &str) -> String {
    let numbers = [fault_codes(), numbers()].concat();
    format!("{SHIM}\n{numbers}\n#line 1 \"prelude.cuh\"\n{prelude}\n{rest}\n")
}

/// The compiler to use, if there is one: `$CXX`, or `c++`.
pub(crate) fn compiler() -> Option<OsString> {
    let name = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    Command::new(&name).arg("--version").output().is_ok_and(|o| o.status.success()).then_some(name)
}

/// Says that `test` did not run, past the capture of the test's output.
pub(crate) fn skipped(test: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: no C++ compiler; install one or name it in CXX");
}

/// A built harness.
pub(crate) struct Harness {
    program: PathBuf,
}

impl Harness {
    /// Builds a harness around `prelude`; `name` keeps builds apart.
    pub(crate) fn build(compiler: &OsString, name: &str, prelude: &str, build: Build) -> Result<Harness, String> {
        let source = scratch(&format!("{name}.cpp"));
        let program = scratch(name);
        let rest = format!("#line 1 \"cases.cuh\"\n{CASES}\n#line 1 \"host.cpp\"\n{HOST}");
        fs::write(&source, host_unit(prelude, &rest)).map_err(|e| e.to_string())?;
        let flags: Vec<&str> = match build {
            Build::Strict if has_sanitizers(compiler) => [&STRICT[..], &SANITIZED[..]].concat(),
            Build::Strict => STRICT.to_vec(),
            Build::Quick => vec!["-O0", "-w"],
        };
        let mut command = Command::new(compiler);
        command.args(["-std=c++20", "-ffp-contract=off"]).args(flags).arg(&source).arg("-o").arg(&program);
        let output = command.output().map_err(|e| e.to_string())?;
        if output.status.success() { Ok(Harness { program }) } else { Err(text(&output)) }
    }

    /// The answers to `cases`, in order. An early end of the harness is an error that says what it printed.
    pub(crate) fn run(&self, cases: &[Case]) -> Result<Vec<Answer>, String> {
        let input = self.program.with_extension("in");
        let output = self.program.with_extension("out");
        write_all(&input, cases.iter().map(Case::bytes)).map_err(|e| e.to_string())?;
        let open = || -> std::io::Result<(File, File)> { Ok((File::open(&input)?, File::create(&output)?)) };
        let (stdin, stdout) = open().map_err(|e| e.to_string())?;
        let mut command = Command::new(&self.program);
        let ended = command.stdin(stdin).stdout(stdout).stderr(Stdio::piped()).output().map_err(|e| e.to_string())?;
        if !ended.status.success() {
            return Err(text(&ended));
        }
        read_answers(&output)
    }
}

impl Drop for Harness {
    fn drop(&mut self) {
        for extension in ["in", "out"] {
            let _ = fs::remove_file(self.program.with_extension(extension));
        }
    }
}

/// Whether `statements` compile as a function body behind the prelude; if not, what the compiler says.
pub(crate) fn compiles(compiler: &OsString, name: &str, statements: &str) -> Result<(), String> {
    let source = scratch(&format!("{name}.cpp"));
    let body = format!("void body() {{ {statements} }}");
    fs::write(&source, host_unit(PRELUDE, &body)).map_err(|e| e.to_string())?;
    let mut command = Command::new(compiler);
    let output = command.args(["-std=c++20", "-fsyntax-only"]).arg(&source).output().map_err(|e| e.to_string())?;
    if output.status.success() { Ok(()) } else { Err(text(&output)) }
}

/// Writes records one behind the other.
pub(crate) fn write_all<const N: usize>(path: &Path, records: impl Iterator<Item = [u8; N]>) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    records.into_iter().try_for_each(|record| file.write_all(&record))?;
    file.flush()
}

/// Reads answers one behind the other.
pub(crate) fn read_answers(path: &Path) -> Result<Vec<Answer>, String> {
    let bytes = fs::read(path).map_err(|e| e.to_string())?;
    let (answers, rest) = bytes.as_chunks::<{ Answer::SIZE }>();
    if !rest.is_empty() {
        return Err(format!("{} bytes are no whole number of answers", bytes.len()));
    }
    Ok(answers.iter().map(Answer::from_bytes).collect())
}

/// Some compilers come without the sanitizers' libraries.
fn has_sanitizers(compiler: &OsString) -> bool {
    let source = scratch("sanitizers.cpp");
    let written = fs::write(&source, "int main() {}\n");
    let mut command = Command::new(compiler);
    let built = command.args(SANITIZED).arg(&source).arg("-o").arg(scratch("sanitizers")).output();
    written.is_ok() && built.is_ok_and(|o| o.status.success())
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("prelude-{name}"))
}

/// How a program ended, and the start of what it printed to standard error.
fn text(output: &Output) -> String {
    let printed = String::from_utf8_lossy(&output.stderr);
    format!("{}: {}", output.status, printed.chars().take(3_000).collect::<String>())
}
