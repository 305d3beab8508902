//! Methods of `Ordering`, and `partial_cmp`: each is a comparison or a `match`.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::{Expr, ExprMethodCall};

use super::closure::Closure;
use super::generate::Generator;
use super::{Desugared, is_named};
use crate::front::parse::tree::strip;

/// The methods that test an `Ordering`: the comparison with one of the three.
const TESTS: [(&str, &str, &str); 6] = [
    ("is_lt", "==", "Less"),
    ("is_gt", "==", "Greater"),
    ("is_eq", "==", "Equal"),
    ("is_le", "!=", "Greater"),
    ("is_ge", "!=", "Less"),
    ("is_ne", "!=", "Equal"),
];

/// Desugars a method of an `Ordering`.
pub(super) fn method(generator: &mut Generator<'_>, call: &ExprMethodCall) -> Desugared {
    let (name, span, value) = (call.method.to_string(), generator.span, &call.receiver);
    let args: Vec<&Expr> = call.args.iter().collect();
    if let Some((_, operator, order)) = TESTS.iter().find(|(test, ..)| *test == name)
        && args.is_empty()
    {
        let operator: TokenStream = operator.parse().ok()?;
        let order = proc_macro2::Ident::new(order, span);
        return Some(Ok(quote_spanned!(span=> (#value #operator ::core::cmp::Ordering::#order))));
    }
    if !["reverse", "then", "then_with", "partial_cmp"].contains(&name.as_str()) {
        return None;
    }
    let [one, other] = [(); 2].map(|()| generator.name());
    Some(Ok(match (name.as_str(), args.as_slice()) {
        ("reverse", []) if is_ordering(value) => quote_spanned! {span=> match #value {
            ::core::cmp::Ordering::Less => ::core::cmp::Ordering::Greater,
            ::core::cmp::Ordering::Greater => ::core::cmp::Ordering::Less,
            ::core::cmp::Ordering::Equal => ::core::cmp::Ordering::Equal,
        }},
        ("then", [next]) if !matches!(strip(next), Expr::Closure(_)) && is_ordering(value) => quote_spanned! {span=>
            match (#value, #next) {
                (::core::cmp::Ordering::Equal, #one) => #one,
                (#one, _) => #one,
            }
        },
        ("then_with", [next]) => {
            let next = match Closure::of(next, 0) {
                Ok(closure) => closure.call(generator, Vec::new()),
                Err(refused) => return Some(Err(refused)),
            };
            quote_spanned!(span=> match #value { ::core::cmp::Ordering::Equal => #next, #one => #one })
        }
        ("partial_cmp", [with]) => {
            let with = super::arrays::value_of(with);
            quote_spanned! {span=> match (#value, #with) { (#one, #other) =>
                if #one < #other { Some(::core::cmp::Ordering::Less) }
                else if #one > #other { Some(::core::cmp::Ordering::Greater) }
                else if #one == #other { Some(::core::cmp::Ordering::Equal) }
                else { None }
            }}
        }
        _ => return None,
    }))
}

/// Returns whether the text of an expression says that it is an `Ordering`.
fn is_ordering(expr: &Expr) -> bool {
    match strip(expr) {
        Expr::MethodCall(call) if is_named(&call.method, &["unwrap", "unwrap_or", "expect"]) => {
            is_ordering(&call.receiver)
        }
        Expr::MethodCall(call) => is_named(&call.method, &["cmp", "partial_cmp", "then", "then_with", "reverse"]),
        // Numbers and arrays are turned as well, but have no `then`.
        Expr::Path(path) => path.path.segments.iter().any(|segment| segment.ident == "Ordering"),
        _ => false,
    }
}
