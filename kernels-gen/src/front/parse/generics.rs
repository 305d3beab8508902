//! Parameters of a `#[gpu_fn]` for types and for lengths of arrays. Each call determines them: on CPU threads rustc, on the device the
//! types of the arguments. Where the function names something of the program that depends on them, as `T::WEIGHT` does, rustc makes a
//! source for each use of it.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, GenericArgument, GenericParam, Path, PathArguments, Type};

use super::external::Called;
use super::lower::Lowering;
use super::text;
use super::types::scalar;
use crate::front::diag::Rule;
use crate::infer::Class;
use crate::ir::open::{CallId, Generic, Relation, TyId};
use crate::spec::Scalar;

impl Lowering<'_> {
    /// Returns the numbers of the function's parameters among the external symbols.
    pub(super) fn generics(&mut self) -> Vec<Generic> {
        let signature = self.signature;
        let mut found = Vec::new();
        for param in &signature.generics.params {
            match param {
                GenericParam::Type(param) => {
                    let name = &param.ident;
                    found.push(Generic::Type(self.external.number_type(&syn::parse_quote!(#name))));
                }
                GenericParam::Const(param) => {
                    let name = &param.ident;
                    found.push(Generic::Length(self.external.number_constant(&syn::parse_quote!(#name))));
                }
                GenericParam::Lifetime(_) => {}
            }
        }
        self.external.dependent = self.is_dependent();
        self.refuse_lengths();
        found
    }

    /// Reports computed lengths that depend on the parameters, which rustc has not.
    fn refuse_lengths(&mut self) {
        for length in &self.external.constants {
            let tokens = length.to_token_stream();
            let Some(name) = self.signature.depends(&tokens).filter(|_| !matches!(length, Expr::Path(_))) else {
                continue;
            };
            let message = format!(
                "`{}` depends on `{name}`, which only a call determines, and a length is a number or `{name}` itself; add a parameter for it",
                text::source(length)
            );
            self.diags.report(Rule::Generics, length, message);
        }
    }

    /// Returns whether something that the function names depends on its parameters, and is not one of them.
    fn is_dependent(&self) -> bool {
        // The type of the `impl` block around the function depends on its parameters.
        if self.signature.owner.is_some() && !self.signature.generics.params.is_empty() {
            return true;
        }
        // In a form without values for them, constant parameters are lengths.
        if self.signature.generics.const_params().any(|param| scalar(&param.ty) != Some(Scalar::Usize)) {
            return true;
        }
        let types = self.external.types.iter().map(ToTokens::to_token_stream);
        let constants = self.external.constants.iter().map(ToTokens::to_token_stream);
        let parts = types.chain(constants).filter(|symbol| symbol.clone().into_iter().count() > 1);
        let called = self.external.calls.iter().filter_map(|site| match &site.called {
            Called::Associated(of, _) => Some(of.to_token_stream()),
            _ => None,
        });
        parts.chain(called).any(|symbol| self.signature.depends(&symbol).is_some())
    }

    /// Notes what a call states: `first::<u32, 4>(..)`.
    pub(super) fn stated(&mut self, function: CallId, path: &Path) {
        let Some(PathArguments::AngleBracketed(stated)) = path.segments.last().map(|last| &last.arguments) else {
            return;
        };
        for (generic, argument) in (0..).zip(&stated.args) {
            let ty = match argument {
                GenericArgument::Type(Type::Infer(_)) => continue,
                GenericArgument::Type(Type::Path(path)) if self.is_own_length(&path.path) => {
                    let path = &path.path;
                    self.of_length(&syn::parse_quote!(#path))
                }
                // Perhaps a constant. The arguments have to determine what it stands for.
                GenericArgument::Type(Type::Path(path)) if is_in_capitals(&path.path) => continue,
                GenericArgument::Type(ty) => self.written_type(ty),
                GenericArgument::Const(Expr::Block(node)) => match node.block.stmts.as_slice() {
                    [syn::Stmt::Expr(length, None)] => self.of_length(length),
                    _ => continue,
                },
                GenericArgument::Const(Expr::Lit(lit)) if !matches!(lit.lit, syn::Lit::Int(_)) => continue,
                GenericArgument::Const(Expr::Unary(_)) => continue,
                GenericArgument::Const(length) => self.of_length(length),
                _ => continue,
            };
            self.infer.mark_later(ty);
            self.relations.push(Relation::States { function, generic, ty });
        }
    }

    /// Returns the type by which a length is stated.
    fn of_length(&mut self, length: &Expr) -> TyId {
        let (unit, length) = (self.infer.fresh(Class::Unit), self.length(length));
        self.infer.fresh(Class::Array(unit, length))
    }

    /// Returns whether a path among the arguments of a call is that of a constant parameter.
    fn is_own_length(&self, path: &Path) -> bool {
        let is = |param: &GenericParam| matches!(param, GenericParam::Const(param) if path.is_ident(&param.ident));
        self.signature.generics.params.iter().any(is)
    }
}

/// Returns whether the name is written as those of constants are. Those of types can be, too.
fn is_in_capitals(path: &Path) -> bool {
    let name = path.segments.last().map(|last| text::plain(&last.ident)).unwrap_or_default();
    name.len() > 2 && !name.contains(char::is_lowercase)
}

impl super::Signature {
    /// Returns the parameter for types or lengths that the tokens name.
    pub(crate) fn depends(&self, tokens: &TokenStream) -> Option<String> {
        let names = |name: &String| {
            self.generics.params.iter().any(|param| match param {
                GenericParam::Type(param) => param.ident == name,
                GenericParam::Const(param) => param.ident == name,
                GenericParam::Lifetime(_) => false,
            })
        };
        tokens.clone().into_iter().find_map(|token| match token {
            TokenTree::Ident(ident) => Some(ident.to_string()).filter(names),
            TokenTree::Group(group) => self.depends(&group.stream()),
            _ => None,
        })
    }
}
