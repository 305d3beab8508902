//! Calls of methods that have the name of a built-in one, where only rustc knows the type: in Rust a method of the user's own type
//! wins. Such a call leads to that method, or, where rustc finds none, to the built-in one.

use syn::{Expr, ExprMethodCall, TypeParamBound, WherePredicate};

use super::external::{CallSite, Called, Receiver};
use super::lower::{Lowered, Lowering, Resolution};
use super::method::OPTION;
use super::notes::Note;
use super::results::RESULT;
use super::source_span::At;
use super::text;
use super::tree::strip;
use super::{Signature, built_in};
use crate::front::diag::nearest;
use crate::infer::Class;
use crate::ir::open::{Arg, Atom, Relation, StmtKind, TyId};
use crate::methods::{BYTES, INEXACT, METHODS};
use crate::spec::LocationKind;

/// Traits of the standard library: their methods are not the user's own.
#[rustfmt::skip]
const OF_STD: [&str; 30] = [
    "Copy", "Clone", "Sized", "Send", "Sync", "PartialEq", "Eq", "PartialOrd", "Ord", "Hash", "Debug", "Display", "Default", "From",
    "Into", "GpuData", "Add", "Sub", "Mul", "Div", "Rem", "Neg", "AddAssign", "SubAssign", "MulAssign", "DivAssign", "RemAssign", "Sum",
    "Shl", "Shr",
];

/// Returns whether a built-in method has this name, and one of the user's own can have it, too.
fn is_shared(name: &str) -> bool {
    METHODS.iter().any(|method| method.name == name) || name == "len" || BYTES.contains(&name) || of_option(name)
}

fn of_option(name: &str) -> bool {
    !matches!(name, "unwrap" | "expect") && OPTION.iter().chain(&RESULT).any(|(known, _)| *known == name)
}

/// The names of built-in methods that only types known to the macro have.
fn of_known_types(name: &str) -> bool {
    name == "is_empty" || INEXACT.contains(&name)
}

/// The receiver, evaluated.
struct Evaluated {
    arg: Arg,
    /// Its present value.
    value: Atom,
    ty: TyId,
    /// Whether it is a place that can change, and whether an index leads to it.
    place: bool,
    indexed: bool,
}

impl Lowering<'_> {
    /// Parses a call of a method with the name of a built-in one; `None` where the type cannot have one of its own.
    pub(super) fn perhaps_own(&mut self, whole: &Expr, call: &ExprMethodCall, name: &str) -> Option<Lowered> {
        if of_known_types(name) && self.is_later_type(&call.receiver) {
            return Some(self.user_method(whole, call, false));
        }
        let args: Vec<&Expr> = call.args.iter().collect();
        let of_array = self.peek(&call.receiver).flatten().map(|ty| self.infer.class(ty));
        if !of_known_types(name) && of_array.is_some_and(|class| built_in::is_of(class, &call.method, args.len())) {
            return Some(self.user_method(whole, call, false));
        }
        if !is_shared(name) {
            return None;
        }
        let receiver = match self.shared_receiver(&call.receiver, &args) {
            Some(receiver) => receiver,
            None => return Some(Lowered::Failed),
        };
        if *self.infer.class(receiver.ty) != Class::Any || !self.infer.is_later(receiver.ty) {
            let value = self.settle(receiver.value, &call.receiver, args.iter().copied());
            return Some(self.method_of(whole, call, name, value));
        }
        Some(self.either(whole, call, receiver))
    }

    /// Evaluates the receiver. A part of a variable that can change is a place as well, for a method that takes `&mut self`.
    fn shared_receiver(&mut self, expr: &Expr, later: &[&Expr]) -> Option<Evaluated> {
        let changes = self.root(expr).is_some_and(|var| self.vars[var.0 as usize].mutable);
        if !changes || has_index(expr) && !self.is_later_type(expr) {
            let value = self.operand(expr);
            let ty = self.type_of(&value);
            let assigned = later.iter().any(|arg| self.may_assign(arg));
            let value = if assigned { self.freeze(value, expr) } else { value };
            return Some(Evaluated { arg: Arg::Value(value.clone()), value, ty, place: false, indexed: false });
        }
        let place = self.part_of(expr)?;
        let (ty, indexed) = (place.ty, place.is_indexed());
        let value = self.load(&place, expr);
        let value = self.settle(value, expr, later.iter().copied());
        let arg = Arg::Receiver(place.var, place.steps, value.clone());
        Some(Evaluated { arg, value, ty, place: true, indexed })
    }

    fn either(&mut self, whole: &Expr, call: &ExprMethodCall, of: Evaluated) -> Lowered {
        let exprs: Vec<&Expr> = call.args.iter().collect();
        let (mut args, mut types) = (vec![of.arg], vec![of.ty]);
        let mut late = false;
        for (k, expr) in exprs.iter().enumerate() {
            late |= self.may_assign(expr);
            let Some((arg, ty)) = self.argument(expr, &exprs[k + 1..]) else { return Lowered::Failed };
            self.infer.mark_later(ty);
            args.push(arg);
            types.push(ty);
        }
        let receiver = Receiver { ty: of.ty, witness: None, of_params: false, at: call.method.source_span() };
        let site = CallSite {
            called: Called::Perhaps(Box::new(receiver), call.method.clone()),
            tries: false,
            of_param: false,
            by_path: false,
            of_trait: None,
            handle: None,
            arguments: exprs.len(),
            passed: Vec::new(),
            witnesses: None,
        };
        let number = self.external.number_call(site);
        let location = self.location(LocationKind::Arithmetic, text::of_expr(whole), whole);
        let by_reference = self.is_reference(&call.receiver).is_some();
        let in_place = of.place;
        let note = Note::Perhaps { call: number, location, by_reference, in_place, indexed: of.indexed, late };
        self.notes.expr(whole, note);
        let result = self.infer.later();
        self.relations.push(Relation::Call { function: number, args: types, result });
        let var = self.var(None, result, false);
        self.push(StmtKind::Call { var, call: number, args, location }, whole);
        Lowered::Atom(Atom::Var(var))
    }

    /// Returns whether the call may be one of a method of the user's own that takes `&mut self`.
    pub(super) fn may_be_own(&self, call: &ExprMethodCall) -> bool {
        let changes = |var: crate::ir::VarId| self.vars[var.0 as usize].mutable;
        let name = text::plain(&call.method);
        (is_shared(&name) || of_known_types(&name))
            && self.root(&call.receiver).is_some_and(changes)
            && self.is_later_type(&call.receiver)
    }

    /// Returns whether only rustc knows the type of a place, or of what a field of one is. Nothing is evaluated for that.
    fn is_later_type(&self, expr: &Expr) -> bool {
        let later = |ty: TyId| *self.infer.class(ty) == Class::Any && self.infer.is_later(ty);
        self.peek(expr).is_some_and(|ty| ty.is_none_or(later))
    }

    /// Returns the type of a place; `Some(None)` for a part of a type that only rustc knows.
    fn peek(&self, expr: &Expr) -> Option<Option<TyId>> {
        let part = |base: &Expr, part: &dyn Fn(&Class) -> Option<TyId>| match self.peek(base)? {
            None => Some(None),
            Some(ty) => match self.infer.class(ty) {
                Class::Any => Some(None),
                class => part(class).map(Some),
            },
        };
        match strip(expr) {
            Expr::Index(node) => part(&node.expr, &|class| match class {
                Class::Array(element, _) => Some(*element),
                _ => None,
            }),
            Expr::Field(node) => part(&node.base, &|class| match (class, &node.member) {
                (Class::Tuple(parts), syn::Member::Unnamed(k)) => parts.get(k.index as usize).copied(),
                _ => None,
            }),
            Expr::Unary(node) if matches!(node.op, syn::UnOp::Deref(_)) => self.peek(&node.expr),
            other => match self.bound(other)? {
                Resolution::Var(var) | Resolution::Place(var) => Some(Some(self.vars[var.0 as usize].ty)),
                Resolution::Alias(alias) => Some(Some(self.aliases[alias].ty)),
                _ => None,
            },
        }
    }
}

fn has_index(expr: &Expr) -> bool {
    match strip(expr) {
        Expr::Index(_) => true,
        Expr::Field(node) => has_index(&node.base),
        Expr::Unary(node) => has_index(&node.expr),
        _ => false,
    }
}

/// Methods that types of the language have in Rust, and not on the device.
#[rustfmt::skip]
const OF_RUST: [&str; 30] = [
    "and_then", "filter", "fill", "first", "get", "get_or_insert", "insert", "is_none_or", "is_some_and", "iter", "iter_mut", "into_iter",
    "last", "map", "map_err", "map_or", "ok_or", "ok_or_else", "or_else", "pop", "push", "reverse", "sort", "sort_by", "sort_unstable",
    "swap", "to_degrees", "to_radians", "to_string", "unwrap_or_else",
];

impl Lowering<'_> {
    /// Returns whether a value of the language may have a method of the name, of a trait of the program.
    pub(super) fn may_have_own(&self, ty: TyId, name: &str) -> bool {
        let names: Vec<&str> =
            METHODS.iter().map(|m| m.name).chain(OPTION.iter().map(|(name, _)| *name)).chain(["len"]).collect();
        let known = self.infer.answer(ty).is_some()
            || matches!(
                self.infer.class(ty),
                Class::Tuple(_) | Class::Array(..) | Class::Option(_) | Class::Result(..)
            );
        known && !OF_RUST.contains(&name) && nearest(name, &names).is_none() && !name.starts_with("len")
    }
}

/// Returns whether a path is that of a trait of the standard library.
pub(super) fn is_of_std(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|last| OF_STD.iter().any(|known| last.ident == known))
}

impl Signature {
    /// Returns what the function requires of a parameter for types.
    pub(crate) fn bounds_of(&self, param: &syn::Ident) -> impl Iterator<Item = &TypeParamBound> {
        let own = self.generics.type_params().filter(move |own| own.ident == *param).flat_map(|own| &own.bounds);
        let clause = self.generics.where_clause.iter().flat_map(|clause| &clause.predicates);
        own.chain(
            clause
                .filter_map(move |predicate| match predicate {
                    WherePredicate::Type(predicate) => match &predicate.bounded_ty {
                        syn::Type::Path(path) if path.path.is_ident(param) => Some(&predicate.bounds),
                        _ => None,
                    },
                    _ => None,
                })
                .flatten(),
        )
    }

    /// Returns whether a parameter for types has methods of a trait that is not one of the standard library.
    pub(crate) fn has_own_bounds(&self) -> bool {
        let own = |bound: &TypeParamBound| match bound {
            TypeParamBound::Trait(bound) => !is_of_std(&bound.path),
            _ => false,
        };
        let clause = self.generics.where_clause.iter().flat_map(|clause| &clause.predicates);
        self.generics.type_params().any(|param| param.bounds.iter().any(own))
            || clause.into_iter().any(|predicate| match predicate {
                WherePredicate::Type(predicate) => predicate.bounds.iter().any(own),
                _ => false,
            })
    }
}
