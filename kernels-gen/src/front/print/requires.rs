//! The types of the user's program that a function names, as bounds of its items. Where one lacks the derive, rustc reports that at the
//! user's type, and nothing about the code that depends on it.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned;

use crate::front::parse::{Signature, scalar};

/// Returns the bounds, for the clause `where`.
pub(super) fn bounds(signature: &Signature) -> Vec<syn::WherePredicate> {
    let types = signature.params.iter().filter(|param| param.receiver.is_none()).map(|param| &param.of);
    let named = |ty: &&Type| {
        let known = scalar(ty).is_some() || matches!(ty, Type::Tuple(tuple) if tuple.elems.is_empty());
        !known && signature.depends(&ty.to_token_stream()).is_none()
    };
    let mut seen = Vec::new();
    types
        .chain([&signature.result])
        .filter(named)
        .filter_map(|ty| {
            let text = ty.to_token_stream().to_string();
            if seen.contains(&text) {
                return None;
            }
            seen.push(text);
            // With the user's span, the errors of all items are one.
            let span = ty.span();
            syn::parse2(quote_spanned!(span=> for<'stm_any> #ty: ::stm_runtime::GpuData)).ok()
        })
        .collect()
}

/// Returns the whole clause.
pub(super) fn clause(signature: &Signature) -> TokenStream {
    let bounds = bounds(signature);
    if bounds.is_empty() { TokenStream::new() } else { quote!(where #(#bounds),*) }
}
