//! Methods and associated functions of the user's types. Only rustc knows to which function a name leads, so the receiver's type
//! becomes an expression for rustc: see `witness.rs`.

use syn::visit::Visit;
use syn::{Expr, ExprMethodCall, Type};

use super::built_in;
use super::external::{CallSite, Called, Passed, Receiver};
use super::lower::{Lowered, Lowering, Resolution};
use super::method::is_built_in;
use super::notes::Note;
use super::source_span::At;
use super::text;
use super::tree::strip;
use crate::front::diag::Rule;
use crate::infer::Class;
use crate::ir::VarId;
use crate::ir::open::{Arg, Atom, Relation, StmtKind, TyId};
use crate::spec::LocationKind;

impl Lowering<'_> {
    /// Parses `value.method(..)` of a type of the user's program; `tries`: a `?` follows.
    pub(super) fn user_method(&mut self, whole: &Expr, call: &ExprMethodCall, tries: bool) -> Lowered {
        let args: Vec<&Expr> = call.args.iter().collect();
        let Some((arg, ty, indexed)) = self.receiver(&call.receiver, &args) else { return Lowered::Failed };
        let name = text::plain(&call.method);
        let class = self.infer.class(ty);
        if !matches!(class, Class::Any | Class::Dead)
            && !built_in::is_of(class, &call.method, args.len())
            && !self.may_have_own(ty, &name)
        {
            // The type has no methods of the user's program, and the error says so.
            let atom = match arg {
                Arg::Value(atom) => atom,
                _ => self.nothing(Some(ty)),
            };
            return self.method_of(whole, call, &name, atom);
        }
        if self.is_own_type(ty) && self.signature.name == call.method {
            return self.calls_itself(whole, &name);
        }
        let receiver = Receiver { ty, witness: None, of_params: false, at: call.method.source_span() };
        let called = Called::Method(Box::new(receiver), call.method.clone());
        self.user_call(whole, called, Some((arg, ty, indexed)), &args, tries)
    }

    /// Returns whether the call can only be one of a method of the user's program.
    pub(super) fn is_user_method(&self, call: &ExprMethodCall) -> bool {
        let plain = call.turbofish.is_none() && !call.args.iter().any(|arg| matches!(arg, Expr::Closure(_)));
        plain && !self.is_array(&call.receiver) && self.is_own(call)
    }

    /// Returns whether no built-in method has the name of the method, or takes its arguments.
    pub(super) fn is_own(&self, call: &ExprMethodCall) -> bool {
        !is_built_in(call) || call.args.first().is_some_and(|arg| self.passes_handle(arg))
    }

    /// Parses `Type::function(..)`.
    pub(super) fn associated_call(
        &mut self,
        whole: &Expr,
        (of, name): (Type, &syn::Ident),
        args: &[&Expr],
        tries: bool,
    ) -> Lowered {
        let own = self.signature.owner.as_ref().is_some_and(|owner| text::source(owner) == text::source(&of));
        if own && self.signature.name == *name {
            return self.calls_itself(whole, &text::plain(name));
        }
        self.user_call(whole, Called::Associated(Box::new(of), name.clone()), None, args, tries)
    }

    pub(super) fn calls_itself(&mut self, whole: &Expr, name: &str) -> Lowered {
        let message = format!("`{name}` calls itself, and the device has no stack for that; write a loop");
        self.diags.report(Rule::Recursion, whole, message);
        Lowered::Failed
    }

    /// Parses the arguments of a call, and adds the call. The receiver comes first; it is evaluated already.
    pub(super) fn user_call(
        &mut self,
        whole: &Expr,
        called: Called,
        receiver: Option<(Arg, TyId, bool)>,
        args: &[&Expr],
        tries: bool,
    ) -> Lowered {
        let most = usize::from(matches!(called, Called::Associated(..)));
        let handle = (0..=most).find(|k| args.get(*k).is_some_and(|arg| self.passes_handle(arg)));
        let args: Vec<&Expr> = (0..).zip(args).filter(|(k, _)| Some(*k) != handle).map(|(_, arg)| *arg).collect();
        let indexed = receiver.as_ref().is_some_and(|(.., indexed)| *indexed);
        let by_reference = matches!(whole, Expr::MethodCall(node) if self.is_reference(&node.receiver).is_some());
        let (mut passed, mut types) = (Vec::new(), Vec::new());
        if let Some((arg, ty, _)) = receiver {
            self.infer.mark_later(ty);
            passed.push(arg);
            types.push(ty);
        }
        let mut shapes = Vec::new();
        for (k, expr) in args.iter().enumerate() {
            let Some((arg, ty)) = self.argument(expr, &args[k + 1..]) else { return Lowered::Failed };
            if let Some((arrays, element)) = self.listed(expr, &arg, ty) {
                self.infer.mark_later(element);
                shapes.extend(
                    (0..arrays.len()).map(|k| if k == 0 { Passed::Shared(element) } else { Passed::Listed(element) }),
                );
                types.extend(arrays.iter().map(|_| element));
                passed.extend(arrays);
                continue;
            }
            self.infer.mark_later(ty);
            shapes.push(self.passed_as(expr, &arg, ty));
            passed.push(arg);
            types.push(ty);
        }
        let path = match &called {
            Called::Function(path) => Some(path.clone()),
            _ => None,
        };
        let function = self.external.number_call(CallSite {
            called,
            of_param: false,
            by_path: false,
            of_trait: None,
            tries,
            handle,
            arguments: shapes.len(),
            passed: shapes,
            witnesses: None,
        });
        path.iter().for_each(|path| self.stated(function, path));
        let location = self.location(LocationKind::Call, text::of_expr(whole), whole);
        self.notes.expr(whole, Note::Call { call: function, indexed, by_reference });
        let result = self.infer.later();
        self.relations.push(Relation::Call { function, args: types, result });
        let var = self.var(None, result, false);
        self.results_of_calls.insert(var, function);
        self.push(StmtKind::Call { var, call: function, args: passed, location }, whole);
        Lowered::Atom(Atom::Var(var))
    }

    fn passed_as(&self, expr: &Expr, arg: &Arg, ty: TyId) -> Passed {
        match (strip(expr), arg) {
            (_, Arg::Array(array, _)) => match self.param_types.get(array.0 as usize) {
                Some((_, Some(_))) => Passed::Other,
                _ => Passed::Shared(ty),
            },
            (_, Arg::Place(..) | Arg::Receiver(..)) => Passed::Exclusive(ty),
            (Expr::Reference(_), _) => Passed::Reference(ty),
            (_, Arg::Value(Atom::Var(var))) if self.results_of_calls.contains_key(var) => {
                Passed::Call(self.results_of_calls[var])
            }
            (name, _) if self.is_reference(name) == Some(false) => Passed::Reference(ty),
            (Expr::Path(_), Arg::Value(Atom::Var(var))) if self.referring.contains(var) => Passed::Either(ty),
            _ => Passed::Value(ty),
        }
    }

    /// Evaluates the receiver of a method. A part of a variable that can change is passed as a place, because only rustc knows
    /// whether the method takes `&mut self`. Also returns the type, and whether an index leads to the place.
    fn receiver(&mut self, expr: &Expr, later: &[&Expr]) -> Option<(Arg, TyId, bool)> {
        let changes = self.root(expr).is_some_and(|var| self.vars[var.0 as usize].mutable);
        if !changes {
            let atom = self.operand(expr);
            let ty = self.type_of(&atom);
            return Some((Arg::Value(atom), ty, false));
        }
        let place = self.part_of(expr)?;
        let (ty, indexed) = (place.ty, place.is_indexed());
        let assigned = later.iter().any(|arg| self.may_assign(arg));
        // Rust checks the index, and copies the receiver of a method that takes `self`, before it evaluates the arguments.
        let value = if indexed || assigned { Some(self.load(&place, expr)) } else { None };
        let arg = match value.filter(|_| assigned) {
            Some(value) => Arg::Receiver(place.var, place.steps, self.freeze(value, expr)),
            None => Arg::Place(place.var, place.steps),
        };
        Some((arg, ty, indexed))
    }

    /// Returns the variable that an expression is a part of.
    pub(super) fn root(&self, expr: &Expr) -> Option<VarId> {
        match strip(expr) {
            Expr::Field(node) => self.root(&node.base),
            Expr::Index(node) => self.root(&node.expr),
            Expr::Unary(node) if matches!(node.op, syn::UnOp::Deref(_)) => self.root(&node.expr),
            other => match self.bound(other)? {
                Resolution::Var(var) | Resolution::Place(var) => Some(var),
                Resolution::Alias(alias) => Some(self.aliases[alias].var),
                _ => None,
            },
        }
    }

    /// Returns whether evaluating the expression may change a variable through a reference: a `&mut` parameter that it passes on, or
    /// a method, which may take `&mut self`.
    pub(super) fn passes_reference(&self, expr: &Expr) -> bool {
        struct Finder<'a, 'b>(&'a Lowering<'b>, bool);
        impl<'ast> Visit<'ast> for Finder<'_, '_> {
            fn visit_expr_call(&mut self, node: &'ast syn::ExprCall) {
                self.1 |= node.args.iter().any(|arg| self.0.is_reference(arg) == Some(true));
                syn::visit::visit_expr_call(self, node);
            }
            fn visit_expr_method_call(&mut self, node: &'ast ExprMethodCall) {
                self.1 |= !self.0.is_tx(&node.receiver) && (!is_built_in(node) || self.0.may_be_own(node));
                syn::visit::visit_expr_method_call(self, node);
            }
        }
        let mut finder = Finder(self, false);
        finder.visit_expr(expr);
        finder.1
    }

    /// Returns whether it is the type of the `impl` block around the function.
    fn is_own_type(&self, ty: TyId) -> bool {
        let receiver = self.signature.params.first().is_some_and(|param| param.receiver.is_some());
        receiver && self.infer.root(self.param_types[0].0) == self.infer.root(ty)
    }
}
