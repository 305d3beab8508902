//! A unit on the device: compiled or found in a cache, loaded, launched.

use std::ffi::{CString, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cudarc::driver::{DriverError, result, sys};

use kernels_gen::device::stage::EXECUTE;

use super::context::{Context, KeptTimers, Timer, finish};
use super::device::CudaDevice;
use super::image::{Image, UnitSource};
use super::kernel::Kernel;
use super::kernel_streams::{KernelStreams, Share, UnderWay};
use super::nvrtc::log::until_zero;
use super::parts::Parted;
use super::result::checked;
use crate::error::GpuError;
use crate::gpu::backend::{Executable, GridPart, KernelCall, SETS, Shape, Started};
use crate::gpu::cache::Key;
use crate::gpu::making::Making;

/// A loaded module, and the kernel that every unit has.
pub(super) struct CudaProgram {
    pub(super) context: Context,
    processors: u32,
    /// The most threads that the device holds at once.
    threads: u64,
    /// [`CudaDevice::scratch`].
    scratch: Arc<AtomicU64>,
    timers: Arc<KeptTimers>,
    /// [`CudaDevice::streams`].
    pub(super) streams: Arc<KernelStreams>,
    module: sys::CUmodule,
    /// The kernels that were asked for, the one that every unit has first.
    kernels: Mutex<Vec<Kernel>>,
    /// What a unit of clusters was told last of its place in the grid.
    place: Mutex<Option<GridPart>>,
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
        Ok(CudaProgram {
            context,
            processors: device.processors,
            threads: device.threads,
            scratch: device.scratch.clone(),
            timers: device.timers.clone(),
            streams: device.streams.clone(),
            module,
            kernels: Mutex::new(vec![Kernel::of(EXECUTE, entry)?]),
            place: Mutex::default(),
        })
    }

    /// Returns a kernel of the module. The context is current.
    fn kernel(&self, name: &'static str) -> Result<Kernel, GpuError> {
        if let Some(known) = self.kernels().iter().find(|kernel| kernel.name == name) {
            return Ok(known.clone());
        }
        // SAFETY: the module is loaded until the program is dropped.
        let found = unsafe { result::module::get_function(self.module, entry_name(name)) };
        let kernel = Kernel::of(name, checked("cuModuleGetFunction", found)?)?;
        self.kernels().push(kernel.clone());
        Ok(kernel)
    }

    fn kernels(&self) -> MutexGuard<'_, Vec<Kernel>> {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Launches a kernel in a stream. The context is current.
    ///
    /// # Safety
    /// The addresses in the parameters are of live memory until the launch is over, and nothing else writes to what it uses.
    pub(super) unsafe fn launch_in(&self, stream: sys::CUstream, call: KernelCall<'_>) -> Result<(), GpuError> {
        let KernelCall { entry, shape, parameters, .. } = call;
        let kernel = self.kernel(entry)?;
        kernel.check_parameters(size_of_val(parameters))?;
        let mut arguments = [parameters.as_ptr().cast_mut().cast::<c_void>()];
        let (grid, block) = ((shape.grid, 1, 1), (shape.block, 1, 1));
        // SAFETY: the kernel takes one block of exactly these bytes, which the driver copies during the call.
        let code = unsafe { result::launch_kernel(kernel.function, grid, block, shape.shared, stream, &mut arguments) };
        if let Err(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)) = code {
            let free = result::mem_get_info().map_or(0, |(free, _)| free as u64);
            return Err(GpuError::OutOfMemory { what: SETS, needed: kernel.local * self.threads, free });
        }
        checked("cuLaunchKernel", code)?;
        self.scratch.fetch_max(kernel.local * self.threads, Ordering::Relaxed);
        Ok(())
    }

    /// Starts a kernel in a stream. The context is current.
    pub(super) fn start_in(&self, own: Context, call: KernelCall<'_>) -> Result<Running, GpuError> {
        let timer = self.timers.take()?;
        timer.begin.record(own.stream)?;
        // SAFETY: the addresses in the parameters are of live buffers that the run loop holds until the launch is over.
        unsafe { self.launch_in(own.stream, call) }?;
        let running = Running { context: own, timer: Some(timer), timers: self.timers.clone(), under_way: None };
        running.timer.as_ref().map_or(Ok(()), |timer| timer.end.record(own.stream))?;
        Ok(running)
    }

    /// Lets the next kernel of a stream know its part of the grid. The context is current, and the stream is that of all large launches.
    fn tell_place(&self, own: Context, part: GridPart) -> Result<(), GpuError> {
        let mut known = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_some_and(|known| (known.first, known.all) == (part.first, part.all)) {
            return Ok(());
        }
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the module is loaded until the program is dropped; the driver writes two numbers.
        let code =
            unsafe { sys::cuModuleGetGlobal_v2(&mut address, &mut bytes, self.module, c"stm_grid_part".as_ptr()) };
        checked("cuModuleGetGlobal", code.result())?;
        assert_eq!(bytes, 8, "a place is two numbers");
        for (nth, value) in [part.first, part.all].into_iter().enumerate() {
            // SAFETY: within the variable, which kernels of the module read, and those are in this stream.
            let code = unsafe { sys::cuMemsetD32Async(address + 4 * nth as u64, value, 1, own.stream) };
            checked("cuMemsetD32Async", code.result())?;
        }
        *known = Some(part);
        Ok(())
    }

    /// Returns the part of the device that a launch takes. Blocks of fewer threads need no more than those that the driver was asked about.
    pub(super) fn share(&self, KernelCall { entry, shape, .. }: KernelCall<'_>) -> Share {
        let kernels = self.kernels();
        let kernel = kernels.iter().find(|kernel| kernel.name == entry);
        let resident = kernel.and_then(|kernel| kernel.resident_at_least(shape.block)).filter(|_| shape.shared == 0);
        resident.map_or(Share::Large, |resident| Share::of(shape.grid, resident, self.processors))
    }

    /// Refuses a kernel with several parameters.
    pub(super) fn refuse_more_parameters(&self) -> Result<(), GpuError> {
        self.kernel(EXECUTE)?.refuse_more_parameters()
    }
}

/// Returns the name of a kernel in the driver's form.
fn entry_name(entry: &str) -> CString {
    CString::new(entry).expect("the name of a kernel has no zero byte")
}

impl Executable for CudaProgram {
    fn resident_blocks(&self, entry: &'static str, block: u32, shared: u32) -> Result<u32, GpuError> {
        self.context.enter()?;
        let mut kernel = self.kernel(entry)?;
        let each = match kernel.known_resident(block, shared) {
            Some(each) => each,
            None => {
                let each = kernel.ask_resident(block, shared)?;
                self.kernels().iter_mut().filter(|known| known.name == entry).for_each(|known| *known = kernel.clone());
                each
            }
        };
        Ok(each * self.processors)
    }

    fn scratch(&self, entry: &'static str) -> Result<u64, GpuError> {
        self.context.enter()?;
        Ok(self.kernel(entry)?.local * self.threads)
    }

    fn start(&self, call: KernelCall<'_>) -> Result<Started, GpuError> {
        self.context.enter()?;
        let (mut running, under_way) =
            self.streams.launch(Share::Large, self.context, |own| self.start_in(own, call))?;
        running.under_way = Some(under_way);
        Ok(Started(Box::new(move || running.wait())))
    }

    fn start_part(&self, call: KernelCall<'_>, part: GridPart) -> Result<Started, GpuError> {
        self.context.enter()?;
        let call = KernelCall { shape: Shape { grid: part.blocks, ..call.shape }, ..call };
        let (mut running, under_way) = self.streams.launch(Share::Large, self.context, |own| {
            self.tell_place(own, part)?;
            self.start_in(own, call)
        })?;
        running.under_way = Some(under_way);
        Ok(Started(Box::new(move || running.wait())))
    }
}

/// A kernel that the driver has. When this is dropped, it has ended.
pub(super) struct Running {
    context: Context,
    /// `Some` until the end was waited for.
    timer: Option<Timer>,
    timers: Arc<KeptTimers>,
    under_way: Option<UnderWay>,
}

impl Running {
    /// Waits for the end, and returns the time.
    pub(super) fn wait(mut self) -> Result<Duration, GpuError> {
        let Some(timer) = &self.timer else { return Ok(Duration::ZERO) };
        self.context.enter()?;
        timer.end.wait()?;
        let took = timer.begin.until(&timer.end);
        self.timer.take().into_iter().for_each(|timer| self.timers.keep(timer));
        took
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.timer.is_some() && self.context.enter().is_ok() {
            // The caller frees the kernel's buffers. Where this fails, the context is lost, and the kernel with it.
            let _ = finish(self.context.stream);
        }
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
