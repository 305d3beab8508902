//! The state while the loops of one chain are written.

use std::cell::Cell;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::Lifetime;

use super::super::tree::GENERATED;

pub(super) struct Generator<'a> {
    next: &'a mut u32,
    pub(super) span: Span,
    /// The position of the user's call, for messages.
    pub(super) user: Span,
    /// The statements before the loops: what the chain's arguments evaluate to.
    pub(super) setup: TokenStream,
    /// The declarations before that, of variables that loops inside of loops use.
    pub(super) declared: TokenStream,
    /// Why a chain inside of the chain is refused.
    pub(super) refused: Option<super::Refused>,
}

impl<'a> Generator<'a> {
    pub(super) fn new(next: &'a mut u32, user: Span) -> Generator<'a> {
        Generator {
            next,
            span: super::generated(user),
            user,
            setup: TokenStream::new(),
            declared: TokenStream::new(),
            refused: None,
        }
    }

    /// Returns a new name.
    pub(super) fn name(&mut self) -> Ident {
        *self.next += 1;
        Ident::new(&format!("{GENERATED}{}", self.next), self.span)
    }

    /// Returns a block that statements can leave.
    pub(super) fn exit(&mut self) -> Exit {
        *self.next += 1;
        Exit { label: Lifetime::new(&format!("'{GENERATED}{}", self.next), self.span), used: Cell::new(false) }
    }

    /// Evaluates an expression before the loops, and returns the name of its value.
    pub(super) fn before(&mut self, value: &TokenStream) -> Ident {
        let (name, span) = (self.name(), self.span);
        self.setup.extend(quote_spanned!(span=> let #name = #value;));
        name
    }

    /// Does the same for a number of elements.
    pub(super) fn count(&mut self, value: &impl ToTokens) -> Ident {
        let (name, span) = (self.name(), self.span);
        self.setup.extend(quote_spanned!(span=> let #name: usize = #value;));
        name
    }

    /// Does the same for a number that the loops change.
    pub(super) fn counter(&mut self, value: &impl ToTokens) -> Ident {
        let (name, span) = (self.name(), self.span);
        self.setup.extend(quote_spanned!(span=> let mut #name: usize = #value;));
        name
    }

    /// Does the same for a variable that the loops change.
    pub(super) fn state(&mut self, value: &impl ToTokens) -> Ident {
        let (name, span) = (self.name(), self.span);
        self.setup.extend(quote_spanned!(span=> let mut #name = #value;));
        name
    }

    /// Returns everything as one block: what was evaluated before, and the statements.
    pub(super) fn block(&mut self, inside: &TokenStream) -> TokenStream {
        let (setup, declared, span) = (std::mem::take(&mut self.setup), std::mem::take(&mut self.declared), self.span);
        quote_spanned!(span=> { #declared #setup #inside })
    }
}

/// A labelled block that statements can leave.
pub(super) struct Exit {
    label: Lifetime,
    used: Cell<bool>,
}

impl Exit {
    /// Returns the statement that leaves the block.
    pub(super) fn leave(&self, span: Span) -> TokenStream {
        self.used.set(true);
        let label = &self.label;
        quote_spanned!(span=> break #label;)
    }

    /// Returns the statement that leaves the block with a value.
    pub(super) fn give(&self, value: &TokenStream, span: Span) -> TokenStream {
        self.used.set(true);
        let label = &self.label;
        quote_spanned!(span=> break #label #value;)
    }

    /// Returns the block, with its label if something leaves it.
    pub(super) fn around(&self, inside: &TokenStream, span: Span) -> TokenStream {
        let label = &self.label;
        match self.used.get() {
            true => quote_spanned!(span=> #label: { #inside }),
            false => inside.clone(),
        }
    }
}
