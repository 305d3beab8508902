//! The way to the device in fewer bytes: pieces of columns whose values are close to each other travel as narrow numbers. A kernel makes
//! cells of them again.

use std::mem;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::sys::{CUdeviceptr, CUstream};
use kernels_gen::device::stage::EXECUTE;

use super::device::CudaDevice;
use super::image::{NvrtcCompiler, UnitSource};
use super::lane::{CopyLane, PIECE};
use super::packing::{self, Packed};
use super::program::CudaProgram;
use crate::error::GpuError;
use crate::gpu::backend::{Allocation, HostSlice, KernelCall, Shape};
use crate::gpu::making::Making;

/// The kernel.
pub(super) const UNPACK: &str = include_str!("unpack.cu");
/// Threads of a block, and blocks of a piece.
const THREADS: u32 = 256;
const BLOCKS: u32 = 8;
/// The bytes of columns that could be packed from which it pays: the kernel has to be loaded, and launched.
pub(super) const WORTH: usize = if cfg!(test) { 2 << 20 } else { 32 << 20 };
/// Words of the description of a piece.
const WORDS: usize = 6;
/// Addresses in device memory are a multiple of it.
const ALIGNED: usize = 16;

/// Returns the bytes of staging memory that these cells need, if they can be packed.
pub(super) fn bytes_for(cells: HostSlice<'_>) -> Option<usize> {
    packing::most_bytes(cells).map(|bytes| bytes.next_multiple_of(ALIGNED))
}

/// Compiles the kernel, or finds it on the disk.
pub(super) fn unpacker(device: &CudaDevice) -> Result<CudaProgram, GpuError> {
    let compiler = NvrtcCompiler::for_device(device.capability)?;
    CudaProgram::build(device, &UnitSource::new(UNPACK, &compiler), None, &mut Making::begin())
}

/// Device memory for packed pieces of one upload, and the pieces that are there.
pub(super) struct Staging<'p> {
    program: &'p CudaProgram,
    pub(super) memory: Allocation,
    /// Where the descriptions begin.
    descriptions: usize,
    pieces: Mutex<Vec<[u64; WORDS]>>,
}

impl<'p> Staging<'p> {
    /// Returns the bytes for that many bytes of packed cells, and for that number of pieces.
    pub(super) fn bytes(cells: usize, pieces: usize) -> usize {
        cells + 8 * WORDS * pieces
    }

    /// `cells` is what [`Staging::bytes`] was asked for.
    pub(super) fn new(program: &'p CudaProgram, memory: Allocation, cells: usize) -> Staging<'p> {
        Staging { program, memory, descriptions: cells, pieces: Mutex::default() }
    }

    /// Packs a piece of cells that is meant for `target`, if that is possible. Returns where the bytes have to be copied, and how many.
    /// `slot` is the offset for it in the memory.
    pub(super) fn pack(
        &self,
        (cells, bytes): (HostSlice<'_>, Range<usize>),
        slot: usize,
        target: CUdeviceptr,
        into: &mut [u8],
    ) -> Option<(CUdeviceptr, usize)> {
        let packed = packing::pack(cells, bytes, into)?;
        let from = self.memory.range(slot, packed.bytes());
        let Packed { base, cells, wide, narrow } = packed;
        let words = [from, target, base, cells as u64, wide as u64, narrow as u64];
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner).push(words);
        Some((from, packed.bytes()))
    }

    /// Makes cells of what has been copied to the memory in that stream.
    ///
    /// # Safety
    /// The targets of all pieces are within device memory that nothing else uses.
    pub(super) unsafe fn unpack(&self, lane: &CopyLane, stream: CUstream) -> Result<(), GpuError> {
        let pieces = mem::take(&mut *self.pieces.lock().unwrap_or_else(PoisonError::into_inner));
        if pieces.is_empty() {
            return Ok(());
        }
        let bytes: &[u8] = bytemuck::cast_slice(&pieces);
        let at = self.memory.range(self.descriptions, bytes.len());
        for (nth, bytes) in bytes.chunks(PIECE).enumerate() {
            let write = |into: &mut [u8]| {
                into.copy_from_slice(bytes);
                (at + (nth * PIECE) as u64, bytes.len())
            };
            // SAFETY: within the memory, which is only for this upload.
            unsafe { lane.send(bytes.len(), write) }?;
        }
        let shape = Shape { grid: BLOCKS * pieces.len() as u32, block: THREADS, shared: 0 };
        let parameters = [at, u64::from(BLOCKS)];
        // SAFETY: the kernel reads what was copied before in the same stream, and writes to the targets.
        unsafe {
            self.program.launch_in(stream, KernelCall { entry: EXECUTE, shape, parameters: &parameters, copied: &[] })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "emulator")]
    #[test]
    fn the_kernel_makes_cells_of_packed_ones() {
        use crate::EmulatorOptions;
        use crate::raw::Gpu;

        let Ok(gpu) = Gpu::emulated(EmulatorOptions::fibers(1)) else { return };
        let program = gpu.compile(UNPACK).unwrap();
        for wide in [4, 8] {
            let (mut pieces, mut memory, mut expected) = (Vec::new(), Vec::new(), Vec::new());
            for (cells, _) in packing::tests::lists() {
                let words: Vec<u64> = cells.iter().map(|cell| cell.cast_unsigned()).collect();
                let halves: Vec<u32> = words.iter().map(|word| *word as u32).collect();
                let cells = if wide == 8 { HostSlice::U64(&words) } else { HostSlice::U32(&halves) };
                let mut into = vec![0_u64; words.len()];
                let packed = packing::pack(cells, 0..cells.bytes().len(), bytemuck::cast_slice_mut(&mut into));
                let Some(packed) = packed else { continue };
                pieces.push((memory.len(), packed));
                memory.extend_from_slice(&into[..packed.bytes().div_ceil(8)]);
                expected.push(cells.bytes().to_vec());
            }
            let from = gpu.upload("packed", &memory).unwrap();
            let cells: Vec<_> =
                expected.iter().map(|bytes| gpu.zeroed("cells", bytes.len().next_multiple_of(8)).unwrap()).collect();
            let describe = |((at, packed), cells): (&(usize, Packed), &crate::raw::Buffer)| {
                let Packed { base, cells: count, wide, narrow } = *packed;
                [from.address() + 8 * *at as u64, cells.address(), base, count as u64, wide as u64, narrow as u64]
            };
            let words: Vec<u64> = pieces.iter().zip(&cells).flat_map(describe).collect();
            let described = gpu.upload("pieces", &words).unwrap();
            let parameters = [described.address(), u64::from(BLOCKS)];
            // SAFETY: the kernel has these parameters, and stays within the buffers.
            unsafe { program.launch(BLOCKS * pieces.len() as u32, 32, &parameters) }.unwrap();
            for (cells, expected) in cells.iter().zip(&expected) {
                let mut back = vec![0_u64; expected.len().div_ceil(8)];
                cells.download(&mut back).unwrap();
                assert_eq!(&bytemuck::cast_slice::<u64, u8>(&back)[..expected.len()], &expected[..]);
            }
        }
    }

    #[test]
    fn staging_memory_has_room_for_cells_and_descriptions() {
        assert_eq!(bytes_for(HostSlice::U32(&[1; 9])), Some(32));
        assert_eq!(bytes_for(HostSlice::U8(&[1; 9])), None);
        assert_eq!(Staging::bytes(64, 2), 64 + 2 * 48);
    }
}
