//! The type of a generic transaction, and the calls of its instances.

use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{FnArg, Ident, ItemFn, Pat, Type};

use super::generic;
use super::marker::{cfgs, docs, here};
use crate::front::parse::Instance;

/// Returns the companion of a generic transaction; its instances have their own methods.
pub(crate) fn generic_companion(item: &ItemFn, name: &Ident, instances: &[Instance]) -> TokenStream {
    let (vis, cfgs, docs) = (&item.vis, cfgs(item), docs(item));
    let listed = format_ident!("{}__types", name.unraw(), span = name.span());
    let impls = instances.iter().map(|instance| {
        let ty = instance.listed(item);
        quote! {
            #(#cfgs)*
            impl ::stm_runtime::__private::callee::Listed<#listed> for #ty {}
        }
    });
    let (params, args, one) =
        (generic::names(&item.sig.generics), generic::marker(&item.sig.generics), crate::front::parse::listed(item));
    let ((_, own, _), (names, types)) = (item.sig.generics.split_for_impl(), arguments(item));
    let data = item.sig.generics.type_params().map(|param| &param.ident);
    let about = format!("A call of `{name}`, to push into a batch.");
    quote_spanned! {here(name)=>
        #(#cfgs)*
        #(#docs)*
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #name<#params> where #one: ::stm_runtime::__private::callee::Listed<#listed> { #args }

        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #listed {}

        #(#impls)*

        #(#cfgs)*
        #[allow(dead_code, private_interfaces, private_bounds, clippy::too_many_arguments)]
        impl<#params> #name #own where #(#data: ::stm_runtime::GpuData,)* #one: ::stm_runtime::__private::callee::Listed<#listed> {
            #[doc = #about]
            #[inline]
            pub fn call<'stm>(
                #(#names: #types),*
            ) -> <Self as ::stm_runtime::__private::callee::Instance<(#(#types,)*)>>::Call
            where
                Self: ::stm_runtime::__private::callee::Instance<(#(#types,)*)>,
            {
                <Self as ::stm_runtime::__private::callee::Instance<(#(#types,)*)>>::called((#(#names,)*))
            }
        }
    }
}

/// Returns how calls of an instance are made, for `call`. `made`: the type of a call; `body`: its value.
pub(super) fn called(item: &ItemFn, (this, made): (&TokenStream, &TokenStream), body: &TokenStream) -> TokenStream {
    let ((names, types), cfgs) = (arguments(item), cfgs(item));
    let lends = |ty: &Type| {
        matches!(ty, Type::Reference(_))
            || matches!(ty, Type::Array(array) if matches!(*array.elem, Type::Reference(_)))
    };
    // Without arrays there is nothing that a call borrows, and Rust has no parameter that nothing names.
    let (params, made) = match types.iter().any(lends) {
        true => (quote!('stm), made.clone()),
        false => (TokenStream::new(), lasting(made.clone())),
    };
    quote! {
        #(#cfgs)*
        #[allow(unused_variables, private_interfaces, clippy::too_many_arguments, clippy::unused_unit)]
        impl<#params> ::stm_runtime::__private::callee::Instance<(#(#types,)*)> for #this {
            type Call = #made;

            #[inline]
            fn called((#(#names,)*): (#(#types,)*)) -> #made { #body }
        }
    }
}

/// Returns a type with `'static` in place of the lifetime of the call.
fn lasting(made: TokenStream) -> TokenStream {
    let one = |token| match token {
        TokenTree::Ident(name) if name == "stm" => TokenTree::Ident(Ident::new("static", name.span())),
        other => other,
    };
    made.into_iter().map(one).collect()
}

/// Returns the names of the arguments of a call, and their types, with the lifetime of the call for arrays.
fn arguments(item: &ItemFn) -> (Vec<Ident>, Vec<Type>) {
    let typed = item.sig.inputs.iter().skip(1).filter_map(|input| match input {
        FnArg::Typed(input) => Some(input),
        FnArg::Receiver(_) => None,
    });
    let one = |(k, input): (usize, &syn::PatType)| {
        let mut ty = (*input.ty).clone();
        let reference = match &mut ty {
            Type::Array(array) => &mut *array.elem,
            other => other,
        };
        if let Type::Reference(reference) = reference {
            reference.lifetime = Some(syn::parse_quote!('stm));
        }
        let name = match &*input.pat {
            Pat::Ident(pat) => pat.ident.clone(),
            _ => format_ident!("stm_{k}"),
        };
        (name, ty)
    };
    typed.enumerate().map(one).unzip()
}
