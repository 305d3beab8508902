//! The parameters of generic functions, and transactions with types and constants for them.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, GenericArgument, GenericParam, Generics, ItemFn, Pat, Token, Type};

use super::text::type_source;
use super::types::{NO_CLOSURE, is_of_closures, scalar};
use crate::front::diag::{Diagnostics, Rule};
use crate::spec::Scalar;

/// One entry of `instantiate(..)`: `u32`, `4` or `(u32, 4)`.
#[derive(Debug, Clone)]
pub(crate) struct Instance {
    written: TokenStream,
    arguments: Vec<GenericArgument>,
}

impl Parse for Instance {
    fn parse(input: ParseStream<'_>) -> syn::Result<Instance> {
        if !input.peek(syn::token::Paren) {
            let argument: GenericArgument = input.parse()?;
            return Ok(Instance { written: argument.to_token_stream(), arguments: vec![argument] });
        }
        let inside;
        syn::parenthesized!(inside in input);
        let arguments = Punctuated::<GenericArgument, Token![,]>::parse_terminated(&inside)?;
        Ok(Instance { written: quote!((#arguments)), arguments: arguments.into_iter().collect() })
    }
}

impl Instance {
    /// Returns the entry for that number of parameters: for one, `(u32, 4)` is a tuple. Returns `None` for another number.
    pub(crate) fn of(&self, count: usize) -> Option<Instance> {
        if self.arguments.len() == count {
            return Some(self.clone());
        }
        let tuple: Type = syn::parse2(self.written.clone()).ok().filter(|_| count == 1)?;
        Some(Instance { written: self.written.clone(), arguments: vec![GenericArgument::Type(tuple)] })
    }

    /// Returns the arguments, as in `<u32, 4>`, without the brackets.
    pub(crate) fn arguments(&self) -> TokenStream {
        let arguments = &self.arguments;
        quote!(#(#arguments),*)
    }

    /// Returns what the parameters are, for messages: "`T` is `u32`".
    pub(crate) fn named(&self, function: &ItemFn) -> String {
        let one = |(param, argument): (&GenericParam, &GenericArgument)| {
            let name = match param {
                GenericParam::Type(param) => &param.ident,
                GenericParam::Const(param) => &param.ident,
                GenericParam::Lifetime(param) => &param.lifetime.ident,
            };
            format!("`{name}` is `{}`", type_source(argument))
        };
        let all = function.sig.generics.params.iter().zip(&self.arguments).map(one);
        all.collect::<Vec<_>>().join(" and ")
    }

    /// Returns the type that stands for the entry among those that a transaction lists.
    pub(crate) fn listed(&self, function: &ItemFn) -> TokenStream {
        let types = function.sig.generics.params.iter().zip(&self.arguments).map(|(param, argument)| match param {
            GenericParam::Const(_) => quote!([(); #argument]),
            _ => argument.to_token_stream(),
        });
        one_or_tuple(&types.collect::<Vec<_>>())
    }

    /// Returns the function with these arguments for its parameters.
    pub(crate) fn put_into(&self, function: &ItemFn) -> ItemFn {
        let mut instance = function.clone();
        type_literals(&mut instance);
        instance.sig.generics = syn::Generics::default();
        for (param, argument) in function.sig.generics.params.iter().zip(&self.arguments) {
            match (param, argument) {
                (GenericParam::Type(param), GenericArgument::Type(ty)) => {
                    PutType(&param.ident, ty).visit_item_fn_mut(&mut instance);
                }
                (GenericParam::Const(param), argument) => {
                    PutConstant(&param.ident, &value(argument, &param.ty)).visit_item_fn_mut(&mut instance);
                }
                _ => {}
            }
        }
        instance
    }

    /// Returns whether each argument is of the sort of its parameter.
    pub(crate) fn fits(&self, function: &ItemFn) -> bool {
        let fits = |(param, argument): (&GenericParam, &GenericArgument)| match (param, argument) {
            (GenericParam::Type(_), argument) => matches!(argument, GenericArgument::Type(_)),
            // The path of a constant looks like a type.
            (GenericParam::Const(_), GenericArgument::Type(ty)) => matches!(ty, Type::Path(_)),
            (GenericParam::Const(_), argument) => matches!(argument, GenericArgument::Const(_)),
            (GenericParam::Lifetime(_), _) => false,
        };
        function.sig.generics.params.iter().zip(&self.arguments).all(fits)
    }
}

/// Gives the literal in `T::from(1)` the type that the bound `T: From<u8>` says.
pub(super) fn type_literals(function: &mut ItemFn) {
    struct Literals(Vec<(Ident, Scalar)>);
    impl VisitMut for Literals {
        fn visit_expr_call_mut(&mut self, node: &mut syn::ExprCall) {
            visit_mut::visit_expr_call_mut(self, node);
            if let Expr::Path(path) = &*node.func
                && let [of, name] = path.path.segments.iter().collect::<Vec<_>>().as_slice()
                && let Some((_, scalar)) = self.0.iter().find(|(param, _)| name.ident == "from" && of.ident == *param)
                && let Some(Expr::Lit(lit)) = node.args.first_mut()
                && let syn::Lit::Int(int) = &lit.lit
                && int.suffix().is_empty()
            {
                lit.lit = syn::Lit::Int(syn::LitInt::new(&format!("{int}{}", scalar.rust()), int.span()));
            }
        }
    }
    let bounds = function.sig.generics.type_params().filter_map(|param| {
        let mut from = param.bounds.iter().filter_map(|bound| match bound {
            syn::TypeParamBound::Trait(bound) => {
                let of: Type = Type::Path(syn::TypePath { attrs: Vec::new(), qself: None, path: bound.path.clone() });
                super::types::argument(&of, "From").and_then(scalar)
            }
            _ => None,
        });
        let scalar = from.next().filter(|_| from.next().is_none())?;
        Some((param.ident.clone(), scalar))
    });
    let mut literals = Literals(bounds.collect());
    if !literals.0.is_empty() {
        literals.visit_block_mut(&mut function.block);
    }
}

impl ToTokens for Instance {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.written.to_tokens(tokens);
    }
}

/// Returns the type for the parameters of a function that stands for one of its instances.
pub(crate) fn listed(function: &ItemFn) -> TokenStream {
    let types = function.sig.generics.params.iter().map(|param| match param {
        GenericParam::Type(param) => param.ident.to_token_stream(),
        GenericParam::Const(param) => {
            let name = &param.ident;
            quote!([(); #name])
        }
        GenericParam::Lifetime(_) => quote!(()),
    });
    one_or_tuple(&types.collect::<Vec<_>>())
}

fn one_or_tuple(types: &[TokenStream]) -> TokenStream {
    match types {
        [one] => one.clone(),
        types => quote!((#(#types),*)),
    }
}

/// Returns the value of a constant argument. A number has the type of the parameter.
fn value(argument: &GenericArgument, ty: &Type) -> Expr {
    match argument {
        GenericArgument::Const(Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. })) if int.suffix().is_empty() => {
            let ty = scalar(ty).unwrap_or(Scalar::Usize).rust();
            let typed = syn::LitInt::new(&format!("{}{ty}", int.base10_digits()), int.span());
            syn::parse_quote!(#typed)
        }
        other => syn::parse_quote!(#other),
    }
}

/// Replaces a type parameter by a type.
struct PutType<'a>(&'a Ident, &'a Type);

impl VisitMut for PutType<'_> {
    fn visit_type_mut(&mut self, node: &mut Type) {
        match node {
            Type::Path(path) if path.qself.is_none() && path.path.is_ident(self.0) => *node = self.1.clone(),
            other => visit_mut::visit_type_mut(self, other),
        }
    }

    /// Turns `T::MAX` into `<u32>::MAX`.
    fn visit_expr_path_mut(&mut self, node: &mut syn::ExprPath) {
        visit_mut::visit_expr_path_mut(self, node);
        if node.qself.is_none() && node.path.segments.len() > 1 && node.path.segments[0].ident == *self.0 {
            let rest = node.path.segments.iter().skip(1);
            let ty = self.1;
            let path: syn::Result<syn::ExprPath> = match scalar(ty) {
                Some(_) => syn::parse2(quote!(#ty::#(#rest)::*)),
                None => syn::parse2(quote!(<#ty>::#(#rest)::*)),
            };
            if let Ok(path) = path {
                *node = path;
            }
        }
    }
}

/// Replaces a constant parameter by a value.
struct PutConstant<'a>(&'a Ident, &'a Expr);

impl VisitMut for PutConstant<'_> {
    fn visit_expr_mut(&mut self, node: &mut Expr) {
        match node {
            Expr::Path(path) if path.qself.is_none() && path.path.is_ident(self.0) => *node = self.1.clone(),
            other => visit_mut::visit_expr_mut(self, other),
        }
    }

    /// Among the arguments of a type, the parameter looks like a type.
    fn visit_generic_argument_mut(&mut self, node: &mut GenericArgument) {
        match node {
            GenericArgument::Type(Type::Path(path)) if path.path.is_ident(self.0) => {
                *node = GenericArgument::Const(self.1.clone());
            }
            other => visit_mut::visit_generic_argument_mut(self, other),
        }
    }

    fn visit_pat_mut(&mut self, node: &mut Pat) {
        match node {
            Pat::Ident(ident) if ident.ident == *self.0 && ident.subpat.is_none() => {
                let value = self.1;
                *node = Pat::Verbatim(quote!(#value));
                if let Ok(pat) = Pat::parse_single.parse2(quote!(#value)) {
                    *node = pat;
                }
            }
            other => visit_mut::visit_pat_mut(self, other),
        }
    }

    /// The tokens of a macro are no expressions yet.
    fn visit_macro_mut(&mut self, node: &mut syn::Macro) {
        node.tokens = self.tokens(std::mem::take(&mut node.tokens));
    }
}

impl PutConstant<'_> {
    fn tokens(&self, tokens: TokenStream) -> TokenStream {
        let put = |token: TokenTree| match token {
            TokenTree::Ident(ident) if ident == *self.0 => self.1.to_token_stream(),
            TokenTree::Group(group) => {
                let mut inner = proc_macro2::Group::new(group.delimiter(), self.tokens(group.stream()));
                inner.set_span(group.span());
                TokenTree::Group(inner).into()
            }
            other => other.into(),
        };
        tokens.into_iter().map(put).collect()
    }
}

/// Returns a transaction without lifetimes, which have no effect: arrays outlive it.
pub(crate) fn without_lifetimes(mut function: ItemFn) -> ItemFn {
    struct Lifetimes;
    impl VisitMut for Lifetimes {
        fn visit_type_reference_mut(&mut self, node: &mut syn::TypeReference) {
            node.lifetime = None;
            visit_mut::visit_type_reference_mut(self, node);
        }
    }
    let generics = &mut function.sig.generics;
    if generics.lifetimes().next().is_some() {
        *generics = parameters(generics, &mut Diagnostics::default());
        Lifetimes.visit_signature_mut(&mut function.sig);
    }
    function
}

fn refuse_closures<'a>(bounds: impl IntoIterator<Item = &'a syn::TypeParamBound>, diags: &mut Diagnostics) {
    for bound in bounds.into_iter().filter(|bound| is_of_closures(bound)) {
        diags.report(Rule::Generics, bound, NO_CLOSURE);
    }
}

/// Returns the parameters for types and constants, and reports those that a function cannot have.
pub(crate) fn parameters(generics: &Generics, diags: &mut Diagnostics) -> Generics {
    let mut kept = generics.clone();
    kept.params = std::mem::take(&mut kept.params)
        .into_iter()
        .filter(|param| !matches!(param, GenericParam::Lifetime(_)))
        .map(|mut param| {
            match &mut param {
                GenericParam::Type(param) => {
                    refuse_closures(&param.bounds, diags);
                    param.default = None;
                }
                GenericParam::Const(param) => {
                    if scalar(&param.ty).filter(|ty| !ty.is_float()).is_none() {
                        let message = "a constant parameter is an integer or a `bool`; pass other values as arguments";
                        diags.report(Rule::Generics, &param.ty, message);
                    }
                    param.default = None;
                }
                GenericParam::Lifetime(_) => {}
            }
            param
        })
        .collect();
    if let Some(clause) = &mut kept.where_clause {
        for predicate in &clause.predicates {
            if let syn::WherePredicate::Type(predicate) = predicate {
                refuse_closures(&predicate.bounds, diags);
            }
        }
        let types = |predicate: &syn::WherePredicate| matches!(predicate, syn::WherePredicate::Type(_));
        clause.predicates = std::mem::take(&mut clause.predicates).into_iter().filter(types).collect();
    }
    kept
}
