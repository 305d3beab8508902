//! A kernel of a module, and what the driver has said of it: to ask again takes as long as a part of a small launch.

use std::sync::{Mutex, PoisonError};

use cudarc::driver::{DriverError, result, sys};

use super::result::checked;
use crate::error::GpuError;

/// A kernel of a loaded module.
#[derive(Clone)]
pub(super) struct Kernel {
    pub(super) name: &'static str,
    pub(super) function: sys::CUfunction,
    /// The bytes of the first parameter; `None` for a kernel without parameters.
    parameter: Option<usize>,
    /// Bytes of local memory of a thread.
    pub(super) local: u64,
    /// The blocks that a multiprocessor holds, by threads and shared memory of a block.
    resident: Vec<((u32, u32), u32)>,
}

impl Kernel {
    /// Returns a kernel. The context is current.
    pub(super) fn of(name: &'static str, function: sys::CUfunction) -> Result<Kernel, GpuError> {
        let mut local = 0;
        let which = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES;
        // SAFETY: the function is live; the driver writes one number.
        let code = unsafe { sys::cuFuncGetAttribute(&mut local, which, function) };
        checked("cuFuncGetAttribute", code.result())?;
        let parameter = parameter_bytes(function, 0)?;
        Ok(Kernel { name, function, parameter, local: local.max(0) as u64, resident: Vec::new() })
    }

    /// Checks that the first parameter has the size of the host's block. The driver would read a larger one past its end.
    pub(super) fn check_parameters(&self, host: usize) -> Result<(), GpuError> {
        match self.parameter {
            None => Err(GpuError::NotOneParameter),
            Some(kernel) if kernel != host => Err(GpuError::Parameters { kernel, host }),
            Some(_) => Ok(()),
        }
    }

    /// Refuses a kernel that has a second parameter, which the driver would read past the end of the host's parameters.
    ///
    /// The only way to count parameters is a driver call that fails, which debuggers and sanitizers report. So generated
    /// kernels are not checked.
    pub(super) fn refuse_more_parameters(&self) -> Result<(), GpuError> {
        parameter_bytes(self.function, 1)?.map_or(Ok(()), |_| Err(GpuError::NotOneParameter))
    }

    /// Returns the number of blocks that a multiprocessor is known to hold.
    pub(super) fn known_resident(&self, block: u32, shared: u32) -> Option<u32> {
        self.resident.iter().find(|(shape, _)| *shape == (block, shared)).map(|(_, blocks)| *blocks)
    }

    /// Returns how many blocks of that many threads, without shared memory of their own, a multiprocessor is known to hold at least.
    pub(super) fn resident_at_least(&self, block: u32) -> Option<u32> {
        let alike = self.resident.iter().filter(|((threads, shared), _)| *threads >= block && *shared == 0);
        alike.map(|(_, blocks)| *blocks).max()
    }

    /// Asks for the number of blocks that a multiprocessor holds, and allows each that much shared memory. The context is current.
    pub(super) fn ask_resident(&mut self, block: u32, shared: u32) -> Result<u32, GpuError> {
        allow(self.function, shared)?;
        let (threads, bytes) = (block as i32, shared as usize);
        // SAFETY: the function is live.
        let each = unsafe { result::occupancy::max_active_block_per_multiprocessor(self.function, threads, bytes) };
        let each = checked("cuOccupancyMaxActiveBlocksPerMultiprocessor", each)?.max(0) as u32;
        self.resident.push(((block, shared), each));
        Ok(each)
    }
}

/// Allows a block that much shared memory: beyond the default limit, a kernel has to opt in. The limit only rises, since other runs
/// may be about to launch the same kernel.
fn allow(function: sys::CUfunction, shared: u32) -> Result<(), GpuError> {
    static RAISING: Mutex<()> = Mutex::new(());
    if shared == 0 {
        return Ok(());
    }
    let _alone = RAISING.lock().unwrap_or_else(PoisonError::into_inner);
    let which = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    let mut allowed = 0;
    // SAFETY: the function is live; the driver writes one number.
    let code = unsafe { sys::cuFuncGetAttribute(&mut allowed, which, function) };
    checked("cuFuncGetAttribute", code.result())?;
    if shared as i32 <= allowed {
        return Ok(());
    }
    // SAFETY: the function is live, and the device has as much.
    let code = unsafe { sys::cuFuncSetAttribute(function, which, shared as i32) };
    checked("cuFuncSetAttribute", code.result())
}

/// Returns the size of a parameter of a kernel; `None` where it has no such parameter.
fn parameter_bytes(function: sys::CUfunction, index: usize) -> Result<Option<usize>, GpuError> {
    let (mut offset, mut bytes) = (0, 0);
    type ParamInfo = unsafe extern "C" fn(sys::CUfunction, usize, *mut usize, *mut usize) -> sys::CUresult;
    // What cudarc has of CUDA before 12.4 lacks it, and the driver has it.
    // SAFETY: the driver's function has that type.
    let info = unsafe { sys::culib().get::<ParamInfo>("cuFuncGetParamInfo") };
    let missing = |text: String| GpuError::Driver { call: "cuFuncGetParamInfo", name: "missing".into(), text };
    let info = info.map_err(|why| missing(why.to_string()))?;
    // SAFETY: the function is live; the driver writes two numbers.
    let code = unsafe { info(function, index, &mut offset, &mut bytes) };
    match code.result() {
        Err(DriverError(sys::CUresult::CUDA_ERROR_INVALID_VALUE)) => Ok(None),
        code => checked("cuFuncGetParamInfo", code).map(|()| Some(bytes)),
    }
}
