//! The encoding of a call as a transaction, and its decoding.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Ident, Type};

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
    let scalars = params.iter().filter(|p| is_scalar(&p.of)).count();
    let known = Literal::usize_unsuffixed(scalars);
    let others = params.iter().map(|p| &p.of).filter(|of| !is_scalar(of)).collect::<Vec<_>>();
    match others.is_empty() {
        true => quote!(#known),
        false => quote!({ #known #(+ <#others as ::stm_runtime::GpuData>::COMPONENTS)* }),
    }
}

fn is_scalar(ty: &Type) -> bool {
    crate::front::parse::scalar(ty).is_some()
}

/// Returns the parameters that are partitions of an array.
pub(super) fn parts(signature: &Signature) -> Vec<&ParamSyntax> {
    signature.params.iter().filter(|p| p.part.is_some()).collect()
}

/// Returns the value of `call`. The partition index is one word after those of the values.
pub(super) fn call(signature: &Signature) -> TokenStream {
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
    quote! {
        fn stm_execute<StmKind: ::stm_runtime::__private::Kind>(
            tx: &mut ::stm_runtime::Tx<'_, StmKind>,
            claim: &mut ::stm_runtime::__private::Claim<'_>,
            arguments: &::stm_runtime::__private::Arguments<'_>,
        ) -> ::stm_runtime::__private::Ended {
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
