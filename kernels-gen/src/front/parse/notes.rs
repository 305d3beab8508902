//! What the printing of Rust has to know of the user's tree, by node.
//!
//! A node is identified by its address: the tree is not moved between parsing and printing, and printing rewrites it
//! in place from the components, so that the address of a node that is still to be visited cannot be taken by a new one.

use std::collections::HashMap;

use crate::fault::FaultCode;
use crate::ir::LocationId;
use crate::ir::open::{CallId, TyId};

/// What is known of one expression.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Note {
    /// A literal without suffix, and its type.
    Literal(TyId),
    /// A call of a verb of `tx`. `nested`: its arguments call verbs too, so they are evaluated before `tx` is borrowed.
    Verb { location: LocationId, nested: bool },
    /// A call of `tx.reject`; `yields` is the type that stands for its value.
    Reject { location: LocationId, yields: Yields, nested: bool },
    /// An operator that faults on integers. `amount`: the type of the right side of a shift.
    Operator { ty: TyId, amount: Option<TyId>, location: LocationId },
    /// A compound assignment with such an operator. `late`: the right side assigns, so it goes first.
    Compound { ty: TyId, amount: Option<TyId>, location: LocationId, late: bool },
    /// A loop.
    Loop { location: LocationId },
    /// `a[i]` of an array.
    Element { location: LocationId },
    /// A compound assignment to a part of a variable that an index leads to: the value first, then the place.
    CompoundPart { ty: TyId, amount: Option<TyId>, location: Option<LocationId> },
    /// A method that can fault, on a receiver of this type. `behind`: what is written is a reference to it.
    Method { receiver: TyId, location: LocationId, behind: bool },
    /// The same method as an associated function: `u32::pow(a, b)`.
    MethodPath { receiver: TyId, location: LocationId },
    /// `unwrap` or `expect`.
    Unwrap { location: LocationId, behind: bool },
    /// A call of a `#[gpu_fn]`. `handle`: its first argument is `tx`.
    Call { call: CallId, handle: bool },
    /// `range.step_by(n)` with a step that can be 0.
    Step { location: LocationId },
    /// A panic.
    Fault { code: FaultCode, location: LocationId },
    /// `gpu_println!`.
    Print,
    /// `return value` of a function that gives no `TxResult`.
    Return,
    /// A comparison of values whose type comes later.
    Equality { ty: TyId },
    /// The first argument of a verb: an array, without the `&` that rustc wants before a field.
    Array,
}

/// The type of a value that never is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Yields {
    /// The result of the function.
    Result,
    /// What inference finds; `()` where it finds nothing.
    Inferred(TyId),
}

/// All notes of one function.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    exprs: HashMap<usize, Note>,
    locals: HashMap<usize, TyId>,
}

impl Notes {
    pub(crate) fn expr(&mut self, expr: &syn::Expr, note: Note) {
        self.exprs.insert(address(expr), note);
    }

    pub(crate) fn forget(&mut self, expr: &syn::Expr) {
        self.exprs.remove(&address(expr));
    }

    /// A `let` without a type, whose type was inferred.
    pub(crate) fn local(&mut self, local: &syn::Local, ty: TyId) {
        self.locals.insert(address(local), ty);
    }

    pub(crate) fn of_expr(&self, expr: &syn::Expr) -> Option<Note> {
        self.exprs.get(&address(expr)).copied()
    }

    pub(crate) fn of_local(&self, local: &syn::Local) -> Option<TyId> {
        self.locals.get(&address(local)).copied()
    }
}

fn address<T>(node: &T) -> usize {
    std::ptr::from_ref(node).addr()
}
