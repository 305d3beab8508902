//! The names that the items of a method share.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ReceiverKind;

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
