//! Patterns: a test without effects, and the variables that a match binds.

use syn::{Expr, ExprLit, ExprUnary, Pat, PatIdent, PatRange, PatStruct, PatTuple, PatTupleStruct, RangeLimits};

use super::compound::{field_of, variant_of};
use super::lower::{Lowered, Lowering, Resolution};
use super::place::member;
use super::tree::{BAD, GOOD, is_constant, names};
use super::{signature, text};
use crate::front::diag::{Rule, SourceSpan};
use crate::infer::Class;
use crate::ir::open::{Atom, Rvalue, Step, StmtKind, TyId};
use crate::ir::{Compare, Logic};
use crate::spec::Scalar;

impl Lowering<'_> {
    /// Returns whether a value matches; `None` where it always does.
    pub(super) fn test(&mut self, pat: &Pat, value: &Atom) -> Option<Atom> {
        match pat {
            Pat::Paren(inner) => self.test(&inner.pat, value),
            Pat::Type(inner) => self.test(&inner.pat, value),
            Pat::Reference(inner) if inner.mutability.is_none() => self.test(&inner.pat, value),
            Pat::Wild(_) | Pat::Rest(_) => None,
            Pat::Ident(ident) => match (&ident.subpat, is_constant(ident)) {
                (Some((_, inner)), _) => self.test(inner, value),
                (None, true) if ident.ident == "None" => self.option_test(pat, value, false),
                (None, true) => self.constant_test(pat, &ident_expr(ident), value),
                (None, false) => None,
            },
            Pat::Lit(lit) => {
                let expr = Expr::Lit(lit.clone());
                self.literal_test(pat, &expr, value)
            }
            Pat::Range(range) => self.range_test(pat, range, value),
            Pat::Path(path) if path.path.is_ident("None") => self.option_test(pat, value, false),
            Pat::Path(path) => self.constant_test(pat, &Expr::Path(path.clone()), value),
            Pat::TupleStruct(node) if self.holder(node).is_some() => {
                let holder = self.holder(node)?;
                self.holder_test(pat, node, holder, value)
            }
            Pat::TupleStruct(PatTupleStruct { path, .. }) | Pat::Struct(PatStruct { path, .. })
                if self.variant(path).is_some() =>
            {
                let is_variant = self.variant_test(pat, path, value)?;
                let parts = self.parts(pat, value)?;
                let inner = self.all(parts, pat);
                self.fold([Some(is_variant), inner].into_iter().flatten().collect(), Logic::And, pat)
            }
            Pat::Slice(node) if self.is_part(value) => self.slice_test(pat, node, value),
            Pat::Tuple(_) | Pat::TupleStruct(_) | Pat::Struct(_) | Pat::Slice(_) => {
                let parts = self.parts(pat, value)?;
                self.all(parts, pat)
            }
            Pat::Or(or) => {
                let tests: Vec<Option<Atom>> = or.cases.iter().map(|case| self.test(case, value)).collect();
                self.fold(tests.into_iter().collect::<Option<Vec<Atom>>>()?, Logic::Or, pat)
            }
            other => {
                self.bad_pattern(other);
                None
            }
        }
    }

    /// Declares the variables of a pattern that is known to match.
    pub(super) fn bind_pattern(&mut self, pat: &Pat, value: &Atom) {
        match pat {
            Pat::Paren(inner) => self.bind_pattern(&inner.pat, value),
            Pat::Type(inner) => {
                let (want, have) = (self.written_type(&inner.ty), self.type_of(value));
                self.same_pattern(want, have, &inner.pat, |want, have| {
                    format!("the pattern is {want}, but the value is {have}")
                });
                self.bind_pattern(&inner.pat, value);
            }
            Pat::Reference(inner) if inner.mutability.is_none() => {
                if !self.examines_references {
                    let message = "values are copied, so there is nothing to take a reference of; remove the `&`";
                    self.diags.report(Rule::Pattern, pat, message);
                }
                self.bind_pattern(&inner.pat, value);
            }
            Pat::Ident(ident) if ident.subpat.is_none() && is_constant(ident) => {}
            Pat::Ident(ident) => {
                if self.names_rest(ident, value, pat) {
                    return;
                }
                if !self.names_place(ident, value) {
                    self.bind_name(ident, value);
                }
                if let Some((_, inner)) = &ident.subpat {
                    self.bind_pattern(inner, value);
                }
            }
            Pat::TupleStruct(node) if self.holder(node).is_some() => {
                let first = node.elems.first().filter(|first| !matches!(first, Pat::Wild(_)));
                if let Some((first, holder)) = first.zip(self.holder(node).filter(|holder| *holder != Holder::None)) {
                    let inner = self.held(holder, value, pat);
                    self.bind_pattern(first, &inner);
                }
            }
            Pat::Tuple(_) | Pat::TupleStruct(_) | Pat::Struct(_) | Pat::Slice(_) => {
                for (inner, part) in self.parts(pat, value).unwrap_or_default() {
                    self.bind_pattern(inner, &part);
                }
            }
            Pat::Or(or) if binds(pat) => self.bind_alternatives(or, value),
            Pat::Or(_) => {}
            refused => {
                for name in names(refused) {
                    self.bind(name, Resolution::Refused);
                }
            }
        }
    }

    fn bind_name(&mut self, ident: &PatIdent, value: &Atom) {
        if let (Some(token), Some(_)) = (&ident.by_ref, &ident.mutability) {
            let message = "`ref mut` has no meaning here, because the value is a copy; assign to the place itself";
            self.diags.report(Rule::Pattern, token, message);
        }
        signature::check_name(&ident.ident, self.diags);
        let name = text::plain(&ident.ident);
        let ty = self.type_of(value);
        let var = self.var(Some(name.clone()), ty, ident.mutability.is_some());
        if self.examines_references || ident.by_ref.is_some() {
            self.referring.insert(var);
        }
        self.push(StmtKind::Let { var, value: Rvalue::Use(value.clone()) }, &ident.ident);
        self.checks.named.push((name.clone(), ident.mutability.is_some(), ty, SourceSpan::of(&ident.ident)));
        self.bind(text::key(&ident.ident), Resolution::Var(var));
    }

    /// Returns the parts of a tuple or record that a pattern examines.
    fn parts<'p>(&mut self, pat: &'p Pat, value: &Atom) -> Option<Vec<(&'p Pat, Atom)>> {
        let of = self.type_of(value);
        match pat {
            Pat::Tuple(PatTuple { elems, .. }) => {
                let elems: Vec<&Pat> = elems.iter().collect();
                self.tuple_type(&elems, of, pat);
                self.positions(&elems, (of, None), value)
            }
            Pat::TupleStruct(PatTupleStruct { path, elems, .. }) => {
                let variant = self.record_pattern(path, of, pat);
                let elems: Vec<&Pat> = elems.iter().collect();
                self.positions(&elems, (of, variant.as_deref()), value)
            }
            Pat::Slice(node) => self.elements_of(node, of, value),
            Pat::Struct(PatStruct { path, fields, .. }) => {
                let variant = self.record_pattern(path, of, pat);
                let part = |this: &mut Self, field: &'p syn::FieldPat| {
                    let name = field_of(variant.as_deref(), &member(&field.member));
                    let ty = this.field_type(of, &name);
                    let part = (Rvalue::Field(value.clone(), name.clone()), Step::Field(name));
                    (&*field.pat, this.examined_part(value, part, ty, &field.pat))
                };
                Some(fields.iter().map(|field| part(self, field)).collect())
            }
            _ => None,
        }
    }

    /// Takes the number of parts from the pattern, if it has no `..`.
    fn tuple_type(&mut self, elems: &[&Pat], of: TyId, pat: &Pat) {
        if elems.is_empty() || elems.iter().any(|e| matches!(e, Pat::Rest(_))) {
            return;
        }
        let parts = elems.iter().map(|_| self.infer.fresh(Class::Any)).collect();
        let tuple = self.infer.fresh(Class::Tuple(parts));
        self.same_pattern(of, tuple, pat, |value, pattern| {
            format!("the value is {value}, but the pattern is {pattern}")
        });
    }

    fn positions<'p>(
        &mut self,
        elems: &[&'p Pat],
        (of, variant): (TyId, Option<&str>),
        value: &Atom,
    ) -> Option<Vec<(&'p Pat, Atom)>> {
        let mut parts = Vec::new();
        for (k, elem) in elems.iter().enumerate() {
            if matches!(elem, Pat::Rest(_)) {
                if k + 1 != elems.len() {
                    let message = "`..` can only be at the end of a pattern here; name the parts before it with `_`";
                    self.diags.report(Rule::Pattern, elem, message);
                }
                break;
            }
            let name = field_of(variant, &k.to_string());
            let ty = self.field_type(of, &name);
            let part = (Rvalue::Field(value.clone(), name.clone()), Step::Field(name));
            parts.push((*elem, self.examined_part(value, part, ty, elem)));
        }
        Some(parts)
    }

    /// Determines the type of the value by the path of a pattern. Returns the variant that the path names.
    fn record_pattern(&mut self, path: &syn::Path, of: TyId, pat: &Pat) -> Option<String> {
        let (ty, variant) = match self.variant(path) {
            Some((Some(ty), variant)) => (self.named_variant(&ty, &variant, path), Some(variant)),
            Some((None, variant)) => return Some(variant),
            None => (self.record_type(None, path), None),
        };
        self.same(of, ty, pat, |value, _| format!("the value is {value}, which has no such pattern"));
        variant
    }

    fn variant_test(&mut self, pat: &Pat, path: &syn::Path, value: &Atom) -> Option<Atom> {
        let of = self.type_of(value);
        let variant = self.record_pattern(path, of, pat)?;
        let truth = self.known(Scalar::Bool);
        Some(self.temp(Rvalue::IsVariant(value.clone(), variant), truth, pat))
    }

    pub(super) fn all(&mut self, parts: Vec<(&Pat, Atom)>, at: &Pat) -> Option<Atom> {
        let tests: Vec<Atom> = parts.into_iter().filter_map(|(pat, part)| self.test(pat, &part)).collect();
        self.fold(tests, Logic::And, at)
    }

    fn fold(&mut self, tests: Vec<Atom>, op: Logic, at: &Pat) -> Option<Atom> {
        // The span is computed once for all of them, because that reads the whole pattern.
        let at = SourceSpan::of(at);
        tests.into_iter().reduce(|a, b| {
            let truth = self.known(Scalar::Bool);
            self.temp(Rvalue::Logic(op, a, b), truth, &at)
        })
    }

    fn holder_test(&mut self, pat: &Pat, node: &PatTupleStruct, holder: Holder, value: &Atom) -> Option<Atom> {
        let holds = match holder {
            Holder::Some => self.option_test(pat, value, true)?,
            Holder::None => return self.option_test(pat, value, false),
            _ => self.result_test(pat, value, holder == Holder::Ok),
        };
        let inner = match node.elems.iter().collect::<Vec<_>>().as_slice() {
            [inner] => *inner,
            _ => {
                let message = format!("`{holder:?}` has one value; write `{holder:?}(name)`");
                self.diags.report(Rule::Pattern, pat, message);
                return Some(holds);
            }
        };
        let part = self.held(holder, value, pat);
        match self.test(inner, &part) {
            Some(test) => self.fold(vec![holds, test], Logic::And, pat),
            None => Some(holds),
        }
    }

    /// Tests whether a `Result` is `Ok`, or `Err`.
    fn result_test(&mut self, pat: &Pat, value: &Atom, ok: bool) -> Atom {
        self.result_types(value, pat);
        let truth = self.known(Scalar::Bool);
        let is_ok = self.temp(Rvalue::IsSome(value.clone()), truth, pat);
        if ok {
            return is_ok;
        }
        let truth = self.known(Scalar::Bool);
        self.temp(Rvalue::Unary(crate::ir::UnaryOp::Not, is_ok, None), truth, pat)
    }

    /// Makes the type of a value a `Result`, and returns the types of its values.
    pub(super) fn result_types(&mut self, value: &Atom, at: &impl quote::ToTokens) -> (TyId, TyId) {
        let of = self.type_of(value);
        if let Class::Result(ok, err) = self.infer.class(of) {
            return (*ok, *err);
        }
        let (ok, err) = (self.infer.fresh(Class::Any), self.infer.fresh(Class::Any));
        if self.infer.is_later(of) {
            self.infer.mark_later(ok);
            self.infer.mark_later(err);
        }
        let result = self.infer.fresh(Class::Result(ok, err));
        self.same(of, result, at, |value, _| format!("the value is {value}, but a `Result` is needed here"));
        (ok, err)
    }

    fn holder(&self, node: &PatTupleStruct) -> Option<Holder> {
        let last = node.path.segments.last().filter(|_| variant_of(&node.path).is_none())?;
        let of_result = self.of_results.last() == Some(&true);
        Some(match last.ident.to_string().as_str() {
            "Some" => Holder::Some,
            "Ok" => Holder::Ok,
            "Err" => Holder::Err,
            GOOD => {
                if of_result {
                    Holder::Ok
                } else {
                    Holder::Some
                }
            }
            BAD => {
                if of_result {
                    Holder::Err
                } else {
                    Holder::None
                }
            }
            _ => return None,
        })
    }

    /// Returns what `Some`, `Ok` or `Err` holds.
    fn held(&mut self, holder: Holder, value: &Atom, at: &Pat) -> Atom {
        match holder {
            Holder::Some | Holder::None => self.inner(value, at),
            Holder::Ok => {
                let (ok, _) = self.result_types(value, at);
                let part = (Rvalue::Inner(value.clone()), Step::Field("Ok.0".to_owned()));
                self.examined_part(value, part, ok, at)
            }
            Holder::Err => {
                let (_, err) = self.result_types(value, at);
                let name = "Err.0".to_owned();
                self.examined_part(value, (Rvalue::Field(value.clone(), name.clone()), Step::Field(name)), err, at)
            }
        }
    }

    /// Tests whether an `Option` holds a value.
    fn option_test(&mut self, pat: &Pat, value: &Atom, some: bool) -> Option<Atom> {
        self.inner_type(value, pat);
        let truth = self.known(Scalar::Bool);
        let is_some = self.temp(Rvalue::IsSome(value.clone()), truth, pat);
        if some {
            return Some(is_some);
        }
        let truth = self.known(Scalar::Bool);
        Some(self.temp(Rvalue::Unary(crate::ir::UnaryOp::Not, is_some, None), truth, pat))
    }

    fn inner_type(&mut self, value: &Atom, at: &Pat) -> TyId {
        let of = self.type_of(value);
        if let Class::Option(inner) = self.infer.class(of) {
            return *inner;
        }
        let inner = self.infer.fresh(Class::Any);
        if self.infer.is_later(of) {
            self.infer.mark_later(inner);
        }
        let option = self.infer.fresh(Class::Option(inner));
        self.same(of, option, at, |value, _| format!("the value is {value}, but the pattern is an `Option`"));
        inner
    }

    fn inner(&mut self, value: &Atom, at: &Pat) -> Atom {
        let ty = self.inner_type(value, at);
        let part = (Rvalue::Inner(value.clone()), Step::Field("Some.0".to_owned()));
        let part = self.examined_part(value, part, ty, at);
        if let (Atom::Var(value), Atom::Var(part)) = (value, &part)
            && let Some(place) = self.elements.get(value).cloned()
        {
            self.places.insert(*part, place);
        }
        part
    }

    fn literal_test(&mut self, pat: &Pat, expr: &Expr, value: &Atom) -> Option<Atom> {
        let literal = self.bound_value(expr)?;
        self.compare(Compare::Eq, value, literal, pat)
    }

    fn constant_test(&mut self, pat: &Pat, expr: &Expr, value: &Atom) -> Option<Atom> {
        let constant = self.bound_value(expr)?;
        self.compare(Compare::Eq, value, constant, pat)
    }

    /// Returns a literal or constant of a pattern, which is not an expression of the tree that is rewritten.
    fn bound_value(&mut self, expr: &Expr) -> Option<Atom> {
        let value = match expr {
            Expr::Lit(ExprLit { lit, .. }) => self.literal_of(expr, lit, None),
            Expr::Unary(ExprUnary { expr: inner, op: syn::UnOp::Neg(_), .. }) => match &**inner {
                Expr::Lit(ExprLit { lit, .. }) => self.literal_of(inner, lit, Some(expr)),
                _ => Lowered::Failed,
            },
            Expr::Path(path) => match self.associated(path) {
                Some(value) => value,
                None => Lowered::Atom(self.constant(expr)),
            },
            other => self.refuse(other, "this expression in a pattern", "use a literal or a constant"),
        };
        match value {
            Lowered::Atom(atom) => Some(atom),
            _ => None,
        }
    }

    fn compare(&mut self, op: Compare, value: &Atom, with: Atom, pat: &Pat) -> Option<Atom> {
        let (want, have) = (self.type_of(value), self.type_of(&with));
        self.same_pattern(want, have, pat, |value, pattern| {
            format!("the value is {value}, but the pattern is {pattern}")
        });
        let truth = self.known(Scalar::Bool);
        Some(self.temp(Rvalue::Compare(op, value.clone(), with), truth, pat))
    }

    fn range_test(&mut self, pat: &Pat, range: &PatRange, value: &Atom) -> Option<Atom> {
        let upper = match range.limits {
            RangeLimits::HalfOpen(_) => Compare::Lt,
            RangeLimits::Closed(_) => Compare::Le,
        };
        let mut tests = Vec::new();
        for (bound, op) in [(&range.start, Compare::Ge), (&range.end, upper)] {
            if let Some(bound) = bound {
                let bound = self.bound_value(bound)?;
                tests.extend(self.compare(op, value, bound, pat));
            }
        }
        self.fold(tests, Logic::And, pat)
    }

    fn bad_pattern(&mut self, pat: &Pat) {
        let message = match pat {
            Pat::Reference(_) => {
                "values are copied, so a pattern changes nothing through `&mut`; assign to the place itself"
            }
            Pat::Macro(_) => "patterns cannot contain macros here; write the pattern itself",
            _ => {
                "this pattern has no meaning on the device; use names, literals, ranges, tuples, records, `Some` and `None`"
            }
        };
        self.diags.report(Rule::Pattern, pat, message);
    }
}

fn ident_expr(ident: &PatIdent) -> Expr {
    let ident = &ident.ident;
    syn::parse_quote!(#ident)
}

/// The variants that hold a value, of the types that the language knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    Some,
    /// `None` in a `match` of an `Option` or a `Result`.
    None,
    Ok,
    Err,
}

/// Returns whether the pattern is the variant of that name, with its values.
pub(crate) fn names_variant(pat: &Pat, name: &str) -> bool {
    matches!(pat, Pat::TupleStruct(node) if node.path.is_ident(name))
}

/// Returns whether the pattern declares a variable.
fn binds(pat: &Pat) -> bool {
    !names(pat).is_empty()
}
