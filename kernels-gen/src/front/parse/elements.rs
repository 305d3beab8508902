//! `for` over the elements of an array: a loop that counts the indices and first reads the element.

use syn::spanned::Spanned;
use syn::{Expr, ExprForLoop, ExprMethodCall, Pat};

use super::checks::TypeCheck;
use super::lower::{Lowered, Lowering, Resolution};
use super::source_span::At;
use super::tree::{is_constant, strip};
use super::{signature, text};
use crate::front::diag::Rule;
use crate::infer::Class;
use crate::ir::open::{Atom, Relation, Rvalue, StmtKind, TyId};
use crate::ir::{Range, VarId};
use crate::spec::Scalar;

/// The iterator methods of Rust that users write in the head of a `for`.
const ADAPTERS: [&str; 16] = [
    "iter",
    "into_iter",
    "iter_mut",
    "rev",
    "enumerate",
    "copied",
    "cloned",
    "step_by",
    "map",
    "filter",
    "zip",
    "take",
    "skip",
    "chain",
    "windows",
    "chunks",
];

/// Returns the value that the head of a `for` iterates over, and the calls on it in order.
pub(super) fn head(expr: &Expr) -> (&Expr, Vec<&ExprMethodCall>) {
    let (mut root, mut calls) = (strip(expr), Vec::new());
    while let Expr::MethodCall(call) = root
        && ADAPTERS.contains(&call.method.to_string().as_str())
    {
        calls.push(call);
        root = strip(&call.receiver);
    }
    calls.reverse();
    (root, calls)
}

/// Returns whether a loop may be over an `Option`, as the lint that it allows says.
pub(super) fn is_fallible(node: &ExprForLoop) -> bool {
    node.attrs.iter().any(|attr| text::source(attr).contains("for_loops_over_fallibles"))
}

/// Returns whether the head begins with `.iter()`, and no call turns its references into values.
fn iterates(expr: &Expr) -> bool {
    let (_, calls) = head(expr);
    let has = |name: &str| calls.iter().any(|call| call.method == name);
    has("iter") && !has("copied") && !has("cloned")
}

/// Returns the parameters that are references to arrays, and whose names nothing else has.
pub(super) fn lent_parameters(item: &syn::ItemFn) -> Vec<String> {
    struct Declared(Vec<String>);
    impl<'ast> syn::visit::Visit<'ast> for Declared {
        fn visit_pat_ident(&mut self, node: &'ast syn::PatIdent) {
            self.0.push(text::key(&node.ident));
            syn::visit::visit_pat_ident(self, node);
        }
    }
    let mut inside = Declared(Vec::new());
    syn::visit::Visit::visit_block(&mut inside, &item.block);
    let lent = |input: &syn::FnArg| {
        let syn::FnArg::Typed(input) = input else { return None };
        let (Pat::Ident(name), syn::Type::Reference(ty)) = (&*input.pat, &*input.ty) else { return None };
        let array = ty.mutability.is_none() && matches!(&*ty.elem, syn::Type::Array(_) | syn::Type::Slice(_));
        Some(text::key(&name.ident)).filter(|name| array && !inside.0.contains(name))
    };
    item.sig.inputs.iter().filter_map(lent).collect()
}

/// Writes `for (a, b) in list.iter()` as `for &((a, b)) in list.iter()`: in parentheses, names stand for references.
pub(super) fn lent(node: &mut ExprForLoop, parameters: &[String]) {
    let (root, calls) = head(&node.expr);
    let own = |call: &&ExprMethodCall| ["iter", "into_iter", "enumerate", "rev"].iter().any(|name| call.method == name);
    let lent = match root {
        Expr::Reference(node) => node.mutability.is_none(),
        Expr::Path(path) if path.path.get_ident().is_some_and(|name| parameters.contains(&text::key(name))) => true,
        _ => iterates(&node.expr),
    };
    if !lent || !calls.iter().all(own) {
        return;
    }
    let numbered = calls.iter().any(|call| call.method == "enumerate");
    let element = match &mut *node.pat {
        Pat::Tuple(pair) if numbered && pair.elems.len() == 2 => &mut pair.elems[1],
        _ if numbered => return,
        pat => pat,
    };
    if matches!(element, Pat::Tuple(_) | Pat::Struct(_) | Pat::TupleStruct(_) | Pat::Slice(_)) {
        let span = proc_macro2::Span::mixed_site().located_at(element.span());
        *element = syn::parse_quote_spanned!(span=> &(#element));
    }
}

/// The head of a `for` over an array.
struct Elements<'e> {
    array: &'e Expr,
    /// Whether the loop gives references, as `&array` and `array.iter()` do.
    by_reference: bool,
    /// `.enumerate()`
    numbered: bool,
    /// `.rev()`
    reversed: bool,
    /// Whether it may be an `Option`, as the lint that the loop allows says.
    fallible: bool,
}

impl Lowering<'_> {
    /// Parses `for pattern in array`, also with `&array`, `array.iter()`, `.copied()`, `.enumerate()` and `.rev()`.
    pub(super) fn element_loop(&mut self, whole: &Expr, node: &ExprForLoop) -> Lowered {
        let fallible = is_fallible(node);
        if let (true, Some(place)) = (fallible, super::changed_elements::place_of(&node.expr)) {
            return self.changed_elements(whole, node, place);
        }
        let elements = self.elements(&node.expr).map(|elements| Elements { fallible, ..elements });
        let found = elements.as_ref().and_then(|elements| self.array_of(elements));
        let usize = self.known(Scalar::Usize);
        let header = format!("for {} in {}", text::source(&node.pat), text::of_expr(&node.expr));
        let (array, length, element) = found.clone().unwrap_or_else(|| {
            let nothing = self.nothing(None);
            (nothing.clone(), nothing.clone(), self.type_of(&nothing))
        });
        let (id, location) = self.enter_loop(whole, header, node.label.as_ref(), false);
        let (counter, index) = (self.var(None, usize, false), self.var(None, usize, false));
        let (body, ()) = self.block(|this| {
            this.scoped(|this| {
                // The index is in range, so the location is never reported.
                let of = this.type_of(&array);
                let value = match this.infer.class(of) {
                    Class::Option(_) => Rvalue::Inner(array),
                    _ => Rvalue::Element(array, Atom::Var(index), location),
                };
                let value = this.temp(value, element, &node.expr);
                let numbered = elements.as_ref().is_some_and(|elements| elements.numbered);
                // The text of a rejected head still shows whether it would give references.
                let by_reference = elements.as_ref().map_or_else(|| iterates(&node.expr), |e| e.by_reference);
                let refers = elements.as_ref().is_some_and(|elements| this.may_refer(elements.array));
                let before = std::mem::replace(&mut this.examines_references, refers);
                if let Some(pat) = this.number(&node.pat, index, numbered) {
                    this.bind_element(pat, &value, by_reference);
                }
                this.examines_references = before;
                this.block_value(&node.body, None);
            });
        });
        self.loops.pop();
        // Without an array the body was still parsed, to report its own errors.
        let (Some(elements), true) = (elements, found.is_some()) else { return Lowered::Failed };
        let start = Atom::Int(0, usize);
        let range = Range { start, end: length, inclusive: false, step: None, reversed: elements.reversed };
        self.push(StmtKind::For { id, var: index, counter, range, body: body.stmts, location }, whole);
        Lowered::Unit
    }

    fn elements<'e>(&mut self, expr: &'e Expr) -> Option<Elements<'e>> {
        let (root, calls) = head(expr);
        let (array, mut by_reference) = match root {
            Expr::Reference(node) if node.mutability.is_none() => (strip(&node.expr), true),
            other => (other, self.is_reference(other) == Some(false)),
        };
        if let Some(message) = self.no_elements(root, array, &calls) {
            self.diags.report(Rule::Iterator, expr, message);
            return None;
        }
        let (mut numbered, mut reversed) = (false, false);
        for (k, call) in calls.iter().enumerate() {
            match (call.method.to_string().as_str(), call.args.is_empty()) {
                ("iter", true) if k == 0 => by_reference = true,
                ("into_iter", true) if k == 0 => {}
                ("copied" | "cloned", true) if k > 0 && by_reference && !numbered => by_reference = false,
                ("enumerate", true) if k > 0 && !numbered && !reversed => numbered = true,
                ("rev", true) if k > 0 => reversed = !reversed,
                _ => {
                    let message = format!(
                        "`for` iterates over an array with `.iter()` or `.into_iter()`, then `.copied()`, `.enumerate()` and \
                         `.rev()` in this order; for anything else count, as in `for i in 0..{}.len() {{ .. }}`",
                        text::source(array)
                    );
                    self.diags.report(Rule::Iterator, &call.method, message);
                    return None;
                }
            }
        }
        Some(Elements { array, by_reference, numbered, reversed, fallible: false })
    }

    /// Returns whether a reference is mutable, if the expression is the name of one.
    pub(super) fn is_reference(&self, expr: &Expr) -> Option<bool> {
        match self.bound(expr)? {
            Resolution::Place(var) => Some(self.vars[var.0 as usize].mutable),
            Resolution::Alias(_) => Some(true),
            _ => None,
        }
    }

    /// Returns what to write instead of a loop over something that certainly has no elements here.
    fn no_elements(&self, root: &Expr, array: &Expr, calls: &[&ExprMethodCall]) -> Option<String> {
        let name = text::source(array);
        let changed = |array: &str| {
            Some(format!(
                "the elements of an array are changed by their index; write `for i in 0..{array}.len() {{ .. }}`"
            ))
        };
        match (root, self.bound(array)) {
            _ if self.is_array(array) => Some(format!(
                "`for` iterates over ranges and arrays, and an array has no iterator: the engine has to see each access; \
                 write `for i in 0..8 {{ let value = tx.read({name}, i)?; .. }}`"
            )),
            (Expr::Reference(node), _) if node.mutability.is_some() => changed(&text::of_expr(&node.expr)),
            _ if calls.first().is_some_and(|call| call.method == "iter_mut") => changed(&name),
            _ if self.is_reference(root) == Some(true) && calls.first().is_none_or(|call| call.method != "iter") => {
                Some(format!("`{name}` is a `&mut` parameter; for its elements write `*{name}` or `{name}.iter()`"))
            }
            (_, Some(Resolution::Var(var))) if self.infer.answer(self.vars[var.0 as usize].ty).is_some() => {
                Some(format!("`for` iterates over ranges and arrays; write `for i in 0..{name}`"))
            }
            _ => None,
        }
    }

    /// Returns the array, or `Option`, as it was before the loop, its length, and the type of its elements.
    fn array_of(&mut self, elements: &Elements<'_>) -> Option<(Atom, Atom, TyId)> {
        let array = match elements.by_reference {
            true => self.operand(elements.array),
            false => {
                let array = self.scalar(elements.array);
                self.freeze(array, elements.array)
            }
        };
        let (length, element) = self.length_and_element(&array, elements.array, elements.fallible)?;
        Some((array, length, element))
    }

    /// Returns how many elements an array has, or an `Option`, and their type.
    pub(super) fn length_and_element(&mut self, array: &Atom, at: &Expr, fallible: bool) -> Option<(Atom, TyId)> {
        let ty = self.type_of(array);
        // An `Option` has one element, or none.
        if let Class::Option(inner) = *self.infer.class(ty) {
            let (truth, usize) = (self.known(Scalar::Bool), self.known(Scalar::Usize));
            let holds = self.temp(Rvalue::IsSome(array.clone()), truth, at);
            return Some((self.temp(Rvalue::Cast(holds, usize), usize, at), inner));
        }
        if !fallible {
            self.checks.operators.push((TypeCheck::Elements(ty), at.source_span()));
        }
        let element = match self.infer.class(ty) {
            // Only rustc knows which of both it is.
            Class::Any if fallible && self.infer.is_later(ty) => {
                let element = self.infer.later();
                self.relations.push(Relation::Element { of: ty, ty: element });
                element
            }
            _ => {
                let element = self.element_type(ty);
                if !matches!(self.infer.class(ty), Class::Array(..)) {
                    return None;
                }
                element
            }
        };
        match self.method_call(at, at, "len", vec![array.clone()], &[at], false) {
            Lowered::Atom(length) => Some((length, element)),
            _ => None,
        }
    }

    /// Binds the number of `(number, element)`, and returns the pattern of the element.
    fn number<'p>(&mut self, pat: &'p Pat, index: VarId, numbered: bool) -> Option<&'p Pat> {
        if !numbered {
            return Some(pat);
        }
        let Pat::Tuple(pair) = pat else {
            let message = "`.enumerate()` gives a number and an element; write `for (i, value) in ..`";
            self.diags.report(Rule::Pattern, pat, message);
            return None;
        };
        match pair.elems.iter().collect::<Vec<_>>().as_slice() {
            [number @ (Pat::Ident(_) | Pat::Wild(_)), element] => {
                self.bind_pattern(number, &Atom::Var(index));
                Some(*element)
            }
            _ => {
                let message = "`.enumerate()` gives a number and an element; write `for (i, value) in ..`";
                self.diags.report(Rule::Pattern, pat, message);
                None
            }
        }
    }

    fn bind_element(&mut self, pat: &Pat, value: &Atom, by_reference: bool) {
        match pat {
            // The names are those of references: see `lent`.
            Pat::Paren(inner) if !by_reference && !matches!(*inner.pat, Pat::Ident(_)) => {
                let before = std::mem::replace(&mut self.examines_references, true);
                self.block(|this| this.test(&inner.pat, value));
                self.bind_pattern(&inner.pat, value);
                self.examines_references = before;
            }
            Pat::Paren(inner) => self.bind_element(&inner.pat, value, by_reference),
            Pat::Wild(_) => {}
            Pat::Reference(node) if by_reference && node.mutability.is_none() => {
                self.bind_element(&node.pat, value, false);
            }
            // A reference: `*name` is the element.
            Pat::Ident(ident)
                if by_reference
                    && ident.by_ref.is_none()
                    && ident.mutability.is_none()
                    && ident.subpat.is_none()
                    && !is_constant(ident) =>
            {
                signature::check_name(&ident.ident, self.diags);
                let ty = self.type_of(value);
                let var = self.var(Some(text::plain(&ident.ident)), ty, false);
                self.push(StmtKind::Let { var, value: Rvalue::Use(value.clone()) }, &ident.ident);
                self.bind(text::key(&ident.ident), Resolution::Place(var));
            }
            other if by_reference => {
                let written = text::source(other);
                let message = format!("the loop gives references; write `&` before the pattern, as in `&{written}`");
                self.diags.report(Rule::Pattern, other, message);
            }
            other => {
                // rustc decides whether the pattern always matches; only the types of the test matter here.
                self.block(|this| this.test(other, value));
                self.bind_pattern(other, value);
            }
        }
    }
}
