//! `array[a..b].fill(value)`.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::{Expr, ExprMethodCall};

use super::bind::Item;
use super::chain::iterated;
use super::flow::loops;
use super::generate::Generator;
use super::{Desugared, Refused};
use crate::front::parse::tree::strip;

/// Desugars `fill` of a part of an array.
pub(super) fn method(generator: &mut Generator<'_>, call: &ExprMethodCall) -> Desugared {
    let args: Vec<&Expr> = call.args.iter().collect();
    match (strip(&call.receiver), args.as_slice()) {
        (Expr::Index(part), [value]) if call.method == "fill" && matches!(strip(&part.index), Expr::Range(_)) => {
            Some(filled(generator, &call.receiver, value))
        }
        _ => None,
    }
}

/// Fills a part of an array: the range is checked before the value is evaluated.
fn filled(generator: &mut Generator<'_>, part: &Expr, value: &Expr) -> Result<TokenStream, Refused> {
    let (span, name, exit) = (generator.span, generator.name(), generator.exit());
    let chain = iterated(&syn::parse_quote!(&mut #part))?;
    let loops = loops(generator, chain, &exit, &TokenStream::new(), &mut |_, item| match item {
        Item::Place(place) => quote_spanned!(span=> #place = #name;),
        _ => TokenStream::new(),
    })?;
    generator.setup.extend(quote_spanned!(span=> let #name = #value;));
    Ok(generator.block(&loops))
}
