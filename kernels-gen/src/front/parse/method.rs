//! Methods of scalars, arrays and `Option`.

use syn::{Expr, ExprMethodCall};

use super::letters::{is_of_char, is_of_letters};
use super::lower::{Lowered, Lowering};
use super::notes::Note;
use super::results::RESULT;
use super::source_span::At;
use super::text;
use crate::fault::FaultCode;
use crate::front::diag::{Rule, nearest};
use crate::infer::Class;
use crate::ir::LocationId;
use crate::ir::open::{Atom, Length, Relation, Rvalue, StmtKind, TyId};
use crate::methods::{BYTES, Faults, INEXACT, METHODS, Method, MethodResult, Operand};
use crate::spec::{LocationKind, Scalar};

/// The methods of `Option` that the device supports, and the number of their arguments.
pub(super) const OPTION: [(&str, usize); 9] = [
    ("is_some", 0),
    ("is_none", 0),
    ("unwrap", 0),
    ("expect", 1),
    ("unwrap_or", 1),
    ("unwrap_or_default", 0),
    ("or", 1),
    ("xor", 1),
    ("and", 1),
];

impl Lowering<'_> {
    /// Parses `receiver.method(..)` without `?` after it.
    pub(super) fn method(&mut self, whole: &Expr, call: &ExprMethodCall) -> Lowered {
        if self.is_tx(&call.receiver) {
            return self.verb_alone(whole, call);
        }
        let name = text::plain(&call.method);
        if self.is_array(&call.receiver) {
            return self.array_method(whole, call, &name);
        }
        if super::iterate::is_iterator(whole) {
            let message = "an iterator in a variable is used by `for`, `next`, `peek`, `clone` and methods that take all that is left, \
                           and nothing that it names is declared again; else write the whole chain where it is used";
            self.diags.report(Rule::Iterator, &call.method, message);
            return Lowered::Failed;
        }
        if let Some(turbofish) = &call.turbofish {
            self.diags.report(Rule::Method, turbofish, "the types are inferred; remove the `::<..>`");
        }
        if call.args.iter().any(|arg| matches!(arg, Expr::Closure(_))) {
            let message = format!(
                "`{name}` takes no closure here: methods of iterators and of `Option` do, with the arguments that they have in \
                 Rust; write out what it does, with `match`, `if let` or a loop"
            );
            self.diags.report(Rule::Method, &call.method, message);
            return Lowered::Failed;
        }
        if let ("take", true) | ("replace", false) = (name.as_str(), call.args.is_empty())
            && self.is_option_place(&call.receiver)
        {
            return self.exchange(whole, call);
        }
        if self.is_own(call) {
            return self.user_method(whole, call, false);
        }
        if let ("is_ok" | "is_err" | "ok" | "err", true) = (name.as_str(), call.args.is_empty()) {
            self.result_is_expected(&call.receiver);
        }
        self.perhaps_own(whole, call, &name).unwrap_or_else(|| {
            let receiver = self.operand(&call.receiver);
            let receiver = self.settle(receiver, &call.receiver, call.args.iter());
            self.method_of(whole, call, &name, receiver)
        })
    }

    /// Lowers a method of the language; the receiver is evaluated already.
    pub(super) fn method_of(&mut self, whole: &Expr, call: &ExprMethodCall, name: &str, receiver: Atom) -> Lowered {
        let args: Vec<&Expr> = call.args.iter().collect();
        if let Some((array, _)) = self.named_array(&receiver, &call.receiver) {
            return self.method_of_array(whole, call, name, array);
        }
        match name {
            "unwrap" | "expect" => self.unwrap(whole, call, name, receiver),
            "clone" | "to_owned" if args.is_empty() => Lowered::Atom(receiver),
            "copied" | "cloned" | "as_ref" if args.is_empty() => self.of_reference(whole, call, receiver),
            "then_some" => self.then_some(whole, receiver, &args),
            "into" if args.is_empty() => self.converted(whole, receiver),
            "is_empty" if args.is_empty() && self.is_array_value(&receiver) => self.is_empty(whole, &receiver),
            "cmp" if args.len() == 1 => self.compared(whole, receiver, args[0]),
            _ if is_of_char(name, args.len()) => self.of_char(whole, name, receiver, &args),
            _ if args.is_empty() && self.is_of_letter(name, &receiver) => self.of_letter(whole, name, receiver),
            _ => {
                let mut atoms = vec![receiver];
                atoms.extend(self.values(args.iter().copied()));
                let mut exprs = vec![&*call.receiver];
                exprs.extend(args);
                self.method_call(whole, &call.method, name, atoms, &exprs, false)
            }
        }
    }

    /// Lowers a method call. The receiver is the first of `atoms`. `path`: the call was written as `u32::method(..)`.
    pub(super) fn method_call(
        &mut self,
        whole: &Expr,
        at: &impl At,
        name: &str,
        atoms: Vec<Atom>,
        exprs: &[&Expr],
        path: bool,
    ) -> Lowered {
        let receiver = self.type_of(&atoms[0]);
        self.agree_on_literal(name, receiver, &atoms[1..]);
        let known = match self.infer.class(receiver) {
            Class::Known(scalar) => Some(*scalar),
            // A method of `Ord` leaves the type to the uses of its result.
            Class::Int if matches!((name, atoms.len()), ("max" | "min", 2) | ("clamp", 3)) => None,
            // Something that only rustc knows can still decide the type of a literal.
            Class::Int if !self.infer.is_later(receiver) => Some(Scalar::I32),
            Class::Float if !self.infer.is_later(receiver) => Some(Scalar::F64),
            _ => None,
        };
        let location = self.location(LocationKind::Arithmetic, text::of_expr(whole), whole);
        let result = match known {
            Some(scalar) => match self.scalar_method(at, name, scalar, receiver, &atoms, exprs) {
                Some(result) => result,
                None => return Lowered::Failed,
            },
            None => match self.other_method(at, name, receiver, &atoms, exprs) {
                Some(result) => result,
                None => return Lowered::Failed,
            },
        };
        if METHODS.iter().any(|m| m.name == name && m.faults != Faults::Never) {
            let note = match path {
                true => Note::MethodPath { receiver, location },
                false => Note::Method { receiver, location, by_reference: self.is_reference(exprs[0]).is_some() },
            };
            self.notes.expr(whole, note);
        } else if known.is_none() && !path && self.infer.is_later(receiver) {
            let by_reference = self.is_reference(exprs[0]).is_some();
            self.notes.expr(whole, Note::BuiltIn { by_reference });
        }
        Lowered::Atom(self.temp(Rvalue::Method(name.to_owned(), atoms, location), result, whole))
    }

    /// Returns the type of the result of a scalar's method.
    fn scalar_method(
        &mut self,
        at: &impl At,
        name: &str,
        scalar: Scalar,
        receiver: TyId,
        atoms: &[Atom],
        exprs: &[&Expr],
    ) -> Option<TyId> {
        if BYTES.contains(&name) && atoms.len() == 1 && scalar.is_int() {
            let (ty, byte) = (self.known(scalar), self.known(Scalar::U8));
            _ = self.infer.unify(receiver, ty);
            return Some(self.infer.fresh(Class::Array(byte, Length::Known(scalar.size() as u64))));
        }
        let Some(method) = Method::find(name, scalar) else {
            self.no_method(at, name, scalar);
            return None;
        };
        if atoms.len() != method.args.len() + 1 {
            let plural = if method.args.len() == 1 { "" } else { "s" };
            let message = format!("`{name}` takes {} argument{plural}", method.args.len());
            self.diags.report(Rule::Method, at, message);
            return None;
        }
        // The receiver of a method does not determine its own type.
        if let Class::Int | Class::Float = self.infer.class(receiver) {
            let ty = self.known(scalar);
            _ = self.infer.unify(receiver, ty);
        }
        for ((atom, operand), expr) in atoms[1..].iter().zip(method.args).zip(&exprs[1..]) {
            let (want, have) = (self.operand_type(*operand, scalar, receiver), self.type_of(atom));
            self.same(want, have, *expr, |want, have| format!("`{name}` takes {want} here, but this is {have}"));
        }
        let mut part = |operand| self.operand_type(operand, scalar, receiver);
        Some(match method.result {
            MethodResult::One(one) => part(one),
            MethodResult::Option(some) => {
                let some = part(some);
                self.infer.fresh(Class::Option(some))
            }
            MethodResult::Pair(a, b) => {
                let pair = vec![part(a), part(b)];
                self.infer.fresh(Class::Tuple(pair))
            }
        })
    }

    fn operand_type(&mut self, operand: Operand, scalar: Scalar, receiver: TyId) -> TyId {
        match operand {
            Operand::Same => receiver,
            other => self.known(other.of(scalar)),
        }
    }

    fn no_method(&mut self, at: &impl At, name: &str, scalar: Scalar) {
        let names: Vec<&str> = METHODS.iter().filter(|m| m.on.has(scalar)).map(|m| m.name).collect();
        let ty = scalar.rust();
        let message = if INEXACT.contains(&name) {
            inexact(name)
        } else if METHODS.iter().any(|m| m.name == name) {
            format!("`{ty}` has no method `{name}`; {}", hint_among(name, &names))
        } else {
            format!("`{name}` has no meaning on the device for `{ty}`; {}", hint_among(name, &names))
        };
        self.diags.report(Rule::Method, at, message);
    }

    /// Lowers a method of something that is not a scalar, or not known yet.
    fn other_method(
        &mut self,
        at: &impl At,
        name: &str,
        receiver: TyId,
        atoms: &[Atom],
        exprs: &[&Expr],
    ) -> Option<TyId> {
        // The arguments agree with the receiver already.
        if *self.infer.class(receiver) == Class::Int
            && !self.infer.is_later(receiver)
            && matches!((name, atoms.len()), ("max" | "min", 2) | ("clamp", 3))
        {
            return Some(receiver);
        }
        if let ("max" | "min", [_, other]) = (name, atoms)
            && matches!(
                self.infer.class(receiver),
                Class::Tuple(_) | Class::Array(..) | Class::Option(_) | Class::Result(..)
            )
        {
            let given = self.type_of(other);
            self.same(receiver, given, exprs[1], |want, have| {
                format!("`{name}` takes {want} here, but this is {have}")
            });
            return Some(receiver);
        }
        match self.infer.class(receiver).clone() {
            Class::Option(inner) => self.option_method(at, name, receiver, inner, atoms, exprs),
            Class::Result(ok, err) => self.result_method(at, name, (ok, err), atoms, exprs),
            Class::Array(..) if name == "len" && atoms.len() == 1 => Some(self.known(Scalar::Usize)),
            Class::Any | Class::Dead | Class::Int | Class::Float => {
                self.unseen_method(at, name)?;
                let args: Vec<TyId> = atoms[1..].iter().map(|atom| self.type_of(atom)).collect();
                for ty in args.iter().chain([&receiver]) {
                    self.infer.mark_later(*ty);
                }
                let result = self.infer.later();
                let relation = Relation::Method { receiver, name: name.to_owned(), args, result };
                self.relations.push(relation);
                Some(result)
            }
            Class::Array(..) => {
                let message = match nearest(name, &["len"]) {
                    Some(near) => format!("an array has no method `{name}` on the device; did you mean `{near}`?"),
                    None if name.starts_with("len") => {
                        format!("an array has no method `{name}` on the device; did you mean `len`?")
                    }
                    None => format!(
                        "an array has no method `{name}` on the device; \
                         index it in a loop, as in `for i in 0..{}.len() {{ .. }}`",
                        text::source(&exprs[0])
                    ),
                };
                self.diags.report(Rule::Method, at, message);
                None
            }
            other => {
                let message = format!(
                    "`{name}` has no meaning on the device for a value of type {}; write out what it does with its parts",
                    self.infer.words(&other)
                );
                self.diags.report(Rule::Method, at, message);
                None
            }
        }
    }

    /// Checks that some type has a method of that name.
    fn unseen_method(&mut self, at: &impl At, name: &str) -> Option<()> {
        let option = OPTION.iter().chain(&RESULT).any(|(known, _)| *known == name);
        if option || name == "len" || BYTES.contains(&name) || METHODS.iter().any(|m| m.name == name) {
            return Some(());
        }
        let message = format!("`{name}` has no meaning on the device; {}", hint(name));
        self.diags.report(Rule::Method, at, message);
        None
    }

    fn option_method(
        &mut self,
        at: &impl At,
        name: &str,
        receiver: TyId,
        inner: TyId,
        atoms: &[Atom],
        exprs: &[&Expr],
    ) -> Option<TyId> {
        let Some((_, count)) = OPTION.iter().find(|(known, _)| *known == name) else {
            let names: Vec<&str> = OPTION.iter().map(|(name, _)| *name).collect();
            let hint = match name {
                "map" | "and_then" | "unwrap_or_else" | "ok_or" | "filter" | "map_or" | "is_some_and" | "take" => {
                    "write `match` or `if let Some(value) = ..`".to_owned()
                }
                _ => hint_among(name, &names),
            };
            self.diags.report(Rule::Method, at, format!("`{name}` of `Option` has no meaning on the device; {hint}"));
            return None;
        };
        if atoms.len() != count + 1 {
            let plural = if *count == 1 { "" } else { "s" };
            self.diags.report(Rule::Method, at, format!("`{name}` takes {count} argument{plural}"));
            return None;
        }
        let given = atoms.get(1).map(|atom| self.type_of(atom));
        let check = |this: &mut Self, want: TyId| {
            if let Some(given) = given {
                this.same(want, given, exprs[1], |want, have| {
                    format!("`{name}` takes {want} here, but this is {have}")
                });
            }
        };
        Some(match name {
            "is_some" | "is_none" => self.known(Scalar::Bool),
            "unwrap_or" => {
                check(self, inner);
                inner
            }
            "unwrap_or_default" => inner,
            "and" => given.unwrap_or(receiver),
            _ => {
                check(self, receiver);
                receiver
            }
        })
    }

    /// Parses `option.unwrap()` and `option.expect("message")`.
    fn unwrap(&mut self, whole: &Expr, call: &ExprMethodCall, name: &str, value: Atom) -> Lowered {
        let of = self.type_of(&value);
        let message = match (name, call.args.iter().collect::<Vec<_>>().as_slice()) {
            ("unwrap", []) if matches!(self.infer.class(of), Class::Option(_)) => {
                "called `unwrap` on `None`".to_owned()
            }
            ("unwrap", []) => "called `unwrap` without a value".to_owned(),
            ("expect", [Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. })]) => text.value(),
            _ => {
                let message = "write `.unwrap()`, or `.expect(\"message\")` with a literal message";
                self.diags.report(Rule::Method, &call.method, message);
                return Lowered::Failed;
            }
        };
        let inner = match self.infer.class(of) {
            Class::Option(inner) | Class::Result(inner, _) => *inner,
            Class::Any if self.infer.is_later(of) => {
                let result = self.infer.later();
                self.relations.push(Relation::Method { receiver: of, name: name.to_owned(), args: Vec::new(), result });
                result
            }
            _ => {
                let inner = self.infer.fresh(Class::Any);
                let option = self.infer.fresh(Class::Option(inner));
                self.same(of, option, &*call.receiver, |have, _| {
                    format!("only an `Option` or a `Result` has `{name}`, but this is {have}")
                });
                inner
            }
        };
        let location = self.location(LocationKind::Panic, message, &call.method);
        let by_reference = self.is_reference(&call.receiver).is_some();
        let held = !matches!(self.infer.class(of), Class::Option(_));
        self.notes.expr(whole, Note::Unwrap { location, by_reference, held });
        let truth = self.known(Scalar::Bool);
        let is_some = self.temp(Rvalue::IsSome(value.clone()), truth, whole);
        self.fault_unless(is_some, FaultCode::Unwrap, location, whole);
        Lowered::Atom(self.temp(Rvalue::Inner(value), inner, whole))
    }

    /// Adds a fault where the condition is false.
    pub(super) fn fault_unless(&mut self, condition: Atom, code: FaultCode, location: LocationId, at: &impl At) {
        let (other, ()) = self.block(|this| this.push(StmtKind::Fault { code, location }, at));
        self.push(StmtKind::If { condition, then: Vec::new(), other: other.stmts }, at);
    }
}

/// Returns whether a scalar, an array or an `Option` has a method of that name, or had it if it gave the same bits everywhere.
pub(super) fn is_built_in(call: &ExprMethodCall) -> bool {
    let name = &*text::plain(&call.method);
    const OTHERS: [&str; 10] =
        ["len", "is_empty", "clone", "to_owned", "copied", "cloned", "as_ref", "cmp", "then_some", "into"];
    OTHERS.contains(&name)
        || BYTES.contains(&name)
        || is_of_letters(name)
        || is_of_char(name, call.args.len())
        || INEXACT.contains(&name)
        || OPTION.iter().chain(&RESULT).any(|(known, _)| *known == name)
        || METHODS.iter().any(|method| method.name == name)
}

/// Returns what to write instead of a method that no type of the device has.
pub(super) fn hint(name: &str) -> String {
    let names: Vec<&str> = METHODS.iter().map(|m| m.name).chain(OPTION.iter().map(|(name, _)| *name)).collect();
    hint_among(name, &names)
}

/// Returns the message for a function whose last bits differ between machines.
pub(super) fn inexact(name: &str) -> String {
    format!(
        "`{name}` does not give the same bits on every machine, so CPU and GPU would differ; \
         compute it before the call and pass it"
    )
}

fn hint_among(name: &str, names: &[&str]) -> String {
    match nearest(name, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "use operators and `as`, or compute it before the call and pass it".to_owned(),
    }
}
