//! Arrays of which a transaction needs no values: it adds to their elements, and nothing else depends on what they hold.
//!
//! Such additions can be made after the commit. That is right if each write adds to what a read of the same element found, and no
//! other write to the array lies between that read and the write, on any path: of two reads before two writes, which may be of one
//! element, the second write would undo the first. What was read goes nowhere else: the variables that depend on it
//! occur in such additions alone.

use std::collections::{HashMap, HashSet};

use super::flow::{Access, Flow};
use super::reasons::place;
use super::slots::Slots;
use super::values::{Node, ValueId};
use crate::ir::flat::{Atom, Block, FlatParam, Rvalue, Stmt, StmtKind, Transaction, walk};
use crate::ir::{Arith, ArrayId, VarId};

/// The most additions that one attempt keeps until it commits.
const MOST: u32 = 64;
/// The most reads that are looked for in one sum.
const FEW: usize = 4;

/// The owned form of [`crate::spec::Sums`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "documented at the counterpart")]
pub struct OwnedSums {
    pub param: u32,
    pub additions: u32,
    pub can_overflow: bool,
    pub otherwise: Option<String>,
}

/// Returns how a transaction uses each of its arrays. `stated`: the elements of loops count against a bound that the user states.
pub(super) fn find(tx: &Transaction, flow: &Flow, stated: bool) -> Vec<OwnedSums> {
    let used = Uses::find(tx);
    let mut writes = Writes::of(tx, flow);
    writes.block(&tx.body);
    let refused = |param: u32, flat: &FlatParam| {
        let own = || flow.accesses.iter().filter(|access| access.element.0.0 == param);
        let is_whole = flat.scalar.is_int() && flat.scalar.size() >= 4;
        if let Some(access) = own().find(|access| stated && access.in_loop) {
            return Some(format!("{} counts against `max_accesses`", place(tx, access)));
        }
        let adds = writes.additions.get(&param).is_some_and(|additions| *additions > 0);
        if let Some(access) = own().find(|access| access.write && adds && !is_whole) {
            return Some(format!("{} is no integer of 4 or 8 bytes", place(tx, access)));
        }
        used.elsewhere.get(&param).cloned().or_else(|| writes.refused.get(&param).cloned())
    };
    let of_array = |(param, flat): (u32, &FlatParam)| {
        let additions = writes.additions.get(&param).copied().unwrap_or(0);
        let additions = u32::try_from(additions).unwrap_or(u32::MAX);
        OwnedSums { param, additions, can_overflow: used.overflowing.contains(&param), otherwise: refused(param, flat) }
    };
    let arrays = (0..).zip(&tx.params).filter(|(_, param)| param.is_array());
    let mut all: Vec<OwnedSums> = arrays.map(of_array).collect();
    limit(&mut all);
    all
}

/// Refuses those with the most additions where an attempt would keep too many.
fn limit(all: &mut [OwnedSums]) {
    let mut by_number: Vec<&mut OwnedSums> = all.iter_mut().collect();
    by_number.sort_by_key(|sums| sums.additions);
    let mut left = MOST;
    for sums in by_number {
        if sums.otherwise.is_none() && sums.additions > left {
            sums.otherwise = Some(format!("an attempt would keep more than {MOST} additions until it commits"));
        }
        if sums.otherwise.is_some() {
            sums.additions = 0;
        }
        left -= sums.additions;
    }
}

/// What happens to the values that are read.
struct Uses<'a> {
    tx: &'a Transaction,
    /// The arrays that the value of each variable can depend on.
    sources: HashMap<VarId, Slots>,
    /// The arrays whose values some statement uses for more than additions to them, and which one.
    elsewhere: HashMap<u32, String>,
    /// The arrays whose values are added to by operations that fault where they overflow, unless they wrap.
    overflowing: HashSet<u32>,
}

impl<'a> Uses<'a> {
    fn find(tx: &'a Transaction) -> Uses<'a> {
        let mut uses = Uses { tx, sources: HashMap::new(), elsewhere: HashMap::new(), overflowing: HashSet::new() };
        loop {
            let mut has_grown = false;
            walk::each(&tx.body, &mut |stmt| has_grown |= uses.follow(stmt));
            if !has_grown {
                break;
            }
        }
        walk::each(&tx.body, &mut |stmt| uses.judge(stmt));
        uses
    }

    /// Adds what the variable of a statement depends on. Returns whether that was new.
    fn follow(&mut self, stmt: &Stmt) -> bool {
        let (var, sources) = match &stmt.what {
            StmtKind::Read { var, array, .. } => (*var, Slots::one(array.0)),
            StmtKind::Let { var, .. } | StmtKind::Assign { var, .. } | StmtKind::AssignElement { array: var, .. } => {
                (*var, self.of_statement(stmt))
            }
            _ => return false,
        };
        self.sources.entry(var).or_default().grow(&sources)
    }

    fn of_statement(&self, stmt: &Stmt) -> Slots {
        let of = |var: &VarId| self.sources.get(var).cloned().unwrap_or_default();
        stmt.uses().iter().fold(Slots::default(), |all, var| all.or(&of(var)))
    }

    fn of(&self, atom: &Atom) -> Vec<u32> {
        let Atom::Var(var) = atom else { return Vec::new() };
        self.sources.get(var).map_or(Vec::new(), Slots::list)
    }

    /// Notes the arrays whose values a statement uses for more than an addition.
    fn judge(&mut self, stmt: &Stmt) {
        let elsewhere = match &stmt.what {
            StmtKind::Assign { .. } | StmtKind::Let { value: Rvalue::Use(_), .. } => Vec::new(),
            StmtKind::Let { value: Rvalue::Arith(Arith::Add, a, b, _), .. } => self.addition(a, b, true),
            StmtKind::Let { value: Rvalue::Arith(Arith::Sub, a, b, _), .. } => self.difference(a, b, true),
            StmtKind::Let { value: Rvalue::Device(name, args), .. } => match (name.as_str(), args.as_slice()) {
                ("rs_wrapping_add", [a, b]) => self.addition(a, b, false),
                ("rs_wrapping_sub", [a, b]) => self.difference(a, b, false),
                _ => self.of_statement(stmt).list(),
            },
            StmtKind::Write { array, index, value, .. } => {
                let others = self.of(value).into_iter().filter(|of| *of != array.0);
                others.chain(self.of(index)).collect()
            }
            _ => self.of_statement(stmt).list(),
        };
        for array in elsewhere {
            let (file, line) = (self.tx.file_of(stmt.at), self.tx.position(stmt.at).line);
            let of = if file == self.tx.file { String::new() } else { format!(" of {file}") };
            self.elsewhere.entry(array).or_insert_with(|| format!("what it holds is used at line {line}{of}"));
        }
    }

    /// Returns the arrays that both operands depend on.
    fn addition(&mut self, a: &Atom, b: &Atom, can_overflow: bool) -> Vec<u32> {
        let (a, b) = (self.of(a), self.of(b));
        if can_overflow {
            self.overflowing.extend(a.iter().chain(&b));
        }
        a.into_iter().filter(|array| b.contains(array)).collect()
    }

    /// Returns the arrays that what is subtracted depends on.
    fn difference(&mut self, a: &Atom, b: &Atom, can_overflow: bool) -> Vec<u32> {
        if can_overflow {
            self.overflowing.extend(self.of(a));
        }
        self.of(b)
    }
}

/// One walk over the writes, in the order in which the flow has numbered the accesses.
struct Writes<'a> {
    tx: &'a Transaction,
    flow: &'a Flow,
    /// For each value, the reads of which it is the sum with something else.
    origins: Vec<Vec<usize>>,
    /// The number of the next access.
    next: usize,
    /// The number of the latest write to each array. Branches begin with that before them; after them it is a new one.
    latest: HashMap<ArrayId, usize>,
    /// The arrays whose latest write has changed, with the one before.
    log: Vec<(ArrayId, Option<usize>)>,
    /// For each read, the latest write to its array.
    after: HashMap<usize, Option<usize>>,
    numbers: usize,
    /// The enclosing loops: the most iterations of each.
    loops: Vec<Option<u64>>,
    additions: HashMap<u32, u64>,
    refused: HashMap<u32, String>,
}

impl<'a> Writes<'a> {
    fn of(tx: &'a Transaction, flow: &'a Flow) -> Writes<'a> {
        Writes {
            tx,
            flow,
            origins: origins(flow),
            next: 0,
            latest: HashMap::new(),
            log: Vec::new(),
            after: HashMap::new(),
            numbers: 0,
            loops: Vec::new(),
            additions: HashMap::new(),
            refused: HashMap::new(),
        }
    }

    fn block(&mut self, block: &Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.what {
            StmtKind::Read { array, .. } => {
                self.after.insert(self.next, self.latest.get(array).copied());
                self.next += 1;
            }
            StmtKind::Write { array, .. } => {
                if let Err(why) = self.write(&self.flow.accesses[self.next]) {
                    self.refused.entry(array.0).or_insert(why);
                }
                self.next += 1;
                self.has_written(*array);
            }
            StmtKind::If { then, other, .. } => {
                let mark = self.log.len();
                self.block(then);
                let written: Vec<ArrayId> = self.back_to(mark);
                self.block(other);
                written.into_iter().for_each(|array| self.has_written(array));
            }
            StmtKind::Block { body, .. } => self.block(body),
            StmtKind::For(of) => self.repeat(stmt, self.flow.trips.get(&of.id).copied()),
            StmtKind::Loop(_) => self.repeat(stmt, None),
            _ => {}
        }
    }

    /// Walks a loop: another iteration may have written before.
    fn repeat(&mut self, stmt: &Stmt, most: Option<u64>) {
        let mut written = Vec::new();
        for block in stmt.blocks() {
            walk::each(block, &mut |stmt| {
                if let StmtKind::Write { array, .. } = &stmt.what {
                    written.push(*array);
                }
            });
        }
        written.into_iter().for_each(|array| self.has_written(array));
        self.loops.push(most);
        stmt.blocks().into_iter().for_each(|block| self.block(block));
        self.loops.pop();
    }

    fn has_written(&mut self, array: ArrayId) {
        self.numbers += 1;
        let before = self.latest.insert(array, self.numbers);
        self.log.push((array, before));
    }

    /// Goes back to the writes of a point. Returns the arrays that were written since.
    fn back_to(&mut self, mark: usize) -> Vec<ArrayId> {
        let undone: Vec<_> = self.log.drain(mark..).collect();
        for (array, before) in undone.iter().rev() {
            match before {
                Some(before) => self.latest.insert(*array, *before),
                None => self.latest.remove(array),
            };
        }
        undone.into_iter().map(|(array, _)| array).collect()
    }

    /// Counts a write that adds to what a read of the element found after the latest write to the array.
    fn write(&mut self, write: &Access) -> Result<(), String> {
        let array = write.element.0;
        let reads = write.value.map_or(&[][..], |ValueId(value)| self.origins[value as usize].as_slice());
        let is_current = |read: &usize| {
            self.flow.accesses[*read].element == write.element
                && self.after.get(read) == Some(&self.latest.get(&array).copied())
        };
        let place = place(self.tx, write);
        if !reads.iter().any(is_current) {
            return Err(format!("what {place} gets is not the sum of what it holds and another value"));
        }
        // What is written back as it was, with its record, adds nothing.
        let is_unchanged = write.value.is_some_and(|value| matches!(self.flow.values.node(value), Node::Read(_)));
        let once = u64::from(!is_unchanged);
        let times = self.loops.iter().try_fold(once, |times, most| Some(times.saturating_mul((*most)?)));
        let times = times.ok_or_else(|| format!("{place} is in a loop without a constant number of iterations"))?;
        let all = self.additions.entry(array.0).or_default();
        *all = all.saturating_add(times);
        Ok(())
    }
}

/// Returns, for each value, the reads to whose values it adds something, each of another array; not more than a few.
fn origins(flow: &Flow) -> Vec<Vec<usize>> {
    let mut origins: Vec<Vec<usize>> = Vec::new();
    for node in flow.values.nodes() {
        // The parts of a value have smaller numbers.
        let of = |value: &ValueId| origins[value.0 as usize].clone();
        let sum = |a: &ValueId, b: &ValueId| [of(a), of(b)].concat().into_iter().take(FEW).collect();
        let origin = match node {
            Node::Read(access) => vec![*access as usize],
            Node::Arith(Arith::Add, _, a, b) => sum(a, b),
            Node::Arith(Arith::Sub, _, a, _) => of(a),
            Node::Device(name, _, args) => match (name.as_str(), args.as_slice()) {
                ("rs_wrapping_add", [a, b]) => sum(a, b),
                ("rs_wrapping_sub", [a, _]) => of(a),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        origins.push(origin);
    }
    origins
}
