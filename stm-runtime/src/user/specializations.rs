//! The specializations of a batch: its procedures, arrays and argument columns, and their combinations.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::OnceLock;

use kernels_gen::abi::history::MOST_ARRAYS;
use kernels_gen::device::unit::ColumnWidth;

use super::canonical::{Calls, Canonical};
use crate::backend::{Array, CompiledProcedure, Device, Specialization};
use crate::columns::Column;
use crate::error::Error;
use crate::keymap::KeyMap;
use crate::procedure::Procedure;

/// The most specializations of one batch: a transaction names its specialization with 16 bits.
const MAX_SPECIALIZATIONS: usize = 65_535;

/// The specializations of a batch.
#[derive(Debug, Default)]
pub(crate) struct Specializations<'a> {
    pub(crate) procedures: Vec<CompiledProcedure>,
    /// The same procedures, with their functions.
    pub(crate) functions: Vec<&'static Procedure>,
    /// The columns of each procedure.
    columns_of: Vec<Range<usize>>,
    pub(crate) list: Vec<Specialization>,
    pub(crate) arrays: Vec<Array>,
    /// The positions of arrays by their identity.
    places: KeyMap,
    pub(crate) columns: Vec<Column<'a>>,
    /// Columns whose memory can be used again. Their rows mean nothing.
    pub(crate) spare: Vec<Column<'a>>,
    /// Lists of arrays, likewise, in the order of their calls.
    spare_lists: VecDeque<Vec<usize>>,
    /// The largest number of components of a procedure's result.
    pub(crate) results: usize,
    /// The number of transactions to make room for.
    pub(crate) wanted: usize,
    /// Specializations by [`hash`].
    found: KeyMap,
    /// The same in canonical order, once that was needed.
    canonical: OnceLock<Canonical>,
}

impl<'a> Specializations<'a> {
    /// Returns no specializations, with the memory of these.
    pub(crate) fn emptied<'b>(self) -> Specializations<'b> {
        let Specializations { mut procedures, mut functions, mut columns_of, mut list, mut arrays, .. } = self;
        let Specializations { mut places, mut found, mut spare_lists, .. } = self;
        spare_lists.extend(list.drain(..).map(|specialization| specialization.arrays));
        procedures.clear();
        functions.clear();
        columns_of.clear();
        arrays.clear();
        places.clear();
        found.clear();
        let [mut spare, mut columns] =
            [self.columns, self.spare].map(|columns| columns.into_iter().map(Column::used).collect::<Vec<_>>());
        spare.append(&mut columns);
        columns.reserve(spare.len());
        let kept = Specializations { procedures, functions, columns_of, list, arrays, ..Specializations::default() };
        Specializations { places, found, spare_lists, spare, columns, ..kept }
    }

    /// Returns whether the specialization at an index is that of this procedure and these arrays.
    #[inline]
    pub(crate) fn is(&self, at: usize, procedure: &'static Procedure, arrays: &[&Array]) -> bool {
        let Some(specialization) = self.list.get(at) else { return false };
        std::ptr::eq(self.functions[specialization.procedure], procedure)
            && specialization.arrays.len() == arrays.len()
            && specialization.arrays.iter().zip(arrays).all(|(known, array)| self.arrays[*known].same(array))
    }

    /// Returns the index of the specialization of this procedure and these arrays. Adds it if it is new.
    pub(crate) fn find(
        &mut self,
        device: &Device,
        transaction: usize,
        procedure: &'static Procedure,
        arrays: &[&Array],
    ) -> Result<usize, Error> {
        let mut key = hash(procedure, arrays);
        while let Some(at) = self.found.get(key) {
            if self.is(at, procedure, arrays) {
                return Ok(at);
            }
            key = key.wrapping_add(1);
        }
        self.found.make_room()?;
        let (before, columns) = (self.arrays.len(), self.columns.len());
        let bound = self.bind(device, transaction, procedure, arrays);
        if bound.is_err() {
            self.arrays.truncate(before);
            self.columns.truncate(columns);
        }
        let at = self.list.len();
        self.list.push(bound?);
        self.found.insert(key, at);
        self.canonical.take();
        Ok(at)
    }

    /// Returns everything in canonical order.
    pub(crate) fn canonical(&self) -> &Canonical {
        let Specializations { procedures, functions, list, arrays, .. } = self;
        self.canonical.get_or_init(|| Canonical::of(Calls { procedures, functions, list, arrays }))
    }

    #[cold]
    fn bind(
        &mut self,
        device: &Device,
        transaction: usize,
        procedure: &'static Procedure,
        arrays: &[&Array],
    ) -> Result<Specialization, Error> {
        if self.list.len() == MAX_SPECIALIZATIONS {
            return Err(Error::BatchFull {
                transaction,
                what: "pairs of function and arrays",
                max: MAX_SPECIALIZATIONS,
            });
        }
        let compiled = procedure.compiled()?;
        for ((parameter, role), array) in compiled.arrays().zip(arrays) {
            if array.device() != device.id() {
                let device = device.describe();
                return Err(Error::ForeignArray { transaction, procedure: procedure.name(), parameter, device });
            }
            if role.part().is_none() && array.part() != 0 {
                return Err(Error::NotShared { transaction, procedure: procedure.name(), parameter });
            }
        }
        let mut own = self.spare_lists.pop_front().unwrap_or_default();
        own.clear();
        for array in arrays {
            own.push(self.array(transaction, array)?);
        }
        let columns = self.columns_for(procedure, compiled)?;
        let procedure = self.procedure(procedure, compiled, &columns);
        Ok(Specialization { procedure, arrays: own, columns })
    }

    fn array(&mut self, transaction: usize, array: &Array) -> Result<usize, Error> {
        let known = self.places.get(array.identity());
        // A place may be that of an array that was removed again.
        if let Some(at) = known.filter(|at| self.arrays.get(*at).is_some_and(|known| known.same(array))) {
            return Ok(at);
        }
        if self.arrays.len() == MOST_ARRAYS {
            return Err(Error::BatchFull { transaction, what: "arrays", max: MOST_ARRAYS });
        }
        self.places.make_room()?;
        let at = self.arrays.len();
        self.places.insert(array.identity(), at);
        self.arrays.push(array.clone());
        Ok(at)
    }

    /// Returns the columns of a procedure, which has them since its first call.
    fn columns_for(
        &mut self,
        procedure: &'static Procedure,
        compiled: CompiledProcedure,
    ) -> Result<Range<usize>, Error> {
        if let Some(known) = self.position(procedure) {
            return Ok(self.columns_of[known].clone());
        }
        let first = self.columns.len();
        for (_, scalar) in compiled.values() {
            let width = ColumnWidth::of(scalar.size());
            let spare = self.spare.iter().position(|spare| spare.width() == width);
            let mut column = spare.map_or_else(|| Column::new(width), |at| self.spare.remove(at));
            column.truncate(0);
            column.reserve(self.wanted)?;
            self.columns.push(column);
        }
        Ok(first..self.columns.len())
    }

    /// Returns the columns of a procedure of the batch.
    #[cfg(feature = "rayon")]
    pub(crate) fn columns_of(&self, procedure: usize) -> Range<usize> {
        self.columns_of[procedure].clone()
    }

    /// Returns the index of a procedure that the batch has.
    pub(crate) fn position(&self, procedure: &'static Procedure) -> Option<usize> {
        self.functions.iter().position(|known| std::ptr::eq(*known, procedure))
    }

    /// Returns the index of a procedure. Adds it if it is new.
    fn procedure(
        &mut self,
        procedure: &'static Procedure,
        compiled: CompiledProcedure,
        columns: &Range<usize>,
    ) -> usize {
        self.position(procedure).unwrap_or_else(|| {
            self.results = self.results.max(compiled.spec.result.len());
            self.procedures.push(compiled);
            self.functions.push(procedure);
            self.columns_of.push(columns.clone());
            self.functions.len() - 1
        })
    }
}

/// Returns the error of a call whose `Partition` parameters differ; `which` is the one that differs from the first.
pub(crate) fn parts_differ(transaction: usize, procedure: &'static Procedure, which: usize, parts: [u32; 2]) -> Error {
    let compiled = match procedure.compiled() {
        Ok(compiled) => compiled,
        Err(error) => return error,
    };
    // A parameter of a record type has several components: report the parameter's name.
    let of = |name: &'static str| name.split_once('.').map_or(name, |(parameter, _)| parameter);
    let mut names: Vec<&str> =
        compiled.arrays().filter(|(_, role)| role.part().is_some()).map(|(name, _)| of(name)).collect();
    names.dedup();
    let name = |at: usize| names.get(at).copied().unwrap_or_default();
    Error::PartsDiffer { transaction, procedure: procedure.name(), parameters: [name(0), name(which)], parts }
}

fn hash(procedure: &'static Procedure, arrays: &[&Array]) -> u64 {
    let mix = |sum: u64, part: u64| (sum.rotate_left(23) ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let procedure = std::ptr::from_ref(procedure).addr() as u64;
    arrays.iter().fold(mix(0, procedure), |sum, array| mix(sum, array.identity()))
}
