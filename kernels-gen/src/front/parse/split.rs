//! Methods of arrays that give parts: `split_at`, `split_first` and `split_last`. Each becomes a `let` of what its pattern names, where the
//! array is long enough. And those that give an element that can change, `first_mut`, `last_mut` and `get_mut`, where a `?` or the like follows;
//! `lent_element.rs` has their patterns.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprMatch, ExprMethodCall, ItemFn, Pat, Stmt};

use super::exchanged::is_plain;
use super::tree::{GENERATED, strip};

/// Writes out the statements of a function that split an array, or refer to an element of one.
pub(super) fn written_out(item: &mut ItemFn) {
    Splits(0).visit_block_mut(&mut item.block);
}

struct Splits(u32);

/// An `Option` of what an array has.
struct Found {
    /// Whether the array has it.
    holds: TokenStream,
    /// The declarations of what the pattern of it names.
    lets: TokenStream,
}

impl VisitMut for Splits {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let mut stmts = Vec::new();
        for stmt in std::mem::take(&mut block.stmts) {
            match self.of_let(&stmt).and_then(|tokens| syn::parse2::<Block>(quote!({ #tokens })).ok()) {
                Some(new) => stmts.extend(new.stmts),
                None => stmts.push(stmt),
            }
        }
        block.stmts = stmts;
        visit_mut::visit_block_mut(self, block);
    }

    fn visit_expr_if_mut(&mut self, node: &mut syn::ExprIf) {
        if let Expr::Let(condition) = &*node.cond
            && let Some(pat) = inside(&condition.pat, "Some")
            && let Some(Found { holds, lets }) = found(pat, &condition.expr, condition.let_token.span)
        {
            let (span, then) = (generated(condition.let_token.span), &node.then_branch);
            if let (Ok(condition), Ok(then)) = (syn::parse2(holds), syn::parse2(quote_spanned!(span=> { #lets #then })))
            {
                (*node.cond, node.then_branch) = (condition, then);
            }
        }
        visit_mut::visit_expr_if_mut(self, node);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let new = match expr {
            Expr::Match(node) => of_match(node),
            Expr::Unary(node) if matches!(node.op, syn::UnOp::Deref(_)) => of_place(&node.expr),
            _ => None,
        };
        if let Some(new) = new.and_then(|new| syn::parse2(new).ok()) {
            *expr = new;
        }
        visit_mut::visit_expr_mut(self, expr);
    }
}

impl Splits {
    fn of_let(&mut self, stmt: &Stmt) -> Option<TokenStream> {
        let Stmt::Local(local) = stmt else { return None };
        let (init, at) = (local.init.as_ref()?, local.let_token.span);
        let span = generated(at);
        if let Some((_, other)) = &init.diverge {
            let Found { holds, lets } = found(inside(&local.pat, "Some")?, &init.expr, at)?;
            return Some(quote_spanned!(span=> if !(#holds) #other #lets));
        }
        if let Some((inner, chain)) = unwrapped(&init.expr) {
            let Found { holds, lets } = lent(&local.pat, inner, at).or_else(|| found(&local.pat, inner, at))?;
            let chain = chain(quote_spanned!(span=> (#holds).then_some(0_u8)));
            return Some(quote_spanned!(span=> #chain; #lets));
        }
        let Expr::MethodCall(call) = strip(&init.expr) else { return None };
        let (array, [left, right]) = (place(call)?, pair(&local.pat)?);
        let at = call.args.first().filter(|_| call.method == "split_at")?;
        self.0 += 1;
        let name = Ident::new(&format!("{GENERATED}split_{}", self.0), span);
        let left = name_of(left, &quote_spanned!(span=> &#array[..#name]), span)?;
        let right = name_of(right, &quote_spanned!(span=> &#array[#name..]), span)?;
        Some(quote_spanned!(span=> let #name: usize = #at; #left #right))
    }
}

/// Returns what `match array.split_first() { Some(..) => .., None => .. }` becomes.
fn of_match(node: &ExprMatch) -> Option<TokenStream> {
    let [some, none] = node.arms.iter().collect::<Vec<_>>().try_into().ok()?;
    let is_none = match &none.pat {
        Pat::Wild(_) => true,
        Pat::Ident(name) => name.ident == "None",
        Pat::Path(path) => path.path.is_ident("None"),
        _ => false,
    };
    let at = node.match_token.span;
    let Found { holds, lets } = found(inside(&some.pat, "Some").filter(|_| is_none)?, &node.expr, at)?;
    let (then, other) = (&some.body, &none.body);
    Some(quote_spanned!(generated(at)=> if #holds { #lets #then } else { #other }))
}

/// Returns the element that `*array.last_mut().unwrap()` stands for.
fn of_place(expr: &Expr) -> Option<TokenStream> {
    let Expr::MethodCall(call) = strip(expr) else { return None };
    let Expr::MethodCall(inner) = strip(&call.receiver) else { return None };
    let at = call.method.span();
    let (array, index, _) = changed(inner, at)?;
    matches!(call.method.to_string().as_str(), "unwrap" | "expect")
        .then(|| quote_spanned!(generated(at)=> #array[#index]))
}

/// What stands around a value.
type Around<'e> = Box<dyn Fn(TokenStream) -> TokenStream + 'e>;

/// Returns the call in `array.split_first()?` and the like, and what makes the same of another `Option`.
fn unwrapped(expr: &Expr) -> Option<(&Expr, Around<'_>)> {
    let of_option =
        |expr: &Expr| matches!(expr, Expr::MethodCall(call) if GIVEN.iter().any(|name| call.method == name));
    let (inner, around): (_, Around<'_>) = match strip(expr) {
        Expr::Try(node) => (&*node.expr, Box::new(|value| quote!(#value?))),
        Expr::MethodCall(call) => {
            let known = ["unwrap", "expect", "ok_or", "ok_or_else"].iter().any(|name| call.method == name);
            let (method, args) = (&call.method, &call.args);
            (known.then_some(&*call.receiver)?, Box::new(move |value| quote!(#value.#method(#args))))
        }
        _ => return None,
    };
    if of_option(strip(inner)) {
        return Some((strip(inner), around));
    }
    let (inner, more) = unwrapped(inner)?;
    Some((inner, Box::new(move |value| around(more(value)))))
}

const GIVEN: [&str; 5] = ["split_first", "split_last", "first_mut", "last_mut", "get_mut"];

/// Returns what one of the methods gives that refer to an element that can change, with a name for it.
fn lent(pat: &Pat, expr: &Expr, at: Span) -> Option<Found> {
    let (Expr::MethodCall(call), Pat::Ident(_)) = (strip(expr), pat) else { return None };
    let (array, index, holds) = changed(call, at)?;
    Some(Found { holds, lets: quote_spanned!(generated(at)=> let #pat = &mut #array[#index];) })
}

/// Returns what one of the methods gives that split an array, with this pattern for it.
fn found(pat: &Pat, expr: &Expr, at: Span) -> Option<Found> {
    let (Expr::MethodCall(call), span) = (strip(expr), generated(at)) else { return None };
    let array = place(call).filter(|_| call.args.is_empty())?;
    let (element, part) = match call.method.to_string().as_str() {
        "split_first" => (quote_spanned!(span=> &#array[0]), quote_spanned!(span=> &#array[1..])),
        "split_last" => {
            let last = quote_spanned!(span=> #array.len() - 1);
            (quote_spanned!(span=> &#array[#last]), quote_spanned!(span=> &#array[..#last]))
        }
        _ => return None,
    };
    let [one, rest] = pair(pat)?;
    let rest = name_of(rest, &part, span)?;
    let (one, value) = match one {
        Pat::Reference(node) => (&*node.pat, quote_spanned!(span=> *#element)),
        one => (one, element),
    };
    let value = if let Pat::Ident(_) | Pat::Wild(_) = one { value } else { return None };
    let holds = quote_spanned!(span=> #array.len() != 0);
    Some(Found { holds, lets: quote_spanned!(span=> let #one = #value; #rest) })
}

/// Returns the array of a reference to an element, its index, and whether there is one.
fn changed(call: &ExprMethodCall, at: Span) -> Option<(&Expr, TokenStream, TokenStream)> {
    let (array, args, span) = (place(call)?, call.args.iter().collect::<Vec<_>>(), generated(at));
    let holds = quote_spanned!(span=> #array.len() != 0);
    match (call.method.to_string().as_str(), args.as_slice()) {
        ("first_mut", []) => Some((array, quote_spanned!(span=> 0), holds)),
        ("last_mut", []) => Some((array, quote_spanned!(span=> #array.len() - 1), holds)),
        ("get_mut", [index]) if is_plain(index) => {
            Some((array, quote_spanned!(span=> #index), quote_spanned!(span=> (#index) < #array.len())))
        }
        _ => None,
    }
}

fn name_of(pat: &Pat, part: &TokenStream, span: Span) -> Option<TokenStream> {
    match pat {
        Pat::Wild(_) => Some(quote_spanned!(span=> let _ = #part;)),
        Pat::Ident(name) if name.subpat.is_none() => Some(quote_spanned!(span=> let #name = #part;)),
        _ => None,
    }
}

/// Returns the receiver, if it is a variable or a field of one.
fn place(call: &ExprMethodCall) -> Option<&Expr> {
    fn is_place(expr: &Expr) -> bool {
        match strip(expr) {
            Expr::Path(path) => path.path.get_ident().is_some(),
            Expr::Field(node) => is_place(&node.base),
            _ => false,
        }
    }
    Some(strip(&call.receiver)).filter(|receiver| is_place(receiver))
}

fn inside<'p>(pat: &'p Pat, variant: &str) -> Option<&'p Pat> {
    match pat {
        Pat::TupleStruct(node) if node.path.is_ident(variant) => node.elems.first(),
        _ => None,
    }
}

fn pair(pat: &Pat) -> Option<[&Pat; 2]> {
    match pat {
        Pat::Tuple(node) => match node.elems.iter().collect::<Vec<_>>().as_slice() {
            [one, two] => Some([*one, *two]),
            _ => None,
        },
        _ => None,
    }
}

fn generated(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}
