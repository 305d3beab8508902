//! The least and the greatest element of a chain.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;

use super::bind::Item;
use super::closure::Closure;
use super::generate::Generator;
use super::reversed::Key;
use crate::front::parse::tree::ORDERED;

/// Keeps the first of the least elements, or the last of the greatest, as Rust does.
pub(super) fn extreme(generator: &mut Generator<'_>, name: &str, result: &Ident, item: Item) -> TokenStream {
    let (span, value, old) = (generator.span, generator.name(), generator.name());
    let (item, ordered) = (item.into_tokens(), Ident::new(ORDERED, generator.user));
    let stays = keeps(name, &old, &value, span);
    quote_spanned! {span=>
        let #value = #ordered(#item);
        match #result { Some(#old) if #stays => {} _ => #result = Some(#value) }
    }
}

pub(super) fn extreme_by_key(
    generator: &mut Generator<'_>,
    (name, key): (&str, &Key),
    (best, result): (&Ident, &Ident),
    item: Item,
) -> TokenStream {
    let (before, item) = item.settle(generator);
    let (span, value, old) = (generator.span, generator.name(), generator.name());
    let operator = if name.starts_with("min") { quote_spanned!(span=> <=) } else { quote_spanned!(span=> >) };
    let (checks, stays) = (key.checks(span), key.compared(&old, &operator, &value, span));
    let (key, ordered) = (key.closure.call(generator, vec![item.clone()]), Ident::new(ORDERED, generator.user));
    let item = item.into_tokens();
    quote_spanned! {span=>
        #checks
        #before
        let #value = #ordered(#key);
        match #best { Some(#old) if #stays => {} _ => { #best = Some(#value); #result = Some(#item); } }
    }
}

pub(super) fn extreme_by(
    generator: &mut Generator<'_>,
    (name, compare): (&str, &Closure),
    result: &Ident,
    item: Item,
) -> TokenStream {
    let (before, item) = item.settle(generator);
    let (span, old) = (generator.span, generator.name());
    // The first arm gives the result its type, which the closure needs.
    let order = compare.call(generator, vec![Item::name(&old), item.clone()]);
    let item = item.into_tokens();
    let stays = match name {
        "min_by" => quote_spanned!(span=> #order != ::core::cmp::Ordering::Greater),
        _ => quote_spanned!(span=> #order == ::core::cmp::Ordering::Greater),
    };
    quote_spanned! {span=>
        #before
        match #result { None => #result = Some(#item), Some(#old) => if !(#stays) { #result = Some(#item); } }
    }
}

fn keeps(name: &str, old: &Ident, value: &Ident, span: Span) -> TokenStream {
    match name.starts_with("min") {
        true => quote_spanned!(span=> #old <= #value),
        false => quote_spanned!(span=> #old > #value),
    }
}
