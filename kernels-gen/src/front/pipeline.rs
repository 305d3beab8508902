//! The steps from an annotated function to the items that replace it. Start reading here.
//!
//! The stages are parse, types and print. Each stage adds to one list of diagnostics; printing starts only when it is empty, and
//! cannot fail. A transaction is also compiled to the end, with placeholders for what only rustc knows, to find its remaining
//! errors.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::ItemFn;

use crate::analysis::OwnedFacts;
use crate::compile::{self, Program};
use crate::front::diag::{Diagnostics, Rule, SourceSpan};
use crate::front::form;
use crate::front::implementation;
use crate::front::lists;
use crate::front::local_functions;
use crate::front::nesting;
use crate::front::own_trait;
use crate::front::parse::{self, Instance, Kind, Signature};
use crate::front::patterns;
use crate::front::print::instances;
use crate::front::print::item::Item;
use crate::front::print::rejected;
use crate::front::root;
use crate::front::slices;
use crate::front::understood::{Understood, understand};
use crate::ir::open::{Form, Function};
use crate::spec::ProcedureSpec;

pub use crate::front::understood::CompileOptions;

/// A function that compiled.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The intermediate form, as the macro makes it.
    pub transaction: Function,
    /// The result of the analysis.
    pub facts: OwnedFacts,
    /// The CUDA text.
    pub cuda: String,
    /// The complete procedure.
    pub spec: &'static ProcedureSpec,
    /// The items that replace the annotated function.
    pub rust: TokenStream,
}

/// Compiles one function that names nothing of the user's program. `debug` is the value of `cfg!(debug_assertions)`: it
/// decides about overflow where the attribute does not.
///
/// # Errors
/// Returns all errors of the function.
pub fn compile(function: &ItemFn, options: &CompileOptions, debug: bool) -> Result<Compiled, Diagnostics> {
    let mut diags = Diagnostics::default();
    let Some(signature) = parse::parse_signature(function, Kind::Transaction, &mut diags) else { return Err(diags) };
    let understood = understand(function, &signature, options, None, diags)?;
    let rust = print(function, &signature, &understood, None);
    let transaction = understood.parsed.transaction;
    let failed = |error: compile::ProcedureError| {
        let mut diags = Diagnostics::default();
        diags.report(Rule::Expression, &function.sig.ident, error.message);
        diags
    };
    let mut program = Program::alone(transaction.clone());
    program.tx.options.overflow = program.tx.options.overflow.in_build(debug);
    let (flat, facts, cuda) = compile::flat(&program).map_err(failed)?;
    let spec = Box::leak(Box::new(compile::leak(&flat, &facts, cuda.clone(), "")));
    Ok(Compiled { facts, cuda, spec, rust, transaction })
}

fn print(
    function: &ItemFn,
    signature: &Signature,
    understood: &Understood,
    instance: Option<&Instance>,
) -> TokenStream {
    let item = Item {
        written: function,
        rewritten: &understood.rewritten,
        signature,
        transaction: &understood.parsed.transaction,
        external: &understood.parsed.external,
        checked: understood.checked,
        instance,
    };
    match signature.form {
        Form::Transaction => item.transaction(),
        Form::Function { .. } => item.function(),
    }
}

/// Expands `#[gpu_transaction(attr)] item`. If there are errors, returns all of them and the user's item, so that editors keep
/// working and other code that uses it has no errors of its own.
#[must_use]
pub fn expand(attr: TokenStream, item: TokenStream, file: &str) -> TokenStream {
    let mut diags = Diagnostics::default();
    let attribute = parse::parse_options(attr, &mut diags);
    let options =
        CompileOptions { file: file.to_owned(), attribute: attribute.options, stated: attribute.stated.clone() };
    let items = expand_item(item, &attribute.instances, &options, diags);
    in_crate(attribute.root, items)
}

fn expand_item(
    item: TokenStream,
    instances: &[Instance],
    options: &CompileOptions,
    mut diags: Diagnostics,
) -> TokenStream {
    if let Some(at) = nesting::too_deep(&item) {
        return too_deep(at, &item, Kind::Transaction);
    }
    let function = match form::function(&item) {
        Ok(function) => parse::without_lifetimes(function),
        Err((rule, at, message)) => {
            diags.report(rule, at, message);
            let errors = diags.to_compile_error();
            let item = if form::is_constant(&item) { rejected::for_editors(&item) } else { item };
            return quote::quote!(#item #errors);
        }
    };
    if instances.is_empty() {
        return expand_function(&function, Kind::Transaction, options, diags);
    }
    expand_generic(&function, instances, options, diags)
}

/// Returns the items with the path of the option `crate`, if it is given.
fn in_crate(path: Option<TokenStream>, items: TokenStream) -> TokenStream {
    match path {
        Some(path) => root::move_to(&path, items),
        None => items,
    }
}

/// Expands a transaction with a type parameter: one procedure for each type that the attribute lists.
fn expand_generic(
    function: &ItemFn,
    instances: &[Instance],
    options: &CompileOptions,
    mut diags: Diagnostics,
) -> TokenStream {
    let (function, inner) = &local_functions::take_out(function);
    let named = patterns::named(function);
    let function = named.as_ref().unwrap_or(function);
    let Some(instances) = fitting(function, instances, &mut diags) else {
        return unusable(function, Kind::Transaction, &diags);
    };
    let mut items = instances::generic_companion(function, &function.sig.ident, &instances);
    items.extend(functions(inner, options));
    let mut failures = Vec::new();
    for ty in &instances {
        let instance = ty.put_into(function);
        let instance = lists::spread(&instance).unwrap_or(instance);
        let name = ty.named(function);
        let mut found = Diagnostics::default();
        let Some(signature) = parse::parse_signature(&instance, Kind::Transaction, &mut found) else {
            failures.push((name, found));
            continue;
        };
        match understand(&instance, &signature, options, Some(ty), found) {
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

/// Returns the entries of `instantiate` for the parameters of the function. Reports entries that do not fit.
fn fitting(function: &ItemFn, instances: &[Instance], diags: &mut Diagnostics) -> Option<Vec<Instance>> {
    let params = &function.sig.generics.params;
    let lengths = parse::generics(&function.sig.generics, diags);
    if params.is_empty() || lengths.params.len() < params.len() {
        let message = "`instantiate` is for a function with parameters for types or lengths, as in `fn add<T, const N: usize>(tx: &mut Tx, ..)`";
        diags.report(Rule::Generics, &function.sig, message);
        return None;
    }
    let mut fitting = Vec::new();
    for instance in instances {
        let found = instance.of(params.len()).filter(|instance| instance.fits(function));
        if found.is_none() {
            let params = params.iter().map(parse::type_source).collect::<Vec<_>>().join(", ");
            let message = format!(
                "an entry has something for each of `{params}`; write for example `instantiate((u32, 4), (i64, 8))`"
            );
            diags.report(Rule::Option, instance, message);
        }
        fitting.extend(found);
    }
    (fitting.len() == instances.len() && diags.is_empty()).then_some(fitting)
}

/// Expands `gpu_transaction!(captures(..), |tx: &mut Tx, ..| ..)` to a value with `call` and `kernel`. The input can begin with
/// `crate = path,`.
#[must_use]
pub fn expand_closure(input: TokenStream, file: &str) -> TokenStream {
    let (path, input) = root::split(input);
    in_crate(path, expand_closure_in_runtime(input, file))
}

fn expand_closure_in_runtime(input: TokenStream, file: &str) -> TokenStream {
    let mut diags = Diagnostics::default();
    if let Some(at) = nesting::too_deep(&input) {
        diags.report(Rule::Nesting, SourceSpan::from(at), nesting::TOO_DEEP);
        let errors = diags.to_compile_error();
        return quote::quote!({ #errors ::core::unreachable!("the closure did not compile") });
    }
    let closure = match form::closure(&input) {
        Ok(closure) => closure,
        Err((rule, at, message)) => {
            diags.report(rule, at, message);
            let errors = diags.to_compile_error();
            return quote::quote!({ #errors ::core::unreachable!("the closure did not compile") });
        }
    };
    let attribute = parse::parse_options(closure.attribute.clone(), &mut diags);
    let options = CompileOptions { file: file.to_owned(), attribute: attribute.options, stated: attribute.stated };
    let mut found = diags.clone();
    if parse::parse_signature(&closure.function, Kind::Closure, &mut found).is_none() {
        let (errors, value) = (found.to_compile_error(), closure.rejected());
        return quote::quote!({ #errors #value });
    }
    let items = expand_function(&closure.function, Kind::Closure, &options, diags);
    closure.expression(&items)
}

/// Expands `#[gpu_fn] item`.
#[must_use]
pub fn expand_helper(attr: TokenStream, item: TokenStream, file: &str) -> TokenStream {
    let mut diags = Diagnostics::default();
    let path = if attr.is_empty() { None } else { parse::parse_root(attr, &mut diags) };
    in_crate(path, expand_helper_item(item, file, diags))
}

fn expand_helper_item(item: TokenStream, file: &str, mut diags: Diagnostics) -> TokenStream {
    if let Some(at) = nesting::too_deep(&item) {
        return too_deep(at, &item, Kind::Function);
    }
    let options = CompileOptions { file: file.to_owned(), ..CompileOptions::default() };
    match syn::parse2::<syn::Item>(item.clone()) {
        Ok(syn::Item::Fn(function)) => return expand_function(&function, Kind::Function, &options, diags),
        Ok(syn::Item::Impl(block)) => return implementation::expand(block, &options, diags),
        Ok(syn::Item::Trait(item)) if diags.is_empty() => return own_trait::expand(item, &options, diags),
        _ => diags.report(Rule::NotAFunction, &item, "`#[gpu_fn]` belongs before a `fn`, an `impl` block or a `trait`"),
    }
    let errors = diags.to_compile_error();
    quote::quote!(#item #errors)
}

fn expand_function(function: &ItemFn, kind: Kind, options: &CompileOptions, diags: Diagnostics) -> TokenStream {
    let (function, inner) = local_functions::take_out(function);
    let mut items = expand_one(&function, kind, options, diags);
    items.extend(functions(&inner, options));
    items
}

/// Expands the functions inside of a function.
fn functions(inner: &[ItemFn], options: &CompileOptions) -> TokenStream {
    inner.iter().map(|item| expand_function(item, Kind::Function, options, Diagnostics::default())).collect()
}

fn expand_one(function: &ItemFn, kind: Kind, options: &CompileOptions, mut diags: Diagnostics) -> TokenStream {
    let sized = if kind == Kind::Function { slices::sized(function) } else { None };
    let parsed = sized.as_ref().unwrap_or(function);
    let named = patterns::named(parsed);
    let parsed = named.as_ref().unwrap_or(parsed);
    let spread = if kind == Kind::Closure { None } else { lists::spread(parsed) };
    let parsed = spread.as_ref().unwrap_or(parsed);
    let Some(signature) = parse::parse_signature(parsed, kind, &mut diags) else {
        return unusable(function, kind, &diags);
    };
    match understand(parsed, &signature, options, None, diags) {
        Ok(understood) => print(function, &signature, &understood, None),
        Err(diags) => reject(function, &diags, rejected::stubs(function, &signature)),
    }
}

/// Expands a function that nests too deep to be parsed: its signature stays for its users, unless the signature is too deep.
fn too_deep(at: Span, item: &TokenStream, kind: Kind) -> TokenStream {
    let mut diags = Diagnostics::default();
    diags.report(Rule::Nesting, SourceSpan::from(at), nesting::TOO_DEEP);
    let signature = nesting::without_body(item);
    if nesting::too_deep(&signature).is_some() {
        return diags.to_compile_error();
    }
    match syn::parse2::<ItemFn>(signature) {
        Ok(function) => unusable(&function, kind, &diags),
        Err(_) => diags.to_compile_error(),
    }
}

fn reject(function: &ItemFn, diags: &Diagnostics, stubs: TokenStream) -> TokenStream {
    let repeated = diags.iter().any(|d| d.rule.repeats_rustc());
    let (function, errors) = (rejected::function(function, repeated), diags.to_compile_error());
    quote::quote!(#function #stubs #errors)
}

/// Expands a function whose signature has an error.
fn unusable(function: &ItemFn, kind: Kind, diags: &Diagnostics) -> TokenStream {
    let (function, errors) = (rejected::unusable(function, kind), diags.to_compile_error());
    quote::quote!(#function #errors)
}

/// Compiles every annotated function of a source text, in order: for tests and tools.
///
/// # Errors
/// Fails if the text is not Rust, or with the errors of the first bad function.
pub fn compile_source(source: &str, file: &str, debug: bool) -> Result<Vec<Compiled>, Diagnostics> {
    let mut diags = Diagnostics::default();
    let parsed = match syn::parse_file(source) {
        Ok(parsed) => parsed,
        Err(error) => {
            diags.report(Rule::NotAFunction, crate::front::diag::SourceSpan::from(error.span()), error);
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
        let options = CompileOptions { file: file.to_owned(), attribute: attribute.options, stated: attribute.stated };
        compiled.push(compile(&function, &options, debug)?);
    }
    Ok(compiled)
}

impl std::fmt::Display for Compiled {
    /// Writes everything that a snapshot shows.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n{}\n{}", self.transaction, self.facts, self.cuda)
    }
}

/// Emits the Rust of a compiled function, for tests.
impl ToTokens for Compiled {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.rust.to_tokens(tokens);
    }
}

#[cfg(test)]
mod tests;
