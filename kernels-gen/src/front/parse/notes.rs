//! Notes on the nodes of the user's tree, which the printing of Rust needs.
//!
//! A node is identified by its address: the tree is not moved between parsing and printing. Printing rewrites the tree in
//! place, starting from the leaves, so a new node cannot take the address of a node that is still to be visited.

use std::collections::HashMap;

use crate::fault::FaultCode;
use crate::ir::LocationId;
use crate::ir::open::{CallId, TyId};

/// A note on one expression.
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
    /// A compound assignment with such an operator. `late`: the right side assigns, so it is evaluated first.
    Compound { ty: TyId, amount: Option<TyId>, location: LocationId, late: bool },
    /// An operator that may be a function of the user's program.
    Operation { call: CallId, ty: TyId, location: LocationId, late: bool, part: bool },
    /// A loop.
    Loop { location: LocationId },
    /// `a[i]` of an array.
    Element { location: LocationId },
    /// A compound assignment to a part of a variable, reached by an index: the value is evaluated first, then the place.
    CompoundPart { ty: TyId, amount: Option<TyId>, location: Option<LocationId> },
    /// A method that can fault, on a receiver of this type. `by_reference`: the receiver is written as a reference to it.
    Method { receiver: TyId, location: LocationId, by_reference: bool },
    /// A method that cannot fault, on a receiver whose type is known later: it has to be one whose methods are built in.
    BuiltIn { by_reference: bool },
    /// `a.cmp(&b)`, whose argument stays a reference. `late`: the receiver has to be as for [`Note::BuiltIn`].
    Compared { late: bool },
    /// A method that can fault, called as an associated function: `u32::pow(a, b)`.
    MethodPath { receiver: TyId, location: LocationId },
    /// `unwrap` or `expect`. `held`: of a `Result`, or of what only rustc knows.
    Unwrap { location: LocationId, by_reference: bool, held: bool },
    /// A call of a `#[gpu_fn]`. `indexed`: the method may change its receiver, which is a part of a variable at an index, as in
    /// `rooms[i].close()`. `by_reference`: the receiver is written as a reference to the value.
    Call { call: CallId, indexed: bool, by_reference: bool },
    /// A call of a method of the user's own, or of the built-in one with its name. `in_place`: the receiver is a place that can
    /// change. `late`: an argument may change a variable.
    Perhaps { call: CallId, location: LocationId, by_reference: bool, in_place: bool, indexed: bool, late: bool },
    /// `range.step_by(n)` with a step that can be 0.
    Step { location: LocationId },
    /// A method of the language that changes its receiver, which is a place.
    Exchange,
    /// `&value`, or `*value` of a shared reference: the value itself, because the device copies it.
    Erased,
    /// The same of the name of a reference: its value is what it leads to.
    Copied,
    /// A value whose type has to have `Ord`.
    Total,
    /// `array[a..b]` behind a `&`.
    Part { location: LocationId },
    /// A panic.
    Fault { code: FaultCode, location: LocationId },
    /// `gpu_println!`.
    Print,
    /// `return value` of a function that does not return a `TxResult`.
    Return,
    /// `result?` of a function that returns a `Result` of its own.
    ReturnError,
    /// The `match` of a method that `Option` and `Result` have: which of them it is. `known`: rustc need not say so.
    OfBoth { result: bool, known: bool },
    /// A comparison of values whose type is known later.
    Comparison { ty: TyId },
    /// An argument that is a list of shared arrays: a function has a parameter for each.
    List { count: u64 },
    /// The first argument of a verb: an array, without the `&` that rustc wants before a field.
    Array,
}

/// The type of an expression that never gives a value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Yields {
    /// The result of the function.
    Result,
    /// The type that inference finds; `()` where it finds none.
    Inferred(TyId),
}

/// All notes of one function.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    exprs: HashMap<usize, Note>,
    locals: HashMap<usize, TyId>,
    /// Patterns whose name is a reference.
    references: std::collections::HashSet<usize>,
}

impl Notes {
    pub(crate) fn expr(&mut self, expr: &syn::Expr, note: Note) {
        self.exprs.insert(address(expr), note);
    }

    pub(crate) fn forget(&mut self, expr: &syn::Expr) {
        self.exprs.remove(&address(expr));
    }

    /// Notes the inferred type of a `let` without a type.
    pub(crate) fn local(&mut self, local: &syn::Local, ty: TyId) {
        self.locals.insert(address(local), ty);
    }

    /// Notes that the name of a pattern is a reference.
    pub(crate) fn reference(&mut self, pat: &syn::Pat) {
        self.references.insert(address(pat));
    }

    pub(crate) fn is_reference(&self, pat: &syn::Pat) -> bool {
        self.references.contains(&address(pat))
    }

    pub(crate) fn of_expr(&self, expr: &syn::Expr) -> Option<Note> {
        self.exprs.get(&address(expr)).copied()
    }

    pub(crate) fn of_local(&self, local: &syn::Local) -> Option<TyId> {
        self.locals.get(&address(local)).copied()
    }
}

/// Returns what identifies a node of the tree while it is rewritten.
pub(crate) fn address<T>(node: &T) -> usize {
    std::ptr::from_ref(node).addr()
}
