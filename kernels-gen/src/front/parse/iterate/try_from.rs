//! `u8::try_from(n)`, or `n.try_into()`, with what follows it: its error has no meaning on the device, so a conversion is an `Option` here.
//! The same for arrays that are made of slices.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::{Expr, ExprCall, ExprMethodCall, Pat, Type};

use super::generate::Generator;
use super::window::is_place;
use super::{Desugared, Refused};
use crate::front::parse::part::part_of;
use crate::front::parse::tree::strip;
use crate::front::parse::types::scalar;

/// The methods of `Result`, and those of `Option` that are the same here. `ok` gives the `Option` itself.
const METHODS: [(&str, &str); 8] = [
    ("unwrap", "unwrap"),
    ("expect", "expect"),
    ("unwrap_or", "unwrap_or"),
    ("unwrap_or_default", "unwrap_or_default"),
    ("is_ok", "is_some"),
    ("is_err", "is_none"),
    ("is_ok_and", "is_some_and"),
    ("map_or", "map_or"),
];

/// Desugars a method call on a conversion.
pub(super) fn method(generator: &mut Generator<'_>, call: &ExprMethodCall) -> Desugared {
    let converted = conversion(generator, &call.receiver)?;
    let (span, name) = (generator.span, call.method.to_string());
    if name == "ok" {
        return Some(Ok(converted));
    }
    if let ("unwrap_or_else", Some(Expr::Closure(closure))) = (name.as_str(), call.args.first().map(strip)) {
        let body = &closure.body;
        return Some(Ok(quote_spanned!(span=> #converted.unwrap_or_else(|| #body))));
    }
    if let ("map_err", Some(Expr::Closure(closure))) = (name.as_str(), call.args.first().map(strip)) {
        let body = &closure.body;
        return Some(Ok(quote_spanned!(span=> #converted.ok_or_else(|| #body))));
    }
    let Some((_, method)) = METHODS.iter().find(|(method, _)| *method == name) else {
        let message = format!(
            "`{name}` after `try_from` has no meaning on the device; write `.ok()` after `try_from`, and go on with the `Option`"
        );
        return Some(Err(Refused::new(&call.method, message)));
    };
    let (method, args) = (proc_macro2::Ident::new(method, call.method.span()), &call.args);
    Some(Ok(quote_spanned!(span=> #converted.#method(#args))))
}

/// Desugars `Ok(..)` and `Err(_)` as patterns of a conversion.
pub(super) fn matched(generator: &mut Generator<'_>, value: &mut Expr, patterns: &mut [&mut Pat]) {
    let Some(converted) = conversion(generator, value) else { return };
    let Ok(converted) = syn::parse2(converted) else { return };
    *value = converted;
    for pat in patterns {
        as_option(pat, generator.span);
    }
}

/// Turns `Ok(..)` into `Some(..)`, and `Err(_)` into `None`.
fn as_option(pat: &mut Pat, span: proc_macro2::Span) {
    let new = match pat {
        Pat::Guard(node) => return as_option(&mut node.pat, span),
        Pat::Paren(node) => return as_option(&mut node.pat, span),
        Pat::Or(node) => return node.cases.iter_mut().for_each(|case| as_option(case, span)),
        Pat::TupleStruct(node) => match node.path.get_ident().map(ToString::to_string).as_deref() {
            Some("Ok") => {
                let elems = &node.elems;
                quote_spanned!(span=> Some(#elems))
            }
            Some("Err") => quote_spanned!(span=> None),
            _ => return,
        },
        _ => return,
    };
    if let Ok(new) = syn::parse::Parser::parse2(Pat::parse_single, new) {
        *pat = new;
    }
}

/// Returns the `Option` that stands for `T::try_from(value)`.
fn conversion(generator: &mut Generator<'_>, expr: &Expr) -> Option<TokenStream> {
    if let Expr::MethodCall(call) = strip(expr)
        && call.method == "try_into"
        && call.args.is_empty()
    {
        if let Some(Type::Array(array)) =
            call.turbofish.as_ref().and_then(|of| syn::parse2(of.args.to_token_stream()).ok())
        {
            return Some(of_slice(generator, &array.len, &call.receiver));
        }
        return Some(converted(generator, &quote_spanned!(generator.span=> _), &call.receiver));
    }
    let Expr::Call(ExprCall { func, args, .. }) = strip(expr) else { return None };
    let Expr::Path(path) = strip(func) else { return None };
    if let Some(Type::Array(array)) = path.qself.as_ref().map(|of| &*of.ty)
        && path.path.segments.last().is_some_and(|name| name.ident == "try_from")
    {
        return Some(of_slice(generator, &array.len, args.first()?));
    }
    let segments: Vec<_> = path.path.segments.iter().collect();
    let [ty, method] = segments.as_slice() else { return None };
    let (ty, value) = (&ty.ident, args.first()?);
    scalar(&syn::parse_quote!(#ty)).filter(|scalar| scalar.is_int() && method.ident == "try_from")?;
    Some(converted(generator, &quote_spanned!(generator.span=> #ty), value))
}

/// Returns the elements of a slice as an array, if they are as many.
fn of_slice(generator: &mut Generator<'_>, length: &Expr, slice: &Expr) -> TokenStream {
    let (span, part, array, k) = (generator.span, generator.name(), generator.name(), generator.name());
    let (before, slice) = match part_of(slice) {
        Some((node, _)) if is_place(&node.expr) => (None, quote_spanned!(span=> &#slice)),
        // What a call returns outlives its part only with a name.
        Some((node, range)) => {
            let (whole, value) = (generator.name(), &node.expr);
            (Some(quote_spanned!(span=> let #whole = #value;)), quote_spanned!(span=> &#whole[#range]))
        }
        None => (None, slice.to_token_stream()),
    };
    quote_spanned! {span=>
        {
            #before
            let #part = #slice;
            if #part.len() == #length {
                let mut #array = [#part[0]; #length];
                for #k in 1..#length { #array[#k] = #part[#k]; }
                Some(#array)
            } else {
                None
            }
        }
    }
}

fn converted(generator: &mut Generator<'_>, ty: &TokenStream, value: &Expr) -> TokenStream {
    let (span, from, to, back) = (generator.span, generator.name(), generator.name(), generator.name());
    quote_spanned! {span=>
        {
            let #from = #value;
            let #to = #from as #ty;
            // The assignment gives the number back the type that it had.
            let mut #back = #from;
            #back = #to as _;
            if #back == #from && (#to < 0) == (#from < 0) { Some(#to) } else { None }
        }
    }
}
