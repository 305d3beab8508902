//! The driver's linker: parts of a unit, compiled apart, become one image.

use std::ffi::{CString, c_void};
use std::ptr;

use cudarc::driver::sys::{self, CUjit_option as JitOption};

use super::driver::{Context, checked};
use super::nvrtc::log;
use super::probe::guarded;
use crate::gpu::error::GpuError;

/// Bytes of each of the linker's logs.
const LOG: usize = 8192;

/// A link under way.
pub(super) struct Linker {
    state: sys::CUlinkState,
    said: Vec<u8>,
    errors: Vec<u8>,
    /// The options and their values: the driver writes the lengths of the logs there for as long as the state lives.
    _options: (Vec<JitOption>, Vec<*mut c_void>),
}

/// What was linked.
pub(super) struct Linked {
    pub(super) cubin: Vec<u8>,
    /// Registers a thread; `None` where the driver does not tell.
    pub(super) registers: Option<u32>,
}

impl Linker {
    /// Begins a link for the context's device. The first one of a process loads the linker, which takes a while.
    pub(super) fn new(context: Context) -> Result<Linker, GpuError> {
        context.enter()?;
        let (mut said, mut errors) = (vec![0_u8; LOG], vec![0_u8; LOG]);
        let length = ptr::without_provenance_mut::<c_void>(LOG);
        let (mut options, mut values): (Vec<JitOption>, Vec<*mut c_void>) = [
            (JitOption::CU_JIT_INFO_LOG_BUFFER, said.as_mut_ptr().cast()),
            (JitOption::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, length),
            (JitOption::CU_JIT_ERROR_LOG_BUFFER, errors.as_mut_ptr().cast()),
            (JitOption::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, length),
            (JitOption::CU_JIT_LOG_VERBOSE, ptr::without_provenance_mut(1)),
        ]
        .into_iter()
        .unzip();
        let mut state = ptr::null_mut();
        guarded(|| {
            let count = options.len() as u32;
            // SAFETY: each option has a value, and all that they point to lives until the state is destroyed: it goes into
            // the same structure, where nobody changes it.
            let code = unsafe { sys::cuLinkCreate_v2(count, options.as_mut_ptr(), values.as_mut_ptr(), &mut state) };
            checked("cuLinkCreate", code.result())
        })?;
        Ok(Linker { state, said, errors, _options: (options, values) })
    }

    /// Adds machine code that refers to others'.
    pub(super) fn add(&mut self, name: &str, cubin: &[u8]) -> Result<(), GpuError> {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: the state is live, name and code live through the call, which copies them; no options.
        let code = unsafe {
            sys::cuLinkAddData_v2(
                self.state,
                sys::CUjitInputType::CU_JIT_INPUT_CUBIN,
                cubin.as_ptr().cast_mut().cast(),
                cubin.len(),
                name.as_ptr(),
                0,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        checked("cuLinkAddData", code.result()).map_err(|error| self.quoted(error))
    }

    /// The image of everything that was added.
    pub(super) fn complete(self) -> Result<Linked, GpuError> {
        let (mut image, mut bytes) = (ptr::null_mut(), 0);
        // SAFETY: the state is live; the driver writes an address and a size.
        let code = unsafe { sys::cuLinkComplete(self.state, &mut image, &mut bytes) };
        checked("cuLinkComplete", code.result()).map_err(|error| self.quoted(error))?;
        // SAFETY: the driver just said so; the memory is the state's, which lives until the end of this function.
        let cubin = unsafe { std::slice::from_raw_parts(image.cast::<u8>(), bytes) }.to_vec();
        let registers = log::usage(&text(&self.said)).registers;
        Ok(Linked { cubin, registers: (registers > 0).then_some(registers) })
    }

    /// An error with the linker's own words.
    fn quoted(&self, error: GpuError) -> GpuError {
        match error {
            GpuError::Driver { call, name, text: short } => {
                let words = text(&self.errors);
                GpuError::Driver { call, name, text: format!("{short}: {words}") }
            }
            other => other,
        }
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once.
        let _ = unsafe { sys::cuLinkDestroy(self.state) };
    }
}

fn text(log: &[u8]) -> String {
    String::from_utf8_lossy(log).trim_end_matches('\0').trim().to_owned()
}
