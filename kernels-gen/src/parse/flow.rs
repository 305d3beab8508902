//! Branches and loops.

use syn::{Expr, ExprBreak, ExprContinue, ExprForLoop, ExprIf, ExprLoop, ExprWhile, Lifetime, Pat, RangeLimits};

use super::lower::{Binding, LoopScope, Lowering, OpenBlock, Value};
use super::notes::Note;
use super::operator::Check;
use super::{signature, text};
use crate::analysis::infer::Class;
use crate::diag::{Extent, Rule};
use crate::ir::{Atom, LoopId, SiteId, Stmt, StmtKind};
use crate::spec::{Scalar, SiteKind};

impl Lowering<'_> {
    /// The condition of `if` or `while`.
    pub(super) fn condition(&mut self, expr: &Expr, what: &str) -> Atom {
        let atom = self.scalar(expr);
        self.expect(Scalar::Bool, &atom, expr, what);
        atom
    }

    pub(super) fn branch(&mut self, whole: &Expr, node: &ExprIf) -> Value {
        let condition = self.condition(&node.cond, "the condition of `if`");
        let (mut then, first) = self.block(|this| this.block_value(&node.then_branch, None));
        let (mut other, second) = self.block(|this| match &node.else_branch {
            Some((_, expr)) => this.expr(expr, None),
            None => Value::Unit,
        });
        let value = self.join(whole, node, (&mut then, first), (&mut other, second));
        let ended = then.ended && other.ended;
        self.push(StmtKind::If { condition, then: then.stmts, other: other.stmts }, whole);
        if ended {
            self.end();
        }
        value
    }

    /// The value of an `if` from the values of its branches.
    fn join(
        &mut self,
        whole: &Expr,
        node: &ExprIf,
        (then, first): (&mut OpenBlock, Value),
        (other, second): (&mut OpenBlock, Value),
    ) -> Value {
        match (&first, &second) {
            (Value::Failed, _) | (_, Value::Failed) => return Value::Failed,
            (Value::Never(a), Value::Never(b)) => return Value::Never(a.or(*b)),
            (Value::Unit, Value::Unit | Value::Never(_)) | (Value::Never(_), Value::Unit) => return Value::Unit,
            (Value::Unit, Value::Scalar(_)) | (Value::Scalar(_), Value::Unit) => {
                let message = match node.else_branch {
                    None => "an `if` without `else` has no value; add an `else`, or end the last line with `;`",
                    Some(_) => {
                        "one branch gives a value and the other gives `()`; give a value in both, or end the line with `;`"
                    }
                };
                self.diags.report(Rule::Mismatch, whole, message);
                return Value::Failed;
            }
            _ => {}
        }
        let (first, second) = (self.need(first, whole), self.need(second, whole));
        let (ty, ty2) = (self.type_of(&first), self.type_of(&second));
        self.same(ty, ty2, whole, |a, b| {
            format!("both branches of `if` give one type, but the first is {a} and the other is {b}")
        });
        let var = self.var(None, ty, false);
        self.push(StmtKind::Declare { var }, whole);
        for (block, value) in [(then, first), (other, second)] {
            if !block.ended {
                let at = block.stmts.last().map_or_else(|| self.loc(whole), |last| last.at);
                block.stmts.push(Stmt { what: StmtKind::Assign { var, value }, at });
            }
        }
        Value::Scalar(Atom::Var(var))
    }

    fn enter_loop(
        &mut self,
        whole: &Expr,
        header: String,
        label: Option<&syn::Label>,
        gives_values: bool,
    ) -> (LoopId, SiteId) {
        let id = LoopId(self.loop_count);
        self.loop_count += 1;
        let site = self.site(SiteKind::Loop, text::shorten(&header), whole);
        self.notes.expr(whole, Note::Loop { site });
        let label = label.map(|l| l.name.ident.to_string());
        self.loops.push(LoopScope { id, label, gives_values, result: None, broken: false });
        (id, site)
    }

    pub(super) fn while_loop(&mut self, whole: &Expr, node: &ExprWhile) -> Value {
        let header = format!("while {}", text::source(&node.cond));
        let (id, site) = self.enter_loop(whole, header, node.label.as_ref(), false);
        let (head, condition) = self.block(|this| this.condition(&node.cond, "the condition of `while`"));
        let (body, _) = self.block(|this| this.block_value(&node.body, None));
        self.loops.pop();
        let (head, body) = (head.stmts, body.stmts);
        self.push(StmtKind::Loop { id, head, condition: Some(condition), body, site }, whole);
        Value::Unit
    }

    pub(super) fn endless_loop(&mut self, whole: &Expr, node: &ExprLoop) -> Value {
        let (id, site) = self.enter_loop(whole, "loop".to_owned(), node.label.as_ref(), true);
        let (body, _) = self.block(|this| this.block_value(&node.body, None));
        let Some(scope) = self.loops.pop() else { return Value::Failed };
        if let Some(var) = scope.result {
            self.push(StmtKind::Declare { var }, whole);
        }
        self.push(StmtKind::Loop { id, head: Vec::new(), condition: None, body: body.stmts, site }, whole);
        match scope.result {
            _ if !scope.broken => {
                self.end();
                Value::Never(None)
            }
            Some(var) => Value::Scalar(Atom::Var(var)),
            None => Value::Unit,
        }
    }

    pub(super) fn for_loop(&mut self, whole: &Expr, node: &ExprForLoop) -> Value {
        let Some((start, end, inclusive)) = self.range(&node.expr) else {
            // The body is still worth a look for its own errors.
            let (mutable, name) = self.loop_variable(&node.pat);
            let ty = self.infer.fresh(Class::Dead);
            let var = self.var(name.clone(), ty, mutable);
            self.enter_loop(whole, "for".to_owned(), node.label.as_ref(), false);
            self.block(|this| this.loop_body(name, var, &node.body));
            self.loops.pop();
            return Value::Failed;
        };
        let ty = self.type_of(&start);
        let header = format!("for {} in {}", text::source(&node.pat), text::source(&node.expr));
        let (mutable, name) = self.loop_variable(&node.pat);
        let (id, site) = self.enter_loop(whole, header, node.label.as_ref(), false);
        let counter = self.var(None, ty, false);
        let var = self.var(name.clone(), ty, mutable);
        let (body, ()) = self.block(|this| this.loop_body(name, var, &node.body));
        self.loops.pop();
        let body = body.stmts;
        self.push(StmtKind::For { id, var, counter, start, end, inclusive, body, site }, whole);
        Value::Unit
    }

    fn loop_body(&mut self, name: Option<String>, var: crate::ir::VarId, body: &syn::Block) {
        self.scoped(|this| {
            if let Some(name) = name {
                this.bind(name, Binding::Var(var));
            }
            this.block_value(body, None);
        });
    }

    /// Start, end, and whether the end belongs to the range. Both are evaluated once.
    fn range(&mut self, expr: &Expr) -> Option<(Atom, Atom, bool)> {
        match expr {
            Expr::Paren(inner) => return self.range(&inner.expr),
            Expr::Group(inner) => return self.range(&inner.expr),
            Expr::Range(range) => {
                if let (Some(first), Some(last)) = (&range.start, &range.end) {
                    let start = self.scalar(first);
                    let start = self.settle(start, first, [&**last]);
                    let end = self.scalar(last);
                    let (a, b) = (self.type_of(&start), self.type_of(&end));
                    self.same(a, b, last, |a, b| {
                        format!("both ends of a range have one type, but the first is {a} and this is {b}")
                    });
                    self.checks.operators.push((Check::Counter(a), Extent::of(expr)));
                    let (start, end) = (self.freeze(start, first), self.freeze(end, last));
                    return Some((start, end, matches!(range.limits, RangeLimits::Closed(_))));
                }
            }
            _ => {}
        }
        let message = "`for` counts over a range with both ends in this version; write `for i in a..b` or `for i in a..=b` \
                       (for other steps and orders compute the index in the body, or use `while`)";
        self.diags.report(Rule::Iterator, expr, message);
        None
    }

    /// The variable of a `for`: mutable or not, and its name if it has one.
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

    /// The index of the loop that `break` or `continue` means.
    fn target(&mut self, whole: &Expr, label: Option<&Lifetime>) -> Option<usize> {
        let found = match label {
            None => self.loops.len().checked_sub(1),
            Some(label) => {
                let name = label.ident.to_string();
                self.loops.iter().rposition(|scope| scope.label.as_ref() == Some(&name))
            }
        };
        if found.is_none() {
            let message = match label {
                None => "there is no loop around this; use `return Ok(..)` to end the transaction".to_owned(),
                Some(label) => format!(
                    "no loop around this has the label `{label}`; write it before the loop, as in `{label}: while ..`"
                ),
            };
            self.diags.report(Rule::Expression, whole, message);
        }
        found
    }

    pub(super) fn break_loop(&mut self, whole: &Expr, node: &ExprBreak) -> Value {
        let value = node.expr.as_ref().map(|expr| (self.expr(expr, None), expr));
        let Some(target) = self.target(whole, node.label.as_ref()) else { return Value::Failed };
        if let Some((value, expr)) = value {
            if !self.loops[target].gives_values {
                self.diags.report(
                    Rule::Expression,
                    expr,
                    "only `loop` gives a value; assign it to a variable before `break`",
                );
                return Value::Failed;
            }
            if !matches!(value, Value::Unit) {
                self.loop_result(target, value, expr);
            }
        }
        self.loops[target].broken |= !self.ended();
        let id = self.loops[target].id;
        self.push(StmtKind::Break(id), whole);
        Value::Never(None)
    }

    fn loop_result(&mut self, target: usize, value: Value, expr: &Expr) {
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
        self.push(StmtKind::Assign { var, value }, expr);
    }

    pub(super) fn continue_loop(&mut self, whole: &Expr, node: &ExprContinue) -> Value {
        let Some(target) = self.target(whole, node.label.as_ref()) else { return Value::Failed };
        let id = self.loops[target].id;
        self.push(StmtKind::Continue(id), whole);
        Value::Never(None)
    }
}
