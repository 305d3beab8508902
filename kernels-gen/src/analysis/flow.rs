//! One pass over the control flow: the value of each index, and what has certainly happened before each access.
//!
//! "Certainly" is decided by structure alone. What both branches of an `if` did has happened; what a loop did has not,
//! because the loop may run zero times. A loop variable gets a new value number at the head of the loop and another one
//! after it, so a number denotes one value as long as its loops do not iterate. After a labelled block, a fact
//! holds if it holds on every way out of the block.

use std::collections::{BTreeSet, HashMap};

use super::path::{Changes, Fact, Path, Way, meet};
use super::values::{Element, Node, ValueId, Values};
use crate::ir::flat::{Atom, Block, ForStmt, LoopStmt, Rvalue, Stmt, StmtKind, Transaction, walk};
use crate::ir::{ArrayId, LocationId, LoopId, Range, VarId};

/// One read or write in the source.
#[derive(Debug)]
pub(crate) struct Access {
    pub(crate) location: LocationId,
    pub(crate) at: crate::ir::PositionId,
    pub(crate) element: Element,
    /// The index before casts are looked through.
    pub(crate) index: ValueId,
    pub(crate) write: bool,
    pub(crate) in_loop: bool,
    /// Whether the element was certainly read before.
    pub(crate) read_before: bool,
    /// Whether the element was certainly written before.
    pub(crate) written_before: bool,
}

/// The result of the pass.
pub(crate) struct Flow {
    pub(crate) values: Values,
    pub(crate) accesses: Vec<Access>,
    /// The elements that every commit has accessed outside of loops.
    pub(crate) always: BTreeSet<Element>,
    /// The upper bound on the iterations of each loop, where it is a constant.
    pub(crate) trips: HashMap<LoopId, u64>,
}

pub(crate) fn trace(tx: &Transaction) -> Flow {
    let mut tracer = Tracer {
        tx,
        values: Values::default(),
        accesses: Vec::new(),
        trips: HashMap::new(),
        loops: Vec::new(),
        path: Path::default(),
        ways: Vec::new(),
    };
    tracer.ways.push(Way::begin(&tracer.path, None));
    for (k, param) in tx.params.iter().enumerate() {
        if !param.is_array() {
            let var = VarId(k as u32);
            let value = tracer.values.number(Node::Param(var));
            tracer.set(var, value);
        }
    }
    tracer.block(&tx.body);
    let exits = tracer.ways.swap_remove(0).met.unwrap_or_default();
    let outside = |(fact, known): (&Fact, &Option<ValueId>)| match fact {
        Fact::Outside(element) => known.map(|_| *element),
        _ => None,
    };
    let always = exits.iter().filter_map(outside).collect();
    Flow { values: tracer.values, accesses: tracer.accesses, always, trips: tracer.trips }
}

struct Tracer<'a> {
    tx: &'a Transaction,
    values: Values,
    accesses: Vec<Access>,
    trips: HashMap<LoopId, u64>,
    loops: Vec<LoopId>,
    path: Path,
    /// The ways out of the function and of the enclosing labelled blocks, innermost last.
    ways: Vec<Way>,
}

impl Tracer<'_> {
    fn block(&mut self, block: &Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.what {
            StmtKind::Declare { .. } | StmtKind::Guard { .. } | StmtKind::FaultIf { .. } | StmtKind::Print { .. } => {}
            StmtKind::Let { var, value } => {
                let value = self.rvalue(value, *var);
                self.set(*var, value);
            }
            StmtKind::Assign { var, value } => {
                let value = self.atom(value);
                self.set(*var, value);
            }
            StmtKind::AssignElement { array, .. } => {
                // An array with a changed element is a new value.
                let value = self.values.opaque(&self.loops);
                self.set(*array, value);
            }
            StmtKind::Read { var, array, index, location } => {
                self.access(stmt, *array, index, *location, false);
                let value = self.values.opaque(&self.loops);
                self.set(*var, value);
            }
            StmtKind::Write { array, index, location, .. } => self.access(stmt, *array, index, *location, true),
            StmtKind::If { then, other, .. } => self.branches(then, other),
            StmtKind::Loop(LoopStmt { id, head, condition, body, .. }) => {
                self.repeat(*id, stmt, None, |this| {
                    this.block(head);
                    this.block(body);
                });
                self.path.ended |= condition.is_none() && !breaks(body, *id);
            }
            StmtKind::For(ForStmt { id, var, range, body, .. }) => {
                if let Some(trips) = self.trip_count(range) {
                    self.trips.insert(*id, trips);
                }
                self.repeat(*id, stmt, Some(*var), |this| this.block(body));
            }
            StmtKind::Return(_) => self.leave(None),
            StmtKind::Block { id, body } => {
                self.ways.push(Way::begin(&self.path, Some(*id)));
                self.block(body);
                if let Some(way) = self.ways.pop() {
                    self.behind(way);
                }
            }
            StmtKind::Break(id) => self.leave(Some(*id)),
            StmtKind::Reject { .. } | StmtKind::Fault { .. } | StmtKind::Continue(_) => self.path.ended = true,
        }
    }

    /// Leaves a labelled block, or the function. Loops need no such record: after a loop, everything that changes in it is
    /// forgotten.
    fn leave(&mut self, block: Option<LoopId>) {
        let way = self.ways.iter_mut().rfind(|way| way.block == block);
        if let Some(way) = way.filter(|_| !self.path.ended) {
            way.leave(&self.path, &mut self.values, &self.loops);
        }
        self.path.ended = true;
    }

    /// Walks two branches from this point; control takes one of them.
    fn branches(&mut self, then: &Block, other: &Block) {
        let (mark, ended) = (self.path.mark(), self.path.ended);
        self.block(then);
        let first = self.back_to(mark, ended);
        self.block(other);
        let second = self.back_to(mark, ended);
        match (first, second) {
            (None, None) => self.path.ended = true,
            (Some(changes), None) | (None, Some(changes)) => {
                changes.into_iter().for_each(|(fact, (_, now))| self.path.put(fact, now));
            }
            (Some(first), Some(second)) => self.both(&first, &second),
        }
    }

    /// Goes back to a point. Returns what changed since, if control reached this point.
    fn back_to(&mut self, mark: usize, ended: bool) -> Option<Changes> {
        let changes = (!self.path.ended).then(|| self.path.changes(mark));
        self.path.back_to(mark);
        self.path.ended = ended;
        changes
    }

    /// Keeps what holds after two branches that join here.
    fn both(&mut self, first: &Changes, second: &Changes) {
        let facts: BTreeSet<Fact> = first.keys().chain(second.keys()).copied().collect();
        for fact in facts {
            // A fact that one branch does not change is as the other branch found it.
            let (a, b) = match (first.get(&fact), second.get(&fact)) {
                (Some((_, a)), Some((_, b))) => (*a, *b),
                (Some((before, now)), None) | (None, Some((before, now))) => (*before, *now),
                (None, None) => continue,
            };
            let known = meet(fact, a, b, || self.values.opaque(&self.loops));
            self.path.put(fact, known);
        }
    }

    /// Keeps what holds after a labelled block.
    fn behind(&mut self, way: Way) {
        let Some(broken) = way.met else { return };
        let broken: Vec<(Fact, Option<ValueId>)> =
            broken.into_iter().map(|(fact, known)| (fact, self.leave_loops(fact, known))).collect();
        if self.path.ended {
            self.path.back_to(way.mark);
            self.path.ended = false;
            broken.into_iter().for_each(|(fact, known)| self.path.put(fact, known));
            return;
        }
        let mut before = self.path.changes(way.mark);
        let mut behind = Vec::new();
        for (fact, known) in broken {
            before.remove(&fact);
            let known = meet(fact, known, self.path.known(fact), || self.values.opaque(&self.loops));
            behind.push((fact, known));
        }
        for (fact, (before, now)) in before {
            behind.push((fact, meet(fact, before, now, || self.values.opaque(&self.loops))));
        }
        behind.into_iter().for_each(|(fact, known)| self.path.put(fact, known));
    }

    /// Returns the value of a fact outside of the loops that a labelled block is left from: that of their last iteration.
    fn leave_loops(&mut self, fact: Fact, known: Option<ValueId>) -> Option<ValueId> {
        match (fact, known) {
            (Fact::Value(_), Some(value)) if self.values.loops_of(value).len() > self.loops.len() => {
                Some(self.values.opaque(&self.loops))
            }
            _ => known,
        }
    }

    /// Returns how often a `for` runs, where its bounds and its step are constants.
    fn trip_count(&mut self, range: &Range<Atom>) -> Option<u64> {
        let mut constant = |atom: &Atom| {
            let value = self.atom(atom);
            self.values.constant(value)
        };
        let step = range.step.as_ref().map_or(Some(1), &mut constant)?.max(1);
        let (start, end) = (constant(&range.start)?, constant(&range.end)?);
        let span = (end - start + i128::from(range.inclusive)).max(0);
        Some(u64::try_from((span + step - 1) / step).unwrap_or(u64::MAX))
    }

    /// Walks a loop: whatever changes in it has an unknown value at its head and after it.
    fn repeat(&mut self, id: LoopId, stmt: &Stmt, counter: Option<VarId>, inside: impl FnOnce(&mut Self)) {
        let mut changed: BTreeSet<VarId> = counter.into_iter().collect();
        for block in stmt.blocks() {
            walk::each(block, &mut |stmt| {
                if let StmtKind::Assign { var, .. } | StmtKind::AssignElement { array: var, .. } = stmt.what {
                    changed.insert(var);
                }
            });
        }
        let (mark, ended) = (self.path.mark(), self.path.ended);
        self.loops.push(id);
        self.forget(&changed);
        inside(self);
        self.loops.pop();
        self.path.back_to(mark);
        self.path.ended = ended;
        self.forget(&changed);
    }

    fn forget(&mut self, vars: &BTreeSet<VarId>) {
        for var in vars {
            let value = self.values.opaque(&self.loops);
            self.set(*var, value);
        }
    }

    fn set(&mut self, var: VarId, value: ValueId) {
        self.path.put(Fact::Value(var), Some(value));
    }

    fn access(&mut self, stmt: &Stmt, array: ArrayId, index: &Atom, location: LocationId, write: bool) {
        let index = self.atom(index);
        let element = (array, self.values.index_key(index));
        let (read_before, written_before) =
            (self.path.holds(Fact::Read(element)), self.path.holds(Fact::Written(element)));
        let in_loop = !self.loops.is_empty();
        self.accesses.push(Access {
            location,
            at: stmt.at,
            element,
            index,
            write,
            in_loop,
            read_before,
            written_before,
        });
        self.path.add(if write { Fact::Written(element) } else { Fact::Read(element) });
        if !in_loop {
            self.path.add(Fact::Outside(element));
        }
    }

    fn atom(&mut self, atom: &Atom) -> ValueId {
        match atom {
            Atom::Var(var) => self.path.value(*var).unwrap_or_else(|| self.values.opaque(&self.loops)),
            Atom::Int(value, ty) => self.values.number(Node::Int(*value, *ty)),
            Atom::Float(text, ty) => self.values.number(Node::Float(text.clone(), *ty)),
            Atom::Bits(bits, ty) => self.values.number(Node::Bits(*bits, *ty)),
            Atom::Bool(value) => self.values.number(Node::Bool(*value)),
        }
    }

    fn rvalue(&mut self, value: &Rvalue, var: VarId) -> ValueId {
        let of = |a: &Atom| self.tx.atom_type(a);
        let node = match value {
            Rvalue::Use(atom) => return self.atom(atom),
            Rvalue::Unary(op, a, _) => Node::Unary(*op, of(a), self.atom(a)),
            Rvalue::Arith(op, a, b, _) => Node::Arith(*op, of(a), self.atom(a), self.atom(b)),
            Rvalue::Logic(op, a, b) => Node::Logic(*op, of(a), self.atom(a), self.atom(b)),
            Rvalue::Compare(op, a, b) => Node::Compare(*op, of(a), self.atom(a), self.atom(b)),
            Rvalue::Cast(a, to) => Node::Cast(of(a), *to, self.atom(a)),
            Rvalue::Length(array) => Node::Length(*array),
            Rvalue::Device(name, args) => {
                let args = args.iter().map(|arg| self.atom(arg)).collect();
                Node::Device(name.clone(), self.tx.var(var).scalar, args)
            }
            Rvalue::Array(_) | Rvalue::Repeat(_) | Rvalue::Element(..) => return self.values.opaque(&self.loops),
        };
        self.values.number(node)
    }
}

/// Returns whether some `break` leaves the loop.
fn breaks(body: &Block, id: LoopId) -> bool {
    let mut found = false;
    walk::each(body, &mut |stmt| found |= stmt.what == StmtKind::Break(id));
    found
}
