//! Probes for a usable CUDA driver. Each refusal has its own reason.
//!
//! cudarc panics where the driver's library or one of its functions is missing. So cudarc is called only after the library
//! is known to exist, panics of the first calls are caught, and the functions of all later calls are looked up beforehand.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use cudarc::driver::{result, sys};
use libloading::Library;

use super::functions::missing;
use super::result::checked;
use crate::error::GpuError;

/// CUDA 12.8: the first driver with every function that cudarc's bindings call for the runtime.
const OLDEST: i32 = 12_080;

/// Returns the number of devices, at least one. After that, cudarc's bindings have every function that the runtime calls.
pub(super) fn probe() -> Result<usize, GpuError> {
    library()?;
    guarded(|| {
        checked("cuInit", result::init()).map_err(|error| match error {
            // A driver without a device already fails here.
            GpuError::Driver { name, .. } if name == "CUDA_ERROR_NO_DEVICE" => GpuError::NoDevice,
            other => other,
        })?;
        let mut have = 0;
        // SAFETY: the driver is loaded; the function writes one number.
        checked("cuDriverGetVersion", unsafe { sys::cuDriverGetVersion(&mut have) }.result())?;
        if have < OLDEST {
            return Err(GpuError::DriverTooOld { have, need: OLDEST });
        }
        if let Some(name) = missing() {
            return Err(GpuError::DriverIncomplete { text: format!("it has no function {name}") });
        }
        match checked("cuDeviceGetCount", result::device::get_count())? {
            count @ 1.. => Ok(count as usize),
            _ => Err(GpuError::NoDevice),
        }
    })
}

/// Turns a panic of cudarc's bindings into an error. It is a panic of Rust code: no frame of the driver is unwound.
fn guarded<T>(calls: impl FnOnce() -> Result<T, GpuError>) -> Result<T, GpuError> {
    catch_unwind(AssertUnwindSafe(calls)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()))
            .unwrap_or_else(|| "a function is missing".into());
        Err(GpuError::DriverIncomplete { text })
    })
}

/// Loads the library once and keeps it. The error has the loader's message.
fn library() -> Result<(), GpuError> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    let found = LIBRARY.get_or_init(|| {
        let mut tried = Vec::new();
        for name in ["libcuda.so.1", "libcuda.so"] {
            // SAFETY: the driver's library has no initialiser that demands anything of the program.
            match unsafe { Library::new(name) } {
                Ok(library) => return Ok(library),
                Err(error) => tried.push(
                    std::error::Error::source(&error).map_or_else(|| format!("{name}: {error:?}"), ToString::to_string),
                ),
            }
        }
        Err(tried.join("; "))
    });
    if let Err(tried) = found {
        return Err(GpuError::NoDriverLibrary { tried: tried.clone() });
    }
    // SAFETY: loads and unloads the library that is loaded already.
    if !unsafe { sys::is_culib_present() } {
        return Err(GpuError::NoDriverLibrary {
            tried: "libcuda.so.1 loads, but not under the names that cudarc tries".into(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_the_specializations_is_an_error() {
        let error = guarded::<()>(|| panic!("Missing symbol {}", "cuFuture")).unwrap_err();
        assert_eq!(error, GpuError::DriverIncomplete { text: "Missing symbol cuFuture".into() });
    }

    #[test]
    fn a_machine_without_a_gpu_says_why() {
        match probe() {
            Ok(count) => eprintln!("SKIPPED: this machine has {count} CUDA device(s)"),
            Err(why) => assert!(
                matches!(
                    why,
                    GpuError::NoDriverLibrary { .. }
                        | GpuError::NoDevice
                        | GpuError::DriverTooOld { .. }
                        | GpuError::Driver { .. }
                ),
                "{why}"
            ),
        }
    }
}
