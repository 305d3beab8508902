//! `let rows = if hot { &a } else { &b };`: a name for one of several shared arrays.
//!
//! An array has a number of its own in a transaction, so the choice becomes a number, and each use of the name one call for each array:
//! `if choice == 0 { tx.read(a, i)? } else { tx.read(b, i)? }`. Only the call of the chosen array runs, with its arguments. The name,
//! and those of the arrays, are declared once in the function.

use std::collections::HashMap;

use proc_macro2::{Ident, Span};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, FnArg, ItemFn, Local, Pat, PatIdent};

use super::iterate::is_shared;
use super::text;
use super::tree::{GENERATED, strip};

/// The most arrays in one choice. A call is written out once for each.
const MOST: usize = 8;

/// Writes out the choices of a function, and the calls that use them.
pub(super) fn written_out(item: &mut ItemFn) {
    let mut names = Names::default();
    names.visit_item_fn(item);
    if names.arrays.is_empty() {
        return;
    }
    let mut choices = Choices { names, known: HashMap::new(), next: 0 };
    choices.visit_block_mut(&mut item.block);
}

/// How often each name is declared, and the parameters that are shared arrays.
#[derive(Default)]
struct Names {
    declared: HashMap<String, u32>,
    arrays: Vec<String>,
}

impl<'ast> Visit<'ast> for Names {
    fn visit_fn_arg(&mut self, node: &'ast FnArg) {
        if let FnArg::Typed(typed) = node
            && let (Pat::Ident(name), true) = (&*typed.pat, is_shared(&typed.ty))
        {
            self.arrays.push(text::key(&name.ident));
        }
        visit::visit_fn_arg(self, node);
    }

    fn visit_pat_ident(&mut self, node: &'ast PatIdent) {
        *self.declared.entry(text::key(&node.ident)).or_default() += 1;
        visit::visit_pat_ident(self, node);
    }
}

impl Names {
    fn once(&self, name: &str) -> bool {
        self.declared.get(name).is_some_and(|times| *times == 1)
    }

    /// Returns whether the expression is a shared array, or a field of one: `a`, `&a`, `&a.field`.
    fn is_array(&self, expr: &Expr) -> bool {
        match strip(expr) {
            Expr::Reference(node) => node.mutability.is_none() && self.is_array(&node.expr),
            Expr::Field(node) => self.is_array(&node.base),
            Expr::Path(path) => {
                path.path.get_ident().map(text::key).is_some_and(|name| self.arrays.contains(&name) && self.once(&name))
            }
            _ => false,
        }
    }
}

struct Choices {
    names: Names,
    /// The variable with the number of the chosen array, and the arrays.
    known: HashMap<String, (Ident, Vec<Expr>)>,
    next: u32,
}

impl Choices {
    /// Replaces the arrays that a condition chooses from by their numbers; `false` if it chooses anything else.
    fn number(&self, expr: &mut Expr, arrays: &mut Vec<Expr>) -> bool {
        match expr {
            Expr::If(node) => {
                let Some((_, other)) = &mut node.else_branch else { return false };
                self.number_last(&mut node.then_branch, arrays) && self.number(other, arrays)
            }
            Expr::Match(node) => node.arms.iter_mut().all(|arm| self.number(&mut arm.body, arrays)),
            Expr::Block(node) if node.label.is_none() => self.number_last(&mut node.block, arrays),
            other if self.names.is_array(other) && arrays.len() < MOST => {
                let number = syn::LitInt::new(&format!("{}_u8", arrays.len()), other.span());
                arrays.push(other.clone());
                *other = syn::parse_quote!(#number);
                true
            }
            _ => false,
        }
    }

    fn number_last(&self, block: &mut syn::Block, arrays: &mut Vec<Expr>) -> bool {
        match block.stmts.last_mut() {
            Some(syn::Stmt::Expr(last, None)) => self.number(last, arrays),
            _ => false,
        }
    }

    fn name(&mut self, span: Span) -> Ident {
        self.next += 1;
        Ident::new(&format!("{GENERATED}choice_{}", self.next), Span::mixed_site().located_at(span))
    }

    /// Returns the number and the arrays of a condition that chooses from arrays.
    fn choice(&mut self, expr: &Expr) -> Option<(Ident, Expr, Vec<Expr>)> {
        let (numbered, arrays) = self.numbered(expr)?;
        Some((self.name(expr.span()), numbered, arrays))
    }

    fn numbered(&self, expr: &Expr) -> Option<(Expr, Vec<Expr>)> {
        let (mut numbered, mut arrays) = (strip(expr).clone(), Vec::new());
        let chooses = matches!(numbered, Expr::If(_) | Expr::Match(_)) && self.number(&mut numbered, &mut arrays);
        chooses.then_some((numbered, arrays))
    }

    /// Returns the choice that an argument names: `rows`, `&rows.field`.
    fn named<'a>(&self, arg: &'a mut Expr) -> Option<(&'a mut Expr, String)> {
        match arg {
            Expr::Reference(node) => self.named(&mut node.expr),
            Expr::Field(node) => self.named(&mut node.base),
            Expr::Paren(node) => self.named(&mut node.expr),
            Expr::Path(path) => {
                let name = text::key(path.path.get_ident()?);
                self.known.contains_key(&name).then_some((arg, name))
            }
            _ => None,
        }
    }

    /// Makes a choice in an argument a variable before the call; `tx.read(if hot { a } else { b }, i)`.
    fn call(&mut self, expr: &Expr) -> Option<Expr> {
        let mut lets = proc_macro2::TokenStream::new();
        let mut probe = expr.clone();
        // A choice in an argument is made before the call, so nothing before it may have an effect.
        let mut first = true;
        let (chosen, arrays) = arguments(&mut probe).into_iter().find_map(|arg| {
            if let Some((_, name)) = self.named(arg) {
                return self.known.get(&name).cloned();
            }
            let is_first = first;
            first &= matches!(strip(arg), Expr::Path(_) | Expr::Lit(_));
            let (name, numbered, arrays) = self.choice(arg).filter(|_| is_first)?;
            lets.extend(quote_spanned!(arg.span()=> let #name: u8 = #numbered;));
            Some((name, arrays))
        })?;
        let mut calls = arrays.iter().map(|array| self.with(expr, array)).collect::<Option<Vec<_>>>()?;
        let (mut value, span) = (calls.pop()?, expr.span());
        for (number, call) in calls.into_iter().enumerate().rev() {
            let number = syn::LitInt::new(&format!("{number}_u8"), span);
            value = syn::parse2(quote_spanned!(span=> if #chosen == #number { #call } else { #value })).ok()?;
        }
        syn::parse2(quote_spanned!(span=> { #lets #value })).ok()
    }

    /// Returns whether the argument is a choice, or the name of one.
    fn is_choice(&self, arg: &Expr) -> bool {
        let named = matches!(arg, Expr::Path(path) if path.path.get_ident().is_some_and(|name| self.known.contains_key(&text::key(name))));
        named || self.numbered(arg).is_some()
    }

    /// Returns the call with the array in place of the first choice.
    fn with(&self, call: &Expr, array: &Expr) -> Option<Expr> {
        let mut call = call.clone();
        for arg in arguments(&mut call) {
            let whole = matches!(arg, Expr::Path(_)) || self.numbered(arg).is_some();
            let place = if whole {
                Some(&mut *arg).filter(|arg| self.is_choice(arg))
            } else {
                self.named(arg).map(|(named, _)| named)
            };
            if let Some(place) = place {
                let array = if whole { array } else { without_reference(array) };
                *place = Expr::Group(syn::ExprGroup {
                    attrs: Vec::new(),
                    group_token: syn::token::Group::default(),
                    expr: Box::new(array.clone()),
                });
                return Some(call);
            }
        }
        None
    }
}

/// Returns the arguments of a call, with the receiver of a method, also before a `?`.
fn arguments(expr: &mut Expr) -> Vec<&mut Expr> {
    match expr {
        Expr::Try(node) => arguments(&mut node.expr),
        Expr::Call(node) => node.args.iter_mut().collect(),
        Expr::MethodCall(node) => std::iter::once(&mut *node.receiver).chain(&mut node.args).collect(),
        _ => Vec::new(),
    }
}

fn without_reference(array: &Expr) -> &Expr {
    match strip(array) {
        Expr::Reference(node) => without_reference(&node.expr),
        other => other,
    }
}

impl VisitMut for Choices {
    fn visit_local_mut(&mut self, local: &mut Local) {
        visit_mut::visit_local_mut(self, local);
        let pat = match &local.pat {
            Pat::Type(typed) => &*typed.pat,
            other => other,
        };
        let (Pat::Ident(name), Some(init)) = (pat, &local.init) else { return };
        let key = text::key(&name.ident);
        if name.mutability.is_some() || init.diverge.is_some() || !self.names.once(&key) {
            return;
        }
        if let Some((number, numbered, arrays)) = self.choice(&init.expr) {
            self.known.insert(key, (number.clone(), arrays));
            let span = name.ident.span();
            if let Ok(syn::Stmt::Local(new)) = syn::parse2(quote_spanned!(span=> let #number: u8 = #numbered;)) {
                *local = new;
            }
        }
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Some(new) = self.call(expr) {
            *expr = new;
        }
        visit_mut::visit_expr_mut(self, expr);
    }
}
