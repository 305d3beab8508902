//! The name of a function as a closure, `.map(Interval::len)`: whether the values that it gets are references in Rust.
//!
//! Here they are values. But rustc checks the call, and a function with `&self` takes `&value`.

use std::collections::HashMap;

use syn::{Expr, Pat, Type};

use crate::front::parse::text;
use crate::front::parse::tree::strip;
use crate::front::parse::types::argument;

/// Steps of a chain, and methods of an `Option`, that give what they get.
const SAME: [&str; 18] = [
    "cycle",
    "filter",
    "inspect",
    "take_while",
    "skip_while",
    "rev",
    "take",
    "skip",
    "step_by",
    "fuse",
    "chain",
    "by_ref",
    "or",
    "or_else",
    "xor",
    "and",
    "into_iter",
    "iter",
];

/// Methods that give an element of a chain.
const ONE: [&str; 11] =
    ["next", "nth", "find", "min", "max", "min_by", "max_by", "min_by_key", "max_by_key", "reduce", "peek"];

/// Methods of `Option` and arrays that give a reference to what the receiver holds.
const LENDS: [&str; 7] = ["as_ref", "first", "get", "iter", "windows", "chunks", "chunks_exact"];

/// The variables that hold `Option`s of references, and nowhere anything else.
#[derive(Default)]
pub(super) struct Lent {
    known: HashMap<String, bool>,
}

impl Lent {
    pub(super) fn note(&mut self, pat: &Pat, value: Option<&Expr>) {
        let holds = value.is_some_and(|value| self.is_lent(value));
        self.note_as(pat, holds);
    }

    /// Notes a variable of a type that is written.
    pub(super) fn note_type(&mut self, pat: &Pat, ty: &Type) {
        self.note_as(pat, argument(ty, "Option").is_some_and(|inside| matches!(inside, Type::Reference(_))));
    }

    fn note_as(&mut self, pat: &Pat, holds: bool) {
        if let Pat::Ident(ident) = pat {
            *self.known.entry(text::key(&ident.ident)).or_insert(true) &= holds;
        }
    }

    /// Returns whether a chain gives references in Rust, or an `Option` holds one.
    pub(super) fn is_lent(&self, expr: &Expr) -> bool {
        match strip(expr) {
            Expr::Path(path) => {
                path.path.get_ident().is_some_and(|name| self.known.get(&text::key(name)) == Some(&true))
            }
            _ => is_lent(expr) || self.is_same(expr),
        }
    }

    fn is_same(&self, expr: &Expr) -> bool {
        let Expr::MethodCall(call) = strip(expr) else { return false };
        SAME.iter().any(|name| call.method == name) && self.is_lent(&call.receiver)
    }
}

/// Returns whether a chain gives references in Rust, or an `Option` holds one, as far as the expression says it.
pub(super) fn is_lent(expr: &Expr) -> bool {
    let Expr::MethodCall(call) = strip(expr) else { return false };
    let name = call.method.to_string();
    match name.as_str() {
        "into_iter" => matches!(strip(&call.receiver), Expr::Reference(node) if node.mutability.is_none()),
        // That of an array, and of a chain.
        "last" => !matches!(strip(&call.receiver), Expr::MethodCall(_)) || is_lent(&call.receiver),
        name if ONE.contains(&name) => is_lent(&call.receiver),
        name if LENDS.contains(&name) => true,
        // The elements of what is lent are, too.
        "flatten" | "copied" | "cloned" => name == "flatten" && is_lent(&call.receiver),
        "map" | "filter_map" | "and_then" | "flat_map" | "find_map" => match call.args.first().map(strip) {
            Some(Expr::Closure(closure)) => {
                let body = strip(&closure.body);
                matches!(body, Expr::Reference(node) if node.mutability.is_none()) || name != "map" && is_lent(body)
            }
            _ => false,
        },
        name if SAME.contains(&name) => is_lent(&call.receiver),
        _ => false,
    }
}
