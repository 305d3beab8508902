//! Desugaring of the user's tree before it is parsed: macros, `tx.update`, and assignments to several places are written out.
//! Both printers therefore see one form.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprClosure, ExprMethodCall, LitStr, Macro, Pat, Stmt, Token};

use super::format;
use super::iterate::{self, ArrayNames, Iterators};
use super::message::Message;
use super::text;
use super::tree::{FAILED, GENERATED, INDEX, PRINT, names, ungrouped};
use crate::front::diag::{Diagnostics, Rule};

/// Desugars the body of a function whose handle has this name.
pub(super) fn desugar(item: &mut syn::ItemFn, handle: Option<&Ident>, diags: &mut Diagnostics) {
    let mut iterators = Iterators::default();
    super::exchanged::zips(item);
    super::split::written_out(item);
    iterators.local_closures(item);
    super::chosen::written_out(item);
    let arrays = ArrayNames::of(item);
    Desugar { handle, diags, iterators, arrays }.visit_block_mut(&mut item.block);
}

struct Desugar<'a> {
    handle: Option<&'a Ident>,
    diags: &'a mut Diagnostics,
    iterators: Iterators,
    arrays: ArrayNames,
}

impl VisitMut for Desugar<'_> {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        super::conditional::lets(block);
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Stmt::Macro(node) = stmt
            && node.attrs.is_empty()
        {
            let node_mac = node.mac.clone();
            let expr = Expr::Macro(syn::ExprMacro { attrs: Vec::new(), mac: node_mac });
            *stmt = Stmt::Expr(expr, Some(node.semi_token.unwrap_or_default()));
        }
        super::conditional::written_out(stmt);
        visit_mut::visit_stmt_mut(self, stmt);
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        iterate::type_of_let(local);
        if let Some(init) = &mut local.init
            && init.diverge.is_some()
        {
            self.iterators.matched(&mut init.expr, &mut [&mut local.pat], local.let_token.span);
        }
        visit_mut::visit_local_mut(self, local);
    }

    fn visit_expr_match_mut(&mut self, node: &mut syn::ExprMatch) {
        let mut patterns: Vec<&mut Pat> = node.arms.iter_mut().map(|arm| &mut arm.pat).collect();
        self.iterators.matched(&mut node.expr, &mut patterns, node.match_token.span);
        visit_mut::visit_expr_match_mut(self, node);
    }

    fn visit_expr_let_mut(&mut self, node: &mut syn::ExprLet) {
        self.iterators.matched(&mut node.expr, &mut [&mut node.pat], node.let_token.span);
        visit_mut::visit_expr_let_mut(self, node);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Some(new) = super::passed_parts::written_out(expr, &self.arrays) {
            *expr = new;
        }
        let new = match expr {
            Expr::Macro(node) => self.macro_expr(&node.mac),
            Expr::Assign(node) => super::several::written_out(node),
            Expr::Call(node) => {
                match super::exchanged::written_out(node).or_else(|| super::defaults::written_out(node)) {
                    Some(new) => Some(new),
                    None => {
                        let (new, span) = (self.iterators.call(node), node.func.span());
                        new.and_then(|new| self.iterated(new, span))
                    }
                }
            }
            Expr::Try(node) => match &*node.expr {
                Expr::MethodCall(call) if self.is_update(call) => self.update(call, true),
                _ => None,
            },
            Expr::MethodCall(call) if self.is_update(call) => self.update(call, false),
            Expr::MethodCall(call) => {
                let new = self.iterators.method(call, &self.arrays);
                let span = call.method.span();
                new.and_then(|new| self.iterated(new, span))
            }
            Expr::ForLoop(node) => {
                let new = self.iterators.for_loop(node, &self.arrays);
                let span = node.for_token.span;
                new.and_then(|new| self.iterated(new, span))
            }
            _ => None,
        };
        match new {
            Some(new) => {
                *expr = new;
                self.visit_expr_mut(expr);
            }
            None => visit_mut::visit_expr_mut(self, expr),
        }
    }
}

impl Desugar<'_> {
    fn is_update(&self, call: &ExprMethodCall) -> bool {
        let named = matches!(&*call.receiver, Expr::Path(path) if path.path.get_ident() == self.handle);
        named && self.handle.is_some() && call.method == "update" && call.args.len() == 3
    }

    /// Returns the loops that an iterator has become.
    fn iterated(&mut self, new: Result<TokenStream, iterate::Refused>, span: Span) -> Option<Expr> {
        match new {
            Ok(tokens) => syn::parse2(tokens).ok(),
            Err(refused) => {
                self.diags.report(Rule::Iterator, refused.at, refused.message);
                failed(span)
            }
        }
    }

    /// Writes out `tx.update(array, index, |value| new)` as a read and a write.
    fn update(&mut self, call: &ExprMethodCall, tried: bool) -> Option<Expr> {
        let args: Vec<&Expr> = call.args.iter().collect();
        let Expr::Closure(ExprClosure { inputs, body, .. }) = args[2] else {
            let message =
                "the last argument of `update` is a closure, as in `tx.update(array, index, |value| value + 1)?`";
            self.diags.report(Rule::Method, args[2], message);
            return failed(call.method.span());
        };
        let inputs: Vec<&Pat> = inputs.iter().collect();
        let [pat] = inputs.as_slice() else {
            self.diags.report(Rule::Method, args[2], "the closure of `update` takes one value; write `|value| ..`");
            return failed(call.method.span());
        };
        if let Some(at) = returns(body) {
            self.diags.report(
                Rule::Expression,
                at,
                "a closure of `update` cannot `return`; give the new value at its end",
            );
            return failed(call.method.span());
        }
        let (tx, array, index) = (&call.receiver, args[0], args[1]);
        let span = call.method.span();
        let (name, read, write) = (Ident::new(INDEX, span), Ident::new("read", span), Ident::new("write", span));
        let question = tried.then(|| quote_spanned!(span=> ?));
        // Where the closure calls its value by the name of the array, the value has a scope of its own.
        if text::source(array)
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|word| pattern_names(pat).contains(word))
        {
            let new = Ident::new(GENERATED, Span::mixed_site().located_at(span));
            return syn::parse2(quote_spanned! {span=> {
                let #name = #index;
                let #new = { let #pat = #tx.#read(#array, #name)?; #body };
                #tx.#write(#array, #name, #new) #question
            }})
            .ok();
        }
        syn::parse2(quote_spanned! {span=> {
            let #name = #index;
            let #pat = #tx.#read(#array, #name)?;
            #tx.#write(#array, #name, #body) #question
        }})
        .ok()
    }

    fn macro_expr(&mut self, mac: &Macro) -> Option<Expr> {
        let name = mac.path.get_ident()?.to_string();
        let span = mac.path.span();
        let tokens = match name.as_str() {
            "matches" => mac.parse_body::<Matches>().map(|m| m.expr(span)),
            "assert" => self.assert(mac, false),
            "debug_assert" => self.assert(mac, true),
            "assert_eq" => self.assert_pair(mac, quote_spanned!(span=> ==), false),
            "assert_ne" => self.assert_pair(mac, quote_spanned!(span=> !=), false),
            "debug_assert_eq" => self.assert_pair(mac, quote_spanned!(span=> ==), true),
            "debug_assert_ne" => self.assert_pair(mac, quote_spanned!(span=> !=), true),
            "panic" => self.message(mac, "explicit panic"),
            "unreachable" => self.message(mac, "entered unreachable code"),
            "todo" => self.message(mac, "not yet implemented"),
            "unimplemented" => self.message(mac, "not implemented"),
            "gpu_println" => print(mac),
            _ => return None,
        };
        match tokens.and_then(syn::parse2) {
            Ok(expr) => Some(expr),
            Err(error) => {
                let message = format!("`{name}!`: {error}");
                self.diags.report(Rule::Macro, crate::front::diag::SourceSpan::from(error.span()), message);
                failed(span)
            }
        }
    }

    /// Writes out `assert!(condition)`, with or without a message.
    fn assert(&mut self, mac: &Macro, debug: bool) -> syn::Result<TokenStream> {
        let args = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(mac.tokens.clone())?;
        let Some(condition) = args.first() else {
            return Err(syn::Error::new(mac.path.span(), "the condition is missing; write `assert!(condition)`"));
        };
        let given = args.iter().skip(1).collect::<Vec<_>>();
        let message = Message::of(&given)?.or_else(|| format!("assertion failed: {}", text::source(condition)));
        Ok(fault_unless(mac.path.span(), &quote!(#condition), debug, &message))
    }

    /// Writes out `assert_eq!(a, b)` and the like.
    fn assert_pair(&mut self, mac: &Macro, op: TokenStream, debug: bool) -> syn::Result<TokenStream> {
        let args = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(mac.tokens.clone())?;
        let args: Vec<&Expr> = args.iter().collect();
        let [left, right, given @ ..] = args.as_slice() else {
            return Err(syn::Error::new(mac.path.span(), "two values are compared; write `assert_eq!(a, b)`"));
        };
        let message = Message::of(given)?
            .or_else(|| format!("assertion failed: {} {op} {}", text::source(left), text::source(right)));
        let (span, left, right) = (mac.path.span(), operand(left), operand(right));
        Ok(fault_unless(span, &quote!(#left #op #right), debug, &message))
    }

    fn message(&mut self, mac: &Macro, default: &str) -> syn::Result<TokenStream> {
        let args = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(mac.tokens.clone())?;
        let mut message = Message::of(&args.iter().collect::<Vec<_>>())?;
        message.text = Some(match (message.text, default) {
            (Some(given), "explicit panic") => given,
            (Some(given), _) => format!("{default}: {given}"),
            (None, _) => default.to_owned(),
        });
        let (fault, span) = (message.fault(mac.path.span()), mac.path.span());
        match message.values.is_empty() {
            true => Ok(fault),
            false => Ok(quote_spanned!(span=> { #fault })),
        }
    }
}

/// Returns the placeholder for an expression whose error is reported already.
fn failed(span: Span) -> Option<Expr> {
    let name = Ident::new(FAILED, span);
    syn::parse2(quote_spanned!(span=> #name!())).ok()
}

/// Returns an operand of an operator, in parentheses where it needs them.
fn operand(expr: &Expr) -> TokenStream {
    match expr {
        Expr::Lit(_) | Expr::Path(_) | Expr::Call(_) | Expr::MethodCall(_) | Expr::Field(_) | Expr::Index(_) => {
            quote!(#expr)
        }
        other => quote_spanned!(other.span()=> (#other)),
    }
}

fn fault_unless(span: Span, condition: &TokenStream, debug: bool, message: &Message) -> TokenStream {
    // The span marks the code as generated, for lints.
    let span = Span::mixed_site().located_at(span);
    let fault = message.fault(span);
    match debug {
        true => quote_spanned!(span=> if cfg!(debug_assertions) && !(#condition) { #fault }),
        false => quote_spanned!(span=> if !(#condition) { #fault }),
    }
}

fn print(mac: &Macro) -> syn::Result<TokenStream> {
    let args = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(mac.tokens.clone())?;
    let name = Ident::new(PRINT, mac.path.span());
    let mut args = args.into_iter();
    let format = match args.next().map(ungrouped) {
        None => LitStr::new("", mac.path.span()),
        Some(Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. })) => text,
        Some(other) => return Err(syn::Error::new_spanned(other, "the format is a literal, as in `\"balance {}\"`")),
    };
    let parts = format::parts(&format.value()).map_err(|why| syn::Error::new_spanned(&format, why))?;
    let mut values: Vec<Expr> = Vec::new();
    for part in &parts {
        match part {
            format::FormatPart::Value(Some(name), _) => {
                let name = Ident::new(&name.to_string(), format.span());
                values.push(syn::parse_quote!(#name));
            }
            format::FormatPart::Value(None, _) => values.extend(args.next()),
            format::FormatPart::Text(_) => {}
        }
    }
    values.extend(args);
    let format = LitStr::new(&format::without_names(&parts), format.span());
    Ok(quote_spanned!(mac.path.span()=> #name(#format #(, #values)*)))
}

/// `matches!(value, pattern if guard)`
struct Matches {
    value: Expr,
    pat: Pat,
    guard: Option<Expr>,
}

impl Parse for Matches {
    fn parse(input: ParseStream<'_>) -> syn::Result<Matches> {
        let value = input.parse()?;
        input.parse::<Token![,]>()?;
        let pat = Pat::parse_multi_with_leading_vert(input)?;
        let guard = match input.parse::<Option<Token![if]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        input.parse::<Option<Token![,]>>()?;
        Ok(Matches { value, pat, guard })
    }
}

impl Matches {
    fn expr(&self, span: Span) -> TokenStream {
        let Matches { value, pat, guard } = self;
        let guard = guard.as_ref().map(|guard| quote!(if #guard));
        quote_spanned! {span=>
            match #value {
                #pat #guard => true,
                #[allow(unreachable_patterns)]
                _ => false,
            }
        }
    }
}

/// Returns the names in a pattern.
fn pattern_names(pat: &Pat) -> std::collections::HashSet<String> {
    names(pat).into_iter().map(|key| key.split('#').next().unwrap_or_default().to_owned()).collect()
}

/// Returns a `return` in an expression.
fn returns(expr: &Expr) -> Option<Expr> {
    struct Finder(Option<Expr>);
    impl<'ast> syn::visit::Visit<'ast> for Finder {
        fn visit_expr_return(&mut self, node: &'ast syn::ExprReturn) {
            self.0 = Some(Expr::Return(node.clone()));
        }
    }
    let mut finder = Finder(None);
    syn::visit::Visit::visit_expr(&mut finder, expr);
    finder.0
}
