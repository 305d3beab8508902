//! Variants that a function imports: `use Event::{Order, Cancel};` says which enum has them. After `use Event::*;` only the type of the value
//! says whether `Order(..)` is a variant, or a struct of that name.

use std::collections::HashMap;

use quote::quote;
use syn::{Member, Path, PathSegment, Type, UseTree};

use super::compound::{type_of_path, variant_of};
use super::lower::Lowering;
use super::text;
use crate::ir::open::TyId;
use crate::spec::PERHAPS;

/// The variants that `use` declarations of a function name.
#[derive(Debug, Default)]
pub(super) struct Imports {
    /// The enum and the variant, by the name in the function.
    named: HashMap<String, (Type, String)>,
    /// Whether all variants of an enum are imported.
    all: bool,
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
        self.named.insert(text::plain(name), (type_of_path(None, &of), text::plain(variant)));
    }
}

impl Lowering<'_> {
    /// Returns the enum and the variant that a path names. Without an enum, it could also be a struct.
    pub(super) fn variant(&self, path: &Path) -> Option<(Option<Type>, String)> {
        if let Some((of, variant)) = variant_of(path) {
            return Some((Some(of), variant));
        }
        let name = text::plain(path.get_ident()?);
        match self.imports.named.get(&name) {
            Some((of, variant)) => Some((Some(of.clone()), variant.clone())),
            None => {
                (self.imports.all && name.starts_with(char::is_uppercase)).then(|| (None, format!("{name}{PERHAPS}")))
            }
        }
    }

    /// Returns the type of a value that is made of these members. rustc finds it where nothing else says what it is.
    pub(super) fn perhaps_variant(&mut self, path: &Path, members: &[Member]) -> TyId {
        let ty = self.record_type(None, path);
        if let Some(inferred) = self.external.inferred.last_mut() {
            let made = quote!(#path { #(#members: ::stm_runtime::__private::callee::never()),* });
            inferred.fallback = Some(Type::Verbatim(made));
        }
        ty
    }
}
