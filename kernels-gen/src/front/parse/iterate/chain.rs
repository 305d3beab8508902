//! Chains as the user writes them: a source, and the methods on it.

use syn::{Expr, ExprMethodCall, ExprRange, RangeLimits};

use super::super::text;
use super::super::tree::strip;
use super::Refused;
use super::arrays::ArrayNames;
use super::closure::Closure;
use super::lent::is_lent;

/// The elements that a chain begins with.
pub(super) enum Source {
    /// A range. Without an end it counts until it is left.
    Range { start: Expr, end: Option<Expr>, inclusive: bool },
    /// A range whose elements are counted like those of an array, so that `rev` can begin with the last one: see `positions.rs`.
    Counted { start: Expr, end: Expr, inclusive: bool },
    /// The elements of an array, or of the part of it that a range selects.
    Array { array: Expr, part: Option<ExprRange>, owned: bool, exclusive: bool },
    /// `array.windows(n)`, or `array.chunks_exact(n)`, whose pieces do not overlap. `rest`: `array.chunks(n)`.
    Pieces { array: Expr, length: u64, apart: bool, rest: bool },
    /// The same where a length is known only when it runs: the pieces are slices.
    Slices { array: Expr, length: Expr, apart: bool, rest: bool },
    /// `array.split(|x| ..)`: the slices between the elements for which the closure holds.
    Split { array: Expr, at: Box<Closure> },
    /// One chain after the other. `alike`: their elements have one type.
    Both { first: Box<Chain>, second: Box<Chain>, alike: bool },
}

/// One method that makes an iterator from an iterator.
pub(super) enum Step {
    Map(Closure),
    Filter(Closure),
    FilterMap(Closure),
    FlatMap(Closure),
    Flatten,
    Inspect(Closure),
    TakeWhile(Closure),
    SkipWhile(Closure),
    MapWhile(Closure),
    /// The first state, and the closure.
    Scan(Box<(Expr, Closure)>),
    Enumerate,
    Zip(Box<Chain>, proc_macro2::Ident),
    Take(Expr),
    Skip(Expr),
    /// `step_by`
    Every(Expr),
    Rev(proc_macro2::Ident),
    Cycle(proc_macro2::Ident),
}

/// Methods of Rust's iterators that have no meaning here, and what to write instead.
const REFUSED: [(&str, &str); 5] = [
    ("collect", "the device has no heap; write the elements into an array in a loop"),
    ("peekable", "look at the element by its index"),
    ("try_for_each", "write a `for` loop, in which `?` ends the transaction"),
    ("chunks_mut", CHANGED),
    ("chunks_exact_mut", CHANGED),
];

const CHANGED: &str = "count the pieces, as in `for k in 0..list.len() / 2 { list[2 * k] = list[2 * k + 1]; }`";

/// Returns the error for a method that has no meaning.
pub(super) fn refused(call: &ExprMethodCall) -> Option<Refused> {
    let (name, instead) = REFUSED.iter().find(|(name, _)| call.method == name)?;
    Some(Refused::new(&call.method, format!("`{name}` has no meaning on the device; {instead}")))
}

/// An iterator: a source, and the methods on it in order.
pub(super) struct Chain {
    pub(super) source: Source,
    pub(super) steps: Vec<Step>,
}

impl Chain {
    /// Moves each `rev` before the steps that do not depend on the order, and into both sides of a `chain`.
    pub(super) fn move_rev(&mut self) {
        for k in 1..self.steps.len() {
            for k in (1..=k).rev() {
                let free =
                    matches!(self.steps[k - 1], Step::Map(_) | Step::Filter(_) | Step::FilterMap(_) | Step::Inspect(_));
                if !(free && matches!(self.steps[k], Step::Rev(_))) {
                    break;
                }
                self.steps.swap(k - 1, k);
            }
        }
        if let Source::Both { first, second, .. } = &mut self.source {
            while let Some(Step::Rev(at)) = self.steps.first() {
                first.steps.push(Step::Rev(at.clone()));
                second.steps.push(Step::Rev(at.clone()));
                std::mem::swap(first, second);
                self.steps.remove(0);
            }
        }
    }

    /// Refuses shared arrays, of which the engine has to see each access. Finds the last piece of `chunks`.
    pub(super) fn check(&mut self, variables: &ArrayNames) -> Result<(), Refused> {
        if let Some(whole) = self.source.with_rest(variables)? {
            self.source = whole;
        }
        match &mut self.source {
            Source::Array { array, .. }
            | Source::Pieces { array, .. }
            | Source::Slices { array, .. }
            | Source::Split { array, .. }
                if variables.is_shared(array) =>
            {
                let name = text::source(array);
                let message = format!(
                    "`{name}` is a shared array, and has no iterator: the engine has to see each access; write \
                     `for i in 0..8 {{ let value = tx.read({name}, i)?; .. }}`"
                );
                return Err(Refused::new(array, message));
            }
            Source::Both { first, second, .. } => {
                first.check(variables)?;
                second.check(variables)?;
            }
            _ => {}
        }
        self.steps.iter_mut().try_for_each(|step| match step {
            Step::Zip(other, _) => other.check(variables),
            _ => Ok(()),
        })
    }
}

/// Returns the chain that an expression is; `None` where it is no iterator.
pub(super) fn chain(expr: &Expr) -> Option<Result<Chain, Refused>> {
    match strip(expr) {
        Expr::Range(range) => range_source(range).map(|source| Ok(Chain { source, steps: Vec::new() })),
        Expr::MethodCall(call) => method(call),
        _ => None,
    }
}

/// Returns the chain of something that is iterated over: also `array`, `&array` and `&mut array`.
pub(super) fn iterated(expr: &Expr) -> Result<Chain, Refused> {
    if let Some(chain) = chain(expr) {
        return chain;
    }
    let (array, owned, exclusive) = match strip(expr) {
        Expr::Reference(node) => (strip(&node.expr), false, node.mutability.is_some()),
        other => (other, true, false),
    };
    Ok(elements(array, owned, exclusive))
}

fn elements(array: &Expr, owned: bool, exclusive: bool) -> Chain {
    let (array, part) = match strip(array) {
        Expr::Index(node) => match strip(&node.index) {
            Expr::Range(range) => (strip(&node.expr), Some(range.clone())),
            _ => (array, None),
        },
        _ => (array, None),
    };
    Chain { source: Source::Array { array: array.clone(), part, owned, exclusive }, steps: Vec::new() }
}

fn range_source(range: &ExprRange) -> Option<Source> {
    let start = (**range.start.as_ref()?).clone();
    let inclusive = matches!(range.limits, RangeLimits::Closed(_));
    Some(Source::Range { start, end: range.end.as_ref().map(|end| (**end).clone()), inclusive })
}

/// Returns the chain that ends with a method.
fn method(call: &ExprMethodCall) -> Option<Result<Chain, Refused>> {
    let name = call.method.to_string();
    let args: Vec<&Expr> = call.args.iter().collect();
    match (name.as_str(), args.as_slice()) {
        ("iter", []) => return Some(Ok(elements(&call.receiver, false, false))),
        ("iter_mut", []) => return Some(Ok(elements(&call.receiver, false, true))),
        ("into_iter", []) => return Some(iterated(&call.receiver)),
        ("windows" | "chunks" | "chunks_exact", [length]) => return Some(pieces(call, length)),
        ("split", [at @ Expr::Closure(_)]) => {
            let source = |at| Source::Split { array: (*call.receiver).clone(), at: Box::new(at) };
            return Some(Closure::of(at, 1).map(|at| Chain { source: source(at), steps: Vec::new() }));
        }
        ("chunks_mut" | "chunks_exact_mut", [_]) => return refused(call).map(Err),
        _ => {}
    }
    let made = step(call, &name, &args)?;
    let chain = chain(&call.receiver)?;
    Some(made.and_then(|step| chain.map(|chain| with(chain, step))))
}

fn pieces(call: &ExprMethodCall, length: &Expr) -> Result<Chain, Refused> {
    let number = match strip(length) {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => int.base10_parse::<u64>().ok(),
        _ => None,
    };
    let array = (*call.receiver).clone();
    let (apart, rest) = (call.method != "windows", call.method == "chunks");
    let Some(length) = number.filter(|n| (1..=64).contains(n)) else {
        let source = Source::Slices { array, length: length.clone(), apart, rest };
        return Ok(Chain { source, steps: Vec::new() });
    };
    Ok(Chain { source: Source::Pieces { array, length, apart, rest }, steps: Vec::new() })
}

impl Source {
    /// Returns `array.chunks(n)` as the pieces of that length, and the shorter one after them: each has a type.
    fn with_rest(&self, variables: &ArrayNames) -> Result<Option<Source>, Refused> {
        let Source::Pieces { array, length, rest: true, .. } = self else { return Ok(None) };
        let known = variables.length(array).and_then(|known| match strip(&known) {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => int.base10_parse::<u64>().ok(),
            _ => None,
        });
        let Some(known) = known.filter(|known| *known <= MOST_ELEMENTS) else {
            let length = proc_macro2::Literal::usize_suffixed(*length as usize);
            let (array, length) = (array.clone(), syn::parse_quote!(#length));
            return Ok(Some(Source::Slices { array, length, apart: true, rest: true }));
        };
        let whole = Source::Pieces { array: array.clone(), length: *length, apart: true, rest: false };
        if known % length == 0 {
            return Ok(Some(whole));
        }
        let last = (known - known % length..known).map(|k| proc_macro2::Literal::usize_suffixed(k as usize));
        let last = syn::parse_quote!([[#(#array[#last]),*]]);
        let [first, second] = [whole, Source::Array { array: last, part: None, owned: true, exclusive: false }]
            .map(|source| Box::new(Chain { source, steps: Vec::new() }));
        Ok(Some(Source::Both { first, second, alike: false }))
    }
}

/// The most elements of an array whose last piece is written out.
const MOST_ELEMENTS: u64 = 1 << 20;

/// Returns the step that a method is; `None` where it is no method that gives an iterator.
fn step(call: &ExprMethodCall, name: &str, args: &[&Expr]) -> Option<Result<Made, Refused>> {
    // Closures that only look at an element get a reference.
    let lent = matches!(name, "filter" | "inspect" | "take_while" | "skip_while") || is_lent(&call.receiver);
    let closure = |made: fn(Closure) -> Step| match args {
        [closure] => Closure::with(closure, &[lent]).map(|closure| Made::Step(made(closure))),
        _ => Err(Refused::new(&call.method, format!("`{name}` takes one closure, as in `.{name}(|x| ..)`"))),
    };
    Some(match (name, args) {
        ("map", _) => closure(Step::Map),
        ("filter", _) => closure(Step::Filter),
        ("filter_map", _) => closure(Step::FilterMap),
        ("flat_map", _) => closure(Step::FlatMap),
        ("flatten", []) => Ok(Made::Step(Step::Flatten)),
        ("inspect", _) => closure(Step::Inspect),
        ("take_while", _) => closure(Step::TakeWhile),
        ("skip_while", _) => closure(Step::SkipWhile),
        ("map_while", _) => closure(Step::MapWhile),
        ("scan", [first, with]) => {
            Closure::with(with, &[false, lent]).map(|with| Made::Step(Step::Scan(Box::new(((*first).clone(), with)))))
        }
        ("enumerate", []) => Ok(Made::Step(Step::Enumerate)),
        ("copied" | "cloned" | "by_ref" | "into_iter" | "iter" | "fuse", []) => Ok(Made::Nothing),
        ("cycle", []) => Ok(Made::Step(Step::Cycle(call.method.clone()))),
        ("peekable", []) => refused(call).map_or(Ok(Made::Nothing), Err),
        ("rev", []) => Ok(Made::Step(Step::Rev(call.method.clone()))),
        ("take", [n]) => Ok(Made::Step(Step::Take((*n).clone()))),
        ("skip", [n]) => Ok(Made::Step(Step::Skip((*n).clone()))),
        ("step_by", [n]) => Ok(Made::Step(Step::Every((*n).clone()))),
        ("zip", [other]) => iterated(other).map(|other| Made::Step(Step::Zip(Box::new(other), call.method.clone()))),
        ("chain", [other]) => iterated(other).map(Made::After),
        _ => return None,
    })
}

/// The effect of a method on a chain.
enum Made {
    Nothing,
    Step(Step),
    After(Chain),
}

fn with(mut chain: Chain, made: Made) -> Chain {
    match made {
        Made::Nothing => chain,
        Made::Step(step) => {
            chain.steps.push(step);
            chain
        }
        Made::After(other) => {
            let source = Source::Both { first: Box::new(chain), second: Box::new(other), alike: true };
            Chain { source, steps: Vec::new() }
        }
    }
}
