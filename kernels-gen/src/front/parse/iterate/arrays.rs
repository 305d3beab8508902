//! Methods of arrays and ranges that are loops. Types are not known yet, so an array is a variable that is declared as one.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::visit::{self, Visit};
use syn::{Expr, ExprMethodCall, FnArg, Pat, RangeLimits, Type};

use super::bind::Item;
use super::closure::Closure;
use super::generate::Generator;
use super::{Desugared, Refused};
use crate::front::parse::text;
use crate::front::parse::tree::{GENERATED, ORDERED, strip};

/// The variables of a function that are declared as arrays, and nowhere as anything else.
#[derive(Default)]
pub(in crate::front::parse) struct ArrayNames(HashMap<String, bool>, HashSet<String>, HashMap<String, Option<Expr>>);

impl ArrayNames {
    pub(in crate::front::parse) fn of(item: &syn::ItemFn) -> ArrayNames {
        let mut names = ArrayNames::default();
        for input in &item.sig.inputs {
            if let FnArg::Typed(input) = input {
                names.declare(&input.pat, is_array_type(&input.ty));
                names.note_length(&input.pat, length_of(&input.ty));
                if let (Pat::Ident(ident), true) = (&*input.pat, is_shared(&input.ty)) {
                    names.1.insert(text::key(&ident.ident));
                }
            }
        }
        names.visit_block(&item.block);
        names
    }

    fn declare(&mut self, pat: &Pat, is_array: bool) {
        if let Pat::Ident(ident) = pat {
            *self.0.entry(text::key(&ident.ident)).or_insert(true) &= is_array;
        } else {
            self.visit_pat(pat);
        }
    }

    /// Returns whether the expression is a shared array, or a field of one.
    pub(super) fn is_shared(&self, expr: &Expr) -> bool {
        match strip(expr) {
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.1.contains(&text::key(name))),
            Expr::Field(node) => self.is_shared(&node.base),
            _ => false,
        }
    }

    /// Returns whether the function has a variable of that name.
    pub(super) fn declares(&self, name: &Ident) -> bool {
        self.0.contains_key(&text::key(name))
    }

    /// Notes the length of a variable; one that is declared with several lengths has none.
    fn note_length(&mut self, pat: &Pat, length: Option<Expr>) {
        let Pat::Ident(ident) = pat else { return };
        let known = self.2.entry(text::key(&ident.ident)).or_insert_with(|| length.clone());
        if known.to_token_stream().to_string() != length.to_token_stream().to_string() {
            *known = None;
        }
    }

    /// Returns the length of an array.
    pub(in crate::front::parse) fn length(&self, expr: &Expr) -> Option<Expr> {
        match strip(expr) {
            Expr::Path(path) => self.2.get(&text::key(path.path.get_ident()?))?.clone(),
            Expr::Array(node) => {
                let count = node.elems.len();
                Some(syn::parse_quote!(#count))
            }
            Expr::Repeat(node) => Some((*node.len).clone()),
            _ => None,
        }
    }

    /// Adds the variables of a `let` with its value.
    fn declared(&mut self, pat: &Pat, value: Option<&Expr>) {
        match (pat, value) {
            (Pat::Type(typed), _) => {
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
                self.declare(pat, is_array);
                self.note_length(pat, length);
            }
        }
    }

    fn has(&self, expr: &Expr) -> bool {
        match strip(expr) {
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| self.0.get(&text::key(name)) == Some(&true)),
            Expr::Array(_) | Expr::Repeat(_) => true,
            _ => false,
        }
    }
}

impl<'ast> Visit<'ast> for ArrayNames {
    fn visit_local(&mut self, node: &'ast syn::Local) {
        self.declared(&node.pat, node.init.as_ref().map(|init| strip(&init.expr)));
        if let Some(init) = &node.init {
            self.visit_local_init(init);
        }
    }

    fn visit_pat_ident(&mut self, node: &'ast syn::PatIdent) {
        self.0.insert(text::key(&node.ident), false);
        visit::visit_pat_ident(self, node);
    }
}

pub(in crate::front::parse) fn is_shared(ty: &Type) -> bool {
    let Type::Reference(node) = ty else { return false };
    let Type::Path(path) = &*node.elem else { return false };
    path.path.segments.last().is_some_and(|last| last.ident == "Shared" || last.ident == "Partition")
}

fn length_of(ty: &Type) -> Option<Expr> {
    match ty {
        Type::Array(node) => Some(node.len.clone()),
        Type::Reference(node) => length_of(&node.elem),
        Type::Paren(node) => length_of(&node.elem),
        _ => None,
    }
}

fn is_array_type(ty: &Type) -> bool {
    match ty {
        Type::Array(_) => true,
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
        return Some(range_contains(generator, range, value));
    }
    if !arrays.has(&call.receiver) {
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
    let [first, second, third, fourth] = [(); 4].map(|()| generator.name());
    Some(Ok(match (name, args) {
        ("contains", [value]) => {
            let value = value_of(value);
            quote_spanned!(span=> { let #first = #value; #array.iter().any(|#second| #second == #first) })
        }
        ("swap", [a, b]) => quote_spanned! {span=> {
            let (#first, #second): (usize, usize) = (#a, #b);
            let #third = #array[#first];
            let #fourth = #array[#second];
            #array[#first] = #fourth;
            #array[#second] = #third;
        }},
        ("fill", [value]) => quote_spanned! {span=> {
            let #first = #value;
            for #second in 0..#array.len() { #array[#second] = #first; }
        }},
        ("reverse", []) => quote_spanned! {span=> {
            for #first in 0..#array.len() / 2 {
                let #second = #array.len() - 1 - #first;
                let #third = #array[#first];
                #array[#first] = #array[#second];
                #array[#second] = #third;
            }
        }},
        ("first", []) => quote_spanned!(span=> #array.iter().next()),
        ("last", []) => quote_spanned!(span=> #array.iter().rev().next()),
        ("get", [index]) if !matches!(strip(index), Expr::Range(_)) => quote_spanned! {span=> {
            let #first: usize = #index;
            if #first < #array.len() { Some(#array[#first]) } else { None }
        }},
        ("map", [with]) => return Some(mapped(generator, array, with, arrays)),
        ("sort" | "sort_unstable", []) => {
            let names = [&first, &second, &third, &fourth];
            sorted(
                array,
                names,
                [quote_spanned!(span=> #third), quote_spanned!(span=> #fourth)],
                (span, generator.user),
            )
        }
        ("sort_by_key" | "sort_unstable_by_key", [key]) => {
            let key = match Closure::of(key, 1) {
                Ok(key) => key,
                Err(refused) => return Some(Err(refused)),
            };
            let keys = [&third, &fourth].map(|name| key.call(generator, vec![Item::name(name)]));
            sorted(array, [&first, &second, &third, &fourth], keys, (span, generator.user))
        }
        _ => return arranged(generator, array, name, args).map(Ok),
    }))
}

/// Desugars the methods that copy, turn and search an array.
fn arranged(generator: &mut Generator<'_>, array: &Expr, name: &str, args: &[&Expr]) -> Option<TokenStream> {
    if !["copy_from_slice", "clone_from_slice", "rotate_left", "rotate_right", "binary_search"].contains(&name) {
        return None;
    }
    let span = generator.span;
    let [first, second, third, fourth, fifth, sixth] = [(); 6].map(|()| generator.name());
    Some(match (name, args) {
        ("copy_from_slice" | "clone_from_slice", [value]) => {
            let value = value_of(value);
            quote_spanned! {span=> {
                let #first = #value;
                assert!(#array.len() == #first.len());
                for #second in 0..#array.len() { #array[#second] = #first[#second]; }
            }}
        }
        ("rotate_left" | "rotate_right", [by]) => {
            let length = quote_spanned!(span=> #array.len());
            let shift = if name == "rotate_left" {
                quote_spanned!(span=> #first)
            } else {
                quote_spanned!(span=> #length - #first)
            };
            quote_spanned! {span=> {
                let #first: usize = #by;
                assert!(#first <= #length);
                let #second = #array;
                for #third in 0..#length { #array[#third] = #second[(#third + #shift) % #length]; }
            }}
        }
        ("binary_search", [value]) => {
            let value = value_of(value);
            quote_spanned! {span=> {
                let #first = #value;
                let (mut #second, mut #third, mut #sixth) = (0_usize, #array.len(), false);
                while #second < #third {
                    let #fourth = #second + (#third - #second) / 2;
                    let #fifth = #array[#fourth];
                    if #fifth == #first {
                        #second = #fourth;
                        #sixth = true;
                        break;
                    }
                    if #fifth < #first { #second = #fourth + 1; } else { #third = #fourth; }
                }
                let #fifth: Result<usize, usize> = if #sixth { Ok(#second) } else { Err(#second) };
                #fifth
            }}
        }
        _ => return None,
    })
}

/// Makes an array of what the closure gives for each element. The first value fills it, because its type is not known yet.
fn mapped(
    generator: &mut Generator<'_>,
    array: &Expr,
    with: &Expr,
    arrays: &ArrayNames,
) -> Result<TokenStream, Refused> {
    let Some(length) = arrays.length(array) else {
        let message = "the length of the array is not known here; declare its type before, as in `let a: [u32; 4]`";
        return Err(Refused::new(array, message));
    };
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

/// Returns an argument that Rust takes by reference.
fn value_of(expr: &Expr) -> &Expr {
    match strip(expr) {
        Expr::Reference(node) if node.mutability.is_none() => strip(&node.expr),
        _ => expr,
    }
}

/// Sorts by insertion, which keeps the order of equal elements: arrays of a transaction are small. `keys`: of `value` and of `before`.
fn sorted(
    array: &Expr,
    [k, at, value, before]: [&Ident; 4],
    [key, other]: [TokenStream; 2],
    (span, user): (Span, Span),
) -> TokenStream {
    let (ordered, least) = (Ident::new(ORDERED, user), Ident::new(&format!("{GENERATED}key"), span));
    quote_spanned! {span=>
        for #k in 1..#array.len() {
            let #value = #array[#k];
            let #least = #ordered(#key);
            let mut #at = #k;
            while #at > 0 {
                let #before = #array[#at - 1];
                if #other <= #least { break; }
                #array[#at] = #before;
                #at -= 1;
            }
            #array[#at] = #value;
        }
    }
}

fn range_contains(generator: &mut Generator<'_>, range: &syn::ExprRange, value: &Expr) -> Result<TokenStream, Refused> {
    let (span, value) = (generator.span, value_of(value));
    let mut tests = Vec::new();
    let (least, most, name) = (generator.name(), generator.name(), generator.name());
    let mut lets = TokenStream::new();
    if let Some(start) = &range.start {
        lets.extend(quote_spanned!(span=> let #least = #start;));
        tests.push(quote_spanned!(span=> #least <= #name));
    }
    if let Some(end) = &range.end {
        lets.extend(quote_spanned!(span=> let #most = #end;));
        tests.push(match range.limits {
            RangeLimits::HalfOpen(_) => quote_spanned!(span=> #name < #most),
            RangeLimits::Closed(_) => quote_spanned!(span=> #name <= #most),
        });
    }
    if tests.is_empty() {
        return Err(Refused::new(range, "`..` contains every value; write `true`"));
    }
    Ok(quote_spanned!(span=> { #lets let #name = #value; #(#tests)&&* }))
}
