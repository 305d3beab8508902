//! Conversion of the driver's results.

use std::ffi::CStr;

use cudarc::driver::result::DriverError;
use cudarc::driver::sys::CUresult;

use crate::error::GpuError;

/// Converts a result of the driver.
///
/// cudarc's bindings hold the driver's codes in an enumeration, that of a version of CUDA; another code would not be a valid value. The
/// version is that of other crates in the build, or the newest one. Codes that come after 12.7 (226, 721 and 916) follow faults of the
/// device; those that come after 13.0 (up to 13.4: 47 and 917 to 919) are those of multicast objects, detached streams, recaptured graphs and
/// fabrics, which the runtime does not use.
pub(super) fn checked<T>(call: &'static str, result: Result<T, DriverError>) -> Result<T, GpuError> {
    result.map_err(|error| failed(call, error))
}

/// Converts an error of the driver, with the driver's message.
pub(super) fn failed(call: &'static str, error: DriverError) -> GpuError {
    let words = |text: Result<&CStr, DriverError>| text.map(|t| t.to_string_lossy().into_owned());
    let name = words(error.error_name()).unwrap_or_else(|_| format!("{:?}", error.0));
    let text = words(error.error_string()).unwrap_or_else(|_| "no explanation".into());
    if is_sticky(error.0) { GpuError::ContextLost { name, text } } else { GpuError::Driver { call, name, text } }
}

/// Returns whether every later call in the context fails with the same code, until the process ends.
fn is_sticky(code: CUresult) -> bool {
    // By number: not every version of the bindings has a name for each.
    matches!(code as u32, 214 | 220 | 226 | 700 | 702 | 709 | 710 | 714..=719 | 721 | 810 | 911 | 916)
}
