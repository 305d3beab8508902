//! How the elements of a region lie on a device, and the way there and back.
//!
//! The host knows elements as 64-bit words. A device holds them packed, each in its own width, or in cells beside their lock
//! words; the engine chooses. Copies go through a small staging buffer, so that a region needs no second copy of itself in
//! host memory.

use kernels_gen::device::Layout;
use kernels_gen::spec::Scalar;

use super::backend::{Buffer, HostSlice, HostSliceMut};
use super::error::GpuError;
use crate::threads::{for_memory, share};

/// Elements that are converted and copied at once.
const CHUNK: usize = if cfg!(test) { 1 << 12 } else { 1 << 20 };

/// Elements from which converting is worth another thread.
const MANY: usize = if cfg!(test) { 1 << 10 } else { 1 << 17 };

/// Bytes of one cell: lock word and value.
const CELL: usize = 16;

/// Bytes of the elements on the device.
pub(crate) fn data_bytes(layout: Layout, scalar: Scalar, len: usize) -> usize {
    match layout {
        Layout::Cells => len * CELL,
        Layout::Split => len * scalar.size(),
    }
}

/// Bytes of the lock table beside the elements; cells have their lock words within.
pub(crate) fn lock_table_bytes(layout: Layout, lock: u32, coverage_log2: u32, len: usize) -> usize {
    match layout {
        Layout::Cells => 0,
        Layout::Split => lock as usize * len.div_ceil(1 << coverage_log2),
    }
}

/// Writes the elements; the lock words of cells become 0.
pub(crate) fn upload(layout: Layout, scalar: Scalar, words: &[u64], to: &Buffer) -> Result<(), GpuError> {
    match (layout, scalar.size()) {
        (Layout::Cells, _) => upload_cells(words, to),
        (Layout::Split, 1) => upload_packed(words, 1, to, |word| word as u8, |s| HostSlice::U8(s)),
        (Layout::Split, 2) => upload_packed(words, 2, to, |word| word as u16, |s| HostSlice::U16(s)),
        (Layout::Split, 4) => upload_packed(words, 4, to, |word| word as u32, |s| HostSlice::U32(s)),
        (Layout::Split, _) => to.upload(0, HostSlice::U64(words)),
    }
}

/// Reads the elements.
pub(crate) fn download(layout: Layout, scalar: Scalar, len: usize, from: &Buffer) -> Result<Vec<u64>, GpuError> {
    match (layout, scalar.size()) {
        (Layout::Cells, _) => download_cells(len, from),
        (Layout::Split, 1) => download_packed(len, 1, from, |s: &mut [u8]| HostSliceMut::U8(s)),
        (Layout::Split, 2) => download_packed(len, 2, from, |s: &mut [u16]| HostSliceMut::U16(s)),
        (Layout::Split, 4) => download_packed(len, 4, from, |s: &mut [u32]| HostSliceMut::U32(s)),
        (Layout::Split, _) => {
            let mut words = vec![0; len];
            from.download(0, HostSliceMut::U64(&mut words))?;
            Ok(words)
        }
    }
}

fn upload_cells(words: &[u64], to: &Buffer) -> Result<(), GpuError> {
    let mut staging = vec![0_u64; 2 * CHUNK.min(words.len())];
    for (index, chunk) in words.chunks(CHUNK).enumerate() {
        let staging = &mut staging[..2 * chunk.len()];
        convert((chunk, 1), (staging, 2), |words, cells| {
            for (cell, word) in cells.chunks_exact_mut(2).zip(words) {
                cell[1] = *word;
            }
        });
        to.upload(index * CHUNK * CELL, HostSlice::U64(staging))?;
    }
    Ok(())
}

fn download_cells(len: usize, from: &Buffer) -> Result<Vec<u64>, GpuError> {
    let mut words = vec![0; len];
    let mut staging = vec![0_u64; 2 * CHUNK.min(len)];
    for (index, chunk) in words.chunks_mut(CHUNK).enumerate() {
        let staging = &mut staging[..2 * chunk.len()];
        from.download(index * CHUNK * CELL, HostSliceMut::U64(staging))?;
        convert((staging, 2), (chunk, 1), |cells, words| {
            for (word, cell) in words.iter_mut().zip(cells.chunks_exact(2)) {
                *word = cell[1];
            }
        });
    }
    Ok(words)
}

fn upload_packed<T: Copy + Default + Send>(
    words: &[u64],
    size: usize,
    to: &Buffer,
    narrow: impl Fn(u64) -> T + Sync,
    slice: impl Fn(&[T]) -> HostSlice<'_>,
) -> Result<(), GpuError> {
    let mut staging = vec![T::default(); CHUNK.min(words.len())];
    for (index, chunk) in words.chunks(CHUNK).enumerate() {
        let staging = &mut staging[..chunk.len()];
        convert((chunk, 1), (staging, 1), |words, values| {
            for (value, word) in values.iter_mut().zip(words) {
                *value = narrow(*word);
            }
        });
        to.upload(index * CHUNK * size, slice(staging))?;
    }
    Ok(())
}

fn download_packed<T: Copy + Default + Into<u64> + Sync>(
    len: usize,
    size: usize,
    from: &Buffer,
    slice: impl Fn(&mut [T]) -> HostSliceMut<'_>,
) -> Result<Vec<u64>, GpuError> {
    let mut words = vec![0; len];
    let mut staging = vec![T::default(); CHUNK.min(len)];
    for (index, chunk) in words.chunks_mut(CHUNK).enumerate() {
        let staging = &mut staging[..chunk.len()];
        from.download(index * CHUNK * size, slice(staging))?;
        convert((staging, 1), (chunk, 1), |values, words| {
            for (word, value) in words.iter_mut().zip(values) {
                *word = (*value).into();
            }
        });
    }
    Ok(words)
}

/// Converts elements, of which each is so many items here and there; by several threads where they are many.
fn convert<A: Sync, B: Send>(from: (&[A], usize), into: (&mut [B], usize), work: impl Fn(&[A], &mut [B]) + Sync) {
    let ((from, a), (into, b)) = (from, into);
    let elements = from.len() / a;
    let threads = (elements / MANY).clamp(1, for_memory());
    let part = elements.div_ceil(threads).max(1);
    share(threads, from.chunks(a * part).zip(into.chunks_mut(b * part)), |(from, into)| work(from, into));
}

#[cfg(all(test, feature = "emulator"))]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gpu::backend::Backend;
    use crate::gpu::emulator::{EmulatorBackend, EmulatorOptions};

    #[test]
    fn every_scalar_comes_back_from_every_layout() {
        let backend: Arc<dyn Backend> = Arc::new(EmulatorBackend::open(EmulatorOptions::threads()).unwrap());
        for scalar in Scalar::ALL {
            let all_ones = u64::MAX >> (64 - 8 * scalar.size());
            for len in [0, 1, 7, CHUNK - 1, CHUNK, 2 * CHUNK + 3] {
                let mut words: Vec<u64> =
                    (0..len as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) & all_ones).collect();
                words.iter_mut().step_by(5).for_each(|word| *word = all_ones);
                for layout in [Layout::Cells, Layout::Split] {
                    let buffer = Buffer::new(&backend, "test", data_bytes(layout, scalar, len)).unwrap();
                    upload(layout, scalar, &words, &buffer).unwrap();
                    assert_eq!(download(layout, scalar, len, &buffer).unwrap(), words, "{scalar:?} {layout:?} {len}");
                }
            }
        }
    }

    #[test]
    fn elements_lie_as_the_device_reads_them() {
        let backend: Arc<dyn Backend> = Arc::new(EmulatorBackend::open(EmulatorOptions::threads()).unwrap());
        let buffer = Buffer::new(&backend, "test", 32).unwrap();
        upload(Layout::Split, Scalar::I16, &[0xfffe, 1, 2, 3], &buffer).unwrap();
        let mut halves = [0_u16; 4];
        buffer.download(0, HostSliceMut::U16(&mut halves)).unwrap();
        assert_eq!(halves, [0xfffe, 1, 2, 3]);
        upload(Layout::Cells, Scalar::I64, &[7, 8], &buffer).unwrap();
        let mut cells = [9_u64; 4];
        buffer.download(0, HostSliceMut::U64(&mut cells)).unwrap();
        assert_eq!(cells, [0, 7, 0, 8]);
    }

    #[test]
    fn lock_tables_have_a_word_for_every_started_group() {
        assert_eq!(lock_table_bytes(Layout::Split, 8, 0, 5), 40);
        assert_eq!(lock_table_bytes(Layout::Split, 8, 2, 5), 16);
        assert_eq!(lock_table_bytes(Layout::Split, 4, 2, 5), 8);
        assert_eq!(lock_table_bytes(Layout::Split, 8, 2, 0), 0);
        assert_eq!(lock_table_bytes(Layout::Cells, 8, 0, 5), 0);
        assert_eq!(data_bytes(Layout::Cells, Scalar::I64, 5), 80);
        assert_eq!(data_bytes(Layout::Split, Scalar::Bool, 5), 5);
    }
}
