//! The ways out of a function: the last expression and `return`.

use syn::{Block, Expr, ExprCall, ExprMethodCall, ExprReturn, Stmt};

use super::branch::Ends;
use super::imports::examines_variants;
use super::lower::{Lowered, Lowering};
use super::notes::{Note, Yields};
use super::text;
use super::tree::strip;
use crate::front::diag::Rule;
use crate::infer::Class;
use crate::ir::open::{self, Atom, Form, StmtKind};

impl Lowering<'_> {
    /// Parses the whole function.
    pub(super) fn function_body(&mut self, block: &Block) -> open::Block {
        self.imports.all |= examines_variants(block);
        self.block(|this| this.result_block(block)).0.stmts
    }

    /// Returns whether the function returns a `TxResult`.
    pub(super) fn tries(&self) -> bool {
        matches!(self.signature.form, Form::Transaction | Form::Function { tries: true })
    }

    /// Parses a block whose value is the result of the function.
    pub(super) fn result_block(&mut self, block: &Block) {
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
        let unit = *self.infer.class(self.result_type) == Class::Unit;
        if unit && !self.tries() {
            let at = block.stmts.last();
            match at {
                Some(last) => self.push(StmtKind::Return(Vec::new()), last),
                None => self.push(StmtKind::Return(Vec::new()), block),
            }
            return;
        }
        let give = match (self.tries(), unit) {
            (true, true) => "`Ok(())`",
            (true, false) => "`Ok(value)`",
            (false, _) => "the value",
        };
        let what = if self.signature.form == Form::Transaction { "transaction" } else { "function" };
        let message = format!("the {what} has no result here: its end is missing; write {give} as the last line");
        match block.stmts.last() {
            Some(last) => self.diags.report(Rule::Result, last, message),
            None => self.diags.report(Rule::Result, block, message),
        }
    }

    pub(super) fn return_expr(&mut self, whole: &Expr, node: &ExprReturn) -> Lowered {
        if !self.tries() {
            self.notes.expr(whole, Note::Return);
        }
        match &node.expr {
            Some(expr) => self.result(expr),
            None if !self.tries() && *self.infer.class(self.result_type) == Class::Unit => {
                self.push(StmtKind::Return(Vec::new()), whole);
            }
            None if !self.tries() => {
                self.diags.report(Rule::Result, whole, "`return` needs the result; write `return value`");
            }
            None => self.diags.report(Rule::Result, whole, "`return` needs the result; write `return Ok(())`"),
        }
        self.end();
        Lowered::Never(None)
    }

    /// Parses an expression of the function's return type, evaluates it and returns it.
    pub(super) fn result(&mut self, expr: &Expr) {
        if !self.tries() {
            if let Some(variant) = self.needless_variant(expr) {
                let message = format!("the function returns no `Result`; write the value without `{variant}`");
                self.diags.report(Rule::Result, expr, message);
                return;
            }
            self.result_is_needed(expr, self.result_type);
            let value = self.expr(expr, None);
            return self.finish(value, expr);
        }
        match strip(expr) {
            Expr::Call(call) if text::source(&call.func) == "Ok" => self.ok(expr, call),
            Expr::Call(call) if text::source(&call.func) == "Err" => {
                let message = "a `TxResult` has no `Err` of your own; to give up for good, write `tx.reject(code)`; an error as a value is `Ok(Err(..))`";
                self.diags.report(Rule::Result, expr, message);
            }
            Expr::Call(call) => {
                let value = self.call(strip(expr), call, true);
                self.finish(value, expr);
            }
            Expr::MethodCall(call) if self.is_tx(&call.receiver) => self.last_verb(strip(expr), call),
            Expr::MethodCall(call) if self.is_user_method(call) => {
                let value = self.user_method(strip(expr), call, true);
                self.finish(value, expr);
            }
            Expr::If(node) if node.else_branch.is_some() => {
                self.branch(expr, node, Ends::Result);
            }
            Expr::Match(node) => {
                self.match_expr(expr, node, Ends::Result);
            }
            Expr::Block(node) if node.label.is_none() => self.result_block(&node.block),
            Expr::Try(node) => {
                let value = self.expr(expr, None);
                self.tried_result(expr, &node.expr, value);
            }
            other => {
                let value = self.expr(other, None);
                if matches!(value, Lowered::Atom(_) | Lowered::Unit) && !self.ended() {
                    let message = wrap_hint(expr, &value);
                    self.diags.report(Rule::Result, expr, message);
                }
            }
        }
    }

    /// Returns `Ok` of `Ok(value)` where the function certainly returns no `Result`.
    fn needless_variant(&self, expr: &Expr) -> Option<String> {
        let Expr::Call(call) = strip(expr) else { return None };
        let none = !matches!(self.infer.class(self.result_type), Class::Any | Class::Result(..));
        Some(text::source(&call.func)).filter(|name| none && matches!(name.as_str(), "Ok" | "Err"))
    }

    fn tried_result(&mut self, expr: &Expr, inner: &Expr, value: Lowered) {
        if matches!(value, Lowered::Failed | Lowered::Never(_)) {
            return;
        }
        let verb = match strip(inner) {
            Expr::MethodCall(call) if super::verb::verb_name(call) == "update" => "tx.update(..)".to_owned(),
            inner => text::source(inner),
        };
        let instead = match value {
            Lowered::Unit => format!("write `{verb}` without `?`, or `Ok(())` after it"),
            _ => format!("write `Ok({verb}?)`, or `{verb}` without `?`"),
        };
        self.diags.report(Rule::Result, expr, format!("the function returns a `TxResult`; {instead}"));
    }

    fn ok(&mut self, expr: &Expr, call: &ExprCall) {
        let args: Vec<&Expr> = call.args.iter().collect();
        let [argument] = args.as_slice() else {
            self.diags.report(Rule::Result, expr, "`Ok` takes one value; write `Ok(())` or `Ok(value)`");
            return;
        };
        self.result_is_needed(argument, self.result_type);
        let value = self.expr(argument, None);
        self.finish(value, argument);
    }

    /// Returns from the function with a value, if it has the type of the result.
    fn finish(&mut self, value: Lowered, at: &Expr) {
        let result = self.result_type;
        let unit = *self.infer.class(result) == Class::Unit;
        let wrapper = if self.tries() { ("TxResult<", ">", "`Ok(value)`") } else { ("", "", "the value") };
        match value {
            Lowered::Unit if unit => self.push(StmtKind::Return(Vec::new()), at),
            Lowered::Atom(_) if unit && self.tries() && self.is_scalar(&value) => {
                let message =
                    "the function returns `TxResult`, so its result is `()`; write `Ok(())`, or `-> TxResult<T>`";
                self.diags.report(Rule::Result, at, message);
            }
            Lowered::Atom(atom) => {
                let have = self.type_of(&atom);
                self.same(result, have, at, |want, have| format!("the result is {want}, but this is {have}"));
                let atom = if unit { Vec::new() } else { vec![atom] };
                self.push(StmtKind::Return(atom), at);
            }
            Lowered::Unit if self.infer.is_later(result) => self.push(StmtKind::Return(vec![Atom::Unit]), at),
            Lowered::Unit => {
                let words = self.infer.words(&self.infer.class(result).clone());
                let message = format!(
                    "the function returns `{}{}{}`, but this gives `()`; write {} as the last line",
                    wrapper.0,
                    words.trim_matches('`'),
                    wrapper.1,
                    wrapper.2,
                );
                self.diags.report(Rule::Result, at, message);
            }
            Lowered::Never(Some(ty)) if !unit => {
                self.same(result, ty, at, |want, have| format!("the result is {want}, but this is {have}"));
            }
            Lowered::Never(_) | Lowered::Failed => {}
        }
    }

    fn is_scalar(&mut self, value: &Lowered) -> bool {
        let Lowered::Atom(atom) = value else { return false };
        let ty = self.type_of(atom);
        matches!(self.infer.class(ty), Class::Known(_) | Class::Int | Class::Float)
    }

    /// Parses a verb without `?` as the last expression.
    fn last_verb(&mut self, whole: &Expr, call: &ExprMethodCall) {
        let value = self.verb(whole, call);
        if let Lowered::Never(Some(_)) = value {
            // A rejection: its type is that of the function.
            if let Some(Note::Reject { location, nested, .. }) = self.notes.of_expr(whole) {
                self.notes.expr(whole, Note::Reject { location, yields: Yields::Result, nested });
            }
            return;
        }
        self.finish(value, whole);
    }
}

fn wrap_hint(expr: &Expr, value: &Lowered) -> String {
    let instead = match (value, expr) {
        (Lowered::Atom(_), _) => format!("write `Ok({})`", text::source(expr)),
        _ => "write `Ok(())` as the last line".to_owned(),
    };
    format!("the function returns a `TxResult`; {instead}")
}
