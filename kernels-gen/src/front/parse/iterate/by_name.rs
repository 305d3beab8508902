//! The name of a function where a closure stands: what is called with which values.

use proc_macro2::Ident;
use quote::format_ident;
use syn::spanned::Spanned;
use syn::{Expr, ExprPath};

use crate::front::parse::letters::is_of_letters;
use crate::front::parse::text;
use crate::front::parse::tree::GENERATED;
use crate::spec::Scalar;

/// Returns the parameters and the body of the closure that the name stands for; `None` where the function takes the values as they are.
/// `lent`: which of the values are references in Rust.
pub(super) fn written_out(path: &ExprPath, lent: &[bool]) -> Option<(Vec<Ident>, Expr)> {
    let params: Vec<Ident> = (0..lent.len()).map(|k| format_ident!("{GENERATED}value_{k}")).collect();
    let segments = &path.path.segments;
    let names: Vec<String> = segments.iter().map(|segment| text::plain(&segment.ident)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let is_variant = names.last()?.starts_with(char::is_uppercase);
    if let ([.., "Option" | "Result", _] | ["Clone", "clone"], false, [first, others @ ..]) =
        (&*names, is_variant, &*params)
    {
        let method = segments.last()?;
        return Some((params.clone(), syn::parse_quote!(#first.#method(#(#others),*))));
    }
    // Methods of numbers take them as values, but those of letters, which are no paths here.
    let of_language = matches!(&*names, [of, _] if Scalar::from_rust(of).is_some() || *of == "char");
    if let ([of, name], true, [first]) = (&*names, of_language, &*params)
        && (*name == "clone" || is_of_letters(name))
    {
        let (of, method) = (Ident::new(of, path.path.span()), &segments[1]);
        return Some((params.clone(), syn::parse_quote!({ let #first: #of = #first; #first.#method() })));
    }
    if of_language || !lent.contains(&true) {
        return None;
    }
    let args = params.iter().zip(lent).map(|(name, lent)| match lent {
        true => quote::quote!(&#name),
        false => quote::quote!(#name),
    });
    let body = syn::parse_quote!(#path(#(#args),*));
    Some((params, body))
}
