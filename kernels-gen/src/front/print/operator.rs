//! What an operator of a type of the program implements beside the user's `impl`, for functions with a parameter for such types.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Generics, Ident, Type};

use super::generic::{self, of_operator};
use super::marker::marker;
use crate::front::parse::operator_function;

/// Returns what stands for the bound, as in `T: Add`, where the `impl` is one of an operator.
pub(crate) fn for_parameters(path: &syn::Path, owner: &Type, generics: &Generics) -> Option<TokenStream> {
    let (of, name) = (of_operator(path)?, operator_function(path)?);
    let [find, run] = ["find", "run"].map(|start| format_ident!("stm_{start}_{name}"));
    let name = Ident::new(name, proc_macro2::Span::call_site());
    let marker = marker(&name, generics);
    let bounded = generic::bounded(generics);
    let (params, _, bounds) = bounded.split_for_impl();
    let other = match &path.segments.last()?.arguments {
        syn::PathArguments::AngleBracketed(all) => all.args.first().map(|other| quote!(#other)),
        _ => None,
    };
    let other = other.unwrap_or_else(|| quote!(Self));
    let (takes, gives, passed) = match name.to_string() {
        name if name == "op_neg" => (quote!(self), quote!(<Self as #path>::Output), quote!(self)),
        name if name.ends_with("_assign") => {
            (quote!(&mut self, stm_other: #other), quote!(()), quote!(self, stm_other))
        }
        _ => (quote!(self, stm_other: #other), quote!(<Self as #path>::Output), quote!(self, stm_other)),
    };
    Some(quote! {
        impl #params #of for #owner #bounds {
            type StmMarker = #marker;

            fn #find(&self) -> #marker { stm_markers::#name(::core::marker::PhantomData) }

            #[inline(always)]
            fn #run<StmKind: ::stm_runtime::__private::Kind, const STM_CHECKED: bool>(
                #takes
            ) -> impl ::stm_runtime::__private::ops::Operation<StmKind, #gives> {
                <#owner>::#run::<StmKind, STM_CHECKED>(#passed)
            }
        }
    })
}
