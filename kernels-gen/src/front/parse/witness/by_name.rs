//! Calls by a path, `Name::function(..)`, whose name may be that of a type or of a trait: only rustc knows.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;

use super::{Finder, is_unknown, never};
use crate::front::parse::Signature;
use crate::front::parse::external::{Called, ExternalSymbols, Passed};
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
            other => self.measured(other).filter(|found| !is_unknown(found)).unwrap_or_else(never),
        }
    }

    /// Returns an argument, perhaps an array whose length is a constant or a parameter: the type of the function may have that length.
    pub(super) fn measured(&self, passed: Passed) -> Option<TokenStream> {
        let found = self.passed(passed);
        let (ty, lends) = match passed {
            Passed::Value(ty) => (ty, None),
            Passed::Reference(ty) => (ty, Some(quote!(lent))),
            Passed::Exclusive(ty) => (ty, Some(quote!(lent_mut))),
            _ => return Some(found),
        };
        if !is_unknown(&found) {
            return Some(found);
        }
        let value = self.with_lengths(ty)?;
        Some(match lends {
            Some(lends) => quote!(::stm_runtime::__private::callee::#lends(#value)),
            None => value,
        })
    }

    fn with_lengths(&self, ty: TyId) -> Option<TokenStream> {
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
            other => self.measured(*other).is_none_or(|found| is_unknown(&found)),
        };
        site.by_path && (site.passed.is_empty() || site.passed.iter().any(unknown)) || self.is_of_literals(site)
    }
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
