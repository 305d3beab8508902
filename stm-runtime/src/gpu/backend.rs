//! The interface between the run loop and a device: memory, a compiler, launches. With one trait, the loop is the same on CUDA
//! and in the emulator.

use std::any::Any;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kernels_gen::device::link::link;
use kernels_gen::device::unit::UnitSpec;

pub(crate) use super::allocation::{Allocation, Encoding, MemoryInfo, Rows};
pub(crate) use super::host_memory::{HostSlice, HostSliceMut};
pub(crate) use super::kernel_call::{Exchange, GridPart, KernelCall, Shape, Started};
#[cfg(any(test, feature = "cuda", feature = "emulator"))]
pub(crate) use super::limits::ALONG;
#[cfg(any(test, feature = "cuda", feature = "mutation"))]
pub(crate) use super::limits::LISTED_FROM;
pub(crate) use super::limits::{Cluster, HostUse, Limits};
pub(crate) use super::loaded::{Executable, Loaded};
use super::making::Making;
use crate::backend::Content;
use crate::error::{ForeignProblem, GpuError};
use crate::memory::{self, NoMemory};

/// What is to be copied to a range of an allocation, which begins at that offset.
pub(crate) type Upload<'a> = (usize, HostSlice<'a>);

/// The purpose of the memory, for the error when the sets of the threads do not fit.
pub(crate) const SETS: &str = "the sets of what transactions access (a smaller `max_accesses` needs less)";

/// The code for a device to compile. Its kernels are those of the engine's stages; for a text, `stm_run`.
#[derive(Clone, Copy)]
pub(crate) enum Code<'a> {
    /// A text without parts.
    Text(&'a str),
    /// The unit of a batch.
    Unit(&'a UnitSpec<'a>),
}

impl<'a> Code<'a> {
    /// Returns all of it as one text. The memory for it is asked for before, because a text that grows cannot say that there is none.
    pub(crate) fn text(self) -> Result<Cow<'a, str>, NoMemory> {
        match self {
            Code::Text(text) => Ok(Cow::Borrowed(text)),
            Code::Unit(unit) => {
                memory::ask::<u8>("the text of a kernel", TEXT)?;
                Ok(Cow::Owned(link(unit)))
            }
        }
    }
}

/// A device.
pub(crate) trait Driver: Any + Send + Sync {
    /// Returns its description for messages.
    fn describe(&self) -> String;

    fn memory(&self) -> Result<MemoryInfo, GpuError>;

    /// Returns the same, as it was not long ago if far more than these bytes were free then: to ask the driver takes longer than a small
    /// launch.
    fn memory_for(&self, _bytes: u64) -> Result<MemoryInfo, GpuError> {
        self.memory()
    }

    /// Allocates memory with undefined content; `what` names its purpose in errors. The host must only read what it has
    /// written or zeroed, even where a kernel writes: a launch can end early.
    fn alloc(&self, what: &'static str, bytes: usize) -> Result<Allocation, GpuError>;

    /// Frees memory. It may have the columns of a batch, for [`Driver::find`].
    fn free(&self, allocation: Allocation, content: Option<Content>);

    /// Takes freed memory of that many bytes that still has the columns of a batch. Its other bytes are undefined.
    fn find(&self, content: Content, bytes: usize) -> Option<Allocation>;

    /// Learns that nothing will ask for the columns of a batch.
    fn forget(&self, batch: u64);

    /// Returns when the copy is done.
    fn upload(&self, to: &Allocation, offset: usize, from: HostSlice<'_>) -> Result<(), GpuError>;

    /// Copies to several ranges of an allocation. Returns when the copies are done.
    fn upload_all(&self, to: &Allocation, uploads: &[Upload<'_>]) -> Result<(), GpuError> {
        uploads.iter().try_for_each(|(offset, from)| self.upload(to, *offset, *from))
    }

    /// Launches a kernel with what it finds and leaves at the beginning of an allocation. Returns its time on the device.
    fn exchange(
        &self,
        program: &dyn Executable,
        memory: &Allocation,
        exchange: Exchange<'_>,
    ) -> Result<Duration, GpuError> {
        exchange_in_steps(self, program, memory, exchange)
    }

    /// Returns when the copy is done.
    fn download(&self, from: &Allocation, offset: usize, into: HostSliceMut<'_>) -> Result<(), GpuError>;

    /// Downloads bytes, and calls `see` with each piece and its index, while the next one comes. Indices are multiples of the size of a
    /// piece.
    fn download_seen(
        &self,
        from: &Allocation,
        offset: usize,
        into: &mut [u8],
        see: &(dyn Fn(usize, &[u8]) + Sync),
    ) -> Result<(), GpuError> {
        self.download(from, offset, HostSliceMut::U8(into))?;
        see(0, into);
        Ok(())
    }

    /// Writes words in the device's encoding, from an offset on; returns when the copy is done. The default converts them on the host, in
    /// turn with the copies.
    fn upload_words(&self, to: &Allocation, offset: usize, words: &[u64], encoding: Encoding) -> Result<(), GpuError> {
        upload_staged(self, to, offset, words, encoding)
    }

    /// Reads words in the device's encoding. Otherwise like `upload_words`.
    fn download_words(
        &self,
        from: &Allocation,
        offset: usize,
        words: &mut [u64],
        encoding: Encoding,
    ) -> Result<(), GpuError> {
        download_staged(self, from, offset, words, encoding)
    }

    /// Copies rows of that many bytes from one allocation to another one. Returns when the copy is done.
    fn copy(&self, to: Rows<'_>, from: Rows<'_>, rows: usize, bytes: usize) -> Result<(), GpuError>;

    /// Returns the bytes of an allocation that each device of a cluster has, one after the other; `None` where one device has all.
    fn part(&self, _of: &Allocation) -> Option<usize> {
        None
    }

    /// Copies ranges of an allocation to the part of another one that each device has, where they begin at their distance from an offset.
    /// Returns when the copies are done.
    ///
    /// # Panics
    /// No device has a part.
    fn copy_to_each(&self, _: &Allocation, _: (&Allocation, usize), _: &[Range<usize>]) -> Result<(), GpuError> {
        unreachable!("one device has no part of anything")
    }

    /// Returns memory of another owner as an allocation that is never freed, or why a kernel cannot use it as far as that is known.
    fn adopt(&self, address: u64, bytes: usize) -> Result<Result<Allocation, ForeignProblem>, GpuError>;

    /// Waits for all work that the device has been told to wait for.
    fn finish(&self) -> Result<(), GpuError> {
        Ok(())
    }

    /// Sets bytes from an offset on to zero.
    fn zero(&self, at: &Allocation, offset: usize, bytes: usize) -> Result<(), GpuError>;

    /// The same before the next kernel begins, but perhaps not before this returns. Until that kernel has ended, or until
    /// [`Driver::settle`], the host leaves the bytes alone.
    fn zero_first(&self, at: &Allocation, offset: usize, bytes: usize) -> Result<(), GpuError>;

    /// Returns when everything is zeroed.
    fn settle(&self) -> Result<(), GpuError>;

    /// Compiles a unit, or finds it in a cache. `making` began when the description of the unit was made.
    fn load(&self, code: Code<'_>, making: Making) -> Result<Loaded, GpuError>;

    /// Returns the limits that determine the shape of a launch unless the user does.
    fn limits(&self) -> Limits;

    /// Returns the device of a cluster that has all of its small memory, and the bytes below which memory is small. `None` for one device,
    /// and where each launch is to be on all devices.
    fn alone(&self) -> Option<(Arc<dyn Driver>, u64)> {
        None
    }
}

/// Bytes for the text of a kernel, and for what is made from it.
const TEXT: usize = 2 << 20;

/// Bytes converted at a time.
const STAGED: usize = if cfg!(test) { 1 << 12 } else { 1 << 20 };

/// Converts and copies in turn.
pub(in crate::gpu) fn upload_staged(
    backend: &(impl Driver + ?Sized),
    to: &Allocation,
    offset: usize,
    words: &[u64],
    encoding: Encoding,
) -> Result<(), GpuError> {
    let most = STAGED / encoding.bytes;
    let mut staging = memory::zeroed("copies to and from the device", encoding.bytes * most.min(words.len()))?;
    for (index, words) in words.chunks(most).enumerate() {
        let bytes = &mut staging[..encoding.bytes * words.len()];
        (encoding.write)(words, bytes);
        backend.upload(to, offset + index * most * encoding.bytes, HostSlice::U8(bytes))?;
    }
    Ok(())
}

/// Copies and converts in turn.
pub(in crate::gpu) fn download_staged(
    backend: &(impl Driver + ?Sized),
    from: &Allocation,
    offset: usize,
    words: &mut [u64],
    encoding: Encoding,
) -> Result<(), GpuError> {
    let most = STAGED / encoding.bytes;
    let mut staging = memory::zeroed("copies to and from the device", encoding.bytes * most.min(words.len()))?;
    for (index, words) in words.chunks_mut(most).enumerate() {
        let bytes = &mut staging[..encoding.bytes * words.len()];
        backend.download(from, offset + index * most * encoding.bytes, HostSliceMut::U8(bytes))?;
        (encoding.read)(bytes, words);
    }
    Ok(())
}

/// Copies, launches and copies back in turn.
pub(in crate::gpu) fn exchange_in_steps(
    backend: &(impl Driver + ?Sized),
    program: &dyn Executable,
    memory: &Allocation,
    exchange: Exchange<'_>,
) -> Result<Duration, GpuError> {
    let Exchange { call, up, write, down } = exchange;
    let mut bytes = memory::zeroed("copies to and from the device", up)?;
    write(&mut bytes);
    backend.upload(memory, 0, HostSlice::U8(&bytes))?;
    let took = program.start(call)?.wait()?;
    backend.download(memory, 0, HostSliceMut::U8(down))?;
    Ok(took)
}

/// Device memory that is freed on drop, unless it has another owner.
pub(crate) struct DeviceBuffer {
    backend: Arc<dyn Driver>,
    /// `Some` until dropped.
    allocation: Option<Allocation>,
    is_foreign: bool,
    /// The batch whose columns it has, if a later run may find them.
    content: Option<Content>,
    /// Whether bytes of it may not be zeroed yet, which only kernels wait for.
    unsettled: AtomicBool,
}

impl DeviceBuffer {
    /// Allocates memory with undefined content, for data that is written completely before it is read, or never read by the host.
    pub(crate) fn new(backend: &Arc<dyn Driver>, what: &'static str, bytes: usize) -> Result<DeviceBuffer, GpuError> {
        // Back ends refuse empty allocations, and even an array without elements needs an address.
        let allocation = backend.alloc(what, bytes.max(1))?;
        Ok(DeviceBuffer::of(backend, allocation, false))
    }

    fn of(backend: &Arc<dyn Driver>, allocation: Allocation, is_foreign: bool) -> DeviceBuffer {
        let (backend, unsettled) = (backend.clone(), AtomicBool::new(false));
        DeviceBuffer { backend, allocation: Some(allocation), is_foreign, content: None, unsettled }
    }

    /// Returns memory of that many bytes that still has the columns of a batch.
    pub(crate) fn find(backend: &Arc<dyn Driver>, content: Content, bytes: usize) -> Option<DeviceBuffer> {
        backend.find(content, bytes).map(|allocation| DeviceBuffer::of(backend, allocation, false))
    }

    /// Returns memory of another owner, who keeps it while there is such a buffer.
    pub(crate) fn foreign(backend: &Arc<dyn Driver>, &Allocation { address, bytes }: &Allocation) -> DeviceBuffer {
        DeviceBuffer::of(backend, Allocation { address, bytes }, true)
    }

    /// Returns the bytes that become free when it is dropped.
    pub(crate) fn own_bytes(&self) -> usize {
        if self.is_foreign { 0 } else { self.bytes() }
    }

    /// Notes whose columns it has, for [`DeviceBuffer::find`].
    pub(crate) fn holds(&mut self, content: Option<Content>) {
        self.content = content;
    }

    /// Allocates memory on the same device.
    pub(crate) fn beside(&self, what: &'static str, bytes: usize) -> Result<DeviceBuffer, GpuError> {
        DeviceBuffer::new(&self.backend, what, bytes)
    }

    /// Returns the program of a text on the same device.
    pub(crate) fn program(&self, text: &str) -> Result<Arc<dyn Executable>, GpuError> {
        self.backend.load(Code::Text(text), Making::begin()).map(|loaded| loaded.program)
    }

    /// Returns the limits of the device.
    pub(crate) fn limits(&self) -> Limits {
        self.backend.limits()
    }

    /// Allocates zeroed memory.
    pub(crate) fn zeroed(
        backend: &Arc<dyn Driver>,
        what: &'static str,
        bytes: usize,
    ) -> Result<DeviceBuffer, GpuError> {
        let buffer = DeviceBuffer::new(backend, what, bytes)?;
        buffer.zero_first(0, bytes)?;
        Ok(buffer)
    }

    fn allocation(&self) -> &Allocation {
        self.allocation.as_ref().expect("a buffer holds its allocation until it is dropped")
    }

    pub(crate) fn address(&self) -> u64 {
        self.allocation().address
    }

    pub(crate) fn bytes(&self) -> usize {
        self.allocation().bytes
    }

    /// Returns the allocation once its bytes are zeroed that have to be. All copies begin with it.
    fn settled(&self) -> Result<&Allocation, GpuError> {
        let unsettled = self.unsettled.swap(false, Ordering::Relaxed);
        if mutant!("device memory: copies overtake what zeroes it", unsettled, false) {
            self.backend.settle()?;
        }
        Ok(self.allocation())
    }

    pub(crate) fn upload(&self, offset: usize, from: HostSlice<'_>) -> Result<(), GpuError> {
        self.backend.upload(self.settled()?, offset, from)
    }

    pub(crate) fn download(&self, offset: usize, into: HostSliceMut<'_>) -> Result<(), GpuError> {
        self.backend.download(self.settled()?, offset, into)
    }

    /// See [`Driver::upload_all`].
    pub(crate) fn upload_all(&self, uploads: &[Upload<'_>]) -> Result<(), GpuError> {
        self.backend.upload_all(self.settled()?, uploads)
    }

    /// See [`Driver::exchange`].
    pub(crate) fn exchange(&self, program: &dyn Executable, exchange: Exchange<'_>) -> Result<Duration, GpuError> {
        assert!(exchange.up.max(exchange.down.len()) <= self.bytes(), "an exchange is within its buffer");
        self.backend.exchange(program, self.allocation(), exchange).inspect(|_| self.settle_with_kernel())
    }

    /// See [`Driver::download_seen`].
    pub(crate) fn download_seen(
        &self,
        offset: usize,
        into: &mut [u8],
        see: &(dyn Fn(usize, &[u8]) + Sync),
    ) -> Result<(), GpuError> {
        self.backend.download_seen(self.settled()?, offset, into, see)
    }

    pub(crate) fn upload_words(&self, offset: usize, words: &[u64], encoding: Encoding) -> Result<(), GpuError> {
        self.backend.upload_words(self.settled()?, offset, words, encoding)
    }

    pub(crate) fn download_words(&self, offset: usize, words: &mut [u64], encoding: Encoding) -> Result<(), GpuError> {
        self.backend.download_words(self.settled()?, offset, words, encoding)
    }

    /// Copies bytes of another buffer of the device, from one offset to the other.
    pub(crate) fn copy(&self, to: usize, source: &DeviceBuffer, from: usize, bytes: usize) -> Result<(), GpuError> {
        if bytes == 0 { Ok(()) } else { self.copy_rows([to, bytes], source, [from, bytes], 1, bytes) }
    }

    /// See [`Driver::part`].
    pub(crate) fn part(&self) -> Option<usize> {
        self.backend.part(self.allocation())
    }

    /// See [`Driver::copy_to_each`].
    pub(crate) fn copy_to_each(
        &self,
        source: &DeviceBuffer,
        first: usize,
        ranges: &[Range<usize>],
    ) -> Result<(), GpuError> {
        self.backend.copy_to_each(self.settled()?, (source.settled()?, first), ranges)
    }

    /// Copies rows of another buffer of the device. Both have an offset, and a distance from one row to the next.
    pub(crate) fn copy_rows(
        &self,
        to: [usize; 2],
        source: &DeviceBuffer,
        from: [usize; 2],
        rows: usize,
        bytes: usize,
    ) -> Result<(), GpuError> {
        let from = Rows { at: source.settled()?, offset: from[0], pitch: from[1] };
        let to = Rows { at: self.settled()?, offset: to[0], pitch: to[1] };
        if rows == 0 { Ok(()) } else { self.backend.copy(to, from, rows, bytes) }
    }

    pub(crate) fn zero(&self) -> Result<(), GpuError> {
        self.zero_range(0, self.bytes())
    }

    /// Sets bytes from an offset on to zero.
    pub(crate) fn zero_range(&self, offset: usize, bytes: usize) -> Result<(), GpuError> {
        if bytes == 0 { Ok(()) } else { self.backend.zero(self.settled()?, offset, bytes) }
    }

    /// Learns that a kernel has ended that began later than everything was zeroed.
    pub(crate) fn settle_with_kernel(&self) {
        self.unsettled.store(false, Ordering::Relaxed);
    }

    /// The same before the next kernel begins: the host does not wait for it.
    pub(crate) fn zero_first(&self, offset: usize, bytes: usize) -> Result<(), GpuError> {
        if bytes == 0 {
            return Ok(());
        }
        self.unsettled.store(true, Ordering::Relaxed);
        self.backend.zero_first(self.allocation(), offset, bytes)
    }
}

impl Drop for DeviceBuffer {
    fn drop(&mut self) {
        // Others get the memory. Where this fails, the context is lost, and nothing is zeroed any more.
        let _ = self.settled();
        if let Some(allocation) = self.allocation.take().filter(|_| !self.is_foreign) {
            self.backend.free(allocation, self.content);
        }
    }
}
