//! What the source names and only rustc can resolve: types, constants, functions. Each is a number here, and an
//! expression in the item that the macro leaves.

use std::collections::HashMap;

use quote::ToTokens;

use super::lower::Lowering;
use crate::infer::Class;
use crate::ir::{Atom, CallId, ConstId, Relation, Rvalue, TyId};

/// What a function names.
#[derive(Debug, Default)]
pub(crate) struct ExternalSymbols {
    /// Types, each once.
    pub(crate) types: Vec<syn::Type>,
    /// Constant expressions, each once.
    pub(crate) constants: Vec<syn::Expr>,
    /// The function of each call, in source order, and whether `?` follows the call.
    pub(crate) calls: Vec<(syn::Path, bool)>,
    /// The numbers of types and of constants, by how they are written.
    written: (HashMap<String, u32>, HashMap<String, u32>),
}

impl ExternalSymbols {
    /// The function names nothing of the user's program.
    pub(crate) fn is_empty(&self) -> bool {
        self.types.is_empty() && self.constants.is_empty() && self.calls.is_empty()
    }
}

/// The place of an entry, new or not: entries are the same if they are written in the same way.
fn number<T: ToTokens + Clone>(list: &mut Vec<T>, written: &mut HashMap<String, u32>, entry: &T) -> u32 {
    *written.entry(entry.to_token_stream().to_string()).or_insert_with(|| {
        list.push(entry.clone());
        list.len() as u32 - 1
    })
}

impl Lowering<'_> {
    /// A type of the user's program.
    pub(super) fn named_type(&mut self, written: &syn::Type) -> TyId {
        let name = number(&mut self.external.types, &mut self.external.written.0, written);
        let ty = self.infer.later();
        self.relations.push(Relation::Names { ty, name });
        ty
    }

    /// A constant expression of the user's program.
    pub(super) fn constant_id(&mut self, expr: &syn::Expr) -> ConstId {
        ConstId(number(&mut self.external.constants, &mut self.external.written.1, expr))
    }

    /// The value of a constant of the user's program.
    pub(super) fn constant(&mut self, expr: &syn::Expr) -> Atom {
        let constant = self.constant_id(expr);
        let ty = self.infer.later();
        self.relations.push(Relation::Constant { ty, constant });
        self.temp(Rvalue::Constant(constant), ty, expr)
    }

    pub(super) fn call_id(&mut self, path: &syn::Path, tries: bool) -> CallId {
        self.external.calls.push((path.clone(), tries));
        CallId(self.external.calls.len() as u32 - 1)
    }

    /// The type of a field.
    pub(super) fn field_type(&mut self, of: TyId, name: &str) -> TyId {
        if let (Class::Tuple(parts), Ok(k)) = (self.infer.class(of), name.parse::<usize>())
            && let Some(part) = parts.get(k)
        {
            return *part;
        }
        self.infer.mark_later(of);
        let ty = self.infer.later();
        self.relations.push(Relation::Field { of, name: name.to_owned(), ty });
        ty
    }
}
