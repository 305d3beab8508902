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
        let errors = diags.to_compile_error();
        return quote::quote!(#function #errors);
    };
    let options = Options { file: file.to_owned(), attribute };
    match compile_body(&function, &signature, &options, diags) {
        Ok(compiled) => compiled.rust,
        Err(diags) => {
            let (errors, stubs) = (diags.to_compile_error(), item::stubs(&function, &signature));
            quote::quote!(#function #stubs #errors)
        }
    }
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
