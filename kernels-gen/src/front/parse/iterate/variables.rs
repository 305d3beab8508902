//! `let mut it = list.iter().map(..);`: an iterator in a variable. Each use becomes the chain of the elements that are left; how many are
//! taken is the only state of it.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprMethodCall, Local, Pat, PatIdent, RangeLimits, Stmt};

use super::super::text;
use super::super::tree::{GENERATED, strip};
use super::generated;
use super::taken::{Elements, Iterated};

/// Writes out the iterators that are variables.
pub(in crate::front::parse) fn written_out(item: &mut syn::ItemFn, next: &mut u32) {
    let mut names = Names::default();
    names.visit_item_fn(item);
    Variables { mutable: names.mutable, next }.visit_block_mut(&mut item.block);
}

struct Variables<'a> {
    /// The variables that are declared with `mut` somewhere.
    mutable: HashSet<String>,
    next: &'a mut u32,
}

impl VisitMut for Variables<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let mut k = 0;
        while k < block.stmts.len() {
            let mut rest = block.stmts.split_off(k + 1);
            let found = match &block.stmts[k] {
                Stmt::Local(local) => self.iterator(local, &rest),
                _ => None,
            };
            k += 1;
            if let Some((declared, iterated)) = found
                && let Some(used) = iterated.used(&rest)
            {
                block.stmts.pop();
                k = k - 1 + declared.len();
                block.stmts.extend(declared);
                rest = used;
            }
            block.stmts.extend(rest);
        }
        visit_mut::visit_block_mut(self, block);
    }
}

/// Methods that change nothing.
const NOTHING: [&str; 5] = ["copied", "cloned", "by_ref", "fuse", "peekable"];
/// Methods whose closures see one element after the other.
const ONE_BY_ONE: [&str; 4] = ["map", "filter", "filter_map", "inspect"];

impl Variables<'_> {
    fn name(&mut self, span: Span) -> Ident {
        *self.next += 1;
        Ident::new(&format!("{GENERATED}{}", self.next), span)
    }

    /// Returns the declarations that an iterator needs before its uses, and the iterator.
    fn iterator(&mut self, local: &Local, rest: &[Stmt]) -> Option<(Vec<Stmt>, Iterated)> {
        let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init) else { return None };
        let is_chain = matches!(strip(&init.expr), Expr::Range(_)) || super::is_iterator(&init.expr);
        if init.diverge.is_some() || !is_chain || !local.attrs.is_empty() {
            return None;
        }
        let (mut calls, mut source) = (Vec::new(), strip(&init.expr));
        while let Expr::MethodCall(call) = source {
            calls.push(call.clone());
            source = strip(&call.receiver);
        }
        calls.reverse();
        calls.retain(|call| !NOTHING.iter().any(|name| call.method == name));
        let (span, mut setup) = (generated(name.ident.span()), TokenStream::new());
        for call in &mut calls {
            if let ("take" | "skip" | "step_by", Some(count)) = (call.method.to_string().as_str(), call.args.first()) {
                let counted = self.name(span);
                setup.extend(quote_spanned!(span=> let #counted: usize = #count;));
                call.args = syn::parse_quote!(#counted);
            }
        }
        let mutable = name.mutability.is_some();
        let elements = self.elements(source, &mut calls, (&mut setup, mutable), span)?;
        let iterated = Iterated::new(name.ident.clone(), (elements, calls), mutable, span);
        let declared: Block = syn::parse2(quote_spanned!(span=> { #setup })).ok()?;
        self.means_the_same(&iterated, rest).then_some((declared.stmts, iterated))
    }

    /// Returns the elements. What they are made of is evaluated before, and the calls that they stand for are taken.
    fn elements(
        &mut self,
        source: &Expr,
        calls: &mut Vec<ExprMethodCall>,
        (setup, mutable): (&mut TokenStream, bool),
        span: Span,
    ) -> Option<Elements> {
        let [taken, end] = [(); 2].map(|()| self.name(span));
        let one_by_one =
            |calls: &[ExprMethodCall]| calls.iter().all(|call| ONE_BY_ONE.contains(&call.method.to_string().as_str()));
        if let Expr::Range(range) = source {
            let (start, half_open) = (range.start.as_ref()?, matches!(range.limits, RangeLimits::HalfOpen(_)));
            setup.extend(quote_spanned!(span=> #[allow(unused_mut)] let mut #taken = #start;));
            setup.extend(range.end.as_ref().map(|end_of| quote_spanned!(span=> let #end = #end_of;)));
            let end = range.end.is_some().then_some(end);
            return Some(Elements::Range {
                taken,
                end,
                limits: range.limits,
                one_by_one: half_open && one_by_one(calls),
            });
        }
        let first = if calls.is_empty() { return None } else { calls.remove(0) };
        let (owned, borrowed) = (first.method == "into_iter", first.method == "iter");
        let mut array = match source {
            Expr::Reference(node) => (*node.expr).clone(),
            other => other.clone(),
        };
        if owned && !matches!(source, Expr::Reference(_)) {
            let name = self.name(span);
            setup.extend(quote_spanned!(span=> let #name = #array;));
            array = syn::parse_quote!(#name);
        }
        let positions =
            |call: &&ExprMethodCall| ["skip", "take", "rev", "enumerate"].iter().any(|name| call.method == name);
        let count = calls.iter().take_while(positions).count();
        if !super::super::exchanged::is_plain(&array)
            || !(owned || borrowed)
            || !mutable
            || !one_by_one(&calls[count..])
        {
            let receiver = Box::new(array);
            return Some(Elements::Chain(Expr::MethodCall(ExprMethodCall { receiver, ..first })));
        }
        setup.extend(quote_spanned!(span=> let (mut #taken, mut #end): (usize, usize) = (0, #array.len());));
        let (mut reversed, mut numbered) = (false, None);
        for call in calls.drain(..count) {
            let by = call.args.first();
            match (call.method.to_string().as_str(), reversed || numbered.is_some()) {
                ("skip", false) => setup.extend(quote_spanned!(span=> #taken = #taken.saturating_add(#by).min(#end);)),
                ("take", false) => setup.extend(quote_spanned!(span=> #end = #end.min(#taken.saturating_add(#by));)),
                ("rev", false) => reversed = true,
                ("enumerate", _) if numbered.is_none() => {
                    let first = self.name(span);
                    setup.extend(quote_spanned!(span=> let #first = #taken;));
                    numbered = Some(first);
                }
                _ => return None,
            }
        }
        Some(Elements::Array { array, taken, end, reversed, numbered, owned })
    }

    /// Returns whether the names of the chain mean the same in the statements after it.
    fn means_the_same(&self, iterated: &Iterated, rest: &[Stmt]) -> bool {
        let (mut after, mut own) = (Names::default(), Names::default());
        rest.iter().for_each(|stmt| after.visit_stmt(stmt));
        own.visit_expr(&iterated.remaining());
        let same = |name: &String| {
            own.declared.contains(name)
                || !(after.declared.contains(name) || own.moved.contains(name) && self.mutable.contains(name))
        };
        !after.declared.contains(&text::key(&iterated.name)) && own.used.iter().all(same)
    }
}

/// The names in an expression.
#[derive(Default)]
struct Names {
    declared: HashSet<String>,
    mutable: HashSet<String>,
    used: HashSet<String>,
    /// Those whose values an iterator copies when it is made, or a closure with `move`.
    moved: HashSet<String>,
    moves: bool,
}

impl Names {
    fn moving(&mut self, moves: bool, visit: impl FnOnce(&mut Names)) {
        let outer = std::mem::replace(&mut self.moves, moves);
        visit(self);
        self.moves = outer;
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, node: &'ast PatIdent) {
        let name = text::key(&node.ident);
        self.mutable.extend(node.mutability.map(|_| name.clone()));
        self.declared.insert(name);
        visit::visit_pat_ident(self, node);
    }

    fn visit_expr_path(&mut self, node: &'ast syn::ExprPath) {
        if let Some(name) = node.path.get_ident().filter(|name| !name.to_string().starts_with(GENERATED)).map(text::key)
        {
            self.moved.extend(self.moves.then(|| name.clone()));
            self.used.insert(name);
        }
    }

    fn visit_expr_index(&mut self, node: &'ast syn::ExprIndex) {
        self.visit_expr(&node.expr);
        self.moving(true, |this| this.visit_expr(&node.index));
    }

    fn visit_expr_range(&mut self, node: &'ast syn::ExprRange) {
        self.moving(true, |this| visit::visit_expr_range(this, node));
    }

    fn visit_expr_closure(&mut self, node: &'ast syn::ExprClosure) {
        self.moving(node.capture.is_some(), |this| visit::visit_expr_closure(this, node));
    }
}
