//! Methods of traits that take `&mut self`.
//!
//! A call means the type's own method, if the type has one. Otherwise rustc finds the type that stands for the method of the trait, and that
//! type runs the method: see the runtime's `callee/exclusive.rs`.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{Generics, ReceiverKind, Type};

use super::{generic, marker};
use crate::front::parse::{BuiltIn, built_in, is_handle};

/// Returns the name of the receiver of a function that takes `&mut self`, where it is no method.
pub(crate) fn receiver(sig: &syn::Signature) -> Option<Ident> {
    let this = sig.receiver()?;
    // rustc finds one with such a name before those of all types, or not at all.
    let arguments = sig.inputs.iter().skip(1).filter(|input| !is_handle(input)).count();
    if built_in::of(&sig.ident, arguments) == Some(BuiltIn::Changes) {
        return None;
    }
    matches!(this.kind, ReceiverKind::Reference(_, _, Some(_))).then(|| Ident::new("stm_this", this.self_token.span))
}

/// Returns it as a parameter.
pub(crate) fn param(this: &Ident) -> TokenStream {
    quote!(#this: &'stm mut Self)
}

/// Gives the receiver this name in a body. Items in the body have receivers of their own.
pub(super) fn renamed(body: TokenStream, this: &Ident) -> TokenStream {
    let mut in_item = false;
    let one = |token| match token {
        TokenTree::Ident(name) if name == "self" => TokenTree::Ident(Ident::new(&this.to_string(), name.span())),
        TokenTree::Ident(name) => {
            in_item |= name == "trait" || name == "impl";
            TokenTree::Ident(name)
        }
        TokenTree::Group(group) if in_item && group.delimiter() == Delimiter::Brace => {
            in_item = false;
            TokenTree::Group(group)
        }
        TokenTree::Group(group) => marker::inside(&group, |tokens| renamed(tokens, this)),
        other => other,
    };
    body.into_iter().map(one).collect()
}

/// Returns what makes a call complete where rustc has found this method.
pub(super) fn finds(of: &TokenStream, generics: &Generics, cfgs: &[&syn::Attribute]) -> TokenStream {
    let params = generic::names(generics);
    quote! {
        #(#cfgs)*
        impl<StmCall, #params> ::stm_runtime::__private::callee::Finds<StmCall> for #of {
            type Call = ::stm_runtime::__private::callee::OfMethod<Self, StmCall>;

            #[inline(always)]
            fn stm_call(deferred: StmCall) -> Self::Call { ::stm_runtime::__private::callee::OfMethod::new(deferred) }
        }
    }
}

/// Returns how the method runs: `of` stands for it, in a trait, for a type, and `run` is its host version.
pub(crate) fn runs(
    (of, of_trait, owner): (&TokenStream, &impl ToTokens, &Type),
    generics: &Generics,
    (run, result): (&Ident, &TokenStream),
    types: &[TokenStream],
) -> TokenStream {
    let mut generics = generics.clone();
    generics.params.insert(0, syn::parse_quote!('stm));
    let (params, _, bounds) = generics.split_for_impl();
    let names: Vec<_> = (1..types.len()).map(|k| format_ident!("stm_{k}")).collect();
    let types = &types[1..];
    quote! {
        impl #params ::stm_runtime::__private::callee::RunsExclusive<'stm, #owner, (#(#types,)*), #result> for #of #bounds {
            #[inline]
            fn run<StmKind: ::stm_runtime::__private::Kind, const STM_CHECKED: bool>(
                stm_this: &'stm mut #owner, (#(#names,)*): (#(#types,)*), stm_base: u32, stm_tx: &mut ::stm_runtime::Tx<'_, StmKind>
            ) -> ::core::result::Result<#result, ::stm_runtime::Abort> {
                <#owner as #of_trait>::#run::<StmKind, STM_CHECKED>(stm_this, #(#names),*)(stm_base, stm_tx)
            }
        }
    }
}
