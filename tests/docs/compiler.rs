//! The compiler's messages for a program in a document, as rustc would show them.

use kernels_gen::{derive, pipeline};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::Visit;
use syn::{Attribute, Item, Meta};

/// One message: its text, and its line and column.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Message {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) text: String,
}

/// Returns all messages of the compiler for a program, in source order. It runs with the stack size of rustc.
pub(crate) fn messages(program: &str) -> Vec<Message> {
    let said = |program: &str| {
        let program = program.to_owned();
        std::thread::Builder::new().stack_size(8 << 20).spawn(move || said(&program)).expect("a thread").join()
    };
    said(program).unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn said(program: &str) -> Vec<Message> {
    let file = syn::parse_file(program).unwrap_or_else(|why| panic!("{why}\n{program}"));
    let mut found = Finder(Vec::new());
    file.items.iter().for_each(|item| expand(item, &mut found.0));
    found.visit_file(&file);
    found.0.sort();
    found.0
}

/// Expands the items whose attributes can give messages.
fn expand(item: &Item, found: &mut Vec<Message>) {
    let mut plain = item.clone();
    let Some(attrs) = attributes(&mut plain) else { return };
    let at = attrs.iter().position(|attr| attr.path().is_ident("gpu_transaction") || attr.path().is_ident("gpu_fn"));
    match at {
        Some(at) => {
            let attr = attrs.remove(at);
            let options = match &attr.meta {
                Meta::List(list) => list.tokens.clone(),
                _ => TokenStream::new(),
            };
            let item = plain.to_token_stream();
            let items = match attr.path().is_ident("gpu_fn") {
                true => pipeline::expand_helper(options, item, "src/main.rs"),
                false => pipeline::expand(options, item, "src/main.rs"),
            };
            collect(items, found);
        }
        None if attrs.iter().any(is_derive) => collect(derive::derive(plain.to_token_stream()), found),
        None => {}
    }
}

fn attributes(item: &mut Item) -> Option<&mut Vec<Attribute>> {
    match item {
        Item::Fn(item) => Some(&mut item.attrs),
        Item::Const(item) => Some(&mut item.attrs),
        Item::Struct(item) => Some(&mut item.attrs),
        Item::Enum(item) => Some(&mut item.attrs),
        _ => None,
    }
}

fn is_derive(attr: &Attribute) -> bool {
    attr.path().is_ident("derive") && attr.to_token_stream().to_string().contains("GpuData")
}

/// Finds closures with the attribute of transactions.
struct Finder(Vec<Message>);

impl<'ast> Visit<'ast> for Finder {
    fn visit_macro(&mut self, node: &'ast syn::Macro) {
        if node.path.segments.last().is_some_and(|segment| segment.ident == "gpu_transaction") {
            collect(pipeline::expand_closure(node.tokens.clone(), "src/main.rs"), &mut self.0);
        }
    }
}

/// Collects the texts of the `compile_error!`s in generated code.
fn collect(tokens: TokenStream, found: &mut Vec<Message>) {
    let mut at = None;
    for token in tokens {
        match token {
            TokenTree::Ident(ident) if ident == "compile_error" => at = Some(ident.span().start()),
            TokenTree::Group(group) => match at.take() {
                Some(at) => {
                    let text: syn::LitStr =
                        syn::parse2(group.stream()).expect("the argument of compile_error is a string");
                    found.push(Message { line: at.line, column: at.column + 1, text: text.value() });
                }
                None => collect(group.stream(), found),
            },
            _ => {}
        }
    }
}

/// Returns the messages in a text that rustc has printed.
pub(crate) fn shown(text: &str) -> Vec<Message> {
    let mut lines = text.lines();
    let mut messages = Vec::new();
    while let Some(line) = lines.next() {
        let Some(text) = line.strip_prefix("error: ") else { continue };
        let place = lines.next().and_then(|line| line.trim_start().strip_prefix("--> src/main.rs:"));
        let (line, column) = place.and_then(|place| place.split_once(':')).expect("a place follows the message");
        let number = |text: &str| text.parse().expect("a number");
        messages.push(Message { line: number(line), column: number(column), text: text.to_owned() });
    }
    messages
}

/// Returns the compiler's messages for a few statements in a transaction.
pub(crate) fn body(statements: &str) -> Vec<Message> {
    messages(&format!(
        "#[gpu_transaction] fn f(tx: &mut Tx, data: &Shared<u32>, i: u32, n: u32, x: i64, flag: bool, \
         maybe: Option<u32>, pair: (u32, i64), array: [u32; 4]) -> TxResult {{ {statements} Ok(()) }}"
    ))
}
