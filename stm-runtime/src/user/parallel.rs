//! Filling a batch by several threads, from a parallel iterator of rayon.

use rayon::iter::plumbing::{Consumer, Folder, Reducer, UnindexedConsumer};
use rayon::iter::{IntoParallelIterator, ParallelExtend, ParallelIterator};

use super::batch::Batch;
use super::call::Call;
use super::filling::too_many_rows;
use crate::backend::Device;
use crate::columns::{self, CellsMut, Column};
use crate::data::GpuData;
use crate::error::Error;
use crate::memory;

/// The transactions of a part that one thread fills.
const PART: usize = if cfg!(test) { 1 << 4 } else { 1 << 16 };

/// Adds the transactions of a parallel iterator in its order, as [`Batch::push`] would one after the other. Each thread fills batches of its
/// own, without locks; then several threads copy the arguments to their places.
///
/// ```
/// use rayon::prelude::*;
/// use stm_runtime::prelude::*;
///
/// #[gpu_transaction]
/// fn deposit(tx: &mut Tx, accounts: &Shared<i64>, at: u32, amount: i64) -> TxResult {
///     tx.update(accounts, at, |balance| balance + amount)
/// }
///
/// # fn main() -> Result<(), Error> {
/// let device = Device::cpu(2);
/// let accounts = device.shared(&[0_i64; 100])?;
/// let mut batch = device.batch();
/// batch.par_extend((0..1000_u32).into_par_iter().map(|k| deposit::call(&accounts, k % 100, i64::from(k))));
/// assert_eq!(batch.run()?.committed, 1000);
/// # Ok(())
/// # }
/// ```
impl<'stm, R: GpuData, const ARRAYS: usize, const VALUES: usize> ParallelExtend<Call<'stm, R, ARRAYS, VALUES>>
    for Batch<'_>
{
    fn par_extend<I: IntoParallelIterator<Item = Call<'stm, R, ARRAYS, VALUES>>>(&mut self, calls: I) {
        let (calls, device) = (calls.into_par_iter(), self.device.clone());
        let room = calls.opt_len().unwrap_or(PART);
        let parts = calls.drive_unindexed(Filling { device: &device, room, parts: Vec::new() });
        if let Err(error) = self.take(&parts) {
            self.refuse(error);
        }
        self.transactions += parts.iter().map(Batch::len).sum::<usize>();
        // To give memory back takes time, too.
        parts.into_par_iter().for_each(drop);
    }
}

/// Batches that one thread fills.
struct Filling<'d> {
    device: &'d Device,
    /// The number of calls to come, if it is known.
    room: usize,
    parts: Vec<Batch<'static>>,
}

impl Filling<'_> {
    fn with_room(&self, room: usize) -> Self {
        Filling { room, parts: Vec::new(), ..*self }
    }

    /// Returns a batch with room for the next calls.
    fn part(&self) -> Batch<'static> {
        let mut part = self.device.batch();
        // Where memory is short, the calls say so.
        let _ = part.reserve(self.room.clamp(1, PART));
        part
    }
}

impl<'stm, R: GpuData, const ARRAYS: usize, const VALUES: usize> Consumer<Call<'stm, R, ARRAYS, VALUES>>
    for Filling<'_>
{
    type Folder = Self;
    type Reducer = Joining;
    type Result = Vec<Batch<'static>>;

    fn split_at(self, index: usize) -> (Self, Self, Joining) {
        (self.with_room(index), self.with_room(self.room.saturating_sub(index)), Joining)
    }

    fn into_folder(self) -> Self {
        self
    }

    fn full(&self) -> bool {
        false
    }
}

impl<'stm, R: GpuData, const ARRAYS: usize, const VALUES: usize> UnindexedConsumer<Call<'stm, R, ARRAYS, VALUES>>
    for Filling<'_>
{
    fn split_off_left(&self) -> Self {
        self.with_room(PART)
    }

    fn to_reducer(&self) -> Joining {
        Joining
    }
}

impl<'stm, R: GpuData, const ARRAYS: usize, const VALUES: usize> Folder<Call<'stm, R, ARRAYS, VALUES>> for Filling<'_> {
    type Result = Vec<Batch<'static>>;

    fn consume(self, call: Call<'stm, R, ARRAYS, VALUES>) -> Self {
        self.consume_iter([call])
    }

    // One loop around `push`, which is inlined then, as in a loop of the user.
    fn consume_iter<I: IntoIterator<Item = Call<'stm, R, ARRAYS, VALUES>>>(mut self, calls: I) -> Self {
        let mut part = self.parts.pop().unwrap_or_else(|| self.part());
        for call in calls {
            if part.len() == PART {
                let full = std::mem::replace(&mut part, self.part());
                self.parts.push(full);
            }
            part.push(call);
        }
        self.parts.push(part);
        self
    }

    fn complete(self) -> Vec<Batch<'static>> {
        self.parts
    }

    fn full(&self) -> bool {
        false
    }
}

/// Puts what two threads have filled one after the other.
struct Joining;

impl Reducer<Vec<Batch<'static>>> for Joining {
    fn reduce(self, mut left: Vec<Batch<'static>>, right: Vec<Batch<'static>>) -> Vec<Batch<'static>> {
        left.extend(right);
        left
    }
}

impl Batch<'_> {
    /// Adds the arguments of batches, one after the other, but does not count their transactions.
    fn take(&mut self, parts: &[Batch<'static>]) -> Result<(), Error> {
        self.error.clone().map_or(Ok(()), Err)?;
        let mut first = self.transactions;
        // For each procedure of this batch, the columns that follow its own.
        let mut more: Vec<Vec<&[Column<'static>]>> = Vec::new();
        for part in parts {
            part.error.clone().map_or(Ok(()), |error| Err(error.later(first)))?;
            self.take_specializations(part, first, &mut more)?;
            first += part.len();
        }
        for (procedure, more) in more.iter().enumerate() {
            let own = self.specializations.columns_of(procedure);
            append(&mut self.specializations.columns[own], more)?;
        }
        Ok(())
    }

    /// Adds the specializations and rows of a batch that comes after that many transactions.
    fn take_specializations<'p>(
        &mut self,
        part: &'p Batch<'static>,
        first: usize,
        more: &mut Vec<Vec<&'p [Column<'static>]>>,
    ) -> Result<(), Error> {
        let theirs = &part.specializations;
        let mut numbers = Vec::with_capacity(theirs.list.len());
        for (nth, specialization) in theirs.list.iter().enumerate() {
            let arrays: Vec<_> = specialization.arrays.iter().map(|at| &theirs.arrays[*at]).collect();
            let found = self.find_specialization(first, theirs.functions[specialization.procedure], &arrays);
            let caller = || part.ids.iter().position(|id| usize::from(*id) == nth).unwrap_or(0);
            found.map_err(|error| error.later(caller()))?;
            numbers.push(self.last.number as u16);
        }
        let mut rows = Vec::with_capacity(theirs.functions.len());
        for (nth, function) in theirs.functions.iter().enumerate() {
            let procedure = self.specializations.position(function).unwrap_or_default();
            more.resize_with(more.len().max(procedure + 1), Vec::new);
            let own = self.specializations.columns[self.specializations.columns_of(procedure)].first();
            let coming = more[procedure].iter().filter_map(|columns| columns.first()).map(Column::len);
            rows.push(own.map_or(0, Column::len) + coming.sum::<usize>());
            more[procedure].push(&theirs.columns[theirs.columns_of(nth)]);
        }
        if self.specializations.list.len() > 1 {
            memory::grow_by(columns::WHAT, &mut self.ids, part.len())?;
            let id = |at| numbers[part.ids.get(at).map_or(0, |id| usize::from(*id))];
            self.ids.extend((0..part.len()).map(id));
        }
        if self.specializations.procedures.len() > 1 {
            memory::grow_by(columns::WHAT, &mut self.rows, part.len())?;
            for at in 0..part.len() {
                let number = part.ids.get(at).map_or(0, |id| usize::from(*id));
                let row = rows[theirs.list[number].procedure] + part.rows.get(at).map_or(at, |row| *row as usize);
                self.rows.push(u32::try_from(row).map_err(|_| too_many_rows(first + at))?);
            }
        }
        Ok(())
    }
}

/// Adds the rows of other columns to columns of the same widths.
fn append(own: &mut [Column<'_>], more: &[&[Column<'static>]]) -> Result<(), Error> {
    for (at, column) in own.iter_mut().enumerate() {
        let lists: Vec<&Column<'static>> = more.iter().map(|columns| &columns[at]).collect();
        let mut rest = column.grow(lists.iter().map(|list| list.len()).sum())?;
        let mut copies = Vec::with_capacity(lists.len());
        for list in lists {
            let (cells, others) = rest.split_first(list.len());
            copies.push((cells, list));
            rest = others;
        }
        copies.into_par_iter().for_each(|(cells, list): (CellsMut<'_>, _)| cells.copy(list));
    }
    Ok(())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use rayon::prelude::*;

    use crate::{Batch, Device, Error, Shared, Tx, TxResult};

    #[crate::prelude::gpu_transaction]
    fn add(tx: &mut Tx, cells: &Shared<i64>, at: u32, by: i64) -> TxResult {
        tx.update(cells, at, |old| old + by)
    }

    #[crate::prelude::gpu_transaction]
    fn set(tx: &mut Tx, cells: &Shared<i64>, at: u32, to: i64) -> TxResult {
        tx.write(cells, at, to)
    }

    fn is_equal(one: &Batch<'_>, other: &Batch<'_>) -> bool {
        let same = |batch: &Batch<'_>| (batch.len(), batch.ids.clone(), batch.rows.clone());
        same(one) == same(other) && one.specializations.columns == other.specializations.columns
    }

    #[test]
    fn calls_have_the_order_of_the_iterator() {
        let device = Device::cpu(1);
        let [one, other] = [1, 2].map(|_| device.shared(&[0_i64; 8]).unwrap());
        // One specialization, then two procedures, and then two arrays, each of which begins within a part.
        for kinds in [1, 2, 4] {
            let call = |k: u32| {
                let cells = if k > 500 && k % kinds >= 2 { &other } else { &one };
                let value = i64::from(k);
                if k > 200 && k % 2 < kinds - 1 {
                    set::call(cells, k % 8, value)
                } else {
                    add::call(cells, k % 8, value)
                }
            };
            let (mut pushed, mut extended) = (device.batch(), device.batch());
            for _ in 0..2 {
                for batch in [&mut pushed, &mut extended] {
                    batch.push(call(3));
                }
                pushed.extend((0..999).map(call));
                extended.par_extend((0..999).into_par_iter().map(call));
                pushed.extend((0..999).filter(|k| k % 3 > 0).map(call));
                extended.par_extend((0..999).into_par_iter().filter(|k| k % 3 > 0).map(call));
                extended.par_extend((0..0).into_par_iter().map(call));
                assert!(is_equal(&pushed, &extended), "{kinds} kinds of calls");
                assert_eq!(extended.run().unwrap().committed, 1666);
                pushed.clear();
                extended.clear();
            }
        }
    }

    #[test]
    fn the_first_wrong_call_is_the_error() {
        let (device, other) = (Device::cpu(1), Device::cpu(1));
        let (own, foreign) = (device.shared(&[0_i64; 8]).unwrap(), other.shared(&[0_i64; 8]).unwrap());
        let mut batch = device.batch();
        batch.push(add::call(&own, 0, 1));
        let wrong = |k: u32| add::call(if k == 333 || k > 700 { &foreign } else { &own }, 0, 1);
        batch.par_extend((0..999).into_par_iter().map(wrong));
        assert_eq!(batch.len(), 1000);
        assert!(matches!(batch.run(), Err(Error::ForeignArray { transaction: 334, .. })));
        batch.clear();
        // More pairs of function and arrays than a batch takes, all in one part.
        let many: Vec<_> = (0..65_540).map(|_| device.shared(&[0_i64]).unwrap()).collect();
        let call = |k: usize| add::call(&many[k], 0, 1);
        batch.par_extend((0..many.len()).into_par_iter().map(call));
        let pushed: Vec<Error> = [&mut device.batch(), &mut batch]
            .map(|batch| {
                batch.extend((0..many.len()).map(call));
                batch.run().unwrap_err()
            })
            .into();
        assert!(matches!(pushed[0], Error::BatchFull { .. }) && pushed[0] == pushed[1], "{pushed:?}");
    }
}
