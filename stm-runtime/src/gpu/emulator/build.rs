//! From a unit's text to a shared library, with the host's C++ compiler.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::gpu::cache::{DiskCache, Hit, Key, MemoryCache};
use crate::gpu::dump;
use crate::gpu::error::GpuError;

const HEADER: &str = include_str!("shim/stm_emulator.h");
const SCHEDULER: &str = include_str!("shim/stm_scheduler.h");
const RUNTIME: &str = include_str!("shim/runtime.cpp");
const ENTRY: &str = include_str!("shim/entry.cpp");

/// No fused multiply-add, as on the device.
// Cells are exchanged 16 bytes at a time, hence -mcx16 here and -latomic where units are linked.
const FLAGS: &[&str] = &["-std=c++20", "-O1", "-fPIC", "-mcx16", "-ffp-contract=off", "-fvisibility=hidden", "-w"];

/// A compiler of this machine.
pub(super) struct Compiler {
    program: String,
    /// Its own words, part of the cache key.
    version: String,
}

impl Compiler {
    /// `CXX`, or the usual names.
    pub(super) fn find() -> Result<&'static Compiler, GpuError> {
        static FOUND: OnceLock<Option<Compiler>> = OnceLock::new();
        let found = FOUND.get_or_init(|| {
            let named = std::env::var("CXX").ok().filter(|name| !name.is_empty());
            named.into_iter().chain(["c++", "g++", "clang++"].map(str::to_owned)).find_map(|program| {
                let output = Command::new(&program).arg("--version").output().ok()?;
                let version = String::from_utf8_lossy(&output.stdout).into_owned();
                output.status.success().then_some(Compiler { program, version })
            })
        });
        found.as_ref().ok_or_else(|| trouble("no C++ compiler; install g++ or name one in CXX".into()))
    }

    /// The key of what this compiler makes of these texts.
    pub(super) fn key(&self, unit: &str, tsan: bool) -> Key {
        let flags = FLAGS.join(" ");
        Key::of(&[unit, HEADER, SCHEDULER, RUNTIME, ENTRY, &flags, sanitizer(tsan), &self.version])
    }

    /// Where the sanitizer's library lies, for people who have to preload it.
    pub(super) fn tsan_library(&self) -> String {
        let output = Command::new(&self.program).arg("-print-file-name=libtsan.so").output();
        match output {
            Ok(output) => String::from_utf8_lossy(&output.stdout).trim().to_owned(),
            Err(_) => "libtsan.so".into(),
        }
    }

    /// The library as bytes: from the cache, or compiled now. Notes say what was wrong with the cache.
    pub(super) fn library(
        &self,
        cache: &DiskCache,
        unit: &str,
        key: Key,
        tsan: bool,
        notes: &mut Vec<String>,
    ) -> Result<Vec<u8>, GpuError> {
        cached(cache, key, notes, |dir, notes| {
            let runtime = self.runtime(cache, tsan, notes)?;
            write(dir, "stm_emulator.h", HEADER)?;
            write(dir, "stm_scheduler.h", SCHEDULER)?;
            write(dir, "stm_runtime.o", &runtime)?;
            let text = format!(
                "#include \"stm_emulator.h\"\n#line 1 \"stm_unit.cu\"\n{unit}\n#line 1 \"stm_entry.cpp\"\n{ENTRY}"
            );
            write(dir, "unit.cpp", &text)?;
            let mut arguments =
                vec!["unit.cpp", "stm_runtime.o", "-shared", "-Wl,-Bsymbolic", "-pthread", "-o", "out", "-latomic"];
            if tsan {
                arguments.extend(["-g1", "-fsanitize=thread"]);
            }
            self.run(dir, &arguments).map_err(|log| GpuError::Compile {
                errors: errors(&log),
                log,
                source_path: dump::keep_source(key, unit),
            })
        })
    }

    /// The machinery, compiled once.
    fn runtime(&self, cache: &DiskCache, tsan: bool, notes: &mut Vec<String>) -> Result<Vec<u8>, GpuError> {
        static MADE: OnceLock<MemoryCache<Vec<u8>>> = OnceLock::new();
        let flags = FLAGS.join(" ");
        let key = Key::of(&["runtime", SCHEDULER, RUNTIME, &flags, sanitizer(tsan), &self.version]);
        MADE.get_or_init(MemoryCache::new).get_or_make(key, || {
            cached(cache, key, notes, |dir, _| {
                write(dir, "stm_scheduler.h", SCHEDULER)?;
                write(dir, "runtime.cpp", RUNTIME)?;
                let mut arguments = vec!["-c", "runtime.cpp", "-pthread", "-o", "out"];
                if tsan {
                    arguments.push("-DSTM_TSAN");
                }
                self.run(dir, &arguments).map_err(|log| trouble(format!("its runtime does not compile: {log}")))
            })
        })
    }

    /// Runs the compiler in a folder; the error is what it said.
    fn run(&self, dir: &Path, arguments: &[&str]) -> Result<(), String> {
        let output = Command::new(&self.program)
            .args(FLAGS)
            .args(arguments)
            .current_dir(dir)
            .output()
            .map_err(|why| format!("cannot start {}: {why}", self.program))?;
        if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
    }
}

/// The bytes of a key from the cache, or the file `out` that `make` leaves in its folder.
fn cached(
    cache: &DiskCache,
    key: Key,
    notes: &mut Vec<String>,
    make: impl FnOnce(&Path, &mut Vec<String>) -> Result<(), GpuError>,
) -> Result<Vec<u8>, GpuError> {
    match cache.get(key) {
        Hit::Found(bytes) => return Ok(bytes),
        Hit::Missing => {}
        Hit::Spoiled(what) => notes.push(format!("kernel cache: {what}")),
    }
    let dir = tempfile::tempdir().map_err(|why| trouble(format!("no folder for temporary files: {why}")))?;
    make(dir.path(), notes)?;
    let bytes = fs::read(dir.path().join("out")).map_err(|why| trouble(format!("the compiler left no file: {why}")))?;
    notes.extend(cache.put(key, &bytes).err().map(|e| format!("kernel cache: {e}")));
    Ok(bytes)
}

fn write(dir: &Path, name: &str, content: impl AsRef<[u8]>) -> Result<(), GpuError> {
    let path: PathBuf = dir.join(name);
    fs::write(&path, content).map_err(|why| trouble(format!("cannot write {}: {why}", path.display())))
}

fn errors(log: &str) -> Vec<String> {
    let lines: Vec<String> =
        log.lines().filter(|line| line.contains("error")).map(|line| line.trim().to_owned()).collect();
    if lines.is_empty() { vec![log.trim().to_owned()] } else { lines }
}

fn sanitizer(tsan: bool) -> &'static str {
    if tsan { "tsan" } else { "" }
}

pub(super) fn trouble(text: String) -> GpuError {
    GpuError::Emulator { text }
}
