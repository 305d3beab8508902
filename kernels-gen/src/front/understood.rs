//! One function, from its tree to what the printers need.

use proc_macro2::{Ident, Span};
use syn::ItemFn;

use crate::front::diag::Diagnostics;
use crate::front::parse::{self, Parsed, Signature};
use crate::front::print::item;
use crate::front::print::rust;
use crate::front::whole;

/// The input of a compilation besides the function.
#[derive(Debug, Clone, Default)]
pub struct CompileOptions {
    /// The source file, as `#line` and reports name it.
    pub file: String,
    /// The options of the attribute.
    pub attribute: crate::ir::Options,
    /// The constant of `max_accesses = NAME`.
    pub stated: Option<syn::Expr>,
}

/// A function that the macro understood.
pub(crate) struct Understood {
    /// The user's tree, with types and locations.
    pub(crate) rewritten: ItemFn,
    pub(crate) parsed: Parsed,
    pub(crate) checked: bool,
}

/// Parses and checks one function; `instance` is the type substituted for the parameter of a generic transaction.
pub(crate) fn understand(
    function: &ItemFn,
    signature: &Signature,
    options: &CompileOptions,
    instance: Option<&parse::Instance>,
    mut diags: Diagnostics,
) -> Result<Understood, Diagnostics> {
    // The same tree is parsed and rewritten: notes belong to its nodes.
    let mut tree = function.clone();
    parse::desugar(&mut tree, signature, &mut diags);
    let mut parsed = parse::parse(&tree, signature, options.attribute, &options.file, &mut diags);
    if let Some(stated) = &options.stated {
        parsed.state_accesses(stated);
    }
    if !parse::fits(&parsed, signature, &mut diags) {
        return Err(diags);
    }
    let locations = parse::check_types(&mut parsed, &mut diags);
    if diags.is_empty() {
        parse::find_receivers(&mut parsed, signature, &mut diags);
    }
    if diags.is_empty() {
        whole::check(&parsed, signature, &mut diags);
    }
    if !diags.is_empty() {
        return Err(diags);
    }
    let handle = signature.tx.clone().unwrap_or_else(|| Ident::new(item::HANDLE, Span::mixed_site()));
    let this = item::own_source(signature, instance, parsed.external.dependent);
    let checked = rust::rewrite(&mut tree.block, &parsed, &locations, (&handle, &this));
    Ok(Understood { rewritten: tree, parsed, checked })
}
