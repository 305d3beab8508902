//! Calls by a path, `Name::function(..)`, whose name may be that of a trait, or of a type whose arguments rustc finds: the arguments
//! and the result of the call say which type it is.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;

use crate::front::parse::{CallSite, Witnesses};

/// Returns the name of what stands for a function in such calls.
fn hidden(name: &Ident, span: Span) -> Ident {
    format_ident!("stm_path_{}", name.unraw(), span = span)
}

/// Returns the head of the function by which such calls find another one, which `marker` stands for. `given`: the types of the arguments,
/// unless its signature cannot be used.
pub(crate) fn found_by(
    name: &Ident,
    given: Option<&[TokenStream]>,
    (marker, result): (&TokenStream, &TokenStream),
) -> TokenStream {
    let hidden = hidden(name, Span::call_site().located_at(name.span()));
    match given {
        Some(types) => {
            quote!(fn #hidden<'stm>(_: &impl ::core::ops::FnOnce() -> ((#(#types,)*), #result)) -> #marker)
        }
        None => quote!(fn #hidden<StmCall>(_: &StmCall) -> #marker),
    }
}

/// Returns the type and the body of the host version of a trait's function. One without a receiver says what it returns, because rustc
/// may find by that of which type it is.
pub(crate) fn version(receiver: bool, result: &TokenStream, body: TokenStream) -> (TokenStream, TokenStream) {
    let runs = quote! {
        impl ::core::ops::FnOnce(
            u32, &mut ::stm_runtime::Tx<'_, StmKind>
        ) -> ::core::result::Result<#result, ::stm_runtime::Abort> + 'stm
    };
    match receiver {
        true => (runs, body),
        false => (
            quote!(::stm_runtime::__private::callee::Returns<#result, #runs>),
            quote!(::stm_runtime::__private::callee::Returns::new(#body)),
        ),
    }
}

/// Returns the import of the trait that a call names. A default method is one of the trait, so that rustc would find it together with
/// what stands for a method without the attribute.
pub(super) fn trait_in_scope(site: &CallSite, span: Span) -> Option<TokenStream> {
    let of_trait = site.of_trait.as_ref().filter(|_| !site.of_param)?;
    Some(quote_spanned!(span=> #[allow(unused_imports)] use #of_trait as _;))
}

/// Returns the source of what such a call names, as a constant expression.
pub(super) fn source(
    site: &CallSite,
    (of, name): (&syn::Type, &Ident),
    check: impl Fn(TokenStream) -> TokenStream,
) -> TokenStream {
    let (span, hidden) = (Span::mixed_site().located_at(name.span()), hidden(name, name.span()));
    let any = || quote!(::core::unreachable!());
    let (arguments, result) = match &site.witnesses {
        Some(Witnesses { arguments, result }) => (arguments.clone(), result.clone()),
        None => ((0..site.arguments).map(|_| any()).collect(), None),
    };
    let result = result.unwrap_or_else(any);
    let given = quote!(&|| ((#(#arguments,)*), #result));
    if let Some(import) = trait_in_scope(site, span) {
        let found = check(quote_spanned!(span=> <#of>::#hidden(#given)));
        return quote_spanned!(span=> { #import ::stm_runtime::__private::callee::source_of(&|| #found) });
    }
    let found = check(quote_spanned!(span=> #of::#hidden(#given)));
    quote_spanned! {span=>
        {
            #[allow(dead_code, non_camel_case_types)]
            trait stm_absent {
                fn #hidden<O>(_: &O) -> ::stm_runtime::__private::callee::NoAttribute {
                    ::stm_runtime::__private::callee::NoAttribute
                }
            }
            impl<T> stm_absent for T {}
            ::stm_runtime::__private::callee::source_of(&|| #found)
        }
    }
}
