//! The specializations of a batch: its procedures, arrays and argument columns, and their combinations.

use crate::backend::{Array, CompiledProcedure, Device, Specialization};
use crate::columns::{Column, Width};
use crate::error::Error;
use crate::keymap::KeyMap;
use crate::procedure::Procedure;

/// The most specializations of one batch: a transaction names its specialization with 16 bits.
const MAX_SPECIALIZATIONS: usize = 65_535;
/// The most arrays of one batch.
const MAX_ARRAYS: usize = 64;
/// The most argument columns of one batch.
const MAX_COLUMNS: usize = 64;

/// The specializations of a batch.
#[derive(Debug, Default)]
pub(crate) struct Specializations {
    pub(crate) procedures: Vec<CompiledProcedure>,
    /// The same procedures, with their functions.
    pub(crate) functions: Vec<&'static Procedure>,
    pub(crate) list: Vec<Specialization>,
    pub(crate) arrays: Vec<Array>,
    pub(crate) columns: Vec<Column>,
    /// The largest number of components of a procedure's result.
    pub(crate) results: usize,
    /// The number of transactions to make room for.
    pub(crate) wanted: usize,
    /// Specializations by [`hash`].
    found: KeyMap,
}

impl Specializations {
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
        Ok(at)
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
        let arrays = arrays.iter().map(|array| self.array(transaction, array)).collect::<Result<_, _>>()?;
        let columns = self.columns_for(transaction, compiled)?;
        let procedure = self.procedure(procedure, compiled);
        Ok(Specialization { procedure, arrays, columns })
    }

    fn array(&mut self, transaction: usize, array: &Array) -> Result<usize, Error> {
        if let Some(at) = self.arrays.iter().position(|known| known.same(array)) {
            return Ok(at);
        }
        if self.arrays.len() == MAX_ARRAYS {
            return Err(Error::BatchFull { transaction, what: "arrays", max: MAX_ARRAYS });
        }
        self.arrays.push(array.clone());
        Ok(self.arrays.len() - 1)
    }

    /// Assigns columns to the values: the k-th value of a width gets the k-th column of that width, so that procedures share
    /// columns.
    fn columns_for(&mut self, transaction: usize, procedure: CompiledProcedure) -> Result<Vec<usize>, Error> {
        let mut used: Vec<usize> = Vec::new();
        for (_, scalar) in procedure.values() {
            let width = Width::of(scalar.size());
            let free = |(at, column): (usize, &Column)| (column.width() == width && !used.contains(&at)).then_some(at);
            let at = match self.columns.iter().enumerate().find_map(free) {
                Some(at) => at,
                None if self.columns.len() == MAX_COLUMNS => {
                    return Err(Error::BatchFull { transaction, what: "argument columns", max: MAX_COLUMNS });
                }
                None => {
                    let mut column = Column::new(width);
                    column.reserve(self.wanted)?;
                    self.columns.push(column);
                    self.columns.len() - 1
                }
            };
            used.push(at);
        }
        Ok(used)
    }

    fn procedure(&mut self, procedure: &'static Procedure, compiled: CompiledProcedure) -> usize {
        self.functions.iter().position(|known| std::ptr::eq(*known, procedure)).unwrap_or_else(|| {
            self.results = self.results.max(compiled.spec.result.len());
            self.procedures.push(compiled);
            self.functions.push(procedure);
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
