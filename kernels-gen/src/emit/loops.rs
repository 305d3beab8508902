//! Loops, labelled blocks, and jumps out of them: C has no labelled `break`.

use std::collections::BTreeSet;

use super::literal;
use super::names;
use crate::ir::flat::{Atom, Block, ForStmt, LoopStmt, StmtKind, Transaction};
use crate::ir::{LoopId, Range, VarId};

/// The loops that an inner loop leaves or continues, and the blocks that are left.
#[derive(Default)]
pub(super) struct Jumps {
    pub(super) breaks: BTreeSet<LoopId>,
    pub(super) continues: BTreeSet<LoopId>,
}

impl Jumps {
    pub(super) fn find(body: &Block) -> Jumps {
        let mut jumps = Jumps::default();
        jumps.visit(body, None);
        jumps
    }

    fn visit(&mut self, block: &Block, inner: Option<LoopId>) {
        for stmt in block {
            let inside = match &stmt.what {
                StmtKind::Loop(LoopStmt { id, .. }) | StmtKind::For(ForStmt { id, .. }) => Some(*id),
                _ => inner,
            };
            match &stmt.what {
                StmtKind::Break(id) if Some(*id) != inner => _ = self.breaks.insert(*id),
                StmtKind::Continue(id) if Some(*id) != inner => _ = self.continues.insert(*id),
                _ => {}
            }
            stmt.blocks().into_iter().for_each(|block| self.visit(block, inside));
        }
    }
}

/// A `for` in C.
pub(super) struct ForHead {
    /// Statements before the loop.
    pub(super) before: Option<String>,
    pub(super) head: String,
    /// Whether it was cut, after the loop; `None` where each iteration looks at the bound.
    pub(super) cut: Option<String>,
    /// The value of the variable in each iteration.
    pub(super) value: String,
}

/// Returns the head of a loop. The counter is hidden and never passes the end, so a range up to the greatest value of its type
/// ends.
pub(super) fn for_head(tx: &Transaction, stmt: &ForStmt) -> ForHead {
    let ForStmt { id, counter, range, body, .. } = stmt;
    let (name, counter) = (names::var(tx, *counter), *counter);
    let (start, end) = (literal::atom(tx, &range.start), literal::atom(tx, &range.end));
    if range.step.is_some() || range.reversed {
        return counted(tx, counter, range, (&name, &start, &end));
    }
    let ty = tx.var(counter).scalar.cuda();
    let step = format!("{name} = rs_wrapping_add({name}, ({ty})1)");
    if !range.inclusive && tx.var(counter).scalar.size() <= 8 && stays(body, *id) {
        let cut = format!("cut_{name}");
        return ForHead {
            before: Some(format!("stm_counted<Tx, {ty}> {cut}(tx, {start}, {end}, facts::MAX_ITERATIONS);")),
            head: format!("for ({ty} {name} = {start}; rs_lt({name}, {cut}.end); {step})"),
            cut: Some(format!("{cut}.is_cut")),
            value: name,
        };
    }
    let head = if range.inclusive {
        // One declaration has one type, so the flag is a number of the counter's type.
        let more = format!("more_{name}");
        format!(
            "for ({ty} {name} = {start}, {more} = ({ty})rs_le({name}, {end}); {more} != ({ty})0; \
             {more} = ({ty})rs_lt({name}, {end}), {step})"
        )
    } else {
        format!("for ({ty} {name} = {start}; rs_lt({name}, {end}); {step})")
    };
    ForHead { before: None, head, cut: None, value: name }
}

/// Returns whether nothing in the body of a loop leads to another place than its next iteration, or counts iterations.
fn stays(body: &Block, id: LoopId) -> bool {
    body.iter().all(|stmt| match &stmt.what {
        StmtKind::Loop(_) | StmtKind::For(_) | StmtKind::Break(_) => false,
        StmtKind::Continue(to) => *to == id,
        _ => stmt.blocks().into_iter().all(|block| stays(block, id)),
    })
}

/// Returns the head of a loop with steps or in reverse: it counts iterations, and computes the value from the count. The greatest
/// count is one less than the number of iterations, which can be 2^64, or 2^128 for wide integers.
fn counted(tx: &Transaction, counter: VarId, range: &Range<Atom>, (name, start, end): (&str, &str, &str)) -> ForHead {
    let step = range.step.as_ref().map_or_else(|| "(u64)1".to_owned(), |step| literal::atom(tx, step));
    let (last, more, inclusive) = (format!("last_{name}"), format!("more_{name}"), range.inclusive);
    let count = match range.reversed {
        true => format!("rs_wrapping_sub({last}, {name})"),
        false => name.to_owned(),
    };
    let ty = tx.var(counter).scalar;
    let count_type = if ty.is_wide() { "u128" } else { "u64" };
    ForHead {
        before: Some(format!("{count_type} {last} = rs_range_last({start}, {end}, {inclusive}, {step});")),
        head: format!(
            "for ({count_type} {name} = 0, {more} = rs_range_any({start}, {end}, {inclusive}); {more} != 0; \
             {more} = rs_lt({name}, {last}), {name} = rs_wrapping_add({name}, ({count_type})1))"
        ),
        cut: None,
        value: format!("rs_range_at<{}>({start}, {count}, {step})", ty.cuda()),
    }
}
