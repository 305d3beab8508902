//! The options of the attribute.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{BinOp, Expr, ExprLit, Lit, Meta, MetaList, MetaNameValue, Token};

use super::instance::Instance;
use crate::front::diag::{Diagnostics, Rule, nearest};
use crate::ir::{Options, Overflow};

const OPTIONS: [&str; 5] = ["max_accesses", "overflow", "max_iterations", "instantiate", "crate"];
const EXAMPLE: &str = "write for example `#[gpu_transaction(max_accesses = 64, overflow = \"check\")]`";

/// The contents of the parentheses of the attribute.
#[derive(Debug, Default)]
pub(crate) struct Attribute {
    pub(crate) options: Options,
    /// The constant of `max_accesses = NAME`.
    pub(crate) stated: Option<Expr>,
    /// The entries of `instantiate(..)`.
    pub(crate) instances: Vec<Instance>,
    /// The path of `crate = ..`.
    pub(crate) root: Option<TokenStream>,
}

/// Reads `max_accesses = 64, instantiate(u32, i64)` and so on.
pub(crate) fn parse_options(attr: TokenStream, diags: &mut Diagnostics) -> Attribute {
    let mut attribute = Attribute::default();
    let metas = match Punctuated::<Meta, Token![,]>::parse_terminated.parse2(attr.clone()) {
        Ok(metas) => metas,
        Err(_) => {
            diags.report(Rule::Option, attr, format!("the options are `name = value` pairs; {EXAMPLE}"));
            return attribute;
        }
    };
    let options = &mut attribute.options;
    let mut seen: Vec<String> = Vec::new();
    for meta in &metas {
        let name = meta.path().get_ident().map(ToString::to_string).unwrap_or_default();
        if seen.contains(&name) {
            diags.report(Rule::Option, meta.path(), format!("`{name}` is given twice; remove one of them"));
        }
        match (name.as_str(), meta) {
            ("max_accesses", Meta::NameValue(pair)) if is_name(&pair.value) => {
                attribute.stated = Some(pair.value.clone())
            }
            ("max_accesses", Meta::NameValue(pair)) => options.max_accesses = count(pair, 65_535, diags),
            ("max_iterations", Meta::NameValue(pair)) => options.max_iterations = count(pair, u32::MAX, diags),
            ("overflow", Meta::NameValue(pair)) => options.overflow = overflow(pair, diags),
            ("instantiate", Meta::List(list)) => attribute.instances = instances(list, diags),
            ("crate", Meta::NameValue(pair)) => attribute.root = root(&pair.value, diags),
            ("instantiate", _) => {
                diags.report(Rule::Option, meta, "the types are listed in parentheses; write `instantiate(u32, i64)`");
            }
            (known, _) if OPTIONS.contains(&known) => {
                diags.report(Rule::Option, meta, format!("the options are `name = value` pairs; {EXAMPLE}"));
            }
            _ => unknown(meta, &name, diags),
        }
        seen.push(name);
    }
    attribute
}

/// Returns whether the value is the path of a constant.
fn is_name(value: &Expr) -> bool {
    matches!(value, Expr::Path(path) if path.qself.is_none())
}

fn instances(list: &MetaList, diags: &mut Diagnostics) -> Vec<Instance> {
    match list.parse_args_with(Punctuated::<Instance, Token![,]>::parse_terminated) {
        Ok(types) if !types.is_empty() => types.into_iter().collect(),
        _ => {
            diags.report(Rule::Option, list, "`instantiate` lists types; write `instantiate(u32, i64)`");
            Vec::new()
        }
    }
}

/// Reads the option of `#[gpu_fn]`, which has one: the path of `crate = ..`.
pub(crate) fn parse_root(attr: TokenStream, diags: &mut Diagnostics) -> Option<TokenStream> {
    match syn::parse2::<MetaNameValue>(attr.clone()) {
        Ok(pair) if pair.path.is_ident("crate") => root(&pair.value, diags),
        _ => {
            let message = "`#[gpu_fn]` has only the option `crate = ::path`; the other options are those of the calling transaction";
            diags.report(Rule::Option, attr, message);
            None
        }
    }
}

fn root(value: &Expr, diags: &mut Diagnostics) -> Option<TokenStream> {
    if matches!(value, Expr::Path(path) if path.qself.is_none()) {
        return Some(value.to_token_stream());
    }
    let message = "`crate` is the path by which your program names this crate; write for example `crate = ::renamed`";
    diags.report(Rule::Option, value, message);
    None
}

fn unknown(meta: &Meta, name: &str, diags: &mut Diagnostics) {
    let hint = match nearest(name, &OPTIONS) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the options are `{}`", OPTIONS.join("`, `")),
    };
    diags.report(Rule::Option, meta.path(), format!("there is no option `{name}`; {hint}"));
}

fn count(pair: &MetaNameValue, most: u32, diags: &mut Diagnostics) -> Option<u32> {
    let value = number(&pair.value).and_then(|n| u32::try_from(n).ok()).filter(|n| (1..=most).contains(n));
    if value.is_none() {
        let name = pair.path.get_ident().map(ToString::to_string).unwrap_or_default();
        let constant = if name == "max_accesses" { ", or the name of a constant" } else { "" };
        let message = format!("`{name}` is a whole number from 1 to {most}{constant}; write for example `{name} = 64`");
        diags.report(Rule::Option, &pair.value, message);
    }
    value
}

/// Returns the value of a number, or of a product, sum or difference of numbers.
fn number(expr: &Expr) -> Option<u64> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => int.base10_parse().ok(),
        Expr::Paren(inner) => number(&inner.expr),
        Expr::Binary(node) => {
            let (left, right) = (number(&node.left)?, number(&node.right)?);
            match node.op {
                BinOp::Mul(_) => left.checked_mul(right),
                BinOp::Add(_) => left.checked_add(right),
                BinOp::Sub(_) => left.checked_sub(right),
                _ => None,
            }
        }
        _ => None,
    }
}

fn overflow(pair: &MetaNameValue, diags: &mut Diagnostics) -> Overflow {
    if let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value {
        match text.value().as_str() {
            "check" => return Overflow::Check,
            "wrap" => return Overflow::Wrap,
            _ => {}
        }
    }
    let message = "`overflow` is \"check\" (a fault) or \"wrap\"; the default follows the build, as in rustc";
    diags.report(Rule::Option, &pair.value, message);
    Overflow::AsBuilt
}

#[cfg(test)]
mod tests;
