//! Values of a type as a pattern, by which rustc checks that the `PartialEq` of the type and its parts are derived: see the runtime.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Fields, Type};

use super::members;
use crate::front::parse::scalar;

/// Returns the values of a struct, or of an enum of these variants. Of variants with numbers alone, one is enough.
pub(super) fn items(variants: &[(TokenStream, &Fields)]) -> TokenStream {
    let others = |fields: &Fields| fields.iter().any(|field| scalar(&field.ty).is_none());
    let mut listed: Vec<_> = variants.iter().filter(|(_, fields)| others(fields)).collect();
    if listed.is_empty() {
        listed.extend(variants.first());
    }
    let types: Vec<&Type> = listed.iter().flat_map(|(_, fields)| fields.iter().map(|field| &field.ty)).collect();
    let count = proc_macro2::Literal::usize_unsuffixed(listed.len().max(1));
    let values = listed.iter().enumerate().map(|(k, (name, fields))| {
        let (members, types) = (members(fields), fields.iter().map(|field| &field.ty));
        let value = quote!(#name { #(#members: ::stm_runtime::__private::value::<#types>(k / #count)),* });
        let k = proc_macro2::Literal::usize_unsuffixed(k);
        if k.to_string() == "0" { quote!(_ => #value) } else { quote!(#k => #value) }
    });
    let values: Vec<_> = values.collect();
    let arms = values.iter().skip(1).chain(values.first());
    let length =
        quote!(::stm_runtime::__private::longest(&[#(<#types as ::stm_runtime::GpuData>::STM_LENGTH),*]) * #count);
    quote! {
        const STM_LENGTH: ::core::primitive::usize = #length;
        const STM_VALUES: [::core::option::Option<Self>; ::stm_runtime::__private::MOST_VALUES] =
            ::stm_runtime::__private::stm_values!(k, #length => match k % #count { #(#arms),* });
    }
}
