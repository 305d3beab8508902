//! Parameters of a `#[gpu_fn]` that each call determines without a name for that: `&[T]` is an array of any length, and `impl Trait` is
//! any type.

use syn::{FnArg, GenericParam, ItemFn, Type, TypeImplTrait};

use crate::front::parse::{LENGTH, is_handle, is_of_closures};

/// Returns the function with a parameter for the length of each slice, and for each `impl Trait`. `None`: it has none.
pub(super) fn sized(function: &ItemFn) -> Option<ItemFn> {
    let mut sized = function.clone();
    let (mut lengths, mut types): (Vec<_>, Vec<GenericParam>) = (Vec::new(), Vec::new());
    for input in sized.sig.inputs.iter_mut().filter(|input| !is_handle(input)) {
        let FnArg::Typed(input) = input else { return None };
        let ty = match &mut *input.ty {
            Type::Reference(reference) if reference.mutability.is_none() => &mut *reference.elem,
            other => other,
        };
        if let Type::ImplTrait(any) = ty
            && !takes_closure(any)
        {
            let (bounds, name) = (&any.bounds, quote::format_ident!("StmType{}", types.len()));
            types.push(syn::parse_quote!(#name: #bounds));
            *ty = syn::parse_quote!(#name);
        }
        let Type::Reference(reference) = &mut *input.ty else { continue };
        let Type::Slice(slice) = &*reference.elem else { continue };
        let (element, length) = (&slice.elem, quote::format_ident!("{LENGTH}{}", lengths.len()));
        *reference.elem = syn::parse_quote!([#element; #length]);
        lengths.push(length);
    }
    if lengths.is_empty() && types.is_empty() {
        return None;
    }
    sized.sig.generics.params.extend(types);
    for length in lengths {
        sized.sig.generics.params.push(syn::parse_quote!(const #length: usize));
    }
    Some(sized)
}

/// Returns whether the type is that of closures.
fn takes_closure(any: &TypeImplTrait) -> bool {
    any.bounds.iter().any(is_of_closures)
}
