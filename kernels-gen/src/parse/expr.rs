//! Expressions that give a value.

use syn::{Expr, ExprMethodCall, ExprPath};

use super::lower::{Binding, Lowering, Value};
use super::text;
use crate::diag::{Rule, nearest};
use crate::ir::Atom;
use crate::spec::Scalar;

impl Lowering<'_> {
    /// An expression that has to give a scalar.
    pub(super) fn scalar(&mut self, expr: &Expr) -> Atom {
        let value = self.expr(expr, None);
        self.need(value, expr)
    }

    /// Any expression. `hint` is the type that a cast directly around it asks for: as in rustc, a literal takes it,
    /// also through parentheses, signs and blocks, but not through `if`.
    pub(super) fn expr(&mut self, expr: &Expr, hint: Option<Scalar>) -> Value {
        if let Some(attr) = attributes(expr).first() {
            let message = "attributes inside a transaction have no meaning on the device; remove this one";
            self.diags.report(Rule::Statement, attr, message);
        }
        match expr {
            Expr::Lit(node) => self.literal(expr, &node.lit, None, hint),
            Expr::Path(node) => self.path(expr, node),
            Expr::Paren(node) => self.expr(&node.expr, hint),
            Expr::Group(node) => self.expr(&node.expr, hint),
            Expr::Unary(node) => self.unary(expr, node, hint),
            Expr::Binary(node) => self.binary(expr, node),
            Expr::Cast(node) => self.cast(expr, node),
            Expr::Assign(node) => self.assign(expr, node),
            Expr::Block(node) if node.label.is_none() => self.block_value(&node.block, hint),
            Expr::If(node) => self.branch(expr, node),
            Expr::While(node) => self.while_loop(expr, node),
            Expr::Loop(node) => self.endless_loop(expr, node),
            Expr::ForLoop(node) => self.for_loop(expr, node),
            Expr::Break(node) => self.break_loop(expr, node),
            Expr::Continue(node) => self.continue_loop(expr, node),
            Expr::Return(node) => self.return_expr(expr, node),
            Expr::Try(node) => self.try_expr(expr, node),
            Expr::MethodCall(node) => self.method(expr, node),
            Expr::Tuple(node) if node.elems.is_empty() => Value::Unit,
            _ => self.unsupported(expr),
        }
    }

    fn path(&mut self, expr: &Expr, path: &ExprPath) -> Value {
        if let Some(value) = self.associated(path) {
            return value;
        }
        let name = match path.path.get_ident() {
            Some(ident) if path.qself.is_none() => text::plain(ident),
            _ => {
                let message = format!(
                    "`{}` is not a local variable, and a transaction sees only its parameters and locals in this version; \
                     write the value, or pass it as a parameter",
                    text::source(expr)
                );
                self.diags.report(Rule::Name, expr, message);
                return Value::Failed;
            }
        };
        match self.lookup(&name) {
            Some(Binding::Var(var)) => Value::Scalar(Atom::Var(var)),
            Some(Binding::Region(_)) => {
                let message = format!("`{name}` is a shared region; read an element with `tx.read({name}, index)?`");
                self.diags.report(Rule::SharedState, expr, message);
                Value::Failed
            }
            Some(Binding::Tx) => {
                let message =
                    format!("`{name}` can only be used through its methods, as in `{name}.read(region, index)?`");
                self.diags.report(Rule::SharedState, expr, message);
                Value::Failed
            }
            None => {
                self.unknown_name(expr, &name);
                Value::Failed
            }
        }
    }

    pub(super) fn unknown_name(&mut self, expr: &Expr, name: &str) {
        let hint = match nearest(name, &self.names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "write the value of a constant, or pass it as a parameter".to_owned(),
        };
        let message = format!("`{name}` is no parameter or local variable of this transaction; {hint}");
        self.diags.report(Rule::Name, expr, message);
    }

    /// A method call without `?` after it, at a place where a value is wanted.
    fn method(&mut self, expr: &Expr, call: &ExprMethodCall) -> Value {
        if !self.is_tx(&call.receiver) {
            let message = format!(
                "the method `{}` has no meaning on the device in this version; use operators and `as`, \
                 or compute the value before the call and pass it",
                call.method
            );
            self.diags.report(Rule::Method, &call.method, message);
            return Value::Failed;
        }
        let value = self.verb(expr, call);
        if !matches!(value, Value::Failed) {
            let message = format!(
                "the result of `{}` is not passed on, so the attempt would go on after a conflict; write `{}?`",
                text::source(&call.receiver) + "." + &call.method.to_string(),
                text::source(expr)
            );
            self.diags.report(Rule::MissingTry, expr, message);
        }
        Value::Failed
    }

    pub(super) fn is_tx(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(inner) => self.is_tx(&inner.expr),
            Expr::Group(inner) => self.is_tx(&inner.expr),
            Expr::Path(path) => {
                let name = path.path.get_ident().map(text::plain);
                matches!(name.as_deref().and_then(|n| self.lookup(n)), Some(Binding::Tx))
            }
            _ => false,
        }
    }
}

/// The attributes of the accepted kinds of expression.
fn attributes(expr: &Expr) -> &[syn::Attribute] {
    match expr {
        Expr::Lit(e) => &e.attrs,
        Expr::Path(e) => &e.attrs,
        Expr::Paren(e) => &e.attrs,
        Expr::Unary(e) => &e.attrs,
        Expr::Binary(e) => &e.attrs,
        Expr::Cast(e) => &e.attrs,
        Expr::Assign(e) => &e.attrs,
        Expr::Block(e) => &e.attrs,
        Expr::If(e) => &e.attrs,
        Expr::While(e) => &e.attrs,
        Expr::Loop(e) => &e.attrs,
        Expr::ForLoop(e) => &e.attrs,
        Expr::Break(e) => &e.attrs,
        Expr::Continue(e) => &e.attrs,
        Expr::Return(e) => &e.attrs,
        Expr::Try(e) => &e.attrs,
        Expr::MethodCall(e) => &e.attrs,
        _ => &[],
    }
}
