//! `fn cross((x, y): (i64, i64), ..)`: a pattern as a parameter of a `#[gpu_fn]` takes a name apart that stands for the parameter.

use proc_macro2::Span;
use quote::format_ident;
use syn::spanned::Spanned;
use syn::{FnArg, ItemFn, Pat};

use crate::front::parse::PARAMETER;

/// Returns the function with a name for each parameter. `None`: it has no patterns.
pub(super) fn named(function: &ItemFn) -> Option<ItemFn> {
    let (mut named, mut lets) = (function.clone(), Vec::new());
    for (k, input) in named.sig.inputs.iter_mut().enumerate() {
        let FnArg::Typed(input) = input else { continue };
        if !matches!(&*input.pat, Pat::Tuple(_) | Pat::TupleStruct(_) | Pat::Struct(_) | Pat::Slice(_) | Pat::Wild(_)) {
            continue;
        }
        let name = format_ident!("{PARAMETER}{k}", span = Span::mixed_site().located_at(input.pat.span()));
        let pat = std::mem::replace(&mut *input.pat, syn::parse_quote!(#name));
        lets.push(syn::parse_quote!(let #pat = #name;));
    }
    if lets.is_empty() {
        return None;
    }
    named.block.stmts.splice(0..0, lets);
    Some(named)
}
