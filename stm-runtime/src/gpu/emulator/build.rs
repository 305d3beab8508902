//! Builds a shared library from a unit's text.

use std::sync::OnceLock;

use super::compiler::{HostCompiler, trouble};
use super::options::Sanitizer;
use crate::error::GpuError;
use crate::gpu::cache::{DiskCache, Hit, Key, MemoryCache};
use crate::gpu::dump;
use crate::gpu::folder::Temporary;
use crate::gpu::making::Making;
use crate::outcome::Origin;

const HEADER: &str = include_str!("shim/stm_emulator.h");
const SCHEDULER: &str = include_str!("shim/stm_scheduler.h");
const FIBER: &str = include_str!("shim/stm_fiber.h");
const RUNTIME: &str = include_str!("shim/runtime.cpp");
const ENTRY: &str = include_str!("shim/entry.cpp");

/// The compiler, sanitizer and cache of a build.
pub(super) struct Build<'a> {
    pub(super) compiler: &'a HostCompiler,
    pub(super) cache: &'a DiskCache,
    pub(super) sanitizer: Option<Sanitizer>,
}

impl Build<'_> {
    /// Returns the key of a unit's library.
    pub(super) fn key(&self, unit: &str) -> Key {
        Key::of(&[unit, HEADER, SCHEDULER, FIBER, RUNTIME, ENTRY, &self.flags(), &self.compiler.identity()])
    }

    /// Returns the library as bytes, from the cache or compiled now. The notes report trouble with the cache.
    pub(super) fn library(&self, unit: &str, key: Key, making: &mut Making) -> Result<Vec<u8>, GpuError> {
        self.cached(key, making, |dir, making| {
            let runtime = self.runtime(&mut making.notes)?;
            write(dir, "stm_emulator.h", HEADER)?;
            write(dir, "stm_scheduler.h", SCHEDULER)?;
            write(dir, "stm_runtime.o", &runtime)?;
            let text = format!(
                "#include \"stm_emulator.h\"\n#line 1 \"stm_unit.cu\"\n{unit}\n#line 1 \"stm_entry.cpp\"\n{ENTRY}"
            );
            write(dir, "unit.cpp", &text)?;
            let mut arguments =
                vec!["unit.cpp", "stm_runtime.o", "-shared", "-Wl,-Bsymbolic", "-pthread", "-o", "out", "-latomic"];
            arguments.extend(self.sanitizer.map_or(&[][..], Sanitizer::unit_flags));
            self.compiler.run(dir.path(), &arguments).map_err(|log| GpuError::Compile {
                errors: errors(&log),
                log,
                source_path: dump::keep_source(key, unit),
            })
        })
    }

    /// Returns the emulator's runtime (`shim/runtime.cpp`), which is compiled once.
    fn runtime(&self, notes: &mut Vec<String>) -> Result<Vec<u8>, GpuError> {
        static MADE: OnceLock<MemoryCache<Vec<u8>>> = OnceLock::new();
        let key = Key::of(&["runtime", SCHEDULER, FIBER, RUNTIME, &self.flags(), &self.compiler.identity()]);
        MADE.get_or_init(MemoryCache::new).get_or_make(key, || {
            let mut making = Making::begin();
            let library = self.cached(key, &mut making, |dir, _| {
                write(dir, "stm_scheduler.h", SCHEDULER)?;
                write(dir, "stm_fiber.h", FIBER)?;
                write(dir, "runtime.cpp", RUNTIME)?;
                let mut arguments = vec!["-c", "runtime.cpp", "-pthread", "-o", "out"];
                arguments.extend(self.sanitizer.map(Sanitizer::runtime_flag));
                let failed = |log| trouble(format!("`{}` does not compile its runtime: {log}", self.compiler.name()));
                self.compiler.run(dir.path(), &arguments).map_err(failed)
            });
            notes.append(&mut making.notes);
            library
        })
    }

    /// Returns the bytes of a key from the cache, or the file `out` that `make` leaves in its folder.
    fn cached(
        &self,
        key: Key,
        making: &mut Making,
        make: impl FnOnce(&Temporary, &mut Making) -> Result<(), GpuError>,
    ) -> Result<Vec<u8>, GpuError> {
        let hit = self.cache.get(key);
        making.end(|times| &mut times.disk);
        match hit {
            Hit::Found(bytes) => {
                making.origin = Origin::Disk;
                return Ok(bytes);
            }
            Hit::Missing => {}
            Hit::Refused(what) => making.notes.push(format!("kernel cache: {what}")),
        }
        making.origin = Origin::Compiled { parts: 1, found: 0 };
        // Another user who could write there would control the code that this process runs.
        let dir = Temporary::new().map_err(|why| trouble(format!("no folder for temporary files: {why}")))?;
        make(&dir, making)?;
        let bytes =
            dir.read("out").map_err(|why| trouble(format!("`{}` compiled nothing: {why}", self.compiler.name())))?;
        making.end(|times| &mut times.compiler);
        making.notes.extend(self.cache.put(key, &bytes).err().map(|e| format!("kernel cache: {e}")));
        making.end(|times| &mut times.disk);
        Ok(bytes)
    }

    /// Returns the sanitizer's flags for units: a part of cache keys.
    fn flags(&self) -> String {
        self.sanitizer.map_or_else(String::new, |sanitizer| sanitizer.unit_flags().join(" "))
    }
}

fn write(dir: &Temporary, name: &str, content: impl AsRef<[u8]>) -> Result<(), GpuError> {
    dir.write(name, content).map_err(|why| trouble(format!("cannot write {name} in {}: {why}", dir.path().display())))
}

fn errors(log: &str) -> Vec<String> {
    let lines: Vec<String> =
        log.lines().filter(|line| line.contains("error")).map(|line| line.trim().to_owned()).collect();
    if lines.is_empty() { vec![log.trim().to_owned()] } else { lines }
}
