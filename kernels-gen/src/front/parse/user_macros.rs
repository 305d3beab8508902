//! Macros of the standard library, and `gpu_println!`, written out before everything else: what they contain is then like any other text.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, LitStr, Macro, Pat, Stmt, Token};

use super::format;
use super::message::Message;
use super::text;
use super::tree::{FAILED, PRINT, ungrouped};
use crate::front::diag::{Diagnostics, Rule, SourceSpan};

/// Writes out the macros of a function.
pub(super) fn written_out(item: &mut syn::ItemFn, diags: &mut Diagnostics) {
    Macros { diags }.visit_block_mut(&mut item.block);
}

struct Macros<'a> {
    diags: &'a mut Diagnostics,
}

impl VisitMut for Macros<'_> {
    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        as_expression(stmt);
        visit_mut::visit_stmt_mut(self, stmt);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Macro(node) = expr
            && let Some(new) = expand(&node.mac, self.diags)
        {
            *expr = new;
        }
        visit_mut::visit_expr_mut(self, expr);
    }
}

/// Makes an expression of a macro that is a statement.
pub(super) fn as_expression(stmt: &mut Stmt) {
    if let Stmt::Macro(node) = stmt
        && node.attrs.is_empty()
    {
        let mac = node.mac.clone();
        let expr = Expr::Macro(syn::ExprMacro { attrs: Vec::new(), mac });
        *stmt = Stmt::Expr(expr, Some(node.semi_token.unwrap_or_default()));
    }
}

/// Writes out a macro. `None`: it stays.
pub(super) fn expand(mac: &Macro, diags: &mut Diagnostics) -> Option<Expr> {
    let name = mac.path.get_ident()?.to_string();
    let span = mac.path.span();
    let tokens = match name.as_str() {
        "matches" => mac.parse_body::<Matches>().map(|m| m.expr(span)),
        "assert" => assert(mac, false),
        "debug_assert" => assert(mac, true),
        "assert_eq" => assert_pair(mac, quote_spanned!(span=> ==), false),
        "assert_ne" => assert_pair(mac, quote_spanned!(span=> !=), false),
        "debug_assert_eq" => assert_pair(mac, quote_spanned!(span=> ==), true),
        "debug_assert_ne" => assert_pair(mac, quote_spanned!(span=> !=), true),
        "panic" => message(mac, "explicit panic"),
        "unreachable" => message(mac, "entered unreachable code"),
        "todo" => message(mac, "not yet implemented"),
        "unimplemented" => message(mac, "not implemented"),
        "gpu_println" => print(mac),
        _ => return None,
    };
    match tokens.and_then(syn::parse2) {
        Ok(expr) => Some(expr),
        Err(error) => {
            let message = format!("`{name}!`: {error}");
            diags.report(Rule::Macro, SourceSpan::from(error.span()), message);
            failed(span)
        }
    }
}

/// Writes out `assert!(condition)`, with or without a message.
fn assert(mac: &Macro, debug: bool) -> syn::Result<TokenStream> {
    let args = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(mac.tokens.clone())?;
    let Some(condition) = args.first() else {
        return Err(syn::Error::new(mac.path.span(), "the condition is missing; write `assert!(condition)`"));
    };
    let given = args.iter().skip(1).collect::<Vec<_>>();
    let message = Message::of(&given)?.or_else(|| format!("assertion failed: {}", text::source(condition)));
    Ok(fault_unless(mac.path.span(), &quote!(#condition), debug, &message))
}

/// Writes out `assert_eq!(a, b)` and the like.
fn assert_pair(mac: &Macro, op: TokenStream, debug: bool) -> syn::Result<TokenStream> {
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

fn message(mac: &Macro, default: &str) -> syn::Result<TokenStream> {
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

/// Returns the placeholder for an expression whose error is reported already.
pub(super) fn failed(span: Span) -> Option<Expr> {
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
