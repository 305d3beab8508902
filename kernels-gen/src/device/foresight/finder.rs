//! What follows from arguments, constant arrays and tickets.

use std::collections::{BTreeMap, BTreeSet};

use super::{ADDS, Calls, Known, KnownWrite, grow};
use crate::spec::{ForeseenWrite, Foresight};

/// Finds what is known of a batch.
pub(super) struct Finder<'b> {
    pub(super) batch: &'b Calls<'b>,
    /// By procedure and parameter, the arrays of all calls.
    pub(super) arrays: Vec<Vec<BTreeSet<usize>>>,
}

impl<'b> Finder<'b> {
    pub(super) fn new(batch: &'b Calls<'b>) -> Finder<'b> {
        Finder { batch, arrays: arrays_of_params(batch) }
    }

    pub(super) fn foresight(&self, of: usize) -> Foresight {
        self.batch.procedures[of].facts.flow.foresight.unwrap_or(NOTHING)
    }

    /// Returns the arrays of these parameters that can change.
    fn seen<'s>(&'s self, of: usize, params: &'s [u32]) -> impl Iterator<Item = usize> + 's {
        let arrays = params.iter().flat_map(move |param| self.arrays[of][*param as usize].iter().copied());
        arrays.filter(|array| self.batch.seen[*array])
    }

    /// Returns whether what these arrays decide is known where the tickets are.
    pub(super) fn follows(&self, of: usize, params: &[u32], tickets: &BTreeSet<usize>) -> bool {
        self.seen(of, params).all(|array| tickets.contains(&array))
    }

    /// Returns the procedures that are foreseen, the tickets that some of them need, and the arrays of the second listing.
    pub(super) fn listings(
        &self,
        first: Vec<usize>,
        others: Vec<usize>,
    ) -> (Vec<usize>, BTreeSet<usize>, BTreeSet<usize>) {
        let (second, tickets) = self.second(&first, others);
        let all = [first.as_slice(), &second].concat();
        let late = if second.is_empty() { BTreeSet::new() } else { self.late(&all) };
        if second.is_empty() || !late.is_disjoint(&tickets) {
            return (first, BTreeSet::new(), BTreeSet::new());
        }
        (all, tickets, late)
    }

    /// Returns the procedures whose accesses are known at the second listing, and the tickets that they need.
    fn second(&self, first: &[usize], mut others: Vec<usize>) -> (Vec<usize>, BTreeSet<usize>) {
        loop {
            let foreseen = [first, &others].concat();
            let mut tickets: BTreeSet<usize> =
                others.iter().flat_map(|of| self.seen(*of, self.foresight(*of).accesses)).collect();
            grow(|| {
                let before = tickets.len();
                let writers = foreseen.iter().filter(|of| self.changes(**of, &tickets));
                let doubts = writers.flat_map(|of| self.doubts(*of)).collect::<Vec<usize>>();
                tickets.extend(doubts);
                tickets.len() > before
            });
            let is_bad = |array: &usize| foreseen.iter().any(|of| !self.only_adds(*of, *array));
            let mut bad: BTreeSet<usize> = tickets.iter().copied().filter(is_bad).collect();
            grow(|| {
                let before = bad.len();
                let doubtful = foreseen.iter().filter(|of| self.doubts(**of).any(|array| bad.contains(&array)));
                let added = doubtful.flat_map(|of| self.changed(*of)).filter(|array| tickets.contains(array));
                let added = added.collect::<Vec<usize>>();
                bad.extend(added);
                bad.len() > before
            });
            let before = others.len();
            others.retain(|of| !self.seen(*of, self.foresight(*of).accesses).any(|array| bad.contains(&array)));
            if others.len() == before {
                return (others, tickets);
            }
        }
    }

    /// Returns the arrays that the batch writes and that decide whether a transaction commits.
    fn doubts(&self, of: usize) -> impl Iterator<Item = usize> + '_ {
        self.foresight(of).doubts.iter().flat_map(move |doubt| self.seen(of, doubt.arrays))
    }

    fn changed(&self, of: usize) -> impl Iterator<Item = usize> + '_ {
        self.foresight(of).writes.iter().flat_map(move |write| self.arrays[of][write.param as usize].iter().copied())
    }

    fn changes(&self, of: usize, tickets: &BTreeSet<usize>) -> bool {
        self.changed(of).any(|array| tickets.contains(&array))
    }

    /// Returns whether a procedure writes to an array by additions alone that the first listing resolves.
    fn only_adds(&self, of: usize, array: usize) -> bool {
        let nothing = BTreeSet::new();
        let writes = self.foresight(of).writes.iter();
        let mut writes = writes.filter(|write| self.arrays[of][write.param as usize].contains(&array));
        writes.all(|write| {
            let adds = write.addition.is_some_and(|addition| self.follows(of, addition.arrays, &nothing));
            adds && self.is_immediate(of, write) && self.follows(of, write.address, &nothing)
        })
    }

    /// Returns whether the transaction has not written to the element since it read it: no parameter that it has written is the array in
    /// some call.
    fn is_immediate(&self, of: usize, write: &ForeseenWrite) -> bool {
        let own = &self.arrays[of][write.param as usize];
        let of_addition = write.addition.map(|addition| addition.between);
        let between = of_addition.or(write.piece.map(|piece| piece.between)).unwrap_or_default();
        between.iter().all(|param| self.arrays[of][*param as usize].is_disjoint(own))
    }

    /// Returns the arrays of the second listing: those of which one write has to be there, and all arrays of the same parameters.
    fn late(&self, foreseen: &[usize]) -> BTreeSet<usize> {
        let nothing = BTreeSet::new();
        let mut late = BTreeSet::new();
        for of in foreseen {
            let writes = self.foresight(*of).writes.iter().filter(|write| !self.follows(*of, write.address, &nothing));
            late.extend(writes.flat_map(|write| &self.arrays[*of][write.param as usize]).copied());
        }
        grow(|| {
            let before = late.len();
            for arrays in self.arrays.iter().flatten() {
                if !arrays.is_disjoint(&late) {
                    late.extend(arrays);
                }
            }
            late.len() > before
        });
        late
    }

    /// Returns the parameters with tickets in each call where their elements can change.
    fn tickets(&self, of: usize, tickets: &BTreeSet<usize>) -> Vec<u32> {
        let params = (0_u32..).zip(&self.arrays[of]).filter(|(_, arrays)| !arrays.is_disjoint(tickets));
        params.map(|(param, _)| param).filter(|param| self.follows(of, &[*param], tickets)).collect()
    }

    /// Returns the parameters with such arrays in each call.
    pub(super) fn params_in(&self, of: usize, arrays: &BTreeSet<usize>) -> Vec<u32> {
        let is_in = |(_, own): &(u32, &BTreeSet<usize>)| !own.is_empty() && own.is_subset(arrays);
        (0..).zip(&self.arrays[of]).filter(is_in).map(|(param, _)| param).collect()
    }

    /// Returns the parameters of arrays that decide whether a transaction commits.
    fn decisive(&self, of: usize) -> Vec<u32> {
        let arrays: BTreeSet<usize> = self.doubts(of).collect();
        let params = (0..).zip(&self.arrays[of]).filter(|(_, own)| !own.is_disjoint(&arrays));
        params.map(|(param, _)| param).collect()
    }

    /// Returns, by procedure and parameter, one of these arrays with which it is called.
    pub(super) fn samples(&self, arrays: &BTreeSet<usize>) -> Vec<BTreeMap<u32, usize>> {
        let of_procedure = |params: &Vec<BTreeSet<usize>>| {
            let samples = (0..).zip(params).filter_map(|(param, own)| Some((param, *own.intersection(arrays).next()?)));
            samples.collect()
        };
        self.arrays.iter().map(of_procedure).collect()
    }

    pub(super) fn known(&self, of: usize, tickets: &BTreeSet<usize>, late: &BTreeSet<usize>) -> Known {
        let (foresight, nothing) = (self.foresight(of), BTreeSet::new());
        let from = |arrays: &[u32]| {
            let at_first = self.follows(of, arrays, &nothing);
            if at_first { 0 } else { 2 - u32::from(!tickets.is_empty() && self.follows(of, arrays, tickets)) }
        };
        let open = |listing: u32| {
            let is_open = foresight.doubts.iter().filter(move |doubt| from(doubt.arrays) > listing);
            is_open.map(|doubt| doubt.location).collect::<Vec<u32>>()
        };
        let open = [open(0), open(1)];
        let late_params = self.params_in(of, late);
        let writes: Vec<KnownWrite> = foresight
            .writes
            .iter()
            .map(|write| {
                let listing = u32::from(late_params.contains(&write.param));
                let is_immediate = self.is_immediate(of, write);
                let adds = write.addition.is_some_and(|addition| from(addition.arrays) <= listing);
                let is_piece = is_immediate && write.piece.is_some_and(|piece| from(piece.arrays) <= listing);
                let is_nothing = is_immediate && write.addition.is_some_and(|addition| addition.is_nothing);
                KnownWrite {
                    location: write.location,
                    param: write.param,
                    value: from(write.value),
                    adds,
                    is_immediate,
                    is_nothing,
                    is_resolved: false,
                    piece: is_piece.then_some(ADDS),
                }
            })
            .collect();
        let outcome = open[1].is_empty();
        let gains = from(foresight.accesses) == 1 || open[0] != open[1] || writes.iter().any(|write| write.value == 1);
        Known {
            outcome,
            complete: false,
            is_late: gains,
            unneeded: Vec::new(),
            decisive: self.decisive(of),
            tickets: self.tickets(of, tickets),
            open,
            writes,
        }
    }
}

const NOTHING: Foresight = Foresight { accesses: &[], result: &[], doubts: &[], writes: &[], together: &[] };

/// Returns the arrays of each parameter of each procedure, over all calls.
fn arrays_of_params(batch: &Calls<'_>) -> Vec<Vec<BTreeSet<usize>>> {
    let mut all: Vec<Vec<BTreeSet<usize>>> =
        batch.procedures.iter().map(|spec| vec![BTreeSet::new(); spec.params.len()]).collect();
    for (procedure, arrays) in &batch.calls {
        let params = batch.procedures[*procedure].params.iter().enumerate();
        let params = params.filter(|(_, param)| param.role.array().is_some());
        params.zip(*arrays).for_each(|((param, _), array)| _ = all[*procedure][param].insert(*array));
    }
    all
}
