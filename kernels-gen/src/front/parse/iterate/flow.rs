//! The loops of a chain: one for each source, with the steps inside of it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::Expr;

use super::Refused;
use super::bind::Item;
use super::chain::{Chain, Source, Step, chain};
use super::closure::Closure;
use super::generate::{Exit, Generator};
use super::prepare::{conditions, prepare};
use super::ready::Ready;
use super::window::{Window, place};

/// What is done with each element.
pub(super) type Sink<'f> = dyn FnMut(&mut Generator<'_>, Item) -> TokenStream + 'f;

/// Returns the loops of a chain. Steps that end it early leave `exit`. `label` is that of the user's `for`.
pub(super) fn loops(
    generator: &mut Generator<'_>,
    mut chain: Chain,
    exit: &Exit,
    label: &TokenStream,
    sink: &mut Sink<'_>,
) -> Result<TokenStream, Refused> {
    chain.move_maps(generator);
    chain.move_rev();
    chain.number_ranges(1);
    let span = generator.span;
    let (head, tail, first, mut base, item) = match Window::of(generator, &mut chain) {
        Some(window) if window.step.is_none() && matches!(chain.steps.first(), Some(Step::Cycle(_))) => {
            chain.steps.remove(0);
            let counted = window.counted(generator, &quote_spanned!(span=> 0));
            let first = window.next(&counted, true, exit, span);
            (quote_spanned!(span=> #label loop), TokenStream::new(), first, TokenStream::new(), window.item)
        }
        Some(window) => {
            let Window { at, start, end, reversed, step, before, item } = window;
            let step = step.map(|step| quote_spanned!(span=> .step_by(#step)));
            let rev = reversed.then(|| quote_spanned!(span=> .rev()));
            let head = quote_spanned!(span=> #label for #at in (#start..#end) #step #rev);
            (head, TokenStream::new(), TokenStream::new(), before, item)
        }
        None => match chain.source {
            Source::Both { first, second, alike } => {
                let steps = prepare(generator, chain.steps)?;
                let (mut both, mut variables) = (TokenStream::new(), None);
                for side in [*first, *second] {
                    let own = generator.exit();
                    let inside = loops(generator, side, &own, &TokenStream::new(), &mut |generator, item| {
                        let (before, item) = match alike {
                            true => item.shared(generator, &mut variables),
                            false => (TokenStream::new(), item),
                        };
                        let inside = through(generator, &steps, item, exit, sink);
                        quote_spanned!(span=> #before #inside)
                    })?;
                    both.extend(own.around(&inside, span));
                }
                return Ok(guarded(&steps, both, span));
            }
            Source::Range { start, end: Some(end), inclusive } => {
                let dots = if inclusive { quote_spanned!(span=> ..=) } else { quote_spanned!(span=> ..) };
                let calls = range_calls(&mut chain.steps, span);
                let at = generator.name();
                let head = quote_spanned!(span=> #label for #at in (#start #dots #end) #calls);
                (head, TokenStream::new(), TokenStream::new(), TokenStream::new(), Item::name(&at))
            }
            Source::Range { start, end: None, .. } => counting(generator, &start, label),
            Source::Split { array, at } => split(generator, (&array, &at), label),
            _ => return Ok(TokenStream::new()),
        },
    };
    let steps = prepare(generator, chain.steps)?;
    base.extend(through(generator, &steps, item, exit, sink));
    Ok(guarded(&steps, quote_spanned!(span=> #head { #first #base } #tail), span))
}

/// The head of a loop, what comes after it, before its body and first in its body, and the element.
type Parts = (TokenStream, TokenStream, TokenStream, TokenStream, Item);

/// Returns a loop that counts until it is left.
fn counting(generator: &mut Generator<'_>, start: &Expr, label: &TokenStream) -> Parts {
    let (span, next, value) = (generator.span, generator.state(start), generator.name());
    let first = quote_spanned!(span=> let #value = #next; #next += 1;);
    (quote_spanned!(span=> #label loop), TokenStream::new(), first, TokenStream::new(), Item::name(&value))
}

/// Returns a loop over the slices of an array.
fn split(generator: &mut Generator<'_>, (array, at): (&Expr, &Closure), label: &TokenStream) -> Parts {
    let (span, array) = (generator.span, place(generator, array, false, false));
    let length = generator.count(&quote_spanned!(span=> #array.len()));
    let (from, place, piece) = (generator.counter(&quote_spanned!(span=> 0)), generator.name(), generator.name());
    let ends = at.call(generator, vec![Item::Value(quote_spanned!(span=> #array[#place]))]);
    let first = quote_spanned! {span=>
        if #place < #length && !(#ends) { continue; }
        let #piece = &#array[#from..#place];
        #from = #place + 1;
    };
    let head = quote_spanned!(span=> #label for #place in 0..#length + 1);
    (head, TokenStream::new(), first, TokenStream::new(), Item::name(&piece))
}

fn guarded(steps: &[Ready], loops: TokenStream, span: Span) -> TokenStream {
    conditions(steps).fold(loops, |loops, left| quote_spanned!(span=> if #left > 0 { #loops }))
}

/// Takes the calls that a `for` over a range has itself: `step_by`, then `rev`.
fn range_calls(steps: &mut Vec<Step>, span: Span) -> TokenStream {
    let mut calls = TokenStream::new();
    if let Some(Step::Every(count)) = steps.first() {
        calls.extend(quote_spanned!(span=> .step_by(#count)));
        steps.remove(0);
    }
    while let Some(Step::Rev(_)) = steps.first() {
        calls.extend(quote_spanned!(span=> .rev()));
        steps.remove(0);
    }
    calls
}

/// Returns the statements that lead an element through the steps.
fn through(
    generator: &mut Generator<'_>,
    steps: &[Ready],
    item: Item,
    exit: &Exit,
    sink: &mut Sink<'_>,
) -> TokenStream {
    let Some((first, rest)) = steps.split_first() else { return sink(generator, item) };
    let span = generator.span;
    match first {
        Ready::Map(closure) => {
            let (value, name) = (closure.call(generator, vec![item]), generator.name());
            let rest = through(generator, rest, Item::name(&name), exit, sink);
            quote_spanned!(span=> let #name = #value; #rest)
        }
        Ready::Filter(closure) | Ready::Inspect(closure) | Ready::TakeWhile(closure) | Ready::SkipWhile(closure, _) => {
            let (before, item) = item.settle(generator);
            let value = closure.call(generator, vec![item.clone()]);
            let name = generator.name();
            let rest = through(generator, rest, item, exit, sink);
            let inside = looked_at(first, (&name, &value), &rest, exit, span);
            quote_spanned!(span=> #before #inside)
        }
        Ready::FilterMap(closure) => {
            let (value, name) = (closure.call(generator, vec![item]), generator.name());
            let rest = through(generator, rest, Item::name(&name), exit, sink);
            quote_spanned!(span=> if let Some(#name) = #value { #rest })
        }
        Ready::MapWhile(_) | Ready::Scan(..) => while_some(generator, first, item, rest, exit, sink),
        Ready::FlatMap(closure) => {
            let (lets, inner) = closure.body(generator, item);
            let inside = nested(generator, &inner, &mut |generator, item| through(generator, rest, item, exit, sink));
            quote_spanned!(span=> { #lets #inside })
        }
        Ready::Flatten => flattened(generator, item, rest, exit, sink),
        Ready::Enumerate(next) => {
            let number = generator.name();
            let item = Item::Pair(Box::new(Item::name(&number)), Box::new(item));
            let rest = through(generator, rest, item, exit, sink);
            quote_spanned!(span=> let #number = #next; #next = #next.wrapping_add(1); #rest)
        }
        Ready::Zip(other) => {
            let (before, item) = item.settle(generator);
            let (next, second) = other.next(generator, exit);
            let rest = through(generator, rest, Item::Pair(Box::new(item), Box::new(second)), exit, sink);
            quote_spanned!(span=> #before #next #rest)
        }
        Ready::Take(_) | Ready::Skip(_) | Ready::StepBy(..) => {
            let rest = through(generator, rest, item, exit, sink);
            counted(first, &rest, exit, span)
        }
    }
}

/// Returns what follows a closure that ends the chain where it gives `None`.
fn while_some(
    generator: &mut Generator<'_>,
    step: &Ready,
    item: Item,
    rest: &[Ready],
    exit: &Exit,
    sink: &mut Sink<'_>,
) -> TokenStream {
    let span = generator.span;
    let value = match step {
        Ready::Scan(state, closure) => closure.call(generator, vec![Item::Place(quote_spanned!(span=> #state)), item]),
        Ready::MapWhile(closure) => closure.call(generator, vec![item]),
        _ => return TokenStream::new(),
    };
    let name = generator.name();
    let (rest, leave) = (through(generator, rest, Item::name(&name), exit, sink), exit.leave(span));
    quote_spanned!(span=> if let Some(#name) = #value { #rest } else { #leave })
}

/// Returns a loop over what an element consists of.
fn flattened(
    generator: &mut Generator<'_>,
    item: Item,
    rest: &[Ready],
    exit: &Exit,
    sink: &mut Sink<'_>,
) -> TokenStream {
    let (span, name) = (generator.span, generator.name());
    if let Item::Place(place) = item {
        let rest = through(generator, rest, Item::Place(quote_spanned!(span=> (*#name))), exit, sink);
        return each(&quote_spanned!(span=> &mut #place), None, &name, &rest, span);
    }
    let (value, whole) = (item.into_tokens(), generator.name());
    let rest = through(generator, rest, Item::name(&name), exit, sink);
    each(&quote_spanned!(span=> #value), Some(&whole), &name, &rest, span)
}

/// Returns a loop over an array or an `Option`, which rustc would rather see in an `if let`. `whole`: a name for its value.
fn each(value: &TokenStream, whole: Option<&Ident>, name: &Ident, inside: &TokenStream, span: Span) -> TokenStream {
    let before = whole.map(|whole| quote_spanned!(span=> let #whole = #value;));
    let value = whole.map_or_else(|| value.clone(), |whole| quote_spanned!(span=> #whole));
    quote_spanned!(span=> #before #[allow(for_loops_over_fallibles)] for #name in #value { #inside })
}

/// Returns the loops of a chain inside of another, or of a value that has elements: an array or an `Option`.
fn nested(generator: &mut Generator<'_>, expr: &Expr, sink: &mut Sink<'_>) -> TokenStream {
    let span = generator.span;
    match chain(expr) {
        Some(Ok(chain)) => {
            let outer = std::mem::take(&mut generator.setup);
            let own = generator.exit();
            let inside = loops(generator, chain, &own, &TokenStream::new(), sink);
            let setup = std::mem::replace(&mut generator.setup, outer);
            match inside {
                Ok(inside) => {
                    let inside = own.around(&inside, span);
                    quote_spanned!(span=> #setup #inside)
                }
                Err(refused) => {
                    generator.refused.get_or_insert(refused);
                    TokenStream::new()
                }
            }
        }
        Some(Err(refused)) => {
            generator.refused.get_or_insert(refused);
            TokenStream::new()
        }
        None => {
            let (whole, name) = (generator.name(), generator.name());
            let rest = sink(generator, Item::name(&name));
            each(&quote_spanned!(span=> #expr), Some(&whole), &name, &rest, span)
        }
    }
}

/// Returns what follows a step that counts elements.
fn counted(step: &Ready, rest: &TokenStream, exit: &Exit, span: Span) -> TokenStream {
    match step {
        Ready::Take(left) => {
            let leave = exit.leave(span);
            quote_spanned!(span=> #left = #left.wrapping_sub(1); #rest if #left == 0 { #leave })
        }
        Ready::Skip(left) => {
            quote_spanned!(span=> if #left > 0 { #left = #left.wrapping_sub(1); } else { #rest })
        }
        Ready::StepBy(count, left) => quote_spanned! {span=>
            if #left > 0 { #left = #left.wrapping_sub(1); } else { #left = #count.wrapping_sub(1); #rest }
        },
        _ => rest.clone(),
    }
}

/// Returns what follows a closure that looks at an element without changing it.
fn looked_at(
    step: &Ready,
    (name, value): (&Ident, &TokenStream),
    rest: &TokenStream,
    exit: &Exit,
    span: Span,
) -> TokenStream {
    match step {
        Ready::Filter(_) => quote_spanned!(span=> let #name = #value; if #name { #rest }),
        Ready::SkipWhile(_, skips) => quote_spanned!(span=> if #skips { #skips = #value; } if !#skips { #rest }),
        Ready::TakeWhile(_) => {
            let leave = exit.leave(span);
            quote_spanned!(span=> let #name = #value; if !#name { #leave } #rest)
        }
        _ => quote_spanned!(span=> #value; #rest),
    }
}

impl Chain {
    /// Returns whether a `for` over the chain is one loop, in which `break` and `continue` mean what they say.
    pub(super) fn is_one_loop(&self) -> bool {
        let several = |step: &Step| matches!(step, Step::Take(_) | Step::FlatMap(_) | Step::Flatten);
        !matches!(self.source, Source::Both { .. }) && !self.steps.iter().any(several)
    }
}
