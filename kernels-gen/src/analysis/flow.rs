//! One walk along the control flow: which value each index has, and what has surely happened before each access.
//!
//! "Surely" is decided on structure alone: what both branches of an `if` did, has happened; what a loop did, has not,
//! because it may run zero times. A loop variable gets a new value number at the head of the loop and another one
//! behind it, so that a number names one value as long as the loops in its home do not iterate. Behind a labelled block
//! is what holds on every way out of it.

use std::collections::{BTreeSet, HashMap};

use super::values::{Node, ValueId, Values};
use crate::ir::{
    Atom, Block, LoopId, ParamRole, Range, RegionId, Rvalue, SiteId, Stmt, StmtKind, Transaction, VarId, walk,
};
use crate::spec::Scalar;

/// One element: a region, and the index as [`Values::index_key`] numbers it.
pub(crate) type Element = (RegionId, ValueId);

/// One read or write in the source.
#[derive(Debug)]
pub(crate) struct Access {
    pub(crate) site: SiteId,
    pub(crate) at: crate::ir::Loc,
    pub(crate) element: Element,
    /// The index before casts are looked through.
    pub(crate) index: ValueId,
    pub(crate) write: bool,
    pub(crate) in_loop: bool,
    /// The element was surely read before.
    pub(crate) read_before: bool,
    /// The element was surely written before.
    pub(crate) written_before: bool,
}

/// What the walk finds.
pub(crate) struct Flow {
    pub(crate) values: Values,
    pub(crate) accesses: Vec<Access>,
    /// The elements that every commit has accessed outside of loops.
    pub(crate) always: BTreeSet<Element>,
    /// How often each loop runs at most, where that is a constant.
    pub(crate) trips: HashMap<LoopId, u64>,
}

pub(crate) fn trace(tx: &Transaction) -> Flow {
    let mut tracer = Tracer {
        tx,
        values: Values::default(),
        accesses: Vec::new(),
        trips: HashMap::new(),
        loops: Vec::new(),
        path: Some(Path::default()),
        exits: None,
        blocks: HashMap::new(),
    };
    for (k, param) in tx.params.iter().enumerate() {
        if param.role != ParamRole::Region {
            let var = VarId(k as u32);
            let value = tracer.values.number(Node::Param(var));
            tracer.set(var, value);
        }
    }
    tracer.block(&tx.body);
    let always = tracer.exits.unwrap_or_default().outside;
    Flow { values: tracer.values, accesses: tracer.accesses, always, trips: tracer.trips }
}

/// What holds at a point that control can reach.
#[derive(Debug, Clone, Default)]
struct Path {
    values: HashMap<VarId, ValueId>,
    done: Done,
}

/// What has surely happened.
#[derive(Debug, Clone, Default)]
struct Done {
    read: BTreeSet<Element>,
    written: BTreeSet<Element>,
    /// Either, outside of loops.
    outside: BTreeSet<Element>,
}

impl Done {
    /// Either path was taken.
    fn meet(&self, other: &Done) -> Done {
        Done {
            read: &self.read & &other.read,
            written: &self.written & &other.written,
            outside: &self.outside & &other.outside,
        }
    }
}

struct Tracer<'a> {
    tx: &'a Transaction,
    values: Values,
    accesses: Vec<Access>,
    trips: HashMap<LoopId, u64>,
    loops: Vec<LoopId>,
    /// `None` behind a statement that leaves.
    path: Option<Path>,
    exits: Option<Done>,
    /// What holds where a labelled block is left, for those around that are left so far.
    blocks: HashMap<LoopId, Option<Path>>,
}

impl Tracer<'_> {
    fn block(&mut self, block: &Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.what {
            StmtKind::Declare { .. }
            | StmtKind::Guard { .. }
            | StmtKind::FaultIf { .. }
            | StmtKind::Print { .. }
            | StmtKind::Call { .. } => {}
            StmtKind::Let { var, value } => {
                let value = self.rvalue(value, *var);
                self.set(*var, value);
            }
            StmtKind::Assign { var, steps, value } => {
                // An array with a new element is a new array.
                let value = if steps.is_empty() { self.atom(value) } else { self.values.opaque(&self.loops) };
                self.set(*var, value);
            }
            StmtKind::Read { var, region, index, site, .. } => {
                self.access(stmt, *region, index, *site, false);
                let value = self.values.opaque(&self.loops);
                self.set(*var, value);
            }
            StmtKind::Write { region, index, site, .. } => self.access(stmt, *region, index, *site, true),
            StmtKind::If { then, other, .. } => {
                let before = self.path.clone();
                self.block(then);
                let first = std::mem::replace(&mut self.path, before);
                self.block(other);
                let second = self.path.take();
                self.path = self.merge(first, second);
            }
            StmtKind::Loop { id, head, condition, body, .. } => {
                self.repeat(*id, stmt, None, |this| {
                    this.block(head);
                    this.block(body);
                });
                if condition.is_none() && !breaks(body, *id) {
                    self.path = None;
                }
            }
            StmtKind::For { id, var, range, body, .. } => {
                if let Some(trips) = self.trip_count(range) {
                    self.trips.insert(*id, trips);
                }
                self.repeat(*id, stmt, Some(*var), |this| this.block(body));
            }
            StmtKind::Return(_) => {
                if let Some(path) = self.path.take() {
                    self.exits = Some(match &self.exits {
                        Some(exits) => exits.meet(&path.done),
                        None => path.done,
                    });
                }
            }
            StmtKind::Block { id, body } => {
                self.blocks.insert(*id, None);
                self.block(body);
                let broken = self.blocks.remove(id).flatten();
                let through = self.path.take();
                self.path = self.merge(broken, through);
            }
            StmtKind::Break(id) if self.blocks.contains_key(id) => {
                let path = self.path.take();
                let before = self.blocks.remove(id).flatten();
                let met = self.merge(before, path);
                self.blocks.insert(*id, met);
            }
            StmtKind::Reject { .. } | StmtKind::Fault { .. } | StmtKind::Break(_) | StmtKind::Continue(_) => {
                self.path = None;
            }
        }
    }

    /// How often a `for` runs, where its bounds and its step are constants.
    fn trip_count(&mut self, range: &Range) -> Option<u64> {
        let mut constant = |atom: &Atom| {
            let value = self.atom(atom);
            self.values.constant(value)
        };
        let step = range.step.as_ref().map_or(Some(1), &mut constant)?.max(1);
        let (start, end) = (constant(&range.start)?, constant(&range.end)?);
        let span = (end - start + i128::from(range.inclusive)).max(0);
        Some(u64::try_from((span + step - 1) / step).unwrap_or(u64::MAX))
    }

    /// Walks a loop: what changes in it has an unknown value at its head, and behind it.
    fn repeat(&mut self, id: LoopId, stmt: &Stmt, counter: Option<VarId>, inside: impl FnOnce(&mut Self)) {
        let mut changed: BTreeSet<VarId> = counter.into_iter().collect();
        for block in stmt.blocks() {
            walk::each(block, &mut |stmt| {
                if let StmtKind::Assign { var, .. } = stmt.what {
                    changed.insert(var);
                }
            });
        }
        let before = self.path.clone();
        self.loops.push(id);
        self.forget(&changed);
        inside(self);
        self.loops.pop();
        self.path = before;
        self.forget(&changed);
    }

    fn forget(&mut self, vars: &BTreeSet<VarId>) {
        for var in vars {
            let value = self.values.opaque(&self.loops);
            self.set(*var, value);
        }
    }

    /// What holds whichever of two ways control came.
    fn merge(&mut self, first: Option<Path>, second: Option<Path>) -> Option<Path> {
        let (first, second) = (first.map(|path| self.leave_loops(path)), second.map(|path| self.leave_loops(path)));
        let (Some(first), Some(second)) = (&first, &second) else { return first.or(second) };
        let mut values = HashMap::new();
        let mut vars: Vec<&VarId> = first.values.keys().filter(|v| second.values.contains_key(v)).collect();
        vars.sort();
        for var in vars {
            let (a, b) = (first.values[var], second.values[var]);
            values.insert(*var, if a == b { a } else { self.values.opaque(&self.loops) });
        }
        Some(Path { values, done: first.done.meet(&second.done) })
    }

    /// A way out of a labelled block can come from loops inside: their values are those of the last iteration.
    fn leave_loops(&mut self, mut path: Path) -> Path {
        let mut inside: Vec<VarId> = path
            .values
            .iter()
            .filter(|(_, v)| self.values.home(**v).len() > self.loops.len())
            .map(|(v, _)| *v)
            .collect();
        inside.sort();
        for var in inside {
            path.values.insert(var, self.values.opaque(&self.loops));
        }
        path
    }

    fn set(&mut self, var: VarId, value: ValueId) {
        if let Some(path) = &mut self.path {
            path.values.insert(var, value);
        }
    }

    fn access(&mut self, stmt: &Stmt, region: RegionId, index: &Atom, site: SiteId, write: bool) {
        let index = self.atom(index);
        let element = (region, self.values.index_key(index));
        let done = self.path.as_mut().map(|path| &mut path.done);
        let before = done.as_ref().map(|done| (done.read.contains(&element), done.written.contains(&element)));
        let (read_before, written_before) = before.unwrap_or_default();
        let in_loop = !self.loops.is_empty();
        self.accesses.push(Access { site, at: stmt.at, element, index, write, in_loop, read_before, written_before });
        if let Some(done) = done {
            let set = if write { &mut done.written } else { &mut done.read };
            set.insert(element);
            if !in_loop {
                done.outside.insert(element);
            }
        }
    }

    fn atom(&mut self, atom: &Atom) -> ValueId {
        match atom {
            Atom::Var(var) => {
                let known = self.path.as_ref().and_then(|path| path.values.get(var)).copied();
                known.unwrap_or_else(|| self.values.opaque(&self.loops))
            }
            Atom::Int(value, ty) => self.values.number(Node::Int(*value, self.tx.scalar(*ty))),
            Atom::Float(text, ty) => self.values.number(Node::Float(text.clone(), self.tx.scalar(*ty))),
            Atom::Bits(bits, ty) => self.values.number(Node::Bits(*bits, self.tx.scalar(*ty))),
            Atom::Bool(value) => self.values.number(Node::Bool(*value)),
            Atom::Unit => self.values.opaque(&self.loops),
        }
    }

    fn rvalue(&mut self, value: &Rvalue, var: VarId) -> ValueId {
        let operand = value.atoms().first().map(|a| self.tx.atom_type(a));
        let scalar = operand.unwrap_or(Scalar::Bool);
        let node = match value {
            Rvalue::Use(atom) => return self.atom(atom),
            Rvalue::Unary(op, a, _) => Node::Unary(*op, scalar, self.atom(a)),
            Rvalue::Arith(op, a, b, _) => Node::Arith(*op, scalar, self.atom(a), self.atom(b)),
            Rvalue::Logic(op, a, b) => Node::Logic(*op, scalar, self.atom(a), self.atom(b)),
            Rvalue::Compare(op, a, b) => Node::Compare(*op, scalar, self.atom(a), self.atom(b)),
            Rvalue::Cast(a, to) => Node::Cast(scalar, self.tx.scalar(*to), self.atom(a)),
            Rvalue::Length(region) => Node::Length(*region),
            Rvalue::Device(name, args) => {
                let args = args.iter().map(|arg| self.atom(arg)).collect();
                Node::Device(name.clone(), self.tx.type_of(var), args)
            }
            // Arrays and their elements, and what is not in the flat stage.
            _ => return self.values.opaque(&self.loops),
        };
        self.values.number(node)
    }
}

/// Some `break` leaves the loop.
fn breaks(body: &Block, id: LoopId) -> bool {
    let mut found = false;
    walk::each(body, &mut |stmt| found |= stmt.what == StmtKind::Break(id));
    found
}
