//! The numbers of a batch's procedures, arrays and specializations on a device: the same for the same calls, whatever the order of
//! the calls.
//!
//! The text of a unit contains these numbers, so an order of first calls would make a new kernel for each order. Here the order
//! follows from names and contents. Procedures have names. Arrays have none: they differ by their element types, and by the
//! parameters that they are passed for, beside which other arrays. So arrays get colours: each begins with that of its type, and
//! takes on the colours of the specializations that use it, until no more arrays can be told apart (colour refinement). Among arrays
//! that are still alike, the one that was made first gets a colour of its own, and the others are told apart by it.

use crate::backend::{Array, CompiledProcedure, Specialization};
use crate::procedure::Procedure;

/// The most uses of arrays to look at. Beyond it, arrays that are alike are ordered by age.
const MOST_WORK: usize = 1 << 20;

/// What a batch calls, in the order of the first calls.
#[derive(Clone, Copy)]
pub(super) struct Calls<'a> {
    pub(super) procedures: &'a [CompiledProcedure],
    pub(super) functions: &'a [&'static Procedure],
    pub(super) list: &'a [Specialization],
    pub(super) arrays: &'a [Array],
}

/// The parts of a batch, in an order that does not depend on the order of its calls.
#[derive(Debug)]
pub(crate) struct Canonical {
    pub(crate) procedures: Vec<CompiledProcedure>,
    /// The same procedures, with their functions.
    pub(crate) functions: Vec<&'static Procedure>,
    /// The specializations. Columns have the places that they have in the batch.
    pub(crate) list: Vec<Specialization>,
    pub(crate) arrays: Vec<Array>,
    /// The number of each array in the batch.
    pub(crate) arrays_in_batch: Vec<usize>,
    /// The number of each specialization, by its number in the batch; empty where both are the same.
    pub(crate) numbers: Vec<u16>,
}

impl Canonical {
    pub(super) fn of(batch: Calls<'_>) -> Canonical {
        let order = order(batch);
        let mut numbers = vec![0; order.len()];
        let (mut procedures, mut arrays) = (Numbers::new(batch.procedures.len()), Numbers::new(batch.arrays.len()));
        let mut list = Vec::with_capacity(order.len());
        for (number, at) in order.iter().enumerate() {
            numbers[*at] = number as u16;
            let Specialization { procedure, arrays: own, columns } = &batch.list[*at];
            list.push(Specialization {
                procedure: procedures.of(*procedure),
                arrays: own.iter().map(|array| arrays.of(*array)).collect(),
                columns: columns.clone(),
            });
        }
        let is_same = order.iter().enumerate().all(|(number, at)| number == *at);
        let is_same = mutant!("batch: transactions keep the numbers of the first calls", is_same, true);
        Canonical {
            procedures: procedures.order.iter().map(|at| batch.procedures[*at]).collect(),
            functions: procedures.order.iter().map(|at| batch.functions[*at]).collect(),
            list,
            arrays: arrays.order.iter().map(|at| batch.arrays[*at].clone()).collect(),
            arrays_in_batch: arrays.order,
            numbers: if is_same { Vec::new() } else { numbers },
        }
    }
}

/// Numbers things in the order in which they are first met.
struct Numbers {
    /// The number of each thing.
    number: Vec<Option<usize>>,
    /// The things by their numbers.
    order: Vec<usize>,
}

impl Numbers {
    fn new(things: usize) -> Numbers {
        Numbers { number: vec![None; things], order: Vec::with_capacity(things) }
    }

    fn of(&mut self, thing: usize) -> usize {
        *self.number[thing].get_or_insert_with(|| {
            self.order.push(thing);
            self.order.len() - 1
        })
    }
}

/// Returns the specializations in canonical order: by procedure, then by arrays.
fn order(batch: Calls<'_>) -> Vec<usize> {
    let mut order: Vec<usize> = (0..batch.list.len()).collect();
    if order.len() > 1 {
        let procedures = procedure_ranks(batch.procedures);
        let arrays = Colours::new(batch, &procedures).ranks();
        order.sort_by_cached_key(|at| {
            let Specialization { procedure, arrays: own, .. } = &batch.list[*at];
            (procedures[*procedure], own.iter().map(|array| arrays[*array]).collect::<Vec<usize>>())
        });
    }
    order
}

/// Returns the rank of each procedure by name and text. Procedures with the same text have the same rank.
fn procedure_ranks(procedures: &[CompiledProcedure]) -> Vec<usize> {
    let key = |at: usize| {
        let spec = procedures[at].spec;
        (spec.module, spec.name, spec.file, spec.line, spec.cuda, spec.checked, spec.max_iterations)
    };
    let mut order: Vec<usize> = (0..procedures.len()).collect();
    order.sort_by_key(|at| key(*at));
    let mut ranks = vec![0; order.len()];
    for pair in order.windows(2) {
        ranks[pair[1]] = ranks[pair[0]] + usize::from(key(pair[0]) != key(pair[1]));
    }
    ranks
}

/// The colours of a batch's arrays. Two arrays of one colour are used alike, as far as is known.
struct Colours<'a> {
    batch: Calls<'a>,
    /// The rank of each procedure.
    procedures: &'a [usize],
    of: Vec<u64>,
    /// The arrays, the oldest first.
    by_age: Vec<usize>,
    /// The arrays, with components of a record next to each other.
    by_record: Vec<usize>,
    /// The uses of arrays that were looked at.
    work: usize,
}

impl<'a> Colours<'a> {
    fn new(batch: Calls<'a>, procedures: &'a [usize]) -> Colours<'a> {
        let arrays = batch.arrays;
        let of_type = |array: &Array| {
            let ty = mix(array.scalar() as u64, array.part() as u64);
            mix(ty, u64::from(array.coverage_log2()))
        };
        let sorted = |key: fn(&Array) -> u64| {
            let mut order: Vec<usize> = (0..arrays.len()).collect();
            order.sort_by_key(|at| key(&arrays[*at]));
            order
        };
        Colours {
            batch,
            procedures,
            of: arrays.iter().map(of_type).collect(),
            by_age: sorted(Array::age),
            by_record: sorted(Array::record),
            work: 0,
        }
    }

    /// Returns the rank of each array: its number in an order without ties.
    fn ranks(mut self) -> Vec<usize> {
        let mut order = self.refined();
        while let Some(tie) = order.windows(2).find(|pair| self.of[pair[0]] == self.of[pair[1]]) {
            if self.work > MOST_WORK {
                break;
            }
            self.of[tie[0]] = mix(self.of[tie[0]], 1);
            order = self.refined();
        }
        let mut ranks = vec![0; order.len()];
        order.into_iter().enumerate().for_each(|(rank, array)| ranks[array] = rank);
        ranks
    }

    /// Refines the colours as long as that tells more arrays apart. Returns the arrays by colour, those of one colour by age.
    fn refined(&mut self) -> Vec<usize> {
        let mut order = self.order();
        loop {
            let before = self.count(&order);
            if before == order.len() || self.work > MOST_WORK {
                return order;
            }
            self.refine();
            order = self.order();
            if self.count(&order) <= before {
                return order;
            }
        }
    }

    fn order(&self) -> Vec<usize> {
        let mut order = self.by_age.clone();
        order.sort_by_key(|at| self.of[*at]);
        order
    }

    /// Returns the number of colours.
    fn count(&self, order: &[usize]) -> usize {
        order.chunk_by(|a, b| self.of[*a] == self.of[*b]).count()
    }

    /// Mixes into the colour of each array those of the arrays beside which it is used, and of its record. Sums do not depend on the
    /// order of the specializations.
    fn refine(&mut self) {
        let mut sums = vec![0_u64; self.of.len()];
        for specialization in self.batch.list {
            let procedure = mix(0, self.procedures[specialization.procedure] as u64);
            let all = specialization.arrays.iter().fold(procedure, |all, array| mix(all, self.of[*array]));
            for (place, array) in specialization.arrays.iter().enumerate() {
                sums[*array] = sums[*array].wrapping_add(mix(all, place as u64));
            }
            self.work += specialization.arrays.len();
        }
        let arrays = self.batch.arrays;
        for record in self.by_record.chunk_by(|a, b| arrays[*a].record() == arrays[*b].record()) {
            let all = record.iter().fold(0_u64, |sum, array| sum.wrapping_add(mix(self.of[*array], sums[*array])));
            record.iter().for_each(|array| sums[*array] = mix(sums[*array], all));
        }
        self.of.iter_mut().zip(&sums).for_each(|(colour, sum)| *colour = mix(*colour, *sum));
        self.work += self.of.len();
    }
}

/// Mixes two numbers into one, so that equal results have equal origins but for rare accidents. These only make ties.
fn mix(sum: u64, part: u64) -> u64 {
    let mixed = (sum.rotate_left(23) ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 29)
}

#[cfg(test)]
#[path = "canonical_tests.rs"]
mod tests;
