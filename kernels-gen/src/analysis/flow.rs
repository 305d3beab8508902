//! One pass over the control flow: the value of each index, and what has certainly happened before each access.
//!
//! "Certainly" is decided by structure alone. What both branches of an `if` did has happened; what a loop did has not,
//! because the loop may run zero times. A loop variable gets a new value number at the head of the loop and another one
//! after it, so a number denotes one value as long as its loops do not iterate. After a labelled block, a fact
//! holds if it holds on every way out of the block.

mod operations;

use std::collections::{BTreeSet, HashMap};

use super::decision::{Decision, only_ends};
use super::path::{Changes, Fact, Known, Path, Way, meet};
use super::slots::Slots;
use super::values::{Element, Node, ValueId, Values};
use crate::ir::flat::{Atom, Block, ForStmt, LoopStmt, Rvalue, Stmt, StmtKind, Transaction, walk};
use crate::ir::{ArrayId, LocationId, LoopId, Overflow, PositionId, Range, VarId};
use crate::spec::Scalar;

/// One read or write in the source.
#[derive(Debug)]
pub(crate) struct Access {
    pub(crate) location: LocationId,
    pub(crate) at: PositionId,
    pub(crate) element: Element,
    /// The index before casts are looked through.
    pub(crate) index: ValueId,
    pub(crate) write: bool,
    pub(crate) in_loop: bool,
    /// How often it is made at most, if that is known.
    pub(crate) times: Option<u64>,
    /// Whether the element was certainly read before.
    pub(crate) read_before: bool,
    /// Whether the element was certainly written before.
    pub(crate) written_before: bool,
    /// The type of the array's elements.
    pub(crate) scalar: Scalar,
    /// Of a write, the new value.
    pub(crate) value: Option<ValueId>,
    /// The writes to the element that stand before it in the source.
    pub(crate) earlier_writes: u32,
    /// Whether it stands in one side of an `if`.
    pub(crate) is_nested: bool,
    /// Accesses with the same number are made one after the other, or the attempt ends between them.
    pub(crate) line: u32,
}

/// The result of the pass.
pub(crate) struct Flow {
    pub(crate) values: Values,
    pub(crate) accesses: Vec<Access>,
    /// The elements that every commit has accessed outside of loops.
    pub(crate) always: BTreeSet<Element>,
    /// The elements that every commit has written outside of loops.
    pub(crate) always_written: BTreeSet<Element>,
    /// The upper bound on the iterations of each loop, where it is a constant.
    pub(crate) trips: HashMap<LoopId, u64>,
    /// In order of the source.
    pub(crate) decisions: Vec<(Decision, PositionId)>,
    /// Whether integer overflow is a fault.
    pub(crate) is_checked: bool,
}

pub(crate) fn trace(tx: &Transaction) -> Flow {
    let mut tracer = Tracer {
        tx,
        values: Values::default(),
        accesses: Vec::new(),
        trips: HashMap::new(),
        decisions: Vec::new(),
        follows_elements: false,
        followed: Some(Slots::default()),
        writes: HashMap::new(),
        loops: Vec::new(),
        nesting: 0,
        line: 0,
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
    let known = || exits.iter().filter(|(_, known)| known.is_some()).map(|(fact, _)| *fact);
    let outside = |fact: Fact| if let Fact::Outside(element) = fact { Some(element) } else { None };
    let written = |fact: Fact| if let Fact::Written(element) = fact { Some(element) } else { None };
    Flow {
        always: known().filter_map(outside).collect(),
        always_written: known().filter_map(written).collect(),
        values: tracer.values,
        accesses: tracer.accesses,
        trips: tracer.trips,
        decisions: tracer.decisions,
        is_checked: tx.options.overflow == Overflow::Check,
    }
}

struct Tracer<'a> {
    tx: &'a Transaction,
    values: Values,
    accesses: Vec<Access>,
    trips: HashMap<LoopId, u64>,
    decisions: Vec<(Decision, PositionId)>,
    /// Whether some branch so far may have followed what an element holds.
    follows_elements: bool,
    /// The arrays whose elements some branch so far may have followed; `None` if that is not known.
    followed: Option<Slots>,
    /// The writes to each element so far, in order of the source.
    writes: HashMap<Element, u32>,
    loops: Vec<LoopId>,
    /// The number of enclosing sides of `if`s.
    nesting: u32,
    /// The straight lines so far.
    line: u32,
    path: Path,
    /// The ways out of the function and of the enclosing labelled blocks, innermost last.
    ways: Vec<Way>,
}

impl Tracer<'_> {
    fn block(&mut self, block: &Block) {
        self.line += 1;
        block.iter().for_each(|stmt| self.stmt(stmt));
        self.line += 1;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.what {
            StmtKind::Declare { .. } => {}
            StmtKind::Guard { .. } | StmtKind::FaultIf { .. } | StmtKind::Print { .. } => self.stay(stmt),
            StmtKind::Let { var, value } => self.operation(value, *var, stmt),
            StmtKind::Assign { var, value } => {
                let value = self.atom(value);
                self.set(*var, value);
            }
            StmtKind::AssignElement { array, index, value, .. } => {
                self.may_fault(std::slice::from_ref(index), stmt);
                // An array with a changed element is a new value.
                let value = self.computed(&[Atom::Var(*array), index.clone(), value.clone()]);
                self.set(*array, value);
            }
            StmtKind::Read { var, array, index, location } => {
                self.access(stmt, *array, index, *location, None);
                let nth = self.accesses.len() - 1;
                let value = self.values.read(nth, (*array, self.accesses[nth].index), &self.loops);
                self.set(*var, value);
            }
            StmtKind::Write { array, index, location, value } => {
                let value = self.atom(value);
                self.access(stmt, *array, index, *location, Some(value));
            }
            StmtKind::If { condition, then, other } => {
                self.condition(condition, then, other, stmt);
                self.branches(then, other);
            }
            StmtKind::Loop(LoopStmt { id, head, condition, body, .. }) => {
                self.decide(Decision::Loop, stmt);
                self.repeat(*id, stmt, None, |this| {
                    this.block(head);
                    this.block(body);
                });
                self.path.ended |= condition.is_none() && !breaks(body, *id);
            }
            StmtKind::For(what) => self.for_loop(what, stmt),
            StmtKind::Return(values) => {
                let independent = self.are_independent(values);
                self.decide(Decision::Result { independent }, stmt);
                self.leave(None);
            }
            StmtKind::Block { id, body } => {
                self.ways.push(Way::begin(&self.path, Some(*id)));
                self.block(body);
                if let Some(way) = self.ways.pop() {
                    self.after_block(way);
                }
            }
            StmtKind::Break(id) => self.leave(Some(*id)),
            StmtKind::Reject { .. } | StmtKind::Fault { .. } | StmtKind::Continue(_) => self.path.ended = true,
        }
    }

    fn for_loop(&mut self, ForStmt { id, var, range, body, .. }: &ForStmt, stmt: &Stmt) {
        if let Some(trips) = self.trip_count(range) {
            self.trips.insert(*id, trips);
        }
        let bounds: Vec<Atom> = [&range.start, &range.end].into_iter().chain(&range.step).cloned().collect();
        self.repeat(*id, stmt, Some(*var), |this| {
            let counter = this.computed(&bounds);
            this.set(*var, counter);
            this.block(body);
        });
    }

    /// Passes a statement after which control is at the next one, or the attempt has ended.
    fn stay(&mut self, stmt: &Stmt) {
        match &stmt.what {
            StmtKind::Guard { condition, location } => {
                let (condition, location) = (self.atom(condition), *location);
                self.decide(Decision::Guard { condition, location }, stmt);
            }
            StmtKind::FaultIf { args, .. } => self.may_fault(args, stmt),
            _ => self.decide(Decision::Print, stmt),
        }
    }

    fn operation(&mut self, operation: &Rvalue, var: VarId, stmt: &Stmt) {
        let value = self.rvalue(operation, var);
        self.set(var, value);
        match operation {
            Rvalue::Element(_, index, _) => self.may_fault(std::slice::from_ref(index), stmt),
            _ if operation.location().is_some() => self.decide(Decision::Fault { value }, stmt),
            _ => {}
        }
    }

    fn decide(&mut self, decision: Decision, stmt: &Stmt) {
        self.decisions.push((decision, stmt.at));
    }

    /// Notes a possible fault that depends on these operands, some of which may be in memory.
    fn may_fault(&mut self, operands: &[Atom], stmt: &Stmt) {
        let independent = self.are_independent(operands);
        self.decide(Decision::Check { independent }, stmt);
    }

    fn are_independent(&mut self, atoms: &[Atom]) -> bool {
        atoms.iter().all(|atom| {
            let value = self.atom(atom);
            self.values.is_independent(value)
        })
    }

    /// Notes the condition of two branches.
    fn condition(&mut self, condition: &Atom, then: &Block, other: &Block, stmt: &Stmt) {
        let condition = self.atom(condition);
        self.decide(
            match (only_ends(then), only_ends(other)) {
                (true, _) => Decision::Condition { condition, holds: false },
                (false, true) => Decision::Condition { condition, holds: true },
                (false, false) => Decision::Branch { condition },
            },
            stmt,
        );
        let splits = !only_ends(then) && !only_ends(other);
        self.follows_elements |= splits && !self.values.is_independent(condition);
        if splits {
            self.followed = self.with_followed(&[condition]);
        }
    }

    /// Returns the value of a fact that has one of two values.
    fn merged(&mut self, first: Known, second: Known) -> ValueId {
        let followed = (self.follows_elements, self.followed.as_ref());
        merged(&mut self.values, &self.loops, followed, first, second)
    }

    /// Leaves a labelled block, or the function. Loops need no such record: after a loop, everything that changes in it is
    /// forgotten.
    fn leave(&mut self, block: Option<LoopId>) {
        let way = self.ways.iter_mut().rfind(|way| way.block == block);
        if let Some(way) = way.filter(|_| !self.path.ended) {
            let (values, loops) = (&mut self.values, &self.loops);
            let followed = (self.follows_elements, self.followed.as_ref());
            way.leave(&self.path, |first, second| merged(values, loops, followed, first, second));
        }
        self.path.ended = true;
    }

    /// Walks two branches from this point; control takes one of them.
    fn branches(&mut self, then: &Block, other: &Block) {
        let (mark, ended) = (self.path.mark(), self.path.ended);
        self.nesting += 1;
        self.block(then);
        let first = self.back_to(mark, ended);
        self.block(other);
        let second = self.back_to(mark, ended);
        self.nesting -= 1;
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
            let known = meet(fact, a, b, || self.merged(a, b));
            self.path.put(fact, known);
        }
    }

    /// Keeps what holds after a labelled block.
    fn after_block(&mut self, way: Way) {
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
        let mut after = Vec::new();
        for (fact, known) in broken {
            before.remove(&fact);
            let falling = self.path.known(fact);
            let known = meet(fact, known, falling, || self.merged(known, falling));
            after.push((fact, known));
        }
        for (fact, (before, now)) in before {
            after.push((fact, meet(fact, before, now, || self.merged(before, now))));
        }
        after.into_iter().for_each(|(fact, known)| self.path.put(fact, known));
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
        let step = range.step.as_ref().map_or(Some(1), |step| {
            let step = self.atom(step);
            self.values.constant(step)
        });
        let (start, end) = (self.atom(&range.start), self.atom(&range.end));
        // An unknown step is at least 1.
        let step = step.unwrap_or(1).max(1);
        let (start, end) = (self.values.range(start).0?, self.values.range(end).1?);
        let span = end.saturating_sub(start).saturating_add(i128::from(range.inclusive)).max(0);
        Some(u64::try_from(span.saturating_add(step - 1) / step).unwrap_or(u64::MAX))
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

    fn access(&mut self, stmt: &Stmt, array: ArrayId, index: &Atom, location: LocationId, value: Option<ValueId>) {
        let (index, write) = (self.atom(index), value.is_some());
        let element = (array, self.values.index_key(index));
        let (read_before, written_before) =
            (self.path.holds(Fact::Read(element)), self.path.holds(Fact::Written(element)));
        let in_loop = !self.loops.is_empty();
        let times = self.loops.iter().try_fold(1_u64, |times, id| Some(times.saturating_mul(*self.trips.get(id)?)));
        let earlier_writes = self.writes.get(&element).copied().unwrap_or(0);
        if write {
            self.writes.insert(element, earlier_writes + 1);
        }
        self.accesses.push(Access {
            location,
            at: stmt.at,
            element,
            index,
            write,
            in_loop,
            times,
            read_before,
            written_before,
            scalar: self.tx.params[array.0 as usize].scalar,
            value,
            earlier_writes,
            is_nested: self.nesting > 0,
            line: self.line,
        });
        self.path.add(if write { Fact::Written(element) } else { Fact::Read(element) });
        if !in_loop {
            self.path.add(Fact::Outside(element));
        }
    }
}

/// Returns the value of a fact that has one of two values, as a new value.
fn merged(
    values: &mut Values,
    loops: &[LoopId],
    (follows_elements, followed): (bool, Option<&Slots>),
    first: Known,
    second: Known,
) -> ValueId {
    let both: Vec<ValueId> = [first, second].into_iter().flatten().collect();
    let of_both = both.iter().all(|value| values.is_independent(*value));
    let arrays = values.arrays_of_all(&both).zip(followed).map(|(arrays, followed)| arrays.or(followed));
    values.merged(loops, of_both && !follows_elements, arrays)
}

/// Returns whether some `break` leaves the loop.
fn breaks(body: &Block, id: LoopId) -> bool {
    let mut found = false;
    walk::each(body, &mut |stmt| found |= stmt.what == StmtKind::Break(id));
    found
}
