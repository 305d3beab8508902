//! Methods of `Ordering`, and `partial_cmp`: each is a comparison or a `match`.

use proc_macro2::{Ident, Span, TokenStream};
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
        let order = Ident::new(order, span);
        return Some(Ok(quote_spanned!(span=> (#value #operator ::core::cmp::Ordering::#order))));
    }
    if !["reverse", "then", "then_with", "partial_cmp", "total_cmp", "eq_ignore_ascii_case"].contains(&name.as_str()) {
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
            let (with, order) = (super::bind::value_of(with), compared(generator, (&one, &other), true));
            quote_spanned!(span=> match (#value, #with) { (#one, #other) => #order })
        }
        ("eq_ignore_ascii_case", [with]) => {
            let with = super::bind::value_of(with);
            quote_spanned!(span=> ((#value).to_ascii_lowercase() == (#with).to_ascii_lowercase()))
        }
        ("total_cmp", [with]) => total(generator, (&quote::quote!(#value), super::bind::value_of(with))),
        _ => return None,
    }))
}

/// Returns the order of two floats that NaN has a place in: that of their bits, which is turned below zero.
fn total(generator: &mut Generator<'_>, (a, b): (&TokenStream, &Expr)) -> TokenStream {
    let ([one, other, low, high], span) = ([(); 4].map(|()| generator.name()), generator.span);
    let [less, greater] = ["Less", "Greater"].map(|name| order(name, false, span));
    let bits = compared(generator, (&low, &high), false);
    quote_spanned! {span=> match (#a, #b) { (#one, #other) =>
        if #one.is_sign_negative() && !#other.is_sign_negative() { #less }
        else if !#one.is_sign_negative() && #other.is_sign_negative() { #greater }
        else {
            let (#low, #high) = if #one.is_sign_negative() { (#other.to_bits(), #one.to_bits()) } else { (#one.to_bits(), #other.to_bits()) };
            #bits
        }
    }}
}

/// Desugars `f64::total_cmp(&a, &b)`, and `Ord::cmp(&a, &b)`, which is no method of the type's own.
pub(super) fn call(generator: &mut Generator<'_>, call: &syn::ExprCall) -> Desugared {
    let Expr::Path(path) = strip(&call.func) else { return None };
    let names: Vec<_> = path.path.segments.iter().rev().take(2).map(|segment| &segment.ident).collect();
    let args: Vec<&Expr> = call.args.iter().collect();
    let ([name, of], [a, b]) = (names.as_slice(), args.as_slice()) else { return None };
    if *name == "total_cmp" && (*of == "f32" || *of == "f64") {
        let [a, b] = [a, b].map(|arg| super::bind::value_of(arg));
        return Some(Ok(total(generator, (&quote::quote!(#a), b))));
    }
    if *name != "cmp" || *of != "Ord" {
        return None;
    }
    let ([a, b], span) = ([a, b].map(|arg| super::bind::value_of(arg)), generator.span);
    let [one, other] = [(); 2].map(|()| generator.name());
    let (lets, order) = (
        ordered(generator, (&one, &other), (&quote::quote!(#a), &quote::quote!(#b))),
        compared(generator, (&one, &other), false),
    );
    Some(Ok(quote_spanned!(span=> { #lets #order })))
}

/// Returns the declarations of two values that have an order.
pub(super) fn ordered(
    generator: &Generator<'_>,
    (one, other): (&Ident, &Ident),
    (a, b): (&TokenStream, &TokenStream),
) -> TokenStream {
    let (span, ordered) = (generator.span, Ident::new(ORDERED, generator.user));
    quote_spanned!(span=> let #one = #ordered(#a); let #other = #ordered(#b);)
}

/// Returns an `Ordering`, or one in an `Option`.
pub(super) fn order(order: &str, partial: bool, span: Span) -> TokenStream {
    let order = Ident::new(order, span);
    match partial {
        true => quote_spanned!(span=> Some(::core::cmp::Ordering::#order)),
        false => quote_spanned!(span=> ::core::cmp::Ordering::#order),
    }
}

/// Returns the order of two variables.
pub(super) fn compared(generator: &Generator<'_>, (one, other): (&Ident, &Ident), partial: bool) -> TokenStream {
    let span = generator.span;
    let [less, greater, equal] = ["Less", "Greater", "Equal"].map(|name| order(name, partial, span));
    let equal = match partial {
        true => quote_spanned!(span=> if #one == #other { #equal } else { None }),
        false => quote_spanned!(span=> { #equal }),
    };
    quote_spanned!(span=> if #one < #other { #less } else if #one > #other { #greater } else #equal)
}

/// Returns whether the text of an expression says that it is an `Ordering`.
pub(super) fn is_ordering(expr: &Expr, named: &dyn Fn(&Expr) -> bool) -> bool {
    match strip(expr) {
        name if named(name) => true,
        Expr::MethodCall(call) if is_named(&call.method, &["unwrap", "unwrap_or", "expect"]) => {
            is_ordering(&call.receiver, named)
        }
        Expr::MethodCall(call) => {
            is_named(&call.method, &["cmp", "partial_cmp", "total_cmp", "then", "then_with", "reverse"])
        }
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
