//! The way from an annotated function to its kind: the file to open first.
//!
//! parse → types → facts → print. Each stage adds to one list of diagnostics; printing starts only when it is empty,
//! and cannot fail.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ItemFn;

use crate::analysis::{self, Facts};
use crate::diag::{Diagnostics, Rule};
use crate::emit::{self, item};
use crate::ir::{self, Overflow, Transaction};
use crate::parse::{self, Signature};
use crate::spec::KindSpec;

/// What a compilation needs to know besides the function.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The source file, as `#line` and reports name it.
    pub file: String,
    /// The options of the attribute.
    pub attribute: ir::Options,
}

/// A function that compiled.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The intermediate form.
    pub transaction: Transaction,
    /// What the analysis found out.
    pub facts: Facts,
    /// The CUDA text.
    pub cuda: String,
    /// The items that stand in the place of the annotated function.
    pub rust: TokenStream,
}

impl Compiled {
    /// The kind's data, living for ever, for tests and tools that link kinds without the attribute. `debug` is what
    /// `cfg!(debug_assertions)` would be: it decides about overflow where the attribute does not.
    #[must_use]
    pub fn leak_spec(&self, debug: bool) -> &'static KindSpec {
        let tx = &self.transaction;
        Box::leak(Box::new(KindSpec {
            name: tx.name.clone().leak(),
            module: "",
            file: tx.file.clone().leak(),
            line: tx.at.line,
            params: tx.params.iter().map(ir::ParamDecl::leak).collect::<Vec<_>>().leak(),
            result: tx.result,
            cuda: self.cuda.clone().leak(),
            facts: self.facts.leak(),
            sites: tx.sites.iter().map(ir::SiteDecl::leak).collect::<Vec<_>>().leak(),
            checked: match tx.options.overflow {
                Overflow::AsBuilt => debug,
                Overflow::Check => true,
                Overflow::Wrap => false,
            },
            max_iterations: tx.options.max_iterations.unwrap_or(item::MAX_ITERATIONS),
        }))
    }
}

/// Compiles one function.
///
/// # Errors
/// Everything that is wrong with it.
pub fn compile(function: &ItemFn, options: &Options) -> Result<Compiled, Diagnostics> {
    let mut diags = Diagnostics::default();
    match parse::parse_signature(function, &mut diags) {
        Some(signature) => compile_body(function, &signature, options, diags),
        None => Err(diags),
    }
}

fn compile_body(
    function: &ItemFn,
    signature: &Signature,
    options: &Options,
    mut diags: Diagnostics,
) -> Result<Compiled, Diagnostics> {
    // The tree that is parsed is the tree that is rewritten: notes belong to its nodes.
    let mut tree = function.clone();
    let mut parsed = parse::parse(&tree, signature, options.attribute, &options.file, &mut diags);
    let sites = analysis::check_types(&mut parsed, &mut diags);
    if !diags.is_empty() {
        return Err(diags);
    }
    let facts = analysis::analyse(&parsed.transaction, &parsed.extents, &mut diags);
    if !diags.is_empty() {
        return Err(diags);
    }
    let cuda = emit::emit_cuda(&parsed.transaction, &facts);
    let checked = emit::rust::rewrite(&mut tree.block, &parsed, &sites, &signature.tx);
    let rust = item::items(&tree, signature, (&parsed.transaction, &facts, &cuda), checked);
    Ok(Compiled { transaction: parsed.transaction, facts, cuda, rust })
}

/// What `#[gpu_transaction(attr)] item` becomes. On errors: all of them, and the user's item, so that editors go on
/// working and other code that uses it has no errors of its own.
#[must_use]
pub fn expand(attr: TokenStream, item: TokenStream, file: &str) -> TokenStream {
    let mut diags = Diagnostics::default();
    let attribute = parse::parse_options(attr, &mut diags);
    let function = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            report_item(&item, &error, &mut diags);
            let errors = diags.to_compile_error();
            return quote::quote!(#item #errors);
        }
    };
    let Some(signature) = parse::parse_signature(&function, &mut diags) else {
        return reject(&function, &diags, TokenStream::new());
    };
    let options = Options { file: file.to_owned(), attribute };
    match compile_body(&function, &signature, &options, diags) {
        Ok(compiled) => compiled.rust,
        Err(diags) => reject(&function, &diags, item::stubs(&function, &signature)),
    }
}

fn reject(function: &ItemFn, diags: &Diagnostics, stubs: TokenStream) -> TokenStream {
    let repeated = diags.iter().any(|d| d.rule.repeats_rustc());
    let (function, errors) = (item::rejected(function, repeated), diags.to_compile_error());
    quote::quote!(#function #stubs #errors)
}

/// Says what an item is that is no function.
fn report_item(item: &TokenStream, error: &syn::Error, diags: &mut Diagnostics) {
    let what = match syn::parse2::<syn::Item>(item.clone()) {
        Ok(syn::Item::Const(_)) | Ok(syn::Item::Static(_)) => "a transaction as a closure is not there yet",
        Ok(syn::Item::Struct(_) | syn::Item::Enum(_) | syn::Item::Union(_)) => "a type is no transaction",
        Ok(syn::Item::Impl(_) | syn::Item::Trait(_) | syn::Item::Mod(_)) => "annotate each function by itself",
        Ok(_) => "only a function can be a transaction",
        // Not an item at all: the parser's own words are the best.
        Err(_) => {
            diags.report(Rule::NotAFunction, error.to_compile_error(), error);
            return;
        }
    };
    let message = format!("{what}; write `#[gpu_transaction]` before a `fn` with `tx: &mut Tx` as its first parameter");
    diags.report(Rule::NotAFunction, item, message);
}

/// Compiles every annotated function of a source text, in order: for tests and tools.
///
/// # Errors
/// The text is no Rust, or what is wrong with the first bad function.
pub fn compile_source(source: &str, file: &str) -> Result<Vec<Compiled>, Diagnostics> {
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
        let attribute = parse::parse_options(tokens, &mut diags);
        if !diags.is_empty() {
            return Err(diags);
        }
        compiled.push(compile(&function, &Options { file: file.to_owned(), attribute })?);
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
        compile(&syn::parse_str(&source).expect("the test's source should parse"), &Options::default())
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
            ("'a: { break 'a; } Ok(())", "STM0020"),
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
    fn all_errors_come_at_once_and_in_order() {
        let errors = body("let x = missing; data[0] = 1; tx.reed(data, 0)?; match a { _ => {} } Ok(2)").unwrap_err();
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
        assert_eq!(file.items.len(), 3, "the function, the type, and its methods");
    }

    #[test]
    fn rejected_functions_are_still_there() {
        for source in ["fn f(tx: &mut Tx) -> TxResult { x.y() }", "fn f(data: Vec<u8>) {}", "struct S;"] {
            let tokens = expand(TokenStream::new(), source.parse().expect("tokens"), "x.rs");
            let text = tokens.to_string();
            assert!(text.contains("compile_error"), "{source}");
            assert!(text.contains("fn f") || text.contains("struct S"), "{source}");
            syn::parse2::<syn::File>(tokens).expect("the output should be items");
        }
    }

    #[test]
    fn what_is_configured_out_is_out_as_a_whole() {
        let source = "#[cfg(any())] fn f(tx: &mut Tx) -> TxResult { Ok(()) }";
        let text = expand(TokenStream::new(), source.parse().expect("tokens"), "x.rs").to_string();
        assert_eq!(text.matches("cfg (any ())").count(), 3, "{text}");
    }

    #[test]
    fn specs_follow_the_attribute() {
        let compiled = compile_source(
            "#[gpu_transaction(overflow = \"wrap\", max_iterations = 9)] fn f(tx: &mut Tx, x: f32) -> TxResult<f32> { Ok(x) }",
            "dir/a.rs",
        )
        .expect("it is a transaction");
        let spec = compiled[0].leak_spec(true);
        assert_eq!((spec.name, spec.file, spec.checked, spec.max_iterations), ("f", "dir/a.rs", false, 9));
        assert_eq!(spec.result, Some(crate::spec::Scalar::F32));
    }
}
