//! Keys that `Reverse` turns, as in `|score| Reverse(score.points)`: what is turned is compared the other way round.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::{Expr, Path, Stmt};

use super::closure::Closure;
use crate::front::parse::tree::{GENERATED, strip};

/// The closure of a key without `Reverse`, and which parts of the key were in it.
pub(super) struct Key {
    pub(super) closure: Closure,
    turned: Turned,
    /// The names that have to be that of the standard library.
    names: Vec<Path>,
}

enum Turned {
    Nothing,
    All,
    Parts(Vec<bool>),
}

impl Key {
    pub(super) fn of(closure: Closure) -> Key {
        let (mut closure, mut names) = (closure, Vec::new());
        let Closure::Written { body, leaves: None, result: None, .. } = &mut closure else {
            return Key { closure, turned: Turned::Nothing, names };
        };
        let turned = turned(body, &mut names);
        Key { closure, turned, names }
    }

    pub(super) fn is_turned(&self) -> bool {
        !matches!(self.turned, Turned::Nothing)
    }

    /// Returns items by which rustc checks the names.
    pub(super) fn checks(&self, span: Span) -> TokenStream {
        let names = &self.names;
        quote_spanned!(span=> #(const _: ::core::cmp::Reverse<u8> = #names(0);)*)
    }

    /// Returns the comparison of two keys.
    pub(super) fn compared(&self, one: &Ident, operator: &TokenStream, other: &Ident, span: Span) -> TokenStream {
        match &self.turned {
            Turned::Nothing => quote_spanned!(span=> #one #operator #other),
            Turned::All => quote_spanned!(span=> #other #operator #one),
            Turned::Parts(parts) => {
                let named = |side: &str| -> Vec<Ident> {
                    (0..parts.len()).map(|k| Ident::new(&format!("{GENERATED}{side}_{k}"), span)).collect()
                };
                let (ones, others) = (named("one"), named("other"));
                let side = |own: &[Ident], opposite: &[Ident]| {
                    let parts: Vec<_> = parts
                        .iter()
                        .enumerate()
                        .map(|(k, turned)| (if *turned { opposite } else { own })[k].clone())
                        .collect();
                    quote_spanned!(span=> (#(#parts,)*))
                };
                let (left, right) = (side(&ones, &others), side(&others, &ones));
                quote_spanned! {span=> {
                    let (#(#ones,)*) = #one;
                    let (#(#others,)*) = #other;
                    #left #operator #right
                }}
            }
        }
    }
}

/// Takes `Reverse` out of the expression that gives the value.
fn turned(body: &mut Expr, names: &mut Vec<Path>) -> Turned {
    match body {
        Expr::Block(node) if node.label.is_none() => match node.block.stmts.last_mut() {
            Some(Stmt::Expr(value, None)) => turned(value, names),
            _ => Turned::Nothing,
        },
        Expr::Paren(node) => turned(&mut node.expr, names),
        Expr::Tuple(tuple) => {
            let parts: Vec<bool> = tuple.elems.iter_mut().map(|part| taken_out(part, names)).collect();
            if parts.contains(&true) { Turned::Parts(parts) } else { Turned::Nothing }
        }
        other => match taken_out(other, names) {
            true => Turned::All,
            false => Turned::Nothing,
        },
    }
}

/// Replaces `Reverse(value)` by the value.
fn taken_out(expr: &mut Expr, names: &mut Vec<Path>) -> bool {
    let Expr::Call(call) = strip(expr) else { return false };
    let Expr::Path(path) = strip(&call.func) else { return false };
    let is_reverse = path.qself.is_none() && path.path.segments.last().is_some_and(|last| last.ident == "Reverse");
    let (true, Some(value), 1) = (is_reverse, call.args.first(), call.args.len()) else { return false };
    names.push(path.path.clone());
    *expr = value.clone();
    true
}
