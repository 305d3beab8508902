//! Calls: functions of the user's program, constructors, and associated functions of the scalar types.

use quote::quote;
use syn::{Expr, ExprCall, ExprPath, Path, Type};

use super::checks::TypeCheck;
use super::compound::variant_of;
use super::defaults::is_default;
use super::external::Called;
use super::lower::{Lowered, Lowering, Resolution};
use super::notes::Note;
use super::part::part_of;
use super::perhaps_own::is_of_std;
use super::place::member;
use super::source_span::At;
use super::text;
use super::tree::{BAD, GOOD, INTO, ORDERED, PRINT, strip};
use super::types::scalar;
use crate::front::diag::Rule;
use crate::infer::Class;
use crate::ir::ArrayId;
use crate::ir::open::{Arg, Atom, Rvalue, StmtKind, TyId};
use crate::methods::{ASSOCIATED, INEXACT, METHODS, MethodResult};
use crate::spec::{LocationKind, Scalar};

impl Lowering<'_> {
    /// Parses `f(..)`; `tries`: a `?` follows.
    pub(super) fn call(&mut self, whole: &Expr, node: &ExprCall, tries: bool) -> Lowered {
        let args: Vec<&Expr> = node.args.iter().collect();
        let path = match strip(&node.func) {
            Expr::Path(ExprPath { qself: None, path, .. }) => path,
            Expr::Path(ExprPath { qself: Some(of), path, .. }) => {
                let Some(name) = path.segments.last() else { return Lowered::Failed };
                if is_default(path) && args.is_empty() {
                    let ty = self.written_type(&of.ty);
                    return Lowered::Atom(self.temp(Rvalue::Default, ty, whole));
                }
                if let Some(segments) = built_in_segments(of, &name.ident) {
                    return self.scalar_function(whole, path, &segments, &args).unwrap_or(Lowered::Failed);
                }
                let called = self.associated_call(whole, ((*of.ty).clone(), &name.ident), &args, tries);
                if !matches!(called, Lowered::Failed)
                    && let Some(site) = self.external.calls.last_mut()
                {
                    site.of_trait = own_trait(of, path);
                }
                return called;
            }
            _ => return self.refuse(&node.func, "a call of anything but a named function", "name a `#[gpu_fn]`"),
        };
        let segments: Vec<String> = path.segments.iter().map(|s| text::plain(&s.ident)).collect();
        let last = segments.last().map(String::as_str).unwrap_or_default();
        if let Some(value) = self.scalar_function(whole, path, &segments, &args) {
            return value;
        }
        match last {
            // The use determines the type.
            "default" if is_default(path) && args.is_empty() => {
                let ty = self.infer.fresh(Class::Any);
                Lowered::Atom(self.temp(Rvalue::Default, ty, whole))
            }
            "from" if args.len() == 1 && self.signature.depends(&quote!(#path)).is_some() => {
                let of = of_type(path).map_or(syn::parse_quote!(_), |(of, _)| of);
                let (operand, ty) = (self.scalar(args[0]), self.written_type(&of));
                Lowered::Atom(self.temp(Rvalue::Cast(operand, ty), ty, whole))
            }
            INTO => match of_type(path) {
                Some((of, _)) => self.converted_to(whole, of, args[0]),
                None => Lowered::Failed,
            },
            _ if variant_of(path).is_some() => self.tuple_record(whole, path, &args),
            "Some" => self.some(whole, &args),
            PRINT => self.print(whole, node),
            ORDERED => self.ordered(whole, node),
            GOOD if self.of_results.last() == Some(&true) => self.result_value(whole, "Ok", &args),
            GOOD => self.some(whole, &args),
            BAD if self.of_results.last() == Some(&true) => self.result_value(whole, "Err", &args),
            BAD => self.none(whole, None),
            "Ok" | "Err" => self.result_value(whole, last, &args),
            _ if segments.len() == 1 && self.signature.owner.is_none() && self.signature.name == last => {
                self.calls_itself(whole, last)
            }
            _ if last.chars().next().is_some_and(char::is_uppercase) => self.tuple_record(whole, path, &args),
            _ if is_foreign(&segments) => self.foreign_call(whole, node, path),
            _ if self.bound(&node.func).is_some() => self.refuse(whole, "a call of a variable", "name a `#[gpu_fn]`"),
            _ => match of_type(path) {
                Some((ty, name)) => self.associated_call(whole, (ty, name), &args, tries),
                None => self.user_call(whole, Called::Function(path.clone()), None, &args, tries),
            },
        }
    }

    /// Parses a call of a function of another crate: `std::mem::swap(a, b)` of names of references.
    fn foreign_call(&mut self, whole: &Expr, node: &ExprCall, path: &Path) -> Lowered {
        let is_exclusive = |name: &Expr| self.is_reference(name) == Some(true);
        if let Some(assignments) = super::exchanged::written_out(node, is_exclusive) {
            return self.expr(&assignments, None);
        }
        let name = text::source(path).replace("::< ", "::<").replace(" >", ">");
        let message = format!(
            "`{name}` cannot be called on the device: it calls free functions with `#[gpu_fn]`; write one, or compute the \
             value before the call and pass it"
        );
        self.diags.report(Rule::Call, whole, message);
        Lowered::Failed
    }

    /// Returns whether the expression is `tx`, or `&mut *tx`.
    pub(super) fn passes_handle(&self, expr: &Expr) -> bool {
        match strip(expr) {
            Expr::Reference(node) if node.mutability.is_some() => match strip(&node.expr) {
                Expr::Unary(inner) if matches!(inner.op, syn::UnOp::Deref(_)) => self.is_tx(&inner.expr),
                _ => false,
            },
            other => self.is_tx(other),
        }
    }

    pub(super) fn argument(&mut self, expr: &Expr, later: &[&Expr]) -> Option<(Arg, TyId)> {
        if let Expr::Reference(node) = strip(expr)
            && node.mutability.is_some()
        {
            let place = self.place(&node.expr)?;
            return Some((Arg::Place(place.var, place.steps), place.ty));
        }
        if let Some(Resolution::Place(var)) = self.bound(expr) {
            let ty = self.vars[var.0 as usize].ty;
            let arg = match self.vars[var.0 as usize].mutable {
                true => Arg::Place(var, Vec::new()),
                false => Arg::Value(Atom::Var(var)),
            };
            return Some((arg, ty));
        }
        if let Some(Resolution::Alias(alias)) = self.bound(expr) {
            let place = self.aliases[alias].clone();
            return Some((Arg::Place(place.var, place.steps), place.ty));
        }
        if let Some(place) = self.chosen_argument(expr) {
            let place = place?;
            return Some((Arg::Place(place.var, place.steps), place.ty));
        }
        if self.is_array(expr) {
            let (array, fields, ty) = self.array_path(expr)?;
            return Some((Arg::Array(array, fields), ty));
        }
        let atom = match strip(expr) {
            // The device copies what `&` refers to.
            Expr::Reference(node) => match part_of(&node.expr) {
                Some(part) => self.part(&node.expr, part),
                None => self.operand(&node.expr),
            },
            _ => {
                let value = self.expr(expr, None);
                self.unit_or(value, expr)
            }
        };
        let atom = self.settle(atom, expr, later.iter().copied());
        if let Some((array, element)) = self.named_array(&atom, expr) {
            return Some((Arg::Array(array, Vec::new()), element));
        }
        let ty = self.type_of(&atom);
        Some((Arg::Value(atom), ty))
    }

    /// Returns an array parameter, or a field of one: `rooms`, `&rooms.free`.
    pub(super) fn array_path(&mut self, expr: &Expr) -> Option<(ArrayId, Vec<String>, TyId)> {
        if let Some(element) = self.named_element(expr) {
            let value = self.operand(expr);
            return Some((self.named_now(value, expr)?, Vec::new(), element));
        }
        match strip(expr) {
            Expr::Reference(node) => self.array_path(&node.expr),
            Expr::Field(node) => {
                let (array, mut fields, of) = self.array_path(&node.base)?;
                let name = member(&node.member);
                let ty = self.field_type(of, &name);
                fields.push(name);
                Some((array, fields, ty))
            }
            Expr::Index(node) => {
                if !self.has_arrays(&node.expr) {
                    return None;
                }
                let (array, mut fields, of) = self.array_path(&node.expr)?;
                let Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(k), .. }) = strip(&node.index) else {
                    return Some(self.chosen_array(strip(expr), &node.index, (array, fields, of)));
                };
                let name = format!("[{}]", k.base10_parse::<u64>().ok()?);
                let ty = self.field_type(of, &name);
                fields.push(name);
                Some((array, fields, ty))
            }
            other => match self.bound(other)? {
                Resolution::Array(array) => Some((array, Vec::new(), self.vars[array.0 as usize].ty)),
                _ => None,
            },
        }
    }

    /// Returns the element of an array of arrays that an index chooses.
    fn chosen_array(
        &mut self,
        whole: &Expr,
        at: &Expr,
        (array, fields, of): (ArrayId, Vec<String>, TyId),
    ) -> (ArrayId, Vec<String>, TyId) {
        let index = self.scalar(at);
        let index = self.freeze(index, at);
        self.expect(Scalar::Usize, &index, at, "the index of an array of arrays");
        let location = self.location(LocationKind::Element, text::of_expr(whole), whole);
        self.notes.expr(whole, Note::Element { location });
        let element = self.element_type(of);
        let var = self.var(None, element, false);
        self.push(StmtKind::Choose { var, array, fields, index, location }, whole);
        (ArrayId(var.0), Vec::new(), element)
    }

    /// Parses `u64::from(x)`, `f32::from_bits(x)`, `u32::max(a, b)` or `std::cmp::min(a, b)`; `None` for any other call.
    fn scalar_function(&mut self, whole: &Expr, path: &Path, segments: &[String], args: &[&Expr]) -> Option<Lowered> {
        let names: Vec<&str> = segments.iter().map(String::as_str).collect();
        if let ["std" | "core", "cmp", name @ ("min" | "max")] | ["Ord", name @ ("min" | "max")] = names.as_slice() {
            let any = self.infer.fresh(Class::Any);
            return Some(self.method_path(whole, name, any, args));
        }
        if let ["char", name] | ["std" | "core", "char", name] = names.as_slice() {
            return Some(self.char_of(whole, name, args));
        }
        let [ty, name] = names.as_slice() else { return None };
        let scalar = Scalar::from_rust(ty)?;
        let ty = self.known(scalar);
        if *name == "from"
            && let [argument] = args
        {
            let operand = self.scalar(argument);
            let from = self.type_of(&operand);
            self.checks.operators.push((TypeCheck::From(from, ty), whole.source_span()));
            return Some(Lowered::Atom(self.temp(Rvalue::Cast(operand, ty), ty, whole)));
        }
        if let "from_le_bytes" | "from_be_bytes" | "from_ne_bytes" = *name {
            return Some(self.number_of(whole, name, scalar, args));
        }
        if let Some(function) = ASSOCIATED.iter().find(|m| m.name == *name && m.on.has(scalar)) {
            return Some(self.associated_function(whole, function, scalar, args));
        }
        if METHODS.iter().any(|m| m.name == *name && m.on.has(scalar)) {
            return Some(self.method_path(whole, name, ty, args));
        }
        let what = text::source(path);
        let message = match INEXACT.contains(name) {
            true => super::method::inexact(&what),
            false => format!("`{what}` has no meaning on the device; {}", super::method::hint(name)),
        };
        self.diags.report(Rule::Method, path, message);
        Some(Lowered::Failed)
    }

    fn associated_function(
        &mut self,
        whole: &Expr,
        function: &crate::methods::Method,
        scalar: Scalar,
        args: &[&Expr],
    ) -> Lowered {
        if args.len() != function.args.len() {
            self.wrong_count(whole, function.name, function.args.len());
            return Lowered::Failed;
        }
        let atoms = self.values(args.iter().copied());
        for ((atom, operand), expr) in atoms.iter().zip(function.args).zip(args) {
            let (want, have) = (self.known(operand.of(scalar)), self.type_of(atom));
            let name = function.name;
            self.same(want, have, *expr, |want, have| format!("`{name}` takes {want} here, but this is {have}"));
        }
        let MethodResult::One(result) = function.result else { return Lowered::Failed };
        let result = self.known(result.of(scalar));
        let location = self.location(LocationKind::Arithmetic, text::of_expr(whole), whole);
        let name = format!("{}::{}", scalar.rust(), function.name);
        Lowered::Atom(self.temp(Rvalue::Method(name, atoms, location), result, whole))
    }

    /// Parses a method that is called as an associated function: `u32::pow(a, b)`.
    fn method_path(&mut self, whole: &Expr, name: &str, receiver: TyId, args: &[&Expr]) -> Lowered {
        if args.is_empty() {
            self.wrong_count(whole, name, 1);
            return Lowered::Failed;
        }
        let atoms = self.values(args.iter().copied());
        let have = self.type_of(&atoms[0]);
        if !self.same(receiver, have, args[0], |want, have| format!("`{name}` takes {want} here, but this is {have}")) {
            return Lowered::Failed;
        }
        self.method_call(whole, whole, name, atoms, args, true)
    }

    pub(super) fn wrong_count(&mut self, whole: &Expr, name: &str, count: usize) {
        let plural = if count == 1 { "" } else { "s" };
        self.diags.report(Rule::Method, whole, format!("`{name}` takes {count} argument{plural}"));
    }
}

/// Returns whether the path certainly names something of the standard library.
fn is_foreign(segments: &[String]) -> bool {
    const TYPES: [&str; 11] =
        ["Vec", "Box", "String", "Rc", "Arc", "HashMap", "Option", "Result", "Default", "Iterator", "Some"];
    let of_type = segments.len() > 1 && TYPES.contains(&segments[segments.len() - 2].as_str());
    of_type || (segments.len() > 1 && matches!(segments[0].as_str(), "std" | "core" | "alloc"))
}

/// Returns the names in `<u32>::from`, a function of the language for a number or a letter. `Self` is written out in this form, and may
/// have functions of the program's traits, too.
fn built_in_segments(of: &syn::QSelf, name: &syn::Ident) -> Option<[String; 2]> {
    let (ty, name) = (text::source(&of.ty), text::plain(name));
    let known = match scalar(&of.ty) {
        Some(on) => {
            matches!(name.as_str(), "from" | "from_le_bytes" | "from_be_bytes" | "from_ne_bytes")
                || ASSOCIATED.iter().chain(METHODS).any(|method| method.name == name && method.on.has(on))
        }
        None => ty == "char" && matches!(name.as_str(), "from" | "from_u32" | "from_digit"),
    };
    (known && of.position == 0).then_some([ty, name])
}

/// Returns the trait in `<Type as Trait>::function`, without arguments, unless it is one of the standard library.
fn own_trait(of: &syn::QSelf, path: &Path) -> Option<Path> {
    let mut segments: Vec<_> = path.segments.iter().take(of.position).cloned().collect();
    segments.iter_mut().for_each(|segment| segment.arguments = syn::PathArguments::None);
    let path = Path { leading_colon: path.leading_colon, segments: segments.into_iter().collect() };
    Some(path).filter(|path| !path.segments.is_empty() && !is_of_std(path))
}

/// Returns the type and the function of `Type::function`: types begin with a capital letter.
fn of_type(path: &Path) -> Option<(Type, &syn::Ident)> {
    let mut of = path.clone();
    of.segments.pop();
    of.segments.pop_punct();
    let last = of.segments.last()?;
    let capital = text::plain(&last.ident).starts_with(char::is_uppercase);
    let of = Type::Path(syn::TypePath { attrs: Vec::new(), qself: None, path: of });
    capital.then_some(of).zip(path.segments.last().map(|segment| &segment.ident))
}
