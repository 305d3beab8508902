//! The verbs, which are the methods of `tx`: the complete list, and the statement for each.

use syn::{Expr, ExprMethodCall, ExprTry};

use super::checks::TypeCheck;
use super::lower::{Lowered, Lowering};
use super::notes::{Note, Notes, Yields};
use super::source_span::At;
use super::text;
use super::tree::{INDEX, strip};
use crate::front::diag::{Rule, nearest};
use crate::infer::Class;
use crate::ir::open::{Atom, Rvalue, StmtKind, TyId};
use crate::ir::{ArrayId, LocationId};
use crate::spec::{LocationKind, Scalar};

/// A verb: its name, its call syntax, and the number of its arguments.
const VERBS: [(&str, &str, usize); 4] = [
    ("read", "tx.read(array, index)?", 2),
    ("write", "tx.write(array, index, value)?", 3),
    ("guard", "tx.guard(condition)?", 1),
    ("reject", "tx.reject(code)?", 1),
];

impl Lowering<'_> {
    pub(super) fn try_expr(&mut self, whole: &Expr, node: &ExprTry) -> Lowered {
        match strip(&node.expr) {
            Expr::MethodCall(call) if self.is_tx(&call.receiver) => self.verb(strip(&node.expr), call),
            Expr::Call(call) if self.tries() => self.call(strip(&node.expr), call, true),
            Expr::MethodCall(call) if self.tries() && self.is_user_method(call) => {
                self.user_method(strip(&node.expr), call, true)
            }
            Expr::Macro(_) => self.expr(&node.expr, None),
            _ if self.tries() => {
                if let Lowered::Failed = self.expr(&node.expr, None) {
                    return Lowered::Failed;
                }
                let what = text::source(&node.expr);
                let message = format!(
                    "`?` comes after a method of `tx` or a call that returns a `TxResult`; where `{what}` is an `Option`, \
                     write `let Some(value) = {what} else {{ return tx.reject(1) }};`, and `Ok(value)` where it is a `Result`"
                );
                self.diags.report(Rule::Expression, whole, message);
                Lowered::Failed
            }
            _ => match self.infer.class(self.result_type) {
                Class::Result(_, err) => {
                    let err = *err;
                    self.try_result(whole, node, err)
                }
                _ => self.try_option(whole, node),
            },
        }
    }

    /// Parses `option?` in a function that returns an `Option`.
    fn try_option(&mut self, whole: &Expr, node: &ExprTry) -> Lowered {
        let value = self.scalar(&node.expr);
        let inner = self.infer.fresh(Class::Any);
        let of = self.type_of(&value);
        if let Class::Result(..) = self.infer.class(of) {
            let have = self.infer.words(&self.infer.class(self.result_type).clone());
            let message = format!(
                "`?` leaves the function with an `Err`, but it returns {have}; return a `Result`, or write `match`"
            );
            self.diags.report(Rule::Result, whole, message);
            return Lowered::Failed;
        }
        if self.infer.is_later(of) {
            self.infer.mark_later(inner);
        }
        let option = self.infer.fresh(Class::Option(inner));
        self.same(of, option, &*node.expr, |have, _| format!("`?` needs an `Option` here, but this is {have}"));
        let (given, other) = (self.result_type, self.infer.fresh(Class::Any));
        let want = self.infer.fresh(Class::Option(other));
        self.same(given, want, whole, |have, _| {
            format!("`?` leaves the function with `None`, but it returns {have}; return an `Option` or a `TxResult`")
        });
        let truth = self.known(Scalar::Bool);
        let is_some = self.temp(Rvalue::IsSome(value.clone()), truth, whole);
        let (out, ()) = self.block(|this| {
            let none = this.temp(Rvalue::None, given, whole);
            this.push(StmtKind::Return(vec![none]), whole);
        });
        self.push(StmtKind::If { condition: is_some, then: Vec::new(), other: out.stmts }, whole);
        self.notes.expr(whole, Note::Return);
        Lowered::Atom(self.temp(Rvalue::Inner(value), inner, whole))
    }

    /// Rejects a verb without `?` after it where a value is needed.
    pub(super) fn verb_alone(&mut self, whole: &Expr, call: &ExprMethodCall) -> Lowered {
        let value = self.verb(whole, call);
        if !matches!(value, Lowered::Failed) {
            let (tx, verb) = (text::source(&call.receiver), verb_name(call));
            let why = match verb.as_str() {
                "guard" => "the transaction would go on where the condition is false",
                "reject" => "the transaction would go on",
                _ => "the attempt would go on after a conflict",
            };
            let instead = match verb.as_str() {
                "update" => format!("{tx}.update(..)?"),
                _ => text::source(whole) + "?",
            };
            let message = format!("the result of `{tx}.{verb}` is not passed on, so {why}; write `{instead}`");
            self.diags.report(Rule::MissingTry, whole, message);
        }
        Lowered::Failed
    }

    /// Parses a call of a verb and returns the value of its `?`.
    pub(super) fn verb(&mut self, whole: &Expr, call: &ExprMethodCall) -> Lowered {
        let name = call.method.to_string();
        let Some((_, form, arity)) = VERBS.iter().find(|v| v.0 == name) else {
            self.unknown_verb(call, &name);
            return Lowered::Failed;
        };
        if let Some(turbofish) = &call.turbofish {
            self.diags.report(Rule::Method, turbofish, format!("the types are inferred; write `{form}`"));
        }
        if call.args.len() != *arity {
            let message =
                format!("`{name}` takes {arity} argument{}; write `{form}`", if *arity == 1 { "" } else { "s" });
            self.diags.report(Rule::Method, whole, message);
            return Lowered::Failed;
        }
        if self.in_guard && name != "read" {
            let message = format!(
                "a guard's condition is checked again and again, so it only reads; move `{}` out of it",
                verb_name(call)
            );
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
        if name == "update" && call.args.len() == 3 {
            // The problem was reported during desugaring.
            return;
        }
        if name == "update" {
            let message = "`update` takes 3 arguments; write `tx.update(array, index, |value| value + 1)?`";
            self.diags.report(Rule::Method, call, message);
            return;
        }
        let names: Vec<&str> = VERBS.iter().map(|v| v.0).chain(["update"]).collect();
        let hint = match (name, nearest(name, &names)) {
            ("abort" | "retry", _) => {
                "the engine retries conflicts; to wait for a condition write `tx.guard(condition)?`".to_owned()
            }
            (_, Some(near)) => format!("did you mean `{near}`?"),
            _ => format!("it has `{}`", names.join("`, `")),
        };
        self.diags.report(Rule::Method, &call.method, format!("`tx` has no method `{name}`; {hint}"));
    }

    /// Returns the array that a verb works on: a parameter, or a field of one.
    fn shared_array(&mut self, expr: &Expr) -> Option<(ArrayId, Vec<String>, TyId)> {
        if self.is_array(expr) {
            let found = self.array_path(expr);
            if let Some((_, fields, _)) = &found
                && !fields.is_empty()
                && !matches!(strip(expr), Expr::Reference(_))
            {
                self.notes.expr(expr, Note::Array);
            }
            return found;
        }
        if let Expr::Path(path) = strip(expr)
            && let Some(ident) = path.path.get_ident()
            && self.lookup(&text::key(ident)).is_none()
        {
            self.unknown_name(expr, &text::plain(ident));
            return None;
        }
        match self.expr(expr, None) {
            Lowered::Atom(atom) => {
                if let Some((array, element)) = self.named_array(&atom, expr) {
                    return Some((array, Vec::new(), element));
                }
                let ty = self.type_of(&atom);
                // Its declaration was rejected.
                if *self.infer.class(ty) == Class::Dead {
                    return None;
                }
            }
            Lowered::Failed => return None,
            _ => {}
        }
        let message = "the first argument is an array parameter, as in `accounts: &Shared<i64>`, or a field of one; where a struct holds \
                       arrays, pass each of them";
        self.diags.report(Rule::Mismatch, expr, message);
        None
    }

    fn index(&mut self, expr: &Expr) -> Atom {
        let index = self.scalar(expr);
        let ty = self.type_of(&index);
        self.checks.operators.push((TypeCheck::Index(ty), expr.source_span()));
        index
    }

    fn read(&mut self, whole: &Expr, args: &[&Expr]) -> Lowered {
        let array = self.shared_array(args[0]);
        let index = self.index(args[1]);
        let Some((array, fields, ty)) = array else { return Lowered::Failed };
        let location = self.access(whole, args, LocationKind::Read { in_loop: !self.loops.is_empty() });
        let var = self.var(None, ty, false);
        self.push(StmtKind::Read { var, array, fields, index, location }, whole);
        Lowered::Atom(Atom::Var(var))
    }

    fn write(&mut self, whole: &Expr, args: &[&Expr]) -> Lowered {
        let array = self.shared_array(args[0]);
        let index = self.index(args[1]);
        let index = self.settle(index, args[1], [args[2]]);
        let value = self.scalar(args[2]);
        let Some((array, fields, want)) = array else { return Lowered::Failed };
        let have = self.type_of(&value);
        let name = array_name(args[0]);
        self.same(want, have, args[2], |want, have| format!("`{name}` holds {want}, but this is {have}"));
        let location = self.access(whole, args, LocationKind::Write { in_loop: !self.loops.is_empty() });
        self.push(StmtKind::Write { array, fields, index, value, location }, whole);
        Lowered::Unit
    }

    fn access(&mut self, whole: &Expr, args: &[&Expr], what: LocationKind) -> LocationId {
        let (name, index) = (array_name(args[0]), text::of_expr(args[1]));
        // Desugaring has renamed the index of `tx.update`.
        let index = if index == INDEX { &self.update_index } else { &index };
        let text = text::shorten(&format!("{name}[{index}]"));
        let location = self.location(what, text, whole);
        let nested = args.iter().any(|arg| self.uses_handle(arg));
        self.notes.expr(whole, Note::Verb { location, nested });
        location
    }

    fn guard(&mut self, whole: &Expr, argument: &Expr) -> Lowered {
        let outer = std::mem::replace(&mut self.in_guard, true);
        let condition = self.condition(argument, "the condition of a guard");
        self.in_guard = outer;
        let location = self.location(LocationKind::Guard, text::of_expr(argument), whole);
        self.notes.expr(whole, Note::Verb { location, nested: self.uses_handle(argument) });
        self.push(StmtKind::Guard { condition, location }, whole);
        Lowered::Unit
    }

    fn reject(&mut self, whole: &Expr, argument: &Expr) -> Lowered {
        let code = self.scalar(argument);
        self.expect(Scalar::U32, &code, argument, "the code of a rejection");
        let location = self.location(LocationKind::Reject, text::of_expr(argument), whole);
        let ty = self.infer.fresh(Class::Dead);
        self.notes
            .expr(whole, Note::Reject { location, yields: Yields::Inferred(ty), nested: self.uses_handle(argument) });
        self.push(StmtKind::Reject { code, location }, whole);
        Lowered::Never(Some(ty))
    }
}

/// Returns the verb that the user wrote: a write to the index of `tx.update` belongs to one.
pub(super) fn verb_name(call: &ExprMethodCall) -> String {
    let index = call.args.iter().nth(1).map(text::source);
    match index.as_deref() {
        Some(INDEX) => "update".to_owned(),
        _ => call.method.to_string(),
    }
}

/// Returns an array as people write it, without `&`.
fn array_name(expr: &Expr) -> String {
    match strip(expr) {
        Expr::Reference(node) => text::source(&node.expr),
        other => text::source(other),
    }
}

impl Lowering<'_> {
    /// Returns whether evaluating the expression on the host uses `tx`: calls do, loops, and operators that may be calls.
    fn uses_handle(&self, expr: &Expr) -> bool {
        struct Finder<'a>(bool, &'a Notes);
        impl<'ast> syn::visit::Visit<'ast> for Finder<'_> {
            fn visit_expr_method_call(&mut self, _: &'ast ExprMethodCall) {
                self.0 = true;
            }
            fn visit_expr_call(&mut self, _: &'ast syn::ExprCall) {
                self.0 = true;
            }
            fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {
                self.0 = true;
            }
            fn visit_expr(&mut self, node: &'ast Expr) {
                self.0 |= matches!(node, Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_));
                self.0 |= matches!(self.1.of_expr(node), Some(Note::Operation { .. }));
                syn::visit::visit_expr(self, node);
            }
        }
        let mut finder = Finder(false, &self.notes);
        syn::visit::Visit::visit_expr(&mut finder, expr);
        finder.0
    }
}
