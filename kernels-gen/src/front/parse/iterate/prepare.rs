//! Gives the steps of a chain their variables, before its loops.

use proc_macro2::Ident;
use quote::quote_spanned;

use super::Refused;
use super::chain::{Chain, Source, Step};
use super::generate::Generator;
use super::ready::{Elements, Pulled, Ready};
use super::window::Window;

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
        Step::Zip(other, at) => Ready::Zip(Box::new(pulled(generator, *other, &at)?)),
        Step::Cycle(at) => {
            let message = "`.cycle()` comes directly after an array here, or after `rev`, `skip` or `take` of one; take the index modulo \
                           the length, as in `array[k % array.len()]`";
            return Err(Refused::new(&at, message));
        }
        Step::Rev(at) => {
            let message = "`.rev()` comes after the range or array, after steps that count, as `take` does, and then `map` and `filter`; write \
                           a loop that counts down, because another order of the methods can visit other elements";
            return Err(Refused::new(&at, message));
        }
    })
}

/// Prepares a chain. `at`: the method whose argument it is, for messages.
pub(super) fn pulled(generator: &mut Generator<'_>, mut chain: Chain, at: &Ident) -> Result<Pulled, Refused> {
    chain.move_maps(generator);
    chain.move_rev();
    chain.number_ranges(0);
    let from = match Window::of(generator, &mut chain) {
        Some(mut window) => {
            window.number_steps(generator);
            of_window(generator, window, &mut chain.steps)
        }
        None => match chain.source {
            Source::Range { start, end, inclusive } => {
                let reversed = take_rev(&mut chain.steps);
                let next = generator.state(&start);
                let end = end.as_ref().map(|end| generator.state(&quote_spanned!(generator.span=> #end)));
                let span = generator.span;
                let more = end.as_ref().filter(|_| inclusive);
                let more = more.map(|end| generator.state(&quote_spanned!(span=> #next <= #end)));
                match end {
                    Some(end) if reversed => Elements::Reversed(next, end, more),
                    end => Elements::Range(next, end, more),
                }
            }
            Source::Both { first, second, alike: true } => {
                let (first, second) = (pulled(generator, *first, at)?, pulled(generator, *second, at)?);
                let left = generator.state(&quote_spanned!(generator.span=> true));
                Elements::Both(Box::new(first), Box::new(second), left)
            }
            _ => return Err(no_pull(at)),
        },
    };
    let changed = match &from {
        Elements::Array(window, ..) => window.item.has_place(),
        Elements::Both(first, second, _) => first.gives_place() || second.gives_place(),
        _ => false,
    };
    let moves = |step: &Step| !matches!(step, Step::Map(_) | Step::Enumerate | Step::Zip(..) | Step::Take(_));
    if changed && (chain.steps.iter().any(moves) || matches!(from, Elements::Both(..))) {
        let message =
            "the elements of `iter_mut` are changed where they stand; make this iterator the receiver, or write a loop";
        return Err(Refused::new(at, message));
    }
    if chain.steps.iter().any(|step| matches!(step, Step::FlatMap(_) | Step::Flatten)) {
        return Err(no_pull(at));
    }
    Ok(Pulled { from, steps: prepare(generator, chain.steps)? })
}

fn no_pull(at: &Ident) -> Refused {
    let message = format!(
        "the argument of `{at}` gives one element at a time here, which `flatten`, `flat_map`, `split` and `chunks` do not; make that \
         iterator the receiver, or count"
    );
    Refused::new(at, message)
}

/// Takes each `rev` at the beginning, and returns whether they reverse the order.
fn take_rev(steps: &mut Vec<Step>) -> bool {
    let count = steps.iter().take_while(|step| matches!(step, Step::Rev(_))).count();
    steps.drain(..count);
    count % 2 == 1
}

fn of_window(generator: &mut Generator<'_>, window: Window, steps: &mut Vec<Step>) -> Elements {
    let span = generator.span;
    let cycles = matches!(steps.first(), Some(Step::Cycle(_)));
    let mut first = quote_spanned!(span=> 0);
    if cycles {
        steps.remove(0);
        while let Some(Step::Skip(count)) = steps.first() {
            first = quote_spanned!(span=> #first + (#count));
            steps.remove(0);
        }
    }
    let counted = window.counted(generator, &first);
    Elements::Array(window, counted, cycles)
}
