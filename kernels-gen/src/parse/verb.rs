//! The verbs of `tx`: the complete list, and how each becomes a statement.

use syn::{Expr, ExprMethodCall, ExprTry};

use super::lower::{Binding, Lowering, Value};
use super::notes::{Note, Yields};
use super::operator::Check;
use super::text;
use crate::analysis::infer::Class;
use crate::diag::{Extent, Rule, nearest};
use crate::ir::{Atom, RegionId, StmtKind};
use crate::spec::{Scalar, SiteKind};

/// A verb: its name, and how it is called.
const VERBS: [(&str, &str, usize); 4] = [
    ("read", "tx.read(region, index)?", 2),
    ("write", "tx.write(region, index, value)?", 3),
    ("guard", "tx.guard(condition)?", 1),
    ("reject", "tx.reject(code)?", 1),
];

impl Lowering<'_> {
    pub(super) fn try_expr(&mut self, whole: &Expr, node: &ExprTry) -> Value {
        match strip(&node.expr) {
            Expr::MethodCall(call) if self.is_tx(&call.receiver) => self.verb(strip(&node.expr), call),
            Expr::MethodCall(_) | Expr::Call(_) | Expr::Macro(_) => self.expr(&node.expr, None),
            _ => self.refuse(
                whole,
                "`?` on anything but a method of `tx`",
                "write for example `tx.read(region, index)?`",
            ),
        }
    }

    /// A call of a verb; what its `?` gives.
    pub(super) fn verb(&mut self, whole: &Expr, call: &ExprMethodCall) -> Value {
        let name = call.method.to_string();
        let Some((_, form, arity)) = VERBS.iter().find(|v| v.0 == name) else {
            self.unknown_verb(call, &name);
            return Value::Failed;
        };
        if let Some(turbofish) = &call.turbofish {
            self.diags.report(Rule::Method, turbofish, format!("the types are inferred; write `{form}`"));
        }
        if call.args.len() != *arity {
            let message =
                format!("`{name}` takes {arity} argument{}; write `{form}`", if *arity == 1 { "" } else { "s" });
            self.diags.report(Rule::Method, whole, message);
            return Value::Failed;
        }
        if self.in_guard && name != "read" {
            let message =
                format!("a guard's condition is checked again and again, so it only reads; move `{name}` out of it");
            self.diags.report(Rule::GuardEffect, whole, message);
        }
        let args: Vec<&Expr> = call.args.iter().collect();
        match name.as_str() {
            "read" => self.read(whole, &args),
            "write" => self.write(whole, &args),
            "guard" => self.guard(whole, args[0]),
            _ => self.reject(whole, args[0]),
        }
    }

    fn unknown_verb(&mut self, call: &ExprMethodCall, name: &str) {
        let names: Vec<&str> = VERBS.iter().map(|v| v.0).collect();
        let hint = match (name, nearest(name, &names)) {
            ("update", _) => "write `let old = tx.read(region, index)?; tx.write(region, index, new)?`".to_owned(),
            ("abort" | "retry", _) => {
                "conflicts are retried by themselves; to wait for a condition write `tx.guard(condition)?`".to_owned()
            }
            (_, Some(near)) => format!("did you mean `{near}`?"),
            _ => format!("it has `{}`", names.join("`, `")),
        };
        self.diags.report(Rule::Method, &call.method, format!("`tx` has no method `{name}`; {hint}"));
    }

    fn region(&mut self, expr: &Expr) -> Option<(RegionId, String)> {
        if let Expr::Path(path) = strip(expr) {
            let name = path.path.get_ident().map(text::plain).unwrap_or_default();
            match self.lookup(&name) {
                Some(Binding::Region(region)) => return Some((region, name)),
                None if path.path.get_ident().is_some() => {
                    self.unknown_name(expr, &name);
                    return None;
                }
                _ => {}
            }
        }
        let message = match strip(expr) {
            Expr::Reference(inner) => {
                format!("a region parameter is a reference already; write `{}`", text::source(&inner.expr))
            }
            _ => "the first argument is the name of a region parameter, as in `accounts: &Shared<i64>`".to_owned(),
        };
        self.diags.report(Rule::Mismatch, expr, message);
        None
    }

    fn index(&mut self, expr: &Expr) -> Atom {
        let index = self.scalar(expr);
        let ty = self.type_of(&index);
        self.checks.operators.push((Check::Index(ty), Extent::of(expr)));
        index
    }

    fn read(&mut self, whole: &Expr, args: &[&Expr]) -> Value {
        let region = self.region(args[0]);
        let index = self.index(args[1]);
        let Some((region, name)) = region else { return Value::Failed };
        let site = self.access(whole, args, &name, SiteKind::Read { in_loop: !self.loops.is_empty() });
        let ty = self.vars[region.0 as usize].ty;
        let var = self.var(None, ty, false);
        self.push(StmtKind::Read { var, region, index, site }, whole);
        Value::Scalar(Atom::Var(var))
    }

    fn write(&mut self, whole: &Expr, args: &[&Expr]) -> Value {
        let region = self.region(args[0]);
        let index = self.index(args[1]);
        let index = self.settle(index, args[1], [args[2]]);
        let value = self.scalar(args[2]);
        let Some((region, name)) = region else { return Value::Failed };
        let (want, have) = (self.vars[region.0 as usize].ty, self.type_of(&value));
        self.same(want, have, args[2], |want, have| format!("`{name}` holds {want}, but this is {have}"));
        let site = self.access(whole, args, &name, SiteKind::Write { in_loop: !self.loops.is_empty() });
        self.push(StmtKind::Write { region, index, value, site }, whole);
        Value::Unit
    }

    fn access(&mut self, whole: &Expr, args: &[&Expr], name: &str, what: SiteKind) -> crate::ir::SiteId {
        let site = self.site(what, text::shorten(&format!("{name}[{}]", text::source(args[1]))), whole);
        let nested = args.iter().any(|arg| calls_verb(arg));
        self.notes.expr(whole, Note::Verb { site, nested });
        site
    }

    fn guard(&mut self, whole: &Expr, argument: &Expr) -> Value {
        let outer = std::mem::replace(&mut self.in_guard, true);
        let condition = self.condition(argument, "the condition of a guard");
        self.in_guard = outer;
        let site = self.site(SiteKind::Guard, text::source(argument), whole);
        self.notes.expr(whole, Note::Verb { site, nested: calls_verb(argument) });
        self.push(StmtKind::Guard { condition, site }, whole);
        Value::Unit
    }

    fn reject(&mut self, whole: &Expr, argument: &Expr) -> Value {
        let code = self.scalar(argument);
        self.expect(Scalar::U32, &code, argument, "the code of a rejection");
        let site = self.site(SiteKind::Reject, text::source(argument), whole);
        let ty = self.infer.fresh(Class::Dead);
        self.notes.expr(whole, Note::Reject { site, yields: Yields::Inferred(ty), nested: calls_verb(argument) });
        self.push(StmtKind::Reject { code, site }, whole);
        Value::Never(Some(ty))
    }
}

/// The expression without parentheses.
pub(super) fn strip(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(inner) => strip(&inner.expr),
        Expr::Group(inner) => strip(&inner.expr),
        other => other,
    }
}

/// The expression calls a method, or contains something that becomes a fallible call in the printed Rust.
fn calls_verb(expr: &Expr) -> bool {
    struct Finder(bool);
    impl<'ast> syn::visit::Visit<'ast> for Finder {
        fn visit_expr_method_call(&mut self, _: &'ast ExprMethodCall) {
            self.0 = true;
        }
    }
    let mut finder = Finder(false);
    syn::visit::Visit::visit_expr(&mut finder, expr);
    finder.0
}
