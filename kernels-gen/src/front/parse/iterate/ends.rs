//! The methods that end a chain and give a value.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::{Expr, ExprMethodCall, GenericArgument, Type};

use super::arrays::ArrayNames;
use super::bind::{Item, inside};
use super::chain::{self, Chain, Step};
use super::closure::Closure;
use super::extremes::{extreme, extreme_by, extreme_by_key};
use super::flow::{Sink, loops};
use super::generate::{Exit, Generator};
use super::lent::is_lent;
use super::reversed::Key;
use super::{Desugared, Refused, is_named};

/// The methods that end a chain.
const ENDS: [&str; 22] = [
    "sum",
    "product",
    "count",
    "min",
    "max",
    "min_by_key",
    "max_by_key",
    "min_by",
    "max_by",
    "fold",
    "try_fold",
    "reduce",
    "any",
    "all",
    "position",
    "rposition",
    "find",
    "find_map",
    "last",
    "nth",
    "next",
    "for_each",
];

/// Returns whether the method gives a value of a type that the context has to name, and ends a chain.
pub(super) fn has_type(call: &ExprMethodCall) -> bool {
    is_named(&call.method, &["sum", "product"]) && chain::chain(&call.receiver).is_some()
}

/// Desugars a method that ends a chain.
pub(super) fn end(generator: &mut Generator<'_>, call: &ExprMethodCall, variables: &ArrayNames) -> Desugared {
    let name = call.method.to_string();
    if let Some(refused) = chain::refused(call) {
        chain::chain(&call.receiver)?.ok()?;
        return Some(Err(refused));
    }
    if !ENDS.contains(&name.as_str()) {
        return None;
    }
    let chain = chain::chain(&call.receiver)?;
    Some(chain.and_then(|mut chain| {
        chain.check(variables)?;
        let value = value(generator, call, &name, chain);
        generator.refused.take().map_or(value, Err)
    }))
}

fn value(
    generator: &mut Generator<'_>,
    call: &ExprMethodCall,
    name: &str,
    chain: Chain,
) -> Result<TokenStream, Refused> {
    let (exit, result) = (generator.exit(), generator.name());
    let end = End { call, name, args: call.args.iter().collect(), exit, result, span: generator.span };
    match name {
        "sum" | "product" | "count" | "min" | "max" | "min_by_key" | "max_by_key" | "min_by" | "max_by" => {
            end.number(generator, chain)
        }
        "fold" | "try_fold" | "reduce" | "for_each" => end.folded(generator, chain),
        "any" | "all" | "position" | "rposition" => end.tested(generator, chain),
        _ => end.found(generator, chain),
    }
}

/// The end of a chain.
struct End<'e> {
    call: &'e ExprMethodCall,
    name: &'e str,
    args: Vec<&'e Expr>,
    /// The block around the loops.
    exit: Exit,
    /// The variable of the result.
    result: Ident,
    span: Span,
}

impl End<'_> {
    fn wrong(&self) -> Refused {
        Refused::new(&self.call.method, format!("`{}` of an iterator has other arguments in Rust", self.name))
    }

    fn closure(&self, count: usize) -> Result<Closure, Refused> {
        // Closures that only look at elements get references.
        let looks = matches!(self.name, "find" | "min_by" | "max_by" | "min_by_key" | "max_by_key");
        match self.args.as_slice() {
            [closure] => Closure::with(closure, &vec![looks || self.lent(); count]),
            _ => Err(self.wrong()),
        }
    }

    fn lent(&self) -> bool {
        is_lent(&self.call.receiver)
    }

    /// Requires that the method has no arguments.
    fn alone(&self) -> Result<(), Refused> {
        if self.args.is_empty() { Ok(()) } else { Err(self.wrong()) }
    }

    /// Returns the loops as an expression: the declaration of the result, the loops, the result.
    fn run(
        &self,
        generator: &mut Generator<'_>,
        chain: Chain,
        start: TokenStream,
        each: &mut Sink<'_>,
    ) -> Result<TokenStream, Refused> {
        let (result, span) = (&self.result, self.span);
        let loops = loops(generator, chain, &self.exit, &TokenStream::new(), each)?;
        let loops = self.exit.around(&loops, span);
        Ok(generator.block(&quote_spanned!(span=> #start #loops #result)))
    }

    fn none(&self) -> TokenStream {
        let result = &self.result;
        quote_spanned!(self.span=> let mut #result = None;)
    }

    fn number(&self, generator: &mut Generator<'_>, chain: Chain) -> Result<TokenStream, Refused> {
        let (result, span, name) = (&self.result, self.span, self.name);
        if let "min_by_key" | "max_by_key" = name {
            let (key, best) = (Key::of(self.closure(1)?), generator.name());
            let start = quote_spanned!(span=> let mut #best = None; let mut #result = None;);
            return self.run(generator, chain, start, &mut |generator, item| {
                extreme_by_key(generator, (name, &key), (&best, result), item)
            });
        }
        if let "min_by" | "max_by" = name {
            let compare = self.closure(2)?;
            return self.run(generator, chain, self.none(), &mut |generator, item| {
                extreme_by(generator, (name, &compare), result, item)
            });
        }
        self.alone()?;
        match name {
            "min" | "max" => {
                self.run(generator, chain, self.none(), &mut |generator, item| extreme(generator, name, result, item))
            }
            "count" => {
                let start = quote_spanned!(span=> let mut #result: usize = 0;);
                self.run(generator, chain, start, &mut |_, _| quote_spanned!(span=> #result = #result.wrapping_add(1);))
            }
            _ => {
                let ty = named_type(self.call);
                let held = match (ty, chain.steps.last()) {
                    (None, Some(Step::Map(closure))) => closure.gives_result().map(|of_result| (None, of_result)),
                    _ => ty.and_then(of_holder),
                };
                if let Some((inside, of_result)) = held {
                    return self.sum_held(generator, chain, inside, of_result);
                }
                let operator = if name == "sum" { quote_spanned!(span=> +=) } else { quote_spanned!(span=> *=) };
                let start = start(ty, name, result, span);
                self.run(generator, chain, start, &mut |_, item| {
                    let value = item.into_tokens();
                    quote_spanned!(span=> #result #operator #value;)
                })
            }
        }
    }

    fn folded(&self, generator: &mut Generator<'_>, chain: Chain) -> Result<TokenStream, Refused> {
        let (result, span) = (&self.result, self.span);
        match (self.name, self.args.as_slice()) {
            ("fold", [first, step]) => {
                let step = Closure::with(step, &[false, self.lent()])?;
                let start = quote_spanned!(span=> let mut #result = #first;);
                self.run(generator, chain, start, &mut |generator, item| {
                    let value = step.call(generator, vec![Item::name(result), item]);
                    quote_spanned!(span=> #result = #value;)
                })
            }
            ("try_fold", [first, step]) => {
                self.tried(generator, chain, first, &Closure::with(step, &[false, self.lent()])?)
            }
            ("reduce", _) => {
                let step = self.closure(2)?;
                self.run(generator, chain, self.none(), &mut |generator, item| {
                    let (before, item) = item.settle(generator);
                    let old = generator.name();
                    let value = step.call(generator, vec![Item::name(&old), item.clone()]);
                    let first = item.into_tokens();
                    // The first element says what the closure gets.
                    quote_spanned! {span=>
                        #before
                        #result = match #result { None => Some(#first), Some(#old) => Some(#value) };
                    }
                })
            }
            ("for_each", _) => {
                let body = self.closure(1)?;
                let loops = loops(generator, chain, &self.exit, &TokenStream::new(), &mut |generator, item| {
                    let value = body.call(generator, vec![item]);
                    quote_spanned!(span=> #value;)
                })?;
                let loops = self.exit.around(&loops, span);
                Ok(generator.block(&loops))
            }
            _ => Err(self.wrong()),
        }
    }

    /// Folds until the closure gives `None`, or an `Err`: which of them, its text says, and rustc checks it.
    fn tried(
        &self,
        generator: &mut Generator<'_>,
        chain: Chain,
        first: &Expr,
        step: &Closure,
    ) -> Result<TokenStream, Refused> {
        let (state, span) = (generator.name(), self.span);
        let of_result = step.names(&["Ok", "Err", "ok_or", "ok_or_else", "map_err"]);
        let start = quote_spanned!(span=> let mut #state = #first;);
        self.until(generator, chain, (start, &state, of_result), &mut |generator, item, value| {
            let next = step.call(generator, vec![Item::name(&state), item]);
            (next, quote_spanned!(span=> #state = #value))
        })
    }

    /// Adds or multiplies the values of `Option`s or `Result`s until one has none.
    fn sum_held(
        &self,
        generator: &mut Generator<'_>,
        chain: Chain,
        ty: Option<&Type>,
        of_result: bool,
    ) -> Result<TokenStream, Refused> {
        let (state, span) = (generator.name(), self.span);
        let start = start(ty, self.name, &state, span);
        let operator = if self.name == "sum" { quote_spanned!(span=> +=) } else { quote_spanned!(span=> *=) };
        self.until(generator, chain, (start, &state, of_result), &mut |_, item, value| {
            (item.into_tokens(), quote_spanned!(span=> #state #operator #value))
        })
    }

    /// Runs until an element gives `None`, or an `Err`. `each` returns what it gives, and what is done with the value in it.
    fn until(
        &self,
        generator: &mut Generator<'_>,
        chain: Chain,
        (first, state, of_result): (TokenStream, &Ident, bool),
        each: &mut dyn FnMut(&mut Generator<'_>, Item, &Ident) -> (TokenStream, TokenStream),
    ) -> Result<TokenStream, Refused> {
        let (result, span, leave) = (&self.result, self.span, self.exit.leave(self.span));
        let (value, error) = (generator.name(), generator.name());
        let start = if of_result { quote_spanned!(span=> None) } else { quote_spanned!(span=> false) };
        let end = match of_result {
            true => quote_spanned!(span=> match #result { Some(#error) => Err(#error), None => Ok(#state) }),
            false => quote_spanned!(span=> if #result { None } else { Some(#state) }),
        };
        let loops = loops(generator, chain, &self.exit, &TokenStream::new(), &mut |generator, item| {
            let (next, taken) = each(generator, item, &value);
            match of_result {
                true => quote_spanned! {span=>
                    match #next { Ok(#value) => #taken, Err(#error) => { #result = Some(#error); #leave } }
                },
                false => {
                    quote_spanned!(span=> match #next { Some(#value) => #taken, None => { #result = true; #leave } })
                }
            }
        })?;
        let loops = self.exit.around(&loops, span);
        Ok(generator.block(&quote_spanned!(span=> #first let mut #result = #start; #loops #end)))
    }

    fn tested(&self, generator: &mut Generator<'_>, mut chain: Chain) -> Result<TokenStream, Refused> {
        let (result, span) = (&self.result, self.span);
        let (condition, leave) = (self.closure(1)?, self.exit.leave(span));
        if self.name == "rposition" {
            let Some(maps) = chain.numbered_backwards(&self.call.method) else {
                let message = "`rposition` is that of an array here, perhaps with `map`; write a loop that counts down";
                return Err(Refused::new(&self.call.method, message));
            };
            return self.run(generator, chain, self.none(), &mut |generator, item| {
                let Item::Pair(number, item) = item else { return TokenStream::new() };
                let (number, (lets, item)) = (number.into_tokens(), mapped(generator, &maps, *item));
                let (holds, value) = (generator.name(), condition.call(generator, vec![item]));
                quote_spanned!(span=> #lets let #holds = #value; if #holds { #result = Some(#number); #leave })
            });
        }
        if self.name == "position" {
            let number = generator.counter(&quote_spanned!(span=> 0));
            let start = quote_spanned!(span=> let mut #result: Option<usize> = None;);
            return self.run(generator, chain, start, &mut |generator, item| {
                let (holds, value) = (generator.name(), condition.call(generator, vec![item]));
                quote_spanned! {span=>
                    let #holds = #value;
                    if #holds { #result = Some(#number); #leave }
                    #number = #number.wrapping_add(1);
                }
            });
        }
        let [start, end, not] = match self.name {
            "any" => [quote_spanned!(span=> false), quote_spanned!(span=> true), TokenStream::new()],
            _ => [quote_spanned!(span=> true), quote_spanned!(span=> false), quote_spanned!(span=> !)],
        };
        let start = quote_spanned!(span=> let mut #result = #start;);
        self.run(generator, chain, start, &mut |generator, item| {
            let (holds, value) = (generator.name(), condition.call(generator, vec![item]));
            quote_spanned!(span=> let #holds = #value; if #not #holds { #result = #end; #leave })
        })
    }

    fn found(&self, generator: &mut Generator<'_>, chain: Chain) -> Result<TokenStream, Refused> {
        let (result, span, none) = (&self.result, self.span, self.none());
        let leave = |exit: &Exit| exit.leave(span);
        match (self.name, self.args.as_slice()) {
            ("find", _) => {
                let (condition, leave) = (self.closure(1)?, leave(&self.exit));
                self.run(generator, chain, none, &mut |generator, item| {
                    self.no_place(generator, &item);
                    let (before, item) = item.settle(generator);
                    let (holds, value) = (generator.name(), condition.call(generator, vec![item.clone()]));
                    let item = item.into_tokens();
                    quote_spanned!(span=> #before let #holds = #value; if #holds { #result = Some(#item); #leave })
                })
            }
            ("find_map", _) => {
                let (made, leave) = (self.closure(1)?, leave(&self.exit));
                self.run(generator, chain, none, &mut |generator, item| {
                    let (found, value) = (generator.name(), made.call(generator, vec![item]));
                    quote_spanned!(span=> if let Some(#found) = #value { #result = Some(#found); #leave })
                })
            }
            ("last", []) => self.run(generator, chain, none, &mut |generator, item| {
                self.no_place(generator, &item);
                let item = item.into_tokens();
                quote_spanned!(span=> #result = Some(#item);)
            }),
            ("next", []) => self.run(generator, chain, none, &mut |generator, item| self.first(generator, item)),
            ("nth", [count]) => {
                let left = generator.counter(count);
                self.run(generator, chain, none, &mut |generator, item| {
                    let found = self.first(generator, item);
                    quote_spanned!(span=> if #left == 0 { #found } #left = #left.wrapping_sub(1);)
                })
            }
            _ => Err(self.wrong()),
        }
    }

    /// Refuses to give a reference by which an element can be changed: it would be a value here.
    fn no_place(&self, generator: &mut Generator<'_>, item: &Item) {
        if item.has_place() {
            let message = "an element of `iter_mut` is changed inside of the chain here, as in `.for_each(|x| *x += 1)`, or in a loop that ends \
                           with `break`; of an array, also in `if let Some(x) = list.iter_mut().find(..)`";
            generator.refused.get_or_insert(Refused::new(&self.call.method, message));
        }
    }

    fn first(&self, generator: &mut Generator<'_>, item: Item) -> TokenStream {
        self.no_place(generator, &item);
        let (result, item, leave) = (&self.result, item.into_tokens(), self.exit.leave(self.span));
        quote_spanned!(self.span=> #result = Some(#item); #leave)
    }
}

/// Returns what a few closures make of an element, one after the other.
fn mapped(generator: &mut Generator<'_>, maps: &[Closure], mut item: Item) -> (TokenStream, Item) {
    let (mut lets, span) = (TokenStream::new(), generator.span);
    for closure in maps {
        let (value, name) = (closure.call(generator, vec![item]), generator.name());
        lets.extend(quote_spanned!(span=> let #name = #value;));
        item = Item::name(&name);
    }
    (lets, item)
}

/// Returns the type that the call of `sum` names.
fn named_type(call: &ExprMethodCall) -> Option<&Type> {
    match call.turbofish.as_ref()?.args.first()? {
        GenericArgument::Type(ty) if !matches!(ty, Type::Infer(_)) => Some(ty),
        _ => None,
    }
}

/// Returns the type inside of an `Option` or a `Result`, if it is known, and whether it is a `Result`.
fn of_holder(ty: &Type) -> Option<(Option<&Type>, bool)> {
    let (held, of_result) = match (inside("Ok", ty), inside("Some", ty)) {
        (Some(held), _) => (held, true),
        (None, held) => (held?, false),
    };
    Some((Some(held).filter(|held| !matches!(held, Type::Infer(_))), of_result))
}

/// Returns the declaration of the sum, of the type that the user has named. The sum of no floats is `-0.0` in Rust.
fn start(ty: Option<&Type>, name: &str, result: &Ident, span: Span) -> TokenStream {
    let scalar = ty.map(super::super::types::scalar);
    let first = match (name, scalar) {
        ("sum", Some(Some(scalar))) if scalar.is_float() => quote_spanned!(span=> -0.0),
        (_, Some(Some(scalar))) if scalar.is_float() => quote_spanned!(span=> 1.0),
        ("sum", Some(Some(_))) => quote_spanned!(span=> 0),
        (_, Some(Some(_))) => quote_spanned!(span=> 1),
        // Each type of numbers makes its own of these.
        ("sum", _) => quote_spanned!(span=> -0.0_f64 as _),
        _ => quote_spanned!(span=> 1_u8 as _),
    };
    match ty {
        Some(ty) => quote_spanned!(span=> let mut #result: #ty = #first;),
        None => quote_spanned!(span=> let mut #result = #first;),
    }
}
