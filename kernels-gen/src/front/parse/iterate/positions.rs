//! Chains that `rev` goes through backwards after steps that count. Each element that is left has a number, as those of an array have.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::Expr;

use super::super::tree::FAULT;
use super::bind::Item;
use super::chain::{Chain, Source, Step};
use super::generate::Generator;
use super::window::Window;

impl Window {
    /// Returns the numbers of a range as positions.
    pub(super) fn range(generator: &mut Generator<'_>, start: &Expr, end: &Expr, inclusive: bool) -> Window {
        let (at, value, span) = (generator.name(), generator.name(), generator.span);
        let first = generator.before(&quote_spanned!(span=> #start));
        let last = generator.before(&quote_spanned!(span=> #end));
        // Casts extend the sign, so the difference is the number of steps of every type up to 64 bits.
        let steps = quote_spanned!(span=> (#last as usize).wrapping_sub(#first as usize));
        let count = match inclusive {
            true => quote_spanned!(span=> if #first <= #last { #steps + 1 } else { 0 }),
            false => quote_spanned!(span=> if #first < #last { #steps } else { 0 }),
        };
        let (start, end) = (generator.count(&quote_spanned!(span=> 0_usize)), generator.count(&count));
        // The first assignment says the type.
        let before = quote_spanned! {span=>
            let mut #value = #first;
            #value = (#first as usize).wrapping_add(#at) as _;
        };
        Window { at, start, end, reversed: false, step: None, before, item: Item::name(&value) }
    }

    /// Makes positions of the elements that `step_by` leaves, so that further steps can change them.
    pub(super) fn number_steps(&mut self, generator: &mut Generator<'_>) {
        let Some(step) = self.step.take() else { return };
        let span = generator.span;
        let fault = Ident::new(FAULT, span);
        generator.setup.extend(quote_spanned!(span=> if #step == 0 { #fault!("assertion failed: step != 0") }));
        // Steps count from the first element, and a `rev` after them begins with the last one that they reach.
        let reversed = std::mem::take(&mut self.reversed);
        self.renumber(generator, Some(&step));
        self.reversed = reversed;
    }

    /// Counts the elements from the first one on, in their order, or every `step`-th of them.
    pub(super) fn renumber(&mut self, generator: &mut Generator<'_>, step: Option<&Ident>) {
        let (span, number) = (generator.span, generator.name());
        let Window { start, end, .. } = &*self;
        let all = quote_spanned!(span=> #end.saturating_sub(#start));
        let (count, place) = match step {
            Some(step) => {
                (quote_spanned!(span=> #all.div_ceil(#step)), quote_spanned!(span=> #number.wrapping_mul(#step)))
            }
            None => (all, quote_spanned!(span=> #number)),
        };
        let position = self.position(&place, span);
        let (at, before) = (&self.at, &self.before);
        let before: TokenStream = quote_spanned!(span=> let #at = #position; #before);
        let (start, end) = (generator.count(&quote_spanned!(span=> 0_usize)), generator.count(&count));
        *self = Window { at: number, start, end, before, reversed: false, step: None, item: self.item.clone() };
    }
}

impl Chain {
    /// Moves `map` after `skip` and `enumerate`, where a `rev` follows them. Backwards, Rust calls no closure for what `skip` leaves out.
    pub(super) fn move_maps(&mut self, generator: &Generator<'_>) {
        let mut revs = self.steps.iter().enumerate().filter_map(is_rev);
        let (Some(rev), None) = (revs.next(), revs.next()) else { return };
        let before = |step: &Step| matches!(step, Step::Map(_) | Step::Skip(_) | Step::Enumerate);
        let from = rev - self.steps[..rev].iter().rev().take_while(|step| before(step)).count();
        for end in (from + 1..rev).rev() {
            for k in from..end {
                if let (Step::Map(closure), Step::Skip(_) | Step::Enumerate) = (&self.steps[k], &self.steps[k + 1]) {
                    if let Step::Enumerate = self.steps[k + 1] {
                        self.steps[k] = Step::Map(closure.of_second(generator));
                    }
                    self.steps.swap(k, k + 1);
                }
            }
        }
    }

    /// Makes positions of ranges, where a `rev` needs them. `native`: how many `step_by` the loop over a range can reverse itself.
    pub(super) fn number_ranges(&mut self, native: usize) {
        let Some(last) = self.steps.iter().take_while(|step| is_position(step)).enumerate().filter_map(is_rev).last()
        else {
            return;
        };
        let own = self.steps.iter().take(native).take_while(|step| matches!(step, Step::Every(_))).count();
        let only = self.steps[own..=last].iter().all(|step| matches!(step, Step::Rev(_)));
        if !(only && matches!(self.source, Source::Range { .. })) {
            self.number_all(last);
        }
    }

    /// Makes positions of a range, and of those that `zip` pairs with it before the step.
    fn number_all(&mut self, before: usize) {
        if let Source::Range { start, end: Some(end), inclusive } = &self.source {
            self.source = Source::Counted { start: start.clone(), end: end.clone(), inclusive: *inclusive };
        }
        for step in &mut self.steps[..before] {
            if let Step::Zip(other, _) = step {
                let all = other.steps.len();
                other.number_all(all);
            }
        }
    }

    /// Returns whether every step only changes positions.
    pub(super) fn is_positions(&self) -> bool {
        !matches!(self.source, Source::Split { .. } | Source::Both { .. } | Source::Range { .. })
            && self.steps.iter().all(is_position)
    }
}

fn is_rev((k, step): (usize, &Step)) -> Option<usize> {
    matches!(step, Step::Rev(_)).then_some(k)
}

fn is_position(step: &Step) -> bool {
    match step {
        Step::Rev(_) | Step::Take(_) | Step::Skip(_) | Step::Enumerate | Step::Every(_) => true,
        Step::Zip(other, _) => {
            let ends =
                !matches!(other.source, Source::Split { .. } | Source::Both { .. } | Source::Range { end: None, .. });
            ends && other.steps.iter().all(is_position)
        }
        _ => false,
    }
}
