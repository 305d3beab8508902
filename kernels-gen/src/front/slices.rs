//! Slices as parameters of a `#[gpu_fn]`: `&[T]` is an array, whose length each call determines.

use syn::{FnArg, ItemFn, Type};

use crate::front::parse::is_handle;

/// Returns the function with an array of a length of its own for each slice. `None`: it has no slices.
pub(super) fn sized(function: &ItemFn) -> Option<ItemFn> {
    let mut sized = function.clone();
    let mut lengths = Vec::new();
    for input in sized.sig.inputs.iter_mut().filter(|input| !is_handle(input)) {
        let FnArg::Typed(input) = input else { return None };
        let Type::Reference(reference) = &mut *input.ty else { continue };
        let Type::Slice(slice) = &*reference.elem else { continue };
        let (element, length) = (&slice.elem, quote::format_ident!("STM_LENGTH_{}", lengths.len()));
        *reference.elem = syn::parse_quote!([#element; #length]);
        lengths.push(length);
    }
    if lengths.is_empty() {
        return None;
    }
    for length in lengths {
        sized.sig.generics.params.push(syn::parse_quote!(const #length: usize));
    }
    Some(sized)
}
