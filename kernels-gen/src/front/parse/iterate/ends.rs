//! The methods that end a chain and give a value.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::{Expr, ExprMethodCall, GenericArgument, Type};

use super::arrays::ArrayNames;
use super::bind::Item;
use super::chain::{self, Chain};
use super::closure::Closure;
use super::flow::loops;
use super::generate::{Exit, Generator};
use super::{Desugared, ORDERED, Refused, is_named};

/// The methods that end a chain.
const ENDS: [&str; 18] = [
    "sum",
    "product",
    "count",
    "min",
    "max",
    "min_by_key",
    "max_by_key",
    "fold",
    "reduce",
    "any",
    "all",
    "position",
    "find",
    "find_map",
    "last",
    "nth",
    "next",
    "for_each",
];

/// Methods of Rust's iterators that have no meaning here, and what to write instead.
const REFUSED: [(&str, &str); 8] = [
    ("collect", "the device has no heap; write the elements into an array in a loop"),
    ("flat_map", "write one loop in the other"),
    ("flatten", "write one loop in the other"),
    ("peekable", "look at the element by its index"),
    ("cycle", "take the index modulo the length, as in `array[k % array.len()]`"),
    ("scan", "keep the state in a variable of a `for` loop"),
    ("min_by", "use `min_by_key`, or `fold`"),
    ("max_by", "use `max_by_key`, or `fold`"),
];

/// Returns whether the method gives a value of a type that the context has to name, and ends a chain.
pub(super) fn has_type(call: &ExprMethodCall) -> bool {
    is_named(&call.method, &["sum", "product"]) && chain::chain(&call.receiver).is_some()
}

/// Desugars a method that ends a chain.
pub(super) fn end(generator: &mut Generator<'_>, call: &ExprMethodCall, variables: &ArrayNames) -> Desugared {
    let name = call.method.to_string();
    if let Some((_, instead)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
        chain::chain(&call.receiver)?.ok()?;
        return Some(Err(Refused::new(&call.method, format!("`{name}` has no meaning on the device; {instead}"))));
    }
    if !ENDS.contains(&name.as_str()) {
        return None;
    }
    let chain = chain::chain(&call.receiver)?;
    Some(chain.and_then(|chain| {
        chain.check(variables)?;
        value(generator, call, &name, chain)
    }))
}

fn value(
    generator: &mut Generator<'_>,
    call: &ExprMethodCall,
    name: &str,
    chain: Chain,
) -> Result<TokenStream, Refused> {
    let span = generator.span;
    let args: Vec<&Expr> = call.args.iter().collect();
    let exit = generator.exit();
    let wrong = || Refused::new(&call.method, format!("`{name}` of an iterator has other arguments in Rust"));
    let closure = |count| match args.as_slice() {
        [closure] => Closure::of(closure, count),
        _ => Err(wrong()),
    };
    let result = generator.name();
    let none = quote_spanned!(span=> let mut #result = None;);
    let mut chain = Some(chain);
    let mut run = |generator: &mut Generator<'_>, start: TokenStream, each: &mut super::flow::Sink<'_>| {
        let loops = loops(generator, chain.take().ok_or_else(wrong)?, &exit, &TokenStream::new(), each)?;
        let loops = exit.around(&loops, span);
        Ok(generator.block(&quote_spanned!(span=> #start #loops #result)))
    };
    match (name, args.as_slice()) {
        ("sum" | "product", []) => {
            let start = start(call, name, &result, span);
            let operator = if name == "sum" { quote_spanned!(span=> +) } else { quote_spanned!(span=> *) };
            run(generator, start, &mut |_, item| {
                let value = item.into_tokens();
                quote_spanned!(span=> #result = #result #operator #value;)
            })
        }
        ("count", []) => run(
            generator,
            quote_spanned!(span=> let mut #result: usize = 0;),
            &mut |_, _| quote_spanned!(span=> #result = #result.wrapping_add(1);),
        ),
        ("min" | "max", []) => run(generator, none, &mut |generator, item| extreme(generator, name, &result, item)),
        ("min_by_key" | "max_by_key", _) => {
            let key = closure(1)?;
            let best = generator.name();
            let start = quote_spanned!(span=> let mut #best = None; let mut #result = None;);
            run(generator, start, &mut |generator, item| {
                extreme_by_key(generator, (name, &key), (&best, &result), item)
            })
        }
        ("fold", [first, step]) => {
            let step = Closure::of(step, 2)?;
            run(generator, quote_spanned!(span=> let mut #result = #first;), &mut |generator, item| {
                let value = step.call(generator, vec![Item::name(&result), item]);
                quote_spanned!(span=> #result = #value;)
            })
        }
        ("reduce", _) => {
            let step = closure(2)?;
            run(generator, none, &mut |generator, item| {
                let (before, item) = item.settle(generator);
                let old = generator.name();
                let (value, first) = (step.call(generator, vec![Item::name(&old), item.clone()]), item.into_tokens());
                quote_spanned! {span=>
                    #before
                    #result = match #result { Some(#old) => Some(#value), None => Some(#first) };
                }
            })
        }
        ("any" | "all", _) => {
            let (condition, leave) = (closure(1)?, exit.leave(span));
            let [start, end, holds] = match name {
                "any" => [quote_spanned!(span=> false), quote_spanned!(span=> true), quote_spanned!(span=>)],
                _ => [quote_spanned!(span=> true), quote_spanned!(span=> false), quote_spanned!(span=> !)],
            };
            run(generator, quote_spanned!(span=> let mut #result = #start;), &mut |generator, item| {
                let (name, value) = (generator.name(), condition.call(generator, vec![item]));
                quote_spanned!(span=> let #name = #value; if #holds #name { #result = #end; #leave })
            })
        }
        ("position", _) => {
            let condition = closure(1)?;
            let (number, leave) = (generator.counter(&quote_spanned!(span=> 0)), exit.leave(span));
            let start = quote_spanned!(span=> let mut #result: Option<usize> = None;);
            run(generator, start, &mut |generator, item| {
                let (holds, value) = (generator.name(), condition.call(generator, vec![item]));
                quote_spanned! {span=>
                    let #holds = #value;
                    if #holds { #result = Some(#number); #leave }
                    #number = #number.wrapping_add(1);
                }
            })
        }
        ("find", _) => {
            let (condition, leave) = (closure(1)?, exit.leave(span));
            run(generator, none, &mut |generator, item| {
                let (before, item) = item.settle(generator);
                let (holds, value) = (generator.name(), condition.call(generator, vec![item.clone()]));
                let item = item.into_tokens();
                quote_spanned!(span=> #before let #holds = #value; if #holds { #result = Some(#item); #leave })
            })
        }
        ("find_map", _) => {
            let (made, leave) = (closure(1)?, exit.leave(span));
            run(generator, none, &mut |generator, item| {
                let (found, value) = (generator.name(), made.call(generator, vec![item]));
                quote_spanned!(span=> if let Some(#found) = #value { #result = Some(#found); #leave })
            })
        }
        ("last", []) => run(generator, none, &mut |_, item| {
            let item = item.into_tokens();
            quote_spanned!(span=> #result = Some(#item);)
        }),
        ("next", []) => run(generator, none, &mut |_, item| first_of(&result, item, &exit, span)),
        ("nth", [count]) => {
            let left = generator.counter(count);
            run(generator, none, &mut |_, item| {
                let found = first_of(&result, item, &exit, span);
                quote_spanned!(span=> if #left == 0 { #found } #left = #left.wrapping_sub(1);)
            })
        }
        ("for_each", _) => {
            let body = closure(1)?;
            let loops = loops(
                generator,
                chain.take().ok_or_else(wrong)?,
                &exit,
                &TokenStream::new(),
                &mut |generator, item| {
                    let value = body.call(generator, vec![item]);
                    quote_spanned!(span=> #value;)
                },
            )?;
            let loops = exit.around(&loops, span);
            Ok(generator.block(&loops))
        }
        _ => Err(wrong()),
    }
}

fn first_of(result: &Ident, item: Item, exit: &Exit, span: proc_macro2::Span) -> TokenStream {
    let (item, leave) = (item.into_tokens(), exit.leave(span));
    quote_spanned!(span=> #result = Some(#item); #leave)
}

/// Returns the declaration of the sum, of the type that the user has named. The sum of no floats is `-0.0` in Rust.
fn start(call: &ExprMethodCall, name: &str, result: &Ident, span: proc_macro2::Span) -> TokenStream {
    let ty = call.turbofish.as_ref().and_then(|list| match list.args.first() {
        Some(GenericArgument::Type(ty)) if !matches!(ty, Type::Infer(_)) => Some(ty),
        _ => None,
    });
    let is_float = ty.and_then(super::super::types::scalar).is_some_and(|scalar| scalar.is_float());
    let first = match (name, is_float) {
        ("sum", true) => quote_spanned!(span=> -0.0),
        (_, true) => quote_spanned!(span=> 1.0),
        ("sum", false) => quote_spanned!(span=> 0),
        (_, false) => quote_spanned!(span=> 1),
    };
    match ty {
        Some(ty) => quote_spanned!(span=> let mut #result: #ty = #first;),
        None => quote_spanned!(span=> let mut #result = #first;),
    }
}

/// Keeps the first of the least elements, or the last of the greatest, as Rust does.
fn extreme(generator: &mut Generator<'_>, name: &str, result: &Ident, item: Item) -> TokenStream {
    let (span, value, old) = (generator.span, generator.name(), generator.name());
    let (item, ordered) = (item.into_tokens(), Ident::new(ORDERED, generator.user));
    let stays = keeps(name, &old, &value, span);
    quote_spanned! {span=>
        let #value = #ordered(#item);
        match #result { Some(#old) if #stays => {} _ => #result = Some(#value) }
    }
}

fn extreme_by_key(
    generator: &mut Generator<'_>,
    (name, key): (&str, &Closure),
    (best, result): (&Ident, &Ident),
    item: Item,
) -> TokenStream {
    let (before, item) = item.settle(generator);
    let (span, value, old) = (generator.span, generator.name(), generator.name());
    let (key, ordered) = (key.call(generator, vec![item.clone()]), Ident::new(ORDERED, generator.user));
    let (item, stays) = (item.into_tokens(), keeps(name, &old, &value, span));
    quote_spanned! {span=>
        #before
        let #value = #ordered(#key);
        match #best { Some(#old) if #stays => {} _ => { #best = Some(#value); #result = Some(#item); } }
    }
}

fn keeps(name: &str, old: &Ident, value: &Ident, span: proc_macro2::Span) -> TokenStream {
    match name.starts_with("min") {
        true => quote_spanned!(span=> #old <= #value),
        false => quote_spanned!(span=> #old > #value),
    }
}
