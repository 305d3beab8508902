//! The items for a method or function of an `impl` block with `#[gpu_fn]`.
//!
//! Beside `price` the type gets `stm_run_price`, its host version, and `stm_marker_price`, a value of a type that stands for the
//! method; `stm_find_price` returns that value for a receiver, so that rustc finds it as it finds the method.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Generics, Ident, ItemFn, ReceiverKind, Type, Visibility, WherePredicate};

use super::generic;
use super::item::{HANDLE, Item, cfgs, here, no_source, source_method_with, source_of_each};
use super::marker::{argument_types, arguments, asked_of, host_params, marker, number, receiver};
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

/// What the `impl` block around a method says.
pub(crate) struct Block<'a> {
    /// The type.
    pub(crate) owner: &'a Type,
    /// The last name in the path of the trait.
    pub(crate) of: Option<&'a Ident>,
    /// Its parameters.
    pub(crate) generics: &'a Generics,
    /// What the hidden functions require.
    pub(crate) requires: &'a [WherePredicate],
}

/// The parts in which the methods that compiled and those that did not differ.
struct Parts<'a> {
    item: &'a ItemFn,
    block: &'a Block<'a>,
    /// The arguments and their types, if the body can run.
    args: Option<(Vec<Ident>, Vec<TokenStream>)>,
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
    pub(crate) fn method(&self, original: &syn::ImplItemFn, block: &Block<'_>) -> MethodItems {
        let result = &self.signature.result;
        let tx = self.signature.tx.clone().unwrap_or_else(|| Ident::new(HANDLE, Span::mixed_site()));
        let inside = self.callable(original);
        let parts = Parts {
            item: self.written,
            block,
            args: Some((arguments(self.signature), argument_types(self.signature))),
            params: host_params(self.signature),
            result: quote!(#result),
            tx: quote!(#tx),
            body: self.host_body(),
            source: match self.external.dependent {
                true => source_of_each("stm_source", &self.source(), &self.external.items),
                false => source_method_with(&self.source(), &self.external.items),
            },
            asked: asked(self.signature),
        };
        parts.items(inside)
    }
}

/// Returns the items for a function whose body did not compile.
pub(crate) fn stub(item: &ItemFn, signature: &Signature, inside: TokenStream, block: &Block<'_>) -> MethodItems {
    let result = &signature.result;
    let parts = Parts {
        item,
        block,
        args: Some((arguments(signature), argument_types(signature))),
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
pub(crate) fn unusable(item: &ItemFn, inside: TokenStream, block: &Block<'_>) -> MethodItems {
    let (mut params, handle) = rejected::params(item, Kind::Function);
    let (result, tries) = rejected::result(item, Kind::Function);
    if let Some(this) = item.sig.receiver().filter(|this| !matches!(this.kind, ReceiverKind::Typed(..))) {
        params.insert(0, receiver(this));
    }
    let parts = Parts {
        item,
        block,
        args: None,
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

impl Parts<'_> {
    fn items(self, inside: TokenStream) -> MethodItems {
        let name = &self.item.sig.ident;
        let generics = self.block.generics;
        let (cfgs, of, span) = (cfgs(self.item), marker(name, generics), here(name));
        let (tries, handle) = self.asked;
        let (asked, source) = (asked_of(&cfgs, (&of, generics), tries, handle), &self.source);
        let (params, lengths) = (generic::names(generics), generics.const_params().map(|param| &param.ident));
        let types = generics.type_params().map(|param| &param.ident);
        let marker = quote_spanned! {span=>
            #(#cfgs)*
            #[allow(non_camel_case_types)]
            pub struct #name<#params>(pub ::core::marker::PhantomData<(#(#types,)* #([(); #lengths],)*)>);
        };
        let bounded = generic::bounded(generics);
        let (bounds, _, clause) = bounded.split_for_impl();
        let of_trait = self.of_trait(&of, &bounded);
        let outside = quote! {
            #asked
            #(#cfgs)*
            impl<#params> ::core::clone::Clone for #of {
                fn clone(&self) -> Self { *self }
            }
            #(#cfgs)*
            impl<#params> ::core::marker::Copy for #of {}
            #(#cfgs)*
            impl #bounds #of #clause {
                #source

                pub const fn stm_get(self) -> &'static ::stm_runtime::__private::spec::Source { Self::stm_source() }

                pub const fn stm_get_or<O>(
                    self, _: &impl ::core::ops::FnOnce() -> O
                ) -> &'static ::stm_runtime::__private::spec::Source { Self::stm_source() }
            }
            #(#cfgs)*
            impl #bounds ::stm_runtime::__private::callee::Method for #of #clause {
                const SOURCE: &'static ::stm_runtime::__private::spec::Source = <#of>::stm_source();
            }
            #of_trait
        };
        MethodItems { inside, hidden: self.hidden(), marker, outside }
    }

    /// Returns how the method of a trait runs for the type, for functions that know only the trait.
    fn of_trait(&self, of: &TokenStream, bounded: &Generics) -> Option<TokenStream> {
        let (Some(of_trait), Some((args, types))) = (self.block.of, &self.args) else { return None };
        let (owner, result, cfgs) = (self.block.owner, &self.result, cfgs(self.item));
        let method = number(of_trait, &self.item.sig.ident);
        let run = format_ident!("stm_run_{}", self.item.sig.ident.unraw());
        let (bounds, _, clause) = bounded.split_for_impl();
        let mut with_lifetime = bounded.clone();
        with_lifetime.params.insert(0, syn::parse_quote!('stm));
        let (with_lifetime, ..) = with_lifetime.split_for_impl();
        let names: Vec<_> = (0..args.len()).map(|k| format_ident!("stm_{k}")).collect();
        Some(quote! {
            #(#cfgs)*
            impl #bounds ::stm_runtime::__private::callee::Implements<#method> for #owner #clause {
                type Marker = #of;
            }
            #(#cfgs)*
            impl #with_lifetime ::stm_runtime::__private::callee::Runs<#method, (#(#types,)*)> for #owner #clause {
                type Output = #result;

                #[inline]
                fn run<StmKind: ::stm_runtime::__private::Kind, const STM_CHECKED: bool>(
                    (#(#names,)*): (#(#types,)*), stm_base: u32, stm_tx: &mut ::stm_runtime::Tx<'_, StmKind>
                ) -> ::core::result::Result<#result, ::stm_runtime::Abort> {
                    <#owner>::#run::<StmKind, STM_CHECKED>(#(#names),*)(stm_base, stm_tx)
                }
            }
        })
    }

    /// Returns what the type gets, as visible as the method; those of a trait are as visible as the trait, which only rustc knows.
    fn hidden(&self) -> TokenStream {
        let Parts { item, block, params, result, tx, body, .. } = self;
        let (owner, requires) = (block.owner, block.requires);
        let (name, cfgs) = (&item.sig.ident, cfgs(item));
        let (of, value) = (marker(name, block.generics), quote!(stm_markers::#name(::core::marker::PhantomData)));
        let vis: Visibility = if block.of.is_some() { syn::parse_quote!(pub) } else { item.vis.clone() };
        let plain = name.unraw();
        let span = here(name);
        let (run, find) =
            (format_ident!("stm_run_{plain}", span = span), format_ident!("stm_find_{plain}", span = span));
        let constant = format_ident!("stm_marker_{plain}", span = span);
        let find = item.sig.receiver().is_some().then(|| {
            quote! {
                #(#cfgs)*
                #[doc(hidden)]
                #vis fn #find(&self) -> #of where #(#requires),* { #value }
            }
        });
        let given = quote!(::core::result::Result<#result, ::stm_runtime::Abort>);
        let version = |name: &Ident, requires: &[WherePredicate], body: TokenStream| {
            quote! {
                #(#cfgs)*
                #[doc(hidden)]
                #vis fn #name<'stm, StmKind: ::stm_runtime::__private::Kind, const STM_CHECKED: bool>(
                    #(#params),*
                ) -> impl ::core::ops::FnOnce(u32, &mut ::stm_runtime::Tx<'_, StmKind>) -> #given + 'stm
                where
                    #owner: 'stm, #(#requires),*
                {
                    #body
                }
            }
        };
        let body = quote!(move |stm_base: u32, #tx: &mut ::stm_runtime::Tx<'_, StmKind>| -> #given { #body });
        let run = match (requires, &self.args) {
            // What the callers need does not hold in the body: there the type is a parameter.
            ([_, ..], Some((args, _))) => {
                let inner = format_ident!("stm_body_{plain}", span = span);
                let data = [syn::parse_quote!(#owner: ::stm_runtime::GpuData)];
                let body = version(&inner, &data, body);
                let run = version(&run, requires, quote!(Self::#inner::<StmKind, STM_CHECKED>(#(#args),*)));
                quote!(#body #run)
            }
            _ => version(&run, requires, body),
        };
        quote! {
            #(#cfgs)*
            #[doc(hidden)]
            #vis const #constant: #of = #value;

            #find

            #run
        }
    }
}
