//! Iterators: a chain of iterator methods becomes loops, before the tree is parsed. Closures are written out where they are called,
//! so nothing is allocated, and both printers see loops alone.
//!
//! References become values here: every value of the device can be copied, and while a reference lives rustc lets nothing else
//! change what it refers to.

mod arrays;
mod bind;
mod by_name;
mod chain;
mod closure;
mod compared;
mod ends;
mod expected;
mod extremes;
mod flow;
mod for_loop;
mod from_fn;
mod generate;
mod lent;
mod local_closures;
mod open_range;
mod option;
mod orderings;
mod positions;
mod prepare;
mod pull;
mod ready;
mod rearranged;
mod result;
mod reversed;
mod taken;
mod tried;
mod try_from;
mod variables;
mod window;

use proc_macro2::{Ident, Span, TokenStream};
use syn::spanned::Spanned;
use syn::{Expr, ExprForLoop, ExprMethodCall};

pub(super) use arrays::{ArrayNames, has_array_elements, is_of_slices, is_shared};
pub(super) use expected::{type_of_bytes, type_of_function, type_of_let};
use generate::Generator;
pub(super) use tried::written_out as tried;

/// The reason why a chain is refused.
pub(super) struct Refused {
    pub(super) at: TokenStream,
    pub(super) message: String,
}

impl Refused {
    fn new(at: &impl quote::ToTokens, message: impl Into<String>) -> Refused {
        Refused { at: at.to_token_stream(), message: message.into() }
    }
}

/// The result of desugaring one expression: `None` where it stays as it is.
type Desugared = Option<Result<TokenStream, Refused>>;

/// Desugars the iterators of one function.
#[derive(Default)]
pub(super) struct Iterators {
    next: u32,
}

impl Iterators {
    /// Writes out the iterators that are variables.
    pub(super) fn variables(&mut self, item: &mut syn::ItemFn) {
        variables::written_out(item, &mut self.next);
    }

    /// Writes out the closures that have a name.
    pub(super) fn local_closures(&mut self, item: &mut syn::ItemFn) {
        local_closures::written_out(item, &mut self.next);
    }

    /// Desugars a method call that ends a chain, or that takes a closure.
    pub(super) fn method(&mut self, call: &ExprMethodCall, arrays: &ArrayNames) -> Desugared {
        let mut generator = Generator::new(&mut self.next, call.method.span());
        try_from::method(&mut generator, call)
            .or_else(|| ends::end(&mut generator, call, arrays))
            .or_else(|| compared::method(&mut generator, call, arrays))
            .or_else(|| orderings::method(&mut generator, call, &|name| arrays.is_ordering(name)))
            .or_else(|| arrays::method(&mut generator, call, arrays))
            .or_else(|| result::method(&mut generator, call))
            .or_else(|| option::method(&mut generator, call, arrays))
    }

    /// Desugars the patterns `Ok(..)` and `Err(_)` of a conversion.
    pub(super) fn matched(&mut self, value: &mut Expr, patterns: &mut [&mut syn::Pat], span: Span) {
        try_from::matched(&mut Generator::new(&mut self.next, span), value, patterns);
    }

    /// Desugars `std::array::from_fn(..)` and `Ord::cmp(..)`.
    pub(super) fn call(&mut self, call: &syn::ExprCall) -> Desugared {
        let mut generator = Generator::new(&mut self.next, call.func.span());
        from_fn::call(&mut generator, call).or_else(|| orderings::call(&mut generator, call))
    }

    /// Desugars a `for` over a chain that the loops of the language do not cover.
    pub(super) fn for_loop(&mut self, node: &ExprForLoop, arrays: &ArrayNames) -> Desugared {
        for_loop::for_loop(&mut Generator::new(&mut self.next, node.for_token.span), node, arrays)
    }
}

/// Returns whether an expression is an iterator.
pub(super) fn is_iterator(expr: &Expr) -> bool {
    matches!(expr, Expr::MethodCall(_)) && chain::chain(expr).is_some()
}

/// Returns the span of generated tokens at the position of their origin: no name of the user can refer to them.
fn generated(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

fn is_named(ident: &Ident, names: &[&str]) -> bool {
    names.iter().any(|name| ident == name)
}
