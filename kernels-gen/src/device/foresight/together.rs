//! Arrays whose elements are always written together: one after the other and at one index, as the fields of a record are.
//!
//! Their writes have one place. Each place has a *cell* for each of them, so that what sorts places and looks for them does so once.

use std::collections::{BTreeMap, BTreeSet};

use super::finder::Finder;
use super::{Known, Listed};

/// The bytes of a place beside its cells, and of a cell.
const PLACE_BYTES: u64 = 16;
const CELL_BYTES: u64 = 16;

/// The most cells of a place: a word has a bit for each cell to which something is added.
const MOST_CELLS: usize = u32::BITS as usize;

/// Returns the bytes of a transaction's places.
fn bytes(writes: u32, cells: u32) -> u64 {
    u64::from(writes) * (PLACE_BYTES + CELL_BYTES * u64::from(cells))
}

/// Groups of arrays that have their places together, in order of the writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Together {
    pub(super) groups: Vec<Vec<usize>>,
}

impl Together {
    /// Returns the number of an array's cell in its places.
    pub(super) fn cell(&self, array: usize) -> u32 {
        let position = self.groups.iter().find_map(|group| group.iter().position(|of| *of == array));
        position.unwrap_or(0) as u32
    }

    /// Returns the number of the arrays that have their places together with this one.
    pub(super) fn cells(&self, array: usize) -> u32 {
        self.groups.iter().find(|group| group.contains(&array)).map_or(1, Vec::len) as u32
    }

    /// Returns the most cells of a place, over these arrays.
    pub(super) fn most_cells(&self, is_meant: impl Fn(usize) -> bool) -> u32 {
        let meant = self.groups.iter().filter(|group| is_meant(group[0]));
        meant.map(|group| group.len() as u32).max().unwrap_or(1)
    }

    /// Gives each array of some groups its own places.
    fn part(&mut self, is_meant: impl Fn(&[usize]) -> bool) {
        let parted = |group: Vec<usize>| -> Vec<Vec<usize>> {
            if is_meant(&group) { group.into_iter().map(|array| vec![array]).collect() } else { vec![group] }
        };
        self.groups = std::mem::take(&mut self.groups).into_iter().flat_map(parted).collect();
    }
}

/// The arrays that are written directly before an array and after it, at its index; `None` for none.
type Neighbours = BTreeMap<usize, [BTreeSet<Option<usize>>; 2]>;

impl Finder<'_> {
    /// Groups the arrays that foreseen transactions write.
    pub(super) fn together(
        &self,
        procedures: &[Option<Known>],
        written: &BTreeSet<usize>,
        listed: impl Fn(usize) -> Listed,
    ) -> Together {
        let neighbours = self.neighbours(procedures, &listed);
        let next = |array: usize| {
            let [_, after] = neighbours.get(&array)?;
            let next = (after.len() == 1).then(|| after.first().copied().flatten())??;
            let [before, _] = &neighbours[&next];
            (next != array && before.len() == 1).then_some(next)
        };
        let followed: BTreeSet<usize> = written.iter().filter_map(|array| next(*array)).collect();
        let mut groups: Vec<Vec<usize>> = written
            .iter()
            .filter(|array| !followed.contains(array))
            .map(|first| std::iter::successors(Some(*first), |array| next(*array)).collect())
            .flat_map(|row: Vec<usize>| row.chunks(MOST_CELLS).map(<[usize]>::to_vec).collect::<Vec<_>>())
            .collect();
        // Arrays that follow each other in a circle have no first one.
        let grouped: BTreeSet<usize> = groups.iter().flatten().copied().collect();
        groups.extend(written.difference(&grouped).map(|array| vec![*array]));
        let mut together = Together { groups };
        self.part_unlike(&mut together);
        for listing in [Listed::First, Listed::Late] {
            self.part_wasteful(&mut together, procedures, |array| listed(array) == listing);
        }
        together
    }

    fn neighbours(&self, procedures: &[Option<Known>], listed: &impl Fn(usize) -> Listed) -> Neighbours {
        let mut neighbours = Neighbours::new();
        for (of, arrays) in &self.batch.calls {
            let Some(known) = &procedures[*of] else { continue };
            let params = (0_u32..).zip(self.batch.procedures[*of].params);
            let params = params.filter(|(_, param)| param.role.array().is_some()).map(|(number, _)| number);
            let called: BTreeMap<u32, usize> = params.zip(arrays.iter().copied()).collect();
            let changes = |param: &&u32| known.writes.iter().any(|write| write.param == **param && !write.is_nothing);
            for row in self.foresight(*of).together {
                let row: Vec<usize> = row.iter().filter(changes).map(|param| called[param]).collect();
                for listing in [Listed::First, Listed::Late, Listed::Unread] {
                    let of_listing: Vec<usize> =
                        row.iter().copied().filter(|array| listed(*array) == listing).collect();
                    note(&mut neighbours, &of_listing);
                }
            }
            // One parameter may read what another one writes.
            let twice = arrays.iter().filter(|array| arrays.iter().filter(|other| other == array).count() > 1);
            twice.for_each(|array| note(&mut neighbours, &[*array]));
            // A write that puts back what was read has no place, so the others of its array do not always have one either.
            let puts_back = known.writes.iter().filter(|write| write.is_nothing).map(|write| called[&write.param]);
            puts_back.for_each(|array| note(&mut neighbours, &[array]));
        }
        neighbours
    }

    /// Parts groups whose arrays have different cells where they are one parameter.
    fn part_unlike(&self, together: &mut Together) {
        let params: Vec<&BTreeSet<usize>> = self.arrays.iter().flatten().collect();
        loop {
            let cell = |array: &usize| together.groups.iter().find_map(|group| group.iter().position(|of| of == array));
            let shape = |array: &usize| cell(array).map(|cell| (cell, together.cells(*array)));
            let unlike =
                params.iter().filter(|arrays| arrays.iter().filter_map(shape).collect::<BTreeSet<_>>().len() > 1);
            let unlike: BTreeSet<usize> = unlike.flat_map(|arrays| arrays.iter().copied()).collect();
            let before = together.groups.len();
            together.part(|group| group.iter().any(|array| unlike.contains(array)));
            if together.groups.len() == before {
                return;
            }
        }
    }

    /// Parts the groups of a listing if its places would take much more memory than those of all arrays apart: each has the cells of the
    /// largest group. Fewer places are worth half as much again.
    fn part_wasteful(&self, together: &mut Together, procedures: &[Option<Known>], is_listed: impl Fn(usize) -> bool) {
        let places = |together: &Together| self.most_places(procedures, together, &is_listed);
        let alone = Together::default();
        let (all, joined) = (bytes(places(&alone), 1), bytes(places(together), together.most_cells(&is_listed)));
        if 2 * joined > 3 * all {
            together.part(|group| is_listed(group[0]));
        }
    }
}

/// Notes that arrays are written one after the other.
fn note(neighbours: &mut Neighbours, row: &[usize]) {
    for (at, array) in row.iter().enumerate() {
        let [before, after] = neighbours.entry(*array).or_default();
        before.insert(at.checked_sub(1).map(|at| row[at]));
        after.insert(row.get(at + 1).copied());
    }
}
