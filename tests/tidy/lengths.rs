//! Files and functions are short. Lines of a flat table or `match` do not count: even long ones are read line by line.

use proc_macro2::Span;
use proc_macro2::extra::DelimSpan;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprArray, ExprMatch, ImplItemFn, ItemFn, Stmt};

use crate::allowed::{self, Found};
use crate::{is_rejected, sources};

/// The largest number of lines of a file.
const OF_FILE: usize = 450;
/// The largest number of lines of a function.
const OF_FUNCTION: usize = 60;

#[test]
fn no_file_is_too_long() {
    let long = |(file, text): (String, String)| (text.lines().count() > OF_FILE).then_some((file, 1));
    let found = sources().into_iter().filter_map(long).collect();
    allowed::check("long_files", &found, &format!("split files of more than {OF_FILE} lines"));
}

#[test]
fn no_function_is_too_long() {
    let mut found = Found::new();
    for (file, text) in sources().iter().filter(|(file, _)| file.ends_with(".rs") && !is_rejected(file)) {
        // Included files need not parse as files of Rust.
        let Ok(parsed) = syn::parse_file(text) else { continue };
        let mut functions = Functions { file, found: &mut found };
        functions.visit_file(&parsed);
    }
    allowed::check("long_functions", &found, &format!("split functions of more than {OF_FUNCTION} lines"));
}

struct Functions<'a> {
    file: &'a str,
    found: &'a mut Found,
}

impl Functions<'_> {
    fn add(&mut self, name: &str, from: Span, body: &Block) {
        let all = body.brace_token.span.close().end().line + 1 - from.start().line;
        let mut tables = Tables(0);
        tables.visit_block(body);
        if all.saturating_sub(tables.0) > OF_FUNCTION {
            self.found.insert(format!("{}: fn {name}", self.file), 1);
        }
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.add(&function.sig.ident.to_string(), function.sig.fn_token.span, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.add(&function.sig.ident.to_string(), function.sig.fn_token.span, &function.block);
        visit::visit_impl_item_fn(self, function);
    }
}

/// Counts the lines of flat tables.
struct Tables(usize);

impl Tables {
    /// Adds the lines between the brackets of a table.
    fn add(&mut self, brackets: &DelimSpan) {
        self.0 += brackets.close().end().line - brackets.open().start().line;
    }
}

impl<'ast> Visit<'ast> for Tables {
    fn visit_expr_match(&mut self, table: &'ast ExprMatch) {
        match table.arms.iter().all(|arm| is_one_expression(&arm.body)) {
            true => self.add(&table.brace_token.span),
            false => visit::visit_expr_match(self, table),
        }
    }

    fn visit_expr_array(&mut self, table: &'ast ExprArray) {
        self.add(&table.bracket_token.span);
    }

    fn visit_macro(&mut self, table: &'ast syn::Macro) {
        if table.path.is_ident("vec") {
            self.add(table.delimiter.span());
        }
    }
}

/// Returns true for one expression, also in a block that exists only because of the line length.
fn is_one_expression(body: &Expr) -> bool {
    match body {
        Expr::Block(block) => matches!(block.block.stmts.as_slice(), [] | [Stmt::Expr(..)] | [Stmt::Macro(_)]),
        Expr::Match(_) | Expr::If(_) | Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) => false,
        _ => true,
    }
}

#[test]
fn a_table_does_not_count() {
    let count = |text: &str| {
        let function: ItemFn = syn::parse_str(text).expect("a function");
        let mut tables = Tables(0);
        tables.visit_block(&function.block);
        tables.0
    };
    assert_eq!(count("fn f() {\nmatch x {\n1 => a(),\n_ => {\nb()\n}\n}\n}"), 5);
    assert_eq!(count("fn f() {\nmatch x {\n1 => a(),\n_ => {\nlet b = 1;\nb()\n}\n}\n}"), 0);
}
