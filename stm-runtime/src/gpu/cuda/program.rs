//! A unit on the device: compiled or found in a cache, loaded, launched.

use std::ffi::{CString, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cudarc::driver::{DriverError, result, sys};

use kernels_gen::device::stage::EXECUTE;

use super::context::{Context, Event, finish};
use super::device::CudaDevice;
use super::image::{Image, UnitSource};
use super::nvrtc::log::until_zero;
use super::parts::Parted;
use super::result::checked;
use crate::error::GpuError;
use crate::gpu::backend::{Executable, SETS, Shape};
use crate::gpu::cache::Key;
use crate::gpu::making::Making;

/// A loaded module, and the kernel that every unit has.
pub(super) struct CudaProgram {
    context: Context,
    processors: u32,
    /// The most threads that the device holds at once.
    threads: u64,
    /// [`CudaDevice::scratch`].
    scratch: Arc<AtomicU64>,
    module: sys::CUmodule,
    entry: sys::CUfunction,
}

// SAFETY: module and function are handles that any thread may use once it has entered the context.
unsafe impl Send for CudaProgram {}
// SAFETY: as above.
unsafe impl Sync for CudaProgram {}

impl CudaProgram {
    /// Takes the unit from the disk cache or compiles it, and loads it. A unit without parts is compiled in one piece.
    pub(super) fn build(
        device: &CudaDevice,
        source: &UnitSource<'_>,
        parted: Option<&Parted<'_>>,
        making: &mut Making,
    ) -> Result<CudaProgram, GpuError> {
        if let Some(parted) = parted {
            let image = |making: &mut Making| parted.image(device.context, &device.disk, source.text, making);
            match CudaProgram::made(device, parted.key, image, making) {
                Err(why) if !matches!(why, GpuError::ContextLost { .. }) => {
                    device.links.store(false, Ordering::Relaxed);
                    making.notes.push(format!("kernels are compiled in one piece, which takes longer: {why}"));
                }
                outcome => return outcome,
            }
        }
        CudaProgram::made(device, source.key, |making| source.image(&device.disk, making), making)
    }

    /// Loads the image from `image`, which may come from the disk under that key.
    fn made(
        device: &CudaDevice,
        key: Key,
        image: impl Fn(&mut Making) -> Result<(Image, bool), GpuError>,
        making: &mut Making,
    ) -> Result<CudaProgram, GpuError> {
        let (found, from_disk) = image(making)?;
        let loaded = CudaProgram::load(device, &found);
        making.end(|times| &mut times.loading);
        match loaded {
            // The file was complete and the driver refuses it: the machine has changed. Compile it from the source;
            // a second refusal is final.
            Err(GpuError::Driver { .. }) if from_disk => {
                device.disk.discard(key);
                CudaProgram::load(device, &image(making)?.0)
            }
            outcome => outcome,
        }
    }

    fn load(device: &CudaDevice, image: &Image) -> Result<CudaProgram, GpuError> {
        let context = device.context;
        context.enter()?;
        let module = match &image.cubin {
            // SAFETY: NVRTC or the driver's linker made the image: in this process, or in one of this user, whose file is complete
            // by
            // its checksum and whose tables lie within it (`elf.rs`). The driver gets no length.
            Some(cubin) => checked("cuModuleLoadData", unsafe { result::module::load_data(cubin.as_ptr().cast()) })?,
            None => load_ptx(&image.ptx)?,
        };
        let name = entry_name(EXECUTE);
        // SAFETY: the module was loaded just now.
        let entry = match unsafe { result::module::get_function(module, name) } {
            Ok(entry) => entry,
            Err(error) => {
                // SAFETY: nothing of the module is in use.
                let _ = unsafe { result::module::unload(module) };
                return checked("cuModuleGetFunction", Err(error));
            }
        };
        let scratch = device.scratch.clone();
        Ok(CudaProgram { context, processors: device.processors, threads: device.threads, scratch, module, entry })
    }

    /// Returns a kernel of the module.
    fn function(&self, entry: &'static str) -> Result<sys::CUfunction, GpuError> {
        if entry == EXECUTE {
            return Ok(self.entry);
        }
        // SAFETY: the module is loaded until the program is dropped.
        checked("cuModuleGetFunction", unsafe { result::module::get_function(self.module, entry_name(entry)) })
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

    /// Refuses a kernel that has a second parameter, which the driver would read past the end of the host's parameters.
    ///
    /// The only way to count parameters is a driver call that fails, which debuggers and sanitizers report. So generated
    /// kernels are not checked.
    pub(super) fn refuse_more_parameters(&self) -> Result<(), GpuError> {
        match parameter_bytes(self.entry, 1)? {
            None => Ok(()),
            Some(_) => Err(GpuError::NotOneParameter),
        }
    }

    /// Checks that the first parameter has the size of the host's block. The driver would read a larger one past its end.
    fn check_parameters(function: sys::CUfunction, host: usize) -> Result<(), GpuError> {
        match parameter_bytes(function, 0)? {
            None => Err(GpuError::NotOneParameter),
            Some(kernel) if kernel != host => Err(GpuError::Parameters { kernel, host }),
            Some(_) => Ok(()),
        }
    }
}

/// Returns the size of a parameter of a kernel; `None` where it has no such parameter.
fn parameter_bytes(function: sys::CUfunction, index: usize) -> Result<Option<usize>, GpuError> {
    let (mut offset, mut bytes) = (0, 0);
    // SAFETY: the function is live; the driver writes two numbers.
    let code = unsafe { sys::cuFuncGetParamInfo(function, index, &mut offset, &mut bytes) };
    match code.result() {
        Err(DriverError(sys::CUresult::CUDA_ERROR_INVALID_VALUE)) => Ok(None),
        code => checked("cuFuncGetParamInfo", code).map(|()| Some(bytes)),
    }
}

/// Returns the name of a kernel in the driver's form.
fn entry_name(entry: &str) -> CString {
    CString::new(entry).expect("the name of a kernel has no zero byte")
}

impl Executable for CudaProgram {
    fn resident_blocks(&self, entry: &'static str, block: u32, shared: u32) -> Result<u32, GpuError> {
        self.context.enter()?;
        let function = self.function(entry)?;
        CudaProgram::allow(function, shared)?;
        // SAFETY: the function is live.
        let each =
            unsafe { result::occupancy::max_active_block_per_multiprocessor(function, block as i32, shared as usize) };
        let each = checked("cuOccupancyMaxActiveBlocksPerMultiprocessor", each)?;
        Ok(each.max(0) as u32 * self.processors)
    }

    fn scratch(&self, entry: &'static str) -> Result<u64, GpuError> {
        self.context.enter()?;
        let function = self.function(entry)?;
        let mut bytes = 0;
        let which = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES;
        // SAFETY: the function is live; the driver writes one number.
        let code = unsafe { sys::cuFuncGetAttribute(&mut bytes, which, function) };
        checked("cuFuncGetAttribute", code.result())?;
        Ok(bytes.max(0) as u64 * self.threads)
    }

    fn launch(&self, entry: &'static str, shape: Shape, parameters: &[u64]) -> Result<Duration, GpuError> {
        self.context.enter()?;
        let function = self.function(entry)?;
        CudaProgram::check_parameters(function, size_of_val(parameters))?;
        let (begin, end) = (Event::new()?, Event::new()?);
        begin.record(self.context.stream)?;
        let mut arguments = [parameters.as_ptr().cast_mut().cast::<c_void>()];
        // SAFETY: the kernel takes one block of exactly these bytes, which the driver copies during the call; the
        // addresses in it are of live buffers that the run loop holds until the launch is over.
        let code = unsafe {
            result::launch_kernel(
                function,
                (shape.grid, 1, 1),
                (shape.block, 1, 1),
                shape.shared,
                self.context.stream,
                &mut arguments,
            )
        };
        if let Err(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)) = code {
            let free = result::mem_get_info().map_or(0, |(free, _)| free as u64);
            return Err(GpuError::OutOfMemory { what: SETS, needed: self.scratch(entry)?, free });
        }
        checked("cuLaunchKernel", code)?;
        self.scratch.fetch_max(self.scratch(entry)?, Ordering::Relaxed);
        end.record(self.context.stream).and_then(|()| end.wait()).inspect_err(|_| {
            // The caller frees the kernel's buffers. Where this fails too, the context is lost, and the kernel with it.
            let _ = finish(self.context.stream);
        })?;
        begin.until(&end)
    }
}

impl Drop for CudaProgram {
    fn drop(&mut self) {
        if self.context.enter().is_ok() {
            // SAFETY: loaded once, unloaded once; no launch is in flight, since launches wait for their end.
            let _ = unsafe { result::module::unload(self.module) };
        }
    }
}

/// Lets the driver translate the assembler text. The error has the driver's message.
pub(super) fn load_ptx(ptx: &str) -> Result<sys::CUmodule, GpuError> {
    let text = CString::new(ptx).map_err(|_| GpuError::Nvrtc { arch: "ptx".into(), text: "a zero byte".into() })?;
    let mut log = vec![0_u8; 8192];
    let mut options =
        [sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER, sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), ptr::without_provenance_mut(log.len())];
    let mut module = ptr::null_mut();
    // SAFETY: two options with a value each; the log lives through the call and its length is the second value.
    let code = unsafe {
        sys::cuModuleLoadDataEx(&mut module, text.as_ptr().cast(), 2, options.as_mut_ptr(), values.as_mut_ptr())
    };
    checked("cuModuleLoadDataEx", code.result()).map_err(|error| match error {
        GpuError::Driver { call, name, text } => {
            GpuError::Driver { call, name, text: format!("{text}: {}", until_zero(&log).trim()) }
        }
        other => other,
    })?;
    Ok(module)
}
