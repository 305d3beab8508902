//! `let rows = if hot { &a } else { &b };`: a name for one of several shared arrays.
//!
//! An array has a number of its own in a transaction, so the choice becomes a number, and each use of the name one call for each array:
//! `if choice == 0 { tx.read(a, i)? } else { tx.read(b, i)? }`. Only the call of the chosen array runs, with its arguments. The name,
//! and those of the arrays, are declared once in the function. `let rows = &a.field;` is a choice of one, and `[a, b]` a list of choices.

use std::collections::HashMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprGroup, FnArg, ItemFn, Local, Pat, PatIdent};

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
    let mut choices = Choices { names, known: HashMap::new(), lists: HashMap::new(), next: 0 };
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
            // An element of a field, which is an array of its own.
            Expr::Index(node) => {
                let number = matches!(strip(&node.index), Expr::Lit(_));
                number && matches!(strip(&node.expr), Expr::Field(_) | Expr::Index(_)) && self.is_array(&node.expr)
            }
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
    /// The same of `let tables = [a, b];`: the variable is an array of numbers.
    lists: HashMap<String, (Ident, Vec<Expr>)>,
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
            other if arrays.len() < MOST => {
                let Some(array) = self.array(other) else { return false };
                let number = syn::LitInt::new(&format!("{}_u8", arrays.len()), other.span());
                arrays.push(array);
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

    /// Returns a variable for the number, the condition that gives it, and the arrays that it chooses from.
    fn choice(&mut self, expr: &Expr) -> Option<(Ident, Expr, Vec<Expr>)> {
        let (mut numbered, mut arrays) = (strip(expr).clone(), Vec::new());
        if let Expr::Index(node) = &numbered {
            let (numbers, arrays) = self.list(&node.expr)?;
            let index = &node.index;
            return Some((self.variable(expr), syn::parse_quote!(#numbers[#index]), arrays));
        }
        if !matches!(numbered, Expr::If(_) | Expr::Match(_)) || !self.number(&mut numbered, &mut arrays) {
            return None;
        }
        Some((self.variable(expr), numbered, arrays))
    }

    fn variable(&mut self, expr: &Expr) -> Ident {
        self.next += 1;
        Ident::new(&format!("{GENERATED}choice_{}", self.next), Span::mixed_site().located_at(expr.span()))
    }

    /// Returns the array that an expression is, also under another name.
    fn array(&self, expr: &Expr) -> Option<Expr> {
        // Rust does not copy `rows.field`.
        if self.names.is_array(expr) && matches!(strip(expr), Expr::Path(_) | Expr::Reference(_)) {
            return Some(expr.clone());
        }
        if let Expr::Index(node) = strip(expr)
            && let (Some(list), Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(k), .. })) =
                (self.lists.get(&name_of(strip(&node.expr))?), strip(&node.index))
        {
            return list.1.get(k.base10_parse::<usize>().ok()?).cloned();
        }
        match self.known.get(&name_of(strip(expr))?)?.1.as_slice() {
            [one] => Some(one.clone()),
            _ => None,
        }
    }

    /// Returns a list of arrays as a list of numbers, and the arrays.
    fn list(&self, expr: &Expr) -> Option<(Expr, Vec<Expr>)> {
        match strip(expr) {
            Expr::Reference(node) => self.list(&node.expr),
            Expr::MethodCall(node) if node.method == "iter" || node.method == "into_iter" => self.list(&node.receiver),
            Expr::Array(node) if (1..=MOST).contains(&node.elems.len()) => {
                let arrays = node.elems.iter().map(|array| self.array(array)).collect::<Option<Vec<_>>>()?;
                let numbers = (0..arrays.len()).map(|k| proc_macro2::Literal::u8_suffixed(k as u8));
                Some((syn::parse_quote!([#(#numbers),*]), arrays))
            }
            other => {
                let (numbers, arrays) = self.lists.get(&name_of(other)?)?;
                Some((syn::parse_quote!(#numbers), arrays.clone()))
            }
        }
    }

    /// Puts the arrays of a list into the place of an argument that is one: a function has a parameter for each.
    fn spread(&self, args: &mut syn::punctuated::Punctuated<Expr, syn::Token![,]>) {
        let arrays = |arg: &Expr| match strip(arg) {
            Expr::MethodCall(_) => None,
            _ => self.list(arg).map(|(_, arrays)| arrays),
        };
        if args.iter().any(|arg| arrays(arg).is_some()) {
            let spread = std::mem::take(args).into_iter().flat_map(|arg| arrays(&arg).unwrap_or_else(|| vec![arg]));
            *args = spread.collect();
        }
    }

    /// Writes a call out for each array of the first choice among its arguments.
    fn call(&mut self, expr: &Expr) -> Option<Expr> {
        let (mut call, mut lets, span) = (expr.clone(), TokenStream::new(), expr.span());
        let (mut first, mut found) = (true, None);
        for arg in arguments(&mut call) {
            // A choice in an argument is made before the call, so nothing before it may have an effect.
            if let Some((number, numbered, arrays)) = self.choice(arg).filter(|_| first) {
                lets.extend(quote_spanned!(span=> let #number: u8 = #numbered;));
                *arg = syn::parse_quote!(#number);
                self.known.insert(text::key(&number), (number, arrays));
            }
            first &= matches!(strip(arg), Expr::Path(_) | Expr::Lit(_));
            found = found.or_else(|| name_of(root(arg)?).filter(|name| self.known.contains_key(name)));
        }
        let name = found?;
        let (chosen, arrays) = self.known.get(&name)?;
        let mut value = None;
        for (number, array) in arrays.iter().enumerate().rev() {
            let (one, number) = (with(&call, &name, array), syn::LitInt::new(&format!("{number}_u8"), span));
            value = Some(match value {
                None => quote_spanned!(span=> #one),
                Some(others) => quote_spanned!(span=> if #chosen == #number { #one } else { #others }),
            });
        }
        syn::parse2(quote_spanned!(span=> { #lets #value })).ok()
    }
}

/// Returns the call with the array in place of the name.
fn with(call: &Expr, name: &str, array: &Expr) -> Expr {
    let mut call = call.clone();
    for arg in arguments(&mut call) {
        let whole = matches!(arg, Expr::Path(_));
        if let Some(named) = root(arg).filter(|root| name_of(root).as_deref() == Some(name)) {
            let array = match strip(array) {
                Expr::Reference(node) if !whole => &node.expr,
                _ => array,
            };
            // A group, which rustc does not take for unnecessary parentheses.
            *named = Expr::Group(ExprGroup {
                attrs: Vec::new(),
                group_token: syn::token::Group::default(),
                expr: Box::new(array.clone()),
            });
        }
    }
    call
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

/// Returns the name in `rows`, `&rows` and `&rows.field`.
fn root(expr: &mut Expr) -> Option<&mut Expr> {
    match expr {
        Expr::Reference(node) => root(&mut node.expr),
        Expr::Field(node) => root(&mut node.base),
        Expr::Paren(node) => root(&mut node.expr),
        Expr::Path(_) => Some(expr),
        _ => None,
    }
}

fn name_of(expr: &Expr) -> Option<String> {
    let Expr::Path(path) = expr else { return None };
    path.path.get_ident().map(text::key)
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
        let span = name.ident.span();
        let list = self.list(&init.expr).filter(|_| matches!(strip(&init.expr), Expr::Array(_)));
        if let Some((numbers, arrays)) = list {
            let (list, count) = (self.variable(&init.expr), arrays.len());
            if let Ok(syn::Stmt::Local(new)) =
                syn::parse2(quote_spanned!(span=> #[allow(unused_variables)] let #list: [u8; #count] = #numbers;))
            {
                *local = new;
            }
            self.lists.insert(key, (list, arrays));
            return;
        }
        let one = self.array(&init.expr).map(|one| vec![one]);
        let one = one.map(|one| (self.variable(&init.expr), syn::parse_quote!(0_u8), one));
        if let Some((number, numbered, arrays)) = one.or_else(|| self.choice(&init.expr)) {
            self.known.insert(key, (number.clone(), arrays));
            if let Ok(syn::Stmt::Local(new)) = syn::parse2(quote_spanned!(span=> let #number: u8 = #numbered;)) {
                *local = new;
            }
        }
    }

    fn visit_expr_for_loop_mut(&mut self, node: &mut syn::ExprForLoop) {
        let pat = match &*node.pat {
            Pat::Reference(reference) => &*reference.pat,
            other => other,
        };
        if let Pat::Ident(name) = pat
            && let Some((numbers, arrays)) = self.list(&node.expr)
        {
            let (number, key) = (self.variable(&node.expr), text::key(&name.ident));
            if self.names.once(&key) {
                self.known.insert(key, (number.clone(), arrays));
                (*node.pat, *node.expr) = (syn::parse_quote!(#number), numbers);
            }
        }
        visit_mut::visit_expr_for_loop_mut(self, node);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Call(syn::ExprCall { args, .. }) | Expr::MethodCall(syn::ExprMethodCall { args, .. }) = expr {
            self.spread(args);
        }
        let may_choose = arguments(expr).into_iter().any(|arg| {
            let named = root(arg).and_then(|root| name_of(root)).is_some_and(|name| self.known.contains_key(&name));
            named || matches!(strip(arg), Expr::If(_) | Expr::Match(_) | Expr::Index(_))
        });
        if may_choose && let Some(new) = self.call(expr) {
            *expr = new;
        }
        visit_mut::visit_expr_mut(self, expr);
    }
}
