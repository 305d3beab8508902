//! Closures, which are written out where they are called.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Lifetime, Pat, ReturnType, Type};

use super::super::tree::{GENERATED, LOST, strip};
use super::bind::{Item, bind, without_references};
use super::generate::Generator;
use super::{Refused, by_name, generated};

/// A closure, or the name of a function.
#[derive(Clone)]
pub(super) enum Closure {
    /// `leaves`: the label of the block that its `return` and `?` leave.
    Written {
        params: Vec<Pat>,
        body: Box<Expr>,
        result: Option<Type>,
        leaves: Option<Lifetime>,
    },
    Named(Expr),
}

impl Closure {
    /// Returns the closure that an argument is.
    pub(super) fn of(expr: &Expr, count: usize) -> Result<Closure, Refused> {
        Closure::with(expr, &vec![false; count])
    }

    /// Returns the closure that an argument is. `lent`: which of the values that it gets are references in Rust.
    pub(super) fn with(expr: &Expr, lent: &[bool]) -> Result<Closure, Refused> {
        let count = lent.len();
        let node = match strip(expr) {
            Expr::Closure(node) => node,
            Expr::Path(path) => {
                let Some((names, body)) = by_name::written_out(path, lent) else {
                    return Ok(Closure::Named(expr.clone()));
                };
                let params = names.iter().map(|name| syn::parse_quote!(#name)).collect();
                return Ok(Closure::Written { params, body: Box::new(body), result: None, leaves: None });
            }
            other => {
                return Err(Refused::new(other, "a closure is written in place here, as in `|x| x + 1`"));
            }
        };
        if node.inputs.len() != count {
            let message = format!("the closure takes {count} value{} here", if count == 1 { "" } else { "s" });
            return Err(Refused::new(&node.inputs, message));
        }
        let result = match &node.output {
            ReturnType::Type(_, ty) => Some(without_references(ty)),
            ReturnType::Default => None,
        };
        let mut body = node.body.clone();
        let leaves = ways_out(&mut body, result.as_ref())?;
        Ok(Closure::Written { params: node.inputs.iter().cloned().collect(), body, result, leaves })
    }

    /// Returns the value of a call, as a block with the parameters in it.
    pub(super) fn call(&self, generator: &Generator<'_>, items: Vec<Item>) -> TokenStream {
        let span = generator.span;
        match self {
            Closure::Named(path) => {
                let args = items.into_iter().map(Item::into_tokens);
                quote_spanned!(span=> #path(#(#args),*))
            }
            Closure::Written { params, body, result, leaves } => {
                let lets: TokenStream = params.iter().zip(items).map(|(pat, item)| bind(pat, item, span)).collect();
                let body = match leaves {
                    Some(label) => quote_spanned!(span=> #label: { #body }),
                    None => body.to_token_stream(),
                };
                let body = match result {
                    Some(ty) => quote_spanned!(span=> { let stm_it_result: #ty = #body; stm_it_result }),
                    None => body,
                };
                quote_spanned!(span=> { #lets #body })
            }
        }
    }
}

impl Closure {
    /// Returns the closure that takes a pair with a number, and does this with the second part.
    pub(super) fn of_second(&self, generator: &Generator<'_>) -> Closure {
        let span = generator.span;
        let item = Item::Value(quote_spanned!(span=> stm_it_one));
        let value = self.call(generator, vec![item]);
        let body = syn::parse_quote_spanned!(span=> (stm_it_number, #value));
        let params = vec![syn::parse_quote_spanned!(span=> (stm_it_number, stm_it_one))];
        Closure::Written { params, body: Box::new(body), result: None, leaves: None }
    }

    /// Returns whether its value is a `Result`, and not an `Option`, as far as its text says.
    pub(super) fn gives_result(&self) -> Option<bool> {
        match self {
            Closure::Named(_) => None,
            Closure::Written { body, .. } => gives_result(body),
        }
    }

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
            Closure::Written { params, body, leaves, .. } => {
                let mut lets: TokenStream = params.iter().map(|pat| bind(pat, item.clone(), generator.span)).collect();
                if let Some(label) = leaves {
                    return (lets, syn::parse_quote!(#label: { #body }));
                }
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

/// Makes `return` and `?` ways out of a block, and returns its label if there are any.
fn ways_out(body: &mut Expr, result: Option<&Type>) -> Result<Option<Lifetime>, Refused> {
    let at = body.span().start();
    let label = Lifetime::new(&format!("'{GENERATED}out_{}_{}", at.line, at.column), generated(body.span()));
    let of_result = match result {
        Some(Type::Path(path)) => path.path.segments.last().is_some_and(|last| last.ident == "Result"),
        Some(_) => false,
        None => gives_result(body).unwrap_or(false),
    };
    let mut ways = Ways { label, of_result, used: false, refused: None };
    ways.visit_expr_mut(body);
    match ways.refused {
        Some(refused) => Err(refused),
        None => Ok(ways.used.then_some(ways.label)),
    }
}

struct Ways {
    label: Lifetime,
    /// Whether the closure gives a `Result`, and not an `Option`.
    of_result: bool,
    used: bool,
    refused: Option<Refused>,
}

impl VisitMut for Ways {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Closure(_) = expr {
            return;
        }
        visit_mut::visit_expr_mut(self, expr);
        let (label, span) = (&self.label, generated(expr.span()));
        let new = match expr {
            Expr::Return(node) => {
                let value = node.expr.as_ref().map_or_else(|| quote_spanned!(span=> ()), ToTokens::to_token_stream);
                quote_spanned!(span=> break #label #value)
            }
            Expr::Try(node) => {
                let (value, it) = (&node.expr, quote_spanned!(span=> stm_it_value));
                match self.of_result {
                    true => quote_spanned!(span=> match #value { Ok(#it) => #it, Err(#it) => break #label Err(#it) }),
                    false => quote_spanned!(span=> match #value { Some(#it) => #it, None => break #label None }),
                }
            }
            Expr::MethodCall(node) if node.method == LOST => {
                let message = "`?` in a closure leaves the closure alone, so its value is a `TxResult`; pass that on, as in \
                               `.map(|k| tx.read(cells, k)).sum::<TxResult<u32>>()?` or `.try_fold(0, |n, k| ..)?`, or write a `for` loop";
                self.refused.get_or_insert(Refused::new(strip(&node.receiver), message));
                return;
            }
            _ => return,
        };
        self.used = true;
        if let Ok(new) = syn::parse2(new) {
            *expr = new;
        }
    }
}

/// Returns whether the value is a `Result`, and not an `Option`, as far as its text says.
pub(super) fn gives_result(expr: &Expr) -> Option<bool> {
    let last = |block: &syn::Block| match block.stmts.last() {
        Some(syn::Stmt::Expr(last, _)) => gives_result(last),
        _ => None,
    };
    match strip(expr) {
        Expr::Call(call) => match call.func.to_token_stream().to_string().as_str() {
            "Ok" | "Err" => Some(true),
            "Some" => Some(false),
            _ => None,
        },
        Expr::Path(path) if path.path.is_ident("None") => Some(false),
        Expr::MethodCall(call) => match call.method.to_string().as_str() {
            "ok_or" | "ok_or_else" | "map_err" => Some(true),
            "ok" => Some(false),
            "map" | "and_then" | "or_else" => gives_result(&call.receiver),
            name if name.starts_with("checked_") => Some(false),
            _ => None,
        },
        Expr::Return(node) => gives_result(node.expr.as_ref()?),
        Expr::Block(node) => last(&node.block),
        Expr::If(node) => last(&node.then_branch).or_else(|| gives_result(&node.else_branch.as_ref()?.1)),
        Expr::Match(node) => node.arms.iter().find_map(|arm| gives_result(&arm.body)),
        _ => None,
    }
}
