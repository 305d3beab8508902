//! The names that the items of a method share, and the parameters of host versions.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{ReceiverKind, Type};

use crate::front::parse::{ParamSyntax, Signature};

/// Returns the type that stands for a method.
pub(super) fn marker(name: &Ident) -> TokenStream {
    quote!(stm_markers::#name)
}

/// Returns `self` as a parameter of the host version.
pub(super) fn receiver(receiver: &syn::Receiver) -> TokenStream {
    let (exclusive, this) = (receiver.mutability, receiver.self_token);
    match &receiver.kind {
        ReceiverKind::Reference(and, _, exclusive) => quote!(#and 'stm #exclusive #this),
        _ => quote!(#exclusive #this),
    }
}

/// Returns the required form of a call, for rustc to check, of a type that stands for a function.
pub(super) fn asked_of(cfgs: &[&syn::Attribute], name: &TokenStream, tries: bool, handle: bool) -> TokenStream {
    let tries = format_ident!("{}", if tries { "Tries" } else { "Plain" });
    let takes = format_ident!("{}", if handle { "TakesTx" } else { "TakesNoTx" });
    quote! {
        #(#cfgs)*
        #[diagnostic::do_not_recommend]
        impl ::stm_runtime::__private::callee::#tries for #name {}
        #(#cfgs)*
        #[diagnostic::do_not_recommend]
        impl ::stm_runtime::__private::callee::#takes for #name {}
        #(#cfgs)*
        #[diagnostic::do_not_recommend]
        impl ::stm_runtime::__private::callee::Annotated for #name {}
    }
}

/// Returns the parameters of a function's host version.
pub(super) fn host_params(signature: &Signature) -> Vec<TokenStream> {
    let param = |param: &ParamSyntax| {
        let (name, mutable) = (&param.ident, param.mutable.then(|| quote!(mut)));
        if let Some(receiver) = &param.receiver {
            return self::receiver(receiver);
        }
        match &param.ty {
            _ if param.lent(&signature.generics).is_some() => {
                let element = &param.of;
                quote_spanned!(name.span()=> #name: impl ::stm_runtime::__private::local::Lent<#element> + 'stm)
            }
            Type::Reference(reference) => {
                let (element, exclusive) = (&reference.elem, &reference.mutability);
                quote_spanned!(name.span()=> #name: &'stm #exclusive #element)
            }
            ty => quote_spanned!(name.span()=> #mutable #name: #ty),
        }
    };
    signature.params.iter().map(param).collect()
}
