//! The way from an annotated function to the items that stand in its place: the file to open first.
//!
//! parse → types → print. Each stage adds to one list of diagnostics; printing starts only when it is empty, and cannot
//! fail. A transaction is compiled to the end here, too, with stand-ins for what only rustc knows, to find what else is
//! wrong with it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::ItemFn;

use crate::analysis::{Facts, Trouble};
use crate::compile::{self, Program};
use crate::diag::{Diagnostics, Rule};
use crate::emit::item::{self, Item};
use crate::emit::rejected;
use crate::emit::rust;
use crate::form;
use crate::ir::{Form, Transaction};
use crate::parse::{self, Kind, Parsed, Signature};
use crate::spec::KindSpec;
use crate::standin;

/// What a compilation needs to know besides the function.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The source file, as `#line` and reports name it.
    pub file: String,
    /// The options of the attribute.
    pub attribute: crate::ir::Options,
}

/// A function that compiled.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The intermediate form, as the macro makes it.
    pub transaction: Transaction,
    /// What the analysis found out.
    pub facts: Facts,
    /// The CUDA text.
    pub cuda: String,
    /// The kind, complete.
    pub spec: &'static KindSpec,
    /// The items that stand in the place of the annotated function.
    pub rust: TokenStream,
}

/// A function that the macro understood.
struct Understood {
    /// The user's tree, with types and sites.
    rewritten: ItemFn,
    parsed: Parsed,
    checked: bool,
}

/// Parses and checks one function.
fn understand(
    function: &ItemFn,
    signature: &Signature,
    options: &Options,
    mut diags: Diagnostics,
) -> Result<Understood, Diagnostics> {
    // The tree that is parsed is the tree that is rewritten: notes belong to its nodes.
    let mut tree = function.clone();
    parse::desugar(&mut tree, signature, &mut diags);
    let mut parsed = parse::parse(&tree, signature, options.attribute, &options.file, &mut diags);
    let sites = parse::check_types(&mut parsed, &mut diags);
    if diags.is_empty() {
        check_whole(&parsed, &mut diags);
    }
    if !diags.is_empty() {
        return Err(diags);
    }
    let handle = signature.tx.clone().unwrap_or_else(|| Ident::new(item::HANDLE, Span::mixed_site()));
    let checked = rust::rewrite(&mut tree.block, &parsed, &sites, &handle);
    Ok(Understood { rewritten: tree, parsed, checked })
}

/// Compiles a transaction to the end, with stand-ins for what only rustc knows, for the problems that show only there.
fn check_whole(parsed: &Parsed, diags: &mut Diagnostics) {
    let tx = &parsed.transaction;
    if tx.form != Form::Transaction {
        return;
    }
    let alone = parsed.externs.is_empty();
    let program = match alone {
        true => Program::alone(tx.clone()),
        false => standin::program(tx, &parsed.infer, &parsed.externs.calls),
    };
    let Err(error) = compile::flat(&program) else { return };
    let rule = match error.footprint {
        Some((Trouble::Unbounded, _)) => Rule::Unbounded,
        Some((Trouble::TooLarge, _)) => Rule::TooLarge,
        None if alone => Rule::Expression,
        // A stand-in need not fit; what is really wrong, rustc says, or the compilation of the kind.
        None => return,
    };
    let extent = error.footprint.and_then(|(_, at)| parsed.extents.get(at.0 as usize)).copied();
    diags.report(rule, extent.unwrap_or_else(|| Span::call_site().into()), error.message);
}

/// Compiles one function that names nothing of the user's program. `debug` is what `cfg!(debug_assertions)` would be: it
/// decides about overflow where the attribute does not.
///
/// # Errors
/// Everything that is wrong with it.
pub fn compile(function: &ItemFn, options: &Options, debug: bool) -> Result<Compiled, Diagnostics> {
    let mut diags = Diagnostics::default();
    let Some(signature) = parse::parse_signature(function, Kind::Transaction, &mut diags) else { return Err(diags) };
    let understood = understand(function, &signature, options, diags)?;
    let rust = print(function, &signature, &understood, None);
    let transaction = understood.parsed.transaction;
    let failed = |error: compile::KindError| {
        let mut diags = Diagnostics::default();
        diags.report(Rule::Expression, &function.sig.ident, error.message);
        diags
    };
    let (flat, facts, cuda) = compile::flat(&Program::alone(transaction.clone())).map_err(failed)?;
    let spec = Box::leak(Box::new(compile::leak(&flat, &facts, cuda.clone(), "", debug)));
    Ok(Compiled { facts, cuda, spec, rust, transaction })
}

fn print(
    function: &ItemFn,
    signature: &Signature,
    understood: &Understood,
    instance: Option<&syn::Type>,
) -> TokenStream {
    let item = Item {
        written: function,
        rewritten: &understood.rewritten,
        signature,
        transaction: &understood.parsed.transaction,
        externs: &understood.parsed.externs,
        checked: understood.checked,
        instance,
    };
    match signature.form {
        Form::Transaction => item.transaction(),
        Form::Function { .. } => item.function(),
    }
}

/// What `#[gpu_transaction(attr)] item` becomes. On errors: all of them, and the user's item, so that editors go on
/// working and other code that uses it has no errors of its own.
#[must_use]
pub fn expand(attr: TokenStream, item: TokenStream, file: &str) -> TokenStream {
    let mut diags = Diagnostics::default();
    let attribute = parse::parse_options(attr, &mut diags);
    let options = Options { file: file.to_owned(), attribute: attribute.options };
    let function = match form::function(&item) {
        Ok(function) => function,
        Err((rule, at, message)) => {
            diags.report(rule, at, message);
            let errors = diags.to_compile_error();
            let item = if form::is_constant(&item) { rejected::for_editors(&item) } else { item };
            return quote::quote!(#item #errors);
        }
    };
    if attribute.instances.is_empty() {
        return expand_function(&function, Kind::Transaction, &options, diags);
    }
    expand_generic(&function, &attribute.instances, &options, diags)
}

/// A transaction with a type parameter: one kind for each type that the attribute lists.
fn expand_generic(
    function: &ItemFn,
    instances: &[syn::Type],
    options: &Options,
    mut diags: Diagnostics,
) -> TokenStream {
    let Some(parameter) = form::type_parameter(function) else {
        let message = "`instantiate` is for a function with one type parameter, as in `fn add<T>(tx: &mut Tx, ..)`";
        diags.report(Rule::Generics, &function.sig, message);
        return unusable(function, Kind::Transaction, &diags);
    };
    let mut items = item::generic_companion(function, &function.sig.ident, instances);
    let mut failures = Vec::new();
    for ty in instances {
        let instance = form::instantiate(function, &parameter, ty);
        let name = format!("`{parameter}` is `{}`", parse::type_source(ty));
        let mut found = Diagnostics::default();
        let Some(signature) = parse::parse_signature(&instance, Kind::Transaction, &mut found) else {
            failures.push((name, found));
            continue;
        };
        match understand(&instance, &signature, options, found) {
            Ok(understood) => items.extend(print(&instance, &signature, &understood, Some(ty))),
            Err(found) => {
                items.extend(rejected::instance(&instance, &signature, ty));
                failures.push((name, found));
            }
        }
    }
    diags.merge(&failures, instances.len());
    if !diags.is_empty() {
        let errors = diags.to_compile_error();
        items.extend(rejected::for_editors(&quote::quote!(#function)));
        items.extend(errors);
    }
    items
}

/// What `gpu_transaction!(captures(..), |tx: &mut Tx, ..| ..)` becomes: a value with `call` and `kernel`.
#[must_use]
pub fn expand_closure(input: TokenStream, file: &str) -> TokenStream {
    let mut diags = Diagnostics::default();
    let closure = match form::closure(&input) {
        Ok(closure) => closure,
        Err((rule, at, message)) => {
            diags.report(rule, at, message);
            let errors = diags.to_compile_error();
            return quote::quote!({ #errors ::core::unreachable!("the closure did not compile") });
        }
    };
    let attribute = parse::parse_options(closure.attribute.clone(), &mut diags).options;
    let options = Options { file: file.to_owned(), attribute };
    let mut found = diags.clone();
    if parse::parse_signature(&closure.function, Kind::Closure, &mut found).is_none() {
        let (errors, value) = (found.to_compile_error(), closure.rejected());
        return quote::quote!({ #errors #value });
    }
    let items = expand_function(&closure.function, Kind::Closure, &options, diags);
    closure.expression(&items)
}

/// What `#[gpu_fn] item` becomes.
#[must_use]
pub fn expand_helper(attr: TokenStream, item: TokenStream, file: &str) -> TokenStream {
    let mut diags = Diagnostics::default();
    if !attr.is_empty() {
        diags.report(Rule::Option, attr, "`#[gpu_fn]` has no options; those of the transaction that calls it hold");
    }
    match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => {
            let options = Options { file: file.to_owned(), ..Options::default() };
            expand_function(&function, Kind::Function, &options, diags)
        }
        Err(_) => {
            let message =
                "`#[gpu_fn]` stands before a `fn` outside of `impl`; write a function for each thing to compute";
            diags.report(Rule::NotAFunction, &item, message);
            let errors = diags.to_compile_error();
            quote::quote!(#item #errors)
        }
    }
}

fn expand_function(function: &ItemFn, kind: Kind, options: &Options, mut diags: Diagnostics) -> TokenStream {
    let Some(signature) = parse::parse_signature(function, kind, &mut diags) else {
        return unusable(function, kind, &diags);
    };
    match understand(function, &signature, options, diags) {
        Ok(understood) => print(function, &signature, &understood, None),
        Err(diags) => reject(function, &diags, rejected::stubs(function, &signature)),
    }
}

fn reject(function: &ItemFn, diags: &Diagnostics, stubs: TokenStream) -> TokenStream {
    let repeated = diags.iter().any(|d| d.rule.repeats_rustc());
    let (function, errors) = (rejected::function(function, repeated), diags.to_compile_error());
    quote::quote!(#function #stubs #errors)
}

/// A function whose signature is at fault.
fn unusable(function: &ItemFn, kind: Kind, diags: &Diagnostics) -> TokenStream {
    let (function, errors) = (rejected::unusable(function, kind), diags.to_compile_error());
    quote::quote!(#function #errors)
}

/// Compiles every annotated function of a source text, in order: for tests and tools.
///
/// # Errors
/// The text is no Rust, or what is wrong with the first bad function.
pub fn compile_source(source: &str, file: &str, debug: bool) -> Result<Vec<Compiled>, Diagnostics> {
    let mut diags = Diagnostics::default();
    let parsed = match syn::parse_file(source) {
        Ok(parsed) => parsed,
        Err(error) => {
            diags.report(Rule::NotAFunction, crate::diag::Extent::from(error.span()), error);
            return Err(diags);
        }
    };
    let mut compiled = Vec::new();
    for item in parsed.items {
        let syn::Item::Fn(mut function) = item else { continue };
        let Some(at) = function.attrs.iter().position(|a| a.path().is_ident("gpu_transaction")) else { continue };
        let attr = function.attrs.remove(at);
        let tokens = match &attr.meta {
            syn::Meta::List(list) => list.tokens.clone(),
            _ => TokenStream::new(),
        };
        let attribute = parse::parse_options(tokens, &mut diags).options;
        if !diags.is_empty() {
            return Err(diags);
        }
        compiled.push(compile(&function, &Options { file: file.to_owned(), attribute }, debug)?);
    }
    Ok(compiled)
}

impl std::fmt::Display for Compiled {
    /// Everything that a snapshot shows.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n{}\n{}", self.transaction, self.facts, self.cuda)
    }
}

/// The Rust of a compiled function, for tests.
impl ToTokens for Compiled {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.rust.to_tokens(tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compiles the body of a function with one region and two values.
    fn body(text: &str) -> Result<Compiled, Diagnostics> {
        let source = format!("fn f(tx: &mut Tx, data: &Shared<u32>, a: u32, b: i64) -> TxResult {{ {text} }}");
        compile(&syn::parse_str(&source).expect("the test's source should parse"), &Options::default(), true)
    }

    #[test]
    fn rejects_with_the_rules_code() {
        for (text, code) in [
            ("let x: &u32 = &a; Ok(())", "STM0029"),
            ("let x = a; x = y; Ok(())", "STM0026"),
            ("(tx).read(data, 0)?; 7", "STM0028"),
            ("let tx = 1; tx.read(data, 0)?; Ok(())", "STM0023"),
            ("let data = 1; tx.write(data, 0, 1)", "STM0012"),
            ("if a > 1 { 1 } else { Ok(()) }; Ok(())", "STM0028"),
            ("let x = if a > 1 { 1 } else { b }; tx.guard(x > b)?; let y = x + a; Ok(())", "STM0012"),
            ("let x = if a > 1 { 1 } else { }; Ok(())", "STM0012"),
            ("let x = while a > 1 { break 3; }; Ok(())", "STM0020"),
            ("let x = loop { if a > 1 { break 1_u8; } break b; }; Ok(())", "STM0012"),
            ("'a: { break; } Ok(())", "STM0020"),
            ("'a: { continue 'a; } Ok(())", "STM0020"),
            ("let x: u32 = 'a: { if a > 1 { break 'a 1_u8; } 2 }; Ok(())", "STM0012"),
            ("let x = match a { 0 => 1_u8, _ => b }; Ok(())", "STM0012"),
            ("let x = match a { 0 => 1, _ => {} }; Ok(())", "STM0012"),
            ("let x = match a { -1.5 => 1, _ => 2 }; Ok(())", "STM0012"),
            ("let (x, y) = a; Ok(())", "STM0012"),
            ("let x = None; Ok(())", "STM0010"),
            ("let x = (a, b); let y = x.5; Ok(())", "STM0012"),
            ("let x = [a, b]; Ok(())", "STM0012"),
            ("let x = [a; 3]; let y = x[a]; Ok(())", "STM0012"),
            ("let y = a[0]; Ok(())", "STM0012"),
            ("let Some(x) = Some(a) else { 1; }; Ok(())", "STM0012"),
            ("let x = a.wraping_add(1); Ok(())", "STM0023"),
            ("let x = (b as f64).sin(); Ok(())", "STM0023"),
            ("let x = a.pow(b); Ok(())", "STM0012"),
            ("let x = Some(a).map(a); Ok(())", "STM0023"),
            ("vec![1]; Ok(())", "STM0024"),
            ("assert!(a > 1, \"{}\", a); Ok(())", "STM0024"),
            ("let x: u8 = u8::from(a); Ok(())", "STM0013"),
            ("#[cfg(test)] let x = 1; Ok(())", "STM0027"),
            ("tx.update(data, 0, 1)", "STM0023"),
            ("tx.update(data, 0, |v| v + b)", "STM0012"),
            ("for i in (0..a).rev().step_by(2) { } Ok(())", "STM0021"),
            ("let s: u32 = data.len(); Ok(())", "STM0012"),
            ("let s = data.len(1); Ok(())", "STM0023"),
            ("let x = Room::new(1); Ok(())", "STM0025"),
            ("return; ", "STM0028"),
            ("Ok(1)", "STM0028"),
            ("a?; Ok(())", "STM0020"),
            ("async { 1 }.await; Ok(())", "STM0020"),
            ("for i in data { } Ok(())", "STM0021"),
            ("std::mem::swap(a, b); Ok(())", "STM0025"),
            ("let x = 99999999999999999999; Ok(())", "STM0011"),
            ("let x = a && true; Ok(())", "STM0012"),
            ("tx.read(data, 0)? = 3; Ok(())", "STM0030"),
        ] {
            let errors = body(text).map(|c| c.to_string()).expect_err(text).to_string();
            assert!(errors.contains(code), "{text}\n{errors}");
        }
    }

    #[test]
    fn accepts_what_leaves_early() {
        for text in [
            "return Ok(()); ",
            "loop {}",
            "let x: u32 = return Ok(());",
            "let x = if a > 1 { return Ok(()) } else { tx.reject(1)? }; Ok(())",
            "while return Ok(()) {} Ok(())",
            "tx.guard(return Ok(()))",
            "loop { break loop { break; } } Ok(())",
            "let x = loop { break; }; Ok(())",
            "if return Ok(()) { } Ok(())",
            "tx.reject({ return tx.reject(1) })",
        ] {
            // Some are errors; none is a panic, and what compiles has a result on each path.
            if let Ok(compiled) = body(text) {
                assert!(
                    compiled.cuda.contains("STM_REJECT") || compiled.cuda.contains("return") || text == "loop {}",
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn footprints_are_checked_whatever_the_names_mean() {
        let unbounded = "fn f(tx: &mut Tx, rooms: &Shared<Room>, n: u32) -> TxResult {
            let mut i = fee(n);
            while i < LIMIT { let room = tx.read(rooms, i)?; i = room.next; }
            Ok(())
        }";
        let bounded = "fn f(tx: &mut Tx, rooms: &Shared<Room>, n: u32) -> TxResult {
            for i in 0..LIMIT { let room = tx.read(rooms, i)?; take(tx, rooms, i)?; }
            Ok(())
        }";
        for (source, code) in [(unbounded, Some("STM0050")), (bounded, None)] {
            let text = expand(TokenStream::new(), source.parse().expect("tokens"), "x.rs").to_string();
            assert_eq!(text.contains("compile_error"), code.is_some(), "{text}");
            assert!(text.contains(code.unwrap_or_default()), "{text}");
        }
    }

    #[test]
    fn all_errors_come_at_once_and_in_order() {
        let errors = body("let x = missing; data[0] = 1; tx.reed(data, 0)?; async {}; Ok(2)").unwrap_err();
        let codes: Vec<&str> = errors.iter().map(|d| d.rule.code()).collect();
        assert_eq!(codes, ["STM0026", "STM0030", "STM0023", "STM0020", "STM0028"]);
    }

    #[test]
    fn shared_values_do_not_blow_up() {
        // Each value is used twice by the next one: as a tree it would have 2^64 leaves.
        let steps: String = (1..64).map(|k| format!("let x{k} = x{} + x{};", k - 1, k - 1)).collect();
        let compiled = body(&format!("let x0 = a; {steps} tx.write(data, x63, 1)")).expect("it is a transaction");
        assert!(compiled.facts.orderable);
        assert!(compiled.to_string().len() < 20_000);
    }

    #[test]
    fn the_printed_rust_is_rust() {
        let compiled = body("tx.write(data, a + 1, tx.read(data, a)? * 2)").expect("it is a transaction");
        let file: syn::File = syn::parse2(compiled.rust).expect("items");
        assert_eq!(file.items.len(), 5, "the function, the type, its methods, and how it would be called");
    }

    #[test]
    fn rejected_functions_are_still_there() {
        for source in [
            "fn f(tx: &mut Tx) -> TxResult { x.y() }",
            "fn f(data: Vec<u8>) { x.y() }",
            "const f: _ = |tx, x| x.y();",
            "struct S;",
        ] {
            let tokens = expand(TokenStream::new(), source.parse().expect("tokens"), "x.rs");
            let text = tokens.to_string();
            assert!(text.contains("compile_error"), "{source}");
            assert!(
                text.contains("struct S") || text.contains("x . y ()") && text.contains("cfg (rust_analyzer)"),
                "{text}"
            );
            syn::parse2::<syn::File>(tokens).expect("the output should be items");
        }
    }

    #[test]
    fn rejected_closures_and_instances_are_still_there() {
        for source in ["|tx: &mut Tx| x.y()", "captures(a: String), |tx: &mut Tx| x.y()", "|data: Vec<u8>| x.y()"] {
            let text = expand_closure(source.parse().expect("tokens"), "x.rs").to_string();
            assert!(text.contains("compile_error") && text.contains("cfg (rust_analyzer)"), "{source}");
            assert!(text.contains("x . y ()") && text.contains("fn call"), "{source}: {text}");
        }
        let (attr, item) = ("instantiate(u32)", "fn f<T>(tx: &mut Tx, x: T) -> TxResult { x.y() }");
        let text = expand(attr.parse().expect("tokens"), item.parse().expect("tokens"), "x.rs").to_string();
        assert!(text.contains("cfg (rust_analyzer)") && text.contains("fn f < T >"), "{text}");
    }

    #[test]
    fn what_is_configured_out_is_out_as_a_whole() {
        let source = "#[cfg(any())] fn f(tx: &mut Tx) -> TxResult { Ok(()) }";
        let text = expand(TokenStream::new(), source.parse().expect("tokens"), "x.rs").to_string();
        assert_eq!(text.matches("cfg (any ())").count(), 5, "{text}");
    }

    #[test]
    fn specs_follow_the_attribute() {
        let compiled = compile_source(
            "#[gpu_transaction(overflow = \"wrap\", max_iterations = 9)] fn f(tx: &mut Tx, x: f32) -> TxResult<f32> { Ok(x) }",
            "dir/a.rs",
            true,
        )
        .expect("it is a transaction");
        let spec = compiled[0].spec;
        assert_eq!((spec.name, spec.file, spec.checked, spec.max_iterations), ("f", "dir/a.rs", false, 9));
        assert_eq!(spec.result, [crate::spec::Scalar::F32]);
    }
}
