//! The names in the source that only rustc can resolve: types, constants, functions. Each is a number here, and an
//! expression in the generated item.

use std::collections::HashMap;

use quote::ToTokens;

use crate::ir::open::{CallId, ConstId};

/// The external symbols that a function names.
#[derive(Debug, Default)]
pub(crate) struct ExternalSymbols {
    /// Types, each once.
    pub(crate) types: Vec<syn::Type>,
    /// Constant expressions, each once.
    pub(crate) constants: Vec<syn::Expr>,
    /// The function of each call, in source order, and whether `?` follows the call.
    pub(crate) calls: Vec<(syn::Path, bool)>,
    /// The numbers of types and of constants, by their text.
    written: (HashMap<String, u32>, HashMap<String, u32>),
}

impl ExternalSymbols {
    /// Returns whether the function names nothing of the user's program.
    pub(crate) fn is_empty(&self) -> bool {
        self.types.is_empty() && self.constants.is_empty() && self.calls.is_empty()
    }

    /// Returns the number of a type.
    pub(super) fn number_type(&mut self, written: &syn::Type) -> u32 {
        number(&mut self.types, &mut self.written.0, written)
    }

    /// Returns the number of a constant expression.
    pub(super) fn number_constant(&mut self, expr: &syn::Expr) -> ConstId {
        ConstId(number(&mut self.constants, &mut self.written.1, expr))
    }

    /// Returns the number of a call, which is always a new one.
    pub(super) fn number_call(&mut self, path: &syn::Path, tries: bool) -> CallId {
        self.calls.push((path.clone(), tries));
        CallId(self.calls.len() as u32 - 1)
    }
}

/// Returns the index of an entry, new or not: entries with the same text are the same.
fn number<T: ToTokens + Clone>(list: &mut Vec<T>, written: &mut HashMap<String, u32>, entry: &T) -> u32 {
    *written.entry(entry.to_token_stream().to_string()).or_insert_with(|| {
        list.push(entry.clone());
        list.len() as u32 - 1
    })
}
