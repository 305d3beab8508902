//! The items for a method or function of an `impl` block with `#[gpu_fn]`.
//!
//! Beside `price` the type gets `stm_run_price`, its host version, and `stm_marker_price`, a value of a type that stands for the
//! method; `stm_find_price` returns that value for a receiver, so that rustc finds it as it finds the method.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Ident, ItemFn, ReceiverKind, Type, Visibility};

use super::item::{HANDLE, Item, cfgs, here, no_source, source_method_with};
use super::marker::{asked_of, host_params, marker, receiver};
use super::rejected;
use crate::front::parse::{Kind, Signature};
use crate::ir::open::Form;

/// What the attribute generates for one function of an `impl` block.
pub(crate) struct MethodItems {
    /// The function in the user's block.
    pub(crate) inside: TokenStream,
    /// The hidden functions and constants of the type.
    pub(crate) hidden: TokenStream,
    /// The declaration of the marker.
    pub(crate) marker: TokenStream,
    /// What the marker implements.
    pub(crate) outside: TokenStream,
}

/// The parts in which the methods that compiled and those that did not differ.
struct Parts<'a> {
    item: &'a ItemFn,
    owner: &'a Type,
    of_trait: bool,
    params: Vec<TokenStream>,
    result: TokenStream,
    tx: TokenStream,
    body: TokenStream,
    source: TokenStream,
    /// Whether it returns a `TxResult`, and whether it takes the handle.
    asked: (bool, bool),
}

impl Item<'_> {
    /// Returns all items of a function of an `impl` block. `original`: the function as it stands there.
    pub(crate) fn method(&self, original: &syn::ImplItemFn, owner: &Type, of_trait: bool) -> MethodItems {
        let result = &self.signature.result;
        let tx = self.signature.tx.clone().unwrap_or_else(|| Ident::new(HANDLE, Span::mixed_site()));
        let inside = self.callable(original);
        let parts = Parts {
            item: self.written,
            owner,
            of_trait,
            params: host_params(self.signature),
            result: quote!(#result),
            tx: quote!(#tx),
            body: self.host_body(),
            source: source_method_with(&self.source(), &self.external.items),
            asked: asked(self.signature),
        };
        parts.items(inside)
    }
}

/// Returns the items for a function whose body did not compile.
pub(crate) fn stub(item: &ItemFn, signature: &Signature, inside: TokenStream, of_trait: bool) -> MethodItems {
    let Some(owner) = &signature.owner else { return MethodItems::only(inside) };
    let result = &signature.result;
    let parts = Parts {
        item,
        owner,
        of_trait,
        params: host_params(signature),
        result: quote!(#result),
        tx: quote!(_),
        body: rejected::stop(),
        source: no_source(),
        asked: asked(signature),
    };
    parts.items(inside)
}

/// Returns the items for a function whose signature cannot be used.
pub(crate) fn unusable(item: &ItemFn, owner: &Type, inside: TokenStream, of_trait: bool) -> MethodItems {
    let (mut params, handle) = rejected::params(item, Kind::Function);
    let (result, tries) = rejected::result(item, Kind::Function);
    if let Some(this) = item.sig.receiver().filter(|this| !matches!(this.kind, ReceiverKind::Typed(..))) {
        params.insert(0, receiver(this));
    }
    let parts = Parts {
        item,
        owner,
        of_trait,
        params,
        result: quote!(#result),
        tx: quote!(_),
        body: rejected::stop(),
        source: no_source(),
        asked: (tries, handle),
    };
    parts.items(inside)
}

fn asked(signature: &Signature) -> (bool, bool) {
    (matches!(signature.form, Form::Function { tries: true }), signature.tx.is_some())
}

impl MethodItems {
    /// Returns the function alone.
    pub(crate) fn only(inside: TokenStream) -> MethodItems {
        let empty = TokenStream::new;
        MethodItems { inside, hidden: empty(), marker: empty(), outside: empty() }
    }
}

impl Parts<'_> {
    fn items(self, inside: TokenStream) -> MethodItems {
        let name = &self.item.sig.ident;
        let (cfgs, of, span) = (cfgs(self.item), marker(name), here(name));
        let (tries, handle) = self.asked;
        let (asked, source) = (asked_of(&cfgs, &of, tries, handle), &self.source);
        let marker = quote_spanned! {span=>
            #(#cfgs)*
            #[allow(non_camel_case_types)]
            pub struct #name;
        };
        let outside = quote! {
            #asked
            #(#cfgs)*
            impl ::core::clone::Clone for #of {
                fn clone(&self) -> Self { *self }
            }
            #(#cfgs)*
            impl ::core::marker::Copy for #of {}
            #(#cfgs)*
            impl #of {
                #source

                pub const fn stm_get(self) -> &'static ::stm_runtime::__private::spec::Source { Self::stm_source() }
            }
            #(#cfgs)*
            impl ::stm_runtime::__private::callee::Method for #of {
                const SOURCE: &'static ::stm_runtime::__private::spec::Source = <#of>::stm_source();
            }
        };
        MethodItems { inside, hidden: self.hidden(), marker, outside }
    }

    /// Returns what the type gets, as visible as the method; those of a trait are as visible as the trait, which only rustc knows.
    fn hidden(&self) -> TokenStream {
        let Parts { item, owner, of_trait, params, result, tx, body, .. } = self;
        let (name, cfgs) = (&item.sig.ident, cfgs(item));
        let of = marker(name);
        let vis: Visibility = if *of_trait { syn::parse_quote!(pub) } else { item.vis.clone() };
        let plain = name.unraw();
        let span = here(name);
        let (run, find) =
            (format_ident!("stm_run_{plain}", span = span), format_ident!("stm_find_{plain}", span = span));
        let constant = format_ident!("stm_marker_{plain}", span = span);
        let find = item.sig.receiver().is_some().then(|| {
            quote! {
                #(#cfgs)*
                #[doc(hidden)]
                #vis fn #find(&self) -> #of { #of }
            }
        });
        let given = quote!(::core::result::Result<#result, ::stm_runtime::Abort>);
        quote! {
            #(#cfgs)*
            #[doc(hidden)]
            #vis const #constant: #of = #of;

            #find

            #(#cfgs)*
            #[doc(hidden)]
            #vis fn #run<'stm, StmKind: ::stm_runtime::__private::Kind, const STM_CHECKED: bool>(
                #(#params),*
            ) -> impl ::core::ops::FnOnce(u32, &mut ::stm_runtime::Tx<'_, StmKind>) -> #given + 'stm
            where
                #owner: 'stm,
            {
                move |stm_base: u32, #tx: &mut ::stm_runtime::Tx<'_, StmKind>| -> #given { #body }
            }
        }
    }
}
