//! Methods of `Ordering`, and `partial_cmp`: each is a comparison or a `match`.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::{Expr, ExprMethodCall, RangeLimits};

use super::closure::Closure;
use super::generate::Generator;
use super::{Desugared, Refused, is_named};
use crate::front::parse::tree::{ORDERED, strip};

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
pub(super) fn method(generator: &mut Generator<'_>, call: &ExprMethodCall, named: &dyn Fn(&Expr) -> bool) -> Desugared {
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
        ("reverse", []) if is_ordering(value, named) => quote_spanned! {span=> match #value {
            ::core::cmp::Ordering::Less => ::core::cmp::Ordering::Greater,
            ::core::cmp::Ordering::Greater => ::core::cmp::Ordering::Less,
            ::core::cmp::Ordering::Equal => ::core::cmp::Ordering::Equal,
        }},
        ("then", [next]) if !matches!(strip(next), Expr::Closure(_)) && is_ordering(value, named) => {
            quote_spanned! {span=>
                match (#value, #next) {
                    (::core::cmp::Ordering::Equal, #one) => #one,
                    (#one, _) => #one,
                }
            }
        }
        ("then_with", [next]) => {
            let next = match Closure::of(next, 0) {
                Ok(closure) => closure.call(generator, Vec::new()),
                Err(refused) => return Some(Err(refused)),
            };
            quote_spanned!(span=> match #value { ::core::cmp::Ordering::Equal => #next, #one => #one })
        }
        ("partial_cmp", [with]) => {
            let with = super::bind::value_of(with);
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

/// Desugars `Ord::cmp(&a, &b)`, which is no method of the type's own.
pub(super) fn call(generator: &mut Generator<'_>, call: &syn::ExprCall) -> Desugared {
    let Expr::Path(path) = strip(&call.func) else { return None };
    let names: Vec<_> = path.path.segments.iter().rev().take(2).map(|segment| &segment.ident).collect();
    let args: Vec<&Expr> = call.args.iter().collect();
    let ([name, of], [a, b]) = (names.as_slice(), args.as_slice()) else { return None };
    if *name != "cmp" || *of != "Ord" {
        return None;
    }
    let ([a, b], span) = ([a, b].map(|arg| super::bind::value_of(arg)), generator.span);
    let ([one, other], ordered) =
        ([(); 2].map(|()| generator.name()), proc_macro2::Ident::new(ORDERED, generator.user));
    Some(Ok(quote_spanned! {span=> match (#ordered(#a), #ordered(#b)) { (#one, #other) =>
        if #one < #other { ::core::cmp::Ordering::Less }
        else if #one > #other { ::core::cmp::Ordering::Greater }
        else { ::core::cmp::Ordering::Equal }
    }}))
}

/// Returns whether the text of an expression says that it is an `Ordering`.
pub(super) fn is_ordering(expr: &Expr, named: &dyn Fn(&Expr) -> bool) -> bool {
    match strip(expr) {
        name if named(name) => true,
        Expr::MethodCall(call) if is_named(&call.method, &["unwrap", "unwrap_or", "expect"]) => {
            is_ordering(&call.receiver, named)
        }
        Expr::MethodCall(call) => is_named(&call.method, &["cmp", "partial_cmp", "then", "then_with", "reverse"]),
        Expr::Call(call) => {
            matches!(strip(&call.func), Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "cmp"))
        }
        // Numbers and arrays are turned as well, but have no `then`.
        Expr::Path(path) => path.path.segments.iter().any(|segment| segment.ident == "Ordering"),
        _ => false,
    }
}

/// Desugars `(a..b).contains(&value)`.
pub(super) fn range_contains(
    generator: &mut Generator<'_>,
    range: &syn::ExprRange,
    value: &Expr,
) -> Result<TokenStream, Refused> {
    let (span, value) = (generator.span, super::bind::value_of(value));
    let mut tests = Vec::new();
    let (least, most, name) = (generator.name(), generator.name(), generator.name());
    let mut lets = TokenStream::new();
    if let Some(start) = &range.start {
        lets.extend(quote_spanned!(span=> let #least = #start;));
        tests.push(quote_spanned!(span=> #least <= #name));
    }
    if let Some(end) = &range.end {
        lets.extend(quote_spanned!(span=> let #most = #end;));
        tests.push(match range.limits {
            RangeLimits::HalfOpen(_) => quote_spanned!(span=> #name < #most),
            RangeLimits::Closed(_) => quote_spanned!(span=> #name <= #most),
        });
    }
    if tests.is_empty() {
        return Err(Refused::new(range, "`..` contains every value; write `true`"));
    }
    Ok(quote_spanned!(span=> { #lets let #name = #value; #(#tests)&&* }))
}
