//! Patterns as parameters: `(x, y): (i64, i64)` is a parameter with a name, which a `let` takes apart.

use proc_macro2::Span;
use quote::format_ident;
use syn::spanned::Spanned;
use syn::{FnArg, ItemFn, Pat, Stmt, Type};

use crate::front::parse::{argument, is_tx, partition, pattern_names};

/// Returns the function with a name for each of its parameters. `None`: they have names.
pub(super) fn named(function: &ItemFn) -> Option<ItemFn> {
    let (mut named, mut lets): (_, Vec<Stmt>) = (function.clone(), Vec::new());
    for (k, input) in named.sig.inputs.iter_mut().enumerate() {
        let FnArg::Typed(input) = input else { continue };
        if is_name(&input.pat) || is_tx(&input.ty) || !matches!(*input.pat, Pat::Wild(_)) && is_array(&input.ty) {
            continue;
        }
        let mut words: Vec<_> = pattern_names(&input.pat).into_iter().collect();
        words.sort();
        let name = if words.is_empty() { format!("argument_{k}") } else { words.join("_") };
        // No name of the user refers to it.
        let name = format_ident!("{name}", span = Span::mixed_site().located_at(input.pat.span()));
        let pat = std::mem::replace(&mut *input.pat, syn::parse_quote!(#name));
        lets.push(syn::parse_quote!(let #pat = #name;));
    }
    if lets.is_empty() {
        return None;
    }
    named.block.stmts.splice(0..0, lets);
    Some(named)
}

fn is_name(pat: &Pat) -> bool {
    matches!(pat, Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none())
}

/// Returns whether the type is that of shared arrays, which have no parts.
fn is_array(ty: &Type) -> bool {
    let ty = if let Type::Reference(reference) = ty { &reference.elem } else { ty };
    argument(ty, "Shared").is_some() || partition(ty).is_some()
}
