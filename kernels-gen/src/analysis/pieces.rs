//! Pieces: writes whose new value follows from what a read of the element has found, and from a few values besides that do not depend on it.
//!
//! The statements between the read and the write that compute the value are taken out. So the pieces of all transactions can be run element
//! by element, without the rest of the transactions (transaction chopping: Shasha et al., TODS 1995).

use std::collections::{BTreeMap, BTreeSet};

use super::flow::{Access, Flow};
use super::slots::Slots;
use crate::ir::flat::{Atom, Block, Rvalue, Stmt, StmtKind, Transaction, walk};
use crate::ir::{ArrayId, LocationId, LoopId, VarId};

/// The bytes of all inputs together: a version has room for one word.
const MOST_INPUTS: usize = 8;

/// How the new value of an element follows from the old one.
#[derive(Debug, Clone, PartialEq)]
pub struct PieceCode {
    /// What the element held.
    pub old: VarId,
    /// The other values that it needs. They are there at the write, too.
    pub inputs: Vec<VarId>,
    /// The statements that compute the new value, and that value.
    pub body: Block,
    /// The new value.
    pub value: Atom,
    /// The arrays that are written between the read and the write.
    pub between: Vec<u32>,
}

/// A location, and the array to which it writes.
pub(crate) type Key = (LocationId, ArrayId);

/// Finds the writes that are pieces, but for those to leave out.
pub(super) fn find(tx: &Transaction, flow: &Flow, is_left: impl Fn(&Key) -> bool) -> BTreeMap<Key, PieceCode> {
    let mut found = BTreeMap::new();
    each_write(&tx.body, &mut Vec::new(), &mut |before, key, value| {
        let piece = sources(flow, key).and_then(|(read, between)| Slice::of(tx, before, (read, key.1), value, between));
        // What is written at several places has several pieces.
        let is_new = !found.contains_key(&key);
        found.insert(key, piece.filter(|_| is_new));
    });
    found.into_iter().filter(|(key, _)| !is_left(key)).filter_map(|(key, piece)| Some((key, piece?))).collect()
}

/// A statement before a write.
#[derive(Clone, Copy)]
enum Before<'a> {
    /// It runs before.
    Whole(&'a Stmt),
    /// The write is in one of its blocks, which runs at most once.
    Around(&'a Stmt),
}

impl<'a> Before<'a> {
    fn whole(&self) -> Option<&'a Stmt> {
        match *self {
            Before::Whole(stmt) => Some(stmt),
            Before::Around(_) => None,
        }
    }
}

/// Calls `visit` for every write, with the statements before it, up to the loop that it is in.
fn each_write<'a>(
    block: &'a Block,
    before: &mut Vec<Before<'a>>,
    visit: &mut impl FnMut(&[Before<'a>], Key, &'a Atom),
) {
    let outside = before.len();
    for stmt in block {
        if let StmtKind::Write { array, value, location, .. } = &stmt.what {
            visit(before, (*location, *array), value);
        }
        if matches!(stmt.what, StmtKind::If { .. } | StmtKind::Block { .. }) {
            before.push(Before::Around(stmt));
            stmt.blocks().into_iter().for_each(|inner| each_write(inner, before, visit));
            before.pop();
        } else {
            stmt.blocks().into_iter().for_each(|inner| each_write(inner, &mut Vec::new(), visit));
        }
        before.push(Before::Whole(stmt));
    }
    before.truncate(outside);
}

/// Returns the location of the last read of the element before a write, and the arrays that are written between them.
fn sources(flow: &Flow, (location, array): Key) -> Option<(LocationId, Vec<u32>)> {
    let only = |location: LocationId, write: bool| {
        let is_it = |access: &Access| access.location == location && access.element.0 == array && access.write == write;
        let mut all = flow.accesses.iter().enumerate().filter(|(_, access)| is_it(access));
        all.next().filter(|_| all.next().is_none())
    };
    let (number, write) = only(location, true)?;
    let read = flow.accesses[..number].iter().rfind(|access| !access.write && access.element == write.element)?;
    let (first, _) = only(read.location, false)?;
    let between = flow.accesses[first..number].iter().filter(|between| between.write);
    let between = between.fold(Slots::default(), |all, between| all.or(&Slots::one(between.element.0.0)));
    Some((read.location, between.list()))
}

/// The statements that compute a value, found from the last one on.
struct Slice {
    /// The variables that depend on what the element held.
    dependent: BTreeSet<VarId>,
    /// Those of them that the statements so far need.
    needed: BTreeSet<VarId>,
    /// The others that they need.
    inputs: BTreeSet<VarId>,
    /// The variables that change after the present statement.
    changed: BTreeSet<VarId>,
    body: Block,
}

impl Slice {
    fn of(tx: &Transaction, before: &[Before<'_>], read: Key, value: &Atom, between: Vec<u32>) -> Option<PieceCode> {
        let is_read = |before: &Before<'_>| match before.whole()?.what {
            StmtKind::Read { var, array, location, .. } if (location, array) == read => Some(var),
            _ => None,
        };
        let (first, old) = before.iter().enumerate().rev().find_map(|(at, stmt)| Some((at, is_read(stmt)?)))?;
        let mut slice = Slice {
            dependent: dependent(&before[first + 1..], old),
            needed: BTreeSet::new(),
            inputs: BTreeSet::new(),
            changed: BTreeSet::new(),
            body: Block::new(),
        };
        slice.need(&Rvalue::Use(value.clone()).uses())?;
        if slice.needed.is_empty() {
            return None;
        }
        before[first + 1..].iter().rev().try_for_each(|before| match before {
            Before::Whole(stmt) => slice.pass(stmt),
            // Whether it writes must not depend on the old value.
            Before::Around(stmt) => slice.dependent.is_disjoint(&BTreeSet::from_iter(stmt.uses())).then_some(()),
        })?;
        slice.needed.remove(&old);
        let size = |var: &VarId| if tx.var(*var).length.is_some() { usize::MAX } else { tx.var(*var).scalar.size() };
        let bytes = slice.inputs.iter().map(size).fold(0, usize::saturating_add);
        if !slice.needed.is_empty() || bytes > MOST_INPUTS || tx.var(old).scalar.size() > MOST_INPUTS {
            return None;
        }
        slice.body.reverse();
        slice.declare_all()?;
        let inputs = slice.inputs.into_iter().collect();
        Some(PieceCode { old, inputs, body: slice.body, value: value.clone(), between })
    }

    /// Declares the variables that are declared before the read. Returns `None` if an input changes.
    fn declare_all(&mut self) -> Option<()> {
        let Some(at) = self.body.first().map(|stmt| stmt.at) else { return Some(()) };
        let declared: BTreeSet<VarId> = self.body.iter().flat_map(declared_in).collect();
        let set: BTreeSet<VarId> = self.body.iter().flat_map(set_by).collect();
        let others = set.difference(&declared).map(|var| Stmt { what: StmtKind::Declare { var: *var }, at });
        self.body.splice(..0, others.collect::<Vec<_>>());
        self.inputs.is_disjoint(&set).then_some(())
    }

    /// Notes that a statement needs these variables. Returns `None` if one of them has changed since.
    fn need(&mut self, vars: &[VarId]) -> Option<()> {
        for var in vars {
            match self.dependent.contains(var) {
                true => _ = self.needed.insert(*var),
                false if self.changed.contains(var) => return None,
                false => _ = self.inputs.insert(*var),
            }
        }
        Some(())
    }

    /// Takes a statement if it computes what is needed. Returns `None` if it does more than that.
    fn pass(&mut self, stmt: &Stmt) -> Option<()> {
        let set = set_by(stmt);
        if set.is_disjoint(&self.needed) {
            self.changed.extend(set);
            return Some(());
        }
        let declared = declared_in(stmt);
        if !computes_alone(stmt, &mut Vec::new()) {
            return None;
        }
        self.changed.extend(set);
        if let StmtKind::Let { var, .. } | StmtKind::Declare { var } | StmtKind::Assign { var, .. } = stmt.what {
            // What it was before does not matter.
            self.needed.remove(&var);
        }
        self.body.push(stmt.clone());
        let mut uses = Vec::new();
        walk::each(std::slice::from_ref(stmt), &mut |inner| uses.extend(inner.uses()));
        if let StmtKind::AssignElement { array, .. } = stmt.what {
            uses.push(array);
        }
        uses.retain(|var| !declared.contains(var));
        self.need(&uses)
    }
}

/// Returns the variables that depend on one, after these statements.
fn dependent(block: &[Before<'_>], old: VarId) -> BTreeSet<VarId> {
    let mut all = BTreeSet::from([old]);
    let block: Vec<&Stmt> = block.iter().filter_map(Before::whole).collect();
    loop {
        let before = all.len();
        for stmt in &block {
            let mut uses = Vec::new();
            walk::each(std::slice::from_ref(*stmt), &mut |inner| uses.extend(inner.uses()));
            if uses.iter().any(|var| all.contains(var)) {
                all.extend(set_by(stmt));
            }
        }
        if all.len() == before {
            return all;
        }
    }
}

/// Returns the variables to which a statement, or one inside of it, gives a value or a declaration.
fn set_by(stmt: &Stmt) -> BTreeSet<VarId> {
    let mut set = declared_in(stmt);
    walk::each(std::slice::from_ref(stmt), &mut |inner| {
        if let StmtKind::Assign { var, .. } | StmtKind::AssignElement { array: var, .. } = inner.what {
            set.insert(var);
        }
    });
    set
}

/// Returns the variables that a statement declares, or one inside of it.
fn declared_in(stmt: &Stmt) -> BTreeSet<VarId> {
    let mut declared = BTreeSet::new();
    walk::each(std::slice::from_ref(stmt), &mut |inner| match &inner.what {
        StmtKind::Declare { var } | StmtKind::Let { var, .. } | StmtKind::Read { var, .. } => _ = declared.insert(*var),
        StmtKind::For(what) => declared.extend([what.var, what.counter]),
        _ => {}
    });
    declared
}

/// Returns whether a statement changes variables and does nothing else. `blocks`: the labelled blocks around it.
fn computes_alone(stmt: &Stmt, blocks: &mut Vec<LoopId>) -> bool {
    match &stmt.what {
        StmtKind::Let { value, .. } => !matches!(value, Rvalue::Length(_)),
        StmtKind::Declare { .. } | StmtKind::Assign { .. } | StmtKind::AssignElement { .. } => true,
        StmtKind::FaultIf { .. } => true,
        StmtKind::If { then, other, .. } => then.iter().chain(other).all(|stmt| computes_alone(stmt, blocks)),
        StmtKind::Block { id, body } => {
            blocks.push(*id);
            let alone = body.iter().all(|stmt| computes_alone(stmt, blocks));
            blocks.pop();
            alone
        }
        StmtKind::Break(id) => blocks.contains(id),
        _ => false,
    }
}
