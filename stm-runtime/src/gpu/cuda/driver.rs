//! One CUDA device: memory and copies, in the device's primary context.
//!
//! Uses cudarc's thin layer, which turns codes into `Result`s and keeps no state: the run loop is strictly sequential,
//! on one stream.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUdeviceptr, CUresult};

use super::context::{Context, finish};
use super::copies::Copies;
use super::device::CudaDevice;
use super::image::{NvrtcCompiler, UnitSource};
use super::kept::{KeptMemory, rounded};
use super::nvrtc::Nvrtc;
use super::parts::Parted;
use super::probe::probe;
use super::program::CudaProgram;
use super::result::{checked, failed};
use crate::error::GpuError;
use crate::gpu::backend::{
    Allocation, Code, Driver, Encoding, HostSlice, HostSliceMut, HostUse, Limits, Loaded, MemoryInfo, download_staged,
    upload_staged,
};
use crate::gpu::cache::{DiskCache, MemoryCache, UnitCache};
use crate::gpu::making::Making;

/// The part of the device's memory that is kept when it is free, for later runs.
const KEPT_PART: usize = 16;

/// An open device. A process has one for each ordinal and never closes it: a kernel that was loaded once is loaded for every
/// batch.
pub(crate) struct CudaBackend {
    ordinal: usize,
    name: String,
    device: CudaDevice,
    /// The most bytes of shared memory of a block, by opt-in.
    shared: u32,
    copies: Copies,
    kept: KeptMemory,
    programs: MemoryCache<Arc<CudaProgram>>,
    units: UnitCache<Arc<CudaProgram>>,
}

impl CudaBackend {
    /// Opens the device of that number.
    pub(crate) fn open(ordinal: usize) -> Result<Arc<CudaBackend>, GpuError> {
        static OPEN: Mutex<Option<HashMap<usize, Arc<CudaBackend>>>> = Mutex::new(None);
        let count = probe()?;
        if ordinal >= count {
            return Err(GpuError::NoSuchDevice { ordinal, count });
        }
        // A device without a compiler is unusable: report it now.
        Nvrtc::find()?;
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let open = open.get_or_insert_default();
        if let Some(backend) = open.get(&ordinal) {
            // A context that a kernel broke stays broken. Report it when the device is opened, not in the next run.
            backend.memory()?;
            return Ok(backend.clone());
        }
        let backend = Arc::new(CudaBackend::retain(ordinal)?);
        open.insert(ordinal, backend.clone());
        Ok(backend)
    }

    fn retain(ordinal: usize) -> Result<CudaBackend, GpuError> {
        let device = checked("cuDeviceGet", result::device::get(ordinal as i32))?;
        let name = checked("cuDeviceGetName", result::device::get_name(device))?;
        let attribute = |which| {
            // SAFETY: the device comes from `device::get`.
            checked("cuDeviceGetAttribute", unsafe { result::device::get_attribute(device, which) })
                .map(|value| value.max(0) as u32)
        };
        let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let processors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let threads = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?;
        let shared = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        // SAFETY: the device comes from `device::get`. The context is kept for the life of the process.
        let context = checked("cuDevicePrimaryCtxRetain", unsafe { result::primary_ctx::retain(device) })?;
        let mut context = Context { context, stream: std::ptr::null_mut() };
        context.enter()?;
        context.stream = checked("cuStreamCreate", result::stream::create(result::stream::StreamKind::NonBlocking))?;
        let (_, total) = checked("cuMemGetInfo", result::mem_get_info())?;
        Ok(CudaBackend {
            ordinal,
            name,
            device: CudaDevice {
                capability: 10 * major + minor,
                processors,
                threads: u64::from(threads) * u64::from(processors),
                context,
                disk: DiskCache::from_env(),
                links: AtomicBool::new(true),
                scratch: Arc::default(),
            },
            shared,
            copies: Copies::default(),
            kept: KeptMemory::new(total / KEPT_PART),
            programs: MemoryCache::new(),
            units: UnitCache::new(),
        })
    }
}

impl Driver for CudaBackend {
    fn describe(&self) -> String {
        format!(
            "cuda:{} {} (sm_{}, {} multiprocessors)",
            self.ordinal, self.name, self.device.capability, self.device.processors
        )
    }

    fn memory(&self) -> Result<MemoryInfo, GpuError> {
        self.device.context.enter()?;
        let (free, total) = checked("cuMemGetInfo", result::mem_get_info())?;
        let scratch = self.device.scratch.load(Ordering::Relaxed);
        Ok(MemoryInfo { free: (free + self.kept.bytes()) as u64, total: total as u64, scratch })
    }

    fn alloc(&self, what: &'static str, bytes: usize) -> Result<Allocation, GpuError> {
        self.device.context.enter()?;
        let size = rounded(bytes);
        if let Some(address) = self.kept.take(size) {
            return Ok(Allocation { address, bytes });
        }
        // SAFETY: the content is undefined, as the trait says.
        let mut given = unsafe { result::malloc_sync(size) };
        if let Err(DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY)) = given {
            self.give_back(self.kept.take_all());
            // SAFETY: as above.
            given = unsafe { result::malloc_sync(size) };
        }
        match given {
            Ok(address) => Ok(Allocation { address, bytes }),
            Err(DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => {
                let free = self.memory().map_or(0, |memory| memory.free);
                Err(GpuError::OutOfMemory { what, needed: bytes as u64, free })
            }
            Err(error) => Err(failed("cuMemAlloc", error)),
        }
    }

    fn free(&self, allocation: Allocation) {
        if self.device.context.enter().is_ok() {
            // Nothing uses it any more: launches and copies are waited for, also those that fail.
            self.give_back(self.kept.keep(allocation.address, rounded(allocation.bytes)));
        }
    }

    fn upload(&self, to: &Allocation, offset: usize, from: HostSlice<'_>) -> Result<(), GpuError> {
        let (source, bytes) = from.raw();
        if bytes == 0 {
            return Ok(());
        }
        self.device.context.enter()?;
        let target = to.range(offset, bytes);
        // SAFETY: the source is a live slice of that many bytes, and integers have no others. `range` is within a live allocation.
        let all = unsafe { std::slice::from_raw_parts(source, bytes) };
        // SAFETY: as above.
        if unsafe { self.copies.upload(self.device.context, target, all, 1, |from, into| into.copy_from_slice(from)) }?
        {
            return Ok(());
        }
        // SAFETY: as above.
        let code = unsafe { sys::cuMemcpyHtoDAsync_v2(target, source.cast(), bytes, self.device.context.stream) };
        checked("cuMemcpyHtoDAsync", code.result())?;
        self.synchronize()
    }

    fn download(&self, from: &Allocation, offset: usize, mut into: HostSliceMut<'_>) -> Result<(), GpuError> {
        let (target, bytes) = into.raw();
        if bytes == 0 {
            return Ok(());
        }
        self.device.context.enter()?;
        let source = from.range(offset, bytes);
        // SAFETY: as in `upload`; every bit pattern is a value of the slice's integers.
        let all = unsafe { std::slice::from_raw_parts_mut(target, bytes) };
        // SAFETY: as above.
        if unsafe {
            self.copies.download(self.device.context, source, all, 1, |from, into| into.copy_from_slice(from))
        }? {
            return Ok(());
        }
        // SAFETY: as above.
        let code = unsafe { sys::cuMemcpyDtoHAsync_v2(target.cast(), source, bytes, self.device.context.stream) };
        checked("cuMemcpyDtoHAsync", code.result())?;
        self.synchronize()
    }

    fn upload_words(&self, to: &Allocation, words: &[u64], encoding: Encoding) -> Result<(), GpuError> {
        self.device.context.enter()?;
        let target = to.range(0, encoding.bytes * words.len());
        // SAFETY: `range` is within a live allocation.
        if unsafe { self.copies.upload(self.device.context, target, words, encoding.bytes, encoding.write) }? {
            return Ok(());
        }
        upload_staged(self, to, words, encoding)
    }

    fn download_words(&self, from: &Allocation, words: &mut [u64], encoding: Encoding) -> Result<(), GpuError> {
        self.device.context.enter()?;
        let source = from.range(0, encoding.bytes * words.len());
        // SAFETY: as in `upload_words`.
        if unsafe { self.copies.download(self.device.context, source, words, encoding.bytes, encoding.read) }? {
            return Ok(());
        }
        download_staged(self, from, words, encoding)
    }

    fn zero(&self, at: &Allocation) -> Result<(), GpuError> {
        self.device.context.enter()?;
        // SAFETY: the whole of a live allocation.
        let code = unsafe { result::memset_d8_async(at.address, 0, at.bytes, self.device.context.stream) };
        checked("cuMemsetD8Async", code)?;
        self.synchronize()
    }

    fn load(&self, code: Code<'_>, mut making: Making) -> Result<Loaded, GpuError> {
        making.end(|times| &mut times.text);
        if let Code::Unit(unit) = code
            && let Some(program) = self.units.get(unit)
        {
            making.end(|times| &mut times.memory);
            return Ok(Loaded::new(program, making));
        }
        making.end(|times| &mut times.memory);
        let compiler = NvrtcCompiler::for_device(self.device.capability)?;
        let text = code.text();
        let source = UnitSource::new(&text, &compiler);
        making.end(|times| &mut times.text);
        let program = self.programs.get_or_make(source.key, || {
            making.end(|times| &mut times.memory);
            let parted = match code {
                Code::Unit(unit) if self.device.links.load(Ordering::Relaxed) => Parted::of(unit, &compiler),
                _ => None,
            };
            making.end(|times| &mut times.text);
            let program = CudaProgram::build(&self.device, &source, parted.as_ref(), &mut making)?;
            // The linker prints one parameter. Only a hand-written text can have several.
            let checked = if let Code::Text(_) = code { program.refuse_more_parameters() } else { Ok(()) };
            making.end(|times| &mut times.loading);
            checked.map(|()| Arc::new(program))
        })?;
        if let Code::Unit(unit) = code {
            self.units.put(unit, program.clone());
        }
        making.end(|times| &mut times.memory);
        Ok(Loaded::new(program, making))
    }

    fn limits(&self) -> Limits {
        // Eight blocks of 256 fill a multiprocessor of every architecture that we compile for; the occupancy query reduces
        // that for a kernel with many registers. More threads would fit, but this number saturates memory, and fewer
        // threads conflict less (docs/results).
        let host = HostUse::Predicted;
        Limits { block: 256, threads: u64::from(self.device.processors) * 512, shared: self.shared, spread: true, host }
    }
}

impl CudaBackend {
    /// Returns memory to the driver. The context is current.
    fn give_back(&self, addresses: Vec<CUdeviceptr>) {
        for address in addresses {
            // SAFETY: the memory is ours, and nothing knows the address any more. After a lost context this fails, and there is
            // nothing to free.
            let _ = unsafe { result::free_sync(address) };
        }
    }

    fn synchronize(&self) -> Result<(), GpuError> {
        finish(self.device.context.stream)
    }
}
