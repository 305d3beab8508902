//! Builds a shared library from a unit's text, and loads it.

use std::sync::{Arc, OnceLock};

use super::compiler::{HostCompiler, trouble};
use super::options::Sanitizer;
use super::program::{RuntimeLibrary, UnitLibrary};
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

/// The file of the runtime beside a unit that is linked with it.
const RUNTIME_FILE: &str = "stm_runtime.so";

/// The compilers, sanitizer and cache of a build.
pub(super) struct Build<'a> {
    pub(super) compiler: &'a HostCompiler,
    /// Is asked before the other one for units.
    pub(super) quick: Option<&'a HostCompiler>,
    pub(super) cache: &'a DiskCache,
    pub(super) sanitizer: Option<Sanitizer>,
}

impl Build<'_> {
    /// Returns the key of a unit's library.
    pub(super) fn key(&self, unit: &str) -> Key {
        let quick = self.quick.map(HostCompiler::identity).unwrap_or_default();
        Key::of(&[unit, HEADER, SCHEDULER, FIBER, RUNTIME, ENTRY, &self.flags(), &self.compiler.identity(), &quick])
    }

    /// Returns the loaded library of a unit, from the cache or compiled now. The notes report trouble with the cache.
    pub(super) fn unit(&self, unit: &str, key: Key, making: &mut Making) -> Result<UnitLibrary, GpuError> {
        let runtime = self.runtime(&mut making.notes)?;
        let make = |dir: &Temporary| {
            write(dir, "stm_emulator.h", HEADER)?;
            write(dir, "stm_scheduler.h", SCHEDULER)?;
            write(dir, RUNTIME_FILE, &runtime.bytes)?;
            let text = format!(
                "#include \"stm_emulator.h\"\n#line 1 \"stm_unit.cu\"\n{unit}\n#line 1 \"stm_entry.cpp\"\n{ENTRY}"
            );
            write(dir, "unit.cpp", &text)?;
            if self.quick.is_some_and(|quick| quick.run_apart(dir.path(), "unit.cpp", RUNTIME_FILE, "out").is_ok()) {
                return Ok(());
            }
            let mut arguments = vec!["unit.cpp", RUNTIME_FILE, "-shared", "-Wl,-Bsymbolic", "-pthread", "-o", "out"];
            // The system's libraries are there with the runtime. To read them for each unit would take a fifth of its time.
            arguments.extend(self.sanitizer.map_or(&["-nodefaultlibs"][..], Sanitizer::unit_flags));
            self.compiler.run(dir.path(), &arguments).map_err(|log| GpuError::Compile {
                errors: errors(&log),
                log,
                source_path: dump::keep_source(key, unit),
            })
        };
        self.loaded(key, making, make, |bytes| UnitLibrary::load(&bytes, &runtime))
    }

    /// Returns the emulator's runtime (`shim/runtime.cpp`), which a process compiles and loads once. Units name it, and the loader
    /// finds it by its name.
    fn runtime(&self, notes: &mut Vec<String>) -> Result<Arc<RuntimeLibrary>, GpuError> {
        static MADE: OnceLock<MemoryCache<Arc<RuntimeLibrary>>> = OnceLock::new();
        let key = Key::of(&["runtime", SCHEDULER, FIBER, RUNTIME, &self.flags(), &self.compiler.identity()]);
        MADE.get_or_init(MemoryCache::new).get_or_make(key, || {
            let mut making = Making::begin();
            let make = |dir: &Temporary| {
                write(dir, "stm_scheduler.h", SCHEDULER)?;
                write(dir, "stm_fiber.h", FIBER)?;
                write(dir, "runtime.cpp", RUNTIME)?;
                let name = format!("-Wl,-soname,stm-emulator-{}.so", key.short());
                let mut arguments = vec!["-O2", "runtime.cpp", "-shared", "-pthread", "-o", "out", &name];
                arguments.extend(["-Wl,--no-as-needed", "-latomic", "-lm"]);
                arguments.extend(self.sanitizer.map(Sanitizer::runtime_flag));
                let failed = |log| trouble(format!("`{}` does not compile its runtime: {log}", self.compiler.name()));
                self.compiler.run(dir.path(), &arguments).map_err(failed)
            };
            let library = self.loaded(key, &mut making, make, RuntimeLibrary::load);
            notes.append(&mut making.notes);
            library.map(Arc::new)
        })
    }

    /// Loads the bytes of a key, from the cache or as `make` leaves them in the file `out` of its folder.
    fn loaded<T>(
        &self,
        key: Key,
        making: &mut Making,
        make: impl Fn(&Temporary) -> Result<(), GpuError>,
        load: impl Fn(Vec<u8>) -> Result<T, GpuError>,
    ) -> Result<T, GpuError> {
        let bytes = self.cached(key, making, &make)?;
        let loaded = load(bytes);
        making.end(|times| &mut times.loading);
        loaded.or_else(|_| {
            // The file is complete but cannot be loaded here: another machine made it. Compile it from the source.
            self.cache.discard(key);
            load(self.cached(key, making, &make)?)
        })
    }

    /// Returns the bytes of a key from the cache, or the file `out` that `make` leaves in its folder.
    fn cached(
        &self,
        key: Key,
        making: &mut Making,
        make: impl Fn(&Temporary) -> Result<(), GpuError>,
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
        make(&dir)?;
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
