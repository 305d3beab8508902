//! The slice of each guard: the reads that can change whether it holds or is reached.
//!
//! An over-approximation: a variable depends on whatever any assignment so far has used, on the conditions around it,
//! and on the conditions under which control may have left before. A read depends on every write to its region so far,
//! because two slots may be one element. The body of a loop is walked until nothing is added.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::GuardFact;
use crate::ir::{Atom, Block, LoopId, RegionId, SiteId, Stmt, StmtKind, Transaction, VarId, walk};

type Slots = BTreeSet<u32>;
type SlotOf = BTreeMap<(SiteId, RegionId), u32>;

pub(crate) fn find(tx: &Transaction, slot_of: &SlotOf) -> Vec<GuardFact> {
    let mut slicer = Slicer {
        slot_of,
        vars: BTreeMap::new(),
        regions: BTreeMap::new(),
        left: Slots::new(),
        left_blocks: BTreeMap::new(),
        blocks: blocks(&tx.body),
        guards: BTreeMap::new(),
    };
    slicer.block(&tx.body, &Slots::new());
    let fact = |(site, reads): (SiteId, Slots)| GuardFact { site, reads: reads.into_iter().collect() };
    slicer.guards.into_iter().map(fact).collect()
}

struct Slicer<'a> {
    slot_of: &'a SlotOf,
    vars: BTreeMap<VarId, Slots>,
    /// What the values written to a region depend on.
    regions: BTreeMap<RegionId, Slots>,
    /// What it depends on whether control has left already.
    left: Slots,
    /// The same for labelled blocks that control is in: behind the block it is there again.
    left_blocks: BTreeMap<LoopId, Slots>,
    blocks: BTreeSet<LoopId>,
    guards: BTreeMap<SiteId, Slots>,
}

impl Slicer<'_> {
    /// Grows until nothing is added: sets never shrink.
    fn size(&self) -> usize {
        let sets = self.vars.values().chain(self.regions.values()).chain(self.guards.values());
        let sets = sets.chain(self.left_blocks.values());
        sets.map(BTreeSet::len).sum::<usize>() + self.left.len() + self.guards.len()
    }

    fn block(&mut self, block: &Block, around: &Slots) {
        block.iter().for_each(|stmt| self.stmt(stmt, around));
    }

    /// `around`: what the conditions around the statement depend on.
    fn stmt(&mut self, stmt: &Stmt, around: &Slots) {
        match &stmt.what {
            // A fault is no way to wait, and what comes after it in Rust is reached as if it were not there.
            StmtKind::Declare { .. } | StmtKind::FaultIf { .. } | StmtKind::Print { .. } => {}
            // Not in the flat stage.
            StmtKind::Call { .. } => {}
            StmtKind::Let { var, value } => {
                let slots = value.atoms().into_iter().flat_map(|a| self.atom(a)).collect();
                self.grow(*var, slots, around);
            }
            StmtKind::Assign { var, .. } => {
                let slots = stmt.atoms().into_iter().flat_map(|a| self.atom(a)).collect();
                self.grow(*var, slots, around);
            }
            StmtKind::Read { var, region, index, site, .. } => {
                let mut slots = self.atom(index);
                slots.extend(self.slot_of.get(&(*site, *region)));
                slots.extend(self.regions.get(region).into_iter().flatten());
                self.grow(*var, slots, around);
            }
            StmtKind::Write { region, index, value, .. } => {
                let slots = &(&self.atom(index) | &self.atom(value)) | &self.context(around);
                self.regions.entry(*region).or_default().extend(slots);
            }
            StmtKind::Guard { condition, site } => {
                let slots = &self.atom(condition) | &self.context(around);
                self.guards.entry(*site).or_default().extend(slots);
            }
            StmtKind::Break(id) if self.blocks.contains(id) => {
                self.left_blocks.entry(*id).or_default().extend(around);
            }
            StmtKind::Return(_)
            | StmtKind::Reject { .. }
            | StmtKind::Fault { .. }
            | StmtKind::Break(_)
            | StmtKind::Continue(_) => self.left.extend(around),
            StmtKind::Block { id, body } => {
                self.block(body, around);
                self.left_blocks.remove(id);
            }
            StmtKind::If { condition, then, other } => {
                let inner = around | &self.atom(condition);
                self.block(then, &inner);
                self.block(other, &inner);
            }
            StmtKind::Loop { head, condition, body, .. } => {
                self.repeat(|this| {
                    this.block(head, around);
                    let inner = match condition {
                        Some(condition) => around | &this.atom(condition),
                        None => around.clone(),
                    };
                    this.block(head, &inner);
                    this.block(body, &inner);
                });
            }
            StmtKind::For { var, body, .. } => {
                let range = stmt.atoms().into_iter().flat_map(|a| self.atom(a)).collect();
                let inner = around | &range;
                self.repeat(|this| {
                    this.grow(*var, inner.clone(), around);
                    this.block(body, &inner);
                });
            }
        }
    }

    fn repeat(&mut self, mut walk: impl FnMut(&mut Self)) {
        loop {
            let before = self.size();
            walk(self);
            if self.size() == before {
                return;
            }
        }
    }

    fn context(&self, around: &Slots) -> Slots {
        let left = around | &self.left;
        self.left_blocks.values().fold(left, |all, left| &all | left)
    }

    fn grow(&mut self, var: VarId, slots: Slots, around: &Slots) {
        let context = self.context(around);
        let known = self.vars.entry(var).or_default();
        known.extend(slots);
        known.extend(context);
    }

    fn atom(&self, atom: &Atom) -> Slots {
        match atom {
            Atom::Var(var) => self.vars.get(var).cloned().unwrap_or_default(),
            _ => Slots::new(),
        }
    }
}

/// The labelled blocks.
fn blocks(body: &Block) -> BTreeSet<LoopId> {
    let mut found = BTreeSet::new();
    walk::each(body, &mut |stmt| {
        if let StmtKind::Block { id, .. } = &stmt.what {
            found.insert(*id);
        }
    });
    found
}
