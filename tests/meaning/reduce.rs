//! Reduction of programs: a source text without one of its parts.

use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, File, Item};

/// Returns the names of the transactions, in order.
pub(crate) fn transactions(text: &str) -> Vec<String> {
    let Ok(file) = syn::parse_file(text) else { return Vec::new() };
    let names = file.items.iter().filter_map(|item| match item {
        Item::Fn(item) if is_transaction(item) => Some(item.sig.ident.to_string()),
        _ => None,
    });
    names.collect()
}

fn is_transaction(item: &syn::ItemFn) -> bool {
    item.attrs.iter().any(|attr| attr.path().is_ident("gpu_transaction"))
}

/// Returns the text without the part of that number, or `None` if there are fewer parts. First come whole items, then statements,
/// then expressions, each of which is replaced by a part of itself. The transaction of that name stays.
pub(crate) fn without(text: &str, name: &str, part: usize) -> Option<String> {
    let mut file = syn::parse_file(text).ok()?;
    let mut dropper = Dropper { left: part, done: false };
    dropper.items(&mut file, name);
    if !dropper.done {
        dropper.visit_file_mut(&mut file);
    }
    dropper.done.then(|| lines(&file))
}

struct Dropper {
    /// Parts to skip.
    left: usize,
    done: bool,
}

impl Dropper {
    /// Returns whether this is the part.
    fn here(&mut self) -> bool {
        if self.done {
            return false;
        }
        self.done = self.left == 0;
        self.left = self.left.saturating_sub(1);
        self.done
    }

    fn items(&mut self, file: &mut File, name: &str) {
        file.items.retain(|item| {
            let stays = matches!(item, Item::Fn(item) if item.sig.ident == name);
            stays || !self.here()
        });
    }

    /// Returns the part of an expression that can replace it.
    fn part(&mut self, expr: &Expr) -> Option<Expr> {
        let parts: Vec<&Expr> = match expr {
            Expr::Binary(node) => vec![&node.left, &node.right],
            Expr::Paren(node) if !matches!(*node.expr, Expr::Binary(_)) => vec![&node.expr],
            Expr::MethodCall(node) => vec![&node.receiver],
            Expr::Cast(node) => vec![&node.expr],
            Expr::Unary(node) => vec![&node.expr],
            Expr::If(node) => return self.here().then(|| block(&node.then_branch)),
            Expr::Match(node) => node.arms.iter().map(|arm| &*arm.body).collect(),
            _ => Vec::new(),
        };
        parts.into_iter().find(|_| self.here()).cloned()
    }
}

fn block(block: &Block) -> Expr {
    syn::parse_quote!(#block)
}

impl VisitMut for Dropper {
    fn visit_block_mut(&mut self, node: &mut Block) {
        node.stmts.retain(|_| !self.here());
        if !self.done {
            visit_mut::visit_block_mut(self, node);
        }
    }

    fn visit_expr_mut(&mut self, node: &mut Expr) {
        if self.done {
            return;
        }
        match self.part(node) {
            Some(part) => *node = part,
            None => visit_mut::visit_expr_mut(self, node),
        }
    }
}

/// Returns the tokens, with a line for each statement.
fn lines(file: &File) -> String {
    let text = file.to_token_stream().to_string();
    text.replace("; ", ";\n").replace("{ ", "{\n").replace("} ", "}\n")
}
