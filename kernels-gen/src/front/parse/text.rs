//! Short source texts for locations.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;

/// The largest number of characters of a text.
const LIMIT: usize = 40;

/// Returns an identifier without `r#`.
pub(crate) fn plain(ident: &syn::Ident) -> String {
    use syn::ext::IdentExt;
    ident.unraw().to_string()
}

/// Returns the key that distinguishes an identifier: its name, and the `macro_rules!` that it comes from, because a variable of a
/// macro is not visible to the macro's user.
pub(crate) fn key(ident: &syn::Ident) -> String {
    // This is the only way to the hygiene context on stable: a span prints as `#context bytes(start..end)`.
    let span = format!("{:?}", ident.span());
    match span.split_once(' ') {
        Some((context, _)) if context.starts_with('#') && context != "#0" => plain(ident) + context,
        _ => plain(ident),
    }
}

/// Returns the tokens as a person would write them on one line, shortened.
pub(crate) fn source(node: &impl ToTokens) -> String {
    let mut text = String::new();
    write(node.to_token_stream(), &mut text);
    shorten(&text)
}

/// Returns the same for an expression, and prints only as much of it as the text shows.
pub(crate) fn of_expr(expr: &syn::Expr) -> String {
    source(super::source_span::beginning(expr, LIMIT))
}

/// Returns the type as a person would write it.
pub(crate) fn type_source(ty: &impl ToTokens) -> String {
    source(ty).replace(" < ", "<").replace("< ", "<").replace(" >", ">").replace("- >", "->")
}

/// Cuts a text that is too long.
pub(crate) fn shorten(text: &str) -> String {
    if text.chars().count() <= LIMIT {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(LIMIT - 1).collect();
    cut.truncate(cut.trim_end().len());
    cut + "…"
}

fn write(tokens: TokenStream, text: &mut String) {
    // There is no space after an opening token or a prefix operator, and none before a closing token.
    let (mut glued, mut operand, mut joint) = (true, false, false);
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                write_group(&group, operand, glued, text);
                (glued, operand, joint) = (false, true, false);
            }
            TokenTree::Punct(punct) => {
                let c = punct.as_char();
                let tight = matches!(c, '.' | '?' | ',' | ';' | ':');
                if !(tight || glued) {
                    text.push(' ');
                }
                text.push(c);
                let prefix = matches!(c, '-' | '!' | '&' | '*') && !operand && !joint;
                // `..=` has no space after it either.
                let range = c == '=' && text.ends_with("..=");
                joint = punct.spacing() == Spacing::Joint;
                glued = joint || prefix || range || matches!(c, '.' | '\'') || text.ends_with("::");
                operand = c == '?';
            }
            other => {
                if !glued {
                    text.push(' ');
                }
                text.push_str(&other.to_string());
                joint = false;
                (glued, operand) = (false, !matches!(text.rsplit(' ').next(), Some("return" | "as" | "in" | "if")));
            }
        }
    }
}

fn write_group(group: &proc_macro2::Group, call: bool, glued: bool, text: &mut String) {
    let (open, close) = match group.delimiter() {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::Brace => ("{ ", " }"),
        Delimiter::None => ("", ""),
    };
    let tight = glued || (call && !matches!(group.delimiter(), Delimiter::Brace | Delimiter::None));
    if !tight {
        text.push(' ');
    }
    text.push_str(open);
    write(group.stream(), text);
    text.push_str(close);
}

#[cfg(test)]
mod tests;
