//! The host's C++ compilers.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

use super::options::Sanitizer;
use crate::error::GpuError;

/// No fused multiply-add, as on the device.
// Cells are exchanged 16 bytes at a time: this needs -mcx16 here and -latomic where the runtime is linked.
const FLAGS: &[&str] = &["-std=c++20", "-fPIC", "-mcx16", "-ffp-contract=off", "-fvisibility=hidden", "-w"];

const LINKER: &str = "ld";
/// Of the linker alone. A launch that hangs ends by an exception, which needs the table of frames.
const LINKER_FLAGS: &[&str] = &["-shared", "-Bsymbolic", "--eh-frame-hdr"];

/// The names to search for if `CXX` is not set.
const USUAL: [&str; 3] = ["c++", "g++", "clang++"];
/// Compiles a unit in about half of the time of the others.
const QUICK: &str = "clang++";

/// A compiler of this machine.
pub(super) struct HostCompiler {
    program: OsString,
    /// The compiler's own version text.
    version: String,
}

impl HostCompiler {
    /// Finds the compiler of this process, once: only the one in `CXX` if it is set, or else one of the usual names.
    pub(super) fn find() -> Result<&'static HostCompiler, GpuError> {
        static FOUND: OnceLock<Result<HostCompiler, GpuError>> = OnceLock::new();
        FOUND.get_or_init(HostCompiler::look).as_ref().map_err(Clone::clone)
    }

    /// Returns a compiler that takes less time for a unit than that of [`find`](Self::find), if there is one and none is named in `CXX`.
    /// The program may be there without what it needs, such as a linker.
    pub(super) fn quick() -> Option<&'static HostCompiler> {
        static FOUND: OnceLock<Option<HostCompiler>> = OnceLock::new();
        let is_named = || env::var_os("CXX").is_some_and(|name| !name.is_empty());
        let open = |program: &str| HostCompiler::open(program.as_ref()).ok();
        FOUND.get_or_init(|| if is_named() { None } else { open(LINKER).and_then(|_| open(QUICK)) }).as_ref()
    }

    fn look() -> Result<HostCompiler, GpuError> {
        let Some(named) = env::var_os("CXX").filter(|name| !name.is_empty()) else {
            let found = USUAL.iter().find_map(|program| HostCompiler::open(program.as_ref()).ok());
            return found.ok_or_else(|| trouble("no C++ compiler; install g++ or name one in CXX".into()));
        };
        HostCompiler::open(&named).map_err(|why| {
            let named = named.display();
            trouble(format!("CXX names `{named}`, {why}; name a C++ compiler without arguments, or unset CXX"))
        })
    }

    fn open(program: &OsStr) -> Result<HostCompiler, String> {
        let path = Path::new(program);
        // Units are compiled in another folder, so make a path absolute. A plain name is searched in `PATH`.
        let is_path = path.components().count() > 1;
        let program =
            if is_path { std::path::absolute(path).unwrap_or(path.into()).into() } else { program.to_owned() };
        let output = Command::new(&program).arg("--version").output();
        let output = output.map_err(|why| format!("which cannot be started: {why}"))?;
        if !output.status.success() {
            return Err(format!("which fails when asked for its version: {}", output.status));
        }
        Ok(HostCompiler { program, version: String::from_utf8_lossy(&output.stdout).into_owned() })
    }

    /// Returns its name for messages.
    pub(super) fn name(&self) -> String {
        self.program.display().to_string()
    }

    /// Returns everything that determines its output for a text: a part of cache keys.
    pub(super) fn identity(&self) -> String {
        format!("{} {} {} {}", FLAGS.join(" "), self.level(), LINKER_FLAGS.join(" "), self.version)
    }

    /// Returns the flag for the fewest optimizations that are worth their time: a unit takes longer to compile than to run.
    fn level(&self) -> &'static str {
        if self.version.contains("clang") { "-O0" } else { "-Og" }
    }

    /// Returns the path of the sanitizer's library, for users who have to preload it.
    pub(super) fn library_of(&self, sanitizer: Sanitizer) -> String {
        let output = Command::new(&self.program).arg(format!("-print-file-name={}", sanitizer.library())).output();
        match output {
            Ok(output) => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
            Err(_) => sanitizer.library().into(),
        }
    }

    /// Runs the compiler in a folder. The error is the compiler's output.
    pub(super) fn run(&self, dir: &Path, arguments: &[&str]) -> Result<(), String> {
        output_of(Command::new(&self.program).args(FLAGS).arg(self.level()).args(arguments), dir)
    }

    /// Makes a shared library of a file in a folder, by a compiler and a linker without the driver that starts both, which takes longer.
    pub(super) fn run_apart(&self, dir: &Path, unit: &str, library: &str, output: &str) -> Result<(), String> {
        self.run(dir, &["-c", unit, "-o", "unit.o"])?;
        output_of(Command::new(LINKER).args(LINKER_FLAGS).args(["unit.o", library, "-o", output]), dir)
    }
}

/// Runs a program in a folder. The error is its output.
fn output_of(command: &mut Command, dir: &Path) -> Result<(), String> {
    // A sanitizer that is preloaded into this process would also watch the compiler, which then takes up to twice as long.
    let output = command.env_remove("LD_PRELOAD").current_dir(dir).output();
    let output = output.map_err(|why| format!("it cannot be started: {why}"))?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// Returns an error of the emulator, with a remedy.
pub(super) fn trouble(text: String) -> GpuError {
    GpuError::Emulator { text }
}
