//! GPUs of one host that reach each other's memory, and memory with a part on each of them.
//!
//! The driver maps pages of several GPUs to one range of addresses (CUDA programming guide, "Virtual memory
//! management"), so kernels and copies need not know of the parts. Small memory is that of the first GPU: its pages are shared by
//! allocations, and a page takes 2 MiB.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::{self, CUdevice_P2PAttribute as P2p, CUdeviceptr, CUresult};

use kernels_gen::abi::routes::MOST_DEVICES;

use super::driver::CudaBackend;
use super::kept::KeptMemory;
use super::probe::probe;
use super::result::checked;
use crate::backend::Content;
use crate::error::GpuError;
use crate::gpu::backend::{Allocation, Driver, MemoryInfo};
use crate::gpu::cluster::{ClusterBackend, ClusterMemory};

/// The part of the first GPU's memory that stays mapped when it is freed, for later allocations.
const KEPT_PART: u64 = 16;

/// The clusters of a process: one for the same GPUs, and for whether every launch is on all of them.
type Clusters = HashMap<(Vec<usize>, bool), Arc<ClusterBackend>>;

/// Opens GPUs as one device, or all of them if none is named. One alone is itself. `always`: every launch is on all of them.
pub(crate) fn cluster(ordinals: &[usize], always: bool) -> Result<Arc<dyn Driver>, GpuError> {
    static OPEN: Mutex<Option<Clusters>> = Mutex::new(None);
    let key = (if ordinals.is_empty() { (0..probe()?).collect() } else { ordinals.to_vec() }, always);
    if key.0.len() > MOST_DEVICES {
        return Err(GpuError::TooManyDevices { devices: key.0.len(), most: MOST_DEVICES });
    }
    let gpus = key.0.iter().map(|ordinal| CudaBackend::open(*ordinal)).collect::<Result<Vec<_>, _>>()?;
    if let [alone] = &*gpus {
        return Ok(alone.clone());
    }
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let open = open.get_or_insert_default();
    if let Some(known) = open.get(&key) {
        return Ok(known.clone());
    }
    for (nth, one) in gpus.iter().enumerate() {
        let mut others = gpus.iter().enumerate().filter(|(other, _)| *other != nth);
        others.try_for_each(|(_, other)| connect(one, other))?;
    }
    let alone = if always { 0 } else { gpus[0].limits().threads };
    let memory = Arc::new(PeerMemory::of(gpus.clone())?);
    let devices = gpus.into_iter().map(|gpu| gpu as Arc<dyn Driver>).collect();
    let cluster = Arc::new(ClusterBackend::new(devices, memory, alone));
    open.insert(key, cluster.clone());
    Ok(cluster)
}

/// Lets one GPU reach the memory of another one, if it can do so with atomics.
fn connect(one: &CudaBackend, other: &CudaBackend) -> Result<(), GpuError> {
    let refused = |why: &str| GpuError::NoPeers { one: one.ordinal, other: other.ordinal, why: why.into() };
    if one.ordinal == other.ordinal {
        return Err(refused("they are one device"));
    }
    if one.device.capability != other.device.capability {
        // A kernel of another kind of device may lock elements in another way.
        return Err(refused("they are of different kinds"));
    }
    let mut has_atomics = 0;
    let which = P2p::CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED;
    // SAFETY: the driver writes one number; the devices are open.
    let code = unsafe { sys::cuDeviceGetP2PAttribute(&mut has_atomics, which, one.number, other.number) };
    checked("cuDeviceGetP2PAttribute", code.result())?;
    if has_atomics == 0 {
        return Err(refused("the link between them has no atomics"));
    }
    one.device.context.enter()?;
    // SAFETY: both contexts are retained for the life of the process.
    match unsafe { sys::cuCtxEnablePeerAccess(other.device.context.context, 0) } {
        CUresult::CUDA_SUCCESS | CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => Ok(()),
        CUresult::CUDA_ERROR_PEER_ACCESS_UNSUPPORTED => Err(refused("the driver gives no access")),
        code => checked("cuCtxEnablePeerAccess", code.result()),
    }
}

/// The memory of GPUs that reach each other.
struct PeerMemory {
    gpus: Vec<Arc<CudaBackend>>,
    /// The bytes of a page.
    page: usize,
    /// The mappings that are not freed, by their addresses.
    mappings: Mutex<HashMap<CUdeviceptr, Mapping>>,
    kept: KeptMemory,
}

/// A range of addresses with a part of this many bytes on each GPU.
#[derive(Clone, Copy)]
struct Mapping {
    address: CUdeviceptr,
    part: usize,
    /// The parts that have memory.
    parts: usize,
}

impl PeerMemory {
    fn of(gpus: Vec<Arc<CudaBackend>>) -> Result<PeerMemory, GpuError> {
        let mut page = 0;
        let least = sys::CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_MINIMUM;
        let own = Properties::of(&gpus[0]);
        gpus[0].device.context.enter()?;
        // SAFETY: the driver reads the properties and writes one number.
        let code = unsafe { sys::cuMemGetAllocationGranularity(&mut page, (&raw const own).cast(), least) };
        checked("cuMemGetAllocationGranularity", code.result())?;
        let most = gpus[0].memory()?.total / KEPT_PART * gpus.len() as u64;
        Ok(PeerMemory { gpus, page, mappings: Mutex::default(), kept: KeptMemory::new(most as usize) })
    }

    /// Returns the bytes of each GPU's part; `None` for memory that is too small to be divided.
    fn part_of(&self, bytes: usize) -> Option<usize> {
        let part = bytes.div_ceil(self.gpus.len()).checked_next_multiple_of(self.page)?;
        (bytes as u64 >= self.divided()).then_some(part)
    }

    /// Makes a mapping. Returns `None` where a GPU has too little memory.
    fn make(&self, part: usize) -> Result<Option<Mapping>, GpuError> {
        self.gpus[0].device.context.enter()?;
        let mut mapping = Mapping { address: 0, part, parts: 0 };
        let all = part * self.gpus.len();
        // SAFETY: the driver writes one address.
        let code = unsafe { sys::cuMemAddressReserve(&mut mapping.address, all, 0, 0, 0) };
        checked("cuMemAddressReserve", code.result())?;
        let mapped =
            self.gpus.iter().try_for_each(|gpu| self.map(gpu, &mut mapping)).and_then(|()| self.open(&mapping));
        match mapped {
            Ok(()) => Ok(Some(mapping)),
            Err(why) => {
                self.unmake(mapping);
                if let GpuError::Driver { name, .. } = &why
                    && name == "CUDA_ERROR_OUT_OF_MEMORY"
                {
                    return Ok(None);
                }
                Err(why)
            }
        }
    }

    /// Maps memory of a GPU to the next part of a range.
    fn map(&self, gpu: &CudaBackend, mapping: &mut Mapping) -> Result<(), GpuError> {
        let (mut handle, own) = (0, Properties::of(gpu));
        // SAFETY: the driver reads the properties and writes one handle.
        let code = unsafe { sys::cuMemCreate(&mut handle, mapping.part, (&raw const own).cast(), 0) };
        checked("cuMemCreate", code.result())?;
        let at = mapping.address + (mapping.parts * mapping.part) as u64;
        // SAFETY: the range is reserved, and nothing is there yet.
        let mapped = checked("cuMemMap", unsafe { sys::cuMemMap(at, mapping.part, 0, handle, 0) }.result());
        // SAFETY: the mapping holds the memory; the handle is used no more.
        let released = checked("cuMemRelease", unsafe { sys::cuMemRelease(handle) }.result());
        mapped?;
        mapping.parts += 1;
        released
    }

    /// Lets every GPU read and write a mapping.
    fn open(&self, mapping: &Mapping) -> Result<(), GpuError> {
        let access = |gpu: &Arc<CudaBackend>| Access { location: Properties::of(gpu).location, flags: READ_WRITE };
        let all: Vec<Access> = self.gpus.iter().map(access).collect();
        let bytes = mapping.part * mapping.parts;
        // SAFETY: the whole range is mapped; the driver reads as many descriptions.
        let code = unsafe { sys::cuMemSetAccess(mapping.address, bytes, all.as_ptr().cast(), all.len()) };
        checked("cuMemSetAccess", code.result())
    }

    /// Gives a mapping back to the driver.
    fn unmake(&self, mapping: Mapping) {
        if self.gpus[0].device.context.enter().is_err() {
            return;
        }
        let mapped = mapping.part * mapping.parts;
        if mapped > 0 {
            // SAFETY: the range is mapped, and nothing uses it: launches and copies are waited for.
            let _ = unsafe { sys::cuMemUnmap(mapping.address, mapped) };
        }
        // SAFETY: reserved once, freed once. After a lost context this fails, and frees nothing.
        let _ = unsafe { sys::cuMemAddressFree(mapping.address, mapping.part * self.gpus.len()) };
    }

    fn unmake_all(&self, addresses: Vec<CUdeviceptr>) {
        for address in addresses {
            let mapping = self.mappings().remove(&address);
            mapping.into_iter().for_each(|mapping| self.unmake(mapping));
        }
    }

    fn mappings(&self) -> MutexGuard<'_, HashMap<CUdeviceptr, Mapping>> {
        self.mappings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClusterMemory for PeerMemory {
    fn info(&self) -> Result<MemoryInfo, GpuError> {
        let mut least = self.gpus[0].memory()?;
        for gpu in &self.gpus[1..] {
            let memory = gpu.memory()?;
            least.free = least.free.min(memory.free);
            least.total = least.total.min(memory.total);
            least.scratch = least.scratch.min(memory.scratch);
        }
        // Parts are equal, so the GPU with the least memory is full first.
        let all = self.gpus.len() as u64;
        let kept = self.kept.bytes() as u64;
        Ok(MemoryInfo { free: all * least.free + kept, total: all * least.total, scratch: all * least.scratch })
    }

    fn divided(&self) -> u64 {
        2 * (self.gpus.len() * self.page) as u64
    }

    fn page(&self) -> usize {
        self.page
    }

    fn part(&self, of: &Allocation) -> Option<usize> {
        self.mappings().get(&of.address).map(|mapping| mapping.part)
    }

    fn alloc(&self, what: &'static str, bytes: usize) -> Result<Allocation, GpuError> {
        let Some(part) = self.part_of(bytes) else { return self.gpus[0].alloc(what, bytes) };
        if let Some(address) = self.kept.take(part * self.gpus.len()) {
            return Ok(Allocation { address, bytes });
        }
        let mut made = self.make(part)?;
        if made.is_none() {
            self.unmake_all(self.kept.take_all());
            made = self.make(part)?;
        }
        let Some(mapping) = made else {
            let free = self.info().map_or(0, |memory| memory.free);
            return Err(GpuError::OutOfMemory { what, needed: bytes as u64, free });
        };
        self.mappings().insert(mapping.address, mapping);
        Ok(Allocation { address: mapping.address, bytes })
    }

    fn free(&self, allocation: Allocation, content: Option<Content>) {
        let known = self.mappings().get(&allocation.address).copied();
        let Some(mapping) = known else { return self.gpus[0].free(allocation, content) };
        let held = content.map(|content| (content, allocation.bytes));
        self.unmake_all(self.kept.keep(mapping.address, mapping.part * mapping.parts, held));
    }

    fn find(&self, content: Content, bytes: usize) -> Option<Allocation> {
        let mapping = self.kept.find((content, bytes)).map(|address| Allocation { address, bytes });
        mapping.or_else(|| self.gpus[0].find(content, bytes))
    }

    fn forget(&self, batch: u64) {
        self.kept.forget(batch);
        self.gpus[0].forget(batch);
    }
}

/// `CUmemLocation` of a device, `CUmemAllocationProp` and `CUmemAccessDesc`. The bindings spell them in another way for each version of CUDA,
/// and the driver reads the same bytes.
#[repr(C)]
#[derive(Clone, Copy)]
struct Location {
    kind: u32,
    device: i32,
}

#[repr(C)]
struct Properties {
    kind: u32,
    handles: u32,
    location: Location,
    metadata: usize,
    flags: [u8; 8],
}

#[repr(C)]
struct Access {
    location: Location,
    flags: u32,
}

const _: () = assert!(size_of::<Properties>() == size_of::<sys::CUmemAllocationProp>());
const _: () = assert!(size_of::<Access>() == size_of::<sys::CUmemAccessDesc>());

/// `CU_MEM_LOCATION_TYPE_DEVICE`, `CU_MEM_ALLOCATION_TYPE_PINNED` and `CU_MEM_ACCESS_FLAGS_PROT_READWRITE`.
const ON_DEVICE: u32 = 1;
const PINNED: u32 = 1;
const READ_WRITE: u32 = 3;

impl Properties {
    /// Returns the properties of memory on a GPU.
    fn of(gpu: &CudaBackend) -> Properties {
        let location = Location { kind: ON_DEVICE, device: gpu.number };
        Properties { kind: PINNED, handles: 0, location, metadata: 0, flags: [0; 8] }
    }
}
