//! Arrays, as positions from a start to an end: methods that select, number and pair elements change the positions, so they cost
//! nothing and can be reversed.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Expr, ExprRange, RangeLimits};

use super::super::part::part_of;
use super::super::tree::{FAULT, strip};
use super::bind::Item;
use super::chain::{Chain, Source, Step};
use super::closure::Closure;
use super::generate::{Exit, Generator};

/// The elements of an array, or of several side by side.
pub(super) struct Window {
    /// The variable of the loop: the position in the array.
    pub(super) at: Ident,
    pub(super) start: Ident,
    pub(super) end: Ident,
    pub(super) reversed: bool,
    /// `step_by`, directly after what the window has.
    pub(super) step: Option<Ident>,
    /// The declarations at the beginning of the loop's body.
    pub(super) before: TokenStream,
    pub(super) item: Item,
}

impl Window {
    /// Returns the elements of a source; `None` where it is no array. The steps that the window has taken are removed.
    pub(super) fn of(generator: &mut Generator<'_>, chain: &mut Chain) -> Option<Window> {
        let mut window = match &chain.source {
            Source::Array { array, part, owned, exclusive } => {
                Window::array(generator, array, part.as_ref(), *owned, *exclusive)
            }
            Source::Pieces { array, length, apart, .. } => Window::pieces(generator, array, *length, *apart),
            Source::Slices { array, length, apart, rest } => Window::slices(generator, array, length, (*apart, *rest)),
            Source::Counted { start, end, inclusive } => Window::range(generator, start, end, *inclusive),
            Source::Range { .. } | Source::Split { .. } | Source::Both { .. } => return None,
        };
        while let Some(first) = chain.steps.first_mut() {
            if !window.take_step(generator, first) {
                break;
            }
            chain.steps.remove(0);
        }
        Some(window)
    }

    fn array(
        generator: &mut Generator<'_>,
        array: &Expr,
        part: Option<&ExprRange>,
        owned: bool,
        exclusive: bool,
    ) -> Window {
        let (at, span) = (generator.name(), generator.span);
        let array = place(generator, array, owned, exclusive);
        let start = match part.and_then(|part| part.start.as_ref()) {
            Some(start) => quote_spanned!(span=> #start),
            None => quote_spanned!(span=> 0_usize),
        };
        let start = generator.count(&start);
        let end = match part.and_then(|part| part.end.as_ref().map(|end| (end, part.limits))) {
            Some((end, RangeLimits::HalfOpen(_))) => quote_spanned!(span=> #end),
            Some((end, RangeLimits::Closed(_))) => quote_spanned!(span=> (#end) + 1),
            None => quote_spanned!(span=> #array.len()),
        };
        let mut end = generator.count(&end);
        if part.is_some() {
            let fault = Ident::new(FAULT, span);
            generator.setup.extend(quote_spanned! {span=>
                if #start > #end || #end > #array.len() { #fault!("the range of the slice is out of bounds") }
            });
            // The device's compiler takes the number of iterations from the length of the array.
            end = generator.count(&quote_spanned!(span=> #end.min(#array.len())));
        }
        let element = quote_spanned!(span=> #array[#at]);
        let item = if exclusive { Item::Place(element) } else { Item::Value(element) };
        Window { at, start, end, reversed: false, step: None, before: TokenStream::new(), item }
    }

    fn pieces(generator: &mut Generator<'_>, array: &Expr, length: u64, apart: bool) -> Window {
        let (at, span) = (generator.name(), generator.span);
        let array = place(generator, array, false, false);
        let [length, one_less] = [length, length - 1].map(|n| proc_macro2::Literal::usize_suffixed(n as usize));
        let start = generator.count(&quote_spanned!(span=> 0_usize));
        let end = generator.count(&match apart {
            true => quote_spanned!(span=> #array.len() / #length),
            false => quote_spanned!(span=> #array.len().saturating_sub(#one_less)),
        });
        let count = length.to_string().trim_end_matches("usize").parse::<usize>().unwrap_or(1);
        let elements = (0..count).map(|k| {
            let k = proc_macro2::Literal::usize_suffixed(k);
            match apart {
                true => quote_spanned!(span=> #array[#at * #length + #k]),
                false => quote_spanned!(span=> #array[#at + #k]),
            }
        });
        let item = Item::Value(quote_spanned!(span=> &[#(#elements),*]));
        Window { at, start, end, reversed: false, step: None, before: TokenStream::new(), item }
    }

    fn slices(generator: &mut Generator<'_>, array: &Expr, length: &Expr, (apart, rest): (bool, bool)) -> Window {
        let (at, span) = (generator.name(), generator.span);
        let array = place(generator, array, false, false);
        let (length, fault) = (generator.count(length), Ident::new(FAULT, span));
        generator.setup.extend(quote_spanned!(span=> if #length == 0 { #fault!("the length of a piece is 0") }));
        let start = generator.count(&quote_spanned!(span=> 0_usize));
        let end = generator.count(&match (apart, rest) {
            (true, true) => quote_spanned!(span=> #array.len().div_ceil(#length)),
            (true, false) => quote_spanned!(span=> #array.len() / #length),
            (false, _) => quote_spanned!(span=> if #array.len() < #length { 0 } else { #array.len() - #length + 1 }),
        });
        let item = Item::Value(match apart {
            true => quote_spanned! {span=>
                &#array[#at * #length..#array.len().min((#at * #length).saturating_add(#length))]
            },
            false => quote_spanned!(span=> &#array[#at..#at + #length]),
        });
        Window { at, start, end, reversed: false, step: None, before: TokenStream::new(), item }
    }

    /// Takes a step into the window, if it only changes positions.
    fn take_step(&mut self, generator: &mut Generator<'_>, step: &mut Step) -> bool {
        let span = generator.span;
        let changes = matches!(step, Step::Take(_) | Step::Skip(_) | Step::Every(_) | Step::Enumerate | Step::Zip(..));
        if changes {
            self.number_steps(generator);
        }
        match step {
            Step::Rev(_) => self.reversed = !self.reversed,
            Step::Take(count) => self.limit(generator, count, self.reversed),
            Step::Skip(count) => self.limit(generator, count, !self.reversed),
            Step::Every(count) => {
                if self.reversed {
                    self.renumber(generator, None);
                }
                self.step = Some(generator.count(count));
            }
            Step::Enumerate => {
                let number = self.number(span);
                let item = std::mem::replace(&mut self.item, Item::Value(TokenStream::new()));
                self.item = Item::Pair(Box::new(Item::Value(number)), Box::new(item));
            }
            Step::Zip(other, _) => return self.zip(generator, other),
            _ => return false,
        }
        true
    }

    /// Returns how many elements of the window come before the present one.
    fn number(&self, span: Span) -> TokenStream {
        let Window { at, start, end, .. } = self;
        match self.reversed {
            true => quote_spanned!(span=> #end.wrapping_sub(1).wrapping_sub(#at)),
            false => quote_spanned!(span=> #at.wrapping_sub(#start)),
        }
    }

    /// Cuts the first elements off the low end, or keeps as many of them: `take` of a window in order moves the end, `skip` the
    /// start; in a reversed one it is the other way round.
    fn limit(&mut self, generator: &mut Generator<'_>, count: &Expr, moves_start: bool) {
        let span = generator.span;
        let count = generator.count(count);
        let Window { start, end, .. } = &*self;
        let fewer = quote_spanned!(span=> #count.min(#end.saturating_sub(#start)));
        match (moves_start, self.reversed) {
            (true, false) => self.start = generator.count(&quote_spanned!(span=> #start.wrapping_add(#fewer))),
            (true, true) => self.start = generator.count(&quote_spanned!(span=> #end.saturating_sub(#fewer))),
            (false, false) => self.end = generator.count(&quote_spanned!(span=> #start.wrapping_add(#fewer))),
            (false, true) => self.end = generator.count(&quote_spanned!(span=> #end.saturating_sub(#fewer))),
        }
    }

    /// Pairs each element with one of another array, if the other chain is positions too.
    fn zip(&mut self, generator: &mut Generator<'_>, other: &mut Chain) -> bool {
        if !other.is_positions() {
            return false;
        }
        let span = generator.span;
        let Some(mut second) = Window::of(generator, other) else { return false };
        second.number_steps(generator);
        let (start, end) = (&self.start, &self.end);
        let (start2, end2) = (&second.start, &second.end);
        let count = generator.count(&quote_spanned! {span=>
            #end.saturating_sub(#start).min(#end2.saturating_sub(#start2))
        });
        match self.reversed {
            false => self.end = generator.count(&quote_spanned!(span=> #start.wrapping_add(#count))),
            true => self.start = generator.count(&quote_spanned!(span=> #end.saturating_sub(#count))),
        }
        let number = self.number(span);
        let number = match self.reversed {
            // The end has stayed, so the numbers have, too.
            true => number,
            false => quote_spanned!(span=> (#number)),
        };
        let (at, before) = (&second.at, &second.before);
        let position = second.position(&number, span);
        self.before.extend(quote_spanned!(span=> let #at = #position; #before));
        let item = std::mem::replace(&mut self.item, Item::Value(TokenStream::new()));
        self.item = Item::Pair(Box::new(item), Box::new(second.item));
        true
    }

    /// Returns the number of the elements, and the number of the next one.
    pub(super) fn counted(&self, generator: &mut Generator<'_>, first: &TokenStream) -> (Ident, Ident) {
        let (span, Window { start, end, .. }) = (generator.span, self);
        let number = generator.counter(first);
        (generator.count(&quote_spanned!(span=> #end.saturating_sub(#start))), number)
    }

    /// Returns the statements that take the next element. After the last one they leave, or begin again.
    pub(super) fn next(&self, (count, number): &(Ident, Ident), cycles: bool, exit: &Exit, span: Span) -> TokenStream {
        let (at, inside, leave) = (&self.at, &self.before, exit.leave(span));
        let (ends, place) = match cycles {
            true => (quote_spanned!(span=> #count == 0), quote_spanned!(span=> (#number % #count))),
            false => (quote_spanned!(span=> #number >= #count), quote_spanned!(span=> #number)),
        };
        let position = self.position(&place, span);
        quote_spanned! {span=>
            if #ends { #leave }
            let #at = #position;
            #number = #number.wrapping_add(1);
            #inside
        }
    }

    /// Returns the position of the element with that number.
    pub(super) fn position(&self, number: &TokenStream, span: Span) -> TokenStream {
        let Window { start, end, .. } = self;
        match self.reversed {
            true => quote_spanned!(span=> #end.wrapping_sub(1).wrapping_sub(#number)),
            false => quote_spanned!(span=> #start.wrapping_add(#number)),
        }
    }
}

impl Chain {
    /// Numbers the positions of an array, and visits the last one first. Returns what maps its elements, which comes after that; `None`
    /// for other chains.
    pub(super) fn numbered_backwards(&mut self, at: &Ident) -> Option<Vec<Closure>> {
        let is_map = |step: &Step| matches!(step, Step::Map(_));
        let maps = self.steps.split_off(self.steps.iter().position(is_map).unwrap_or(self.steps.len()));
        if !self.is_positions() {
            return None;
        }
        self.steps.extend([Step::Enumerate, Step::Rev(at.clone())]);
        let closure = |step| match step {
            Step::Map(closure) => Some(closure),
            _ => None,
        };
        maps.into_iter().map(closure).collect()
    }
}

/// Returns the array as an expression that can be repeated: the place itself, or a copy of the value.
pub(super) fn place(generator: &mut Generator<'_>, array: &Expr, owned: bool, exclusive: bool) -> TokenStream {
    let span = generator.span;
    if !owned && is_place(array) {
        return array.to_token_stream();
    }
    let value = match exclusive {
        true => quote_spanned!(span=> &mut #array),
        false if part_of(array).is_some() => quote_spanned!(span=> &#array),
        false => quote_spanned!(span=> #array),
    };
    generator.before(&value).to_token_stream()
}

/// Returns whether the expression is a variable, or a field of one.
pub(super) fn is_place(expr: &Expr) -> bool {
    match strip(expr) {
        Expr::Path(node) => {
            let name = node.path.get_ident().filter(|_| node.qself.is_none()).map(ToString::to_string);
            name.is_some_and(|name| !name.starts_with(char::is_uppercase))
        }
        Expr::Field(node) => is_place(&node.base),
        _ => false,
    }
}
