//! References to local values. A shared one is the value itself: it can be copied, and rustc lets nothing change it meanwhile. An
//! exclusive one is another name for a place.

use syn::{Expr, ExprReference, LocalInit, Pat, PatIdent, Type};

use super::checks::TypeCheck;
use super::lower::{Lowered, Lowering, Resolution};
use super::notes::Note;
use super::part::part_of;
use super::places::PlaceExpr;
use super::signature::ParamSyntax;
use super::source_span::At;
use super::tree::{GENERATED, strip};
use super::types::lent;
use super::{signature, text};
use crate::front::diag::Rule;
use crate::infer::Class;
use crate::ir::open::{Atom, ParamRole, Rvalue, Step, TyId};

impl Lowering<'_> {
    /// Parses `&value`.
    pub(super) fn shared_reference(&mut self, whole: &Expr, node: &ExprReference) -> Lowered {
        if self.is_array(&node.expr) {
            return self.array_name(whole);
        }
        if let Expr::Closure(_) | Expr::Range(_) = strip(&node.expr) {
            return self.unsupported(whole);
        }
        if let Some(part) = part_of(&node.expr) {
            return Lowered::Atom(self.part(&node.expr, part));
        }
        let by_name = self.is_reference(&node.expr).is_some();
        let value = match by_name {
            true => Lowered::Atom(self.operand(&node.expr)),
            false => self.expr(&node.expr, None),
        };
        self.notes.expr(whole, if by_name { Note::Copied } else { Note::Erased });
        value
    }

    /// Parses `option.copied()` and the like: an `Option` of references is one of values here.
    pub(super) fn of_reference(&mut self, whole: &Expr, call: &syn::ExprMethodCall, receiver: Atom) -> Lowered {
        let by_name = self.is_reference(&call.receiver).is_some();
        self.notes.expr(whole, if by_name { Note::Copied } else { Note::Erased });
        let inner = self.infer.fresh(Class::Any);
        let (option, of) = (self.infer.fresh(Class::Option(inner)), self.type_of(&receiver));
        if self.infer.is_later(of) {
            self.infer.mark_later(inner);
        }
        let method = &call.method;
        self.same(of, option, method, |have, _| format!("only an `Option` has `{method}`, but this is {have}"));
        Lowered::Atom(receiver)
    }

    /// Parses a value that generated code compares, so its type has `Ord`.
    pub(super) fn ordered(&mut self, whole: &Expr, call: &syn::ExprCall) -> Lowered {
        let Some(value) = call.args.first() else { return Lowered::Failed };
        let atom = self.scalar(value);
        let ty = self.type_of(&atom);
        let known = self.infer.answer(ty).is_some() || matches!(self.infer.class(ty), Class::Int);
        self.notes.expr(whole, if known { Note::Erased } else { Note::Total });
        self.checks.operators.push((TypeCheck::Ordered(ty), call.func.source_span()));
        Lowered::Atom(atom)
    }

    /// Notes whether the value that patterns examine from now on may be a reference. Returns what held before.
    pub(super) fn examine(&mut self, value: &Expr) -> bool {
        let refers = self.may_refer(value) || self.is_reference(value).is_some();
        std::mem::replace(&mut self.examines_references, refers)
    }

    /// Returns whether `*` before the expression can be that of a shared reference.
    pub(super) fn may_refer(&self, inner: &Expr) -> bool {
        match strip(inner) {
            Expr::Tuple(node) => node.elems.iter().any(|part| self.may_refer(part)),
            Expr::Array(node) => node.elems.iter().any(|part| self.may_refer(part)),
            Expr::Field(node) => self.may_refer(&node.base),
            Expr::Index(node) => self.may_refer(&node.expr) || gives(&node.index),
            path @ Expr::Path(_) if gives(path) => true,
            Expr::Path(_) => match self.bound(inner) {
                Some(Resolution::Var(var)) => self.referring.contains(&var),
                Some(Resolution::Place(var)) => self.signature.lends && !self.vars[var.0 as usize].mutable,
                _ => false,
            },
            Expr::Unary(node) if matches!(node.op, syn::UnOp::Deref(_)) => {
                self.may_refer(&node.expr) || self.is_reference(&node.expr).is_some()
            }
            // A verb gives a value.
            Expr::Try(node) => !matches!(strip(&node.expr), Expr::MethodCall(call) if self.is_tx(&call.receiver)),
            other => gives(other),
        }
    }

    /// Returns whether the expression is `&mut place`, or the name of such a reference.
    pub(super) fn refers_to_place(&self, expr: &Expr) -> bool {
        let expr = strip(expr);
        matches!(expr, Expr::Reference(node) if node.mutability.is_some()) || self.is_reference(expr) == Some(true)
    }

    /// Returns the place that `&mut place`, or the name of such a reference, leads to.
    pub(super) fn changed_place(&mut self, expr: &Expr) -> Option<PlaceExpr> {
        match strip(expr) {
            Expr::Reference(node) if node.mutability.is_some() => self.place(&node.expr),
            name if self.is_reference(name) == Some(true) => self.part_of(name),
            _ => None,
        }
    }

    /// Returns the present value of such a place, and notes where it lies.
    pub(super) fn changed_value(&mut self, expr: &Expr) -> Option<Atom> {
        let place = self.changed_place(expr)?;
        let value = self.load(&place, expr);
        let value = self.freeze(value, expr);
        if let Atom::Var(var) = value {
            self.places.insert(var, place);
        }
        Some(value)
    }

    /// Returns a part of a value that patterns examine, and notes its place where the whole has one.
    pub(super) fn examined_part(&mut self, value: &Atom, (part, step): (Rvalue, Step), ty: TyId, at: &Pat) -> Atom {
        let part = self.temp(part, ty, at);
        if let (Atom::Var(whole), Atom::Var(part)) = (value, &part)
            && let Some(mut place) = self.places.get(whole).cloned()
        {
            place.steps.push(step);
            place.ty = ty;
            self.places.insert(*part, place);
        }
        part
    }

    /// Makes a name another name for the place whose value a pattern examines. Returns whether there is one.
    pub(super) fn names_place(&mut self, ident: &PatIdent, value: &Atom) -> bool {
        let Atom::Var(var) = value else { return false };
        let Some(place) = self.places.get(var).filter(|_| ident.mutability.is_none()).cloned() else { return false };
        signature::check_name(&ident.ident, self.diags);
        self.aliases.push(place);
        self.bind(text::key(&ident.ident), Resolution::Alias(self.aliases.len() - 1));
        true
    }

    pub(super) fn no_other_place(&mut self, token: &syn::Token![mut]) {
        let message =
            "a `&mut` reference stays with its place here; remove the `mut`, and use another name for another place";
        self.diags.report(Rule::Expression, token, message);
    }

    /// Parses `let name = &mut place;`: rustc ensures that the name is the only way to the place while it is used.
    pub(super) fn exclusive_reference(&mut self, ident: &PatIdent, written: Option<&Type>, node: &ExprReference) {
        signature::check_name(&ident.ident, self.diags);
        let key = text::key(&ident.ident);
        if let Some(token) = &ident.mutability {
            self.no_other_place(token);
        }
        let written = written.map(|ty| match ty {
            Type::Reference(reference) => &*reference.elem,
            other => other,
        });
        let ascribed = written.map(|ty| self.written_type(ty));
        let Some(place) = self.place(&node.expr) else {
            self.bind(key, Resolution::Refused);
            return;
        };
        if let Some(ascribed) = ascribed {
            self.same(ascribed, place.ty, &*node.expr, |want, have| {
                format!("the reference leads to {want}, but this is {have}")
            });
        }
        if place.is_indexed() {
            // The index is checked here, as in Rust, and not where the name is used.
            self.load(&place, &node.expr);
        }
        self.aliases.push(place);
        self.bind(key, Resolution::Alias(self.aliases.len() - 1));
    }
}

/// Returns the `&mut place` that a variable is declared with.
pub(super) fn exclusive(init: &LocalInit) -> Option<&ExprReference> {
    match strip(&init.expr) {
        Expr::Reference(node) if node.mutability.is_some() && init.diverge.is_none() => Some(node),
        _ => None,
    }
}

fn gives(expr: &Expr) -> bool {
    match expr {
        Expr::Path(node) => node.path.get_ident().is_some_and(|name| name.to_string().starts_with(GENERATED)),
        Expr::Reference(_) | Expr::MethodCall(_) | Expr::Call(_) | Expr::Loop(_) => true,
        Expr::Block(node) => ends_in_reference(&node.block),
        Expr::Match(node) => node.arms.iter().any(|arm| inside(&arm.body)),
        Expr::If(node) => {
            ends_in_reference(&node.then_branch) || node.else_branch.as_ref().is_some_and(|(_, other)| inside(other))
        }
        _ => false,
    }
}

/// Returns whether a value inside of another expression can be a reference: the names around it are not known any more.
fn inside(expr: &Expr) -> bool {
    match strip(expr) {
        Expr::Path(_) | Expr::Field(_) | Expr::Index(_) | Expr::Unary(_) | Expr::Try(_) => true,
        Expr::Tuple(node) => node.elems.iter().any(inside),
        Expr::Array(node) => node.elems.iter().any(inside),
        other => gives(other),
    }
}

fn ends_in_reference(block: &syn::Block) -> bool {
    matches!(block.stmts.last(), Some(syn::Stmt::Expr(value, None)) if inside(value))
}

/// The name of the implementing type in a default method, outside of the trait.
pub(crate) const OWNER: &str = "StmSelf";

/// Returns whether no call determines a parameter: a lifetime, or the type that has a default method.
fn is_determined(param: &syn::GenericParam) -> bool {
    match param {
        syn::GenericParam::Lifetime(_) => true,
        syn::GenericParam::Type(param) => param.ident == OWNER,
        syn::GenericParam::Const(_) => false,
    }
}

impl ParamSyntax {
    /// Returns `T` of `&T`, which the host version also takes as a value: what a call lends is one. Types that a call determines stay.
    pub(crate) fn lent(&self, generics: &syn::Generics) -> Option<&Type> {
        let value =
            self.role == ParamRole::Value && self.receiver.is_none() && generics.params.iter().all(is_determined);
        lent(&self.ty).filter(|of| value && !matches!(of, Type::Slice(_)))
    }
}
