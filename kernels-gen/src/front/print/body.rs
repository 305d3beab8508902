//! The function of a transaction in two parts: the one with the user's signature, and the body that is compiled for each kind of
//! memory.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{ItemFn, Type};

use super::requires;
use crate::front::lists;
use crate::front::parse::Signature;

/// Returns the function with the user's signature. It calls the body that is compiled for each kind of memory.
pub(super) fn forward(function: &ItemFn, signature: &Signature) -> TokenStream {
    let (vis, name) = (&function.vis, &function.sig.ident);
    let attrs = function.attrs.iter().filter(|attr| !attr.path().is_ident("expect"));
    let is_inline = function.attrs.iter().any(|attr| attr.path().is_ident("inline"));
    let inline = (!is_inline).then(|| quote!(#[inline]));
    let mut sig = function.sig.clone();
    for input in &mut sig.inputs {
        if let syn::FnArg::Typed(input) = input
            && let syn::Pat::Ident(ident) = &mut *input.pat
        {
            ident.mutability = None;
        }
    }
    let (params, lets) = lists::written(signature, None, |param| {
        let (name, ty) = (&param.ident, &param.ty);
        quote!(#name: #ty)
    });
    if !lets.is_empty() {
        let first = sig.inputs.first().cloned();
        sig.inputs = first.into_iter().chain(params.into_iter().map(|param| syn::parse_quote!(#param))).collect();
    }
    let bounds = requires::bounds(signature);
    if !bounds.is_empty() {
        sig.generics.make_where_clause().predicates.extend(bounds);
    }
    let args = signature.params.iter().map(|param| &param.ident);
    let tx = signature.tx.iter();
    quote! {
        #(#attrs)*
        #inline
        #[allow(dead_code, trivial_bounds, unused_lifetimes)]
        #vis #sig { #lets #name::stm_body(#(#tx,)* #(#args),*) }
    }
}

/// Makes a transaction's function a private method with a type parameter for the kind of memory.
pub(super) fn generic_over_memory(function: &mut ItemFn, signature: &Signature) {
    const ELSEWHERE: [&str; 6] = ["doc", "inline", "must_use", "deprecated", "cfg", "track_caller"];
    function.attrs.retain(|attr| !ELSEWHERE.iter().any(|name| attr.path().is_ident(name)));
    // It is a part of the loop over a claim's transactions.
    function.attrs.push(syn::parse_quote!(#[inline(always)]));
    function.vis = syn::Visibility::Inherited;
    function.sig.ident = Ident::new("stm_body", signature.name.span());
    function.sig.generics = syn::parse_quote!(<StmKind: ::stm_runtime::__private::Kind>);
    let bounds = requires::bounds(signature);
    if !bounds.is_empty() {
        function.sig.generics.make_where_clause().predicates.extend(bounds);
    }
    if let Some(syn::FnArg::Typed(tx)) = function.sig.inputs.first_mut() {
        let span = tx.ty.span();
        *tx.ty = Type::Verbatim(quote_spanned!(span=> &mut ::stm_runtime::Tx<'_, StmKind>));
    }
}
