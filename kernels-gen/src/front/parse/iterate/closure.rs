//! Closures, which are written out where they are called.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::visit::{self, Visit};
use syn::{Expr, Pat, ReturnType, Type};

use super::super::tree::strip;
use super::Refused;
use super::bind::{Item, bind, without_references};
use super::generate::Generator;

/// A closure, or the name of a function.
#[derive(Clone)]
pub(super) enum Closure {
    Written { params: Vec<Pat>, body: Box<Expr>, result: Option<Type> },
    Named(Expr),
}

impl Closure {
    /// Returns the closure that an argument is.
    pub(super) fn of(expr: &Expr, count: usize) -> Result<Closure, Refused> {
        let node = match strip(expr) {
            Expr::Closure(node) => node,
            Expr::Path(_) => return Ok(Closure::Named(expr.clone())),
            other => {
                return Err(Refused::new(other, "a closure is written in place here, as in `|x| x + 1`"));
            }
        };
        if node.inputs.len() != count {
            let message = format!("the closure takes {count} value{} here", if count == 1 { "" } else { "s" });
            return Err(Refused::new(&node.inputs, message));
        }
        if let Some(way_out) = way_out(&node.body) {
            return Err(way_out);
        }
        let result = match &node.output {
            ReturnType::Type(_, ty) => Some(without_references(ty)),
            ReturnType::Default => None,
        };
        Ok(Closure::Written { params: node.inputs.iter().cloned().collect(), body: node.body.clone(), result })
    }

    /// Returns the closure that an argument is, which gets references if `by_reference`: `Order::cost` takes `&self` there.
    pub(super) fn of_elements(expr: &Expr, by_reference: bool) -> Result<Closure, Refused> {
        let closure = Closure::of(expr, 1)?;
        Ok(match closure {
            Closure::Named(Expr::Path(path)) if by_reference && of_own_type(&path.path) => {
                Closure::of(&syn::parse_quote!(|stm_it_one| #path(&stm_it_one)), 1)?
            }
            other => other,
        })
    }

    /// Returns the value of a call, as a block with the parameters in it.
    pub(super) fn call(&self, generator: &Generator<'_>, items: Vec<Item>) -> TokenStream {
        let span = generator.span;
        match self {
            Closure::Named(path) => {
                let args = items.into_iter().map(Item::into_tokens);
                quote_spanned!(span=> #path(#(#args),*))
            }
            Closure::Written { params, body, result } => {
                let lets: TokenStream = params.iter().zip(items).map(|(pat, item)| bind(pat, item, span)).collect();
                let body = match result {
                    Some(ty) => quote_spanned!(span=> { let stm_it_result: #ty = #body; stm_it_result }),
                    None => body.to_token_stream(),
                };
                quote_spanned!(span=> { #lets #body })
            }
        }
    }
}

impl Closure {
    /// Returns whether it has one of these names.
    pub(super) fn names(&self, names: &[&str]) -> bool {
        fn has(tokens: TokenStream, names: &[&str]) -> bool {
            tokens.into_iter().any(|token| match token {
                TokenTree::Ident(ident) => names.iter().any(|name| ident == name),
                TokenTree::Group(group) => has(group.stream(), names),
                _ => false,
            })
        }
        match self {
            Closure::Named(path) => has(path.to_token_stream(), names),
            Closure::Written { body, .. } => has(body.to_token_stream(), names),
        }
    }

    /// Returns the declarations of the parameter, and the value at the end.
    pub(super) fn body(&self, generator: &Generator<'_>, item: Item) -> (TokenStream, Expr) {
        match self {
            Closure::Named(path) => {
                let item = item.into_tokens();
                (TokenStream::new(), syn::parse_quote!(#path(#item)))
            }
            Closure::Written { params, body, .. } => {
                let mut lets: TokenStream = params.iter().map(|pat| bind(pat, item.clone(), generator.span)).collect();
                let mut last = strip(body);
                while let Expr::Block(node) = last
                    && let Some((syn::Stmt::Expr(value, None), before)) = node.block.stmts.split_last()
                {
                    lets.extend(before.iter().map(ToTokens::to_token_stream));
                    last = strip(value);
                }
                (lets, last.clone())
            }
        }
    }
}

/// Returns whether the path is that of a function of a type of the user's program.
fn of_own_type(path: &syn::Path) -> bool {
    path.segments.iter().rev().nth(1).is_some_and(|of| of.ident.to_string().starts_with(char::is_uppercase))
}

/// Returns the error for a closure that leaves in another way than at its end.
fn way_out(body: &Expr) -> Option<Refused> {
    struct Finder(Option<Refused>);
    impl<'ast> Visit<'ast> for Finder {
        fn visit_expr_return(&mut self, node: &'ast syn::ExprReturn) {
            self.0 = Some(Refused::new(node, "a closure cannot `return` here; give its value at its end"));
        }
        fn visit_expr_try(&mut self, node: &'ast syn::ExprTry) {
            let message =
                "`?` in a closure leaves the closure alone, and would not end the transaction; write a `for` loop";
            self.0 = Some(Refused::new(node, message));
            visit::visit_expr_try(self, node);
        }
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
    }
    let mut finder = Finder(None);
    finder.visit_expr(body);
    finder.0
}
