//! NVRTC, the CUDA run-time compiler.
//!
//! The project has its own loader, because cudarc's lacks four things: an explicit path, a `Result` where the library is
//! absent, machine code in addition to PTX, and the log of a successful compilation. Compiling needs no GPU.

mod library;
pub(super) mod log;
mod search;

use std::ffi::{CStr, CString, c_char, c_int};
use std::path::Path;
use std::sync::OnceLock;

use crate::error::GpuError;
use library::{NvrtcLibrary, NvrtcProgram};

/// The options of every compilation, besides the architecture.
///
/// No fused multiply-add, so that float results equal the CPU's. 16-byte integers for cells of lock and value. No warnings of
/// unused variables, which generated code has. No textures and no device runtime library: they are not used, and take time to declare.
pub(crate) const OPTIONS: &[&str] =
    &["-std=c++17", "--fmad=false", "--device-int128", "--diag-suppress=177,550", "--minimal"];

/// The output of a compilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A kernel with everything that it calls.
    Whole,
    /// The same without optimizations.
    Checked,
    /// Code that the driver links with other parts.
    Part {
        /// The most registers of a thread.
        registers: u32,
    },
}

/// The compiler's library, loaded.
pub struct Nvrtc {
    library: NvrtcLibrary,
}

/// A compiled kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Compiled {
    /// Machine code; `None` when compiled for a virtual architecture (`compute_..`).
    pub cubin: Option<Vec<u8>>,
    /// The assembler text.
    pub ptx: String,
    /// The compiler's log: warnings, and the assembler's statistics.
    pub log: String,
    /// Registers of each thread, the maximum over the unit's kernels; `None` without machine code.
    pub registers: Option<u32>,
    /// Bytes of registers spilled to memory, stores and loads together; `None` without machine code.
    pub spills: Option<u32>,
}

impl Compiled {
    /// Returns the warnings in the log.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        log::warnings(&self.log)
    }
}

impl Nvrtc {
    /// Finds the compiler of this process, once: only the path in `STM_NVRTC` (a file or a folder) if it is set; or else the first
    /// one that can be used of
    ///
    /// 1. the path in `STM_NVRTC_DEFAULT`,
    /// 2. the CUDA toolkits in `CUDA_HOME`, `CUDA_PATH` and `CONDA_PREFIX`,
    /// 3. the wheel `nvidia-cuda-nvrtc` in the Python environments `VIRTUAL_ENV` and `CONDA_PREFIX`,
    /// 4. the path of the system's loader,
    /// 5. toolkits in `/usr/local`, and the wheel among the packages of the `python3` in `PATH`, of the system and of the user.
    ///
    /// Versions 12.8 to 13.x can be used.
    ///
    /// # Errors
    /// [`GpuError::NoNvrtc`] with the paths that were tried.
    pub fn find() -> Result<&'static Nvrtc, GpuError> {
        static FOUND: OnceLock<Result<Nvrtc, GpuError>> = OnceLock::new();
        FOUND.get_or_init(|| NvrtcLibrary::find().map(|library| Nvrtc { library })).as_ref().map_err(Clone::clone)
    }

    /// Opens the compiler at one path, a file or a folder.
    ///
    /// # Errors
    /// [`GpuError::NoNvrtc`] with the reason.
    pub fn open(path: &Path) -> Result<Nvrtc, GpuError> {
        NvrtcLibrary::open(path).map(|library| Nvrtc { library })
    }

    /// Returns the major and minor version.
    #[must_use]
    pub fn version(&self) -> (i32, i32) {
        self.library.version
    }

    /// Returns the path of the library.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.library.path
    }

    /// Returns the target for a device of that compute capability (90 for 9.0): its machine code, or, where this
    /// compiler does not know the device, the newest PTX that the device can run.
    ///
    /// # Errors
    /// The device is older than every architecture that the compiler knows.
    pub fn arch_for(&self, capability: u32) -> Result<String, GpuError> {
        let known = &self.library.architectures;
        if known.contains(&capability) {
            return Ok(format!("sm_{capability}"));
        }
        match known.iter().copied().filter(|arch| *arch < capability).max() {
            Some(older) => Ok(format!("compute_{older}")),
            None => Err(GpuError::Nvrtc {
                arch: format!("sm_{capability}"),
                text: format!("the device is older than every architecture of NVRTC {}", self.version_text()),
            }),
        }
    }

    /// Compiles a unit. `name` is its file name in messages without a `#line`; `arch` is `sm_XX` (machine code
    /// and PTX) or `compute_XX` (PTX).
    ///
    /// # Errors
    /// [`GpuError::Compile`] with the compiler's lines, [`GpuError::Nvrtc`] for everything else.
    pub fn compile(&self, source: &str, name: &str, arch: &str) -> Result<Compiled, GpuError> {
        self.compile_to(Form::Whole, source, name, arch)
    }

    /// Compiles like [`compile`](Self::compile), but without optimizations: for tests whether a unit compiles, in less time.
    ///
    /// # Errors
    /// As [`compile`](Self::compile).
    pub fn check(&self, source: &str, name: &str, arch: &str) -> Result<Compiled, GpuError> {
        self.compile_to(Form::Checked, source, name, arch)
    }

    /// Compiles a part of a unit ([`kernels_gen::device::link::parts`]) to code that has to be linked. Otherwise like
    /// [`compile`](Self::compile). `registers`: the most of a thread.
    ///
    /// # Errors
    /// As [`compile`](Self::compile).
    pub fn compile_part(&self, source: &str, name: &str, arch: &str, registers: u32) -> Result<Compiled, GpuError> {
        self.compile_to(Form::Part { registers }, source, name, arch)
    }

    pub(crate) fn compile_to(&self, form: Form, source: &str, name: &str, arch: &str) -> Result<Compiled, GpuError> {
        let failed = |text: String| GpuError::Nvrtc { arch: arch.into(), text };
        let text = |s: &str| CString::new(s).map_err(|_| failed("a zero byte in source, name or options".into()));
        let (source, name) = (text(source)?, text(name)?);
        let options = self.options(form, arch).iter().map(|o| text(o)).collect::<Result<Vec<_>, _>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();

        let program = self.library.create(&source, &name).map_err(|code| failed(self.explain(code)))?;
        let code = program.compile(&pointers);
        let log = program.log();
        match code {
            library::SUCCESS => {}
            library::COMPILATION => {
                return Err(GpuError::Compile { errors: log::errors(&log), log, source_path: None });
            }
            code => return Err(failed(format!("{} {log}", self.explain(code)).trim_end().to_owned())),
        }
        Ok(self.collect(&program, log))
    }

    fn collect(&self, program: &NvrtcProgram<'_>, log: String) -> Compiled {
        let cubin = program.cubin();
        let usage = cubin.is_some().then(|| log::usage(&log));
        Compiled {
            cubin,
            ptx: program.ptx(),
            registers: usage.map(|u| u.registers),
            spills: usage.map(|u| u.spills),
            log,
        }
    }

    /// Returns the whole command line for an architecture. It is part of the cache key.
    pub(crate) fn options(&self, form: Form, arch: &str) -> Vec<String> {
        let mut all = vec![format!("--gpu-architecture={arch}")];
        all.extend(OPTIONS.iter().map(|o| (*o).to_owned()));
        match form {
            // The procedures are separate functions, which the optimizer may compile in parallel.
            Form::Whole => all.push("--split-compile=4".into()),
            Form::Checked => all.push("--Ofast-compile=max".into()),
            Form::Part { registers } => {
                all.extend(["--relocatable-device-code=true".into(), format!("--maxrregcount={registers}")]);
            }
        }
        if self.version() >= (12, 9) {
            // NVRTC's own cache drops the log, and ours already has earlier results.
            all.push("--no-cache".into());
        }
        if arch.starts_with("sm_") {
            // Only the assembler's log has registers and spills.
            all.push("--ptxas-options=-v".into());
        }
        all
    }

    pub(crate) fn version_text(&self) -> String {
        format!("{}.{}", self.library.version.0, self.library.version.1)
    }

    fn explain(&self, code: c_int) -> String {
        // SAFETY: NVRTC returns a static string, or null, for every code.
        let text = unsafe { (self.library.api.error_string)(code) };
        if text.is_null() {
            return format!("error {code}");
        }
        // SAFETY: just checked not to be null; the string lives as long as the library, which is never unloaded here.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
}

impl std::fmt::Debug for Nvrtc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NVRTC {} at {}", self.version_text(), self.path().display())
    }
}

#[cfg(test)]
pub(super) mod tests;
