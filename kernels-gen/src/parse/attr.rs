//! The options of the attribute.

use proc_macro2::TokenStream;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Lit, MetaNameValue, Token};

use crate::diag::{Diagnostics, Rule, nearest};
use crate::ir::{Options, Overflow};

const OPTIONS: [&str; 3] = ["max_accesses", "overflow", "max_iterations"];
const EXAMPLE: &str = "write for example `#[gpu_transaction(max_accesses = 64, overflow = \"check\")]`";

/// Reads `max_accesses = 64, overflow = "check"` and so on.
pub(crate) fn parse_options(attr: TokenStream, diags: &mut Diagnostics) -> Options {
    let mut options = Options::default();
    let pairs = match Punctuated::<MetaNameValue, Token![,]>::parse_terminated.parse2(attr.clone()) {
        Ok(pairs) => pairs,
        Err(_) => {
            diags.report(Rule::Option, attr, format!("the options are `name = value` pairs; {EXAMPLE}"));
            return options;
        }
    };
    let mut seen: Vec<String> = Vec::new();
    for pair in &pairs {
        let name = pair.path.get_ident().map(ToString::to_string).unwrap_or_default();
        if seen.contains(&name) {
            diags.report(Rule::Option, &pair.path, format!("`{name}` is given twice; remove one of them"));
        }
        match name.as_str() {
            "max_accesses" => options.max_accesses = count(pair, 65_535, diags),
            "max_iterations" => options.max_iterations = count(pair, u32::MAX, diags),
            "overflow" => options.overflow = overflow(pair, diags),
            _ => unknown(pair, &name, diags),
        }
        seen.push(name);
    }
    options
}

fn unknown(pair: &MetaNameValue, name: &str, diags: &mut Diagnostics) {
    let hint = match nearest(name, &OPTIONS) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the options are `{}`", OPTIONS.join("`, `")),
    };
    diags.report(Rule::Option, &pair.path, format!("there is no option `{name}`; {hint}"));
}

fn count(pair: &MetaNameValue, most: u32, diags: &mut Diagnostics) -> Option<u32> {
    let value = match &pair.value {
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => int.base10_parse::<u32>().ok(),
        _ => None,
    };
    let value = value.filter(|n| (1..=most).contains(n));
    if value.is_none() {
        let name = pair.path.get_ident().map(ToString::to_string).unwrap_or_default();
        let message = format!("`{name}` is a whole number from 1 to {most}; write for example `{name} = 64`");
        diags.report(Rule::Option, &pair.value, message);
    }
    value
}

fn overflow(pair: &MetaNameValue, diags: &mut Diagnostics) -> Overflow {
    if let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value {
        match text.value().as_str() {
            "check" => return Overflow::Check,
            "wrap" => return Overflow::Wrap,
            _ => {}
        }
    }
    let message = "`overflow` is \"check\" (a fault) or \"wrap\"; left out, it follows the build as in rustc";
    diags.report(Rule::Option, &pair.value, message);
    Overflow::AsBuilt
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Options, String) {
        let mut diags = Diagnostics::default();
        let options = parse_options(text.parse().unwrap(), &mut diags);
        (options, diags.to_string())
    }

    #[test]
    fn reads_every_option() {
        let (options, errors) = read(r#"max_accesses = 64, overflow = "wrap", max_iterations = 1_000"#);
        let expect = Options { max_accesses: Some(64), overflow: Overflow::Wrap, max_iterations: Some(1_000) };
        assert_eq!((options, errors.as_str()), (expect, ""));
    }

    #[test]
    fn explains_bad_options() {
        for (text, expect) in [
            ("max_acesses = 1", "did you mean `max_accesses`?"),
            ("unrelated = 1", "the options are `max_accesses`, `overflow`, `max_iterations`"),
            ("max_accesses = 0", "a whole number from 1 to 65535"),
            ("max_accesses = -1", "a whole number"),
            ("overflow = \"panic\"", "\"check\" (a fault) or \"wrap\""),
            ("overflow = \"check\", overflow = \"wrap\"", "given twice"),
            ("checked", "`name = value` pairs"),
        ] {
            let (_, errors) = read(text);
            assert!(errors.contains(expect), "{text}: {errors}");
        }
    }
}
