//! How a call becomes a row, and a row a call again.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Ident, Type};

use crate::ir::ParamRole;
use crate::parse::{ParamSyntax, Signature};

/// Region parameters and value parameters.
pub(super) fn split(signature: &Signature) -> (Vec<&ParamSyntax>, Vec<&ParamSyntax>) {
    signature.params.iter().partition(|p| p.role == ParamRole::Region)
}

fn idents<'a>(params: &[&'a ParamSyntax]) -> Vec<&'a Ident> {
    params.iter().map(|p| &p.ident).collect()
}

/// How many leaves the parameters have, as a constant expression.
pub(super) fn leaves(params: &[&ParamSyntax]) -> TokenStream {
    let scalars = params.iter().filter(|p| is_scalar(&p.of)).count();
    let known = Literal::usize_unsuffixed(scalars);
    let others = params.iter().map(|p| &p.of).filter(|of| !is_scalar(of)).collect::<Vec<_>>();
    match others.is_empty() {
        true => quote!(#known),
        false => quote!({ #known #(+ <#others as ::stm_runtime::GpuData>::LEAVES)* }),
    }
}

fn is_scalar(ty: &Type) -> bool {
    crate::parse::scalar(ty).is_some()
}

/// The parameters that are parts of an array.
pub(super) fn parts(signature: &Signature) -> Vec<&ParamSyntax> {
    signature.params.iter().filter(|p| p.part.is_some()).collect()
}

/// The value of `call`. The part that it works on is one word behind those of the values.
pub(super) fn call(signature: &Signature) -> TokenStream {
    let (regions, values) = split(signature);
    let (regions, values, parts) = (idents(&regions), idents(&values), idents(&parts(signature)));
    let (part, checked) = match parts.as_slice() {
        [] => (None, None),
        [first, ..] => {
            (Some(quote!(stm_list.add(#first.number());)), Some(quote!(.on_one_part(&[#(#parts.number()),*]))))
        }
    };
    quote! {
        ::stm_runtime::Call::new(
            Self::kind(),
            ::stm_runtime::__private::regions(|stm_list| { #(stm_list.add(#regions);)* }),
            ::stm_runtime::__private::words(|stm_list| { #(stm_list.add(#values);)* #part }),
        )
        #checked
    }
}

/// A parameter of `call`: the user's type, with the lifetime of the call for a region.
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

/// Decodes a row, calls the user's function, encodes the result.
pub(super) fn run(signature: &Signature, function: &TokenStream) -> TokenStream {
    let (mut regions, mut values): (Vec<&ParamSyntax>, Vec<&ParamSyntax>) = (Vec::new(), Vec::new());
    let args = signature.params.iter().map(|param| {
        let (ty, before) = (&param.of, if param.role == ParamRole::Region { &mut regions } else { &mut values });
        let at = leaves(before);
        before.push(param);
        match param.role {
            ParamRole::Region if param.part.is_some() => quote!(row.local(#at)),
            ParamRole::Region => quote!(row.region::<#ty>(#at)),
            _ => quote!(row.value::<#ty>(#at)),
        }
    });
    let args: Vec<TokenStream> = args.collect();
    let part = (!parts(signature).is_empty()).then(|| {
        let at = leaves(&values);
        quote!(tx.work_on_part(row.value::<u32>(#at));)
    });
    quote! {
        fn stm_execute(
            tx: &mut ::stm_runtime::Tx<'_>,
            row: &::stm_runtime::__private::Row<'_>,
            results: &mut [u64],
        ) -> ::core::result::Result<(), ::stm_runtime::Abort> {
            #part
            ::stm_runtime::__private::finish(#function(tx, #(#args),*), results)
        }
    }
}
