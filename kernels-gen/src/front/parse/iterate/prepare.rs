//! The steps of a chain that need a variable, or decide whether an element goes on.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;

use super::Refused;
use super::bind::Item;
use super::chain::{Chain, Source, Step};
use super::closure::Closure;
use super::generate::{Exit, Generator};
use super::window::Window;

/// A step with its variables.
pub(super) enum Ready {
    Map(Closure),
    Filter(Closure),
    FilterMap(Closure),
    FlatMap(Closure),
    Flatten,
    Inspect(Closure),
    TakeWhile(Closure),
    MapWhile(Closure),
    /// The state, and the closure.
    Scan(Ident, Closure),
    /// The variable says whether elements are still skipped.
    SkipWhile(Closure, Ident),
    /// The next number.
    Enumerate(Ident),
    Zip(Box<Other>),
    /// How many elements are still taken.
    Take(Ident),
    /// How many elements are still skipped.
    Skip(Ident),
    /// The distance, and how many elements come before the next one.
    StepBy(Ident, Ident),
}

/// The other side of a `zip`: one element at a time.
pub(super) struct Other {
    from: Elements,
    steps: Vec<Closure>,
}

enum Elements {
    /// Positions, how many there are and the number of the next one, and whether they begin again after the last one.
    Array(Window, (Ident, Ident), bool),
    /// The next value of a range, its end, and of one with `..=` whether there is one more.
    Range(Ident, Option<Ident>, Option<Ident>),
}

/// Prepares the steps in order.
pub(super) fn prepare(generator: &mut Generator<'_>, steps: Vec<Step>) -> Result<Vec<Ready>, Refused> {
    steps.into_iter().map(|step| ready(generator, step)).collect()
}

/// Returns the conditions under which any element is needed.
pub(super) fn conditions(steps: &[Ready]) -> impl Iterator<Item = &Ident> {
    steps.iter().filter_map(|step| match step {
        Ready::Take(left) => Some(left),
        _ => None,
    })
}

fn ready(generator: &mut Generator<'_>, step: Step) -> Result<Ready, Refused> {
    let span = generator.span;
    Ok(match step {
        Step::Map(closure) => Ready::Map(closure),
        Step::Filter(closure) => Ready::Filter(closure),
        Step::FilterMap(closure) => Ready::FilterMap(closure),
        Step::FlatMap(closure) => Ready::FlatMap(closure),
        Step::Flatten => Ready::Flatten,
        Step::Inspect(closure) => Ready::Inspect(closure),
        Step::TakeWhile(closure) => Ready::TakeWhile(closure),
        Step::MapWhile(closure) => Ready::MapWhile(closure),
        Step::Scan(scan) => Ready::Scan(generator.state(&scan.0), scan.1),
        Step::SkipWhile(closure) => Ready::SkipWhile(closure, generator.state(&quote_spanned!(span=> true))),
        Step::Enumerate => Ready::Enumerate(generator.counter(&quote_spanned!(span=> 0))),
        Step::Take(count) => Ready::Take(generator.counter(&count)),
        Step::Skip(count) => Ready::Skip(generator.counter(&count)),
        Step::Every(count) => {
            let count = generator.count(&count);
            let fault = Ident::new(super::super::tree::FAULT, span);
            generator.setup.extend(quote_spanned!(span=> if #count == 0 { #fault!("assertion failed: step != 0") }));
            Ready::StepBy(count, generator.counter(&quote_spanned!(span=> 0)))
        }
        Step::Zip(other, at) => Ready::Zip(Box::new(zipped(generator, *other, &at)?)),
        Step::Cycle(at) => {
            let message = "`.cycle()` comes directly after an array here, or after `rev`, `skip` or `take` of one; take the index modulo \
                           the length, as in `array[k % array.len()]`";
            return Err(Refused::new(&at, message));
        }
        Step::Rev(at) => {
            let message = "`.rev()` comes directly after the range or array here, or after `map` and `filter`; write a loop that \
                           counts down, because another order of the methods can visit other elements";
            return Err(Refused::new(&at, message));
        }
    })
}

pub(super) fn zipped(generator: &mut Generator<'_>, mut other: Chain, at: &Ident) -> Result<Other, Refused> {
    let span = generator.span;
    other.move_rev();
    let from = match Window::of(generator, &mut other) {
        Some(window) if window.step.is_none() => {
            let cycles = matches!(other.steps.first(), Some(Step::Cycle(_)));
            let mut first = quote_spanned!(span=> 0);
            if cycles {
                other.steps.remove(0);
                while let Some(Step::Skip(count)) = other.steps.first() {
                    first = quote_spanned!(span=> #first + (#count));
                    other.steps.remove(0);
                }
            }
            let counted = window.counted(generator, &first);
            Elements::Array(window, counted, cycles)
        }
        _ => match &other.source {
            Source::Range { start, end, inclusive } => {
                let next = generator.state(start);
                let end = end.as_ref().map(|end| generator.before(&quote_spanned!(span=> #end)));
                let more = end.as_ref().filter(|_| *inclusive).cloned();
                let more = more.map(|end| generator.state(&quote_spanned!(span=> #next <= #end)));
                Elements::Range(next, end, more)
            }
            _ => return Err(cannot_zip(at)),
        },
    };
    let steps = other.steps.into_iter().map(|step| match step {
        Step::Map(closure) => Ok(closure),
        _ => Err(cannot_zip(at)),
    });
    Ok(Other { from, steps: steps.collect::<Result<_, _>>()? })
}

fn cannot_zip(at: &Ident) -> Refused {
    let message = format!(
        "the argument of `{at}` is an array or a range here, perhaps with `map`, or with `rev`, `skip` or `take` of an array; make \
         the selective iterator the receiver, or count"
    );
    Refused::new(at, message)
}

impl Other {
    /// Returns the statements that take the next element, and the element. After the last element, the statements leave the loop.
    pub(super) fn next(&self, generator: &mut Generator<'_>, exit: &Exit) -> (TokenStream, Item) {
        let span = generator.span;
        let leave = exit.leave(span);
        let (mut before, mut item) = match &self.from {
            Elements::Array(window, counted, cycles) => {
                (window.next(counted, *cycles, exit, span), window.item.clone())
            }
            Elements::Range(next, end, more) => {
                let value = generator.name();
                let before = match (end, more) {
                    (Some(end), Some(more)) => quote_spanned! {span=>
                        if !#more { #leave }
                        let #value = #next;
                        if #value == #end { #more = false; } else { #next += 1; }
                    },
                    (Some(end), None) => quote_spanned! {span=>
                        if #next >= #end { #leave }
                        let #value = #next;
                        #next += 1;
                    },
                    (None, _) => quote_spanned!(span=> let #value = #next; #next += 1;),
                };
                (before, Item::name(&value))
            }
        };
        for closure in &self.steps {
            let (value, name) = (closure.call(generator, vec![item]), generator.name());
            before.extend(quote_spanned!(span=> let #name = #value;));
            item = Item::name(&name);
        }
        (before, item)
    }
}
