//! Slices: the reads that can change whether a guard holds or is reached, which value is written, and which result is returned.
//! A second walk finds what decides accesses, values and the outcome besides the arguments, if the transaction commits: arrays, instead of
//! slots. What was written to an array before is a part of it.
//!
//! A slice is an over-approximation. A variable depends on whatever any assignment so far has used, on the enclosing
//! conditions, and on the conditions under which control may have left before. A read depends on every earlier write to its
//! array, because two slots may be one element. The body of a loop, including nested loops, is walked until nothing is added.

use std::collections::{BTreeMap, HashMap};

use super::facts::{GuardFact, OwnedSources};
use super::pieces::{Key, PieceCode};
use super::slots::Slots;
use crate::ir::flat::{Atom, Block, ForStmt, LoopStmt, Rvalue, Stmt, StmtKind, Transaction};
use crate::ir::{Arith, ArrayId, LocationId, LoopId, Overflow, VarId};

type SlotOf = BTreeMap<(LocationId, ArrayId), u32>;

/// The slices of a transaction.
pub(super) struct Slices {
    pub(super) guards: Vec<GuardFact>,
    /// For each slot that is written, the reads that its new values depend on, and whether it is written at all.
    pub(super) written: BTreeMap<u32, OwnedSources>,
    pub(super) result: OwnedSources,
}

pub(super) fn find(tx: &Transaction, slot_of: &SlotOf, slots: usize) -> Slices {
    let slicer = walk(tx, slot_of, slots, None);
    let guard = |(location, reads): (&LocationId, &Slots)| GuardFact {
        location: *location,
        reads: slicer.sources(reads).slots,
    };
    Slices {
        guards: slicer.guards.iter().map(guard).collect(),
        written: slicer.written.iter().map(|(slot, reads)| (*slot, slicer.sources(reads))).collect(),
        result: slicer.sources(&slicer.result),
    }
}

/// What a transaction depends on besides its arguments, if it commits. The sets are of arrays.
pub(super) struct Decisive {
    /// Of what decides which elements are accessed.
    pub(super) accesses: Slots,
    /// Of what decides the result.
    pub(super) result: Slots,
    /// By location: of what decides whether the attempt ends there.
    pub(super) doubts: BTreeMap<LocationId, Slots>,
    /// By location and array: of what decides whether an element is written, and which one; of what decides the value; and of what decides
    /// the inputs, where it is a piece.
    pub(super) writes: BTreeMap<Key, [Slots; 3]>,
}

/// Finds what decides. A transaction that ends early accesses a part of what it would access otherwise.
pub(super) fn decisive(tx: &Transaction, pieces: &BTreeMap<Key, PieceCode>) -> Decisive {
    let Slicer { accesses, result, doubts, writes, .. } = walk(tx, &SlotOf::new(), 0, Some(pieces));
    Decisive { accesses, result, doubts, writes }
}

fn walk<'a>(
    tx: &Transaction,
    slot_of: &'a SlotOf,
    slots: usize,
    committing: Option<&'a BTreeMap<Key, PieceCode>>,
) -> Slicer<'a> {
    let mut slicer = Slicer {
        slot_of,
        elsewhere: slots as u32,
        pieces: committing,
        wraps: tx.options.overflow == Overflow::Wrap,
        vars: HashMap::new(),
        arrays: HashMap::new(),
        left: Slots::default(),
        blocks: Vec::new(),
        guards: BTreeMap::new(),
        written: BTreeMap::new(),
        result: Slots::default(),
        accesses: Slots::default(),
        doubts: BTreeMap::new(),
        writes: BTreeMap::new(),
        grown: 0,
        looping: false,
    };
    slicer.block(&tx.body, &Slots::default());
    slicer
}

/// Returns whether a value faults by overflow alone.
fn wraps(value: &Rvalue) -> bool {
    match value {
        Rvalue::Unary(..) => true,
        Rvalue::Arith(op, ..) => !matches!(op, Arith::Div | Arith::Rem),
        _ => false,
    }
}

struct Slicer<'a> {
    slot_of: &'a SlotOf,
    /// Stands for the reads in loops, which have no slots.
    elsewhere: u32,
    /// The pieces, if only attempts count that commit: then a statement that ends others decides nothing. The sets are of arrays then.
    pieces: Option<&'a BTreeMap<Key, PieceCode>>,
    /// Whether an overflow is no fault.
    wraps: bool,
    vars: HashMap<VarId, Slots>,
    /// What the values written to an array depend on.
    arrays: HashMap<ArrayId, Slots>,
    /// The slots that decide whether control has left already.
    left: Slots,
    /// The enclosing labelled blocks, innermost last.
    blocks: Vec<Labelled>,
    guards: BTreeMap<LocationId, Slots>,
    /// By slot.
    written: BTreeMap<u32, Slots>,
    result: Slots,
    /// What decides which elements are accessed.
    accesses: Slots,
    /// What decides whether an attempt ends at each location.
    doubts: BTreeMap<LocationId, Slots>,
    /// What decides where each write writes, and its value.
    writes: BTreeMap<Key, [Slots; 3]>,
    /// The number of times that a set grew, without the sets of labelled blocks.
    grown: usize,
    /// Whether a loop encloses the current statement.
    looping: bool,
}

/// A labelled block that control is in.
struct Labelled {
    id: LoopId,
    /// The slots that decide whether control has left the block; after the block control is back.
    left: Slots,
    grown: usize,
}

impl Slicer<'_> {
    fn block(&mut self, block: &Block, around: &Slots) {
        block.iter().for_each(|stmt| self.stmt(stmt, around));
    }

    /// Walks a statement. `around`: what the enclosing conditions depend on.
    fn stmt(&mut self, stmt: &Stmt, around: &Slots) {
        self.foresee(stmt, around);
        match &stmt.what {
            // A transaction does not wait by faulting, and Rust reaches what comes after as if the fault were not there.
            StmtKind::Declare { .. } | StmtKind::FaultIf { .. } | StmtKind::Print { .. } => {}
            StmtKind::Let { var, .. } | StmtKind::Assign { var, .. } | StmtKind::AssignElement { array: var, .. } => {
                let slots = self.used(stmt);
                self.grow(*var, &slots, around);
            }
            StmtKind::Read { var, array, location, .. } => {
                let slots = self.read(stmt, *array, *location);
                self.grow(*var, &slots, around);
            }
            StmtKind::Write { array, location, .. } => {
                let slots = self.used(stmt).or(&self.context(around));
                self.grown += usize::from(self.arrays.entry(*array).or_default().grow(&slots));
                if let Some(slot) = self.slot_of.get(&(*location, *array)) {
                    self.written.entry(*slot).or_default().grow(&slots);
                }
            }
            StmtKind::Guard { location, .. } => {
                let slots = self.used(stmt).or(&self.context(around));
                self.grown += usize::from(self.guards.entry(*location).or_default().grow(&slots));
            }
            StmtKind::Break(id) => match self.blocks.iter_mut().rfind(|block| block.id == *id) {
                Some(block) => block.grown += usize::from(block.left.grow(around)),
                None => self.leave(around),
            },
            StmtKind::Return(values) => {
                if !values.is_empty() {
                    let slots = self.used(stmt).or(&self.context(around));
                    self.result.grow(&slots);
                }
                self.leave(around);
            }
            StmtKind::Reject { .. } | StmtKind::Fault { .. } if self.pieces.is_some() => {}
            StmtKind::Reject { .. } | StmtKind::Fault { .. } | StmtKind::Continue(_) => {
                self.leave(around);
            }
            StmtKind::Block { id, body } => {
                self.blocks.push(Labelled { id: *id, left: Slots::default(), grown: 0 });
                self.block(body, around);
                self.blocks.pop();
            }
            StmtKind::If { then, other, .. } => {
                let inner = around.or(&self.used(stmt));
                self.block(then, &inner);
                self.block(other, &inner);
            }
            StmtKind::Loop(_) | StmtKind::For(_) => self.looped(stmt, around),
        }
    }

    fn looped(&mut self, stmt: &Stmt, around: &Slots) {
        match &stmt.what {
            StmtKind::Loop(LoopStmt { head, body, location, .. }) => self.repeat(|this| {
                this.block(head, around);
                let inner = around.or(&this.used(stmt));
                this.doubt(stmt, *location, around);
                this.block(head, &inner);
                this.block(body, &inner);
            }),
            StmtKind::For(ForStmt { var, body, location, .. }) => {
                let inner = around.or(&self.used(stmt));
                self.repeat(|this| {
                    this.doubt(stmt, *location, around);
                    this.grow(*var, &inner, around);
                    this.block(body, &inner);
                });
            }
            _ => {}
        }
    }

    /// Takes what a statement says of accesses, written values and doubts.
    fn foresee(&mut self, stmt: &Stmt, around: &Slots) {
        match &stmt.what {
            StmtKind::Read { index, location, .. } => _ = self.access(index, *location, around),
            StmtKind::Write { array, index, value, location } => {
                let piece = self.pieces.and_then(|pieces| pieces.get(&(*location, *array)));
                let inputs = piece.map(|piece| self.values(&piece.inputs)).unwrap_or_default();
                let found = [self.access(index, *location, around), self.value(value), inputs];
                let known = self.writes.entry((*location, *array)).or_default();
                known.iter_mut().zip(&found).for_each(|(known, found)| self.grown += usize::from(known.grow(found)));
            }
            StmtKind::FaultIf { checked: true, .. } if self.wraps => {}
            StmtKind::Let { value, .. } if self.wraps && wraps(value) => {}
            StmtKind::Let { value, .. } => {
                if let Some(location) = value.location() {
                    self.doubt(stmt, location, around);
                }
            }
            StmtKind::Guard { location, .. }
            | StmtKind::Reject { location, .. }
            | StmtKind::Fault { location, .. }
            | StmtKind::FaultIf { location, .. }
            | StmtKind::AssignElement { location, .. } => self.doubt(stmt, *location, around),
            _ => {}
        }
    }

    /// Takes an access, which ends the attempt where there is no such element. Returns what decides about it.
    fn access(&mut self, index: &Atom, location: LocationId, around: &Slots) -> Slots {
        let slots = self.value(index).or(&self.context(around));
        self.grown += usize::from(self.accesses.grow(&slots));
        self.grown += usize::from(self.doubts.entry(location).or_default().grow(&slots));
        slots
    }

    fn doubt(&mut self, stmt: &Stmt, location: LocationId, around: &Slots) {
        let slots = self.used(stmt).or(&self.context(around));
        self.grown += usize::from(self.doubts.entry(location).or_default().grow(&slots));
    }

    /// Returns what a value depends on.
    fn value(&self, atom: &Atom) -> Slots {
        self.values(&Rvalue::Use(atom.clone()).uses())
    }

    fn values(&self, vars: &[VarId]) -> Slots {
        vars.iter().filter_map(|var| self.vars.get(var)).fold(Slots::default(), |a, b| a.or(b))
    }

    /// Returns what a value read from an array depends on.
    fn read(&self, stmt: &Stmt, array: ArrayId, location: LocationId) -> Slots {
        if self.pieces.is_some() {
            return self.used(stmt).or(&Slots::one(array.0));
        }
        let slot = self.slot_of.get(&(location, array)).copied().unwrap_or(self.elsewhere);
        let slots = self.used(stmt).or(&Slots::one(slot));
        match self.arrays.get(&array) {
            Some(written) => slots.or(written),
            None => slots,
        }
    }

    /// Walks a loop until nothing is added. Each walk passes nested loops once: the next walk of the outermost loop sees what they
    /// add. Walking nested loops to their own fixed point would double the time with each level.
    fn repeat(&mut self, mut walk: impl FnMut(&mut Self)) {
        if self.looping {
            return walk(self);
        }
        self.looping = true;
        // A block inside begins anew in each walk, so only the enclosing ones count.
        let around = self.blocks.len();
        let size = |this: &Self| this.grown + this.blocks[..around].iter().map(|block| block.grown).sum::<usize>();
        loop {
            let before = size(self);
            walk(self);
            if size(self) == before {
                break;
            }
        }
        self.looping = false;
    }

    fn sources(&self, reads: &Slots) -> OwnedSources {
        let mut slots = reads.list();
        let in_loops = slots.pop_if(|last| *last == self.elsewhere).is_some();
        OwnedSources { slots, in_loops }
    }

    fn leave(&mut self, around: &Slots) {
        self.grown += usize::from(self.left.grow(around));
    }

    fn context(&self, around: &Slots) -> Slots {
        self.blocks.iter().fold(around.or(&self.left), |all, block| all.or(&block.left))
    }

    fn grow(&mut self, var: VarId, slots: &Slots, around: &Slots) {
        let slots = slots.or(&self.context(around));
        self.grown += usize::from(self.vars.entry(var).or_default().grow(&slots));
    }

    /// Returns what the variables that a statement uses depend on.
    fn used(&self, stmt: &Stmt) -> Slots {
        let known = |var: VarId| self.vars.get(&var).cloned().unwrap_or_default();
        stmt.uses().into_iter().fold(Slots::default(), |all, var| all.or(&known(var)))
    }
}
