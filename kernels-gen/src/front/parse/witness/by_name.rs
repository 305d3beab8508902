//! Calls by a path, `Name::function(..)`, whose name may be that of a type or of a trait: only rustc knows.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;

use super::{Finder, is_unknown, never};
use crate::front::parse::Signature;
use crate::front::parse::external::{CallSite, Called, Passed};
use crate::front::parse::own_operator as operator;
use crate::front::parse::perhaps_own::is_of_std;
use crate::front::parse::types::is_of_language;
use crate::ir::open::CallId;

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

    /// Returns an expression of the type of the first argument of `Name::function(..)`, if the name may be that of a trait.
    pub(super) fn first(&self, call: CallId, site: &CallSite, signature: &Signature) -> Option<TokenStream> {
        let Called::Associated(of, _) = &site.called else { return None };
        let path = named(of)?;
        let is_type = |ty: &Type| named(ty) == Some(path);
        let known = self.external.types.iter().chain(signature.owner.as_ref()).any(is_type);
        if known
            || is_of_language(of)
            || site.handle == Some(0)
            || signature.depends(&quote!(#of)).is_some()
            || is_of_std(path)
        {
            return None;
        }
        let first = self.operand(*self.arguments.get(&call)?.0.first()?)?;
        Some(first).filter(|first| !is_unknown(first) && operator::size(first) <= operator::MOST_TOKENS)
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
