//! The units that a device has loaded, by their descriptions: a run whose unit is known needs no text of it.
//!
//! Making the text of a unit and hashing it takes a part of a millisecond, which is as long as the smallest run.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kernels_gen::device::unit::{ArraySpec, ColumnSpec, SpecializationSpec, UnitSpec};
use kernels_gen::device::{Listings, Stage, Tuned};
use kernels_gen::spec::ProcedureSpec;

/// What a run needs to know of a unit beside its program.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// The stages before the execution.
    pub(crate) stages: Vec<&'static Stage>,
    /// The arrays whose elements some stage settles, in groups of those that share what it keeps of them.
    pub(crate) settled: Vec<Vec<usize>>,
    /// The arrays that a block may keep in its memory, each with the bytes of an element there.
    pub(crate) kept: Vec<(usize, u64)>,
    /// What is listed of the transactions.
    pub(crate) listings: Listings,
}

impl Outline {
    fn of(unit: &UnitSpec<'_>) -> Outline {
        let (stages, kept) = (unit.stages().collect(), unit.kept());
        Outline { stages, settled: unit.settled_together(), kept, listings: unit.listings() }
    }
}

/// Everything that a unit is made from. Units with equal descriptions have the same text.
struct Description {
    engine: Tuned,
    procedures: Vec<ProcedureSpec>,
    specializations: Vec<SpecializationSpec>,
    arrays: Vec<ArraySpec>,
    columns: Vec<ColumnSpec>,
    switches: [bool; 7],
}

impl Description {
    fn of(unit: &UnitSpec<'_>) -> Description {
        Description {
            engine: unit.engine,
            procedures: unit.procedures.iter().map(|procedure| **procedure).collect(),
            specializations: unit.specializations.to_vec(),
            arrays: unit.arrays.to_vec(),
            columns: unit.columns.to_vec(),
            switches: switches(unit),
        }
    }

    fn is_of(&self, unit: &UnitSpec<'_>) -> bool {
        // Engines with the same name can have other texts: those of tests do.
        ptr::eq(self.engine.row(), unit.engine.row())
            && self.engine == unit.engine
            && self.switches == switches(unit)
            && self.columns == unit.columns
            && self.arrays == unit.arrays
            && self.specializations == unit.specializations
            && self.procedures.iter().eq(unit.procedures.iter().copied())
    }
}

fn switches(unit: &UnitSpec<'_>) -> [bool; 7] {
    let UnitSpec { rows, results, profile, phases, record, pushed, cluster, .. } = *unit;
    [rows, results, profile, phases, record, pushed, cluster]
}

fn hash(unit: &UnitSpec<'_>) -> u64 {
    let mut hash = DefaultHasher::new();
    unit.engine.name.hash(&mut hash);
    (switches(unit), unit.columns, unit.arrays, unit.specializations).hash(&mut hash);
    unit.procedures.iter().for_each(|procedure| (procedure.name, procedure.cuda.len()).hash(&mut hash));
    hash.finish()
}

/// The programs of a device by the descriptions of their units.
pub(crate) struct UnitCache<T> {
    known: Mutex<HashMap<u64, Vec<Known<T>>>>,
}

/// A unit that has been loaded.
struct Known<T> {
    description: Description,
    program: T,
    outline: Arc<Outline>,
}

impl<T: Clone> UnitCache<T> {
    pub(crate) fn new() -> UnitCache<T> {
        UnitCache { known: Mutex::new(HashMap::new()) }
    }

    /// Returns the program of a unit that has been loaded before.
    pub(crate) fn get(&self, unit: &UnitSpec<'_>) -> Option<(T, Arc<Outline>)> {
        let known = self.lock();
        let alike = known.get(&hash(unit))?;
        let known = alike.iter().find(|known| known.description.is_of(unit))?;
        Some((known.program.clone(), known.outline.clone()))
    }

    /// Keeps the program of a unit.
    pub(crate) fn put(&self, unit: &UnitSpec<'_>, program: T) -> Arc<Outline> {
        let outline = Arc::new(Outline::of(unit));
        let mut known = self.lock();
        let alike = known.entry(hash(unit)).or_default();
        if !alike.iter().any(|known| known.description.is_of(unit)) {
            alike.push(Known { description: Description::of(unit), program, outline: outline.clone() });
        }
        outline
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Vec<Known<T>>>> {
        // Every change is one call, after which the map is whole.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use kernels_gen::device::EngineSpec;
    use kernels_gen::device::engines::ENGINES;
    use kernels_gen::device::link::link;
    use kernels_gen::device::unit::ColumnWidth;

    use super::*;

    const PROCEDURE: ProcedureSpec = ProcedureSpec {
        name: "procedure",
        module: "m",
        file: "m.rs",
        cuda: "one",
        checked: false,
        ..ProcedureSpec::EMPTY
    };
    /// Has another text of the same length.
    const OTHER: ProcedureSpec = ProcedureSpec { cuda: "two", ..PROCEDURE };

    #[test]
    fn what_changes_the_text_is_another_unit() {
        let engine: &'static EngineSpec = ENGINES[0];
        let replaced: &'static EngineSpec =
            Box::leak(Box::new(EngineSpec { replaced: &[("locks.cuh", "other")], ..*engine }));
        let one = [SpecializationSpec { procedure: 0, arrays: Vec::new(), columns: Vec::new() }];
        let two = [one[0].clone(), one[0].clone()];
        let first = UnitSpec { procedures: &[&PROCEDURE], specializations: &one, ..UnitSpec::new(Tuned::new(engine)) };
        let units = [
            first,
            UnitSpec { engine: Tuned::new(replaced), ..first },
            UnitSpec { engine: Tuned::new(ENGINES[1]), ..first },
            UnitSpec { procedures: &[&OTHER], ..first },
            UnitSpec { specializations: &two, ..first },
            UnitSpec { columns: &[ColumnWidth::U32.listed()], ..first },
            UnitSpec { rows: true, ..first },
            UnitSpec { results: true, ..first },
            UnitSpec { profile: true, ..first },
            UnitSpec { phases: true, ..first },
            UnitSpec { record: true, ..first },
            UnitSpec { cluster: true, ..first },
        ];
        let cache = UnitCache::new();
        for (at, unit) in units.iter().enumerate() {
            assert!(cache.get(unit).is_none(), "unit {at} is no earlier one");
            cache.put(unit, at);
        }
        for (at, unit) in units.iter().enumerate() {
            // A copy of the procedures at other addresses.
            let copies: Vec<ProcedureSpec> = unit.procedures.iter().map(|procedure| **procedure).collect();
            let procedures: Vec<&ProcedureSpec> = copies.iter().collect();
            let again = UnitSpec { procedures: &procedures, ..*unit };
            let found = cache.get(&again).map(|(program, _)| program);
            assert_eq!((found, link(&again)), (Some(at), link(unit)));
        }
    }
}
