//! Enums with fields: the number of the variant, and then the fields of all variants, of which those of others are 0.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;
use syn::{DataEnum, DeriveInput, Fields};

use super::{Errors, alike, members, quiet, traits};
use crate::front::parse::{no_type, refused};

/// The greatest number of variants that a byte tells apart.
const MOST_IN_BYTE: usize = 256;

/// Returns whether some variant has fields.
pub(super) fn has_fields(data: &DataEnum) -> bool {
    data.variants.iter().any(|variant| !variant.fields.is_empty())
}

/// Returns the items for an enum with fields.
pub(super) fn with_fields(item: &DeriveInput, data: &DataEnum, errors: &mut Errors) -> TokenStream {
    let fields = || data.variants.iter().flat_map(|variant| &variant.fields);
    if item.generics.lifetimes().next().is_none() {
        fields().filter_map(|field| refused(&field.ty)).for_each(|part| errors.report(part, &no_type(part)));
    }
    let types: Vec<_> = fields().map(|field| &field.ty).collect();
    let names = data.variants.iter().flat_map(|variant| {
        let name = variant.ident.unraw();
        members(&variant.fields).into_iter().map(move |member| match member {
            syn::Member::Named(field) => format!("{name}.{}", field.unraw()),
            syn::Member::Unnamed(index) => format!("{name}.{}", index.index),
        })
    });
    let (ident, quiet, traits) = (&item.ident, quiet(), traits());
    let (text, numbered) = (ident.unraw().to_string(), numbered(item, data));
    let (params, args, bounds) = item.generics.split_for_impl();
    let (put, take) = (put(data), take(data));
    let listed = data.variants.iter().map(|variant| {
        let name = &variant.ident;
        (quote!(Self::#name), &variant.fields)
    });
    let alike = alike::items(&listed.collect::<Vec<_>>());
    quote! {
        #quiet
        #[automatically_derived]
        impl #params ::stm_runtime::GpuData for #ident #args #bounds {
            const TYPE: ::stm_runtime::__private::spec::Type =
                ::stm_runtime::__private::spec::Type::Record(&::stm_runtime::__private::spec::Record {
                    name: #text,
                    module: ::core::module_path!(),
                    fields: &[
                        (::stm_runtime::__private::spec::VARIANT, ::stm_runtime::__private::spec::Type::Enum(&#numbered)),
                        #((#names, <#types as ::stm_runtime::GpuData>::TYPE)),*
                    ],
                    traits: #traits,
                });
            const COMPONENTS: ::core::primitive::usize =
                1_usize #(.saturating_add(<#types as ::stm_runtime::GpuData>::COMPONENTS))*;
            type Columns = ::stm_runtime::__private::NoParts;
            #alike

            #[inline]
            fn stm_put(self, put: &mut impl ::core::ops::FnMut(::core::primitive::u64)) { #put }

            #[inline]
            fn stm_take(take: &mut impl ::core::ops::FnMut() -> ::core::primitive::u64) -> Self { #take }

            fn stm_columns(_: &mut ::stm_runtime::__private::Parts<'_>) -> ::stm_runtime::__private::NoParts {
                ::stm_runtime::__private::NoParts
            }
        }
    }
}

/// Returns the enum of the numbers of the variants.
fn numbered(item: &DeriveInput, data: &DataEnum) -> TokenStream {
    let text = item.ident.unraw().to_string();
    let variants = (0_i128..).zip(&data.variants).map(|(number, variant)| {
        let name = variant.ident.unraw().to_string();
        quote!((#name, #number))
    });
    let repr = if data.variants.len() > MOST_IN_BYTE { quote!(U32) } else { quote!(U8) };
    quote! {
        ::stm_runtime::__private::spec::Enum {
            name: #text,
            module: ::core::module_path!(),
            repr: ::stm_runtime::__private::spec::Scalar::#repr,
            variants: &[#(#variants),*],
            traits: ::stm_runtime::__private::spec::Traits::NONE,
        }
    }
}

/// Returns the names of the values of a variant's fields.
fn values(fields: &Fields) -> Vec<syn::Ident> {
    (0..fields.len()).map(|k| quote::format_ident!("field_{k}")).collect()
}

fn put(data: &DataEnum) -> TokenStream {
    let numbers = (0_u64..).zip(&data.variants).map(|(number, variant)| {
        let name = &variant.ident;
        quote!(Self::#name { .. } => #number)
    });
    let fields = data.variants.iter().filter(|variant| !variant.fields.is_empty()).map(|variant| {
        let (name, members, values) = (&variant.ident, members(&variant.fields), values(&variant.fields));
        let types: Vec<_> = variant.fields.iter().map(|field| &field.ty).collect();
        quote! {
            if let Self::#name { #(#members: #values),* } = self {
                #(<#types as ::stm_runtime::GpuData>::stm_put(#values, put);)*
            } else {
                let count = 0_usize #(+ <#types as ::stm_runtime::GpuData>::COMPONENTS)*;
                (0..count).for_each(|_| put(0));
            }
        }
    });
    quote! {
        put(match self { #(#numbers),* });
        #(#fields)*
    }
}

/// Takes the fields of all variants, because they lie one after the other. An unknown number stands for the last variant.
fn take(data: &DataEnum) -> TokenStream {
    let taken = data.variants.iter().enumerate().map(|(k, variant)| {
        let (all, types) = (quote::format_ident!("variant_{k}"), variant.fields.iter().map(|field| &field.ty));
        quote!(let #all = (#(<#types as ::stm_runtime::GpuData>::stm_take(take),)*);)
    });
    let last = data.variants.len() - 1;
    let made = data.variants.iter().enumerate().map(|(k, variant)| {
        let (name, all, members) = (&variant.ident, quote::format_ident!("variant_{k}"), members(&variant.fields));
        let (parts, number) = ((0..members.len()).map(syn::Index::from), k as u64);
        let number = if k == last { quote!(_) } else { quote!(#number) };
        quote!(#number => Self::#name { #(#members: #all.#parts),* })
    });
    quote! {
        let number = take();
        #(#taken)*
        match number { #(#made),* }
    }
}
