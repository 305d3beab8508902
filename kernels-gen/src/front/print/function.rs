//! The items of a free function for transactions: the type with its name, its source, and its host version.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ItemFn;

use super::generic;
use super::item::{HANDLE, Item, asked_as, cfgs, here, no_source, source_method_with, source_of_each};
use super::marker::{given_types, host_params};
use super::requires;
use crate::front::parse::Signature;
use crate::ir::open::Form;

impl Item<'_> {
    /// Returns all items of a function that transactions call: the function, and its host version.
    pub(crate) fn function(&self) -> TokenStream {
        let items = &self.external.items;
        let source = match self.external.dependent {
            true => {
                let each = source_of_each("stm_stated", &self.source(), items);
                let all = self.external.only_operators.then(|| source_method_with(&self.source_for(false), items));
                SourceOf::Each(each, all)
            }
            false => SourceOf::All(source_method_with(&self.source(), items)),
        };
        let parts = function_parts(self.written, self.signature, &source, &self.host_body());
        let function = self.callable(self.written);
        quote!(#function #parts)
    }
}

/// The method by which others find the source of a function.
pub(super) enum SourceOf {
    /// One source, in which parameters have no meaning.
    All(TokenStream),
    /// A source for each use of the function, and perhaps one for uses that do not say what the parameters are.
    Each(TokenStream, Option<TokenStream>),
}

/// Returns the type that transactions name instead of the function, and its host version.
pub(super) fn function_parts(
    item: &ItemFn,
    signature: &Signature,
    source: &SourceOf,
    body: &TokenStream,
) -> TokenStream {
    let (name, result) = (&signature.name, &signature.result);
    let (params, asked) = (host_params(signature), asked(item, signature));
    let tx = signature.tx.clone().unwrap_or_else(|| Ident::new(HANDLE, Span::mixed_site()));
    let host_version = Ident::new("stm_run", here(name));
    let (cfgs, this) = (cfgs(item), companion_type(item, name, &signature.generics));
    let (mut generics, args) = generic::of_host(&signature.generics);
    generic::bound(&mut generics);
    let (generic, _, bounds) = generics.split_for_impl();
    let (source, clause) = (found_by_others(item, signature, source), requires::clause(signature));
    quote! {
        #this
        #asked
        #source

        #(#cfgs)*
        #[doc(hidden)]
        #[allow(
            dead_code, unused_variables, unused_mut, unused_braces, unreachable_code, private_interfaces,
            clippy::too_many_arguments, clippy::needless_question_mark, clippy::unused_unit, clippy::let_unit_value,
            clippy::unusual_byte_groupings, clippy::inconsistent_digit_grouping, trivial_bounds, unused_lifetimes
        )]
        impl #generic #name #args #bounds {
            pub fn #host_version<'stm, StmKind: ::stm_runtime::__private::Kind, const STM_CHECKED: bool>(
                #(#params),*
            ) -> impl ::core::ops::FnOnce(
                u32, &mut ::stm_runtime::Tx<'_, StmKind>
            ) -> ::core::result::Result<#result, ::stm_runtime::Abort> + 'stm #clause {
                move |stm_base: u32, #tx: &mut ::stm_runtime::Tx<'_, StmKind>|
                    -> ::core::result::Result<#result, ::stm_runtime::Abort> { #body }
            }
        }

        #(#cfgs)*
        #[diagnostic::do_not_recommend]
        impl ::stm_runtime::__private::callee::Callee for #name {}
    }
}

/// Returns how others find the source of a function that has one for all of its types.
pub(super) fn named(item: &ItemFn, name: &Ident) -> TokenStream {
    let cfgs = cfgs(item);
    quote! {
        #(#cfgs)*
        #[diagnostic::do_not_recommend]
        impl ::stm_runtime::__private::callee::Determined for #name {}

        #(#cfgs)*
        #[doc(hidden)]
        impl #name {
            pub const fn stm_at<StmArgs>(_: &impl ::core::ops::FnOnce() -> StmArgs) -> &'static ::stm_runtime::__private::spec::Source {
                <Self>::stm_source()
            }

            pub const fn stm_given<StmArgs, StmResult>(
                _: &impl ::core::ops::FnOnce() -> StmArgs, _: &impl ::core::ops::FnOnce() -> StmResult
            ) -> &'static ::stm_runtime::__private::spec::Source {
                <Self>::stm_source()
            }
        }
    }
}

/// Returns how others find the source of a function.
fn found_by_others(item: &ItemFn, signature: &Signature, source: &SourceOf) -> TokenStream {
    let (name, cfgs, generics) = (&signature.name, cfgs(item), generic::bounded(&signature.generics));
    let (generic, args, bounds) = generics.split_for_impl();
    let (all, named) = (generic::names(&generics), named(item, name));
    match source {
        SourceOf::All(source) => quote! {
            #(#cfgs)*
            #[doc(hidden)]
            #[allow(clippy::all, clippy::pedantic)]
            impl<#all> #name #args {
                #source

                pub const fn stm_stated() -> &'static ::stm_runtime::__private::spec::Source { Self::stm_source() }
            }

            #named
        },
        SourceOf::Each(source, all) => {
            let determined = all.as_ref().map(|_| {
                quote! {
                    #(#cfgs)*
                    #[diagnostic::do_not_recommend]
                    impl ::stm_runtime::__private::callee::Determined for #name {}
                }
            });
            let all = all.clone().unwrap_or_else(no_source);
            let (types, result) = (given_types(signature), &signature.result);
            quote! {
                #(#cfgs)*
                #[doc(hidden)]
                #[allow(clippy::all, clippy::pedantic, private_interfaces)]
                impl #generic #name #args #bounds {
                    #source

                    pub const fn stm_at<'stm>(
                        _: &impl ::core::ops::FnOnce() -> (#(#types,)*)
                    ) -> &'static ::stm_runtime::__private::spec::Source {
                        Self::stm_stated()
                    }

                    pub const fn stm_given<'stm>(
                        _: &impl ::core::ops::FnOnce() -> (#(#types,)*), _: &impl ::core::ops::FnOnce() -> #result
                    ) -> &'static ::stm_runtime::__private::spec::Source {
                        Self::stm_stated()
                    }
                }

                #(#cfgs)*
                impl #name {
                    #all
                }

                #determined
            }
        }
    }
}

/// Returns the type with the name of a function for transactions.
pub(super) fn companion_type(item: &ItemFn, name: &Ident, generics: &syn::Generics) -> TokenStream {
    let (vis, cfgs, fields) = (&item.vis, cfgs(item), generic::marker(generics));
    let generics = generic::with_defaults(generics);
    let about = format!("What transactions call in place of [`{name}`](fn@{name}).");
    quote_spanned! {here(name)=>
        #(#cfgs)*
        #[doc(hidden)]
        #[doc = #about]
        #[allow(non_camel_case_types, dead_code)]
        #vis struct #name #generics { #fields }
    }
}

/// Returns the required form of a call of the function, for rustc to check.
fn asked(item: &ItemFn, signature: &Signature) -> TokenStream {
    let tries = matches!(signature.form, Form::Function { tries: true });
    asked_as(item, &signature.name, tries, signature.tx.is_some())
}
