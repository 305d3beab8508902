//! Variants that a function imports: `use Event::{Order, Cancel};` says which enum has them. After `use Event::*;` only the type of the value
//! says whether `Order(..)` is a variant, or a struct of that name. Those that the module imports show in patterns that no struct has.

use std::collections::{BTreeSet, HashMap};

use syn::visit::{self, Visit};
use syn::{Pat, Path, PathSegment, Type, UseTree};

use super::text;
use super::tree::is_constant;

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

/// Returns whether a function has patterns like `Order(..)` that can only be variants, as different ones in one `match`.
pub(super) fn examines_variants(block: &syn::Block) -> bool {
    let mut finder = Variants(false);
    finder.visit_block(block);
    finder.0
}

struct Variants(bool);

impl<'ast> Visit<'ast> for Variants {
    fn visit_expr_match(&mut self, node: &'ast syn::ExprMatch) {
        let patterns: Vec<&Pat> = node.arms.iter().flat_map(|arm| alternatives(&arm.pat)).collect();
        let names: BTreeSet<String> = patterns.iter().filter_map(|pat| name(pat)).collect();
        // After a pattern that every value of a struct matches there would be nothing to match.
        let all_but_last = node.arms.iter().rev().skip(1);
        let others = all_but_last.flat_map(|arm| alternatives(&arm.pat));
        let takes_all = others.into_iter().any(|pat| name(pat).is_some() && always_matches(pat));
        let has_fields = patterns.iter().any(|pat| name(pat).is_some() && !matches!(pat, Pat::Ident(_)));
        self.0 |= has_fields && (names.len() > 1 || takes_all);
        visit::visit_expr_match(self, node);
    }

    fn visit_expr_let(&mut self, node: &'ast syn::ExprLet) {
        self.0 |= takes_all_fields(&node.pat);
        visit::visit_expr_let(self, node);
    }

    fn visit_local(&mut self, node: &'ast syn::Local) {
        self.0 |= node.init.as_ref().is_some_and(|init| init.diverge.is_some()) && takes_all_fields(&node.pat);
        visit::visit_local(self, node);
    }
}

/// Returns whether a struct of this pattern would match any value, though the pattern stands where it need not.
fn takes_all_fields(pat: &Pat) -> bool {
    alternatives(pat).into_iter().any(|pat| !matches!(pat, Pat::Ident(_)) && name(pat).is_some() && always_matches(pat))
}

/// Returns the patterns that are alternatives of each other.
fn alternatives(pat: &Pat) -> Vec<&Pat> {
    match pat {
        Pat::Paren(node) => alternatives(&node.pat),
        Pat::Reference(node) => alternatives(&node.pat),
        Pat::Or(node) => node.cases.iter().flat_map(alternatives).collect(),
        other => vec![other],
    }
}

/// Returns the name of what may be a variant without its enum.
fn name(pat: &Pat) -> Option<String> {
    let name = match pat {
        Pat::Struct(node) => text::plain(node.path.get_ident()?),
        Pat::TupleStruct(node) => text::plain(node.path.get_ident()?),
        Pat::Ident(node) if is_constant(node) => text::plain(&node.ident),
        Pat::Guard(node) => return name(&node.pat),
        _ => return None,
    };
    let of_language = matches!(name.as_str(), "Some" | "None" | "Ok" | "Err");
    (name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase) && !of_language).then_some(name)
}

/// Returns whether the fields of a pattern match any value.
fn always_matches(pat: &Pat) -> bool {
    let any = |pat: &Pat| match pat {
        Pat::Wild(_) | Pat::Rest(_) => true,
        Pat::Ident(node) => !is_constant(node) && node.subpat.is_none(),
        _ => false,
    };
    match pat {
        Pat::Struct(node) => node.fields.iter().all(|field| any(&field.pat)),
        Pat::TupleStruct(node) => node.elems.iter().all(any),
        Pat::Guard(_) => false,
        _ => true,
    }
}
