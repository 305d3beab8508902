//! Types, constants and fields of the user's program: facts that only rustc knows become relations among types.

use super::complete::added;
use super::compound::type_of_path;
use super::external::Inferred;
use super::lower::Lowering;
use super::notes::address;
use crate::front::diag::SourceSpan;
use crate::infer::Class;
use crate::ir::open::{Atom, Relation, Rvalue, TyId};

impl Lowering<'_> {
    /// Returns a type of the user's program.
    pub(super) fn named_type(&mut self, written: &syn::Type) -> TyId {
        let name = self.external.number_type(written);
        let ty = self.infer.later();
        self.relations.push(Relation::Names { ty, name });
        ty
    }

    /// Returns the type of a record in a value or in a pattern. Where its name has no arguments, it can be generic.
    pub(super) fn record_type(&mut self, qself: Option<syn::QSelf>, path: &syn::Path) -> TyId {
        let plain = path.segments.iter().all(|segment| segment.arguments.is_none());
        let added = added(path);
        if qself.is_some() || !plain && added.is_none() {
            return self.named_type(&type_of_path(qself, path));
        }
        let ty = self.infer.later();
        let known = added.as_ref().is_none_or(|(_, known)| *known);
        let (name, fallback) = (added.map(|(name, _)| name), known.then(|| type_of_path(None, path)));
        let mut plain = path.clone();
        plain.segments.iter_mut().for_each(|segment| segment.arguments = syn::PathArguments::None);
        self.external.inferred.push(Inferred {
            ty,
            name,
            fallback,
            at: SourceSpan::of(path),
            site: address(path),
            path: plain,
            fields: Vec::new(),
            is_enum: false,
        });
        ty
    }

    /// Returns the type of an enum that the path of a variant names. Where arguments were added to its name, its use may say others.
    pub(super) fn enum_type(&mut self, of: &syn::Type, path: &syn::Path) -> TyId {
        let syn::Type::Path(syn::TypePath { qself: None, path: own, .. }) = of else { return self.named_type(of) };
        if added(own).is_none() {
            return self.named_type(of);
        }
        let ty = self.record_type(None, own);
        if let Some(inferred) = self.external.inferred.last_mut() {
            inferred.site = address(path);
            inferred.is_enum = true;
            self.external.enums.push((ty, inferred.path.clone()));
        }
        ty
    }

    /// Returns whether the type is known to be `char`.
    pub(super) fn is_letter(&self, ty: TyId) -> bool {
        let is = |relation: &Relation| match relation {
            Relation::Names { ty: of, name } if self.infer.root(*of) == self.infer.root(ty) => {
                matches!(&self.external.types[*name as usize], syn::Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "char"))
            }
            _ => false,
        };
        self.relations.iter().any(is)
    }

    /// Returns the parameter of the function that a type is.
    pub(super) fn param_of(&self, ty: TyId) -> Option<syn::Ident> {
        self.relations.iter().find_map(|relation| match relation {
            Relation::Names { ty: of, name } if self.infer.root(*of) == self.infer.root(ty) => {
                let syn::Type::Path(path) = &self.external.types[*name as usize] else { return None };
                let name = path.path.get_ident()?;
                self.signature.generics.type_params().any(|param| param.ident == *name).then(|| name.clone())
            }
            _ => None,
        })
    }

    /// Returns the value of a constant of the user's program.
    pub(super) fn constant(&mut self, expr: &syn::Expr) -> Atom {
        let constant = self.external.number_constant(expr);
        let ty = self.infer.later();
        self.relations.push(Relation::Constant { ty, constant });
        self.temp(Rvalue::Constant(constant), ty, expr)
    }

    /// Returns the type of a field.
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
