//! Variants that a function imports: `use Event::{Order, Cancel};` says which enum has them. After `use Event::*;` only the type of the value
//! says whether `Order(..)` is a variant, or a struct of that name.

use std::collections::HashMap;

use syn::{Path, PathSegment, Type, UseTree};

use super::text;

/// The variants that `use` declarations of a function name.
#[derive(Debug, Default)]
pub(super) struct Imports {
    /// The enum and the variant, by the name in the function.
    pub(super) named: HashMap<String, (Type, String)>,
    /// Whether all variants of an enum are imported.
    pub(super) all: bool,
}

impl Imports {
    pub(super) fn add(&mut self, item: &syn::ItemUse) {
        let of = Path { leading_colon: item.leading_colon, segments: Default::default() };
        self.tree(of, &item.tree);
    }

    fn tree(&mut self, mut of: Path, tree: &UseTree) {
        match tree {
            UseTree::Path(node) => {
                of.segments.push(PathSegment::from(node.ident.clone()));
                self.tree(of, &node.tree);
            }
            UseTree::Group(node) => node.items.iter().for_each(|inner| self.tree(of.clone(), inner)),
            _ if !of.segments.last().is_some_and(|last| text::plain(&last.ident).starts_with(char::is_uppercase)) => {}
            UseTree::Name(node) => self.name(of, &node.ident, &node.ident),
            UseTree::Rename(node) => self.name(of, &node.ident, &node.rename),
            UseTree::Glob(_) => self.all = true,
        }
    }

    fn name(&mut self, of: Path, variant: &syn::Ident, name: &syn::Ident) {
        self.named.insert(text::plain(name), (syn::parse_quote!(#of), text::plain(variant)));
    }
}
