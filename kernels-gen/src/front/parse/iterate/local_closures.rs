//! `let add = |x| x + sum;`: a closure with a name is written out where it is called, or passed to a method.
//!
//! A name in it has to mean the same there, so the variables that it uses, and its own name, are declared once in the function.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote_spanned};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprClosure, Pat, PatIdent, Stmt};

use super::bind::Item;
use super::closure::Closure;
use super::generate::Generator;
use crate::front::parse::text;
use crate::front::parse::tree::strip;

/// The most tokens of a closure: what closures call is written out in them, so they could grow without a bound.
const MOST_TOKENS: usize = 2000;

/// Writes out the calls of closures that have a name, and removes these names.
pub(in crate::front::parse) fn written_out(item: &mut syn::ItemFn, next: &mut u32) {
    let mut declared = Declared::default();
    declared.visit_item_fn(item);
    if declared.closures {
        LocalClosures { declared: declared.names, known: HashMap::new(), next }.visit_block_mut(&mut item.block);
    }
}

/// How often each name is declared, and whether there are closures with names.
#[derive(Default)]
struct Declared {
    names: HashMap<String, u32>,
    closures: bool,
}

impl<'ast> Visit<'ast> for Declared {
    fn visit_pat_ident(&mut self, node: &'ast PatIdent) {
        *self.names.entry(text::key(&node.ident)).or_default() += 1;
        visit::visit_pat_ident(self, node);
    }

    fn visit_local(&mut self, node: &'ast syn::Local) {
        self.closures |= named_closure(node).is_some();
        visit::visit_local(self, node);
    }
}

/// Returns the name and the closure of `let name = |..| ..`.
fn named_closure(local: &syn::Local) -> Option<(&PatIdent, &ExprClosure)> {
    let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init) else { return None };
    match strip(&init.expr) {
        Expr::Closure(closure) if init.diverge.is_none() && closure.capture.is_none() => Some((name, closure)),
        _ => None,
    }
}

struct LocalClosures<'a> {
    declared: HashMap<String, u32>,
    known: HashMap<String, Known>,
    next: &'a mut u32,
}

/// A closure that has a name.
struct Known {
    closure: Closure,
    count: usize,
    written: ExprClosure,
}

impl LocalClosures<'_> {
    /// Returns the name and the closure, if it means the same wherever it is called.
    fn closure(&self, local: &syn::Local) -> Option<(String, Known)> {
        let (name, closure) = named_closure(local)?;
        let mut used = Used(Vec::new());
        used.visit_expr(&closure.body);
        let mut own = Declared::default();
        closure.inputs.iter().for_each(|pat| own.visit_pat(pat));
        own.visit_expr(&closure.body);
        let once = |name: &String| self.declared.get(name).is_none_or(|times| *times <= 1);
        let same = |name: &String| own.names.contains_key(name) || once(name);
        let count = closure.inputs.len();
        let small = closure.to_token_stream().into_iter().count() <= MOST_TOKENS;
        let whole = Expr::Closure(closure.clone());
        let found = Closure::of(&whole, count).ok().filter(|_| small && used.0.iter().all(same));
        let key = text::key(&name.ident);
        let known = |found| Known { closure: found, count, written: closure.clone() };
        found.filter(|_| once(&key)).map(|found| (key, known(found)))
    }

    /// Writes out a closure that a method takes by its name, as in `.filter(large)`.
    fn passed(&self, arg: &mut Expr) {
        let name = match strip(arg) {
            Expr::Reference(node) => strip(&node.expr),
            other => other,
        };
        if let Expr::Path(path) = name
            && let Some(known) = path.path.get_ident().and_then(|name| self.known.get(&text::key(name)))
        {
            *arg = Expr::Closure(known.written.clone());
        }
    }

    fn call(&mut self, node: &syn::ExprCall) -> Option<Expr> {
        let Expr::Path(path) = strip(&node.func) else { return None };
        let Known { closure, count, .. } = self.known.get(&text::key(path.path.get_ident()?))?;
        if *count != node.args.len() {
            return None;
        }
        let mut generator = Generator::new(self.next, node.paren_token.span.open());
        let (mut lets, mut items, span) = (TokenStream::new(), Vec::new(), generator.span);
        for arg in &node.args {
            let name = generator.name();
            lets.extend(quote_spanned!(span=> let #name = #arg;));
            items.push(Item::name(&name));
        }
        let value = closure.call(&generator, items);
        syn::parse2(quote_spanned!(span=> { #lets #value })).ok()
    }
}

impl VisitMut for LocalClosures<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let mut kept = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            self.visit_stmt_mut(&mut stmt);
            match &stmt {
                Stmt::Local(local) => match self.closure(local) {
                    Some((name, known)) => _ = self.known.insert(name, known),
                    None => kept.push(stmt),
                },
                _ => kept.push(stmt),
            }
        }
        block.stmts = kept;
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        match expr {
            Expr::Call(node) => {
                if let Some(new) = self.call(node) {
                    *expr = new;
                }
            }
            Expr::MethodCall(node) => node.args.iter_mut().for_each(|arg| self.passed(arg)),
            _ => {}
        }
    }
}

/// The names that an expression uses.
struct Used(Vec<String>);

impl<'ast> Visit<'ast> for Used {
    fn visit_expr_path(&mut self, node: &'ast syn::ExprPath) {
        self.0.extend(node.path.get_ident().map(text::key));
    }

    /// The tokens of a macro are no expressions yet.
    fn visit_macro(&mut self, node: &'ast syn::Macro) {
        fn names(tokens: TokenStream, found: &mut Vec<String>) {
            for token in tokens {
                match token {
                    proc_macro2::TokenTree::Ident(ident) => found.push(text::key(&ident)),
                    proc_macro2::TokenTree::Group(group) => names(group.stream(), found),
                    _ => {}
                }
            }
        }
        names(node.tokens.clone(), &mut self.0);
    }
}
