//! The state of the pass over one function: open blocks, names in scope, types, notes.

use std::collections::HashMap;

use quote::ToTokens;
use syn::Expr;

use super::checks::Checks;
use super::external::ExternalSymbols;
use super::imports::Imports;
use super::notes::Notes;
use super::places::{PlaceChoices, PlaceExpr};
use super::signature::Signature;
use super::source_span::At;
use super::text;
use super::tokens;
use crate::front::diag::{Diagnostics, Rule, SourceSpan};
use crate::infer::{Clash, Class, Infer};
use crate::ir::open::{Atom, Block, CallId, Length, ParamRole, Relation, Rvalue, Stmt, StmtKind, TyId, Var};
use crate::ir::{ArrayId, LocationDecl, LocationId, LoopId, Position, PositionId, VarId};
use crate::spec::{LocationKind, Scalar};

/// The meaning of a name.
#[derive(Debug, Clone, Copy)]
pub(super) enum Resolution {
    Tx,
    Array(ArrayId),
    Var(VarId),
    /// A reference, as a `&mut` parameter is: `*name` is the variable.
    Place(VarId),
    /// `let name = &mut place;`: an entry of `Lowering::aliases`.
    Alias(usize),
    /// A name for `()`.
    Unit,
    /// A name whose declaration was rejected. Its uses have no errors of their own.
    Refused,
}

/// The result of an expression.
#[derive(Debug, Clone)]
pub(super) enum Lowered {
    /// A value.
    Atom(Atom),
    /// `()`.
    Unit,
    /// No value: the expression leaves. The type stands for its value, where rustc needs one.
    Never(Option<TyId>),
    /// The expression was rejected and reported.
    Failed,
}

/// A block under construction. After a statement that leaves, the rest is parsed for its errors and dropped.
#[derive(Debug, Default)]
pub(super) struct OpenBlock {
    pub(super) stmts: Block,
    pub(super) ended: bool,
}

/// An enclosing loop or labelled block.
#[derive(Debug)]
pub(super) struct LoopScope {
    pub(super) id: LoopId,
    pub(super) label: Option<String>,
    /// Whether `break` without a label leaves it and `continue` goes on with it.
    pub(super) is_loop: bool,
    /// Whether it gives a value: only `loop` and labelled blocks do.
    pub(super) gives_values: bool,
    /// The variable for the value of `break value`.
    pub(super) result: Option<VarId>,
    /// Whether some reachable `break` leaves it.
    pub(super) broken: bool,
}

pub(super) struct Lowering<'a> {
    pub(super) signature: &'a Signature,
    pub(super) diags: &'a mut Diagnostics,
    pub(super) infer: Infer,
    pub(super) vars: Vec<Var>,
    pub(super) locations: Vec<LocationDecl>,
    pub(super) positions: Vec<Position>,
    pub(super) spans: Vec<SourceSpan>,
    pub(super) notes: Notes,
    pub(super) checks: Checks,
    pub(super) loop_count: u32,
    pub(super) loops: Vec<LoopScope>,
    pub(super) in_guard: bool,
    pub(super) external: ExternalSymbols,
    pub(super) relations: Vec<Relation>,
    pub(super) imports: Imports,
    /// The types of the parameters and of the result.
    pub(super) param_types: Vec<(TyId, Option<Length>)>,
    pub(super) result_type: TyId,
    /// The places that local `&mut` references lead to.
    pub(super) aliases: Vec<PlaceExpr>,
    /// The places whose values patterns examine through `&mut`, by the variables of these values: names become other names for their
    /// parts.
    pub(super) places: HashMap<VarId, PlaceExpr>,
    /// The places of the elements in values that are `Some` of one.
    pub(super) elements: HashMap<VarId, PlaceExpr>,
    /// The names that stand for one of several places.
    pub(super) place_choices: PlaceChoices,
    /// The calls whose results variables are.
    pub(super) results_of_calls: HashMap<VarId, CallId>,
    /// The variables that may stand for references in the source: `*` before them gives their value.
    pub(super) referring: std::collections::HashSet<VarId>,
    /// The variables that are parts of arrays, with lengths of their own.
    pub(super) parts: std::collections::HashSet<VarId>,
    /// Whether the value that patterns examine may be a reference in the source, or have one in it.
    pub(super) examines_references: bool,
    /// For each enclosing `match` that a method of both `Option` and `Result` has become: whether it is of a `Result`.
    pub(super) of_results: Vec<bool>,
    /// Whether the `match` that is parsed next stands before the `?` of a function that returns a `Result`.
    pub(super) result_is_left: bool,
    /// The index of the innermost `tx.update`, as written.
    pub(super) update_index: String,
    blocks: Vec<OpenBlock>,
    scopes: Vec<HashMap<String, Resolution>>,
}

impl<'a> Lowering<'a> {
    pub(super) fn new(signature: &'a Signature, diags: &'a mut Diagnostics) -> Self {
        let mut lowering = Lowering {
            signature,
            diags,
            infer: Infer::default(),
            vars: Vec::new(),
            locations: Vec::new(),
            positions: Vec::new(),
            spans: Vec::new(),
            notes: Notes::default(),
            checks: Checks::default(),
            loop_count: 0,
            loops: Vec::new(),
            in_guard: false,
            external: ExternalSymbols::default(),
            relations: Vec::new(),
            imports: Imports::default(),
            param_types: Vec::new(),
            result_type: TyId(0),
            aliases: Vec::new(),
            places: HashMap::new(),
            elements: HashMap::new(),
            place_choices: PlaceChoices::default(),
            results_of_calls: HashMap::new(),
            referring: std::collections::HashSet::new(),
            parts: std::collections::HashSet::new(),
            examines_references: false,
            of_results: Vec::new(),
            result_is_left: false,
            update_index: String::new(),
            blocks: Vec::new(),
            scopes: vec![HashMap::new()],
        };
        if let Some(tx) = &signature.tx {
            lowering.bind(text::key(tx), Resolution::Tx);
        }
        for (k, param) in signature.params.iter().enumerate() {
            let ty = lowering.value_type(&param.of);
            let part = param.part.as_ref().map(|size| lowering.length(size));
            lowering.param_types.push((ty, part));
            let name = text::plain(&param.ident);
            let var = lowering.var(Some(name.clone()), ty, param.mutable || param.role == ParamRole::Place);
            let binding = match param.role {
                ParamRole::Array => Resolution::Array(ArrayId(k as u32)),
                _ if param.is_reference() => Resolution::Place(var),
                _ => Resolution::Var(var),
            };
            lowering.bind(text::key(&param.ident), binding);
        }
        lowering.result_type = lowering.value_type(&signature.result);
        lowering
    }

    // Names.

    pub(super) fn bind(&mut self, name: String, binding: Resolution) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, binding);
        }
    }

    pub(super) fn lookup(&self, name: &str) -> Option<Resolution> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    pub(super) fn names(&self) -> Vec<&str> {
        let name = |key: &'_ String| key.find('#').unwrap_or(key.len());
        self.scopes.iter().flat_map(|scope| scope.keys().map(move |key| &key[..name(key)])).collect()
    }

    pub(super) fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(HashMap::new());
        let result = inside(self);
        self.scopes.pop();
        result
    }

    // Blocks and statements.

    /// Runs `inside` with a new open block, and returns that block.
    pub(super) fn block<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> (OpenBlock, T) {
        self.blocks.push(OpenBlock::default());
        let result = inside(self);
        (self.blocks.pop().unwrap_or_default(), result)
    }

    pub(super) fn push(&mut self, what: StmtKind, at: &impl At) {
        let position = self.loc(at);
        let changes = (!self.place_choices.copies.is_empty()).then(|| what.clone());
        self.push_at(what, position);
        changes.iter().for_each(|what| self.write_back(what, at));
    }

    fn push_at(&mut self, what: StmtKind, at: PositionId) {
        let components = matches!(
            what,
            StmtKind::Return(_)
                | StmtKind::Reject { .. }
                | StmtKind::Fault { .. }
                | StmtKind::Break(_)
                | StmtKind::Continue(_)
        );
        if let Some(open) = self.blocks.last_mut() {
            if !open.ended {
                open.stmts.push(Stmt { what, at });
            }
            open.ended |= components;
        }
    }

    /// Marks that control does not pass this point.
    pub(super) fn end(&mut self) {
        if let Some(open) = self.blocks.last_mut() {
            open.ended = true;
        }
    }

    pub(super) fn ended(&self) -> bool {
        self.blocks.last().is_some_and(|open| open.ended)
    }

    /// Moves the statements of a finished block to the end of the present one.
    pub(super) fn splice(&mut self, block: OpenBlock) {
        if let Some(open) = self.blocks.last_mut() {
            if !open.ended {
                open.stmts.extend(block.stmts);
            }
            open.ended |= block.ended;
        }
    }

    /// Adds `let temporary = value`.
    pub(super) fn temp(&mut self, value: Rvalue, ty: TyId, at: &impl At) -> Atom {
        let var = self.var(None, ty, false);
        self.push(StmtKind::Let { var, value }, at);
        Atom::Var(var)
    }

    pub(super) fn var(&mut self, name: Option<String>, ty: TyId, mutable: bool) -> VarId {
        self.vars.push(Var { name, ty, mutable });
        VarId(self.vars.len() as u32 - 1)
    }

    // Places.

    pub(super) fn loc(&mut self, at: &impl At) -> PositionId {
        let span = at.source_span();
        let start = span.first.start();
        self.positions.push(Position { line: start.line as u32, column: start.column as u32 + 1 });
        self.spans.push(span);
        PositionId(self.positions.len() as u32 - 1)
    }

    pub(super) fn location(&mut self, what: LocationKind, text: String, at: &impl At) -> LocationId {
        let start = at.source_span().first.start();
        let at = Position { line: start.line as u32, column: start.column as u32 + 1 };
        // The user has not written these names.
        let text = if text.contains(super::tree::GENERATED) { "the loop of an iterator".to_owned() } else { text };
        self.locations.push(LocationDecl { at, what, text });
        LocationId(self.locations.len() as u32 - 1)
    }

    // Types.

    pub(super) fn known(&mut self, scalar: Scalar) -> TyId {
        self.infer.fresh(Class::Known(scalar))
    }

    pub(super) fn type_of(&mut self, atom: &Atom) -> TyId {
        match atom {
            Atom::Var(var) => self.vars[var.0 as usize].ty,
            Atom::Int(_, ty) | Atom::Float(_, ty) | Atom::Bits(_, ty) => *ty,
            Atom::Bool(_) => self.known(Scalar::Bool),
            Atom::Unit => self.infer.fresh(Class::Unit),
        }
    }

    /// Unifies two types; `message` gets what is known of the first and of the second.
    pub(super) fn same(
        &mut self,
        a: TyId,
        b: TyId,
        at: &impl ToTokens,
        message: impl FnOnce(&str, &str) -> String,
    ) -> bool {
        let Err(Clash(a, b)) = self.infer.unify(a, b) else { return true };
        let mut message = message(&self.infer.words(&a), &self.infer.words(&b));
        if let (Class::Known(_) | Class::Int | Class::Float, Class::Shared(_)) = (&a, &b) {
            message += &element_of(&text::source(at));
        } else if let Class::Known(to) = a {
            message += &conversion(&b, to, &text::source(at));
        }
        self.diags.report(Rule::Mismatch, at.to_token_stream(), message);
        false
    }

    /// Unifies the types of a pattern and its value; patterns have no conversions.
    pub(super) fn same_pattern(
        &mut self,
        a: TyId,
        b: TyId,
        at: &impl ToTokens,
        message: impl FnOnce(&str, &str) -> String,
    ) {
        if let Err(Clash(a, b)) = self.infer.unify(a, b) {
            let message = message(&self.infer.words(&a), &self.infer.words(&b));
            self.diags.report(Rule::Mismatch, at.to_token_stream(), message);
        }
    }

    /// Requires that the atom has this type.
    pub(super) fn expect(&mut self, scalar: Scalar, atom: &Atom, at: &impl ToTokens, what: &str) {
        let (want, have) = (self.known(scalar), self.type_of(atom));
        self.same(want, have, at, |want, have| format!("{what} is {want}, but this is {have}"));
    }

    /// Returns the atom of a value that is not `()`.
    pub(super) fn need(&mut self, value: Lowered, at: &Expr) -> Atom {
        match value {
            Lowered::Atom(atom) => atom,
            Lowered::Unit => {
                let message = "a value is needed here, but this gives `()`; write an expression with a value";
                self.diags.report(Rule::Mismatch, at, message);
                self.nothing(None)
            }
            Lowered::Never(ty) => self.nothing(ty),
            Lowered::Failed => self.nothing(None),
        }
    }

    /// Returns an atom for code that is never reached or was rejected.
    pub(super) fn nothing(&mut self, ty: Option<TyId>) -> Atom {
        let ty = ty.unwrap_or_else(|| self.infer.fresh(Class::Dead));
        Atom::Var(self.var(None, ty, false))
    }

    // Order of evaluation.

    /// Keeps the present value of an operand while later operands are evaluated.
    pub(super) fn settle<'e>(&mut self, atom: Atom, at: &Expr, later: impl IntoIterator<Item = &'e Expr>) -> Atom {
        match atom {
            Atom::Var(var) if self.changeable(var) && later.into_iter().any(|expr| self.may_assign(expr)) => {
                self.freeze(atom, at)
            }
            other => other,
        }
    }

    /// Copies a variable that can change.
    pub(super) fn freeze(&mut self, atom: Atom, at: &Expr) -> Atom {
        match atom {
            Atom::Var(var) if self.changeable(var) => {
                let ty = self.type_of(&atom);
                self.temp(Rvalue::Use(atom), ty, at)
            }
            other => other,
        }
    }

    /// Returns whether evaluating the expression may change a variable.
    pub(super) fn may_assign(&self, expr: &Expr) -> bool {
        assigns(expr) || self.passes_reference(expr)
    }

    fn changeable(&self, var: VarId) -> bool {
        self.vars[var.0 as usize].mutable
    }
}

/// Returns whether the text is one literal, to which a suffix can be added.
fn is_literal(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns what to write where a name of an array stands in the place of a value.
fn element_of(array: &str) -> String {
    let array = if array.contains(['{', '…']) || array.contains("stm_") { "array" } else { array };
    format!("; read an element with `tx.read({array}, index)?`")
}

/// Returns how to make a number of a type from an expression of another.
fn conversion(from: &Class, to: Scalar, text: &str) -> String {
    let number = |c: char| c.is_ascii_digit() || c == '_';
    match from {
        _ if to == Scalar::Bool || *from == Class::Known(Scalar::Bool) => String::new(),
        Class::Unit | Class::Tuple(_) | Class::Array(..) | Class::Option(_) | Class::Result(..) => String::new(),
        Class::Int if to.is_float() && text.chars().all(number) => format!("; write `{text}.0`"),
        Class::Known(from) if from.is_int() && to.is_int() && is_literal(text) => {
            let digits = text.trim_end_matches(from.rust()).trim_end_matches('_');
            format!("; write `{digits}_{}`", to.rust())
        }
        _ if text.contains(['{', '…']) || text.contains("stm_") => format!("; convert it with `as {}`", to.rust()),
        _ if text.parse::<f64>().is_ok() => format!("; convert it, as in `{text} as {}`", to.rust()),
        _ if text.chars().all(|c| c.is_alphanumeric() || c == '_') => {
            format!("; convert it, as in `{text} as {}`", to.rust())
        }
        _ => format!("; convert it, as in `({text}) as {}`", to.rust()),
    }
}

/// Returns whether the expression contains an assignment, or a `&mut` reference through which a variable can change.
fn assigns(expr: &Expr) -> bool {
    struct Finder(bool);
    impl<'ast> syn::visit::Visit<'ast> for Finder {
        fn visit_expr_assign(&mut self, _: &'ast syn::ExprAssign) {
            self.0 = true;
        }
        fn visit_expr_reference(&mut self, node: &'ast syn::ExprReference) {
            self.0 |= node.mutability.is_some();
            syn::visit::visit_expr_reference(self, node);
        }
        fn visit_expr_binary(&mut self, node: &'ast syn::ExprBinary) {
            self.0 |= tokens::compound(&node.op).is_some();
            syn::visit::visit_expr_binary(self, node);
        }
    }
    let mut finder = Finder(false);
    syn::visit::Visit::visit_expr(&mut finder, expr);
    finder.0
}
