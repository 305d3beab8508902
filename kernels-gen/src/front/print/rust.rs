//! The user's function for the CPU: the same tree, with inferred types written down and locations passed to verbs.
//!
//! Types go where the user left them out, with the user's spans, so that rustc rejects a wrong inference at the user's
//! line. Integer operators that can fault become calls, because a fault is an outcome and not a panic.

mod call;
mod loops;
mod operator;
mod perhaps;
mod place;

use std::collections::{BTreeMap, HashSet};

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprLit, Ident, Lit, Local, Pat, PatType, Stmt};

use crate::fault::FaultCode;
use crate::front::parse::{CallSite, LocationMap, Note, Notes, Parsed, Yields, address, is_constant, remove_added};
use crate::infer::{Class, Infer};
use crate::ir::LocationId;
use crate::ir::open::{Form, Function, Length, TyId};
use crate::methods::{Faults, METHODS, Method};
use crate::spec::Scalar;

/// Rewrites the body in place. Returns whether it uses the overflow mode.
///
/// `handle` is the name of the handle, `this` the source of the function, as an expression.
pub(crate) fn rewrite(
    block: &mut syn::Block,
    parsed: &Parsed,
    locations: &LocationMap,
    (handle, this): (&Ident, &TokenStream),
) -> bool {
    let Parsed { transaction: tx, infer, notes, external, .. } = parsed;
    let (calls, completed) = (&external.calls, &external.completed);
    let (items, checked) = (BTreeMap::new(), false);
    let mut rewriter = Rewriter { tx, infer, notes, locations, handle, this, calls, completed, items, checked };
    rewriter.visit_block_mut(block);
    let items = rewriter.items.into_values().map(|item| Stmt::Item(syn::Item::Verbatim(item)));
    block.stmts.splice(0..0, items.collect::<Vec<_>>());
    rewriter.checked
}

struct Rewriter<'a> {
    tx: &'a Function,
    infer: &'a Infer,
    notes: &'a Notes,
    locations: &'a LocationMap,
    handle: &'a Ident,
    /// The companion type of the function, which knows where the locations of its calls are.
    this: &'a TokenStream,
    /// What the function calls.
    calls: &'a [CallSite],
    /// The generic records whose arguments rustc has to check.
    completed: &'a HashSet<usize>,
    /// What stands before the body, by the method that needs it: for those with the names of built-in ones, where only rustc knows
    /// which it is.
    items: BTreeMap<String, TokenStream>,
    checked: bool,
}

impl VisitMut for Rewriter<'_> {
    fn visit_local_mut(&mut self, local: &mut Local) {
        let ty = self.notes.of_local(local);
        let plain = matches!(local.pat, Pat::Ident(_));
        if plain {
            if let Some(init) = &mut local.init {
                self.visit_local_init_mut(init);
            }
        } else {
            visit_mut::visit_local_mut(self, local);
        }
        if let (Some(ty), Pat::Ident(ident)) = (ty, &local.pat)
            && let Some(ty) = self.known(ty, ident.ident.span())
        {
            let (colon_token, pat) = (syn::token::Colon(ident.ident.span()), Box::new(local.pat.clone()));
            let ty = Box::new(syn::Type::Verbatim(ty));
            local.pat = Pat::Type(PatType { attrs: Vec::new(), pat, colon_token, ty });
        }
    }

    /// Turns a name into `name @ _`, which binds any value and is an error where the name is that of a constant.
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        if let (true, Pat::Ident(ident)) = (self.notes.is_reference(pat), &mut *pat) {
            ident.by_ref = Some(Default::default());
            return;
        }
        visit_mut::visit_pat_mut(self, pat);
        place::erase_pattern(pat);
        if let Pat::Ident(ident) = pat
            && ident.subpat.is_none()
            && !is_constant(ident)
        {
            let (attrs, span) = (Vec::new(), generated(ident.ident.span()));
            let any = Pat::Wild(syn::PatWild { attrs, underscore_token: syn::token::Underscore(span) });
            ident.subpat = Some((syn::token::At(span), Box::new(any)));
        }
    }

    /// Turns `R { a }` into `R { a: a @ _ }`.
    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        visit_mut::visit_field_pat_mut(self, field);
        if field.colon_token.is_none() && matches!(&*field.pat, Pat::Ident(ident) if ident.subpat.is_some()) {
            field.colon_token = Some(syn::token::Colon(generated(field.pat.span())));
        }
    }

    /// Removes arguments that were added to the name of a record, where its use determines them.
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        visit_mut::visit_path_mut(self, path);
        if !self.completed.contains(&address(path)) {
            remove_added(path);
        }
    }

    /// Leaves the items inside of the function as they are.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}

    /// Leaves the variable of a `for` as it is: it always matches.
    fn visit_expr_for_loop_mut(&mut self, node: &mut syn::ExprForLoop) {
        self.visit_expr_mut(&mut node.expr);
        self.visit_block_mut(&mut node.body);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        // The note belongs to the address, which the rewriting of inner nodes does not change.
        let note = self.notes.of_expr(expr);
        match note {
            Some(Note::Element { .. }) => return self.part(expr, false),
            Some(Note::Part { location }) => return self.slice(expr, location),
            Some(Note::CompoundPart { ty, amount, location }) => return self.compound_part(expr, ty, amount, location),
            Some(Note::Operation { call, ty, location, part: true, .. }) => {
                return self.operation_on_part(expr, (call, ty), location);
            }
            Some(Note::Exchange) => return self.exchange(expr),
            Some(note @ Note::Perhaps { .. }) => return self.perhaps(expr, note),
            Some(Note::Call { call, indexed: true, by_reference }) => {
                return self.call_on_element(expr, call, by_reference);
            }
            _ => {}
        }
        match &mut *expr {
            Expr::Assign(node) => {
                self.visit_expr_mut(&mut node.right);
                self.part(&mut node.left, true);
            }
            Expr::Reference(node) if node.mutability.is_some() => self.part(&mut node.expr, true),
            other => visit_mut::visit_expr_mut(self, other),
        }
        place::repeated(expr);
        place::converted(expr);
        match note {
            Some(Note::Literal(ty)) => self.suffix(expr, ty),
            Some(Note::Verb { location, nested }) => self.verb(expr, location, nested, None),
            Some(Note::Reject { location, yields, nested }) => self.verb(expr, location, nested, Some(yields)),
            Some(Note::Operator { ty, amount, location }) => self.operator(expr, ty, amount, location),
            Some(Note::Compound { ty, amount, location, late }) => self.compound(expr, ty, amount, location, late),
            Some(Note::Operation { call, ty, location, late, .. }) => {
                self.operator_of_any(expr, (call, ty), location, late)
            }
            Some(Note::Loop { location }) => self.count_iterations(expr, location),
            Some(Note::Step { location }) => self.step(expr, location),
            Some(Note::Method { receiver, location, by_reference }) => {
                self.method(expr, receiver, location, by_reference)
            }
            Some(Note::BuiltIn { by_reference }) => self.built_in(expr, by_reference),
            Some(Note::Compared { late }) => self.compared(expr, late),
            Some(Note::MethodPath { receiver, location }) => self.method_path(expr, receiver, location),
            Some(Note::Unwrap { location, by_reference, held }) => self.unwrap(expr, location, by_reference, held),
            Some(Note::Call { call, by_reference, .. }) => self.call(expr, call, by_reference),
            Some(Note::Fault { code, location }) => self.fault(expr, code, location),
            Some(Note::Print) => self.print(expr),
            Some(Note::Return) => call::leave(expr),
            Some(Note::OfBoth { result, known }) => place::of_both(expr, result, known),
            Some(Note::ReturnError) => call::leave_with_error(expr),
            Some(Note::Erased) => place::erase(expr),
            Some(Note::Total) => place::total(expr),
            Some(Note::Copied) => place::copy(expr),
            Some(Note::List { count }) => call::list(expr, count),
            Some(Note::Array) => *expr = syn::parse_quote!(&#expr),
            Some(Note::Comparison { ty }) => self.comparison(expr, ty),
            // These have returned.
            _ => {}
        }
    }
}

impl Rewriter<'_> {
    /// Returns the scalar, if reached code depends on it.
    fn answer(&self, ty: TyId) -> Option<Scalar> {
        self.infer.answer(ty)
    }

    /// Returns the type, if all of it is known.
    fn known(&self, ty: TyId, span: proc_macro2::Span) -> Option<TokenStream> {
        if let Some(scalar) = self.answer(ty) {
            return Some(type_name(scalar, span));
        }
        match self.infer.class(ty) {
            Class::Unit => Some(quote_spanned!(span=> ())),
            Class::Tuple(parts) => {
                let parts: Option<Vec<_>> = parts.iter().map(|part| self.known(*part, span)).collect();
                parts.map(|parts| quote_spanned!(span=> (#(#parts,)*)))
            }
            Class::Array(element, Length::Known(length)) => {
                let length = Literal::u64_unsuffixed(*length);
                self.known(*element, span).map(|element| quote_spanned!(span=> [#element; #length]))
            }
            Class::Option(inner) => {
                self.known(*inner, span).map(|inner| quote_spanned!(span=> ::core::option::Option<#inner>))
            }
            Class::Result(ok, err) => {
                let (ok, err) = (self.known(*ok, span)?, self.known(*err, span)?);
                Some(quote_spanned!(span=> ::core::result::Result<#ok, #err>))
            }
            _ => None,
        }
    }

    /// Returns the number of a location: in a function for transactions, it counts from an offset that the call passes.
    fn location(&self, location: LocationId) -> TokenStream {
        let number = Literal::u32_suffixed(self.locations.get(location).map_or(0, |s| s.0));
        match self.tx.form {
            Form::Transaction => number.to_token_stream(),
            Form::Function { .. } => quote!(stm_base + #number),
        }
    }

    /// Returns a method that can fault on this receiver; rustc decides about types that are known later.
    fn faulting(&self, name: &Ident, receiver: TyId) -> Option<TokenStream> {
        let (name, span) = (name.to_string(), generated(name.span()));
        match self.answer(receiver) {
            Some(scalar) => {
                let faults = Method::find(&name, scalar).is_some_and(|method| method.faults != Faults::Never);
                faults.then(|| type_name(scalar, span))
            }
            None if METHODS.iter().any(|m| m.name == name && m.faults != Faults::Never) => {
                Some(quote_spanned!(span=> _))
            }
            None => None,
        }
    }

    fn method(&mut self, expr: &mut Expr, receiver: TyId, location: LocationId, by_reference: bool) {
        let Expr::MethodCall(node) = &*expr else { return };
        let Some(ty) = self.faulting(&node.method, receiver) else { return };
        self.checked = true;
        let (name, span) = (&node.method, generated(node.method.span()));
        let (value, args, location) = (receiver_of(node, by_reference), node.args.iter(), self.location(location));
        *expr = Expr::Verbatim(quote_spanned! {span=>
            ::stm_runtime::__private::ops::#name::<#ty, STM_CHECKED>(#value, #(#args,)* #location)?
        });
    }

    fn method_path(&mut self, expr: &mut Expr, receiver: TyId, location: LocationId) {
        let Expr::Call(node) = &*expr else { return };
        let Expr::Path(path) = &*node.func else { return };
        let Some(name) = path.path.segments.last().map(|s| s.ident.clone()) else { return };
        let Some(ty) = self.faulting(&name, receiver) else { return };
        self.checked = true;
        let (args, location, span) = (node.args.iter(), self.location(location), generated(name.span()));
        *expr = Expr::Verbatim(quote_spanned! {span=>
            ::stm_runtime::__private::ops::#name::<#ty, STM_CHECKED>(#(#args,)* #location)?
        });
    }

    fn unwrap(&self, expr: &mut Expr, location: LocationId, by_reference: bool, held: bool) {
        let Expr::MethodCall(node) = &*expr else { return };
        let (value, location, span) =
            (receiver_of(node, by_reference), self.location(location), generated(node.method.span()));
        let unwrap = Ident::new(if held { "unwrap_held" } else { "unwrap" }, span);
        *expr = Expr::Verbatim(quote_spanned!(span=> ::stm_runtime::__private::local::#unwrap(#value, #location)?));
    }

    fn fault(&self, expr: &mut Expr, code: FaultCode, location: LocationId) {
        let (location, span) = (self.location(location), generated(expr.span()));
        let code = Ident::new(&format!("{code:?}"), span);
        *expr = Expr::Verbatim(quote_spanned! {span=>
            return ::core::result::Result::Err(::stm_runtime::__private::local::fault(::stm_runtime::FaultCode::#code, #location))
        });
    }

    fn print(&self, expr: &mut Expr) {
        let Expr::Call(node) = &*expr else { return };
        let (tx, span) = (self.handle, generated(node.func.span()));
        let Some((format, values)) = node.args.iter().collect::<Vec<_>>().split_first().map(|(f, v)| (*f, v.to_vec()))
        else {
            return;
        };
        let names: Vec<_> = (0..values.len()).map(|k| Ident::new(&format!("stm_{k}"), span)).collect();
        // The values may use `tx`, which is borrowed when its method is called.
        *expr = Expr::Verbatim(call::in_block(
            &quote_spanned! {span=>
                #(let #names = #values;)*
                #tx.stm_print(::core::format_args!(#format #(, #names)*));
            },
            span,
        ));
    }

    fn suffix(&self, expr: &mut Expr, ty: TyId) {
        let Some(scalar) = self.answer(ty) else { return };
        if let Expr::Lit(ExprLit { lit, .. }) = expr {
            let text = match &*lit {
                Lit::Int(int) => format!("{int}{}", scalar.rust()),
                Lit::Float(float) if float.to_string().ends_with('.') => format!("{float}0{}", scalar.rust()),
                Lit::Float(float) => format!("{float}{}", scalar.rust()),
                _ => return,
            };
            if let Ok(mut literal) = text.parse::<Literal>() {
                literal.set_span(lit.span());
                *lit = Lit::new(literal);
            }
        }
    }

    fn verb(&self, expr: &mut Expr, location: LocationId, nested: bool, yields: Option<Yields>) {
        let Expr::MethodCall(call) = &mut *expr else { return };
        let span = call.method.span();
        call.method = Ident::new(&format!("{}_at", call.method), span);
        if let Some(yields) = yields {
            let ty = self.yielded(yields, span);
            call.turbofish = syn::parse2(quote_spanned!(span=> ::<#ty>)).ok();
        }
        let location = self.location(location);
        if !nested {
            call.args.push(Expr::Verbatim(location));
            return;
        }
        // `tx` is borrowed when its method is called, so arguments that use it are evaluated first.
        let (handle, method, turbofish) = (&call.receiver, &call.method, &call.turbofish);
        let mixed = generated(span);
        let mut lets = TokenStream::new();
        let mut args = Vec::new();
        for (k, arg) in call.args.iter().enumerate() {
            let name = Ident::new(&format!("stm_{k}"), mixed);
            lets.extend(quote_spanned!(mixed=> let #name = #arg;));
            args.push(name);
        }
        // This is a call, because a block that starts a statement cannot be followed by `?`.
        let tokens = quote_spanned! {mixed=>
            ::core::convert::identity({ #lets #handle.#method #turbofish (#(#args,)* #location) })
        };
        *expr = Expr::Verbatim(tokens);
    }

    fn yielded(&self, yields: Yields, span: proc_macro2::Span) -> TokenStream {
        let ty = match yields {
            Yields::Result => self.tx.result,
            Yields::Inferred(ty) => ty,
        };
        match self.infer.class(ty) {
            Class::Any | Class::Dead if !self.infer.is_later(ty) => quote_spanned!(span=> ()),
            _ => self.known(ty, span).unwrap_or_else(|| quote_spanned!(span=> _)),
        }
    }

    fn operator(&mut self, expr: &mut Expr, ty: TyId, amount: Option<TyId>, location: LocationId) {
        let tokens = match &*expr {
            Expr::Binary(node) => {
                let operands = [argument(&node.left), argument(&node.right)];
                self.op(&node.op, ty, amount, location, &operands)
            }
            Expr::Unary(node) => self.op(&node.op, ty, amount, location, &[argument(&node.expr)]),
            _ => None,
        };
        if let Some(tokens) = tokens {
            *expr = Expr::Verbatim(tokens);
        }
    }

    fn compound(&mut self, expr: &mut Expr, ty: TyId, amount: Option<TyId>, location: LocationId, late: bool) {
        let Expr::Binary(node) = &*expr else { return };
        let (left, right, span) = (&node.left, &node.right, generated(node.op.span()));
        let tokens = if late {
            let value = Ident::new("stm_value", span);
            let call = self.op(&node.op, ty, amount, location, &[argument(left), value.to_token_stream()]);
            call.map(|call| quote_spanned!(span=> { let #value = #right; #left = #call; }))
        } else {
            let call = self.op(&node.op, ty, amount, location, &[argument(left), argument(right)]);
            call.map(|call| quote_spanned!(span=> #left = #call))
        };
        if let Some(tokens) = tokens {
            *expr = Expr::Verbatim(tokens);
        }
    }

    /// Returns the call that stands for an operator; `None` for floats, which cannot fault.
    fn op(
        &mut self,
        op: &(impl ToTokens + Spanned),
        ty: TyId,
        amount: Option<TyId>,
        location: LocationId,
        operands: &[TokenStream],
    ) -> Option<TokenStream> {
        let span = generated(op.span());
        let name = |ty: TyId| self.answer(ty).map_or_else(|| quote_spanned!(span=> _), |s| type_name(s, span));
        if self.answer(ty).is_some_and(|s| !s.is_int()) {
            return None;
        }
        let word = match (op.to_token_stream().to_string().trim_end_matches('='), operands.len()) {
            ("-", 1) => "neg",
            ("+", _) => "add",
            ("-", _) => "sub",
            ("*", _) => "mul",
            ("/", _) => "div",
            ("%", _) => "rem",
            ("<<", _) => "shl",
            (">>", _) => "shr",
            _ => return None,
        };
        let (word, ty) = (Ident::new(word, span), name(ty));
        let amount = amount.map(name).map(|a| quote_spanned!(span=> #a,));
        self.checked = true;
        let location = self.location(location);
        Some(quote_spanned! {span=>
            ::stm_runtime::__private::ops::#word::<#ty, #amount STM_CHECKED>(#(#operands,)* #location)?
        })
    }
}

/// Returns an operand as an argument, without its parentheses, about which rustc would warn.
fn argument(expr: &Expr) -> TokenStream {
    match expr {
        Expr::Paren(inner) => argument(&inner.expr),
        other => other.to_token_stream(),
    }
}

/// Returns the receiver of a method as an argument: a method call dereferences automatically, a function call does not.
fn receiver_of(call: &syn::ExprMethodCall, by_reference: bool) -> TokenStream {
    let value = argument(&call.receiver);
    if by_reference { quote_spanned!(generated(call.method.span())=> *#value) } else { value }
}

/// Returns the span of a user's token for a generated token: messages point there, and lints know that it is generated.
fn generated(span: proc_macro2::Span) -> proc_macro2::Span {
    proc_macro2::Span::mixed_site().located_at(span)
}

/// Returns a scalar's name that no `use` can shadow.
fn type_name(scalar: Scalar, span: proc_macro2::Span) -> TokenStream {
    let name = Ident::new(scalar.rust(), span);
    quote_spanned!(span=> #name)
}
