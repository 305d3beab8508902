//! The ways out of a transaction: the last expression and `return`.

use syn::{Block, Expr, ExprCall, ExprIf, ExprMethodCall, ExprReturn, Stmt};

use super::lower::{Lowering, Value};
use super::notes::{Note, Yields};
use super::text;
use super::verb::strip;
use crate::diag::Rule;
use crate::ir::{Atom, StmtKind};

impl Lowering<'_> {
    /// The whole function.
    pub(super) fn function_body(&mut self, block: &Block) -> crate::ir::Block {
        self.block(|this| this.result_block(block)).0.stmts
    }

    /// A block whose value is the result of the transaction.
    fn result_block(&mut self, block: &Block) {
        self.scoped(|this| match block.stmts.split_last() {
            Some((Stmt::Expr(tail, None), rest)) => {
                this.stmts(rest);
                this.result(tail);
            }
            _ => {
                this.stmts(&block.stmts);
                if !this.ended() {
                    this.no_result(block);
                }
            }
        });
    }

    fn no_result(&mut self, block: &Block) {
        let give = match self.signature.result {
            None => "Ok(())",
            Some(_) => "Ok(value)",
        };
        let message =
            format!("the transaction has no result here: its end is missing; write `{give}` as the last line");
        match block.stmts.last() {
            Some(last) => self.diags.report(Rule::Result, last, message),
            None => self.diags.report(Rule::Result, block, message),
        }
    }

    pub(super) fn return_expr(&mut self, whole: &Expr, node: &ExprReturn) -> Value {
        match &node.expr {
            Some(expr) => self.result(expr),
            None => self.diags.report(Rule::Result, whole, "`return` needs the result; write `return Ok(())`"),
        }
        self.end();
        Value::Never(None)
    }

    /// An expression of type `TxResult`, evaluated and returned.
    fn result(&mut self, expr: &Expr) {
        match strip(expr) {
            Expr::Call(call) if text::source(&call.func) == "Ok" => self.ok(expr, call),
            Expr::MethodCall(call) if self.is_tx(&call.receiver) => self.last_verb(strip(expr), call),
            Expr::If(node) if node.else_branch.is_some() => self.result_branch(expr, node),
            Expr::Block(node) if node.label.is_none() => self.result_block(&node.block),
            Expr::Try(node) => {
                let value = self.expr(expr, None);
                self.tried_result(expr, &node.expr, value);
            }
            other => {
                let value = self.expr(other, None);
                if matches!(value, Value::Scalar(_) | Value::Unit) && !self.ended() {
                    let message = wrap_hint(expr, &value);
                    self.diags.report(Rule::Result, expr, message);
                }
            }
        }
    }

    fn tried_result(&mut self, expr: &Expr, inner: &Expr, value: Value) {
        if matches!(value, Value::Failed | Value::Never(_)) {
            return;
        }
        let verb = text::source(inner);
        let instead = match value {
            Value::Unit => format!("write `{verb}` without `?`, or `Ok(())` after it"),
            _ => format!("write `Ok({verb}?)`, or `{verb}` without `?`"),
        };
        self.diags.report(
            Rule::Result,
            expr,
            format!("the last expression of a transaction is a `TxResult`; {instead}"),
        );
    }

    fn ok(&mut self, expr: &Expr, call: &ExprCall) {
        let args: Vec<&Expr> = call.args.iter().collect();
        let [argument] = args.as_slice() else {
            self.diags.report(Rule::Result, expr, "`Ok` takes one value; write `Ok(())` or `Ok(value)`");
            return;
        };
        let value = self.expr(argument, None);
        self.finish(value, argument);
    }

    /// Returns a value, if it is of the type of the result.
    fn finish(&mut self, value: Value, at: &Expr) {
        match (value, self.signature.result) {
            (Value::Unit, None) => self.push(StmtKind::Return(None), at),
            (Value::Scalar(atom), Some(scalar)) => {
                self.expect(scalar, &atom, at, "the result");
                self.push(StmtKind::Return(Some(atom)), at);
            }
            (Value::Scalar(_), None) => {
                let message =
                    "the function returns `TxResult`, so its result is `()`; write `Ok(())`, or `-> TxResult<T>`";
                self.diags.report(Rule::Result, at, message);
            }
            (Value::Unit, Some(scalar)) => {
                let message = format!(
                    "the function returns `TxResult<{}>`, but this gives `()`; write `Ok(value)` as the last line",
                    scalar.rust()
                );
                self.diags.report(Rule::Result, at, message);
            }
            (Value::Never(ty), result) => {
                if let (Some(ty), Some(scalar)) = (ty, result) {
                    let want = self.known(scalar);
                    self.same(want, ty, at, |want, have| format!("the result is {want}, but this is {have}"));
                }
            }
            (Value::Failed, _) => {}
        }
    }

    /// A verb as the last expression, without `?`.
    fn last_verb(&mut self, whole: &Expr, call: &ExprMethodCall) {
        let value = self.verb(whole, call);
        if let Value::Never(Some(_)) = value {
            // A rejection: its type is that of the function.
            if let Some(Note::Reject { site, nested, .. }) = self.notes.of_expr(whole) {
                self.notes.expr(whole, Note::Reject { site, yields: Yields::Result, nested });
            }
            return;
        }
        self.finish(value, whole);
    }

    fn result_branch(&mut self, whole: &Expr, node: &ExprIf) {
        let condition: Atom = self.condition(&node.cond, "the condition of `if`");
        let (then, ()) = self.block(|this| this.result_block(&node.then_branch));
        let (other, ()) = self.block(|this| {
            if let Some((_, expr)) = &node.else_branch {
                this.result(expr);
            }
        });
        self.push(StmtKind::If { condition, then: then.stmts, other: other.stmts }, whole);
        self.end();
    }
}

fn wrap_hint(expr: &Expr, value: &Value) -> String {
    let instead = match (value, expr) {
        (Value::Scalar(_), _) => format!("write `Ok({})`", text::source(expr)),
        _ => "write `Ok(())` as the last line".to_owned(),
    };
    format!("the last expression of a transaction is a `TxResult`; {instead}")
}
