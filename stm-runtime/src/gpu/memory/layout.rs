//! The layouts of an array's elements on a device, and the conversions.
//!
//! The host has elements as 64-bit words. A device holds them packed, each in its own width, or in cells next to their lock
//! words; the engine chooses. They are converted during the copy, so that an array needs no second copy in host memory. From one layout to
//! the other they are moved on the device.

use std::ops::Range;

use kernels_gen::device::Layout;
use kernels_gen::spec::Scalar;

use crate::error::GpuError;
use crate::gpu::backend::{DeviceBuffer, Encoding};
use crate::memory;

/// Bytes of one cell: lock word and value.
const CELL: usize = 16;
/// Bytes of the smallest word that atomics change.
pub(super) const WORD: usize = 4;

/// Returns the bytes of the elements on the device.
pub(crate) fn data_bytes(layout: Layout, scalar: Scalar, len: usize) -> usize {
    match layout {
        Layout::Cells => len * CELL,
        Layout::Split => len * scalar.size(),
    }
}

/// Returns the bytes of the separate lock table; cells contain their lock words.
pub(crate) fn lock_table_bytes(layout: Layout, lock: u32, coverage_log2: u32, len: usize) -> usize {
    match layout {
        Layout::Cells => 0,
        Layout::Split => {
            let started = len.div_ceil(1 << coverage_log2);
            lock as usize * mutant!("layout: a started group has no lock", started, len >> coverage_log2)
        }
    }
}

/// Writes the elements; the lock words of cells become 0.
pub(crate) fn upload(layout: Layout, scalar: Scalar, words: &[u64], to: &DeviceBuffer) -> Result<(), GpuError> {
    upload_from(layout, scalar, 0, words, to)
}

/// Writes elements from an index on; the lock words of their cells become 0.
pub(crate) fn upload_from(
    layout: Layout,
    scalar: Scalar,
    first: usize,
    words: &[u64],
    to: &DeviceBuffer,
) -> Result<(), GpuError> {
    to.upload_words(offset(layout, scalar, first), words, encoding(layout, scalar))
}

/// Returns where an element is written.
pub(super) fn offset(layout: Layout, scalar: Scalar, first: usize) -> usize {
    let first = mutant!("arrays: each piece is written to the first elements", first, 0);
    data_bytes(layout, scalar, first)
}

/// Reads the elements.
pub(crate) fn download(layout: Layout, scalar: Scalar, len: usize, from: &DeviceBuffer) -> Result<Vec<u64>, GpuError> {
    let mut words = memory::zeroed("a copy of a shared array", len)?;
    download_from(layout, scalar, 0, &mut words, from)?;
    Ok(words)
}

/// Reads elements from an index on.
pub(crate) fn download_from(
    layout: Layout,
    scalar: Scalar,
    first: usize,
    words: &mut [u64],
    from: &DeviceBuffer,
) -> Result<(), GpuError> {
    from.download_words(data_bytes(layout, scalar, first), words, encoding(layout, scalar))
}

/// Copies the elements of a buffer to one of another layout, on the device; the lock words of cells become 0.
pub(crate) fn convert(
    scalar: Scalar,
    len: usize,
    (from, source): (Layout, &DeviceBuffer),
    (to, target): (Layout, &DeviceBuffer),
) -> Result<(), GpuError> {
    if to == Layout::Cells {
        target.zero()?;
    }
    copy_values(scalar, len, (from, source, 0), (to, target, 0))
}

/// Copies values from an index of one buffer on to an index of another one, whatever their layouts, on the device. Lock words stay.
pub(crate) fn copy_values(
    scalar: Scalar,
    len: usize,
    (from, source, first): (Layout, &DeviceBuffer, usize),
    (to, target, at): (Layout, &DeviceBuffer, usize),
) -> Result<(), GpuError> {
    let row = |layout, first| match layout {
        Layout::Cells => [first * CELL + mutant!("layout: values are moved to lock words", CELL / 2, 0), CELL],
        Layout::Split => [first * scalar.size(), scalar.size()],
    };
    if (from, to) == (Layout::Split, Layout::Split) {
        let size = scalar.size();
        return target.copy(at * size, source, first * size, len * size);
    }
    target.copy_rows(row(to, at), source, row(from, first), len, scalar.size())
}

/// Repeats the first `known` elements of a range in the rest of it. Cells have the same owner, so their lock words mean the same.
pub(super) fn repeat(
    layout: Layout,
    scalar: Scalar,
    data: &DeviceBuffer,
    elements: Range<usize>,
    known: usize,
) -> Result<(), GpuError> {
    let bytes = |elements| data_bytes(layout, scalar, elements);
    let mut first = elements.start + known;
    while known > 0 && first < elements.end {
        let more = (first - elements.start).min(elements.end - first);
        data.copy(bytes(first), data, bytes(elements.start), bytes(more))?;
        first += more;
    }
    Ok(())
}

fn encoding(layout: Layout, scalar: Scalar) -> Encoding {
    match (layout, scalar.size()) {
        (Layout::Cells, _) => Encoding { bytes: CELL, write: write_cells, read: read_cells },
        (Layout::Split, 1) => packed::<1>(),
        (Layout::Split, 2) => packed::<2>(),
        (Layout::Split, 4) => packed::<4>(),
        (Layout::Split, _) => packed::<8>(),
    }
}

// Devices and their hosts are little-endian.

fn write_cells(words: &[u64], cells: &mut [u8]) {
    for (cell, word) in cells.chunks_exact_mut(CELL).zip(words) {
        let (lock, value) = cell.split_at_mut(CELL / 2);
        lock.fill(0);
        value.copy_from_slice(&word.to_le_bytes());
    }
}

fn read_cells(cells: &[u8], words: &mut [u64]) {
    for (word, cell) in words.iter_mut().zip(cells.as_chunks::<CELL>().0) {
        *word = (u128::from_le_bytes(*cell) >> mutant!("layout: lock words are read as values", 64, 0)) as u64;
    }
}

fn packed<const N: usize>() -> Encoding {
    Encoding {
        bytes: N,
        write: |words, bytes| {
            for (value, word) in bytes.as_chunks_mut::<N>().0.iter_mut().zip(words) {
                value.copy_from_slice(&word.to_le_bytes()[..N]);
            }
        },
        read: |bytes, words| {
            for (word, value) in words.iter_mut().zip(bytes.as_chunks::<N>().0) {
                let mut all = [0; 8];
                all[..N].copy_from_slice(value);
                *word = u64::from_le_bytes(all);
            }
        },
    }
}

#[cfg(all(any(test, feature = "mutation"), feature = "emulator"))]
pub(crate) mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gpu::backend::{Driver, HostSlice, HostSliceMut};
    use crate::gpu::emulator::{EmulatorBackend, EmulatorOptions};

    hunted! {
        every_scalar_comes_back_from_every_layout
        elements_lie_as_the_device_reads_them
        lock_tables_have_a_word_for_every_started_group
    }

    /// More elements than are converted at once.
    const MANY: usize = 1 << 12;

    #[cfg_attr(test, test)]
    fn every_scalar_comes_back_from_every_layout() {
        let backend: Arc<dyn Driver> = Arc::new(EmulatorBackend::open(EmulatorOptions::threads()).unwrap());
        for scalar in Scalar::ALL {
            let all_ones = u64::MAX >> (64 - 8 * scalar.size());
            for len in [0, 1, 7, MANY - 1, MANY, 2 * MANY + 3] {
                let mut words: Vec<u64> =
                    (0..len as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) & all_ones).collect();
                words.iter_mut().step_by(5).for_each(|word| *word = all_ones);
                for layout in [Layout::Cells, Layout::Split] {
                    let buffer = DeviceBuffer::new(&backend, "test", data_bytes(layout, scalar, len)).unwrap();
                    upload(layout, scalar, &words, &buffer).unwrap();
                    assert_eq!(download(layout, scalar, len, &buffer).unwrap(), words, "{scalar:?} {layout:?} {len}");
                    let other = if layout == Layout::Cells { Layout::Split } else { Layout::Cells };
                    let moved = DeviceBuffer::new(&backend, "test", data_bytes(other, scalar, len)).unwrap();
                    convert(scalar, len, (layout, &buffer), (other, &moved)).unwrap();
                    assert_eq!(download(other, scalar, len, &moved).unwrap(), words, "{scalar:?} to {other:?} {len}");
                }
            }
        }
    }

    #[cfg_attr(test, test)]
    fn elements_lie_as_the_device_reads_them() {
        let backend: Arc<dyn Driver> = Arc::new(EmulatorBackend::open(EmulatorOptions::threads()).unwrap());
        let buffer = DeviceBuffer::new(&backend, "test", 32).unwrap();
        upload(Layout::Split, Scalar::I16, &[0xfffe, 1, 2, 3], &buffer).unwrap();
        let mut bytes = [9; 8];
        buffer.download(0, HostSliceMut::U8(&mut bytes)).unwrap();
        assert_eq!(bytes, [0xfe, 0xff, 1, 0, 2, 0, 3, 0]);
        upload(Layout::Cells, Scalar::I64, &[7, 8], &buffer).unwrap();
        let mut cells = [9_u64; 4];
        buffer.download(0, HostSliceMut::U64(&mut cells)).unwrap();
        assert_eq!(cells, [0, 7, 0, 8]);
        // Also if they come from the device, and whatever was there.
        let packed = DeviceBuffer::new(&backend, "test", 8).unwrap();
        upload(Layout::Split, Scalar::U32, &[5, 6], &packed).unwrap();
        buffer.upload(0, HostSlice::U64(&[u64::MAX; 4])).unwrap();
        convert(Scalar::U32, 2, (Layout::Split, &packed), (Layout::Cells, &buffer)).unwrap();
        buffer.download(0, HostSliceMut::U64(&mut cells)).unwrap();
        assert_eq!(cells, [0, 5, 0, 6]);
        // Some values alone: lock words stay.
        buffer.upload(0, HostSlice::U64(&[8, 1, 9, 2])).unwrap();
        copy_values(Scalar::U32, 1, (Layout::Split, &packed, 1), (Layout::Cells, &buffer, 0)).unwrap();
        copy_values(Scalar::U32, 1, (Layout::Cells, &buffer, 1), (Layout::Split, &packed, 0)).unwrap();
        buffer.download(0, HostSliceMut::U64(&mut cells)).unwrap();
        assert_eq!((cells, download(Layout::Split, Scalar::U32, 2, &packed)), ([8, 6, 9, 2], Ok(vec![2, 6])));
    }

    #[cfg_attr(test, test)]
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
