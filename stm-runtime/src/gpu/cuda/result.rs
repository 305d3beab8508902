//! Conversion of the driver's results.

use std::ffi::CStr;

use cudarc::driver::result::DriverError;
use cudarc::driver::sys::CUresult;

use crate::error::GpuError;

/// Converts a result of the driver.
///
/// cudarc's bindings hold the driver's codes in an enumeration, that of CUDA 13.0; another code would not be a valid value.
/// The codes that later versions added (up to 13.4: 47 and 917 to 919) are those of multicast objects, detached streams, recaptured
/// graphs and fabrics, which the runtime does not use.
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
    matches!(
        code,
        CUresult::CUDA_ERROR_ECC_UNCORRECTABLE
            | CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE
            | CUresult::CUDA_ERROR_CONTAINED
            | CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
            | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
            | CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED
            | CUresult::CUDA_ERROR_ASSERT
            | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
            | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
            | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | CUresult::CUDA_ERROR_INVALID_PC
            | CUresult::CUDA_ERROR_LAUNCH_FAILED
            | CUresult::CUDA_ERROR_TENSOR_MEMORY_LEAK
            | CUresult::CUDA_ERROR_MPS_CLIENT_TERMINATED
            | CUresult::CUDA_ERROR_EXTERNAL_DEVICE
            | CUresult::CUDA_ERROR_KEY_ROTATION
    )
}
