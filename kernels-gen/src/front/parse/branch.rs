//! `if`, `if let`, `let else` and `match`.

use syn::{Arm, BinOp, Expr, ExprIf, ExprMatch, Pat};

use super::alternatives::unguarded;
use super::lower::{Lowered, Lowering};
use super::notes::Note;
use super::results::{ends_in_try, is_of_both};
use super::source_span::At;
use super::tree::strip;
use crate::front::diag::Rule;
use crate::infer::Class;
use crate::ir::open::{Atom, StmtKind, TyId};
use crate::ir::{LoopId, VarId};
use crate::spec::Scalar;

/// The use of the values at the ends of branches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ends {
    /// They are the value of the whole expression.
    Value,
    /// Each is the result of the function, and returns it.
    Result,
}

/// The joined value of several branches, as far as they have been parsed.
struct Join {
    ends: Ends,
    /// The variable for the value; made by the first branch that has one.
    var: Option<VarId>,
    /// The types that stand for values of branches that leave, parsed before `var` was made.
    leaving: Vec<TyId>,
    /// Whether some branch gives `()`.
    unit: bool,
    failed: bool,
    /// Whether every branch so far leaves.
    ended: bool,
}

impl Join {
    fn new(ends: Ends) -> Join {
        Join { ends, var: None, leaving: Vec::new(), unit: false, failed: false, ended: true }
    }
}

impl Lowering<'_> {
    /// Parses the condition of `if` or `while`.
    pub(super) fn condition(&mut self, expr: &Expr, what: &str) -> Atom {
        let atom = self.scalar(expr);
        self.expect(Scalar::Bool, &atom, expr, what);
        atom
    }

    pub(super) fn branch(&mut self, whole: &Expr, node: &ExprIf, ends: Ends) -> Lowered {
        let mut join = Join::new(ends);
        let (nodes, last) = else_ifs(node);
        let (block, ()) = self.block(|this| match has_let(&node.cond) {
            _ if nodes.len() > MOST_NESTED => this.else_if(whole, &nodes, last, &mut join),
            true => this.if_let(whole, node, &mut join),
            false => this.plain_if(whole, node, &mut join),
        });
        self.close(whole, join, block, if_words(node))
    }

    /// Parses many branches into one block, which the taken branch leaves. If each stood in the `else` of the one before, the
    /// depth would grow with the number of branches.
    fn else_if(&mut self, whole: &Expr, nodes: &[&ExprIf], last: Option<&Expr>, join: &mut Join) {
        let id = self.loop_id();
        let (body, ()) = self.block(|this| {
            for node in nodes {
                this.chain(&node.cond, |this| {
                    this.then(node, join);
                    this.push(StmtKind::Break(id), &node.then_branch);
                });
            }
            this.other(last, join, if_words(nodes[0]));
        });
        self.push(StmtKind::Block { id, body: body.stmts }, whole);
    }

    fn plain_if(&mut self, whole: &Expr, node: &ExprIf, join: &mut Join) {
        let what = if is_assertion(node) { "an asserted condition" } else { "the condition of `if`" };
        let condition = self.condition(&node.cond, what);
        let (then, ()) = self.block(|this| this.then(node, join));
        let (other, ()) = self.block(|this| this.otherwise(node, join));
        self.push(StmtKind::If { condition, then: then.stmts, other: other.stmts }, whole);
    }

    /// Parses `if let` with any number of conditions into a block that the taken branch leaves.
    fn if_let(&mut self, whole: &Expr, node: &ExprIf, join: &mut Join) {
        let id = self.loop_id();
        let (body, ()) = self.block(|this| {
            this.chain(&node.cond, |this| {
                this.then(node, join);
                this.push(StmtKind::Break(id), whole);
            });
            this.otherwise(node, join);
        });
        self.push(StmtKind::Block { id, body: body.stmts }, whole);
    }

    fn then(&mut self, node: &ExprIf, join: &mut Join) {
        match join.ends {
            Ends::Value => {
                let value = self.block_value(&node.then_branch, None);
                self.join(join, value, &node.then_branch, if_words(node));
            }
            Ends::Result => self.result_block(&node.then_branch),
        }
        join.ended &= self.ended();
    }

    fn otherwise(&mut self, node: &ExprIf, join: &mut Join) {
        self.other(node.else_branch.as_ref().map(|(_, other)| &**other), join, if_words(node));
    }

    fn other(&mut self, other: Option<&Expr>, join: &mut Join, words: Words) {
        match (other, join.ends) {
            (Some(expr), Ends::Value) => {
                let value = self.expr(expr, None);
                self.join(join, value, expr, words);
            }
            (Some(expr), Ends::Result) => self.result(expr),
            (None, _) => join.unit = true,
        }
        join.ended &= self.ended();
    }

    /// Parses conditions joined by `&&`, some of them `let`. `inside` runs where all hold; otherwise control goes on after it.
    pub(super) fn chain(&mut self, condition: &Expr, inside: impl FnOnce(&mut Self)) {
        let mut links = Vec::new();
        unfold(condition, &mut links);
        self.scoped(|this| this.links(&links, Box::new(inside)));
    }

    fn links<'f>(&mut self, links: &[&Expr], inside: Box<dyn FnOnce(&mut Self) + 'f>) {
        let Some((first, rest)) = links.split_first() else { return inside(self) };
        let Expr::Let(node) = first else {
            let condition = self.condition(first, "the condition of `if`");
            let (then, ()) = self.block(|this| this.links(rest, inside));
            self.push(StmtKind::If { condition, then: then.stmts, other: Vec::new() }, *first);
            return;
        };
        self.result_is_examined(&node.expr, [&*node.pat]);
        let value = self.scrutinee(&node.expr);
        let condition = self.test(&node.pat, &value);
        let (then, ()) = self.block(|this| {
            let before = this.examine(&node.expr);
            this.bind_pattern(&node.pat, &value);
            this.examines_references = before;
            this.links(rest, inside);
        });
        match condition {
            Some(condition) => {
                self.push(StmtKind::If { condition, then: then.stmts, other: Vec::new() }, *first);
            }
            None => self.splice(then),
        }
    }

    /// Returns the value that patterns are compared with: it stays the same while arms run.
    pub(super) fn scrutinee(&mut self, expr: &Expr) -> Atom {
        // `match self` of `&self` looks at the value.
        if self.is_reference(expr) == Some(false) {
            self.notes.expr(strip(expr), Note::Copied);
            return self.operand(expr);
        }
        if let Some(value) = self.changed_value(expr).or_else(|| self.lent_element(expr)) {
            return value;
        }
        let value = self.expr(expr, None);
        // `match &list[a..b]` looks at the part itself, whose names are references.
        if super::part::of_reference(expr).is_some() {
            self.notes.expr(strip(expr), Note::Erased);
        }
        let value = self.unit_or(value, expr);
        self.freeze(value, expr)
    }

    pub(super) fn match_expr(&mut self, whole: &Expr, node: &ExprMatch, ends: Ends) -> Lowered {
        let of_both = is_of_both(node);
        let left = std::mem::take(&mut self.result_is_left) && of_both;
        match left {
            true => self.result_is_expected(&node.expr),
            false => self.result_is_examined(&node.expr, node.arms.iter().map(|arm| unguarded(&arm.pat))),
        }
        let value = self.scrutinee(&node.expr);
        self.result_is_left = false;
        let refers = self.may_refer(&node.expr) || self.is_reference(&node.expr).is_some();
        if of_both {
            let ty = self.type_of(&value);
            let known = matches!(self.infer.class(ty), Class::Result(..) | Class::Option(_));
            let result = matches!(self.infer.class(ty), Class::Result(..)) || left && !known;
            self.of_results.push(result);
            self.notes.expr(whole, Note::OfBoth { result, known: known || result });
        }
        let mut join = Join::new(ends);
        let (block, ()) = self.block(|this| {
            let arms: Vec<&Arm> = node.arms.iter().collect();
            if arms.is_empty() {
                this.diags.report(Rule::Expression, whole, "a `match` without arms has no meaning here; add an arm");
            } else if arms.len() > MOST_NESTED || arms.iter().any(|arm| guard(arm).is_some()) {
                let id = this.loop_id();
                let (body, ()) = this.block(|this| this.leaving_arms(&arms, (&value, refers), id, &mut join));
                this.push(StmtKind::Block { id, body: body.stmts }, whole);
            } else {
                this.arms(&arms, (&value, refers), &mut join);
            }
        });
        if of_both {
            self.of_results.pop();
        }
        self.close(whole, join, block, MATCH)
    }

    /// Parses arms without guards: each is the `else` of the one before. rustc ensures that one matches, so the last needs no
    /// test.
    fn arms(&mut self, arms: &[&Arm], (value, refers): (&Atom, bool), join: &mut Join) {
        let Some((first, rest)) = arms.split_first() else { return };
        let condition = self.test(unguarded(&first.pat), value);
        let (then, ()) = self.block(|this| this.arm(first, (value, refers), join, None));
        match condition {
            Some(condition) if !rest.is_empty() => {
                let (other, ()) = self.block(|this| this.arms(rest, (value, refers), join));
                self.push(StmtKind::If { condition, then: then.stmts, other: other.stmts }, &first.pat);
            }
            _ => {
                self.splice(then);
                // The remaining arms are never reached, but are parsed to report their errors.
                if !rest.is_empty() {
                    self.block(|this| this.arms(rest, (value, refers), &mut Join::new(join.ends)));
                }
            }
        }
    }

    /// Parses many arms, or arms of which some have guards: the arm that is taken leaves the block.
    fn leaving_arms(&mut self, arms: &[&Arm], (value, refers): (&Atom, bool), id: LoopId, join: &mut Join) {
        for (k, arm) in arms.iter().enumerate() {
            let last = k + 1 == arms.len() && guard(arm).is_none();
            let condition = self.test(unguarded(&arm.pat), value);
            let (then, ()) = self.block(|this| this.arm(arm, (value, refers), join, (!last).then_some(id)));
            match condition {
                Some(condition) if !last => {
                    self.push(StmtKind::If { condition, then: then.stmts, other: Vec::new() }, &arm.pat);
                }
                _ => self.splice(then),
            }
        }
    }

    /// Parses the bindings, guard and body of an arm; after the body, control leaves the block `leave`.
    fn arm(&mut self, arm: &Arm, (value, refers): (&Atom, bool), join: &mut Join, leave: Option<LoopId>) {
        arm.attrs.iter().for_each(|attr| self.check_attribute(attr));
        self.scoped(|this| {
            let before = std::mem::replace(&mut this.examines_references, refers);
            this.bind_pattern(unguarded(&arm.pat), value);
            this.examines_references = before;
            let Some(guard) = guard(arm) else { return this.arm_body(arm, join, leave) };
            let condition = this.condition(guard, "the guard of an arm");
            let (then, ()) = this.block(|this| this.arm_body(arm, join, leave));
            this.push(StmtKind::If { condition, then: then.stmts, other: Vec::new() }, &arm.pat);
        });
    }

    fn arm_body(&mut self, arm: &Arm, join: &mut Join, leave: Option<LoopId>) {
        match join.ends {
            Ends::Value => {
                let value = self.expr(&arm.body, None);
                self.join(join, value, &*arm.body, MATCH);
            }
            Ends::Result => self.result(&arm.body),
        }
        join.ended &= self.ended();
        if let Some(id) = leave {
            self.push(StmtKind::Break(id), &*arm.body);
        }
    }

    /// Adds the value of one branch to the joined value.
    fn join(&mut self, join: &mut Join, value: Lowered, at: &impl At, words: Words) {
        match value {
            Lowered::Unit => {
                join.unit = true;
                if let Some(var) = join.var
                    && !self.can_be_unit(self.vars[var.0 as usize].ty)
                {
                    self.half_value(join, at, words);
                }
            }
            Lowered::Failed => join.failed = true,
            Lowered::Never(None) => {}
            Lowered::Never(Some(ty)) => match join.var {
                Some(var) => _ = self.infer.unify(self.vars[var.0 as usize].ty, ty),
                None => join.leaving.push(ty),
            },
            Lowered::Atom(value) => {
                let ty = self.type_of(&value);
                if join.unit {
                    if !self.can_be_unit(ty) {
                        self.half_value(join, at, words);
                    }
                    return;
                }
                let var = match join.var {
                    Some(var) => var,
                    None => self.var(None, ty, false),
                };
                join.var = Some(var);
                for leaving in join.leaving.drain(..) {
                    _ = self.infer.unify(ty, leaving);
                }
                let want = self.vars[var.0 as usize].ty;
                self.same(want, ty, at, |a, b| format!("{} give one type, but one is {a} and this is {b}", words.all));
                self.push(StmtKind::Assign { var, steps: Vec::new(), value }, at);
            }
        }
    }

    /// Makes the type of a call `()` next to a branch that gives `()`: only rustc knows the type of the call.
    fn can_be_unit(&mut self, ty: TyId) -> bool {
        let open = self.infer.is_later(ty) && *self.infer.class(ty) == Class::Any;
        if open {
            let unit = self.infer.fresh(Class::Unit);
            _ = self.infer.unify(ty, unit);
        }
        open || *self.infer.class(ty) == Class::Unit
    }

    fn half_value(&mut self, join: &mut Join, at: &impl At, words: Words) {
        if !join.failed {
            self.diags.report(Rule::Mismatch, at, words.half);
        }
        join.failed = true;
    }

    /// Adds the branches to the present block, after the variable for their value.
    fn close(&mut self, whole: &Expr, join: Join, block: super::lower::OpenBlock, words: Words) -> Lowered {
        if let Some(var) = join.var {
            self.push(StmtKind::Declare { var }, whole);
        }
        self.splice(block);
        let half = join.unit && join.var.is_some_and(|var| !self.can_be_unit(self.vars[var.0 as usize].ty));
        if half && !join.failed {
            self.diags.report(Rule::Mismatch, whole, words.half);
            return Lowered::Failed;
        }
        match join.var {
            _ if join.failed => Lowered::Failed,
            var if join.ended => {
                self.end();
                Lowered::Never(var.map(|var| self.vars[var.0 as usize].ty).or(join.leaving.first().copied()))
            }
            Some(var) => Lowered::Atom(Atom::Var(var)),
            None => Lowered::Unit,
        }
    }

    /// Parses `let PATTERN = value else { .. };`.
    pub(super) fn let_else(&mut self, pat: &Pat, value: &Atom, other: &Expr) {
        let condition = self.test(pat, value);
        let (block, given) = self.block(|this| this.expr(other, None));
        let stays = !block.ended && !matches!(given, Lowered::Never(_) | Lowered::Failed);
        if stays || ends_in_try(other) {
            let message = "the `else` of a `let` has to leave; end it with `return`, as in `return tx.reject(1)`, `break` or `continue`";
            self.diags.report(Rule::Mismatch, other, message);
        }
        if let Some(condition) = condition {
            self.push(StmtKind::If { condition, then: Vec::new(), other: block.stmts }, other);
        }
        self.bind_pattern(pat, value);
    }
}

/// The largest number of branches that stand in each other's `else`.
const MOST_NESTED: usize = 16;

/// Returns an `if` with every `else if`, and the last `else`.
fn else_ifs(node: &ExprIf) -> (Vec<&ExprIf>, Option<&Expr>) {
    let mut nodes = vec![node];
    loop {
        match &nodes[nodes.len() - 1].else_branch {
            Some((_, other)) => match &**other {
                Expr::If(next) if next.attrs.is_empty() => nodes.push(next),
                other => return (nodes, Some(other)),
            },
            None => return (nodes, None),
        }
    }
}

/// Returns whether the `if` stands for `assert!`.
fn is_assertion(node: &ExprIf) -> bool {
    let only = match node.then_branch.stmts.as_slice() {
        [syn::Stmt::Macro(only)] => &only.mac,
        [syn::Stmt::Expr(Expr::Macro(only), _)] => &only.mac,
        _ => return false,
    };
    only.path.is_ident(super::tree::FAULT)
}

/// The words for branches in messages.
#[derive(Debug, Clone, Copy)]
struct Words {
    all: &'static str,
    half: &'static str,
}

const MATCH: Words = Words {
    all: "all arms of `match`",
    half: "one arm gives a value and another gives `()`; give a value in all, or end the line with `;`",
};

fn if_words(node: &ExprIf) -> Words {
    let half = match node.else_branch {
        None => "an `if` without `else` has no value; add an `else`, or end the last line with `;`",
        Some(_) => "one branch gives a value and the other gives `()`; give a value in both, or end the line with `;`",
    };
    Words { all: "both branches of `if`", half }
}

/// Returns whether the condition contains a `let`.
pub(crate) fn has_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(node) if matches!(node.op, BinOp::And(_)) => has_let(&node.left) || has_let(&node.right),
        _ => false,
    }
}

/// Returns the condition after the `if` of an arm.
fn guard(arm: &Arm) -> Option<&Expr> {
    match &arm.pat {
        Pat::Guard(node) => Some(&*node.guard),
        _ => None,
    }
}

/// Collects the conditions between `&&`.
fn unfold<'e>(condition: &'e Expr, links: &mut Vec<&'e Expr>) {
    match condition {
        Expr::Binary(node) if matches!(node.op, BinOp::And(_)) && has_let(condition) => {
            unfold(&node.left, links);
            unfold(&node.right, links);
        }
        other => links.push(other),
    }
}
