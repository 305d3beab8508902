//! Methods that change the elements of an array, or of a part of one, as in `list[1..3].sort()`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Expr, ExprMethodCall, ExprRange, RangeLimits};

use super::Desugared;
use super::bind::{Item, elements_of};
use super::closure::Closure;
use super::generate::Generator;
use super::reversed::Key;
use crate::front::parse::part::part_of;
use crate::front::parse::tree::{FAULT, GENERATED, ORDERED, strip};

/// The elements that a method changes.
struct View {
    array: TokenStream,
    /// The first of them, where they are a part of the array.
    start: Option<Ident>,
    length: TokenStream,
}

impl View {
    /// Returns the elements of the receiver. The bounds of a part are evaluated and checked before everything else.
    fn of(generator: &mut Generator<'_>, receiver: &Expr) -> View {
        let span = generator.span;
        let Some((whole, range)) = part_of(receiver) else {
            let array = strip(receiver).to_token_stream();
            let length = quote_spanned!(span=> #array.len());
            return View { array, start: None, length };
        };
        let array = strip(&whole.expr).to_token_stream();
        let (start, end) = bounds(generator, range, &quote_spanned!(span=> #array.len()));
        let length = generator.count(&quote_spanned!(span=> #end - #start)).to_token_stream();
        View { array, start: Some(start), length }
    }

    fn at(&self, index: &TokenStream) -> TokenStream {
        let array = &self.array;
        match &self.start {
            Some(start) => quote::quote!(#array[#start + (#index)]),
            None => quote::quote!(#array[#index]),
        }
    }
}

/// Returns the bounds of a range in something of that length, checked.
fn bounds(generator: &mut Generator<'_>, range: &ExprRange, length: &TokenStream) -> (Ident, Ident) {
    let span = generator.span;
    let start = range.start.as_ref().map_or_else(|| quote_spanned!(span=> 0), |start| start.to_token_stream());
    let start = generator.count(&start);
    let end = match (&range.end, range.limits) {
        (Some(end), RangeLimits::HalfOpen(_)) => end.to_token_stream(),
        (Some(end), RangeLimits::Closed(_)) => quote_spanned!(span=> (#end) + 1),
        (None, _) => length.clone(),
    };
    let (end, fault) = (generator.count(&end), Ident::new(FAULT, span));
    generator.setup.extend(quote_spanned! {span=>
        if #start > #end || #end > #length { #fault!("the range of the slice is out of bounds") }
    });
    (start, end)
}

/// The methods that sort.
pub(super) const SORTS: [&str; 6] =
    ["sort", "sort_unstable", "sort_by", "sort_unstable_by", "sort_by_key", "sort_unstable_by_key"];

/// Desugars a method that changes elements.
pub(super) fn method(generator: &mut Generator<'_>, call: &ExprMethodCall) -> Desugared {
    const METHODS: [&str; 8] = [
        "swap",
        "fill",
        "reverse",
        "copy_from_slice",
        "clone_from_slice",
        "copy_within",
        "rotate_left",
        "rotate_right",
    ];
    let name = call.method.to_string();
    if !METHODS.contains(&name.as_str()) && !SORTS.contains(&name.as_str()) {
        return None;
    }
    let args: Vec<&Expr> = call.args.iter().collect();
    let view = View::of(generator, &call.receiver);
    let value = moved(generator, (&call.receiver, &view), &name, &args)
        .map(Ok)
        .or_else(|| in_order(generator, &view, &name, &args))?;
    Some(value.map(|value| generator.block(&value)))
}

/// Returns the statements of a method that moves elements without a look at them.
fn moved(
    generator: &mut Generator<'_>,
    (receiver, view): (&Expr, &View),
    name: &str,
    args: &[&Expr],
) -> Option<TokenStream> {
    let (span, length) = (generator.span, &view.length);
    let [first, second, third, fourth] = [(); 4].map(|()| generator.name());
    let [one, other] = [&first, &second].map(|index| view.at(&index.to_token_stream()));
    Some(match (name, args) {
        ("swap", [a, b]) => {
            // The part has its own bounds.
            let (part, lets) = match view.start {
                Some(_) => (generator.name().to_token_stream(), true),
                None => (view.array.clone(), false),
            };
            let lets = lets.then(|| quote_spanned!(span=> let #part = &#receiver;));
            quote_spanned! {span=>
                let (#first, #second): (usize, usize) = (#a, #b);
                #lets
                let #third = #part[#first];
                let #fourth = #part[#second];
                #one = #fourth;
                #other = #third;
            }
        }
        ("fill", [value]) => quote_spanned!(span=> let #first = #value; for #second in 0..#length { #other = #first; }),
        ("reverse", []) => reversed(generator, view, (&quote_spanned!(span=> 0), length)),
        ("copy_from_slice" | "clone_from_slice", [value]) => {
            let value = elements_of(value);
            quote_spanned! {span=>
                let #first = #value;
                assert!(#length == #first.len());
                for #second in 0..#length { #other = #first[#second]; }
            }
        }
        _ => return shifted(generator, view, name, args),
    })
}

/// Returns the statements of a method that moves several elements as they follow each other.
fn shifted(generator: &mut Generator<'_>, view: &View, name: &str, args: &[&Expr]) -> Option<TokenStream> {
    let (span, length) = (generator.span, &view.length);
    let [first, second] = [(); 2].map(|()| generator.name());
    Some(match (name, args) {
        ("copy_within", [range, to]) => {
            let Expr::Range(range) = strip(range) else { return None };
            let (start, end) = bounds(generator, range, length);
            let [into, from] = [&second, &start].map(|start| view.at(&quote_spanned!(span=> #start + #first)));
            quote_spanned! {span=>
                let #second: usize = #to;
                assert!(#second <= #length - (#end - #start), "dest is out of bounds");
                if #second < #start {
                    for #first in 0..#end - #start { #into = #from; }
                } else {
                    for #first in (0..#end - #start).rev() { #into = #from; }
                }
            }
        }
        ("rotate_left" | "rotate_right", [by]) => {
            let (zero, middle) = (quote_spanned!(span=> 0), second.to_token_stream());
            let left = match name {
                "rotate_left" => quote_spanned!(span=> #first),
                _ => quote_spanned!(span=> #length - #first),
            };
            let turns = [(&zero, &middle), (&middle, length), (&zero, length)];
            let turns = turns.map(|ends| reversed(generator, view, ends));
            quote_spanned! {span=>
                let #first: usize = #by;
                assert!(#first <= #length);
                let #second = #left;
                #(#turns)*
            }
        }
        _ => return None,
    })
}

/// Returns the loop that turns the order of the elements between two positions.
fn reversed(generator: &mut Generator<'_>, view: &View, (from, to): (&TokenStream, &TokenStream)) -> TokenStream {
    let (span, [k, old]) = (generator.span, [(); 2].map(|()| generator.name()));
    let [low, high] = [quote_spanned!(span=> #from + #k), quote_spanned!(span=> #to - 1 - #k)].map(|at| view.at(&at));
    quote_spanned!(span=> for #k in 0..(#to - #from) / 2 { let #old = #low; #low = #high; #high = #old; })
}

/// Returns the statements of a method that sorts.
fn in_order(generator: &mut Generator<'_>, view: &View, name: &str, args: &[&Expr]) -> Desugared {
    let span = generator.span;
    let [first, second, third, fourth] = [(); 4].map(|()| generator.name());
    let names = [&first, &second, &third, &fourth];
    let count = if name.ends_with("by") { 2 } else { 1 };
    let with = match args.first().map(|with| Closure::with(with, &vec![true; count])).transpose() {
        Ok(with) => with,
        Err(refused) => return Some(Err(refused)),
    };
    let order = match (name, args.len(), with) {
        ("sort" | "sort_unstable", 0, None) => {
            let keys = [&third, &fourth].map(ToTokens::to_token_stream);
            by_key(generator, keys, None)
        }
        ("sort_by" | "sort_unstable_by", 1, Some(compare)) => {
            let order = compare.call(generator, vec![Item::name(&fourth), Item::name(&third)]);
            (TokenStream::new(), quote_spanned!(span=> #order != ::core::cmp::Ordering::Greater))
        }
        ("sort_by_key" | "sort_unstable_by_key", 1, Some(key)) => {
            let key = Key::of(key);
            let keys = [&third, &fourth].map(|name| key.closure.call(generator, vec![Item::name(name)]));
            by_key(generator, keys, Some(&key))
        }
        _ => return None,
    };
    Some(Ok(sorted(view, names, &order, span)))
}

/// Returns a statement after the first key is known, and the condition under which the other one stays before it.
fn by_key(
    generator: &Generator<'_>,
    [value, other]: [TokenStream; 2],
    key: Option<&Key>,
) -> (TokenStream, TokenStream) {
    let (span, ordered) = (generator.span, Ident::new(ORDERED, generator.user));
    let [least, old] = ["key", "other"].map(|name| Ident::new(&format!("{GENERATED}{name}"), span));
    let Some(key) = key.filter(|key| key.is_turned()) else {
        return (quote_spanned!(span=> let #least = #ordered(#value);), quote_spanned!(span=> #other <= #least));
    };
    let (checks, stays) = (key.checks(span), key.compared(&old, &quote_spanned!(span=> <=), &least, span));
    (
        quote_spanned!(span=> #checks let #least = #ordered(#value);),
        quote_spanned!(span=> { let #old = #other; #stays }),
    )
}

/// Sorts by insertion, which keeps the order of equal elements: arrays of a transaction are small. `known`: of `value`; `stays`: of
/// `before` as well.
fn sorted(
    view: &View,
    [k, at, value, before]: [&Ident; 4],
    (known, stays): &(TokenStream, TokenStream),
    span: Span,
) -> TokenStream {
    let [next, here] = [k, at].map(|index| view.at(&index.to_token_stream()));
    let (length, last) = (&view.length, view.at(&quote_spanned!(span=> #at - 1)));
    quote_spanned! {span=>
        for #k in 1..#length {
            let #value = #next;
            #known
            let mut #at = #k;
            while #at > 0 {
                let #before = #last;
                if #stays { break; }
                #here = #before;
                #at -= 1;
            }
            #here = #value;
        }
    }
}
