//! Loops and closures over lists of shared arrays: `for (k, lane) in [a, b].iter().enumerate()`, `tables.iter().map(|lane| ..)`. The list
//! becomes one of numbers, and the name of its element that of a choice.

use syn::{Expr, ExprMethodCall, Pat, PatReference, PatType};

use super::{Choices, List, MOST, Names};
use crate::front::parse::text;
use crate::front::parse::tree::strip;

/// What the elements of an iterator are.
#[derive(Clone, PartialEq)]
pub(super) enum Shape {
    Value,
    /// The number of one of these arrays.
    Array(Vec<Expr>),
    Tuple(Vec<Shape>),
}

/// The elements of an iterator.
struct Elements {
    shape: Shape,
    /// Whether they are references.
    lent: bool,
}

/// Methods whose closures get references to the elements.
const LENDS: [&str; 7] = ["filter", "inspect", "take_while", "skip_while", "find", "position", "any"];

/// Methods of iterators that give the elements of the iterator.
const SAME: [&str; 15] = [
    "iter",
    "into_iter",
    "copied",
    "cloned",
    "by_ref",
    "fuse",
    "rev",
    "skip",
    "take",
    "step_by",
    "cycle",
    "filter",
    "inspect",
    "take_while",
    "skip_while",
];

impl Choices {
    /// Returns what a list of arrays, or of tuples with arrays, is made of: numbers in the place of arrays.
    pub(super) fn rows(&self, rows: &[&Expr]) -> (Vec<Expr>, Shape) {
        let as_they_are = || (rows.iter().map(|row| (*row).clone()).collect(), Shape::Value);
        if let Some(arrays) = rows.iter().map(|row| self.array(row)).collect::<Option<Vec<_>>>() {
            let number = |k: usize| {
                let number = proc_macro2::Literal::u8_suffixed(k as u8);
                syn::parse_quote!(#number)
            };
            return ((0..rows.len()).map(number).collect(), Shape::Array(arrays));
        }
        let tuple = |row: &&Expr| match strip(row) {
            Expr::Tuple(node) => Some(node.elems.iter().cloned().collect::<Vec<_>>()),
            _ => None,
        };
        let Some(tuples) = rows.iter().map(tuple).collect::<Option<Vec<_>>>() else { return as_they_are() };
        let width = tuples.first().map_or(0, Vec::len);
        if tuples.iter().any(|tuple| tuple.len() != width) {
            return as_they_are();
        }
        let column = |at: usize| self.rows(&tuples.iter().map(|tuple| &tuple[at]).collect::<Vec<_>>());
        let (columns, shapes): (Vec<_>, Vec<_>) = (0..width).map(column).unzip();
        let row = |at: usize| {
            let parts = columns.iter().map(|column| &column[at]);
            syn::parse_quote!((#(#parts,)*))
        };
        match shapes.iter().all(|shape| *shape == Shape::Value) {
            true => as_they_are(),
            false => ((0..rows.len()).map(row).collect(), Shape::Tuple(shapes)),
        }
    }

    /// Returns a list as one of numbers, and what its elements are; `None` where it has no arrays.
    pub(super) fn list(&self, expr: &Expr) -> Option<(Expr, Shape)> {
        match strip(expr) {
            Expr::Reference(node) if node.mutability.is_none() => self.list(&node.expr),
            Expr::Array(node) if (1..=MOST).contains(&node.elems.len()) => {
                let (rows, shape) = self.rows(&node.elems.iter().collect::<Vec<_>>());
                (shape != Shape::Value).then(|| (syn::parse_quote!([#(#rows),*]), shape))
            }
            other => {
                let List { numbers, shape, .. } = self.lists.get(&super::name_of(other)?)?;
                Some((syn::parse_quote!(#numbers), shape.clone()))
            }
        }
    }

    /// Returns whether a chain of methods begins with a list of arrays.
    fn begins_with_list(&self, expr: &Expr) -> bool {
        match strip(expr) {
            Expr::MethodCall(node) if self.begins_with_list(&node.receiver) => true,
            Expr::MethodCall(node) => node.method == "zip" && node.args.iter().any(|arg| self.begins_with_list(arg)),
            other => self.list(other).is_some(),
        }
    }

    /// Puts numbers in the place of the arrays of a `for` loop. A loop for whose pattern that is not possible stays as it is.
    pub(super) fn of_loop(&mut self, node: &mut syn::ExprForLoop) {
        if !self.begins_with_list(&node.expr) {
            return;
        }
        let (mut expr, mut pat, before) = ((*node.expr).clone(), (*node.pat).clone(), self.known.clone());
        let mut inside = Names::default();
        syn::visit::Visit::visit_block(&mut inside, &node.body);
        let of = self.elements(&mut expr);
        match of.is_some_and(|of| self.bind(&mut pat, &of.shape, (of.lent, &inside))) {
            true => (*node.expr, *node.pat) = (expr, pat),
            false => self.known = before,
        }
    }

    /// Puts numbers in the place of the arrays of a chain with closures. Returns whether it was one.
    pub(super) fn of_chain(&mut self, expr: &mut Expr) -> bool {
        let Expr::MethodCall(node) = &*expr else { return false };
        let iterates = super::super::iterate::is_iterator(expr) || super::super::iterate::is_iterator(&node.receiver);
        if !iterates || !self.begins_with_list(expr) {
            return false;
        }
        let mut new = expr.clone();
        let found = self.elements(&mut new).is_some();
        if found {
            *expr = new;
        }
        found
    }

    /// Rewrites an iterator and the closures in it. Returns what its elements are; `None` where a closure's pattern does not fit.
    fn elements(&mut self, expr: &mut Expr) -> Option<Elements> {
        if let Some((numbers, shape)) = self.list(expr) {
            let lent = matches!(strip(expr), Expr::Reference(_)) && matches!(shape, Shape::Tuple(_));
            *expr = if lent { syn::parse_quote!(&#numbers) } else { numbers };
            return Some(Elements { shape, lent });
        }
        let Expr::MethodCall(node) = expr else {
            syn::visit_mut::VisitMut::visit_expr_mut(self, expr);
            return Some(Elements { shape: Shape::Value, lent: false });
        };
        let Elements { shape, lent } = self.elements(&mut node.receiver)?;
        let name = node.method.to_string();
        if name == "zip"
            && let Some(other) = node.args.first_mut()
        {
            let other = self.elements(other)?;
            return Some(Elements { shape: Shape::Tuple(vec![shape, other.shape]), lent: false });
        }
        self.closures(node, &shape, lent || LENDS.contains(&name.as_str()))?;
        Some(match (name.as_str(), shape) {
            ("enumerate", shape) => Elements { shape: Shape::Tuple(vec![Shape::Value, shape]), lent: false },
            ("iter", Shape::Array(arrays)) => {
                // Arrays are references anyway: a number is one only where the closures of Rust's methods get one.
                node.method = syn::Ident::new("into_iter", node.method.span());
                Elements { shape: Shape::Array(arrays), lent: false }
            }
            ("iter", shape @ Shape::Tuple(_)) => Elements { shape, lent: true },
            ("copied" | "cloned", shape) => Elements { shape, lent: false },
            (name, shape) if SAME.contains(&name) => Elements { shape, lent },
            _ => Elements { shape: Shape::Value, lent: false },
        })
    }

    /// The last parameter of a closure is the element.
    fn closures(&mut self, node: &mut ExprMethodCall, of: &Shape, lent: bool) -> Option<()> {
        for arg in &mut node.args {
            let before = self.known.clone();
            if let Expr::Closure(closure) = arg
                && let Some(last) = closure.inputs.last_mut()
            {
                let mut inside = Names::default();
                syn::visit::Visit::visit_expr(&mut inside, &closure.body);
                if !self.bind(last, of, (lent, &inside)) {
                    self.known = before;
                    return None;
                }
            }
            syn::visit_mut::VisitMut::visit_expr_mut(self, arg);
            self.known = before;
        }
        Some(())
    }

    /// Makes the names of arrays in a pattern names of choices. `false` where a name is one of more than an array, or is declared again in
    /// what follows.
    fn bind(&mut self, pat: &mut Pat, shape: &Shape, (lent, inside): (bool, &Names)) -> bool {
        if *shape == Shape::Value {
            return true;
        }
        match (&mut *pat, shape) {
            (Pat::Reference(node), shape) if lent => self.bind(&mut node.pat, shape, (false, inside)),
            (Pat::Reference(PatReference { pat: inner, .. }) | Pat::Type(PatType { pat: inner, .. }), shape) => {
                let mut inner = (**inner).clone();
                let fits = self.bind(&mut inner, shape, (lent, inside));
                *pat = inner;
                fits
            }
            (Pat::Paren(node), shape) => self.bind(&mut node.pat, shape, (lent, inside)),
            (Pat::Wild(_), _) => true,
            (Pat::Tuple(node), Shape::Tuple(shapes)) if node.elems.len() == shapes.len() => {
                node.elems.iter_mut().zip(shapes).all(|(pat, shape)| self.bind(pat, shape, (lent, inside)))
            }
            (Pat::Ident(name), Shape::Array(arrays)) if name.subpat.is_none() && name.mutability.is_none() => {
                let key = text::key(&name.ident);
                if inside.declared.contains_key(&key) {
                    return false;
                }
                let number = self.variable(&syn::parse_quote!(#name));
                let value = if lent { syn::parse_quote!(*#number) } else { syn::parse_quote!(#number) };
                self.name(key, value, arrays.clone());
                *pat = syn::parse_quote!(#number);
                true
            }
            _ => false,
        }
    }
}
