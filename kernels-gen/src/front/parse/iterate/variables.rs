//! `let mut it = list.iter().map(..);`: an iterator in a variable. Each use of the variable becomes the chain without the elements that are
//! taken already, whose number is the only state: `it.next()` is `list.iter().skip(taken).map(..).next()`, and counts.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprMethodCall, Local, Pat, PatIdent, Stmt};

use super::super::exchanged::is_plain;
use super::super::text;
use super::super::tree::{GENERATED, strip};
use super::generated;

/// Writes out the iterators that are variables.
pub(in crate::front::parse) fn written_out(item: &mut syn::ItemFn, next: &mut u32) {
    let mut mutable = Mutable::default();
    mutable.visit_item_fn(item);
    Variables { mutable: mutable.0, next }.visit_block_mut(&mut item.block);
}

/// The variables that are declared with `mut` somewhere.
#[derive(Default)]
struct Mutable(HashSet<String>);

impl<'ast> Visit<'ast> for Mutable {
    fn visit_pat_ident(&mut self, node: &'ast PatIdent) {
        if node.mutability.is_some() {
            self.0.insert(text::key(&node.ident));
        }
        visit::visit_pat_ident(self, node);
    }
}

struct Variables<'a> {
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
            if let Some((declared, iterator)) = found
                && let Some(used) = iterator.used(&rest)
            {
                block.stmts.pop();
                k += declared.len();
                block.stmts.extend(declared);
                rest = used;
            } else {
                k += 1;
            }
            block.stmts.extend(rest);
        }
        visit_mut::visit_block_mut(self, block);
    }
}

/// Methods that change positions alone. What an array gives after them can be numbered.
const POSITIONS: [&str; 5] = ["rev", "skip", "take", "enumerate", "zip"];
/// Methods whose closures see one element after the other.
const ONE_BY_ONE: [&str; 4] = ["map", "filter", "filter_map", "inspect"];
/// Methods that leave elements in the iterator, how many is not known.
const PARTLY: [&str; 7] = ["try_fold", "try_for_each", "next_back", "nth_back", "rposition", "rfind", "by_ref"];
/// Methods that change nothing.
const NOTHING: [&str; 5] = ["copied", "cloned", "by_ref", "fuse", "peekable"];

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
        let mut calls = Vec::new();
        let mut source = strip(&init.expr);
        while let Expr::MethodCall(call) = source {
            calls.push(call.clone());
            source = strip(&call.receiver);
        }
        calls.reverse();
        let span = generated(name.ident.span());
        let mut setup = TokenStream::new();
        let taken = self.name(span);
        let length: Expr = syn::parse_quote!(#source.len());
        let (prefix, range) = self.source(source, &mut calls, (&mut setup, &taken), span)?;
        let direct = match (&range, name.mutability) {
            (None, Some(_)) => self.direct(&prefix, &mut calls, &mut setup, span),
            _ => None,
        };
        let mut iterated = Iterated {
            name: name.ident.clone(),
            taken,
            range,
            prefix,
            length,
            direct,
            steps: Vec::new(),
            advances: name.mutability.is_some(),
            failed: false,
            uses: 0,
            partly: false,
            span,
        };
        for call in calls {
            let method = call.method.to_string();
            let mut call = call;
            if let ("take" | "skip" | "step_by", Some(count)) = (method.as_str(), call.args.first()) {
                let counted = self.name(span);
                setup.extend(quote_spanned!(span=> let #counted: usize = #count;));
                call.args = syn::parse_quote!(#counted);
            }
            let positions = POSITIONS.contains(&method.as_str()) && iterated.steps.is_empty() && iterated.range.is_none();
            match () {
                () if NOTHING.contains(&method.as_str()) => {}
                () if positions => iterated.prefix = applied(&iterated.prefix, &call),
                () => iterated.steps.push(call),
            }
        }
        if !self.means_the_same(&iterated, rest) {
            return None;
        }
        let declared: Block = syn::parse2(quote_spanned!(span=> { #setup })).ok()?;
        Some((declared.stmts, iterated))
    }

    /// Returns the source, and the end of a range. What it is made of is evaluated before.
    fn source(
        &mut self,
        source: &Expr,
        calls: &mut Vec<ExprMethodCall>,
        (setup, taken): (&mut TokenStream, &Ident),
        span: Span,
    ) -> Option<(Expr, Option<Option<Ident>>)> {
        if let Expr::Range(range) = source {
            let (start, dots) = (range.start.as_ref()?, &range.limits);
            setup.extend(quote_spanned!(span=> #[allow(unused_mut)] let mut #taken = #start;));
            let end = range.end.as_ref().map(|end| {
                let name = self.name(span);
                setup.extend(quote_spanned!(span=> let #name = #end;));
                name
            });
            return Some((syn::parse2(quote_spanned!(span=> (#taken #dots #end))).ok()?, Some(end)));
        }
        let first = if calls.is_empty() { return None } else { calls.remove(0) };
        let owned = first.method == "into_iter" && !matches!(source, Expr::Reference(_));
        let array = match owned {
            true => {
                let name = self.name(span);
                setup.extend(quote_spanned!(span=> let #name = #source;));
                syn::parse_quote!(#name)
            }
            false => source.clone(),
        };
        let place = match &array {
            Expr::Reference(node) => strip(&node.expr),
            other => other,
        };
        setup.extend(quote_spanned!(span=> #[allow(unused_mut)] let mut #taken: usize = 0;));
        is_plain(place).then(|| (applied(&array, &first), None))
    }

    /// Takes the methods after `array.iter()` that leave each element at a known position.
    fn direct(&mut self, prefix: &Expr, calls: &mut Vec<ExprMethodCall>, setup: &mut TokenStream, span: Span) -> Option<Direct> {
        let Expr::MethodCall(call) = prefix else { return None };
        let by_one = call.method == "iter" || call.method == "into_iter";
        let array = match strip(&call.receiver) {
            Expr::Reference(node) => (*node.expr).clone(),
            other => other.clone(),
        };
        let [mut start, mut count] = [(); 2].map(|()| self.name(span));
        setup.extend(quote_spanned!(span=> let (#start, #count): (usize, usize) = (0, #array.len());));
        let (mut cut, mut reversed, mut numbered, mut rest) = (false, false, false, Vec::new());
        for call in calls.iter() {
            match (call.method.to_string().as_str(), call.args.first()) {
                (name, _) if NOTHING.contains(&name) => {}
                ("skip" | "take", Some(by)) if !reversed && !numbered && rest.is_empty() => {
                    let [less, next, left] = [(); 3].map(|()| self.name(span));
                    let (first, last) = match call.method == "skip" {
                        true => (quote_spanned!(span=> #start + #less), quote_spanned!(span=> #count - #less)),
                        false => (quote_spanned!(span=> #start), quote_spanned!(span=> #less)),
                    };
                    setup.extend(quote_spanned! {span=>
                        let #less: usize = #by;
                        let #less = #less.min(#count);
                        let (#next, #left): (usize, usize) = (#first, #last);
                    });
                    (start, count, cut) = (next, left, true);
                }
                ("rev", None) if !numbered && rest.is_empty() => reversed = !reversed,
                ("enumerate", None) if !numbered && rest.is_empty() => numbered = true,
                _ => rest.push(call.clone()),
            }
        }
        let one_by_one = rest.iter().all(|call| ONE_BY_ONE.contains(&call.method.to_string().as_str()));
        (by_one && one_by_one).then(|| {
            *calls = rest;
            Direct { array, start, count, cut, reversed, numbered }
        })
    }

    /// Returns whether the names of the chain mean the same in the statements after it.
    fn means_the_same(&self, iterated: &Iterated, rest: &[Stmt]) -> bool {
        let mut declared = Names::default();
        rest.iter().for_each(|stmt| declared.visit_stmt(stmt));
        let mut used = Names::default();
        used.visit_expr(&iterated.remaining());
        let moved = |name: &String| used.moved.contains(name) && self.mutable.contains(name);
        !declared.declared.contains(&text::key(&iterated.name))
            && used.used.iter().all(|name| used.declared.contains(name) || !(declared.declared.contains(name) || moved(name)))
    }
}

/// The names in an expression.
#[derive(Default)]
struct Names {
    declared: HashSet<String>,
    used: HashSet<String>,
    /// Those whose values an iterator copies when it is made, or a closure with `move`.
    moved: HashSet<String>,
    moves: bool,
}

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, node: &'ast PatIdent) {
        self.declared.insert(text::key(&node.ident));
        visit::visit_pat_ident(self, node);
    }

    fn visit_expr_path(&mut self, node: &'ast syn::ExprPath) {
        if let Some(name) = node.path.get_ident().map(text::key) {
            self.moved.extend(self.moves.then(|| name.clone()));
            self.used.insert(name);
        }
    }

    fn visit_expr_index(&mut self, node: &'ast syn::ExprIndex) {
        self.visit_expr(&node.expr);
        let outer = std::mem::replace(&mut self.moves, true);
        self.visit_expr(&node.index);
        self.moves = outer;
    }

    fn visit_expr_range(&mut self, node: &'ast syn::ExprRange) {
        let outer = std::mem::replace(&mut self.moves, true);
        visit::visit_expr_range(self, node);
        self.moves = outer;
    }

    fn visit_expr_closure(&mut self, node: &'ast syn::ExprClosure) {
        let outer = std::mem::replace(&mut self.moves, node.capture.is_some());
        visit::visit_expr_closure(self, node);
        self.moves = outer;
    }
}

/// Returns `receiver.method(..)`, with the method and the arguments of a call.
fn applied(receiver: &Expr, call: &ExprMethodCall) -> Expr {
    let receiver = match receiver {
        Expr::Reference(_) => syn::parse_quote!((#receiver)),
        other => other.clone(),
    };
    Expr::MethodCall(ExprMethodCall { receiver: Box::new(receiver), ..call.clone() })
}

/// Elements at known positions.
struct Direct {
    array: Expr,
    start: Ident,
    count: Ident,
    /// Whether these are not all elements of the array.
    cut: bool,
    reversed: bool,
    numbered: bool,
}

impl Direct {
    /// Returns the declaration of a name for the element with that number.
    fn element(&self, name: &TokenStream, number: &Ident, span: Span) -> TokenStream {
        let (Direct { array, start, count, .. }, at) = (self, format_ident!("{GENERATED}place", span = span));
        let place = match (self.reversed, self.cut) {
            (true, _) => quote_spanned!(span=> #start + (#count - 1 - #number)),
            (false, true) => quote_spanned!(span=> #start + #number),
            (false, false) => number.to_token_stream(),
        };
        let element = quote_spanned!(span=> #array[#at]);
        let element = if self.numbered { quote_spanned!(span=> (#number, #element)) } else { element };
        quote_spanned!(span=> let #at = #place; let #name = #element;)
    }

    /// Returns the chain of what is left.
    fn left(&self, taken: &Ident, span: Span) -> Expr {
        let Direct { array, start, count, .. } = self;
        let part = quote_spanned!(span=> #array.iter());
        let part = if self.cut { quote_spanned!(span=> #part.skip(#start).take(#count)) } else { part };
        let part = if self.reversed { quote_spanned!(span=> #part.rev()) } else { part };
        let part = if self.numbered { quote_spanned!(span=> #part.enumerate()) } else { part };
        syn::parse_quote_spanned!(span=> #part.skip(#taken))
    }
}

/// An iterator in a variable.
struct Iterated {
    name: Ident,
    /// How many elements are taken, or the next one of a range.
    taken: Ident,
    /// The end of a range, if it has one; of `a..=b` nothing can be taken one by one.
    range: Option<Option<Ident>>,
    /// The elements before any of them is taken; of a range those that are left.
    prefix: Expr,
    /// How many elements an array has.
    length: Expr,
    direct: Option<Direct>,
    steps: Vec<ExprMethodCall>,
    /// Whether it can give one element after the other.
    advances: bool,
    /// Whether it is used in another way than this module knows.
    failed: bool,
    uses: u32,
    /// Whether a use takes an unknown number of elements, so that it has to be the only one.
    partly: bool,
    span: Span,
}

impl Iterated {
    /// Returns the statements in which the variable is not used any more.
    fn used(mut self, rest: &[Stmt]) -> Option<Vec<Stmt>> {
        let mut rest = rest.to_vec();
        rest.iter_mut().for_each(|stmt| self.visit_stmt_mut(stmt));
        (!self.failed && !(self.partly && self.uses > 1)).then_some(rest)
    }

    /// Returns the elements that are left, before the steps.
    fn left(&self) -> Expr {
        let (prefix, taken, span) = (&self.prefix, &self.taken, self.span);
        if let Some(direct) = &self.direct {
            return direct.left(taken, span);
        }
        match (self.range.is_some(), self.advances) {
            (false, true) => syn::parse_quote_spanned!(span=> #prefix.skip(#taken)),
            _ => prefix.clone(),
        }
    }

    fn with_steps(&self, elements: Expr) -> Expr {
        self.steps.iter().fold(elements, |chain, step| applied(&chain, step))
    }

    /// Returns the chain of the elements that are left.
    fn remaining(&self) -> Expr {
        self.with_steps(self.left())
    }

    /// Returns whether elements can be taken one by one.
    fn is_one_by_one(&self) -> bool {
        let changes = |call: &ExprMethodCall| call.method == "iter_mut" || call.method == "chunks_mut";
        let exclusive = matches!(strip(&self.prefix), Expr::MethodCall(call) if changes(call));
        let closed = self.range.is_some() && matches!(strip(&self.prefix), Expr::Range(range) if matches!(range.limits, syn::RangeLimits::Closed(_)));
        self.advances && !exclusive && !closed && self.steps.iter().all(|step| ONE_BY_ONE.contains(&step.method.to_string().as_str()))
    }

    /// Returns a loop over what is left, which counts what it takes. `inside` does something with an `Option` of an element.
    fn each(&mut self, pat: &TokenStream, body: &TokenStream, label: &TokenStream) -> TokenStream {
        let (taken, span) = (self.taken.clone(), self.span);
        self.failed |= !self.is_one_by_one();
        let one = format_ident!("{}one", GENERATED, span = span);
        let inside = match self.steps.is_empty() {
            true => None,
            false => {
                let of_one: Expr = match super::gives_references(&self.prefix) {
                    true => syn::parse_quote_spanned!(span=> [#one].iter()),
                    false => syn::parse_quote_spanned!(span=> [#one].into_iter()),
                };
                Some(self.with_steps(of_one))
            }
        };
        let (pat, body) = match inside {
            None => (pat.clone(), body.clone()),
            Some(chain) => (one.to_token_stream(), quote_spanned!(span=> if let Some(#pat) = #chain.next() { #body })),
        };
        match (&self.range, &self.direct) {
            (None, Some(direct)) => {
                let (count, element, length) = (&direct.count, direct.element(&pat, &taken, span), &self.length);
                quote_spanned! {span=>
                    #label for _ in 0..#length {
                        if #taken >= #count { break; }
                        #element
                        #taken = #taken.wrapping_add(1);
                        #body
                    }
                }
            }
            (None, None) => {
                let left = self.left();
                quote_spanned!(span=> #label for #pat in #left { #taken = #taken.wrapping_add(1); #body })
            }
            (Some(end), _) => {
                let more = end.as_ref().map_or_else(|| quote_spanned!(span=> true), |end| quote_spanned!(span=> #taken < #end));
                quote_spanned!(span=> #label while #more { let #pat = #taken; #taken += 1; #body })
            }
        }
    }

    /// Returns the next element.
    fn following(&mut self) -> TokenStream {
        let (span, one) = (self.span, format_ident!("{}given", GENERATED, span = self.span));
        let found = format_ident!("{}found", GENERATED, span = span);
        let taken = &self.taken;
        if let (Some(direct), true) = (&self.direct, self.steps.iter().all(|step| step.method == "map")) {
            let (count, element) = (&direct.count, direct.element(&one.to_token_stream(), taken, span));
            let given = match (self.steps.is_empty(), super::gives_references(&self.prefix)) {
                (true, _) => quote_spanned!(span=> Some(#one)),
                (false, true) => self.with_steps(syn::parse_quote_spanned!(span=> [#one].iter())).into_token_stream(),
                (false, false) => self.with_steps(syn::parse_quote_spanned!(span=> [#one].into_iter())).into_token_stream(),
            };
            let last = if self.steps.is_empty() { None } else { Some(quote_spanned!(span=> .next())) };
            return quote_spanned! {span=>
                if #taken < #count {
                    #element
                    #taken = #taken.wrapping_add(1);
                    #given #last
                } else { None }
            };
        }
        let body = quote_spanned!(span=> #found = Some(#one); break;);
        let each = self.each(&one.to_token_stream(), &body, &TokenStream::new());
        quote_spanned!(span=> { let mut #found = None; #each #found })
    }

    /// Returns what a method of the variable becomes.
    fn method(&mut self, call: &ExprMethodCall) -> Option<TokenStream> {
        let (span, name) = (self.span, call.method.to_string());
        let args: Vec<&Expr> = call.args.iter().collect();
        let [found, given, at] = ["found", "given", "at"].map(|name| format_ident!("{}{name}", GENERATED, span = span));
        let remaining = self.remaining();
        let tested = |this: &mut Self, start: TokenStream, body: TokenStream| {
            let each = this.each(&given.to_token_stream(), &body, &TokenStream::new());
            Some(quote_spanned!(span=> { let mut #found = #start; #each #found }))
        };
        match (name.as_str(), args.as_slice()) {
            ("next", []) => Some(self.following()),
            ("peek", []) => Some(quote_spanned!(span=> #remaining.next())),
            ("clone", []) => Some(remaining.into_token_stream()),
            ("len", []) => Some(quote_spanned!(span=> #remaining.count())),
            ("nth", [count]) => {
                let following = self.following();
                Some(quote_spanned!(span=> { for _ in 0..#count { let _ = #following; } #following }))
            }
            ("any", [with]) => tested(
                self,
                quote_spanned!(span=> false),
                quote_spanned!(span=> if [#given].into_iter().any(#with) { #found = true; break; }),
            ),
            ("all", [with]) => tested(
                self,
                quote_spanned!(span=> true),
                quote_spanned!(span=> if ![#given].into_iter().all(#with) { #found = false; break; }),
            ),
            ("position", [with]) => tested(
                self,
                quote_spanned!(span=> None; let mut #at: usize = 0),
                quote_spanned! {span=>
                    if [#given].into_iter().any(#with) { #found = Some(#at); break; }
                    #at = #at.wrapping_add(1);
                },
            ),
            ("find_map", [with]) => tested(
                self,
                quote_spanned!(span=> None),
                quote_spanned!(span=> #found = [#given].into_iter().find_map(#with); if #found.is_some() { break; }),
            ),
            ("find", [with]) => tested(
                self,
                quote_spanned!(span=> None),
                quote_spanned!(span=> if [#given].into_iter().find(#with).is_some() { #found = Some(#given); break; }),
            ),
            _ => None,
        }
    }

    /// Returns what a chain that begins with `it.by_ref().take(n)` becomes.
    fn first_ones(&mut self, expr: &Expr) -> Option<Expr> {
        fn replaced(this: &Iterated, expr: &Expr, elements: &Expr) -> Option<(Expr, Expr)> {
            let Expr::MethodCall(call) = strip(expr) else { return None };
            if call.method == "take" && this.is_borrowed(&call.receiver) {
                return Some((elements.clone(), call.args.first()?.clone()));
            }
            let (receiver, count) = replaced(this, &call.receiver, elements)?;
            Some((applied(&receiver, call), count))
        }
        let all = self.steps.iter().all(|step| step.method == "map" || step.method == "inspect");
        if !all || !self.is_one_by_one() || self.range.is_some() {
            return None;
        }
        let (span, taken, prefix) = (self.span, &self.taken, &self.prefix);
        let [from, count] = ["from", "count"].map(|name| format_ident!("{GENERATED}{name}", span = span));
        let left = self.direct.as_ref().map_or_else(
            || syn::parse_quote_spanned!(span=> #prefix.skip(#from)),
            |direct| direct.left(&from, span),
        );
        let elements = self.with_steps(syn::parse_quote_spanned!(span=> #left.take(#count)));
        let (chain, most) = replaced(self, expr, &elements)?;
        self.uses += 1;
        syn::parse2(quote_spanned! {span=> {
            let #from = #taken;
            let #count: usize = #most;
            #taken = #taken.saturating_add(#count);
            #chain
        }})
        .ok()
    }

    fn is_this(&self, expr: &Expr) -> bool {
        matches!(strip(expr), Expr::Path(path) if path.path.is_ident(&self.name))
    }

    /// Returns whether it is `it.by_ref()` or `&mut it`.
    fn is_borrowed(&self, expr: &Expr) -> bool {
        match strip(expr) {
            Expr::MethodCall(call) => call.method == "by_ref" && self.is_this(&call.receiver),
            Expr::Reference(node) => node.mutability.is_some() && self.is_this(&node.expr),
            _ => false,
        }
    }

    /// Returns `while let Some(..) = it.next()` as a loop that ends with the array: each iteration takes an element.
    fn while_next(&mut self, node: &syn::ExprWhile) -> Option<TokenStream> {
        let Expr::Let(cond) = &*node.cond else { return None };
        let Expr::MethodCall(call) = strip(&cond.expr) else { return None };
        if call.method != "next" || !self.is_this(&call.receiver) || self.range.is_some() {
            return None;
        }
        let (span, pat, body, label) = (self.span, &cond.pat, &node.body, &node.label);
        let (following, length) = (self.following(), &self.length);
        self.uses += 1;
        Some(quote_spanned! {span=> #label for _ in 0..#length { let #pat = (#following) else { break; }; #body } })
    }
}

impl VisitMut for Iterated {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::While(node) = expr
            && let Some(new) = self.while_next(node)
            && let Ok(new) = syn::parse2(new)
        {
            *expr = new;
            return visit_mut::visit_expr_mut(self, expr);
        }
        if let Expr::ForLoop(node) = expr
            && self.is_borrowed(&node.expr)
        {
            self.uses += 1;
            let (pat, body, label) = (&node.pat, &node.body, node.label.to_token_stream());
            let new = self.each(&pat.to_token_stream(), &body.to_token_stream(), &label);
            if let Ok(new) = syn::parse2(new) {
                *expr = new;
            }
            return visit_mut::visit_expr_mut(self, expr);
        }
        if let Expr::MethodCall(call) = expr
            && (self.is_this(&call.receiver) || self.is_borrowed(&call.receiver))
        {
            let borrowed = !self.is_this(&call.receiver);
            self.uses += 1;
            self.partly |= PARTLY.contains(&call.method.to_string().as_str());
            call.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
            match self.advances.then(|| self.method(call)).flatten() {
                Some(new) => *expr = syn::parse2(new).unwrap_or_else(|_| expr.clone()),
                None if !self.advances && call.method == "clone" => *expr = self.remaining(),
                None => {
                    self.failed |= borrowed;
                    *call.receiver = self.remaining();
                }
            }
            return;
        }
        if let Some(new) = self.first_ones(expr) {
            *expr = new;
            return visit_mut::visit_expr_mut(self, expr);
        }
        if self.is_this(expr) {
            self.uses += 1;
            *expr = self.remaining();
            return;
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    fn visit_macro_mut(&mut self, node: &mut syn::Macro) {
        let text = node.tokens.to_string();
        let name = self.name.to_string();
        self.failed |= text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    }

    fn visit_expr_call_mut(&mut self, node: &mut syn::ExprCall) {
        self.failed |= node.args.iter().any(|arg| self.is_this(arg) || self.is_borrowed(arg));
        visit_mut::visit_expr_call_mut(self, node);
    }
}
