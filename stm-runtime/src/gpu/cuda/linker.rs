//! The driver's linker: separately compiled parts of a unit become one image.

use std::ffi::{CString, c_void};
use std::ptr::{self, NonNull};

use cudarc::driver::sys::{self, CUjit_option as JitOption};

use super::context::Context;
use super::nvrtc::log::{self, until_zero};
use super::result::checked;
use crate::error::GpuError;

/// Bytes of each of the linker's logs.
const LOG: usize = 8192;

/// The driver options for the logs.
const OPTIONS: [JitOption; 5] = [
    JitOption::CU_JIT_INFO_LOG_BUFFER,
    JitOption::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
    JitOption::CU_JIT_ERROR_LOG_BUFFER,
    JitOption::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    JitOption::CU_JIT_LOG_VERBOSE,
];

/// The memory that the driver reads and writes during a link.
struct LinkMemory {
    said: [u8; LOG],
    errors: [u8; LOG],
    options: [JitOption; OPTIONS.len()],
    values: [*mut c_void; OPTIONS.len()],
}

/// Owns a `LinkMemory` at a fixed address.
///
/// The driver keeps pointers into it. So it is only accessed through the raw pointer, and no reference to it exists while
/// the driver could write: a reference, or a box that is moved, would promise the compiler exclusive access.
struct Lent(NonNull<LinkMemory>);

impl Lent {
    fn new() -> Lent {
        let memory =
            LinkMemory { said: [0; LOG], errors: [0; LOG], options: OPTIONS, values: [ptr::null_mut(); OPTIONS.len()] };
        let memory = NonNull::from(Box::leak(Box::new(memory)));
        let at = memory.as_ptr();
        let length = ptr::without_provenance_mut::<c_void>(LOG);
        // SAFETY: the memory was allocated just now, and there is no other pointer to it.
        unsafe {
            let (said, errors) = ((&raw mut (*at).said).cast(), (&raw mut (*at).errors).cast());
            (*at).values = [said, length, errors, length, ptr::without_provenance_mut(1)];
        }
        Lent(memory)
    }

    /// Returns the options and their values, for the driver.
    fn options(&self) -> (*mut JitOption, *mut *mut c_void) {
        let at = self.0.as_ptr();
        // SAFETY: within the allocation; nothing is read.
        unsafe { ((&raw mut (*at).options).cast(), (&raw mut (*at).values).cast()) }
    }

    /// Returns the linker's messages, after a call of it has returned.
    fn said(&self) -> String {
        // SAFETY: the driver writes only during its calls, which the owner of the link makes one at a time. The copy ends the
        // borrow before the next one.
        let log = unsafe { ptr::read(&raw const (*self.0.as_ptr()).said) };
        until_zero(&log)
    }

    /// Returns the linker's error messages, after a call of it has returned.
    fn errors(&self) -> String {
        // SAFETY: as in `said`.
        let log = unsafe { ptr::read(&raw const (*self.0.as_ptr()).errors) };
        until_zero(&log)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // SAFETY: allocated as a box in `new` and freed once. If there was a link, it has been destroyed.
        drop(unsafe { Box::from_raw(self.0.as_ptr()) });
    }
}

/// A link in progress.
pub(super) struct Linker {
    state: sys::CUlinkState,
    /// Freed after the state, whose destruction may write to it.
    lent: Lent,
}

/// The result of a link.
pub(super) struct Linked {
    pub(super) cubin: Vec<u8>,
    /// Registers of each thread; `None` where the driver does not report them.
    pub(super) registers: Option<u32>,
}

impl Linker {
    /// Begins a link for the context's device. The first link of a process loads the linker, which takes a while.
    pub(super) fn new(context: Context) -> Result<Linker, GpuError> {
        context.enter()?;
        let lent = Lent::new();
        let mut state = ptr::null_mut();
        let (options, values) = lent.options();
        // SAFETY: each option has a value, and all that they point to lives at the same address until the state is destroyed.
        let code = unsafe { sys::cuLinkCreate_v2(OPTIONS.len() as u32, options, values, &mut state) };
        checked("cuLinkCreate", code.result())?;
        Ok(Linker { state, lent })
    }

    /// Adds machine code that refers to other parts.
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

    /// Returns the image of everything that was added.
    pub(super) fn complete(self) -> Result<Linked, GpuError> {
        let (mut image, mut bytes) = (ptr::null_mut(), 0);
        // SAFETY: the state is live; the driver writes an address and a size.
        let code = unsafe { sys::cuLinkComplete(self.state, &mut image, &mut bytes) };
        checked("cuLinkComplete", code.result()).map_err(|error| self.quoted(error))?;
        let cubin = match NonNull::new(image.cast::<u8>()) {
            // SAFETY: the driver returned both; the memory belongs to the state, which lives until the end of this function.
            Some(image) => unsafe { std::slice::from_raw_parts(image.as_ptr(), bytes) }.to_vec(),
            None => Vec::new(),
        };
        let registers = log::usage(&self.lent.said()).registers;
        Ok(Linked { cubin, registers: (registers > 0).then_some(registers) })
    }

    /// Returns an error with the linker's messages.
    fn quoted(&self, error: GpuError) -> GpuError {
        match error {
            GpuError::Driver { call, name, text } => {
                GpuError::Driver { call, name, text: format!("{text}: {}", self.lent.errors().trim()) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_driver_writes_late_is_read_wherever_the_owner_has_moved() {
        let lent = Lent::new();
        let (options, values) = lent.options();
        let moved = Box::new(Some(lent));
        // SAFETY: does what the driver does, within the memory that it was lent.
        unsafe {
            assert_eq!(*options.add(2), JitOption::CU_JIT_ERROR_LOG_BUFFER);
            assert_eq!((*values.add(1)).addr(), LOG);
            let (said, errors) = ((*values).cast::<u8>(), (*values.add(2)).cast::<u8>());
            said.write_bytes(b'x', LOG);
            errors.copy_from(b"no\0old words".as_ptr(), 12);
            *values.add(3) = ptr::without_provenance_mut(2);
        }
        let lent = moved.unwrap();
        assert_eq!((lent.said().len(), lent.errors()), (LOG, "no".to_owned()));
    }
}
