//! Functions inside of a function: each becomes a `#[gpu_fn]` beside it, whose name begins with that of the function.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::ext::IdentExt;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Ident, Item, ItemFn, Stmt};

/// Returns the function without the functions at the top of its body, and these. They see its constants and imports.
pub(crate) fn take_out(function: &ItemFn) -> (ItemFn, Vec<ItemFn>) {
    let (mut function, mut inner, mut seen) = (function.clone(), Vec::new(), Vec::new());
    for stmt in std::mem::take(&mut function.block.stmts) {
        match stmt {
            Stmt::Item(Item::Fn(item)) => inner.push(item),
            other => {
                if let Stmt::Item(Item::Const(_) | Item::Use(_)) = &other {
                    seen.push((function.block.stmts.len(), other.clone()));
                }
                function.block.stmts.push(other);
            }
        }
    }
    let renamed: Vec<(Ident, Ident)> =
        inner.iter().map(|item| (item.sig.ident.clone(), beside(&function, item))).collect();
    if renamed.is_empty() {
        return (function, inner);
    }
    Rename(&renamed).visit_block_mut(&mut function.block);
    let cfgs = function.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let cfgs: Vec<_> = cfgs.cloned().chain([syn::parse_quote!(#[allow(unused, non_snake_case)])]).collect();
    for (at, _) in &seen {
        if let Stmt::Item(Item::Const(item)) = &mut function.block.stmts[*at]
            && inner.iter().any(|inner| names(inner.to_token_stream(), &item.ident))
        {
            // The function beside this one uses its own copy.
            item.attrs.push(syn::parse_quote!(#[allow(dead_code)]));
        }
    }
    for item in &mut inner {
        Rename(&renamed).visit_block_mut(&mut item.block);
        item.sig.ident = beside(&function, item);
        item.attrs.extend(cfgs.iter().cloned());
        item.block.stmts.splice(0..0, seen.iter().map(|(_, seen)| seen.clone()));
    }
    (function, inner)
}

/// Returns whether the tokens name it.
fn names(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => names(group.stream(), name),
        _ => false,
    })
}

fn beside(function: &ItemFn, item: &ItemFn) -> Ident {
    let name = &item.sig.ident;
    format_ident!("{}__{}", function.sig.ident.unraw(), name.unraw(), span = name.span())
}

/// Renames the functions where they are called, or stand for closures.
struct Rename<'a>(&'a [(Ident, Ident)]);

impl Rename<'_> {
    fn new_name(&self, old: &Ident) -> Option<Ident> {
        let (_, new) = self.0.iter().find(|(name, _)| name == old)?;
        Some(Ident::new(&new.to_string(), old.span()))
    }

    fn path(&self, expr: &mut Expr) {
        if let Expr::Path(path) = expr
            && path.qself.is_none()
            && path.path.leading_colon.is_none()
            && path.path.segments.len() == 1
            && let Some(only) = path.path.segments.first_mut()
            && let Some(new) = self.new_name(&only.ident)
        {
            only.ident = new;
        }
    }

    /// Renames calls in the tokens of a macro.
    fn tokens(&self, tokens: TokenStream) -> TokenStream {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut renamed = TokenStream::new();
        for (k, token) in tokens.iter().enumerate() {
            let called = matches!(tokens.get(k + 1), Some(TokenTree::Group(group)) if group.delimiter() == proc_macro2::Delimiter::Parenthesis);
            let of_value =
                k > 0 && matches!(&tokens[k - 1], TokenTree::Punct(sign) if matches!(sign.as_char(), '.' | ':'));
            match token {
                TokenTree::Ident(ident) if called && !of_value => {
                    self.new_name(ident).unwrap_or_else(|| ident.clone()).to_tokens(&mut renamed);
                }
                TokenTree::Group(group) => {
                    let mut inner = proc_macro2::Group::new(group.delimiter(), self.tokens(group.stream()));
                    inner.set_span(group.span());
                    inner.to_tokens(&mut renamed);
                }
                other => other.to_tokens(&mut renamed),
            }
        }
        renamed
    }
}

impl VisitMut for Rename<'_> {
    fn visit_expr_call_mut(&mut self, node: &mut syn::ExprCall) {
        self.path(&mut node.func);
        visit_mut::visit_expr_call_mut(self, node);
    }

    fn visit_expr_method_call_mut(&mut self, node: &mut syn::ExprMethodCall) {
        const WITH_CLOSURES: [&str; 8] =
            ["map", "filter", "fold", "and_then", "map_or", "filter_map", "for_each", "reduce"];
        if WITH_CLOSURES.iter().any(|name| node.method == name) {
            node.args.iter_mut().for_each(|argument| self.path(argument));
        }
        visit_mut::visit_expr_method_call_mut(self, node);
    }

    fn visit_macro_mut(&mut self, node: &mut syn::Macro) {
        node.tokens = self.tokens(std::mem::take(&mut node.tokens));
    }
}
