//! Copies of rows on the device.

use std::ptr;

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUmemorytype::CU_MEMORYTYPE_DEVICE};

use super::context::Context;
use super::result::checked;
use crate::error::GpuError;
use crate::gpu::backend::Rows;

/// Asks for a copy in the context's stream.
///
/// # Safety
/// The allocations are live until the copy is done.
pub(super) unsafe fn copy_rows(
    own: Context,
    to: Rows<'_>,
    from: Rows<'_>,
    rows: usize,
    bytes: usize,
) -> Result<(), GpuError> {
    let (target, source) = (to.address(rows, bytes), from.address(rows, bytes));
    if rows == 1 {
        // SAFETY: both ranges are within the allocations.
        let code = unsafe { result::memcpy_dtod_async(target, source, bytes, own.stream) };
        return checked("cuMemcpyDtoDAsync", code);
    }
    let copy = sys::CUDA_MEMCPY2D {
        srcXInBytes: 0,
        srcY: 0,
        srcMemoryType: CU_MEMORYTYPE_DEVICE,
        srcHost: ptr::null(),
        srcDevice: source,
        srcArray: ptr::null_mut(),
        srcPitch: from.pitch,
        dstXInBytes: 0,
        dstY: 0,
        dstMemoryType: CU_MEMORYTYPE_DEVICE,
        dstHost: ptr::null_mut(),
        dstDevice: target,
        dstArray: ptr::null_mut(),
        dstPitch: to.pitch,
        WidthInBytes: bytes,
        Height: rows,
    };
    // SAFETY: all rows are within the allocations.
    checked("cuMemcpy2DAsync", unsafe { sys::cuMemcpy2DAsync_v2(&copy, own.stream) }.result())
}
