//! The encoding of a call as a transaction, and its decoding.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Ident, Type};

use super::requires;
use crate::front::lists;
use crate::front::parse::{ParamSyntax, Signature};
use crate::ir::open::ParamRole;

/// Splits the parameters into arrays and values.
pub(super) fn split(signature: &Signature) -> (Vec<&ParamSyntax>, Vec<&ParamSyntax>) {
    signature.params.iter().partition(|p| p.role == ParamRole::Array)
}

fn idents<'a>(params: &[&'a ParamSyntax]) -> Vec<&'a Ident> {
    params.iter().map(|p| &p.ident).collect()
}

/// Returns the number of components of the parameters, as a constant expression.
pub(super) fn components(params: &[&ParamSyntax]) -> TokenStream {
    let (words, others): (Vec<&Type>, Vec<&Type>) = params.iter().map(|p| &p.of).partition(|of| is_word(of));
    let known = Literal::usize_unsuffixed(words.len());
    match others.is_empty() {
        true => quote!(#known),
        false => quote!({ #known #(+ <#others as ::stm_runtime::GpuData>::COMPONENTS)* }),
    }
}

fn is_word(ty: &Type) -> bool {
    crate::front::parse::scalar(ty).is_some_and(|scalar| !scalar.is_wide())
}

/// Returns the parameters that are partitions of an array.
pub(super) fn parts(signature: &Signature) -> Vec<&ParamSyntax> {
    signature.params.iter().filter(|p| p.part.is_some()).collect()
}

/// The bodies of the methods of a transaction's type.
pub(super) struct Bodies {
    pub(super) procedure: TokenStream,
    pub(super) call: TokenStream,
    columns: TokenStream,
}

impl Bodies {
    pub(super) fn of(signature: &Signature, procedure: TokenStream) -> Bodies {
        Bodies { procedure, call: call(signature), columns: columns(signature) }
    }

    /// Returns bodies that are all the same.
    pub(super) fn all(body: &TokenStream) -> Bodies {
        Bodies { procedure: body.clone(), call: body.clone(), columns: body.clone() }
    }

    /// Returns the method `columns`. A transaction without values has none: nothing would say how many calls there are.
    pub(super) fn columns_method(&self, signature: &Signature, arrays: &TokenStream) -> Option<TokenStream> {
        let (_, values) = split(signature);
        if values.is_empty() && parts(signature).is_empty() {
            return None;
        }
        let (params, lets) = lists::written(signature, Some(quote!('stm)), columns_param);
        let (name, result, body, clause) =
            (&signature.name, &signature.result, &self.columns, requires::clause(signature));
        let about = format!("Many calls of `{name}`, to push into a batch: a list of values for each parameter.");
        Some(quote! {
            #[doc = #about]
            pub fn columns<'stm, 'stm_rows>(
                #(#params),*
            ) -> ::stm_runtime::Columns<'stm, 'stm_rows, #result, #arrays> #clause { #lets #body }
        })
    }
}

/// Returns the value of `call`. The partition index is one word after those of the values.
fn call(signature: &Signature) -> TokenStream {
    let (arrays, values) = split(signature);
    let (arrays, values, parts) = (idents(&arrays), idents(&values), idents(&parts(signature)));
    let (part, checked) = match parts.as_slice() {
        [] => (None, None),
        [first, ..] => {
            (Some(quote!(stm_list.add(#first.number());)), Some(quote!(.on_one_part(&[#(#parts.number()),*]))))
        }
    };
    quote! {
        ::stm_runtime::Call::new(
            Self::procedure(),
            ::stm_runtime::__private::arrays(|stm_list| { #(stm_list.add(#arrays);)* }),
            ::stm_runtime::__private::words(|stm_list| { #(stm_list.add(#values);)* #part }),
        )
        #checked
    }
}

/// Returns the value of `columns`.
fn columns(signature: &Signature) -> TokenStream {
    let (arrays, values) = split(signature);
    let whole = |param: &&ParamSyntax| {
        let name = &param.ident;
        if param.part.is_some() { quote!(#name.whole()) } else { quote!(#name) }
    };
    let arrays = arrays.iter().map(whole);
    let (types, values) = (values.iter().map(|param| &param.of), idents(&values));
    let names = values.iter().map(|value| value.unraw().to_string());
    let parts = idents(&parts(signature));
    let parts = (!parts.is_empty()).then(|| {
        let names = parts.iter().map(|part| part.unraw().to_string());
        quote!(.parts([#((#names, #parts.numbers())),*]))
    });
    quote! {
        ::stm_runtime::Columns::new(
            Self::procedure(),
            ::stm_runtime::__private::arrays(|stm_list| { #(stm_list.add(#arrays);)* }),
        )
        #(.values::<#types>(#names, #values))*
        #parts
    }
}

/// Returns a parameter of `columns`: that of `call` for an array, and many values otherwise.
fn columns_param(param: &ParamSyntax) -> TokenStream {
    let (name, of) = (&param.ident, &param.of);
    match &param.ty {
        Type::Reference(reference) if param.part.is_some() => {
            let element = &reference.elem;
            quote_spanned!(name.span()=> #name: <#element as ::stm_runtime::__private::Columned>::Column<'stm, 'stm_rows>)
        }
        Type::Reference(_) if param.role == ParamRole::Array => call_param(param),
        _ => quote_spanned!(name.span()=> #name: impl ::stm_runtime::IntoColumn<'stm_rows, #of>),
    }
}

/// Returns a parameter of `call`: the user's type, with the lifetime of the call for an array.
pub(super) fn call_param(param: &ParamSyntax) -> TokenStream {
    let name = &param.ident;
    match &param.ty {
        Type::Reference(reference) => {
            let element = &reference.elem;
            quote_spanned!(name.span()=> #name: &'stm #element)
        }
        ty => quote_spanned!(name.span()=> #name: #ty),
    }
}

/// Returns the function that attempts the transactions of a claim: it finds the arrays and columns of the parameters once, and calls
/// the user's function for each transaction.
pub(super) fn run(signature: &Signature) -> TokenStream {
    let (mut arrays, mut values): (Vec<&ParamSyntax>, Vec<&ParamSyntax>) = (Vec::new(), Vec::new());
    let (mut finds, mut args) = (Vec::new(), Vec::new());
    for (k, param) in signature.params.iter().enumerate() {
        let (ty, before) = (&param.of, if param.role == ParamRole::Array { &mut arrays } else { &mut values });
        let (at, name) = (components(before), format_ident!("stm_{k}"));
        before.push(param);
        let (find, arg) = match param.role {
            ParamRole::Array if param.part.is_some() => (quote!(arguments.local(#at)), quote!(#name)),
            ParamRole::Array => (quote!(arguments.array::<#ty>(#at)), quote!(#name)),
            _ => (quote!(arguments.values::<#ty>(#at)), quote!(#name.of(stm_row))),
        };
        finds.push(quote!(let #name = #find;));
        args.push(arg);
    }
    let part = (!parts(signature).is_empty()).then(|| {
        let at = components(&values);
        finds.push(quote!(let stm_part = arguments.values::<u32>(#at);));
        quote!(attempts.tx().work_on_part(stm_part.of(stm_row));)
    });
    let clause = requires::clause(signature);
    quote! {
        fn stm_execute<StmKind: ::stm_runtime::__private::Kind>(
            tx: &mut ::stm_runtime::Tx<'_, StmKind>,
            claim: &mut ::stm_runtime::__private::Claim<'_>,
            arguments: &::stm_runtime::__private::Arguments<'_>,
        ) -> ::stm_runtime::__private::Ended #clause {
            #(#finds)*
            let stm_rows = arguments.rows();
            let mut attempts = ::stm_runtime::__private::Attempts::new(tx, claim);
            let ended = loop {
                let transaction = match attempts.begin() {
                    ::core::result::Result::Ok(transaction) => transaction,
                    ::core::result::Result::Err(ended) => break ended,
                };
                let stm_row = stm_rows.of(transaction);
                #part
                let returned = Self::stm_body(attempts.tx(), #(#args),*);
                if let ::core::result::Result::Err(ended) = attempts.end(returned) {
                    break ended;
                }
            };
            attempts.leave(ended)
        }
    }
}
