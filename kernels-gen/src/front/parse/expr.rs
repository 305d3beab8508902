//! Expressions that give a value.

use syn::{Expr, ExprPath};

use super::branch::Ends;
use super::lower::{Lowered, Lowering, Resolution};
use super::notes::Note;
use super::text;
use crate::front::diag::{Rule, nearest};
use crate::infer::Class;
use crate::ir::open::Atom;
use crate::spec::Scalar;

impl Lowering<'_> {
    /// Checks an attribute in the body: lints are left to rustc, and other attributes are rejected.
    pub(super) fn check_attribute(&mut self, attr: &syn::Attribute) {
        const LINTS: [&str; 5] = ["allow", "expect", "warn", "deny", "rustfmt"];
        let name = attr.path().segments.first().map(|s| s.ident.to_string()).unwrap_or_default();
        if LINTS.contains(&name.as_str()) {
            return;
        }
        let message = match name.as_str() {
            "cfg" | "cfg_attr" => {
                "the macro sees the source before `cfg` is decided; write `if cfg!(..) { .. }`, which both sides decide alike"
            }
            _ => {
                "attributes inside a transaction have no meaning on the device, except those for lints; remove this one"
            }
        };
        self.diags.report(Rule::Statement, attr, message);
    }

    /// Parses an expression that must give a value.
    pub(super) fn scalar(&mut self, expr: &Expr) -> Atom {
        let value = self.expr(expr, None);
        self.need(value, expr)
    }

    /// Parses any expression. `hint` is the type of a cast directly around it: as in rustc, a literal takes this type,
    /// also through parentheses, signs and blocks, but not through `if`.
    pub(super) fn expr(&mut self, expr: &Expr, hint: Option<Scalar>) -> Lowered {
        attributes(expr).iter().for_each(|attr| self.check_attribute(attr));
        if let Some(end) = self.chosen_end(expr) {
            return end;
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
            Expr::Block(node) => self.labelled_block(expr, node),
            Expr::If(node) => self.branch(expr, node, Ends::Value),
            Expr::Match(node) => self.match_expr(expr, node, Ends::Value),
            Expr::While(node) => self.while_loop(expr, node),
            Expr::Loop(node) => self.endless_loop(expr, node),
            Expr::ForLoop(node) => self.for_loop(expr, node),
            Expr::Break(node) => self.break_loop(expr, node),
            Expr::Continue(node) => self.continue_loop(expr, node),
            Expr::Return(node) => self.return_expr(expr, node),
            Expr::Try(node) => self.try_expr(expr, node),
            Expr::MethodCall(node) => self.method(expr, node),
            Expr::Call(node) => self.call(expr, node, false),
            Expr::Macro(node) => self.macro_call(expr, &node.mac),
            Expr::Tuple(node) if node.elems.is_empty() => Lowered::Unit,
            Expr::Tuple(node) => self.tuple(expr, node),
            Expr::Array(node) => self.array(expr, node),
            Expr::Repeat(node) => self.repeat(expr, node),
            Expr::Struct(node) => self.record(expr, node),
            Expr::Field(node) => self.field(expr, node),
            Expr::Index(node) => self.index_value(expr, node),
            Expr::Reference(node) if node.mutability.is_none() => self.shared_reference(expr, node),
            _ => self.unsupported(expr),
        }
    }

    fn path(&mut self, expr: &Expr, path: &ExprPath) -> Lowered {
        if let Some(value) = self.associated(path) {
            return value;
        }
        if let (Some(none), 1) = (path.path.segments.first(), path.path.segments.len())
            && none.ident == "None"
            && path.qself.is_none()
        {
            let inner = match &none.arguments {
                syn::PathArguments::AngleBracketed(list) => match list.args.first() {
                    Some(syn::GenericArgument::Type(ty)) => self.written_type(ty),
                    _ => self.infer.fresh(Class::Any),
                },
                _ => self.infer.fresh(Class::Any),
            };
            return self.none(expr, Some(inner));
        }
        let Some(ident) = path.path.get_ident().filter(|_| path.qself.is_none()) else {
            // Only rustc can resolve it; if it is not a constant, rustc reports that.
            return Lowered::Atom(self.constant(expr));
        };
        let name = text::plain(ident);
        match self.lookup(&text::key(ident)) {
            Some(Resolution::Var(var)) => Lowered::Atom(Atom::Var(var)),
            Some(Resolution::Refused) => Lowered::Failed,
            Some(Resolution::Unit) => Lowered::Unit,
            // A reference that the function returns is its value here.
            Some(Resolution::Place(var)) if self.signature.lends && !self.vars[var.0 as usize].mutable => {
                self.notes.expr(expr, Note::Copied);
                Lowered::Atom(Atom::Var(var))
            }
            Some(Resolution::Place(_) | Resolution::Alias(_)) => {
                let message = format!("`{name}` is a reference; its value is `*{name}`");
                self.diags.report(Rule::Mismatch, expr, message);
                Lowered::Failed
            }
            Some(Resolution::Array(_)) => self.array_name(expr),
            Some(Resolution::Tx) => {
                let message =
                    format!("`{name}` can only be used through its methods, as in `{name}.read(array, index)?`");
                self.diags.report(Rule::SharedState, expr, message);
                Lowered::Failed
            }
            None if name.chars().next().is_some_and(char::is_uppercase) => Lowered::Atom(self.constant(expr)),
            None => {
                self.unknown_name(expr, &name);
                Lowered::Failed
            }
        }
    }

    pub(super) fn unknown_name(&mut self, expr: &Expr, name: &str) {
        let hint = match nearest(name, &self.names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "constants start with a capital letter here; other values are passed as parameters".to_owned(),
        };
        if self.signature.captures && nearest(name, &self.names()).is_none() {
            let message = format!(
                "`{name}` is not a parameter of the closure; declare it as a capture, with its type: \
                 `gpu_transaction!(captures({name}: i64), |tx: &mut Tx, ..| ..)`"
            );
            self.diags.report(Rule::Captures, expr, message);
            return;
        }
        let message = format!("`{name}` is not a parameter or local variable of this function; {hint}");
        self.diags.report(Rule::Name, expr, message);
    }

    pub(super) fn is_tx(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Paren(inner) => self.is_tx(&inner.expr),
            Expr::Group(inner) => self.is_tx(&inner.expr),
            Expr::Path(path) => {
                let name = path.path.get_ident().map(text::key);
                matches!(name.as_deref().and_then(|n| self.lookup(n)), Some(Resolution::Tx))
            }
            _ => false,
        }
    }
}

/// Returns the attributes of the accepted kinds of expression.
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
        Expr::Call(e) => &e.attrs,
        Expr::Match(e) => &e.attrs,
        Expr::Macro(e) => &e.attrs,
        Expr::Tuple(e) => &e.attrs,
        Expr::Array(e) => &e.attrs,
        Expr::Repeat(e) => &e.attrs,
        Expr::Struct(e) => &e.attrs,
        Expr::Field(e) => &e.attrs,
        Expr::Index(e) => &e.attrs,
        _ => &[],
    }
}
