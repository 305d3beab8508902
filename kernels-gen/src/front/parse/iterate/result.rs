//! Methods of `Result` alone, and those of `Option` that give a `Result`: each is a `match`.
//!
//! Types are not known yet. So these are methods that only a `Result` has, and those whose closure takes the error.

use proc_macro2::Ident;
use quote::quote_spanned;
use syn::{Expr, ExprMethodCall};

use super::Desugared;
use super::bind::Item;
use super::closure::{Closure, gives_result};
use super::generate::Generator;
use super::lent::is_lent;
use crate::front::parse::tree::strip;

/// Returns whether a closure takes the error: one of an `Option` takes nothing there.
fn takes_error(call: &ExprMethodCall) -> bool {
    let first = match call.args.first().map(strip) {
        Some(Expr::Closure(closure)) => closure.inputs.len() == 1,
        // The name of a function does not say what it takes.
        Some(Expr::Path(_)) => gives_result(&call.receiver) == Some(true),
        _ => false,
    };
    first && matches!(call.method.to_string().as_str(), "or_else" | "unwrap_or_else" | "map_or_else")
}

/// Desugars a method of a `Result`, or one that gives a `Result`.
pub(super) fn method(generator: &mut Generator<'_>, call: &ExprMethodCall) -> Desugared {
    let name = call.method.to_string();
    let own = matches!(name.as_str(), "ok_or" | "ok_or_else" | "map_err" | "is_ok_and" | "is_err_and");
    if call.turbofish.is_some() || !(own || takes_error(call)) {
        return None;
    }
    let args: Vec<&Expr> = call.args.iter().collect();
    let (span, receiver, value, error) = (generator.span, strip(&call.receiver), generator.name(), generator.name());
    let lent = is_lent(&call.receiver);
    let written = |generator: &Generator<'_>, arg: &Expr, item: Option<&Ident>| {
        let items: Vec<Item> = item.into_iter().map(Item::name).collect();
        Closure::with(arg, &vec![lent; items.len()]).map(|closure| closure.call(generator, items))
    };
    let same = quote_spanned!(span=> Ok(#value));
    let arms = match (name.as_str(), args.as_slice()) {
        ("ok_or", [other]) => {
            return Some(Ok(quote_spanned! {span=>
                match (#receiver, #other) { (Some(#value), _) => Ok(#value), (None, #error) => Err(#error) }
            }));
        }
        ("ok_or_else", [other]) => {
            let other = written(generator, other, None);
            return Some(other.map(
                |other| quote_spanned!(span=> match #receiver { Some(#value) => Ok(#value), None => Err(#other) }),
            ));
        }
        ("map_err", [closure]) => {
            written(generator, closure, Some(&error)).map(|mapped| (same, quote_spanned!(span=> Err(#mapped))))
        }
        ("or_else", [closure]) => written(generator, closure, Some(&error)).map(|other| (same, other)),
        ("unwrap_or_else", [closure]) => {
            written(generator, closure, Some(&error)).map(|other| (quote_spanned!(span=> #value), other))
        }
        ("map_or_else", [other, closure]) => written(generator, other, Some(&error))
            .and_then(|other| Ok((written(generator, closure, Some(&value))?, other))),
        ("is_ok_and", [closure]) => {
            written(generator, closure, Some(&value)).map(|holds| (holds, quote_spanned!(span=> false)))
        }
        ("is_err_and", [closure]) => {
            written(generator, closure, Some(&error)).map(|holds| (quote_spanned!(span=> false), holds))
        }
        _ => return None,
    };
    Some(arms.map(|(ok, err)| quote_spanned!(span=> match #receiver { Ok(#value) => #ok, Err(#error) => #err })))
}
