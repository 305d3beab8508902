//! `?` in closures that use the handle: their values are `TxResult`s, as in `(0..4).map(|k| tx.read(cells, k)).sum::<TxResult<u32>>()?`.
//!
//! An error of the handle ends the transaction, and nothing between can catch it. So where the method at the end passes the first error on,
//! and `?` follows or the value is the result of the function, the closure gives values, and its own `?` are those of the function.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprClosure, ExprMethodCall, GenericArgument, ItemFn, Pat, ReturnType, Stmt, Type};

use super::super::text;
use super::super::tree::{LOST, TRIED, names, strip};
use super::bind::inside as type_inside;

/// Writes out the closures of a function with this handle.
pub(in crate::front::parse) fn written_out(item: &mut ItemFn, handle: Option<&Ident>) {
    let Some(handle) = handle.filter(|handle| uses(&item.block.to_token_stream(), handle) > 0) else { return };
    let mut closures = Closures { handle, whole: item.block.to_token_stream(), named: HashSet::new() };
    closures.visit_block_mut(&mut item.block);
    let last = |path: &syn::TypePath| path.path.segments.last().is_some_and(|last| last.ident == "TxResult");
    if matches!(&item.sig.output, ReturnType::Type(_, ty) if matches!(&**ty, Type::Path(path) if last(path))) {
        closures.result_block(&mut item.block);
    }
    Lost { handle }.visit_block_mut(&mut item.block);
}

struct Closures<'a> {
    handle: &'a Ident,
    whole: TokenStream,
    /// The closures with a name whose calls give values.
    named: HashSet<String>,
}

impl VisitMut for Closures<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        match expr {
            Expr::Try(node) => {
                if let Some(new) = self.passed_on(&node.expr) {
                    *expr = new;
                }
            }
            Expr::ForLoop(node) => self.for_loop(node),
            Expr::Return(node) => {
                if let Some(value) = &mut node.expr {
                    self.result(value);
                }
            }
            _ => {}
        }
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let (Pat::Ident(name), Some(init)) = (&local.pat, &mut local.init)
            && let Expr::Closure(closure) = &mut *init.expr
            && self.has_handle(&closure.body)
        {
            visit_mut::visit_expr_closure_mut(self, closure);
            let name = &name.ident;
            let tried = calls_tried(self.whole.clone(), name);
            if let Some(new) = self.closure(closure).filter(|_| uses(&self.whole, name) == tried + 1) {
                *closure = new;
                self.named.insert(text::key(name));
            }
            return;
        }
        visit_mut::visit_local_mut(self, local);
    }
}

impl Closures<'_> {
    fn has_handle(&self, expr: &Expr) -> bool {
        uses(&expr.to_token_stream(), self.handle) > 0
    }

    fn is_of_handle(&self, expr: &Expr) -> bool {
        match strip(expr) {
            Expr::MethodCall(call) => {
                matches!(strip(&call.receiver), Expr::Path(path) if path.path.is_ident(self.handle))
            }
            Expr::Call(call) => {
                call.args.iter().any(|arg| matches!(arg, Expr::Path(path) if path.path.is_ident(self.handle)))
            }
            _ => false,
        }
    }

    /// Returns the closure with values instead of `TxResult`s.
    fn closure(&self, closure: &ExprClosure) -> Option<ExprClosure> {
        let mut values = Values { closures: self, results: HashMap::new(), only_names: false };
        for pat in &closure.inputs {
            values.results.extend(names(pat).into_iter().map(|name| (name, 0)));
        }
        let whole = closure.body.to_token_stream();
        let body = values.value(&closure.body);
        // A parameter is such a result itself if `?` follows it. It has no other meaning then.
        if !values.are_results(&whole) {
            return None;
        }
        let output = match &closure.output {
            ReturnType::Type(arrow, ty) => {
                let inside = type_inside("Ok", ty)?.clone();
                ReturnType::Type(*arrow, Box::new(inside))
            }
            ReturnType::Default => ReturnType::Default,
        };
        Some(ExprClosure { body: Box::new(body), output, ..closure.clone() })
    }

    fn of_argument(&self, arg: &Expr) -> Option<Expr> {
        match strip(arg) {
            Expr::Closure(closure) => self.closure(closure).map(Expr::Closure),
            _ => None,
        }
    }

    /// Returns a chain whose elements are values, and whether they were `TxResult`s; `None` where they are, and a method cannot have them.
    fn elements(&self, chain: &Expr) -> Option<(Expr, bool)> {
        const FREE: [&str; 6] = ["enumerate", "take", "skip", "step_by", "zip", "fuse"];
        let Expr::MethodCall(call) = strip(chain) else { return Some((chain.clone(), false)) };
        let (receiver, tried) = self.elements(&call.receiver)?;
        let mut new = ExprMethodCall { receiver: Box::new(receiver), ..call.clone() };
        match (call.method.to_string().as_str(), call.args.first()) {
            ("map", Some(with)) if tried || self.has_handle(with) => {
                new.args = std::iter::once(self.of_argument(with)?).collect();
                Some((Expr::MethodCall(new), true))
            }
            (name, _) if !tried || FREE.contains(&name) => Some((Expr::MethodCall(new), tried)),
            _ => None,
        }
    }

    /// Returns the value of an expression that passes on the `TxResult` of a closure; `None` for other expressions.
    fn passed_on(&self, expr: &Expr) -> Option<Expr> {
        let call = match strip(expr) {
            Expr::MethodCall(call) => call,
            Expr::Call(call) => {
                let Expr::Path(path) = strip(&call.func) else { return None };
                let known = self.named.contains(&text::key(path.path.get_ident()?));
                return known.then(|| expr.clone());
            }
            _ => return None,
        };
        match (call.method.to_string().as_str(), call.args.iter().collect::<Vec<_>>().as_slice()) {
            ("map" | "and_then", [Expr::Closure(closure)]) if self.is_of_handle(&call.receiver) => {
                self.of_result(call, closure)
            }
            ("transpose", []) => self.mapped(&call.receiver),
            (name @ ("map_or" | "map_or_else"), [other, each]) if self.has_handle(each) || self.has_handle(other) => {
                let other = if name == "map_or" { self.value(other) } else { self.of_argument(other)? };
                Some(with(call, name, (*call.receiver).clone(), vec![other, self.of_argument(each)?]))
            }
            (name @ ("unwrap_or" | "unwrap_or_else"), [other]) => {
                let receiver = self.mapped(&call.receiver)?;
                let other = if name == "unwrap_or" { self.value(other) } else { self.of_argument(other)? };
                Some(with(call, name, receiver, vec![other]))
            }
            (name, args) => self.end(call, name, args),
        }
    }

    /// Returns the value of a method that ends a chain.
    fn end(&self, call: &ExprMethodCall, name: &str, args: &[&Expr]) -> Option<Expr> {
        if !["sum", "product", "try_for_each", "try_fold", "fold"].contains(&name) {
            return None;
        }
        let (receiver, tried) = self.elements(&call.receiver)?;
        let concerned = |closure: &Expr| self.of_argument(closure).filter(|_| tried || self.has_handle(closure));
        match (name, args) {
            ("sum" | "product", []) if tried => {
                let mut call = call.clone();
                call.turbofish = of_values(call.turbofish);
                Some(with(&call, name, receiver, Vec::new()))
            }
            ("try_for_each", [each]) => Some(with(call, "for_each", receiver, vec![concerned(each)?])),
            ("try_fold", [first, step]) => Some(with(call, "fold", receiver, vec![(*first).clone(), concerned(step)?])),
            ("fold", [first, step]) => {
                Some(with(call, "fold", receiver, vec![value_of_ok(first)?.clone(), concerned(step)?]))
            }
            _ => None,
        }
    }

    /// Returns `option.map(|x| ..)` with values.
    fn mapped(&self, expr: &Expr) -> Option<Expr> {
        let Expr::MethodCall(call) = strip(expr) else { return None };
        let each = call.args.first().filter(|each| call.method == "map" && self.has_handle(each))?;
        let mut new = call.clone();
        new.args = std::iter::once(self.of_argument(each)?).collect();
        Some(Expr::MethodCall(new))
    }

    /// Returns the value of `tx.read(..).map(|x| ..)`.
    fn of_result(&self, call: &ExprMethodCall, closure: &ExprClosure) -> Option<Expr> {
        let (receiver, pat, span) = (self.value(&call.receiver), closure.inputs.first()?, call.method.span());
        let body = if call.method == "map" { closure.body.clone() } else { self.closure(closure)?.body };
        syn::parse2(quote_spanned!(span=> { let #pat = #receiver; #body })).ok()
    }

    fn value(&self, expr: &Expr) -> Expr {
        Values { closures: self, results: HashMap::new(), only_names: false }.value(expr)
    }

    /// Makes the names of a loop values where they are `TxResult`s.
    fn for_loop(&self, node: &mut syn::ExprForLoop) {
        let Some((chain, true)) = self.elements(&node.expr) else { return };
        let mut values = Values { closures: self, results: HashMap::new(), only_names: true };
        values.results.extend(names(&node.pat).into_iter().map(|name| (name, 0)));
        let (mut body, whole) = (node.body.clone(), node.body.to_token_stream());
        values.visit_block_mut(&mut body);
        if values.are_results(&whole) {
            (*node.expr, node.body) = (chain, body);
        }
    }

    /// Wraps the values that a function returns.
    fn result_block(&self, block: &mut Block) {
        if let Some(Stmt::Expr(last, None)) = block.stmts.last_mut() {
            self.result(last);
        }
    }

    fn result(&self, expr: &mut Expr) {
        match expr {
            Expr::Paren(node) => self.result(&mut node.expr),
            Expr::Block(node) if node.label.is_none() => self.result_block(&mut node.block),
            Expr::If(node) => {
                self.result_block(&mut node.then_branch);
                if let Some((_, other)) = &mut node.else_branch {
                    self.result(other);
                }
            }
            Expr::Match(node) => node.arms.iter_mut().for_each(|arm| self.result(&mut arm.body)),
            Expr::MethodCall(call) => {
                let (unit, span) = (call.method == "try_for_each", call.method.span());
                let Some(new) = self.passed_on(&Expr::MethodCall(call.clone())) else { return };
                let new = if unit { quote_spanned!(span=> { #new; Ok(()) }) } else { quote_spanned!(span=> Ok(#new)) };
                if let Ok(new) = syn::parse2(new) {
                    *expr = new;
                }
            }
            _ => {}
        }
    }
}

/// Writes values for `TxResult`s.
struct Values<'a> {
    closures: &'a Closures<'a>,
    /// The names that may stand for a `TxResult`, and how often `?` follows them.
    results: HashMap<String, usize>,
    /// Whether only these names are concerned.
    only_names: bool,
}

impl VisitMut for Values<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Closure(_) => return,
            Expr::Return(node) if !self.only_names => {
                if let Some(value) = &mut node.expr {
                    **value = self.value(value);
                }
                return;
            }
            _ => visit_mut::visit_expr_mut(self, expr),
        }
        let Expr::Try(node) = expr else { return };
        if let Expr::Path(path) = strip(&node.expr)
            && let Some(name) = path.path.get_ident()
            && let Some(tried) = self.results.get_mut(&text::key(name))
        {
            *tried += 1;
            *expr = (*node.expr).clone();
        } else if !self.only_names {
            *expr = tried(&node.expr);
        }
    }
}

impl Values<'_> {
    /// Returns whether `?` follows each name that it follows once, wherever it stands in the tokens.
    fn are_results(&self, whole: &TokenStream) -> bool {
        self.results.iter().all(|(name, tried)| {
            let plain = name.split('#').next().unwrap_or_default();
            *tried == 0 || *tried == uses(whole, &Ident::new(plain, proc_macro2::Span::call_site()))
        })
    }

    /// Returns the value of a `TxResult`.
    fn value(&mut self, expr: &Expr) -> Expr {
        let mut new = strip(expr).clone();
        match &mut new {
            Expr::Call(call) if value_of_ok(expr).is_some() => {
                let mut value = call.args[0].clone();
                self.visit_expr_mut(&mut value);
                return value;
            }
            Expr::Block(node) if node.label.is_none() => self.value_of_block(&mut node.block),
            Expr::If(node) => {
                self.visit_expr_mut(&mut node.cond);
                self.value_of_block(&mut node.then_branch);
                if let Some((_, other)) = &mut node.else_branch {
                    **other = self.value(other);
                }
            }
            Expr::Match(node) => {
                self.visit_expr_mut(&mut node.expr);
                for arm in &mut node.arms {
                    *arm.body = self.value(&arm.body);
                }
            }
            Expr::Return(_) => self.visit_expr_mut(&mut new),
            _ => {
                if let Some(passed) = self.closures.passed_on(&new) {
                    return passed;
                }
                self.visit_expr_mut(&mut new);
                return tried(&new);
            }
        }
        new
    }

    fn value_of_block(&mut self, block: &mut Block) {
        let last = match block.stmts.last() {
            Some(Stmt::Expr(last, None)) => Some(last.clone()),
            _ => None,
        };
        let count = block.stmts.len() - usize::from(last.is_some());
        block.stmts[..count].iter_mut().for_each(|stmt| self.visit_stmt_mut(stmt));
        if let Some(last) = last {
            block.stmts[count] = Stmt::Expr(self.value(&last), None);
        }
    }
}

/// Marks what is left: `?` of the handle in closures that nothing passes on.
struct Lost<'a> {
    handle: &'a Ident,
}

impl VisitMut for Lost<'_> {
    fn visit_expr_method_call_mut(&mut self, node: &mut ExprMethodCall) {
        // The closure of `tx.update` is the transaction's own code.
        if matches!(strip(&node.receiver), Expr::Path(path) if path.path.is_ident(self.handle)) {
            return;
        }
        visit_mut::visit_expr_method_call_mut(self, node);
    }

    fn visit_expr_closure_mut(&mut self, node: &mut ExprClosure) {
        struct Marks<'a>(&'a Ident);
        impl VisitMut for Marks<'_> {
            fn visit_expr_mut(&mut self, expr: &mut Expr) {
                visit_mut::visit_expr_mut(self, expr);
                if let Expr::Try(node) = expr
                    && uses(&node.to_token_stream(), self.0) > 0
                {
                    let (value, name) = (&node.expr, Ident::new(LOST, node.question_token.span));
                    *expr = syn::parse_quote!((#value).#name());
                }
            }
        }
        Marks(self.handle).visit_expr_mut(&mut node.body);
    }
}

/// Returns a call with another receiver, method and arguments.
fn with(call: &ExprMethodCall, method: &str, receiver: Expr, args: Vec<Expr>) -> Expr {
    let (method, args) = (Ident::new(method, call.method.span()), args.into_iter().collect());
    Expr::MethodCall(ExprMethodCall { receiver: Box::new(receiver), method, args, ..call.clone() })
}

/// Returns the mark of a `?` that is one of the function.
fn tried(value: &Expr) -> Expr {
    let name = Ident::new(TRIED, value.span());
    syn::parse_quote!((#value).#name())
}

fn value_of_ok(expr: &Expr) -> Option<&Expr> {
    match strip(expr) {
        Expr::Call(call) if text::source(&call.func) == "Ok" && call.args.len() == 1 => call.args.first(),
        _ => None,
    }
}

/// Returns the type of a sum of values, where the one of `TxResult`s was written.
fn of_values(turbofish: Option<syn::AngleBracketedGenericArguments>) -> Option<syn::AngleBracketedGenericArguments> {
    let turbofish = turbofish?;
    let GenericArgument::Type(ty) = turbofish.args.first()? else { return None };
    let inside = type_inside("Ok", ty).filter(|inside| !matches!(inside, Type::Infer(_)))?;
    syn::parse2(quote!(::<#inside>)).ok()
}

/// Returns how often a name stands in tokens.
fn uses(tokens: &TokenStream, name: &Ident) -> usize {
    let of = |token: TokenTree| match token {
        TokenTree::Ident(ident) => usize::from(ident == *name),
        TokenTree::Group(group) => uses(&group.stream(), name),
        _ => 0,
    };
    tokens.clone().into_iter().map(of).sum()
}

/// Returns how often `name(..)?` stands in tokens.
fn calls_tried(tokens: TokenStream, name: &Ident) -> usize {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let inside = tokens.iter().map(|token| match token {
        TokenTree::Group(group) => calls_tried(group.stream(), name),
        _ => 0,
    });
    let here = tokens.windows(3).filter(|three| {
        matches!(three, [TokenTree::Ident(called), TokenTree::Group(_), TokenTree::Punct(mark)]
            if called == name && mark.as_char() == '?')
    });
    inside.sum::<usize>() + here.count()
}
