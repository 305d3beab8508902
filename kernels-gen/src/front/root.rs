//! The crate by which printed items name the runtime.
//!
//! All printers write `::stm_runtime::..`. A user's program may know the runtime only as a part of another crate, or under another
//! name. Then [`move_to`] puts that path in the place of `::stm_runtime`, as the last step. This keeps the choice out of the
//! printers, and it keeps the spans, so messages of rustc stay where they were.

use proc_macro2::{Group, TokenStream, TokenTree};

/// The crate that the printers name.
const PRINTED: &str = "stm_runtime";

/// The keywords after which a path from the root can stand. After any other name, `::` continues a path.
const BEFORE_PATHS: [&str; 19] = [
    "as", "break", "const", "dyn", "else", "for", "if", "impl", "in", "match", "move", "mut", "pub", "ref", "return",
    "unsafe", "use", "where", "while",
];

/// Returns the tokens with `root` in the place of each `::stm_runtime`.
#[must_use]
pub fn move_to(root: &TokenStream, printed: TokenStream) -> TokenStream {
    moved(root, &printed).unwrap_or(printed)
}

/// Returns the changed tokens; `None` if nothing changes, so that what the user wrote stays as it is.
fn moved(root: &TokenStream, printed: &TokenStream) -> Option<TokenStream> {
    let mut tokens: Vec<TokenTree> = Vec::new();
    let mut changed = false;
    for token in printed.clone() {
        match token {
            TokenTree::Group(group) => {
                let inside = moved(root, &group.stream());
                changed |= inside.is_some();
                tokens.push(TokenTree::Group(inside.map_or(group.clone(), |inside| with_stream(&group, inside))));
            }
            TokenTree::Ident(name) if name == PRINTED && begins_path(&tokens) => {
                changed = true;
                tokens.truncate(tokens.len() - 2);
                tokens.extend(root.clone().into_iter().map(|mut token| {
                    // Resolved where the root was written, shown where the name was.
                    token.set_span(token.span().located_at(name.span()));
                    token
                }));
            }
            other => tokens.push(other),
        }
    }
    changed.then(|| tokens.into_iter().collect())
}

fn with_stream(group: &Group, stream: TokenStream) -> Group {
    let mut changed = Group::new(group.delimiter(), stream);
    changed.set_span(group.span());
    changed
}

/// Returns whether the tokens end with a `::` that begins a path.
fn begins_path(before: &[TokenTree]) -> bool {
    let is = |token: &TokenTree, sign: char| matches!(token, TokenTree::Punct(found) if found.as_char() == sign);
    let [rest @ .., first, second] = before else { return false };
    let continues = match rest {
        [.., quote, TokenTree::Ident(_)] if is(quote, '\'') => false,
        [.., TokenTree::Ident(name)] => !BEFORE_PATHS.iter().any(|word| name == word),
        _ => false,
    };
    is(first, ':') && is(second, ':') && !continues
}

/// Splits `crate = path, rest`: returns the path if there is one, and the rest.
pub(crate) fn split(input: TokenStream) -> (Option<TokenStream>, TokenStream) {
    let mut tokens = input.clone().into_iter();
    let is_word = tokens.next().is_some_and(|token| matches!(token, TokenTree::Ident(word) if word == "crate"));
    let is_sign = tokens.next().is_some_and(|token| matches!(token, TokenTree::Punct(sign) if sign.as_char() == '='));
    if !is_word || !is_sign {
        return (None, input);
    }
    let is_path = |token: &TokenTree| !matches!(token, TokenTree::Punct(sign) if sign.as_char() == ',');
    let path = tokens.by_ref().take_while(is_path).collect();
    (Some(path), tokens.collect())
}

#[cfg(test)]
mod tests;
