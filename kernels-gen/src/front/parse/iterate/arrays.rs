//! Methods of arrays and ranges that are loops. Types are not known yet, so an array is a variable that is declared as one.

use std::collections::HashMap;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::visit::{self, Visit};
use syn::{Expr, ExprMethodCall, FnArg, Pat, Type};

use super::bind::{Item, elements_of, value_of};
use super::closure::Closure;
use super::generate::Generator;
use super::lent::Lent;
use super::{Desugared, Refused, from_fn, orderings, rearranged};
use crate::front::parse::part::part_of;
use crate::front::parse::text;
use crate::front::parse::tree::{GENERATED, strip};
use crate::front::parse::types::{argument, partition};
use crate::methods::BYTES;

/// The variables of a function that are declared as arrays, and nowhere as anything else.
#[derive(Default)]
pub(in crate::front::parse) struct ArrayNames {
    /// Whether a variable is an array wherever it is declared.
    known: HashMap<String, bool>,
    /// The shared arrays, each with the length of its elements if these are arrays.
    shared: HashMap<String, Option<Expr>>,
    lengths: HashMap<String, Option<Expr>>,
    /// The variables that hold references in Rust.
    pub(super) lent: Lent,
    /// The variables that are declared as an `Ordering`, and nowhere as anything else.
    orderings: HashMap<String, bool>,
}

impl ArrayNames {
    pub(in crate::front::parse) fn of(item: &syn::ItemFn) -> ArrayNames {
        let mut names = ArrayNames::default();
        for input in &item.sig.inputs {
            if let FnArg::Typed(input) = input {
                names.note_ordering(&input.pat, is_ordering_type(&input.ty));
                names.lent.note_type(&input.pat, &input.ty);
                if let (Pat::Ident(ident), Some(element)) = (&*input.pat, element_of_shared(&input.ty)) {
                    names.shared.insert(text::key(&ident.ident), length_of(element));
                    continue;
                }
                names.declare(&input.pat, is_array_type(&input.ty));
                names.note_length(&input.pat, length_of(&input.ty));
            }
        }
        names.visit_block(&item.block);
        names
    }

    fn declare(&mut self, pat: &Pat, is_array: bool) {
        if let Pat::Ident(ident) = pat {
            *self.known.entry(text::key(&ident.ident)).or_insert(true) &= is_array;
        } else {
            self.visit_pat(pat);
        }
    }

    /// Returns whether the expression is a shared array, or a field of one. A variable may hide it: `let rows = tx.read(rows, at)?`.
    pub(super) fn is_shared(&self, expr: &Expr) -> bool {
        let has = |name: &String| self.shared.contains_key(name) && !self.known.contains_key(name);
        match strip(expr) {
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| has(&text::key(name))),
            Expr::Field(node) => self.is_shared(&node.base),
            _ => false,
        }
    }

    fn note_ordering(&mut self, pat: &Pat, is_ordering: bool) {
        if let Pat::Ident(ident) = pat {
            *self.orderings.entry(text::key(&ident.ident)).or_insert(true) &= is_ordering;
        }
    }

    /// Returns whether the expression is a variable that is an `Ordering`.
    pub(super) fn is_ordering(&self, expr: &Expr) -> bool {
        let name = match strip(expr) {
            Expr::Path(path) => path.path.get_ident(),
            _ => None,
        };
        name.is_some_and(|name| self.orderings.get(&text::key(name)) == Some(&true))
    }

    /// Returns whether the function has a variable of that name.
    pub(super) fn declares(&self, name: &Ident) -> bool {
        let name = text::key(name);
        self.known.contains_key(&name) || self.shared.contains_key(&name)
    }

    /// Notes the length of a variable; one that is declared with several lengths has none.
    fn note_length(&mut self, pat: &Pat, length: Option<Expr>) {
        let Pat::Ident(ident) = pat else { return };
        let known = self.lengths.entry(text::key(&ident.ident)).or_insert_with(|| length.clone());
        if known.to_token_stream().to_string() != length.to_token_stream().to_string() {
            *known = None;
        }
    }

    /// Returns the length of an array.
    pub(in crate::front::parse) fn length(&self, expr: &Expr) -> Option<Expr> {
        match strip(expr) {
            Expr::Path(path) => self.lengths.get(&text::key(path.path.get_ident()?))?.clone(),
            Expr::Array(node) => {
                let count = node.elems.len();
                Some(syn::parse_quote!(#count))
            }
            Expr::Repeat(node) => Some((*node.len).clone()),
            Expr::MethodCall(node) if node.method == "map" => self.length(&node.receiver),
            Expr::Try(node) => self.read(&node.expr),
            _ => None,
        }
    }

    /// Returns the length of what `tx.read` gives, if that is an array.
    fn read(&self, expr: &Expr) -> Option<Expr> {
        let Expr::MethodCall(call) = strip(expr) else { return None };
        let Expr::Path(array) = strip(call.args.first()?) else { return None };
        let length = self.shared.get(&text::key(array.path.get_ident()?))?;
        length.clone().filter(|_| call.method == "read")
    }

    /// Adds the variables of a `let` with its value.
    fn declared(&mut self, pat: &Pat, value: Option<&Expr>) {
        match (pat, value) {
            (Pat::Type(typed), _) => {
                self.note_ordering(&typed.pat, is_ordering_type(&typed.ty));
                self.declare(&typed.pat, is_array_type(&typed.ty));
                self.note_length(&typed.pat, length_of(&typed.ty));
            }
            (Pat::Tuple(parts), Some(Expr::Tuple(values))) if parts.elems.len() == values.elems.len() => {
                for (part, value) in parts.elems.iter().zip(&values.elems) {
                    self.declared(part, Some(value));
                }
            }
            (pat, value) => {
                let is_array = value.is_some_and(|value| self.has(value));
                let length = value.and_then(|value| self.length(value));
                let is_ordering =
                    value.is_some_and(|value| orderings::is_ordering(value, &|name| self.is_ordering(name)));
                self.note_ordering(pat, is_ordering);
                self.declare(pat, is_array);
                self.note_length(pat, length);
            }
        }
    }

    fn has(&self, expr: &Expr) -> bool {
        match strip(expr) {
            Expr::Path(path) if path.path.is_ident(&format!("{GENERATED}{PART_OF}")) => true,
            Expr::Path(path) => {
                path.path.get_ident().is_some_and(|name| self.known.get(&text::key(name)) == Some(&true))
            }
            Expr::Array(_) | Expr::Repeat(_) => true,
            Expr::Reference(node) => part_of(&node.expr).is_some(),
            Expr::MethodCall(call) if BYTES.iter().any(|name| call.method == name) => true,
            Expr::MethodCall(_) | Expr::Try(_) => self.length(expr).is_some(),
            _ => false,
        }
    }
}

/// The name of a part while a method looks at its elements.
const PART_OF: &str = "part_of";

/// Methods that look at the elements of an array, of which a part has a name while they do.
const OF_PARTS: [&str; 12] = [
    "len",
    "is_empty",
    "first",
    "last",
    "contains",
    "is_sorted",
    "starts_with",
    "ends_with",
    "binary_search",
    "binary_search_by",
    "binary_search_by_key",
    "partition_point",
];

/// Methods beside [`SORTS`](super::rearranged::SORTS) that no type of the user's program has by chance: what they are called on is an
/// array, or rustc says that it is not.
const OF_ARRAYS: [&str; 7] = [
    "is_sorted",
    "binary_search",
    "binary_search_by",
    "binary_search_by_key",
    "partition_point",
    "copy_from_slice",
    "copy_within",
];

fn of_arrays(name: &str) -> bool {
    OF_ARRAYS.contains(&name) || super::rearranged::SORTS.contains(&name)
}

/// Returns whether it is the name of a method of slices.
pub(in crate::front::parse) fn is_of_slices(name: &str) -> bool {
    OF_PARTS.contains(&name) || of_arrays(name) || matches!(name, "iter" | "iter_mut" | "swap")
}

impl<'ast> Visit<'ast> for ArrayNames {
    fn visit_local(&mut self, node: &'ast syn::Local) {
        self.declared(&node.pat, node.init.as_ref().map(|init| strip(&init.expr)));
        match &node.pat {
            Pat::Type(typed) => self.lent.note_type(&typed.pat, &typed.ty),
            pat => self.lent.note(pat, node.init.as_ref().map(|init| &*init.expr)),
        }
        if let Some(init) = &node.init {
            self.visit_local_init(init);
        }
    }

    fn visit_pat_ident(&mut self, node: &'ast syn::PatIdent) {
        self.known.insert(text::key(&node.ident), false);
        self.orderings.insert(text::key(&node.ident), false);
        visit::visit_pat_ident(self, node);
    }
}

pub(in crate::front::parse) fn is_shared(ty: &Type) -> bool {
    element_of_shared(ty).is_some()
}

/// Returns whether the elements of a shared array are arrays.
pub(in crate::front::parse) fn has_array_elements(ty: &Type) -> bool {
    element_of_shared(ty).is_some_and(|element| matches!(element, Type::Array(_)))
}

fn element_of_shared(ty: &Type) -> Option<&Type> {
    let Type::Reference(node) = ty else { return None };
    argument(&node.elem, "Shared").or_else(|| partition(&node.elem).and_then(|(element, _)| element))
}

fn length_of(ty: &Type) -> Option<Expr> {
    match ty {
        Type::Array(node) => Some(node.len.clone()),
        Type::Reference(node) => length_of(&node.elem),
        Type::Paren(node) => length_of(&node.elem),
        _ => None,
    }
}

fn is_ordering_type(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Ordering"))
}

fn is_array_type(ty: &Type) -> bool {
    match ty {
        Type::Array(_) | Type::Slice(_) => true,
        Type::Reference(node) => is_array_type(&node.elem),
        Type::Paren(node) => is_array_type(&node.elem),
        _ => false,
    }
}

/// Desugars a method of an array or range.
pub(super) fn method(generator: &mut Generator<'_>, call: &ExprMethodCall, arrays: &ArrayNames) -> Desugared {
    let name = call.method.to_string();
    let args: Vec<&Expr> = call.args.iter().collect();
    if let (Expr::Range(range), "contains", [value]) = (strip(&call.receiver), name.as_str(), args.as_slice()) {
        return Some(orderings::range_contains(generator, range, value));
    }
    if part_of(&call.receiver).is_some() && OF_PARTS.contains(&name.as_str()) {
        let (part, span, receiver) =
            (Ident::new(&format!("{GENERATED}{PART_OF}"), generator.span), generator.span, &call.receiver);
        let (method, args) = (&call.method, &call.args);
        return Some(Ok(quote_spanned!(span=> { let #part = &#receiver; #part.#method(#args) })));
    }
    if let (Some(length), [with]) = (from_fn::length_of_map(call), args.as_slice()) {
        return Some(mapped(generator, strip(&call.receiver), with, length));
    }
    if part_of(&call.receiver).is_some() {
        return rearranged::method(generator, call);
    }
    let is_place = matches!(strip(&call.receiver), Expr::Path(_) | Expr::Field(_) | Expr::Index(_));
    if !(arrays.has(&call.receiver) || is_place && of_arrays(&name)) {
        return None;
    }
    of_variable(generator, call, (&name, &args), arrays)
}

fn of_variable(
    generator: &mut Generator<'_>,
    call: &ExprMethodCall,
    (name, args): (&str, &[&Expr]),
    arrays: &ArrayNames,
) -> Desugared {
    let array = strip(&call.receiver);
    let span = generator.span;
    let [first, second] = [(); 2].map(|()| generator.name());
    Some(Ok(match (name, args) {
        ("contains", [value]) => {
            let value = value_of(value);
            quote_spanned!(span=> { let #first = #value; #array.iter().any(|#second| #second == #first) })
        }
        ("is_empty", []) => quote_spanned!(span=> (#array.len() == 0)),
        ("first", []) => quote_spanned!(span=> #array.iter().next()),
        ("last", []) => quote_spanned!(span=> #array.iter().rev().next()),
        ("get", [index]) if !matches!(strip(index), Expr::Range(_)) => quote_spanned! {span=> {
            let #first: usize = #index;
            if #first < #array.len() { Some(#array[#first]) } else { None }
        }},
        ("is_sorted", []) => {
            quote_spanned!(span=> (1..#array.len()).all(|#first| #array[#first - 1] <= #array[#first]))
        }
        ("starts_with", [with]) => {
            let with = elements_of(with);
            quote_spanned! {span=> {
                let #first = #with;
                #array.len() >= #first.len() && (0..#first.len()).all(|#second| #array[#second] == #first[#second])
            }}
        }
        ("ends_with", [with]) => {
            let (with, before) = (elements_of(with), generator.name());
            quote_spanned! {span=> {
                let #first = #with;
                let #before = #array.len().wrapping_sub(#first.len());
                #array.len() >= #first.len() && (0..#first.len()).all(|#second| #array[#before + #second] == #first[#second])
            }}
        }
        ("map", [with]) => {
            let message = "the length of the array is not known here; declare its type before, as in `let a: [u32; 4]`";
            let length = arrays.length(array).ok_or_else(|| Refused::new(array, message));
            return Some(length.and_then(|length| mapped(generator, array, with, &length)));
        }
        _ => return searched(generator, array, name, args).or_else(|| rearranged::method(generator, call)),
    }))
}

/// Desugars the searches that halve what is left.
fn searched(generator: &mut Generator<'_>, array: &Expr, name: &str, args: &[&Expr]) -> Desugared {
    let (with, key) = match (name, args) {
        ("binary_search", [value]) => (None, Some(value_of(value))),
        ("binary_search_by" | "partition_point", [with]) => (Some(with), None),
        ("binary_search_by_key", [value, with]) => (Some(with), Some(value_of(value))),
        _ => return None,
    };
    let span = generator.span;
    let [wanted, low, high, middle, found] = [(); 5].map(|()| generator.name());
    let item = Item::Value(quote_spanned!(span=> #array[#middle]));
    let looked_at = match with.map(|with| Closure::with(with, &[true])).transpose() {
        Ok(Some(with)) => with.call(generator, vec![item]),
        Ok(None) => item.into_tokens(),
        Err(refused) => return Some(Err(refused)),
    };
    let start = quote_spanned!(span=> let (mut #low, mut #high) = (0_usize, #array.len()););
    if name == "partition_point" {
        return Some(Ok(quote_spanned! {span=> {
            #start
            while #low < #high {
                let #middle = #low + (#high - #low) / 2;
                let #found = #looked_at;
                if #found { #low = #middle + 1; } else { #high = #middle; }
            }
            #low
        }}));
    }
    let order = generator.name();
    let (before, [equal, less]) = match key {
        Some(key) => (
            quote_spanned!(span=> let #wanted = #key;),
            [quote_spanned!(span=> #order == #wanted), quote_spanned!(span=> #order < #wanted)],
        ),
        None => (
            TokenStream::new(),
            ["Equal", "Less"]
                .map(|name| orderings::order(name, false, span))
                .map(|is| quote_spanned!(span=> #order == #is)),
        ),
    };
    Some(Ok(quote_spanned! {span=> {
        #before
        #start
        let mut #found = false;
        while #low < #high {
            let #middle = #low + (#high - #low) / 2;
            let #order = #looked_at;
            if #equal {
                #low = #middle;
                #found = true;
                break;
            }
            if #less { #low = #middle + 1; } else { #high = #middle; }
        }
        let #high: Result<usize, usize> = if #found { Ok(#low) } else { Err(#low) };
        #high
    }}))
}

/// Makes an array of what the closure gives for each element. The first value fills it, because its type is not known yet.
fn mapped(generator: &mut Generator<'_>, array: &Expr, with: &Expr, length: &Expr) -> Result<TokenStream, Refused> {
    let (closure, span) = (Closure::of(with, 1)?, generator.span);
    let [from, to, k] = [(); 3].map(|()| generator.name());
    let first = closure.call(generator, vec![Item::Value(quote_spanned!(span=> #from[0]))]);
    let next = closure.call(generator, vec![Item::Value(quote_spanned!(span=> #from[#k]))]);
    Ok(quote_spanned! {span=> {
        let #from = #array;
        let mut #to = [#first; #length];
        for #k in 1..#to.len() { #to[#k] = #next; }
        #to
    }})
}
