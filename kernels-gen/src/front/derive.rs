//! `#[derive(GpuData)]`: structs and enums as values of transactions.
//!
//! All printed items are named by absolute paths, except the user's own type, so the output means the same in every module.
//! rustc checks the types of the fields: each must be `GpuData` too.

mod alike;
mod variants;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DataEnum, DeriveInput, Expr, Field, Fields, Ident, Index, Member};

use crate::front::diag::{Diagnostics, Rule, SourceSpan};
use crate::front::nesting;
use crate::front::parse::{no_type, refused};
use crate::front::root;
use crate::spec::Scalar;

/// Returns the items that `#[derive(GpuData)]` adds. If there are errors, it reports all of them.
#[must_use]
pub fn derive(input: TokenStream) -> TokenStream {
    if let Some(at) = nesting::too_deep(&input) {
        let mut diags = Diagnostics::default();
        diags.report(Rule::Nesting, SourceSpan::from(at), nesting::TOO_DEEP);
        return diags.to_compile_error();
    }
    let item: DeriveInput = match syn::parse2(input) {
        Ok(item) => item,
        Err(error) => return error.to_compile_error(),
    };
    let mut errors = Errors::default();
    let path = path(&item, &mut errors);
    let items = expand(&item, errors);
    match path {
        Some(path) => root::move_to(&path, items),
        None => items,
    }
}

/// Returns the path of `#[gpu_data(crate = ..)]`, by which the printed items name the runtime.
fn path(item: &DeriveInput, errors: &mut Errors) -> Option<TokenStream> {
    let attribute = item.attrs.iter().find(|attribute| attribute.path().is_ident("gpu_data"))?;
    match attribute.parse_args::<syn::MetaNameValue>() {
        Ok(pair) if pair.path.is_ident("crate") && matches!(pair.value, Expr::Path(_)) => {
            Some(pair.value.to_token_stream())
        }
        _ => {
            let message = "`gpu_data` has the path by which your program names this crate; write `#[gpu_data(crate = ::renamed)]`";
            errors.report(attribute, message);
            None
        }
    }
}

fn expand(item: &DeriveInput, mut errors: Errors) -> TokenStream {
    if let Some(lifetime) = item.generics.lifetimes().next() {
        errors.report(
            lifetime,
            "a type of the device has no lifetimes, because its values are copied; remove the references",
        );
    }
    let bounded = bounded(item);
    let item = &bounded;
    let printed = match &item.data {
        Data::Struct(data) => record(item, &data.fields, &mut errors),
        Data::Enum(data) if variants::has_fields(data) => variants::with_fields(item, data, &mut errors),
        Data::Enum(data) => enumeration(item, data, &mut errors),
        Data::Union(data) => {
            errors.report(data.union_token, "a union does not record which of its fields is valid; write a struct");
            TokenStream::new()
        }
    };
    let (name, (params, args, bounds)) = (&item.ident, item.generics.split_for_impl());
    let known = quote! {
        #[automatically_derived]
        impl #params ::stm_runtime::__private::callee::Known for #name #args #bounds {}

        #[automatically_derived]
        impl #params ::stm_runtime::__private::local::Comparable for #name #args #bounds {}

        #[automatically_derived]
        impl #params ::stm_runtime::__private::local::Ordered for #name #args #bounds {}
    };
    errors.or(item, quote!(#printed #known))
}

/// Returns the item with a bound for each of its type parameters.
fn bounded(item: &DeriveInput) -> DeriveInput {
    let mut item = item.clone();
    for param in item.generics.type_params_mut() {
        param.bounds.push(syn::parse_quote!(::stm_runtime::GpuData));
    }
    item
}

/// The problems of one item.
#[derive(Default)]
struct Errors(Diagnostics);

impl Errors {
    /// Reports a problem at some tokens, and what to write instead.
    fn report(&mut self, at: impl ToTokens, message: &str) {
        self.0.report(Rule::Data, at, message);
    }

    fn or(self, item: &DeriveInput, printed: TokenStream) -> TokenStream {
        if self.0.is_empty() {
            return printed;
        }
        let (stub, errors) = (stub(item), self.0.to_compile_error());
        quote!(#stub #errors)
    }
}

/// Returns a stub for a rejected item, so that its uses have no errors of their own.
fn stub(item: &DeriveInput) -> TokenStream {
    let (name, quiet) = (&item.ident, quiet());
    let (params, args, bounds) = item.generics.split_for_impl();
    let bounds = bounds.map(|bounds| bounds.predicates.to_token_stream());
    let text = name.unraw().to_string();
    let columns = match &item.data {
        Data::Struct(data) if item.generics.lifetimes().next().is_none() => {
            Some(declare_columns(item, &data.fields, true))
        }
        _ => None,
    };
    let parts = match &columns {
        Some(_) => columns_of(item),
        None => quote!(::stm_runtime::__private::NoParts),
    };
    let stop = quote!(::core::unreachable!("the type does not exist on the device"));
    quote! {
        #columns

        #quiet
        #[automatically_derived]
        impl #params ::stm_runtime::GpuData for #name #args
        where
            Self: ::core::marker::Copy + ::core::marker::Send + ::core::marker::Sync + 'static,
            #bounds
        {
            const TYPE: ::stm_runtime::__private::spec::Type =
                ::stm_runtime::__private::spec::Type::Record(&::stm_runtime::__private::spec::Record {
                    name: #text,
                    module: ::core::module_path!(),
                    fields: &[],
                    traits: ::stm_runtime::__private::spec::Traits::NONE,
                });
            type Columns = #parts;
            fn stm_put(self, _: &mut impl ::core::ops::FnMut(::core::primitive::u64)) { #stop }
            fn stm_take(_: &mut impl ::core::ops::FnMut() -> ::core::primitive::u64) -> Self { #stop }
            fn stm_columns(_: &mut ::stm_runtime::__private::Parts<'_>) -> #parts { #stop }
        }

        #[automatically_derived]
        impl #params ::stm_runtime::__private::local::Comparable for #name #args where #bounds {}

        #[automatically_derived]
        impl #params ::stm_runtime::__private::local::Ordered for #name #args where #bounds {}
    }
}

/// Returns the attributes that silence lints of the user's crate in generated items.
fn quiet() -> TokenStream {
    quote! {
        #[allow(
            dead_code, deprecated, missing_debug_implementations, missing_docs, nonstandard_style, private_interfaces, trivial_numeric_casts,
            unreachable_pub, unused_qualifications, irrefutable_let_patterns, clippy::all, clippy::pedantic
        )]
    }
}

/// Returns the items for a struct, and the struct of its columns.
fn record(item: &DeriveInput, fields: &Fields, errors: &mut Errors) -> TokenStream {
    if item.generics.lifetimes().next().is_none() {
        fields.iter().filter_map(|field| refused(&field.ty)).for_each(|part| errors.report(part, &no_type(part)));
    }
    let (name, columns, of_columns) = (&item.ident, columns_name(item), columns_of(item));
    let (params, args, bounds) = item.generics.split_for_impl();
    let (text, members) = (name.unraw().to_string(), members(fields));
    let names = members.iter().map(|member| match member {
        Member::Named(name) => name.unraw().to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    });
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    // Both use the same tokens with the user's spans, so rustc reports a problem with a type once.
    let puts = quote!(#(<#types as ::stm_runtime::GpuData>::stm_put(self.#members, put);)*);
    let takes = quote!(#(#members: <#types as ::stm_runtime::GpuData>::stm_take(take)),*);
    let parts = members.iter().zip(fields).map(|(member, field)| {
        let part = quote_spanned!(at_type(field)=> parts.part());
        quote!(#member: #part)
    });
    let declaration = declare_columns(item, fields, false);
    let alike = alike::items(&[(quote!(Self), fields)]);
    let (quiet, traits) = (quiet(), traits());
    quote! {
        #declaration

        #quiet
        #[automatically_derived]
        impl #params ::stm_runtime::GpuData for #name #args #bounds {
            const TYPE: ::stm_runtime::__private::spec::Type =
                ::stm_runtime::__private::spec::Type::Record(&::stm_runtime::__private::spec::Record {
                    name: #text,
                    module: ::core::module_path!(),
                    fields: &[#((#names, <#types as ::stm_runtime::GpuData>::TYPE)),*],
                    traits: #traits,
                });
            const COMPONENTS: ::core::primitive::usize =
                0_usize #(.saturating_add(<#types as ::stm_runtime::GpuData>::COMPONENTS))*;
            type Columns = #of_columns;
            #alike

            #[inline]
            fn stm_put(self, put: &mut impl ::core::ops::FnMut(::core::primitive::u64)) {
                #puts
            }

            #[inline]
            fn stm_take(take: &mut impl ::core::ops::FnMut() -> ::core::primitive::u64) -> Self {
                Self { #takes }
            }

            fn stm_columns(parts: &mut ::stm_runtime::__private::Parts<'_>) -> #of_columns {
                #columns { #(#parts),* }
            }
        }
    }
}

/// Returns the type's own `Debug`, `Display` and `Default`, as far as it has them.
fn traits() -> TokenStream {
    quote! {
        {
            // The trait provides the constants where the bounds of the inherent ones do not hold.
            use ::stm_runtime::__private::NoTraits as _;
            ::stm_runtime::__private::spec::Traits {
                debug: ::stm_runtime::__private::TraitsOf::<Self>::DEBUG,
                display: ::stm_runtime::__private::TraitsOf::<Self>::DISPLAY,
                default: ::stm_runtime::__private::TraitsOf::<Self>::DEFAULT,
                equal: ::stm_runtime::__private::TraitsOf::<Self>::EQUAL,
                order: ::stm_runtime::__private::TraitsOf::<Self>::ORDER,
            }
        }
    }
}

fn columns_name(item: &DeriveInput) -> Ident {
    format_ident!("{}Columns", item.ident.unraw(), span = item.ident.span())
}

/// Returns the type of the columns, with the parameters of the item.
fn columns_of(item: &DeriveInput) -> TokenStream {
    let (columns, (_, args, _)) = (columns_name(item), item.generics.split_for_impl());
    quote!(#columns #args)
}

fn members(fields: &Fields) -> Vec<Member> {
    let member = |(at, field): (usize, &Field)| match &field.ident {
        Some(name) => Member::Named(name.clone()),
        None => Member::Unnamed(Index { index: at as u32, span: field.ty.span() }),
    };
    fields.iter().enumerate().map(member).collect()
}

/// Returns the span where rustc reports problems with the type of a field.
fn at_type(field: &Field) -> Span {
    Span::call_site().located_at(field.ty.span())
}

/// Returns the struct with an array for each field, as visible as the fields. `stub`: fields of rejected types have none.
fn declare_columns(item: &DeriveInput, fields: &Fields, stub: bool) -> TokenStream {
    let (vis, columns, quiet) = (&item.vis, columns_name(item), quiet());
    let parts = fields.iter().map(|field| {
        let Field { vis, ident, ty, .. } = field;
        let name = ident.iter();
        let shared = match refused(ty) {
            _ if stub && crate::front::parse::scalar(ty).is_none() => quote!(::stm_runtime::__private::NoParts),
            _ => quote_spanned!(at_type(field)=> ::stm_runtime::Shared<#ty>),
        };
        quote!(#[doc = "The array of this field."] #vis #(#name:)* #shared)
    });
    let (generics, bounds) = (&item.generics, &item.generics.where_clause);
    let body = match fields {
        Fields::Named(_) => quote!(#bounds { #(#parts),* }),
        Fields::Unnamed(_) => quote!((#(#parts),*) #bounds;),
        Fields::Unit => quote!(;),
    };
    let about = format!("The arrays of the fields of [`{}`], to which a `Shared` of it gives access.", item.ident);
    quote! {
        #[doc = #about]
        #[doc(hidden)]
        #quiet
        #vis struct #columns #generics #body
    }
}

/// Returns the items for an enum without fields, which is its discriminant.
fn enumeration(item: &DeriveInput, data: &DataEnum, errors: &mut Errors) -> TokenStream {
    for variant in data.variants.iter().filter(|variant| !matches!(variant.fields, Fields::Unit)) {
        errors.report(&variant.fields, "the variant has no fields; leave out the brackets");
    }
    let repr = repr(item, errors);
    let Some(first) = data.variants.first().map(|variant| &variant.ident) else {
        errors.report(&item.ident, "an enum without variants has no values; give it a variant");
        return TokenStream::new();
    };
    let (name, quiet, traits) = (&item.ident, quiet(), traits());
    let (params, args, bounds) = item.generics.split_for_impl();
    let text = name.unraw().to_string();
    let variants: Vec<_> = data.variants.iter().map(|variant| &variant.ident).collect();
    let names = variants.iter().map(|variant| variant.unraw().to_string());
    let others = variants.iter().skip(1);
    let (number, scalar) = (format_ident!("{}", repr.rust()), format_ident!("{repr:?}"));
    quote! {
        #quiet
        #[automatically_derived]
        impl #params ::stm_runtime::GpuData for #name #args #bounds {
            const TYPE: ::stm_runtime::__private::spec::Type =
                ::stm_runtime::__private::spec::Type::Enum(&::stm_runtime::__private::spec::Enum {
                    name: #text,
                    module: ::core::module_path!(),
                    repr: ::stm_runtime::__private::spec::Scalar::#scalar,
                    variants: &[#((#names, Self::#variants as ::core::primitive::i128)),*],
                    traits: #traits,
                });
            type Columns = ::stm_runtime::__private::NoParts;
            const STM_VALUES: [::core::option::Option<Self>; ::stm_runtime::__private::MOST_VALUES] =
                ::stm_runtime::__private::stm_values!(k, 1 => Self::#first);

            #[inline]
            fn stm_put(self, put: &mut impl ::core::ops::FnMut(::core::primitive::u64)) {
                put(::stm_runtime::__private::Word::to_word(self as ::core::primitive::#number));
            }

            #[inline]
            fn stm_take(take: &mut impl ::core::ops::FnMut() -> ::core::primitive::u64) -> Self {
                let number = <::core::primitive::#number as ::stm_runtime::__private::Word>::from_word(take());
                #(if number == Self::#others as ::core::primitive::#number {
                    return Self::#others;
                })*
                Self::#first
            }

            fn stm_columns(_: &mut ::stm_runtime::__private::Parts<'_>) -> ::stm_runtime::__private::NoParts {
                ::stm_runtime::__private::NoParts
            }
        }
    }
}

/// Returns the type of the discriminants.
fn repr(item: &DeriveInput, errors: &mut Errors) -> Scalar {
    let mut repr = Scalar::Isize;
    for attr in item.attrs.iter().filter(|attr| attr.path().is_ident("repr")) {
        // rustc reports problems with the attribute itself, and interprets it on a struct.
        let _ = attr.parse_nested_meta(|meta| {
            if meta.path.is_ident("i128") || meta.path.is_ident("u128") {
                errors.report(&meta.path, "numbers of the device have at most 64 bits; write `#[repr(u64)]`");
            }
            let mut known = Scalar::ALL.into_iter().filter(|scalar| scalar.is_int());
            if let Some(scalar) = known.find(|scalar| meta.path.is_ident(scalar.rust())) {
                repr = scalar;
            }
            // `align(8)`
            if meta.input.peek(syn::token::Paren) {
                let _: proc_macro2::Group = meta.input.parse()?;
            }
            Ok(())
        });
    }
    repr
}

#[cfg(test)]
mod tests;
