//! The companion of a `#[gpu_fn]` with parameters for types and lengths. In types, as in `<first>::stm_source()`, it stands with defaults,
//! which change nothing there; in calls, as in `first::stm_run(..)`, rustc finds the parameters.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{GenericParam, Generics, TypeParamBound, WherePredicate};

use crate::front::parse::{LENGTH, operator_function, scalar};
use crate::spec::Scalar;

/// Returns the parameters without bounds, and with a default for each.
pub(super) fn with_defaults(generics: &Generics) -> TokenStream {
    let params = generics.params.iter().map(|param| match param {
        GenericParam::Type(param) => {
            let name = &param.ident;
            quote!(#name = ())
        }
        GenericParam::Const(param) => {
            let (name, ty) = (&param.ident, &param.ty);
            let value = if scalar(ty) == Some(Scalar::Bool) { quote!(false) } else { quote!(0) };
            quote!(const #name: #ty = #value)
        }
        GenericParam::Lifetime(param) => quote!(#param),
    });
    let params: Vec<_> = params.collect();
    if params.is_empty() { TokenStream::new() } else { quote!(<#(#params),*>) }
}

/// Returns the parameters without bounds and defaults.
pub(super) fn names(generics: &Generics) -> TokenStream {
    let params = generics.params.iter().map(|param| match param {
        GenericParam::Type(param) => param.ident.to_token_stream(),
        GenericParam::Const(param) => {
            let (name, ty) = (&param.ident, &param.ty);
            quote!(const #name: #ty)
        }
        GenericParam::Lifetime(param) => quote!(#param),
    });
    quote!(#(#params),*)
}

/// Returns the parameters without the lengths of slices, which a host version does not have, and the arguments with 0 for these.
pub(super) fn of_host(generics: &Generics) -> (Generics, TokenStream) {
    let is_length = |param: &GenericParam| matches!(param, GenericParam::Const(param) if param.ident.to_string().starts_with(LENGTH));
    let args = generics.params.iter().map(|param| match param {
        GenericParam::Type(param) => param.ident.to_token_stream(),
        GenericParam::Const(_) if is_length(param) => quote!(0),
        GenericParam::Const(param) => param.ident.to_token_stream(),
        GenericParam::Lifetime(param) => param.lifetime.to_token_stream(),
    });
    let args = if generics.params.is_empty() { TokenStream::new() } else { quote!(<#(#args),*>) };
    let mut kept = generics.clone();
    kept.params = std::mem::take(&mut kept.params).into_iter().filter(|param| !is_length(param)).collect();
    (kept, args)
}

/// Returns a field that names the type parameters.
pub(super) fn marker(generics: &Generics) -> Option<TokenStream> {
    let types: Vec<_> = generics.type_params().map(|param| &param.ident).collect();
    (!types.is_empty()).then(|| quote!(marker: ::core::marker::PhantomData<(#(#types,)*)>))
}

/// Returns the parameters with the bounds that generated code needs.
pub(crate) fn bounded(generics: &Generics) -> Generics {
    let mut bounded = generics.clone();
    bound(&mut bounded);
    bounded
}

/// Adds the bounds that generated code needs: a value of the device, and what stands for the operators that the user's bounds allow.
pub(super) fn bound(generics: &mut Generics) {
    let mut more: Vec<WherePredicate> = Vec::new();
    for param in generics.type_params() {
        let name = &param.ident;
        more.push(syn::parse_quote!(#name: ::stm_runtime::GpuData));
        let own = param.bounds.iter().flat_map(operators);
        more.extend(own.map(|bound| syn::parse_quote!(#name: #bound)));
    }
    for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
        let WherePredicate::Type(predicate) = predicate else { continue };
        let ty = &predicate.bounded_ty;
        let own = predicate.bounds.iter().flat_map(operators);
        more.extend(own.map(|bound| syn::parse_quote!(#ty: #bound)));
    }
    if !more.is_empty() {
        generics.make_where_clause().predicates.extend(more);
    }
}

/// Returns what stands for the trait of an operator, with the same parameters.
pub(crate) fn of_operator(path: &syn::Path) -> Option<TokenStream> {
    operator_function(path)?;
    let last = path.segments.last()?;
    let of = format_ident!("Of{}", last.ident);
    let arguments = match &last.arguments {
        syn::PathArguments::AngleBracketed(all) => {
            let types = all.args.iter().filter(|argument| matches!(argument, syn::GenericArgument::Type(_)));
            quote!(<#(#types),*>)
        }
        _ => TokenStream::new(),
    };
    Some(quote!(::stm_runtime::__private::ops::#of #arguments))
}

/// Returns what stands for the operators of a trait of the standard library.
pub(crate) fn operators(bound: &TypeParamBound) -> Vec<TokenStream> {
    let TypeParamBound::Trait(bound) = bound else { return Vec::new() };
    let name = bound.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    if let Some(of) = of_operator(&bound.path) {
        return vec![of];
    }
    match name.trim_end_matches("Assign") {
        "Shl" | "Shr" => vec![quote!(::stm_runtime::__private::ops::Int)],
        "PartialEq" | "Eq" => vec![quote!(::stm_runtime::__private::local::Comparable)],
        "PartialOrd" | "Ord" => ["Comparable", "Ordered", "OfOrd"][..if name == "Ord" { 3 } else { 2 }]
            .iter()
            .map(|name| format_ident!("{name}"))
            .map(|name| quote!(::stm_runtime::__private::local::#name))
            .collect(),
        _ => Vec::new(),
    }
}
