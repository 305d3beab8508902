//! `let rows = if hot { &a } else { &b };`: a name for one of several shared arrays.
//!
//! An array has a number of its own in a transaction, so the choice becomes a number, and each use of the name one call for each array:
//! `if choice == 0 { tx.read(a, i)? } else { tx.read(b, i)? }`. Only the call of the chosen array runs, with its arguments. The
//! names of arrays are declared once in the function. `let rows = &a.field;` is a choice of one, and `[a, b]` a list of choices.
//!
//! Where a name has other uses, as in `best = rows`, nothing is written out, and the names are values (`named_arrays.rs`). Calls that are
//! written out have the better facts: what each of them does with its array stands in a straight line.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, FnArg, ItemFn, Local, Pat, PatIdent};

use super::iterate::is_shared;
use super::leaves::leaves;
use super::text;
use super::tree::{GENERATED, names, strip};

mod calls;
mod elements;
mod lets;

use calls::{arguments, fields_of, is_constant_choice, root, with};
use elements::Shape;

/// The most arrays in one choice. A call is written out once for each.
const MOST: usize = 8;

/// Writes out the choices of a function, and the calls that use them, if these are all uses.
pub(super) fn written_out(item: &mut ItemFn) {
    let mut names = Names::default();
    names.visit_item_fn(item);
    if names.arrays.is_empty() {
        return;
    }
    let mut choices = Choices { names, ..Choices::default() };
    let mut block = item.block.clone();
    choices.visit_block_mut(&mut block);
    // Else the names stay those of values, which say which array is meant.
    if choices.all_written_out(&block) {
        item.block = block;
    }
}

/// How often each name is declared, and the parameters that are shared arrays.
#[derive(Default)]
struct Names {
    declared: HashMap<String, u32>,
    /// How often by a `let` of one name.
    lets: HashMap<String, u32>,
    arrays: Vec<String>,
    /// Those whose elements are arrays.
    of_arrays: Vec<String>,
}

impl<'ast> Visit<'ast> for Names {
    fn visit_fn_arg(&mut self, node: &'ast FnArg) {
        if let FnArg::Typed(typed) = node
            && let (Pat::Ident(name), true) = (&*typed.pat, is_shared(&typed.ty))
        {
            self.arrays.push(text::key(&name.ident));
            if super::iterate::has_array_elements(&typed.ty) {
                self.of_arrays.push(text::key(&name.ident));
            }
        }
        visit::visit_fn_arg(self, node);
    }

    fn visit_local(&mut self, node: &'ast Local) {
        for name in names(&node.pat) {
            *self.lets.entry(name).or_default() += 1;
        }
        visit::visit_local(self, node);
    }

    fn visit_pat_ident(&mut self, node: &'ast PatIdent) {
        *self.declared.entry(text::key(&node.ident)).or_default() += 1;
        visit::visit_pat_ident(self, node);
    }
}

impl Names {
    /// Returns whether every name of this kind is declared by a `let`, whose block ends it.
    fn is_local(&self, name: &str) -> bool {
        self.declared.get(name) == self.lets.get(name)
    }

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
                let within = match strip(&node.expr) {
                    Expr::Field(_) | Expr::Index(_) => true,
                    other => name_of(other).is_some_and(|name| self.of_arrays.contains(&name)),
                };
                number && within && self.is_array(&node.expr)
            }
            Expr::Path(path) => {
                path.path.get_ident().map(text::key).is_some_and(|name| self.arrays.contains(&name) && self.once(&name))
            }
            _ => false,
        }
    }
}

/// What a condition chooses: arrays and values.
type End = Vec<Option<Expr>>;
/// The arrays that a name can be; `None` for the name of a value.
type Arrays = Option<Vec<Expr>>;

#[derive(Default)]
struct Choices {
    names: Names,
    /// The number of the chosen array, and the arrays.
    known: HashMap<String, (Expr, Vec<Expr>)>,
    /// The lists, as in `let tables = [a, b];`.
    lists: HashMap<String, List>,
    next: u32,
    /// The names of choices and lists, which are in no code that is written out.
    hidden: HashSet<String>,
}

/// A list of arrays that has a name.
#[derive(Clone)]
struct List {
    /// The variable with the numbers.
    numbers: Ident,
    /// What an element is, and how many there are.
    shape: Shape,
    count: usize,
}

impl Choices {
    /// Replaces what a condition chooses from, arrays or tuples of them, by numbers; `false` if it chooses anything else.
    fn number(&self, expr: &mut Expr, ends: &mut Vec<End>) -> bool {
        match expr {
            // It leaves, and chooses nothing.
            other if leaves(other) => true,
            Expr::If(node) => {
                let Some((_, other)) = &mut node.else_branch else { return false };
                self.number_last(&mut node.then_branch, ends) && self.number(other, ends)
            }
            Expr::Match(node) => node.arms.iter_mut().all(|arm| self.number(&mut arm.body, ends)),
            Expr::Block(node) if node.label.is_none() => self.number_last(&mut node.block, ends),
            other if ends.len() < MOST => {
                if self.number_again(other, ends) {
                    return true;
                }
                let parts: Vec<&Expr> = match strip(other) {
                    Expr::Tuple(node) => node.elems.iter().collect(),
                    one => vec![one],
                };
                let arrays: End = parts.iter().map(|part| self.array(part)).collect();
                let number = syn::LitInt::new(&format!("{}_u8", ends.len()), other.span());
                let values = parts.iter().zip(&arrays).filter(|(_, array)| array.is_none()).map(|(value, _)| value);
                let values: Vec<_> = values.collect();
                *other = match values.as_slice() {
                    [] => syn::parse_quote!(#number),
                    _ => syn::parse_quote!((#number, #(#values),*)),
                };
                ends.push(arrays);
                true
            }
            _ => false,
        }
    }

    /// Replaces the name of an earlier choice by the number of its array among these; `false` for anything else.
    fn number_again(&self, expr: &mut Expr, ends: &mut Vec<End>) -> bool {
        let Some((number, arrays)) = name_of(strip(expr)).and_then(|name| self.known.get(&name)) else { return false };
        if arrays.len() == 1 || ends.len() + arrays.len() > MOST {
            return false;
        }
        let of_end = |end: usize| syn::LitInt::new(&format!("{end}_u8"), expr.span());
        let last = of_end(ends.len() + arrays.len() - 1);
        let mut numbered: Expr = syn::parse_quote!(#last);
        for at in (0..arrays.len() - 1).rev() {
            let (at, end) = (of_end(at), of_end(ends.len() + at));
            numbered = syn::parse_quote!(if #number == #at { #end } else { #numbered });
        }
        ends.extend(arrays.iter().map(|array| vec![Some(array.clone())]));
        *expr = numbered;
        true
    }

    fn number_last(&self, block: &mut syn::Block, ends: &mut Vec<End>) -> bool {
        match block.stmts.last_mut() {
            Some(syn::Stmt::Expr(last, None)) => self.number(last, ends),
            _ => false,
        }
    }

    /// Returns a variable for the number, the condition that gives it, and for each of that many names the arrays that it can be, or
    /// none where it is a value. The condition gives the number, or a tuple of it and these values.
    fn choices(&mut self, expr: &Expr, names: usize) -> Option<(Ident, Expr, Vec<Arrays>)> {
        let (mut numbered, mut ends) = (strip(expr).clone(), Vec::new());
        let may_choose = matches!(numbered, Expr::If(_) | Expr::Match(_) | Expr::Tuple(_));
        let chosen = may_choose && self.number(&mut numbered, &mut ends);
        if !chosen || ends.is_empty() || ends.iter().any(|end| end.len() != names) {
            return None;
        }
        let is_array = |at: usize| ends[0][at].is_some();
        if !(0..names).any(is_array) || ends.iter().any(|end| (0..names).any(|at| end[at].is_some() != is_array(at))) {
            return None;
        }
        let of_name = |at: usize| ends.iter().map(|end| end[at].clone()).collect();
        Some((self.variable(expr), numbered, (0..names).map(of_name).collect()))
    }

    /// Returns a variable for the number, the condition that gives it, and the arrays that it chooses from.
    fn choice(&mut self, expr: &Expr) -> Option<(Ident, Expr, Vec<Expr>)> {
        if let Expr::Reference(node) = strip(expr)
            && let Expr::Index(_) = strip(&node.expr)
        {
            return self.choice(&node.expr);
        }
        if let Expr::Index(node) = strip(expr) {
            let (numbers, arrays) = self.list_of_arrays(&node.expr)?;
            let index = &node.index;
            return Some((self.variable(expr), syn::parse_quote!(#numbers[#index]), arrays));
        }
        let (number, numbered, mut arrays) = self.choices(expr, 1)?;
        Some((number, numbered, arrays.pop()??))
    }

    /// Makes a name of the user's one for a choice.
    fn name(&mut self, name: String, number: Expr, arrays: Vec<Expr>) {
        self.hidden.insert(name.clone());
        self.known.insert(name, (number, arrays));
    }

    /// Returns whether the code uses none of the names of choices and lists any more.
    fn all_written_out(&self, block: &syn::Block) -> bool {
        struct Finder<'a>(&'a HashSet<String>, bool);
        impl<'ast> Visit<'ast> for Finder<'_> {
            fn visit_path(&mut self, node: &'ast syn::Path) {
                self.1 |= node.get_ident().is_some_and(|name| self.0.contains(&text::key(name)));
                visit::visit_path(self, node);
            }
        }
        let mut finder = Finder(&self.hidden, false);
        finder.visit_block(block);
        !finder.1
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
            && let (
                Some(List { shape: Shape::Array(arrays), .. }),
                Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(k), .. }),
            ) = (self.lists.get(&name_of(strip(&node.expr))?), strip(&node.index))
        {
            return arrays.get(k.base10_parse::<usize>().ok()?).cloned();
        }
        match self.known.get(&name_of(strip(expr))?)?.1.as_slice() {
            [one] => Some(one.clone()),
            _ => None,
        }
    }

    /// Returns a list of arrays as a list of numbers, and the arrays.
    fn list_of_arrays(&self, expr: &Expr) -> Option<(Expr, Vec<Expr>)> {
        match self.list(expr)? {
            (numbers, Shape::Array(arrays)) => Some((numbers, arrays)),
            _ => None,
        }
    }

    /// Puts the arrays of a list into the place of an argument that is one: a function has a parameter for each.
    fn spread(&self, args: &mut syn::punctuated::Punctuated<Expr, syn::Token![,]>) {
        let arrays = |arg: &Expr| match strip(arg) {
            Expr::MethodCall(_) => None,
            _ => self.list_of_arrays(arg).map(|(_, arrays)| arrays),
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
            // A choice in an argument is made before the call, so nothing before it may have an effect, unless it is a constant.
            let constant = first || is_constant_choice(arg);
            let whole = fields_of(arg);
            if let Some((number, numbered, arrays)) = self.choice(whole).filter(|_| constant) {
                lets.extend(quote_spanned!(span=> let #number: u8 = #numbered;));
                *whole = syn::parse_quote!(#number);
                self.known.insert(text::key(&number), (whole.clone(), arrays));
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
        let block: Expr = syn::parse2(quote_spanned!(span=> { #lets #value })).ok()?;
        let span = Span::mixed_site().located_at(span);
        // In parentheses: at the beginning of a statement, an operator after a block would not belong to it.
        Some(syn::parse_quote_spanned!(span=> (#block)))
    }
}

fn name_of(expr: &Expr) -> Option<String> {
    let Expr::Path(path) = expr else { return None };
    path.path.get_ident().map(text::key)
}

impl VisitMut for Choices {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let before = (self.known.clone(), self.lists.clone());
        visit_mut::visit_block_mut(self, block);
        (self.known, self.lists) = before;
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        visit_mut::visit_local_mut(self, local);
        let hidden = local.pat.clone();
        let taken = self.several(local).or_else(|| self.lists(local)).or_else(|| self.one(local));
        if taken.is_none() {
            for name in names(&hidden) {
                self.known.remove(&name);
                self.lists.remove(&name);
            }
        }
    }

    fn visit_expr_for_loop_mut(&mut self, node: &mut syn::ExprForLoop) {
        let before = self.known.clone();
        self.of_loop(node);
        visit_mut::visit_expr_for_loop_mut(self, node);
        self.known = before;
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::MethodCall(node) = &*expr
            && let ("len", true) = (node.method.to_string().as_str(), node.args.is_empty())
            && let Some(list) = name_of(strip(&node.receiver)).and_then(|name| self.lists.get(&name))
        {
            let count = list.count;
            *expr = syn::parse_quote!(#count);
            return;
        }
        if self.of_chain(expr) {
            return;
        }
        if let Expr::Call(syn::ExprCall { args, .. }) | Expr::MethodCall(syn::ExprMethodCall { args, .. }) = expr {
            self.spread(args);
        }
        let may_choose = arguments(expr).into_iter().any(|arg| {
            let named = root(arg).and_then(|root| name_of(root)).is_some_and(|name| self.known.contains_key(&name));
            let of_list = matches!(fields_of(arg), Expr::Index(_));
            named || of_list || matches!(unreferenced(arg), Expr::If(_) | Expr::Match(_) | Expr::Index(_))
        });
        if may_choose && let Some(new) = self.call(expr) {
            *expr = new;
        }
        visit_mut::visit_expr_mut(self, expr);
    }
}

fn unreferenced(expr: &Expr) -> &Expr {
    match strip(expr) {
        Expr::Reference(node) => unreferenced(&node.expr),
        other => other,
    }
}
