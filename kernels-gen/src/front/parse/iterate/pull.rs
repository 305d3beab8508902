//! A chain that gives one element at a time: the other side of a `zip`, or of a comparison.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::bind::Item;
use super::generate::{Exit, Generator};
use super::ready::{Elements, Pulled, Ready};

impl Pulled {
    /// Returns the statements that take the next element, and the element. After the last element, the statements leave `exit`.
    pub(super) fn next(&self, generator: &mut Generator<'_>, exit: &Exit) -> (TokenStream, Item) {
        after(generator, &self.from, &self.steps, exit)
    }
}

impl Elements {
    fn next(&self, generator: &mut Generator<'_>, exit: &Exit) -> (TokenStream, Item) {
        let span = generator.span;
        let leave = exit.leave(span);
        let value = generator.name();
        let before = match self {
            Elements::Array(window, counted, cycles) => {
                return (window.next(counted, *cycles, exit, span), window.item.clone());
            }
            Elements::Range(next, Some(end), Some(more)) => quote_spanned! {span=>
                if !#more { #leave }
                let #value = #next;
                if #value == #end { #more = false; } else { #next += 1; }
            },
            Elements::Range(next, Some(end), None) => quote_spanned! {span=>
                if #next >= #end { #leave }
                let #value = #next;
                #next += 1;
            },
            Elements::Range(next, None, _) => quote_spanned!(span=> let #value = #next; #next += 1;),
            Elements::Reversed(start, next, Some(more)) => quote_spanned! {span=>
                if !#more { #leave }
                let #value = #next;
                if #value == #start { #more = false; } else { #next -= 1; }
            },
            Elements::Reversed(start, next, None) => quote_spanned! {span=>
                if #start >= #next { #leave }
                #next -= 1;
                let #value = #next;
            },
            Elements::Both(first, second, left) => {
                let (found, ended) = (generator.exit(), generator.exit());
                let (of_first, one) = first.next(generator, &ended);
                let (of_second, two) = second.next(generator, exit);
                let (one, two) = (one.into_tokens(), two.into_tokens());
                let give = found.give(&one, span);
                let of_first = ended.around(&quote_spanned!(span=> #of_first #give), span);
                let inside = quote_spanned!(span=> if #left { #of_first #left = false; } #of_second #two);
                let found = found.around(&inside, span);
                quote_spanned!(span=> let #value = #found;)
            }
        };
        (before, Item::name(&value))
    }
}

/// Returns the statements that take an element and lead it through the steps.
fn after(generator: &mut Generator<'_>, from: &Elements, steps: &[Ready], exit: &Exit) -> (TokenStream, Item) {
    let Some((last, before)) = steps.split_last() else { return from.next(generator, exit) };
    let (taken, item) = after(generator, from, before, exit);
    let span = generator.span;
    match last {
        Ready::Map(closure) => {
            let (value, name) = (closure.call(generator, vec![item]), generator.name());
            (quote_spanned!(span=> #taken let #name = #value;), Item::name(&name))
        }
        Ready::Inspect(closure) => {
            let (settled, item) = item.settle(generator);
            let value = closure.call(generator, vec![item.clone()]);
            (quote_spanned!(span=> #taken #settled #value;), item)
        }
        Ready::TakeWhile(closure) => {
            let (settled, item) = item.settle(generator);
            let (value, name) = (closure.call(generator, vec![item.clone()]), generator.name());
            let leave = exit.leave(span);
            (quote_spanned!(span=> #taken #settled let #name = #value; if !#name { #leave }), item)
        }
        Ready::MapWhile(_) | Ready::Scan(..) => {
            let value = match last {
                Ready::Scan(state, closure) => {
                    closure.call(generator, vec![Item::Place(quote_spanned!(span=> #state)), item])
                }
                Ready::MapWhile(closure) => closure.call(generator, vec![item]),
                _ => TokenStream::new(),
            };
            let (name, leave) = (generator.name(), exit.leave(span));
            (quote_spanned!(span=> #taken let Some(#name) = (#value) else { #leave };), Item::name(&name))
        }
        Ready::Enumerate(next) => {
            let number = generator.name();
            let counts = quote_spanned!(span=> let #number = #next; #next = #next.wrapping_add(1););
            (quote_spanned!(span=> #taken #counts), Item::Pair(Box::new(Item::name(&number)), Box::new(item)))
        }
        Ready::Zip(other) => {
            let (settled, item) = item.settle(generator);
            let (next, second) = other.next(generator, exit);
            (quote_spanned!(span=> #taken #settled #next), Item::Pair(Box::new(item), Box::new(second)))
        }
        Ready::Take(left) => {
            let leave = exit.leave(span);
            let counts = quote_spanned!(span=> if #left == 0 { #leave } #left = #left.wrapping_sub(1););
            (quote_spanned!(span=> #counts #taken), item)
        }
        _ => selected(generator, last, (taken, item)),
    }
}

/// Returns a loop that takes elements until the step lets one through.
fn selected(generator: &mut Generator<'_>, step: &Ready, (taken, item): (TokenStream, Item)) -> (TokenStream, Item) {
    let span = generator.span;
    let (settled, item) = item.settle(generator);
    let whole = item.clone().into_tokens();
    let lets = match step {
        Ready::Filter(closure) => {
            let holds = closure.call(generator, vec![item]);
            quote_spanned!(span=> if #holds { break #whole; })
        }
        Ready::FilterMap(closure) => {
            let (value, found) = (closure.call(generator, vec![item]), generator.name());
            quote_spanned!(span=> if let Some(#found) = #value { break #found; })
        }
        Ready::SkipWhile(closure, skips) => {
            let holds = closure.call(generator, vec![item]);
            quote_spanned!(span=> if #skips { #skips = #holds; } if !#skips { break #whole; })
        }
        Ready::Skip(left) => quote_spanned!(span=> if #left == 0 { break #whole; } #left = #left.wrapping_sub(1);),
        Ready::StepBy(count, left) => quote_spanned! {span=>
            if #left == 0 { #left = #count.wrapping_sub(1); break #whole; }
            #left = #left.wrapping_sub(1);
        },
        _ => TokenStream::new(),
    };
    let name = generator.name();
    (quote_spanned!(span=> let #name = loop { #taken #settled #lets };), Item::name(&name))
}
