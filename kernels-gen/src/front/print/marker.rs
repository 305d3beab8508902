//! The names that the items of a method share, and the parameters of host versions.

use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Generics, ItemFn, ReceiverKind, Type};

use super::generic;
use crate::front::parse::{self, ParamSyntax, Signature};
use crate::ir::open::ParamRole;
use crate::spec;

/// Returns the type that stands for a method of a block with these parameters.
pub(super) fn marker(name: &Ident, generics: &Generics) -> TokenStream {
    let (_, args, _) = generics.split_for_impl();
    quote!(stm_markers::#name #args)
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
pub(super) fn asked_of(
    cfgs: &[&syn::Attribute],
    (name, generics): (&TokenStream, &Generics),
    tries: bool,
    handle: bool,
) -> TokenStream {
    let params = generic::names(generics);
    let tries = format_ident!("{}", if tries { "Tries" } else { "Plain" });
    let takes = format_ident!("{}", if handle { "TakesTx" } else { "TakesNoTx" });
    quote! {
        #(#cfgs)*
        #[diagnostic::do_not_recommend]
        impl<#params> ::stm_runtime::__private::callee::#tries for #name {}
        #(#cfgs)*
        #[diagnostic::do_not_recommend]
        impl<#params> ::stm_runtime::__private::callee::#takes for #name {}
        #(#cfgs)*
        #[diagnostic::do_not_recommend]
        impl<#params> ::stm_runtime::__private::callee::Annotated for #name {}
    }
}

/// Returns the parameters of a function's host version.
pub(crate) fn host_params(signature: &Signature) -> Vec<TokenStream> {
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
                let (element, exclusive) = (slice_of(&reference.elem), &reference.mutability);
                quote_spanned!(name.span()=> #name: &'stm #exclusive #element)
            }
            ty => quote_spanned!(name.span()=> #mutable #name: #ty),
        }
    };
    signature.params.iter().map(param).collect()
}

/// Returns the type of what a parameter refers to, as the user wrote it.
fn slice_of(ty: &Type) -> TokenStream {
    match ty {
        Type::Array(array) if parse::is_length_of_slice(&array.len) => {
            let element = &array.elem;
            quote!([#element])
        }
        other => quote!(#other),
    }
}

/// Returns the number that stands for a trait.
pub(crate) fn number_of(of: &Ident) -> Literal {
    Literal::u64_unsuffixed(spec::identity(of.unraw().to_string().as_bytes()))
}

/// Returns the number that stands for a method of a trait.
pub(crate) fn number(of: &Ident, method: &Ident) -> Literal {
    Literal::u64_unsuffixed(spec::identity(format!("{}::{}", of.unraw(), method.unraw()).as_bytes()))
}

/// Returns the types of the arguments in order, with the receiver first.
pub(crate) fn argument_types(signature: &Signature) -> Vec<TokenStream> {
    let ty = |param: &ParamSyntax| match &param.ty {
        Type::Reference(reference) => {
            let (of, exclusive) = (&reference.elem, &reference.mutability);
            quote!(&'stm #exclusive #of)
        }
        ty => quote!(#ty),
    };
    signature.params.iter().map(ty).collect()
}

/// Returns the types of the arguments as a call passes them to find the source of a function: values, and references to shared arrays.
pub(crate) fn given_types(signature: &Signature) -> Vec<TokenStream> {
    let ty = |param: &ParamSyntax| match (&param.ty, &param.of) {
        (Type::Reference(array), _) if param.role == ParamRole::Array => {
            let array = &array.elem;
            quote!(&'stm #array)
        }
        (_, value) => quote!(#value),
    };
    signature.params.iter().map(ty).collect()
}

/// Returns the arguments in order.
pub(crate) fn arguments(signature: &Signature) -> Vec<Ident> {
    signature.params.iter().map(|param| param.ident.clone()).collect()
}

/// Returns the `cfg` attributes: where the function is left out, so is its type.
pub(super) fn cfgs(item: &ItemFn) -> Vec<&syn::Attribute> {
    item.attrs.iter().filter(|a| a.path().is_ident("cfg")).collect()
}

pub(super) fn docs(item: &ItemFn) -> Vec<&syn::Attribute> {
    item.attrs.iter().filter(|a| a.path().is_ident("doc")).collect()
}

/// Returns the span of a name for the tokens of the item with that name: messages show it.
pub(super) fn here(name: &Ident) -> Span {
    Span::call_site().located_at(name.span())
}

/// Replaces names.
pub(crate) fn renamed(tokens: TokenStream, names: &[(&str, &Ident)]) -> TokenStream {
    let one = |token| match token {
        TokenTree::Ident(ident) => match names.iter().find(|(name, _)| ident == name) {
            Some((_, new)) => TokenTree::Ident(Ident::new(&new.to_string(), ident.span())),
            None => TokenTree::Ident(ident),
        },
        TokenTree::Group(group) => inside(&group, |tokens| renamed(tokens, names)),
        other => other,
    };
    tokens.into_iter().map(one).collect()
}

/// Returns a group with other tokens inside.
pub(super) fn inside(group: &Group, change: impl FnOnce(TokenStream) -> TokenStream) -> TokenTree {
    let mut changed = Group::new(group.delimiter(), change(group.stream()));
    changed.set_span(group.span());
    TokenTree::Group(changed)
}
