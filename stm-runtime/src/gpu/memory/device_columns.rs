//! Columns that live on a device: batches read them where they are.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use kernels_gen::device::stage::EXECUTE;
use kernels_gen::device::unit::ColumnWidth;

use crate::backend::Foreign;
use crate::columns::Column;
use crate::device_cells::{CellStore, DeviceCells, Place};
use crate::error::{Error, ForeignProblem, GpuError};
use crate::gpu::backend::{DeviceBuffer, Driver, HostSlice, HostSliceMut, Limits, Shape};
use crate::memory::{self, NoMemory};

/// The purpose of the memory, for the error when it does not fit.
pub(super) const WHAT: &str = "columns on the device";
/// The kernel that copies some rows.
const GATHER: &str = include_str!("gather.cu");

/// The rows for which it pays to compile that kernel.
const MANY: usize = if cfg!(test) { 1 << 5 } else { 1 << 18 };

/// Cells in memory of the device, which may have another owner.
struct Kept {
    cells: DeviceBuffer,
    backend: Arc<dyn Driver>,
    owner: Mutex<Option<Box<dyn Any + Send>>>,
}

impl CellStore for Kept {
    fn read(&self, offset: usize, into: &mut [u8]) -> Result<(), Error> {
        Ok(self.cells.download(offset, HostSliceMut::U8(into))?)
    }

    fn narrowed(&self, offset: usize, words: usize, width: ColumnWidth) -> Result<Place, Error> {
        let (bytes, word) = (width.bytes(), ColumnWidth::U64.bytes());
        let cells = DeviceBuffer::new(&self.backend, WHAT, bytes * words)?;
        if words < MANY {
            cells.copy_rows([0, bytes], &self.cells, [offset, word], words, bytes)?;
            return Ok(placed(&self.backend, cells, None));
        }
        // The driver copies such short rows one by one.
        let address = self.cells.address() + offset as u64;
        let parameters = [address, bytes as u64, (word / bytes) as u64, 0, words as u64, cells.address()];
        launch(&cells, words, &parameters)?;
        Ok(placed(&self.backend, cells, None))
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if self.owner.get_mut().unwrap_or_else(PoisonError::into_inner).is_some() {
            // Where this fails, the context is lost, and the memory with it.
            let _ = self.backend.finish();
        }
    }
}

/// Copies the cells of a column to the device.
pub(crate) fn copied(backend: &Arc<dyn Driver>, column: &Column<'_>) -> Result<Place, Error> {
    let cells = HostSlice::of(column);
    let buffer = DeviceBuffer::new(backend, WHAT, cells.bytes().len())?;
    buffer.upload_all(&[(0, cells)])?;
    Ok(placed(backend, buffer, None))
}

/// Returns memory that has cells as their place.
pub(super) fn placed(backend: &Arc<dyn Driver>, cells: DeviceBuffer, owner: Option<Box<dyn Any + Send>>) -> Place {
    Place::Device(Box::new(Kept { cells, backend: backend.clone(), owner: Mutex::new(owner) }))
}

/// Takes cells in device memory of another owner.
pub(crate) fn adopted(backend: &Arc<dyn Driver>, foreign: &mut Foreign, width: ColumnWidth) -> Result<Place, Error> {
    let (address, each) = (foreign.address, width.bytes());
    let wrong = |problem| Error::ForeignMemory { problem, at: foreign.at };
    if foreign.elements == 0 {
        return Ok(placed(backend, DeviceBuffer::new(backend, WHAT, 0)?, foreign.owner.take()));
    }
    if !address.is_multiple_of(each as u64) {
        return Err(wrong(ForeignProblem::Unaligned { address, each }));
    }
    let memory = backend.adopt(address, foreign.elements.saturating_mul(each))?.map_err(wrong)?;
    let cells = DeviceBuffer::foreign(backend, &memory);
    Ok(placed(backend, cells, foreign.owner.take()))
}

/// Returns the address of the first cell; 0 for cells that are not on a device of this kind.
pub(super) fn address(cells: &DeviceCells) -> u64 {
    cells.store().map_or(0, |kept: &Kept| kept.cells.address() + cells.offset() as u64)
}

/// Copies the numbers of rows to the device, for [`gather`].
pub(super) fn numbers(beside: &DeviceBuffer, rows: &[usize]) -> Result<DeviceBuffer, GpuError> {
    let list = memory::collected(WHAT, rows.iter().map(|row| *row as u64))?;
    let numbers = beside.beside(WHAT, 8 * list.len())?;
    numbers.upload(0, HostSlice::U64(&list))?;
    Ok(numbers)
}

/// Copies cells of some rows to a list on the device, in which they follow each other. `numbers` has the rows.
pub(super) fn gather(cells: &DeviceCells, numbers: &DeviceBuffer, count: usize) -> Result<DeviceBuffer, GpuError> {
    let width = cells.width().bytes();
    let list = numbers.beside(WHAT, width * count)?;
    launch(&list, count, &[address(cells), width as u64, 1, numbers.address(), count as u64, list.address()])?;
    Ok(list)
}

/// Launches the kernel that copies that many rows to a list.
fn launch(list: &DeviceBuffer, rows: usize, parameters: &[u64]) -> Result<(), GpuError> {
    // Undefined bytes must not come to the host if the launch ends early.
    list.zero_first(0, list.bytes())?;
    let program = list.program(GATHER)?;
    program.launch(EXECUTE, spread(list.limits(), rows), parameters)?;
    list.settle_with_kernel();
    Ok(())
}

/// Returns the shape of a launch whose threads have that many items.
pub(super) fn spread(Limits { block, threads, .. }: Limits, items: usize) -> Shape {
    let grid = threads.min(items as u64).div_ceil(block.into()).max(1) as u32;
    Shape { grid, block, shared: 0 }
}

/// Returns the values in some rows as a column of the host, without the other ones.
pub(crate) fn sample(cells: &DeviceCells, rows: &[usize]) -> Result<Column<'static>, GpuError> {
    let mut column = Column::new(cells.width());
    column.reserve(rows.len())?;
    let Some(kept) = cells.store::<Kept>() else { return Ok(column) };
    let list = gather(cells, &numbers(&kept.cells, rows)?, rows.len())?;
    let width = cells.width().bytes();
    let mut bytes = memory::zeroed(WHAT, width * rows.len())?;
    list.download(0, HostSliceMut::U8(&mut bytes))?;
    let word = |cell: &[u8]| cell.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    // There is room for all of them.
    bytes
        .chunks(width)
        .try_for_each(|cell| column.push(word(cell)))
        .map_err(|_| NoMemory::for_elements::<u8>(WHAT, bytes.len()))?;
    Ok(column)
}
