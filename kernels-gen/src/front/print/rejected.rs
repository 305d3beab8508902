//! Stubs for a function that did not compile: enough that its uses have no errors of their own, and that editors keep working
//! inside it.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{FnArg, ItemFn, Type};

use super::function::{SourceOf, companion_type, function_parts, named};
use super::item::{asked_as, cfgs, companion, methods, no_source};
use super::transaction::Bodies;
use crate::front::diag::Diagnostics;
use crate::front::parse::{self, Instance, Kind, Signature};
use crate::ir::open::Form;

pub(super) fn stop() -> TokenStream {
    quote!(::core::unreachable!("the function did not compile for the device"))
}

/// Returns the function itself. `repeated`: rustc would report the same errors again in other words, so only editors see the
/// body.
pub(crate) fn function(item: &ItemFn, repeated: bool) -> TokenStream {
    if !repeated {
        return quote!(#[allow(unused)] #item);
    }
    let ItemFn { attrs, vis, sig, block, .. } = item;
    let stop = stop();
    quote! {
        #[allow(unused, unexpected_cfgs)]
        #(#attrs)*
        #vis #sig {
            #[cfg(rust_analyzer)]
            return #block;
            #[cfg(not(rust_analyzer))]
            #stop;
        }
    }
}

/// Returns the companion type.
pub(crate) fn stubs(item: &ItemFn, signature: &Signature) -> TokenStream {
    let stop = stop();
    match signature.form {
        Form::Transaction => companion(item, signature, &Bodies::all(&stop), &no_source()),
        Form::Function { .. } => function_parts(item, signature, &SourceOf::All(no_source()), &stop),
    }
}

/// Returns the methods of an instance of a generic transaction.
pub(crate) fn instance(item: &ItemFn, signature: &Signature, ty: &Instance) -> TokenStream {
    let stop = stop();
    methods(item, signature, Some(ty), &Bodies::all(&stop), &TokenStream::new())
}

/// Returns items that only editors see.
pub(crate) fn for_editors(items: &TokenStream) -> TokenStream {
    quote! {
        #[allow(unused, unexpected_cfgs)]
        const _: () = {
            #[cfg(rust_analyzer)]
            #items
        };
    }
}

/// Returns a function whose signature cannot be used: where a type has an error, callers can pass anything.
pub(crate) fn unusable(item: &ItemFn, kind: Kind) -> TokenStream {
    if item.sig.receiver().is_some() {
        return function(item, true);
    }
    let (stop, cfgs, name, vis) = (stop(), cfgs(item), &item.sig.ident, &item.vis);
    let editors = for_editors(&quote!(#item));
    let (params, handle) = params(item, kind);
    let (result, tries) = result(item, kind);
    let output = if tries { quote!(::stm_runtime::TxResult<#result>) } else { quote!(#result) };
    let first = handle.then(|| quote!(_: &mut ::stm_runtime::Tx<'_>,));
    let companion = match kind {
        Kind::Function => unusable_function(item, &params, &result, (tries, handle)),
        _ => unusable_transaction(item, &params, &result),
    };
    quote! {
        #editors

        #(#cfgs)*
        #[allow(unused)]
        #vis fn #name(#first #(#params),*) -> #output { #stop }

        #companion
    }
}

fn unusable_transaction(item: &ItemFn, params: &[TokenStream], result: &Type) -> TokenStream {
    let (stop, cfgs, name, vis) = (stop(), cfgs(item), &item.sig.ident, &item.vis);
    let lists = (0..params.len()).map(|k| format_ident!("stm_{k}"));
    let lists = lists.map(|name| quote!(#name: impl ::core::marker::Sized));
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #name {}

        #(#cfgs)*
        #[diagnostic::do_not_recommend]
        impl ::stm_runtime::__private::callee::Annotated for #name {}

        #(#cfgs)*
        #[allow(unused, private_interfaces, clippy::too_many_arguments)]
        impl #name {
            #[doc(hidden)]
            pub fn call<'stm>(#(#params),*) -> ::stm_runtime::Call<'stm, #result, 0, 0> { #stop }

            #[doc(hidden)]
            pub fn columns<'stm, 'stm_rows>(
                #(#lists),*
            ) -> ::stm_runtime::Columns<'stm, 'stm_rows, #result, 0> { #stop }

            #[doc(hidden)]
            pub fn kernel() -> ::stm_runtime::Kernel { #stop }
        }
    }
}

fn unusable_function(item: &ItemFn, params: &[TokenStream], result: &Type, asked: (bool, bool)) -> TokenStream {
    let (stop, cfgs, name, source) = (stop(), cfgs(item), &item.sig.ident, no_source());
    let (this, asked) = (companion_type(item, name, &syn::Generics::default()), asked_as(item, name, asked.0, asked.1));
    let (given, named) = (quote!(::core::result::Result<#result, ::stm_runtime::Abort>), named(item, name));
    quote! {
        #this
        #asked

        #(#cfgs)*
        #[doc(hidden)]
        #[allow(unused, private_interfaces, clippy::too_many_arguments)]
        impl #name {
            #source

            pub const fn stm_stated() -> &'static ::stm_runtime::__private::spec::Source { Self::stm_source() }

            pub fn stm_run<StmKind: ::stm_runtime::__private::Kind, const STM_CHECKED: bool>(
                #(#params),*
            ) -> impl ::core::ops::FnOnce(u32, &mut ::stm_runtime::Tx<'_, StmKind>) -> #given {
                |_: u32, _: &mut ::stm_runtime::Tx<'_, StmKind>| -> #given { #stop }
            }
        }

        #named

        #(#cfgs)*
        impl ::stm_runtime::__private::callee::Callee for #name {}
    }
}

/// Returns the parameters after the handle, and whether there is a handle.
pub(crate) fn params(item: &ItemFn, kind: Kind) -> (Vec<TokenStream>, bool) {
    let generic = !item.sig.generics.params.is_empty();
    let mut inputs = item.sig.inputs.iter().filter(|arg| matches!(arg, FnArg::Typed(_))).peekable();
    let handle = inputs.next_if(|first| parse::is_handle(first)).is_some();
    let param = |(k, arg): (usize, &FnArg)| {
        let (name, ty) = (format_ident!("stm_{k}"), parse::usable_type(arg, kind));
        match ty.filter(|_| !generic) {
            Some(ty) => quote!(#name: #ty),
            None => quote!(#name: impl ::core::marker::Sized),
        }
    };
    (inputs.enumerate().map(param).collect(), handle)
}

/// Returns the type of the value that the function returns, as far as it is valid, and whether it is inside a `TxResult`.
pub(crate) fn result(item: &ItemFn, kind: Kind) -> (Type, bool) {
    let (ty, tries) = match kind {
        Kind::Function => parse::function_result(item),
        _ => (parse::result_of(item), true),
    };
    let usable =
        ty.filter(|ty| item.sig.generics.params.is_empty() && parse::is_usable(ty, &mut Diagnostics::default()));
    (usable.unwrap_or_else(|| syn::parse_quote!(())), tries)
}

/// Returns the value of a closure whose signature cannot be used; `count`: its parameters without the captures.
pub(crate) fn closure(function: &ItemFn, count: usize, written: &TokenStream) -> TokenStream {
    let (stop, name) = (stop(), format_ident!("Closure"));
    let params = params(function, Kind::Closure).0.into_iter().take(count);
    let (result, _) = result(function, Kind::Closure);
    quote! {
        #[allow(unexpected_cfgs)]
        let _ = {
            #[cfg(rust_analyzer)]
            { #written }
        };

        #[allow(dead_code)]
        #[derive(Clone, Copy)]
        struct #name;

        #[allow(unused, clippy::too_many_arguments)]
        impl #name {
            fn call<'stm>(&self, #(#params),*) -> ::stm_runtime::Call<'stm, #result, 0, 0> { #stop }
            fn kernel(&self) -> ::stm_runtime::Kernel { #stop }
        }

        #name
    }
}
