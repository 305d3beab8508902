//! Finding and loading the library, and its C functions.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::Library as Dynamic;

use super::log::until_zero;
use super::search;
use crate::error::GpuError;

pub(super) const SUCCESS: c_int = 0;
pub(super) const COMPILATION: c_int = 6;

/// The first version with the atomics that take an order and a scope.
const OLDEST: (c_int, c_int) = (12, 8);
/// The last major version whose header was compared with the types below.
///
/// The functions are found by name, which does not check their types. NVIDIA keeps the binary interface within a major version
/// (the library's file name carries it) and may change it with the next.
const NEWEST: c_int = 13;

type Handle = *mut c_void;
type Get<T> = unsafe extern "C" fn(Handle, *mut T) -> c_int;

pub(super) struct NvrtcLibrary {
    pub(super) api: Api,
    pub(super) path: PathBuf,
    pub(super) version: (c_int, c_int),
    /// Compute capabilities, ascending: 75, 80, ...
    pub(super) architectures: Vec<u32>,
}

pub(super) struct Api {
    create: unsafe extern "C" fn(
        *mut Handle,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> c_int,
    destroy: unsafe extern "C" fn(*mut Handle) -> c_int,
    compile: unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> c_int,
    log_size: Get<usize>,
    log: Get<c_char>,
    ptx_size: Get<usize>,
    ptx: Get<c_char>,
    cubin_size: Get<usize>,
    cubin: Get<c_char>,
    architecture_count: unsafe extern "C" fn(*mut c_int) -> c_int,
    architectures: unsafe extern "C" fn(*mut c_int) -> c_int,
    pub(super) error_string: unsafe extern "C" fn(c_int) -> *const c_char,
    /// Keeps the code mapped while its functions can be called.
    _loaded: Vec<Dynamic>,
}

impl NvrtcLibrary {
    /// Finds the library of this process: only the path in `STM_NVRTC` if it is set, or else the first usable default one.
    pub(super) fn find() -> Result<NvrtcLibrary, GpuError> {
        let found = match search::named("STM_NVRTC") {
            Some(path) => NvrtcLibrary::at(&path)
                .map_err(|tried| format!("STM_NVRTC names `{}`, and no other is tried: {tried}", path.display())),
            None => NvrtcLibrary::first(&search::usual()),
        };
        found.map_err(|tried| GpuError::NoNvrtc { tried })
    }

    /// Opens the library of one path, a file or a folder.
    pub(super) fn open(path: &Path) -> Result<NvrtcLibrary, GpuError> {
        NvrtcLibrary::at(path).map_err(|tried| GpuError::NoNvrtc { tried })
    }

    fn at(path: &Path) -> Result<NvrtcLibrary, String> {
        match search::expand(path) {
            none if none.is_empty() => Err(format!("{} holds no libnvrtc.so", path.display())),
            candidates => NvrtcLibrary::first(&candidates),
        }
    }

    /// Loads the first usable candidate. The error has the reason for each refusal.
    fn first(candidates: &[PathBuf]) -> Result<NvrtcLibrary, String> {
        let mut tried = Vec::new();
        for path in candidates {
            match NvrtcLibrary::load(path) {
                Ok(library) => return Ok(library),
                // The system loader's message begins with the path.
                Err(why) if why.starts_with(&*path.to_string_lossy()) => tried.push(why),
                Err(why) => tried.push(format!("{}: {why}", path.display())),
            }
        }
        Err(tried.join("; "))
    }

    fn load(path: &Path) -> Result<NvrtcLibrary, String> {
        let library = open(path)?;
        // The wheels of NVRTC 13 do not record the path of their second library. Load it beforehand by its full path; the
        // compiler then gets it when it loads it by name.
        let mut loaded: Vec<Dynamic> = search::builtins_next_to(path).iter().filter_map(|p| open(p).ok()).collect();
        let version = version(&library)?;
        let mut api = Api::bind(&library).map_err(|e| format!("{e:?}"))?;
        loaded.push(library);
        api._loaded = loaded;
        let architectures = api.architectures();
        Ok(NvrtcLibrary { api, path: path.to_owned(), version, architectures })
    }

    pub(super) fn create(&self, source: &CStr, name: &CStr) -> Result<NvrtcProgram<'_>, c_int> {
        let mut handle = ptr::null_mut();
        // SAFETY: both strings end in zero and outlive the call, which copies them; there are no headers to pass.
        let code =
            unsafe { (self.api.create)(&mut handle, source.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null()) };
        if code == SUCCESS { Ok(NvrtcProgram { api: &self.api, handle }) } else { Err(code) }
    }
}

/// One program of the compiler; destroyed when dropped.
pub(super) struct NvrtcProgram<'a> {
    api: &'a Api,
    handle: Handle,
}

impl NvrtcProgram<'_> {
    pub(super) fn compile(&self, options: &[*const c_char]) -> c_int {
        // SAFETY: the handle is live, and the caller's strings live through the call.
        unsafe { (self.api.compile)(self.handle, options.len() as c_int, options.as_ptr()) }
    }

    pub(super) fn log(&self) -> String {
        self.bytes(self.api.log_size, self.api.log).map(|text| until_zero(&text)).unwrap_or_default()
    }

    pub(super) fn ptx(&self) -> String {
        self.bytes(self.api.ptx_size, self.api.ptx).map(|text| until_zero(&text)).unwrap_or_default()
    }

    pub(super) fn cubin(&self) -> Option<Vec<u8>> {
        self.bytes(self.api.cubin_size, self.api.cubin)
    }

    fn bytes(&self, size: Get<usize>, fill: Get<c_char>) -> Option<Vec<u8>> {
        let mut len = 0;
        // SAFETY: the handle is live; the function writes one size.
        if unsafe { size(self.handle, &mut len) } != SUCCESS || len == 0 {
            return None;
        }
        let mut bytes = vec![0_u8; len];
        // SAFETY: the function writes as many bytes as its sibling just announced.
        let code = unsafe { fill(self.handle, bytes.as_mut_ptr().cast()) };
        (code == SUCCESS).then_some(bytes)
    }
}

impl Drop for NvrtcProgram<'_> {
    fn drop(&mut self) {
        // SAFETY: created by `create` and destroyed once.
        unsafe { (self.api.destroy)(&mut self.handle) };
    }
}

impl Api {
    fn bind(library: &Dynamic) -> Result<Api, libloading::Error> {
        macro_rules! symbol {
            ($name:literal) => {
                // SAFETY: the field for the symbol has the type that NVIDIA's header declares for it in every version that
                // `version` accepts.
                *unsafe { library.get($name) }?
            };
        }
        Ok(Api {
            create: symbol!(b"nvrtcCreateProgram\0"),
            destroy: symbol!(b"nvrtcDestroyProgram\0"),
            compile: symbol!(b"nvrtcCompileProgram\0"),
            log_size: symbol!(b"nvrtcGetProgramLogSize\0"),
            log: symbol!(b"nvrtcGetProgramLog\0"),
            ptx_size: symbol!(b"nvrtcGetPTXSize\0"),
            ptx: symbol!(b"nvrtcGetPTX\0"),
            cubin_size: symbol!(b"nvrtcGetCUBINSize\0"),
            cubin: symbol!(b"nvrtcGetCUBIN\0"),
            architecture_count: symbol!(b"nvrtcGetNumSupportedArchs\0"),
            architectures: symbol!(b"nvrtcGetSupportedArchs\0"),
            error_string: symbol!(b"nvrtcGetErrorString\0"),
            _loaded: Vec::new(),
        })
    }

    fn architectures(&self) -> Vec<u32> {
        let mut count = 0;
        // SAFETY: the function writes one number.
        if unsafe { (self.architecture_count)(&mut count) } != SUCCESS {
            return Vec::new();
        }
        let mut all: Vec<c_int> = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: the function writes as many numbers as its sibling just announced.
        if unsafe { (self.architectures)(all.as_mut_ptr()) } != SUCCESS {
            return Vec::new();
        }
        all.into_iter().filter_map(|arch| u32::try_from(arch).ok()).collect()
    }
}

/// Returns the version of a library if its functions are known.
fn version(library: &Dynamic) -> Result<(c_int, c_int), String> {
    type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
    // SAFETY: the function has had this type since the first version of the library.
    let function = *unsafe { library.get::<Version>(b"nvrtcVersion\0") }.map_err(|e| format!("{e:?}"))?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the function writes two numbers, and the library is loaded.
    unsafe { function(&mut major, &mut minor) };
    if (major, minor) < OLDEST {
        return Err(format!("version {major}.{minor} is older than {}.{}", OLDEST.0, OLDEST.1));
    }
    if major > NEWEST {
        return Err(format!(
            "version {major}.{minor} is newer than this program knows; name a library of NVRTC {} or {NEWEST} in STM_NVRTC",
            OLDEST.0
        ));
    }
    Ok((major, minor))
}

fn open(path: &Path) -> Result<Dynamic, String> {
    // SAFETY: NVRTC's libraries have no initialiser that demands anything of the program.
    unsafe { Dynamic::new(path) }.map_err(|error| {
        // The short form has no reason; the loader's message is in the source.
        std::error::Error::source(&error).map_or_else(|| format!("{error:?}"), ToString::to_string)
    })
}
