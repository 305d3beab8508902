//! Loops and labelled blocks.

use syn::{
    Expr, ExprBlock, ExprBreak, ExprContinue, ExprForLoop, ExprLoop, ExprMethodCall, ExprWhile, Lifetime, Pat,
    RangeLimits,
};

use super::checks::TypeCheck;
use super::lower::{LoopScope, Lowered, Lowering, Resolution};
use super::notes::Note;
use super::source_span::At;
use super::{signature, text};
use crate::fault::FaultCode;
use crate::front::diag::{Rule, nearest};
use crate::infer::Class;
use crate::ir::open::{Atom, Rvalue, StmtKind};
use crate::ir::{Compare, LocationId, LoopId, Range, VarId};
use crate::spec::{LocationKind, Scalar};

impl Lowering<'_> {
    /// Returns a new number for a loop or block.
    pub(super) fn loop_id(&mut self) -> LoopId {
        self.loop_count += 1;
        LoopId(self.loop_count - 1)
    }

    pub(super) fn enter_loop(
        &mut self,
        whole: &Expr,
        header: String,
        label: Option<&syn::Label>,
        gives_values: bool,
    ) -> (LoopId, LocationId) {
        let id = self.loop_id();
        let location = self.location(LocationKind::Loop, text::shorten(&header), whole);
        self.notes.expr(whole, Note::Loop { location });
        let label = label.map(|l| l.name.ident.to_string());
        self.loops.push(LoopScope { id, label, is_loop: true, gives_values, result: None, broken: false });
        (id, location)
    }

    pub(super) fn while_loop(&mut self, whole: &Expr, node: &ExprWhile) -> Lowered {
        let header = format!("while {}", text::of_expr(&node.cond));
        if super::branch::has_let(&node.cond) {
            return self.while_let(whole, node, header);
        }
        let (id, location) = self.enter_loop(whole, header, node.label.as_ref(), false);
        let (head, condition) = self.block(|this| this.condition(&node.cond, "the condition of `while`"));
        let (body, _) = self.block(|this| this.block_value(&node.body, None));
        self.loops.pop();
        let (head, body) = (head.stmts, body.stmts);
        self.push(StmtKind::Loop { id, head, condition: Some(condition), body, location }, whole);
        Lowered::Unit
    }

    /// Parses `while let`: a loop that ends where the patterns do not match.
    fn while_let(&mut self, whole: &Expr, node: &ExprWhile, header: String) -> Lowered {
        let (id, location) = self.enter_loop(whole, header, node.label.as_ref(), false);
        let (body, ()) = self.block(|this| {
            this.chain(&node.cond, |this| {
                this.block_value(&node.body, None);
                this.push(StmtKind::Continue(id), &node.cond);
            });
            this.push(StmtKind::Break(id), &node.cond);
        });
        self.loops.pop();
        self.push(StmtKind::Loop { id, head: Vec::new(), condition: None, body: body.stmts, location }, whole);
        Lowered::Unit
    }

    /// Parses `'label: { .. }`.
    pub(super) fn labelled_block(&mut self, whole: &Expr, node: &ExprBlock) -> Lowered {
        let id = self.loop_id();
        let label = node.label.as_ref().map(|l| l.name.ident.to_string());
        self.loops.push(LoopScope { id, label, is_loop: false, gives_values: true, result: None, broken: false });
        let (mut body, value) = self.block(|this| this.block_value(&node.block, None));
        if let Lowered::Atom(value) = &value
            && !body.ended
            && let Some(top) = self.loops.len().checked_sub(1)
        {
            let (mut last, ()) = self.block(|this| this.loop_result(top, Lowered::Atom(value.clone()), whole));
            body.stmts.append(&mut last.stmts);
        }
        let Some(scope) = self.loops.pop() else { return Lowered::Failed };
        if let Some(var) = scope.result {
            self.push(StmtKind::Declare { var }, whole);
        }
        let never = body.ended && !scope.broken;
        self.push(StmtKind::Block { id, body: body.stmts }, whole);
        match (scope.result, value) {
            (_, Lowered::Failed) => Lowered::Failed,
            _ if never => {
                self.end();
                Lowered::Never(None)
            }
            (Some(var), _) => Lowered::Atom(Atom::Var(var)),
            (None, _) => Lowered::Unit,
        }
    }

    pub(super) fn endless_loop(&mut self, whole: &Expr, node: &ExprLoop) -> Lowered {
        let (id, location) = self.enter_loop(whole, "loop".to_owned(), node.label.as_ref(), true);
        let (body, _) = self.block(|this| this.block_value(&node.body, None));
        let Some(scope) = self.loops.pop() else { return Lowered::Failed };
        if let Some(var) = scope.result {
            self.push(StmtKind::Declare { var }, whole);
        }
        self.push(StmtKind::Loop { id, head: Vec::new(), condition: None, body: body.stmts, location }, whole);
        match scope.result {
            _ if !scope.broken => {
                self.end();
                Lowered::Never(None)
            }
            Some(var) => Lowered::Atom(Atom::Var(var)),
            None => Lowered::Unit,
        }
    }

    pub(super) fn for_loop(&mut self, whole: &Expr, node: &ExprForLoop) -> Lowered {
        if !matches!(super::elements::head(&node.expr).0, Expr::Range(_)) {
            return self.element_loop(whole, node);
        }
        let range = self.range(&node.expr);
        let header = format!("for {} in {}", text::source(&node.pat), text::of_expr(&node.expr));
        let ty = match &range {
            Some(range) => self.type_of(&range.start),
            None => self.infer.fresh(Class::Dead),
        };
        let (mutable, name) = self.loop_variable(&node.pat);
        let (id, location) = self.enter_loop(whole, header, node.label.as_ref(), false);
        let counter = self.var(None, ty, false);
        let var = self.var(name, ty, mutable);
        let (body, ()) = self.block(|this| this.loop_body(&node.pat, var, &node.body));
        self.loops.pop();
        // Without a range the body was still parsed, to report its own errors.
        let Some(range) = range else { return Lowered::Failed };
        self.push(StmtKind::For { id, var, counter, range, body: body.stmts, location }, whole);
        Lowered::Unit
    }

    fn loop_body(&mut self, pat: &Pat, var: VarId, body: &syn::Block) {
        self.scoped(|this| {
            if let Pat::Ident(ident) = pat {
                this.bind(text::key(&ident.ident), Resolution::Var(var));
            }
            this.block_value(body, None);
        });
    }

    /// Parses the range of a `for`. Everything in it is evaluated once.
    fn range(&mut self, expr: &Expr) -> Option<Range<Atom>> {
        match expr {
            Expr::Paren(inner) => return self.range(&inner.expr),
            Expr::Group(inner) => return self.range(&inner.expr),
            Expr::Range(range) => {
                if let (Some(first), Some(last)) = (&range.start, &range.end) {
                    let inclusive = matches!(range.limits, RangeLimits::Closed(_));
                    return Some(self.plain_range(expr, first, last, inclusive));
                }
            }
            Expr::MethodCall(call) if call.method == "rev" && call.args.is_empty() => {
                let mut range = self.range(&call.receiver)?;
                range.reversed = !range.reversed;
                return Some(range);
            }
            Expr::MethodCall(call) if call.method == "step_by" && call.args.len() == 1 => {
                return self.stepped_range(expr, call);
            }
            _ => {}
        }
        let message = "`for` counts over a range with both ends; write `for i in a..b` or `for i in a..=b`, with \
                       `.step_by(n)`, `.rev()` or `.step_by(n).rev()` after the range in parentheses";
        self.diags.report(Rule::Iterator, expr, message);
        None
    }

    fn plain_range(&mut self, whole: &Expr, first: &Expr, last: &Expr, inclusive: bool) -> Range<Atom> {
        let start = self.scalar(first);
        let start = self.settle(start, first, [last]);
        let end = self.scalar(last);
        let (a, b) = (self.type_of(&start), self.type_of(&end));
        self.same(a, b, last, |a, b| {
            format!("both ends of a range have one type, but the first is {a} and this is {b}")
        });
        self.checks.operators.push((TypeCheck::Counter(a), whole.source_span()));
        if self.is_letter(a) {
            let message = "a loop counts over integers; count over the numbers, as in `for n in b'a'..=b'z'`, and convert: `n as char`";
            self.diags.report(Rule::Iterator, whole, message);
        }
        let (start, end) = (self.freeze(start, first), self.freeze(end, last));
        Range { start, end, inclusive, step: None, reversed: false }
    }

    /// Parses `range.step_by(n)`: a step of 0 panics in Rust.
    fn stepped_range(&mut self, whole: &Expr, call: &ExprMethodCall) -> Option<Range<Atom>> {
        let mut range = self.range(&call.receiver)?;
        let argument = call.args.first()?;
        if range.step.is_some() || range.reversed {
            let message =
                "`.step_by` comes once, directly after the range; write `(a..b).step_by(n)`, and `.rev()` after it";
            self.diags.report(Rule::Iterator, &call.method, message);
            return None;
        }
        let step = self.scalar(argument);
        let step = self.freeze(step, argument);
        self.expect(Scalar::Usize, &step, argument, "the step of a range");
        if !matches!(step, Atom::Int(n, _) if n != 0) {
            let usize = self.known(Scalar::Usize);
            let truth = self.known(Scalar::Bool);
            let zero = self.temp(Rvalue::Compare(Compare::Eq, step.clone(), Atom::Int(0, usize)), truth, argument);
            let location = self.location(LocationKind::Panic, "assertion failed: step != 0".to_owned(), argument);
            let (then, ()) =
                self.block(|this| this.push(StmtKind::Fault { code: FaultCode::Panic, location }, argument));
            self.push(StmtKind::If { condition: zero, then: then.stmts, other: Vec::new() }, argument);
            self.notes.expr(whole, Note::Step { location });
        }
        range.step = Some(step);
        Some(range)
    }

    /// Returns whether the variable of a `for` is mutable, and its name if it has one.
    fn loop_variable(&mut self, pat: &Pat) -> (bool, Option<String>) {
        match pat {
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                signature::check_name(&ident.ident, self.diags);
                (ident.mutability.is_some(), Some(text::plain(&ident.ident)))
            }
            Pat::Wild(_) => (false, None),
            other => {
                let message = "the variable of `for` is a name or `_`";
                self.diags.report(Rule::Pattern, other, message);
                (false, None)
            }
        }
    }

    /// Returns the index of the loop that `break` or `continue` refers to.
    fn target(&mut self, whole: &Expr, label: Option<&Lifetime>) -> Option<usize> {
        let found = match label {
            None => self.loops.iter().rposition(|scope| scope.is_loop),
            Some(label) => {
                let name = label.ident.to_string();
                self.loops.iter().rposition(|scope| scope.label.as_ref() == Some(&name))
            }
        };
        if found.is_none() {
            let message = match label {
                None => "this is not inside a loop; use `return Ok(..)` to end the transaction".to_owned(),
                Some(label) => {
                    let labels: Vec<&str> = self.loops.iter().filter_map(|scope| scope.label.as_deref()).collect();
                    let hint = match nearest(&label.ident.to_string(), &labels) {
                        Some(near) => format!("did you mean `'{near}`?"),
                        None => format!("write it before the loop, as in `{label}: while ..`"),
                    };
                    format!("no loop around this has the label `{label}`; {hint}")
                }
            };
            self.diags.report(Rule::Expression, whole, message);
        }
        found
    }

    pub(super) fn break_loop(&mut self, whole: &Expr, node: &ExprBreak) -> Lowered {
        let value = node.expr.as_ref().map(|expr| (self.expr(expr, None), expr));
        let Some(target) = self.target(whole, node.label.as_ref()) else { return Lowered::Failed };
        if let Some((value, expr)) = value {
            if !self.loops[target].gives_values {
                self.diags.report(
                    Rule::Expression,
                    expr,
                    "only `loop` and labelled blocks give a value; assign it to a variable before `break`",
                );
                return Lowered::Failed;
            }
            if !matches!(value, Lowered::Unit) {
                self.loop_result(target, value, expr);
            }
        }
        self.loops[target].broken |= !self.ended();
        let id = self.loops[target].id;
        self.push(StmtKind::Break(id), whole);
        Lowered::Never(None)
    }

    fn loop_result(&mut self, target: usize, value: Lowered, expr: &Expr) {
        let value = self.need(value, expr);
        let ty = self.type_of(&value);
        let var = match self.loops[target].result {
            Some(var) => var,
            None => {
                let var = self.var(None, ty, true);
                self.loops[target].result = Some(var);
                var
            }
        };
        let want = self.vars[var.0 as usize].ty;
        self.same(want, ty, expr, |want, have| {
            format!("an earlier `break` of this loop gives {want}, but this is {have}")
        });
        self.push(StmtKind::Assign { var, steps: Vec::new(), value }, expr);
    }

    pub(super) fn continue_loop(&mut self, whole: &Expr, node: &ExprContinue) -> Lowered {
        let Some(target) = self.target(whole, node.label.as_ref()) else { return Lowered::Failed };
        if !self.loops[target].is_loop {
            self.diags.report(Rule::Expression, whole, "a labelled block has no next iteration; use `break`");
            return Lowered::Failed;
        }
        let id = self.loops[target].id;
        self.push(StmtKind::Continue(id), whole);
        Lowered::Never(None)
    }
}
