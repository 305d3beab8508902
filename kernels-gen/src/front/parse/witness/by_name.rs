//! Calls by a path, `Name::function(..)`, whose name may be that of a type or of a trait: only rustc knows.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Type;

use super::{Finder, is_unknown, never};
use crate::front::parse::Signature;
use crate::front::parse::external::{CallSite, Called, ExternalSymbols, Passed};
use crate::front::parse::perhaps_own::is_of_std;
use crate::front::parse::types::is_of_language;
use crate::infer::Class;
use crate::ir::open::{Length, Relation, TyId};

impl Finder<'_> {
    /// Returns an argument of a function of a type, which may be one of a trait with parameters, as `From<A>` is.
    pub(super) fn of_argument(&self, passed: Passed) -> TokenStream {
        match passed {
            // The inference knows less of it than rustc.
            Passed::Either(_) | Passed::Other => never(),
            Passed::Value(ty)
            | Passed::Reference(ty)
            | Passed::Exclusive(ty)
            | Passed::Shared(ty)
            | Passed::Listed(ty)
                if self.infer.has_literal(ty) =>
            {
                never()
            }
            other => Some(self.passed(other)).filter(|found| !is_unknown(found)).unwrap_or_else(never),
        }
    }

    /// Returns each argument that is the name of a value or of a reference: its place, the value, and a name for either.
    pub(super) fn either(&self, site: &CallSite) -> Vec<(usize, TokenStream, Ident)> {
        let eithers = site.passed.iter().enumerate().filter_map(|(at, passed)| {
            let Passed::Either(ty) = *passed else { return None };
            let value = self.passed(Passed::Value(ty));
            let known = !self.infer.has_literal(ty) && !is_unknown(&value);
            known.then(|| (at, value, quote::format_ident!("stm_it_{at}")))
        });
        eithers.collect()
    }

    /// Returns a value, perhaps an array whose length is a constant or a parameter: what is called may depend on that length.
    pub(super) fn with_lengths(&self, ty: TyId) -> Option<TokenStream> {
        if let Class::Array(element, Length::Constant(length)) = self.infer.class(ty) {
            let element = self.with_lengths(*element)?;
            let length = &self.external.constants[length.0 as usize];
            return Some(quote!(::stm_runtime::__private::callee::repeated::<_, { #length }>(#element)));
        }
        self.operand(ty).or_else(|| self.of_parts(ty, |part| self.with_lengths(part)))
    }

    /// Returns whether the relation is that of a call which says more once the types of its arguments are known.
    pub(super) fn waits(&self, relation: &Relation) -> bool {
        let Relation::Call { function, .. } = relation else { return false };
        let site = &self.external.calls[function.0 as usize];
        let unknown = |passed: &Passed| match passed {
            Passed::Either(_) | Passed::Other => false,
            other => is_unknown(&self.passed(*other)),
        };
        site.by_path && (site.passed.is_empty() || site.passed.iter().any(unknown)) || self.is_of_literals(site)
    }
}

/// Returns what a call returns that takes these values, or references to them.
pub(super) fn applied(call: TokenStream, either: &[(usize, TokenStream, Ident)]) -> TokenStream {
    let applied = |call, (_, value, name): &(usize, TokenStream, Ident)| {
        quote!(::stm_runtime::__private::stm_applied!(|#name| #call, #value))
    };
    either.iter().fold(call, applied)
}

/// Marks the calls `Name::function(..)` whose name may be that of a trait, or of a type with parameters.
pub(super) fn mark_paths(external: &mut ExternalSymbols, signature: &Signature) {
    let types: Vec<Type> = external.types.iter().chain(signature.owner.as_ref()).cloned().collect();
    for site in &mut external.calls {
        let Called::Associated(of, _) = &site.called else { continue };
        let Some(path) = named(of) else { continue };
        let known = types.iter().any(|ty| named(ty) == Some(path));
        site.by_path = !known
            && site.of_trait.is_none()
            && !is_of_language(of)
            && signature.depends(&quote!(#of)).is_none()
            && !is_of_std(path);
    }
}

/// Returns the path of a type that is one name, or names of modules and one, without arguments.
pub(super) fn named(of: &Type) -> Option<&syn::Path> {
    match of {
        Type::Path(of) if of.qself.is_none() && of.path.segments.iter().all(|part| part.arguments.is_none()) => {
            Some(&of.path)
        }
        _ => None,
    }
}
