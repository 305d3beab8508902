//! The nesting depth of source text, found before it is parsed. The parser, the passes over its tree and rustc recurse with
//! the nesting, and a macro cannot enlarge its stack.
//!
//! Depth is counted in links: an operator, a method call and an `else if` each count as one. In an unoptimized build the macro
//! takes about 4 KB of stack for each, and rustc's threads have 8 MB.

use proc_macro2::{Delimiter, Spacing, Span, TokenStream, TokenTree};

/// The greatest depth of source text in links: about half of what fits the stack.
const MOST_LINKS: u32 = 1024;

/// The links of a block.
const BLOCK: u32 = 6;

/// The links of parentheses and brackets.
const PARENTHESES: u32 = 4;

/// The links of the arguments of a type, besides their signs: the parser takes much more stack for a type than for an operator.
const ARGUMENTS: u32 = 6;

/// The message for source text that nests too deep.
pub(crate) const TOO_DEEP: &str = "this nests too deep for the compiler: an expression can chain about 1000 operators, calls or \
                                   `else if`, and nest 250 pairs of parentheses, 150 blocks or 120 types; give parts of it names \
                                   with `let`, or move them into functions with `#[gpu_fn]`";

/// Returns where the text nests too deep, if it does.
pub(crate) fn too_deep(tokens: &TokenStream) -> Option<Span> {
    depth(tokens.clone(), MOST_LINKS).err()
}

/// Returns how deep the tokens nest, or the span where the depth exceeds `room`.
fn depth(tokens: TokenStream, room: u32) -> Result<u32, Span> {
    let (mut deepest, mut run) = (0, TokenRun::default());
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        run.begun.get_or_insert_with(|| token.span());
        match &token {
            TokenTree::Group(group) => {
                let block = group.delimiter() == Delimiter::Brace;
                let own = if block { BLOCK } else { PARENTHESES };
                let inside = room.checked_sub(own).ok_or_else(|| group.span_open())?;
                run.inside = run.inside.max(own + depth(group.stream(), inside)?);
                match tokens.peek() {
                    Some(TokenTree::Ident(word)) if block && *word == "else" => run.other_branch(),
                    // A new expression begins after a block, unless an operator continues the block's value. A label and an
                    // attribute do not continue it.
                    Some(TokenTree::Punct(sign)) if !(block && matches!(sign.as_char(), '\'' | '#')) => {}
                    Some(_) if block => run.end(&mut deepest, room)?,
                    // `f(a)(b)[c]`
                    Some(_) => run.links += 1,
                    None => {}
                }
            }
            TokenTree::Punct(punct) => match run.with_arguments(punct.as_char()) {
                ';' | ',' => run.end(&mut deepest, room)?,
                // A pattern precedes `=>`, and its alternatives do not nest.
                '>' if run.first == Some('=') => {
                    run.alternatives = 0;
                    run.end(&mut deepest, room)?;
                }
                _ if run.is_second(punct.as_char()) => {}
                '|' => run.alternatives += 1,
                _ => run.links += 1,
            },
            TokenTree::Ident(word) => run.links += u32::from(*word == "as"),
            TokenTree::Literal(_) => {}
        }
        run.first = match &token {
            TokenTree::Punct(punct) if punct.spacing() == Spacing::Joint => Some(punct.as_char()),
            _ => None,
        };
    }
    run.end(&mut deepest, room)?;
    Ok(deepest)
}

/// Tokens that may all belong to one expression.
#[derive(Default)]
struct TokenRun {
    /// The first token.
    begun: Option<Span>,
    /// The number of `else` so far.
    branches: u32,
    /// The number of operators since the last `else`.
    links: u32,
    /// The number of `|` since the last `else`: operators, or alternatives of a pattern.
    alternatives: u32,
    /// The largest number of operators between two `else`.
    most: u32,
    /// The greatest depth of its groups.
    inside: u32,
    /// The number of `<` of types that are not closed yet.
    arguments: u32,
    /// The largest such number so far.
    most_arguments: u32,
    /// The last token, if it is a sign directly before another one.
    first: Option<char>,
}

impl TokenRun {
    /// Returns whether the sign is the second one of an operator. Adjacent prefix operators count as one each.
    fn is_second(&self, sign: char) -> bool {
        self.first
            .is_some_and(|first| sign == '=' || first == sign && "&|<>:.".contains(sign) || (first, sign) == ('-', '>'))
    }

    /// Counts the arguments of types, and returns the sign. A comparison is counted only for a short time: no two comparisons
    /// follow each other without `&&` or `||`.
    fn with_arguments(&mut self, sign: char) -> char {
        match (self.first, sign) {
            // A shift, or a comparison.
            (Some('<'), '<' | '=') => self.arguments = self.arguments.saturating_sub(1),
            (Some('&'), '&') | (Some('|'), '|') => self.arguments = 0,
            (Some('-' | '='), '>') => {}
            (_, '<') => self.arguments += 1,
            (_, '>') => self.arguments = self.arguments.saturating_sub(1),
            _ => {}
        }
        self.most_arguments = self.most_arguments.max(self.arguments);
        sign
    }

    fn other_branch(&mut self) {
        self.branches += 1;
        self.most = self.most.max(self.links + self.alternatives);
        (self.links, self.alternatives) = (0, 0);
    }

    fn end(&mut self, deepest: &mut u32, room: u32) -> Result<(), Span> {
        let run = std::mem::take(self);
        let depth =
            run.branches + run.most.max(run.links + run.alternatives) + run.inside + ARGUMENTS * run.most_arguments;
        *deepest = (*deepest).max(depth);
        match run.begun {
            Some(begun) if depth > room => Err(begun),
            _ => Ok(()),
        }
    }
}

/// Returns the item with an empty body, which can be parsed whatever its body was.
pub(crate) fn without_body(item: &TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    if let Some(TokenTree::Group(body)) = tokens.last_mut()
        && body.delimiter() == Delimiter::Brace
    {
        *body = proc_macro2::Group::new(Delimiter::Brace, TokenStream::new());
    }
    tokens.into_iter().collect()
}

#[cfg(test)]
mod tests;
