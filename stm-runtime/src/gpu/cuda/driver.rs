//! One CUDA device: memory and copies, in the device's primary context.
//!
//! Uses cudarc's thin layer, which turns codes into `Result`s and keeps no state: a run is strictly sequential. Kernels have one stream, and
//! each copy has its own, so that the copies of one run go on beside the kernel of another one.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

#[cfg(feature = "cudarc")]
use cudarc::driver::CudaStream;
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{CUdevice, CUdevice_attribute as Attribute, CUdeviceptr, CUresult};
use kernels_gen::device::link::BLOCK;

use super::context::{Context, CopyStreams, new_stream};
use super::copies::{Copies, Fill, Source, piece_of};
use super::device::CudaDevice;
use super::exchange::Exchanges;
use super::foreign;
use super::image::{NvrtcCompiler, UnitSource};
use super::joined::Joined;
use super::kept::{KeptMemory, rounded};
use super::nvrtc::Nvrtc;
use super::parts::Parted;
use super::probe::probe;
use super::program::CudaProgram;
use super::result::{checked, failed};
use super::rows::copy_rows;
use super::staging::{self, Staging};
use super::zeroing::Zeroing;
use crate::backend::Content;
use crate::error::{ForeignProblem, GpuError};
use crate::gpu::backend::{
    ALONG, Allocation, Cluster, Code, Driver, Encoding, Exchange, Executable, HostSlice, HostSliceMut, HostUse,
    LISTED_FROM, Limits, Loaded, MemoryInfo, Rows, Upload, download_staged, exchange_in_steps, upload_staged,
};
use crate::gpu::cache::{DiskCache, MemoryCache, UnitCache};
use crate::gpu::making::Making;

/// How many times the bytes that a run needs have to be free for the driver not to be asked again.
const PLENTY: u64 = 8;

/// The part of the device's memory that is kept when it is free, for later runs.
const KEPT_PART: usize = 16;

/// An open device. A process has one for each ordinal and never closes it: a kernel that was loaded once is loaded for every
/// batch.
pub(crate) struct CudaBackend {
    pub(super) ordinal: usize,
    /// The driver's number of it.
    pub(super) number: CUdevice,
    name: String,
    pub(super) device: CudaDevice,
    /// The most bytes of shared memory of a block, by opt-in.
    shared: u32,
    copies: Copies,
    streams: CopyStreams,
    exchanges: Exchanges,
    joined: Joined,
    zeroing: Zeroing,
    kept: KeptMemory,
    /// The memory when the driver was last asked, and [`CudaDevice::scratch`] then.
    known: Mutex<Option<MemoryInfo>>,
    /// The kernel that unpacks columns, once it was needed; `None` in it where it cannot be had.
    unpacker: OnceLock<Option<CudaProgram>>,
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
        let mut context = Context { context, stream: std::ptr::null_mut(), waits: false };
        context.enter()?;
        context.stream = new_stream()?;
        let (_, total) = checked("cuMemGetInfo", result::mem_get_info())?;
        Ok(CudaBackend {
            ordinal,
            number: device,
            name,
            device: CudaDevice {
                capability: 10 * major + minor,
                processors,
                threads: u64::from(threads) * u64::from(processors),
                context,
                disk: DiskCache::from_env(),
                links: AtomicBool::new(true),
                scratch: Arc::default(),
                timers: Arc::default(),
                streams: Arc::default(),
            },
            shared,
            copies: Copies::default(),
            streams: CopyStreams::default(),
            exchanges: Exchanges::default(),
            joined: Joined::default(),
            zeroing: Zeroing::default(),
            known: Mutex::default(),
            kept: KeptMemory::new(total / KEPT_PART),
            unpacker: OnceLock::new(),
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
        let memory = MemoryInfo { free: free as u64, total: total as u64, scratch };
        *self.known() = Some(memory);
        Ok(self.with_kept(memory))
    }

    fn memory_for(&self, bytes: u64) -> Result<MemoryInfo, GpuError> {
        // What the threads' own variables take is not known exactly, so more of it is a reason to ask.
        let scratch = self.device.scratch.load(Ordering::Relaxed);
        let known = self.known().map(|memory| self.with_kept(memory));
        let is_plenty = |memory: &MemoryInfo| memory.scratch == scratch && bytes.saturating_mul(PLENTY) <= memory.free;
        known.filter(is_plenty).map_or_else(|| self.memory(), Ok)
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
            Ok(address) => {
                self.known().iter_mut().for_each(|memory| memory.free = memory.free.saturating_sub(size as u64));
                Ok(Allocation { address, bytes })
            }
            Err(DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => {
                let free = self.memory().map_or(0, |memory| memory.free);
                Err(GpuError::OutOfMemory { what, needed: bytes as u64, free })
            }
            Err(error) => Err(failed("cuMemAlloc", error)),
        }
    }

    fn free(&self, allocation: Allocation, content: Option<Content>) {
        if self.device.context.enter().is_ok() {
            // Nothing uses it any more: launches and copies are waited for, also those that fail.
            let Allocation { address, bytes } = allocation;
            self.give_back(self.kept.keep(address, rounded(bytes), content.map(|content| (content, bytes))));
        }
    }

    fn find(&self, content: Content, bytes: usize) -> Option<Allocation> {
        self.kept.find((content, bytes)).map(|address| Allocation { address, bytes })
    }

    fn forget(&self, batch: u64) {
        self.kept.forget(batch);
    }

    fn upload(&self, to: &Allocation, offset: usize, from: HostSlice<'_>) -> Result<(), GpuError> {
        self.upload_all(to, &[(offset, from)])
    }

    fn download(&self, from: &Allocation, offset: usize, mut into: HostSliceMut<'_>) -> Result<(), GpuError> {
        self.download_seen(from, offset, into.bytes(), &|_, _| {})
    }

    fn download_seen(
        &self,
        from: &Allocation,
        offset: usize,
        into: &mut [u8],
        see: &(dyn Fn(usize, &[u8]) + Sync),
    ) -> Result<(), GpuError> {
        if into.is_empty() {
            return Ok(());
        }
        let source = from.range(offset, into.len());
        let take = |offset: usize, from: &[u8], into: &mut [u8]| {
            into.copy_from_slice(from);
            see(offset, into);
        };
        let is_seen = self.in_stream(|own| {
            // SAFETY: `range` is within a live allocation.
            if unsafe { self.copies.download(own, source, into, 1, take) }? {
                return Ok(true);
            }
            // SAFETY: as above, and the slice lives longer than the copy, which is waited for.
            checked("cuMemcpyDtoHAsync", unsafe { result::memcpy_dtoh_async(into, source, own.stream) }).map(|()| false)
        })?;
        if !is_seen {
            see(0, into);
        }
        Ok(())
    }

    fn upload_all(&self, to: &Allocation, uploads: &[Upload<'_>]) -> Result<(), GpuError> {
        let mut sources: Vec<Source<'_>> = Vec::with_capacity(uploads.len());
        for (offset, cells) in uploads {
            let bytes = cells.bytes().len();
            if bytes > 0 {
                let fill = Fill::Cells(*cells);
                sources.push(Source { target: to.range(*offset, bytes), bytes, fill, slots: None });
            }
        }
        if sources.is_empty() {
            return Ok(());
        }
        let staging = self.staging(&mut sources);
        let copied = self.in_stream(|own| {
            // SAFETY: the targets are within a live allocation, which only the caller uses.
            if unsafe { self.copies.upload(own, &sources, staging.as_ref()) }? {
                return Ok(());
            }
            sources.iter().try_for_each(|Source { target, fill, .. }| {
                let Fill::Cells(cells) = fill else { return Ok(()) };
                // SAFETY: as above, and the slice lives longer than the copy, which is waited for.
                checked("cuMemcpyHtoDAsync", unsafe { result::memcpy_htod_async(*target, cells.bytes(), own.stream) })
            })
        });
        staging.into_iter().for_each(|staging| self.free(staging.memory, None));
        copied
    }

    fn exchange(
        &self,
        program: &dyn Executable,
        memory: &Allocation,
        mut exchange: Exchange<'_>,
    ) -> Result<Duration, GpuError> {
        self.device.context.enter()?;
        let before = |own| self.zeroing.hold(self.joined.hold(own)?);
        match self.exchanges.run(program, memory, &mut exchange, before)? {
            Some(took) => Ok(took),
            None => exchange_in_steps(self, program, memory, exchange),
        }
    }

    fn upload_words(&self, to: &Allocation, offset: usize, words: &[u64], encoding: Encoding) -> Result<(), GpuError> {
        let target = to.range(offset, encoding.bytes * words.len());
        let Encoding { bytes: each, write, .. } = encoding;
        // Pieces hold whole words, and so do their offsets.
        let fill = |offset: usize, into: &mut [u8]| write(&words[offset / each..][..into.len() / each], into);
        let source = Source { target, bytes: each * words.len(), fill: Fill::By(&fill), slots: None };
        // SAFETY: `range` is within a live allocation.
        match self.in_stream(|own| unsafe { self.copies.upload(own, &[source], None) })? {
            true => Ok(()),
            false => upload_staged(self, to, offset, words, encoding),
        }
    }

    fn download_words(
        &self,
        from: &Allocation,
        offset: usize,
        words: &mut [u64],
        encoding: Encoding,
    ) -> Result<(), GpuError> {
        let source = from.range(offset, encoding.bytes * words.len());
        let take = |_: usize, from: &[u8], into: &mut [u64]| (encoding.read)(from, into);
        // SAFETY: as in `upload_words`.
        match self.in_stream(|own| unsafe { self.copies.download(own, source, words, encoding.bytes, take) })? {
            true => Ok(()),
            false => download_staged(self, from, offset, words, encoding),
        }
    }

    fn copy(&self, to: Rows<'_>, from: Rows<'_>, rows: usize, bytes: usize) -> Result<(), GpuError> {
        // SAFETY: all rows are within live allocations.
        self.in_stream(|own| unsafe { copy_rows(own, to, from, rows, bytes) })
    }

    fn adopt(&self, address: u64, bytes: usize) -> Result<Result<Allocation, ForeignProblem>, GpuError> {
        self.device.context.enter()?;
        let problem =
            if bytes == 0 { None } else { foreign::problem(self.ordinal, self.device.context, address, bytes)? };
        Ok(problem.map_or(Ok(Allocation { address, bytes }), Err))
    }

    fn finish(&self) -> Result<(), GpuError> {
        self.joined.finish(self.device.context)
    }

    fn zero(&self, at: &Allocation, offset: usize, bytes: usize) -> Result<(), GpuError> {
        let range = at.range(offset, bytes);
        self.in_stream(|own| {
            // SAFETY: `range` is within a live allocation.
            checked("cuMemsetD8Async", unsafe { result::memset_d8_async(range, 0, bytes, own.stream) })
        })
    }

    fn zero_first(&self, at: &Allocation, offset: usize, bytes: usize) -> Result<(), GpuError> {
        let range = at.range(offset, bytes);
        // SAFETY: `range` is within a live allocation, and the trait leaves it alone.
        unsafe { self.zeroing.zero(self.device.context, &self.joined, range, bytes) }
    }

    fn settle(&self) -> Result<(), GpuError> {
        self.zeroing.finish(self.device.context)
    }

    fn load(&self, code: Code<'_>, mut making: Making) -> Result<Loaded, GpuError> {
        making.end(|times| &mut times.text);
        let known = if let Code::Unit(unit) = code { self.units.get(unit) } else { None };
        making.end(|times| &mut times.memory);
        if let Some((program, outline)) = known {
            return Ok(Loaded::new(program, outline, making));
        }
        let compiler = NvrtcCompiler::for_device(self.device.capability)?;
        let text = code.text()?;
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
        let outline = if let Code::Unit(unit) = code { self.units.put(unit, program.clone()) } else { Arc::default() };
        making.end(|times| &mut times.memory);
        Ok(Loaded::new(program, outline, making))
    }

    fn limits(&self) -> Limits {
        // Eight blocks of 256 fill a multiprocessor of every architecture that we compile for; the occupancy query reduces
        // that for a kernel with many registers. More threads would fit, but this number saturates memory, and fewer
        // threads conflict less (docs/results).
        let host = HostUse::Predicted;
        let threads = u64::from(self.device.processors) * 512;
        let (shared, cluster) = (self.shared, Cluster::ONE);
        Limits { block: BLOCK, threads, shared, spread: true, host, along: ALONG, cluster, lists: LISTED_FROM }
    }
}

impl CudaBackend {
    /// Lets everything that is asked for from now on wait for the work that a stream of any context has been given.
    #[cfg(feature = "cudarc")]
    pub(super) fn join(&self, stream: &CudaStream) -> Result<(), GpuError> {
        self.joined.add(checked("cuEventRecord", stream.record_event(None))?, self.device.context)
    }

    /// Does work in a stream for copies, and waits for it.
    fn in_stream<T>(&self, work: impl FnOnce(Context) -> Result<T, GpuError>) -> Result<T, GpuError> {
        self.streams.with(self.device.context, |own| work(self.joined.hold(own)?))
    }

    /// Returns memory for packed pieces of these sources, if it pays and there is plenty of memory, and gives each source its part.
    fn staging(&self, sources: &mut [Source<'_>]) -> Option<Staging<'_>> {
        let room = |source: &Source<'_>| match source.fill {
            Fill::Cells(cells) => staging::bytes_for(cells),
            Fill::By(_) => None,
        };
        let cells: usize = sources.iter().filter_map(room).sum();
        if 2 * cells < staging::WORTH {
            return None;
        }
        let all: usize = sources.iter().map(|source| source.bytes).sum();
        let bytes = Staging::bytes(cells, all / piece_of(all) + sources.len());
        self.memory_for(bytes as u64).ok().filter(|memory| PLENTY * bytes as u64 <= memory.free)?;
        let program = self.unpacker.get_or_init(|| staging::unpacker(&self.device).ok()).as_ref()?;
        let memory = self.alloc("transactions", bytes).ok()?;
        let mut next = 0;
        for source in sources {
            source.slots = room(source).map(|bytes| {
                next += bytes;
                next - bytes
            });
        }
        Some(Staging::new(program, memory, cells))
    }

    fn known(&self) -> MutexGuard<'_, Option<MemoryInfo>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kept memory counts as free.
    fn with_kept(&self, memory: MemoryInfo) -> MemoryInfo {
        MemoryInfo { free: memory.free + self.kept.bytes() as u64, ..memory }
    }

    /// Returns memory to the driver. The context is current.
    fn give_back(&self, addresses: Vec<CUdeviceptr>) {
        // Other code may work on memory that it was lent. What is kept instead is used after that work.
        let _ = if addresses.is_empty() { Ok(()) } else { self.finish() };
        for address in addresses {
            // SAFETY: the memory is ours, and nothing knows the address any more. After a lost context this fails, and frees nothing.
            let _ = unsafe { result::free_sync(address) };
        }
    }
}
