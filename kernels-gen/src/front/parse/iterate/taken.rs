//! The uses of an iterator in a variable: see `variables.rs`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprMethodCall, RangeLimits, Stmt};

use super::super::tree::{GENERATED, strip};

/// The elements of an iterator before its steps.
pub(super) enum Elements {
    /// A chain of which nothing is taken before all is.
    Chain(Expr),
    /// Those of an array at the positions from `taken` to `end`, or as many of its last ones.
    Array { array: Expr, taken: Ident, end: Ident, reversed: bool, numbered: Option<Ident>, owned: bool },
    /// A range from `taken` on.
    Range { taken: Ident, end: Option<Ident>, limits: RangeLimits, one_by_one: bool },
}

/// An iterator in a variable.
pub(super) struct Iterated {
    pub(super) name: Ident,
    elements: Elements,
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

/// Methods that can leave elements in the iterator.
const PARTLY: [&str; 15] = [
    "next",
    "nth",
    "any",
    "all",
    "find",
    "find_map",
    "position",
    "try_fold",
    "try_for_each",
    "next_back",
    "nth_back",
    "rposition",
    "rfind",
    "by_ref",
    "peek",
];

impl Iterated {
    pub(super) fn new(
        name: Ident,
        (elements, steps): (Elements, Vec<ExprMethodCall>),
        mutable: bool,
        span: Span,
    ) -> Iterated {
        let advances = mutable
            && match &elements {
                Elements::Chain(_) => false,
                Elements::Array { .. } => true,
                Elements::Range { one_by_one, .. } => *one_by_one,
            };
        Iterated { name, elements, steps, advances, failed: false, uses: 0, partly: false, span }
    }

    /// Returns the statements in which the variable is not used any more.
    pub(super) fn used(mut self, rest: &[Stmt]) -> Option<Vec<Stmt>> {
        let mut rest = rest.to_vec();
        rest.iter_mut().for_each(|stmt| self.visit_stmt_mut(stmt));
        (!(self.failed || self.partly && self.uses > 1)).then_some(rest)
    }

    /// Returns the chain of the elements that are left.
    pub(super) fn remaining(&self) -> Expr {
        let span = self.span;
        self.with_steps(match &self.elements {
            Elements::Chain(chain) => chain.clone(),
            Elements::Range { taken, end, limits, .. } => syn::parse_quote_spanned!(span=> (#taken #limits #end)),
            Elements::Array { array, taken, end, reversed, numbered, owned } => {
                let iter = Ident::new(if *owned { "into_iter" } else { "iter" }, span);
                let all = quote_spanned!(span=> #array.#iter());
                let all = if *reversed { quote_spanned!(span=> #all.rev()) } else { all };
                syn::parse2(match numbered {
                    Some(first) => {
                        quote_spanned!(span=> #all.take(#end).skip(#first).enumerate().skip(#taken - #first))
                    }
                    None => quote_spanned!(span=> #all.take(#end).skip(#taken)),
                })
                .unwrap_or_else(|_| array.clone())
            }
        })
    }

    fn with_steps(&self, elements: Expr) -> Expr {
        self.steps.iter().fold(elements, |chain, step| {
            Expr::MethodCall(ExprMethodCall { receiver: Box::new(chain), ..step.clone() })
        })
    }

    /// Returns statements that take the next element. `inside` runs with `name` for what the steps make of it, and `otherwise` where no
    /// element is left.
    fn one(&self, name: &TokenStream, (inside, otherwise): (TokenStream, TokenStream)) -> TokenStream {
        let (span, one) = (self.span, format_ident!("{GENERATED}one", span = self.span));
        let (more, declared, owned) = match &self.elements {
            Elements::Array { array, taken, end, reversed, numbered, owned } => {
                let at = format_ident!("{GENERATED}place", span = span);
                let place = match reversed {
                    true => quote_spanned!(span=> #array.len() - 1 - #taken),
                    false => taken.to_token_stream(),
                };
                let element = quote_spanned!(span=> #array[#at]);
                let element = match numbered {
                    Some(first) => quote_spanned!(span=> (#taken - #first, #element)),
                    None => element,
                };
                (
                    quote_spanned!(span=> #taken < #end),
                    quote_spanned!(span=> let #at = #place; let #one = #element;),
                    *owned,
                )
            }
            Elements::Range { taken, end, .. } => {
                let more = end
                    .as_ref()
                    .map_or_else(|| quote_spanned!(span=> true), |end| quote_spanned!(span=> #taken < #end));
                (more, quote_spanned!(span=> let #one = #taken;), true)
            }
            Elements::Chain(_) => return TokenStream::new(),
        };
        let (Elements::Array { taken, .. } | Elements::Range { taken, .. }) = &self.elements else { return declared };
        let iter = Ident::new(if owned { "into_iter" } else { "iter" }, span);
        let inside = match self.steps.is_empty() {
            true => quote_spanned!(span=> let #name = #one; #inside),
            false => {
                let chain = self.with_steps(syn::parse_quote_spanned!(span=> [#one].#iter()));
                quote_spanned!(span=> if let Some(#name) = #chain.next() { #inside })
            }
        };
        quote_spanned!(span=> if #more { #declared #taken += 1; #inside } else { #otherwise })
    }

    /// Returns the head of a loop that takes all that is left.
    fn head(&self) -> TokenStream {
        let span = self.span;
        match &self.elements {
            Elements::Array { array, .. } => quote_spanned!(span=> for _ in 0..#array.len()),
            _ => quote_spanned!(span=> loop),
        }
    }

    /// Returns the next element.
    fn following(&self) -> TokenStream {
        let (span, head) = (self.span, self.head());
        let [found, given] = ["found", "given"].map(|name| format_ident!("{GENERATED}{name}", span = span));
        let name = given.to_token_stream();
        if self.steps.iter().all(|step| step.method == "map") {
            let none = (quote_spanned!(span=> #found = Some(#given);), TokenStream::new());
            let one = self.one(&name, none);
            return quote_spanned!(span=> { let mut #found = None; #one #found });
        }
        let one =
            self.one(&name, (quote_spanned!(span=> #found = Some(#given); break;), quote_spanned!(span=> break;)));
        quote_spanned!(span=> { let mut #found = None; #head { #one } #found })
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

    /// Returns what a loop over the variable becomes. One over an array ends with it, because each iteration takes an element.
    fn looped(&mut self, expr: &Expr) -> Option<TokenStream> {
        let (span, head) = (self.span, self.head());
        match expr {
            Expr::While(node) => {
                let Expr::Let(cond) = &*node.cond else { return None };
                let Expr::MethodCall(call) = strip(&cond.expr) else { return None };
                let (pat, body, label, following) = (&cond.pat, &node.body, &node.label, self.following());
                (call.method == "next" && self.is_this(&call.receiver))
                    .then(|| quote_spanned!(span=> #label #head { let #pat = (#following) else { break; }; #body }))
            }
            Expr::ForLoop(node) if self.is_borrowed(&node.expr) => {
                let (pat, body, label) = (node.pat.to_token_stream(), node.body.to_token_stream(), &node.label);
                let one = self.one(&pat, (body, quote_spanned!(span=> break;)));
                Some(quote_spanned!(span=> #label #head { #one }))
            }
            _ => None,
        }
    }

    /// Returns what a method of the variable becomes; `None` where it takes the iterator.
    fn method(&self, name: &str) -> Option<TokenStream> {
        let (span, remaining) = (self.span, self.remaining());
        match name {
            "next" if self.advances => Some(self.following()),
            "peek" if self.advances => Some(quote_spanned!(span=> #remaining.next())),
            "clone" => Some(remaining.into_token_stream()),
            "len" => Some(quote_spanned!(span=> #remaining.count())),
            _ => None,
        }
    }
}

impl VisitMut for Iterated {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if self.advances
            && let Some(new) = self.looped(expr)
        {
            self.uses += 1;
            match syn::parse2(new) {
                Ok(new) => *expr = new,
                Err(_) => self.failed = true,
            }
        }
        if let Expr::MethodCall(call) = expr
            && self.is_this(&call.receiver)
        {
            self.uses += 1;
            call.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
            let name = call.method.to_string();
            match self.method(&name) {
                Some(new) => *expr = syn::parse2(new).unwrap_or_else(|_| expr.clone()),
                None => {
                    self.partly |= PARTLY.contains(&name.as_str());
                    *call.receiver = self.remaining();
                }
            }
        } else if self.is_this(expr) {
            self.uses += 1;
            *expr = self.remaining();
        } else {
            self.partly |= self.is_borrowed(expr);
            visit_mut::visit_expr_mut(self, expr);
        }
    }

    fn visit_macro_mut(&mut self, node: &mut syn::Macro) {
        let (text, name) = (node.tokens.to_string(), self.name.to_string());
        self.failed |= text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    }

    fn visit_expr_call_mut(&mut self, node: &mut syn::ExprCall) {
        self.failed |= node.args.iter().any(|arg| self.is_this(arg) || self.is_borrowed(arg));
        visit_mut::visit_expr_call_mut(self, node);
    }
}
