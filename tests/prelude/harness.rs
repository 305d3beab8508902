//! Builds the harness with the host's C++ compiler and runs cases through it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use crate::case::{Answer, Case};
use crate::ops::{fault_codes, numbers};

/// The prelude in the form that the linker uses.
pub(crate) const PRELUDE: &str = include_str!("../../kernels-gen/src/device/prelude.cuh");
/// The text that each harness puts after the texts under test.
pub(crate) const COMMON: &str = include_str!("common.cuh");
const CASES: &str = include_str!("cases.cuh");
const SHIM: &str = include_str!("shim.h");
const HOST: &str = include_str!("host.cpp");

const STRICT: [&str; 5] = ["-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];
const SANITIZED: [&str; 2] = ["-fsanitize=undefined,float-cast-overflow", "-fno-sanitize-recover=all"];

/// The build mode of a harness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// Optimised; all warnings are errors; undefined behaviour ends the program.
    Strict,
    /// The fastest build.
    Quick,
}

/// Returns the text for a device: one kernel, `prelude_cases`.
pub(crate) fn device_unit() -> String {
    [fault_codes(), numbers(), unit(PRELUDE)].concat()
}

/// Returns the harness around a prelude.
pub(crate) fn unit(prelude: &str) -> String {
    [prelude, COMMON, CASES].concat()
}

/// Returns a text for the host: the device shim, `text`, and `rest`, for which messages count lines anew.
fn host_unit(text: &str, rest: &str) -> String {
    let numbers = [fault_codes(), numbers()].concat();
    format!("{SHIM}\n{numbers}\n#line 1 \"device.cuh\"\n{text}\n#line 1 \"host.cpp\"\n{rest}\n")
}

/// Returns the compiler to use, if there is one: `$CXX`, or `c++`.
pub(crate) fn compiler() -> Option<OsString> {
    let name = std::env::var_os("CXX").filter(|name| !name.is_empty()).unwrap_or_else(|| "c++".into());
    Command::new(&name).arg("--version").output().is_ok_and(|o| o.status.success()).then_some(name)
}

/// Prints that `test` did not run, past the capture of the test's output.
pub(crate) fn skipped(test: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: no C++ compiler; install one or name it in CXX");
}

/// A built harness.
pub(crate) struct Harness {
    program: PathBuf,
}

impl Harness {
    /// Builds a program around a unit, which defines how to run a case; `name` keeps builds apart.
    pub(crate) fn build(compiler: &OsString, name: &str, unit: &str, build: Build) -> Result<Harness, String> {
        let source = scratch(&format!("{name}.cpp"));
        let program = scratch(name);
        fs::write(&source, host_unit(unit, HOST)).map_err(|e| e.to_string())?;
        let flags: Vec<&str> = match build {
            Build::Strict if has_sanitizers(compiler) => [&STRICT[..], &SANITIZED[..]].concat(),
            Build::Strict => STRICT.to_vec(),
            Build::Quick => vec!["-O0", "-w"],
        };
        let mut command = Command::new(compiler);
        command.args(["-std=c++20", "-ffp-contract=off"]).args(flags).arg(&source).arg("-o").arg(&program);
        let output = command.output().map_err(|e| e.to_string())?;
        if output.status.success() { Ok(Harness { program }) } else { Err(text_of(&output)) }
    }

    /// Returns the answers to `cases`, in order. If the harness ends early, the error is its output.
    pub(crate) fn run(&self, cases: &[Case]) -> Result<Vec<Answer>, String> {
        let answers = self.run_records(cases.iter().map(Case::bytes))?;
        Ok(answers.iter().map(Answer::from_bytes).collect())
    }

    /// Returns the results of records that the unit can read, in order.
    pub(crate) fn run_records<const N: usize, const M: usize>(
        &self,
        records: impl Iterator<Item = [u8; N]>,
    ) -> Result<Vec<[u8; M]>, String> {
        let input = self.program.with_extension("in");
        let output = self.program.with_extension("out");
        write_all(&input, records).map_err(|e| e.to_string())?;
        let open = || -> std::io::Result<(File, File)> { Ok((File::open(&input)?, File::create(&output)?)) };
        let (stdin, stdout) = open().map_err(|e| e.to_string())?;
        let mut command = Command::new(&self.program);
        let ended = command.stdin(stdin).stdout(stdout).stderr(Stdio::piped()).output().map_err(|e| e.to_string())?;
        if !ended.status.success() {
            return Err(text_of(&ended));
        }
        read_records(&output)
    }
}

impl Drop for Harness {
    fn drop(&mut self) {
        for extension in ["in", "out"] {
            let _ = fs::remove_file(self.program.with_extension(extension));
        }
    }
}

/// Checks that the good calls compile after `text`, and none of the bad ones, which are deleted.
pub(crate) fn assert_refuses(compiler: &OsString, name: &str, text: &str, good: &str, bad: &[&str]) {
    let compiles = |body: &str| compiles(compiler, name, text, &format!("void body() {{ {body} }}"));
    compiles(good).unwrap_or_else(|e| panic!("{e}"));
    for call in bad {
        match compiles(&format!("(void){call};")) {
            Ok(()) => panic!("`{call}` compiles"),
            Err(said) => assert!(said.contains("deleted"), "`{call}` fails for another reason: {said}"),
        }
    }
}

/// Checks whether `rest` compiles after `text`; if not, returns the messages of the compiler.
pub(crate) fn compiles(compiler: &OsString, name: &str, text: &str, rest: &str) -> Result<(), String> {
    let source = scratch(&format!("{name}.cpp"));
    fs::write(&source, host_unit(text, rest)).map_err(|e| e.to_string())?;
    let mut command = Command::new(compiler);
    let output = command.args(["-std=c++20", "-fsyntax-only"]).arg(&source).output().map_err(|e| e.to_string())?;
    if output.status.success() { Ok(()) } else { Err(text_of(&output)) }
}

/// Writes records without gaps.
pub(crate) fn write_all<const N: usize>(path: &Path, records: impl Iterator<Item = [u8; N]>) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    records.into_iter().try_for_each(|record| file.write_all(&record))?;
    file.flush()
}

/// Reads records without gaps.
pub(crate) fn read_records<const N: usize>(path: &Path) -> Result<Vec<[u8; N]>, String> {
    let bytes = fs::read(path).map_err(|e| e.to_string())?;
    let (records, rest) = bytes.as_chunks::<N>();
    if rest.is_empty() {
        Ok(records.to_vec())
    } else {
        Err(format!("{} bytes are not a multiple of the record size", bytes.len()))
    }
}

/// Returns true if the compiler has the libraries of the sanitizers.
fn has_sanitizers(compiler: &OsString) -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| {
        let source = scratch("sanitizers.cpp");
        let written = fs::write(&source, "int main() {}\n");
        let mut command = Command::new(compiler);
        let built = command.args(SANITIZED).arg(&source).arg("-o").arg(scratch("sanitizers")).output();
        written.is_ok() && built.is_ok_and(|o| o.status.success())
    })
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("prelude-{name}"))
}

/// Describes how a program ended, with the start of its standard error.
fn text_of(output: &Output) -> String {
    let printed = String::from_utf8_lossy(&output.stderr);
    format!("{}: {}", output.status, printed.chars().take(3_000).collect::<String>())
}
