//! The value that a chain gives, and the variables that a pattern makes of it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Expr, GenericArgument, Pat, PathArguments, Type};

use super::generate::Generator;
use crate::front::parse::part::part_of;
use crate::front::parse::tree::strip;

/// The value that a step gets.
#[derive(Clone)]
pub(super) enum Item {
    /// An expression without effects.
    Value(TokenStream),
    /// A place, to which the user gets a `&mut` reference.
    Place(TokenStream),
    Pair(Box<Item>, Box<Item>),
}

impl Item {
    pub(super) fn name(name: &Ident) -> Item {
        Item::Value(name.to_token_stream())
    }

    /// Returns whether the user can change a place by it.
    pub(super) fn has_place(&self) -> bool {
        match self {
            Item::Value(_) => false,
            Item::Place(_) => true,
            Item::Pair(first, second) => first.has_place() || second.has_place(),
        }
    }

    pub(super) fn into_tokens(self) -> TokenStream {
        match self {
            Item::Value(value) => value,
            Item::Place(place) => quote::quote!(&mut #place),
            Item::Pair(first, second) => {
                let (first, second) = (first.into_tokens(), second.into_tokens());
                quote::quote!((#first, #second))
            }
        }
    }

    /// Assigns each value to a variable that several loops share, so that the elements have one type. The first loop declares them.
    pub(super) fn shared(self, generator: &mut Generator<'_>, variables: &mut Option<Item>) -> (TokenStream, Item) {
        let span = generator.span;
        let (first, second) = match self {
            Item::Place(_) => return (TokenStream::new(), self),
            Item::Value(value) => {
                let known = match variables {
                    Some(Item::Value(name)) => name.clone(),
                    _ => {
                        let name = generator.name();
                        generator.declared.extend(quote_spanned!(span=> let mut #name;));
                        name.into_token_stream()
                    }
                };
                *variables = Some(Item::Value(known.clone()));
                return (quote_spanned!(span=> #known = #value;), Item::Value(known));
            }
            Item::Pair(first, second) => (first, second),
        };
        let (mut one, mut two) = match variables.take() {
            Some(Item::Pair(one, two)) => (Some(*one), Some(*two)),
            _ => (None, None),
        };
        let (mut before, first) = first.shared(generator, &mut one);
        let (more, second) = second.shared(generator, &mut two);
        before.extend(more);
        if let (Some(one), Some(two)) = (one, two) {
            *variables = Some(Item::Pair(Box::new(one), Box::new(two)));
        }
        (before, Item::Pair(Box::new(first), Box::new(second)))
    }

    /// Gives each value a name, so that it is computed once. Returns the declarations.
    pub(super) fn settle(self, generator: &mut Generator<'_>) -> (TokenStream, Item) {
        match self {
            Item::Value(value) if value.clone().into_iter().count() > 1 => {
                let (name, span) = (generator.name(), generator.span);
                (quote_spanned!(span=> let #name = #value;), Item::name(&name))
            }
            Item::Pair(first, second) => {
                let (mut before, first) = first.settle(generator);
                let (more, second) = second.settle(generator);
                before.extend(more);
                (before, Item::Pair(Box::new(first), Box::new(second)))
            }
            other => (TokenStream::new(), other),
        }
    }
}

/// Returns the declarations of a pattern's variables.
pub(super) fn bind(pat: &Pat, item: Item, span: Span) -> TokenStream {
    match (pat, item) {
        (Pat::Paren(node), item) => bind(&node.pat, item, span),
        (Pat::Reference(node), item) => bind(&node.pat, item, span),
        (Pat::Wild(_), _) => TokenStream::new(),
        (Pat::Tuple(node), Item::Pair(first, second)) if is_pair(node) => {
            let mut lets = bind(&node.elems[0], *first, span);
            lets.extend(bind(&node.elems[1], *second, span));
            lets
        }
        (Pat::Ident(ident), Item::Place(place)) => quote_spanned!(span=> let #ident = &mut #place;),
        // The type of a state that the closure changes is written with its `&mut`.
        (Pat::Type(node), Item::Place(place)) if matches!(*node.pat, Pat::Ident(_)) => {
            quote_spanned!(span=> let #node = &mut #place;)
        }
        (Pat::Type(node), item) => {
            let (pat, ty, value) = (&node.pat, without_references(&node.ty), item.into_tokens());
            quote_spanned!(span=> let (#pat): #ty = #value;)
        }
        // In parentheses it is a pattern, whose names may stand for references.
        (pat, item) => {
            let value = item.into_tokens();
            quote_spanned!(span=> let (#pat) = #value;)
        }
    }
}

fn is_pair(node: &syn::PatTuple) -> bool {
    node.elems.len() == 2 && !node.elems.iter().any(|part| matches!(part, Pat::Rest(_)))
}

/// Returns a type without its references: on the device, a reference to a value is a copy of the value.
pub(super) fn without_references(ty: &Type) -> Type {
    match ty {
        Type::Reference(node) => without_references(&node.elem),
        Type::Paren(node) => without_references(&node.elem),
        Type::Tuple(node) => {
            let mut node = node.clone();
            node.elems.iter_mut().for_each(|part| *part = without_references(part));
            Type::Tuple(node)
        }
        other => other.clone(),
    }
}

/// Returns the type of what `Ok`, `Some` or `Err` takes.
pub(super) fn inside<'t>(variant: &str, ty: &'t Type) -> Option<&'t Type> {
    let Type::Path(of) = ty else { return None };
    let last = of.path.segments.last()?;
    let PathArguments::AngleBracketed(list) = &last.arguments else { return None };
    let number = match (variant, last.ident.to_string().as_str()) {
        ("Ok", "TxResult" | "Result") | ("Some", "Option") => 0,
        ("Err", "Result") => 1,
        _ => return None,
    };
    match list.args.iter().nth(number)? {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

/// Returns an argument that Rust takes by reference.
pub(super) fn value_of(expr: &Expr) -> &Expr {
    match strip(expr) {
        Expr::Reference(node) if node.mutability.is_none() => strip(&node.expr),
        _ => expr,
    }
}

/// Returns what a method takes by reference: a value, or a part of an array.
pub(super) fn elements_of(expr: &Expr) -> &Expr {
    match value_of(expr) {
        value if part_of(value).is_some() => expr,
        value => value,
    }
}
