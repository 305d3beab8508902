//! Operators and casts.

use syn::{Expr, ExprBinary, ExprCast, ExprUnary, UnOp};

use super::checks::TypeCheck;
use super::lower::{Lowered, Lowering};
use super::notes::Note;
use super::own_operator::Operands;
use super::source_span::At;
use super::tokens::{Binary, binary, compound};
use super::tree::strip;
use super::{text, types};
use crate::ir::open::{Atom, Rvalue, Stmt, StmtKind, TyId};
use crate::ir::{LocationId, Logic, UnaryOp};
use crate::spec::{LocationKind, Scalar};

impl Lowering<'_> {
    /// Returns the result of a method that never faults.
    pub(super) fn wrapping(&mut self, whole: &Expr, method: &str, (value, ty): (Atom, TyId), other: Atom) -> Atom {
        let location = self.location(LocationKind::Arithmetic, text::of_expr(whole), whole);
        self.temp(Rvalue::Method(method.to_owned(), vec![value, other], location), ty, whole)
    }

    pub(super) fn binary(&mut self, whole: &Expr, node: &ExprBinary) -> Lowered {
        if let Some(op) = compound(&node.op) {
            return self.compound(whole, node, op);
        }
        let Some(op) = binary(&node.op) else {
            return self.refuse(whole, "this operator", "use an operator of Rust's scalars");
        };
        if let Binary::Short(or) = op {
            return self.short_circuit(whole, node, or);
        }
        if matches!(op, Binary::Compare(_))
            && [&node.left, &node.right].iter().all(|side| self.is_reference(side).is_some())
        {
            // Rust compares what both lead to.
            let [left, right] = [&node.left, &node.right].map(|side| {
                self.notes.expr(strip(side), Note::Copied);
                self.operand(side)
            });
            return Lowered::Atom(self.combine(whole, node, op, left, right, |ty, amount, location| Note::Operator {
                ty,
                amount,
                location,
            }));
        }
        let left = self.number_operand(&op, &node.left);
        let left = self.settle(left, &node.left, [&*node.right]);
        let right = self.number_operand(&op, &node.right);
        if let Binary::Arith(arith) = op {
            let operands = Operands::Two(left.clone(), right.clone());
            if let Some(value) = self.own_operator(whole, arith.rust(), &operands) {
                return value;
            }
        }
        Lowered::Atom(self.combine(whole, node, op, left, right, |ty, amount, location| Note::Operator {
            ty,
            amount,
            location,
        }))
    }

    /// Parses an operand. In arithmetic, Rust takes the name of a shared reference for its value.
    fn number_operand(&mut self, op: &Binary, expr: &Expr) -> Atom {
        if matches!(op, Binary::Arith(_) | Binary::Logic(_)) && self.is_reference(expr) == Some(false) {
            self.notes.expr(strip(expr), Note::Copied);
            return self.operand(expr);
        }
        self.scalar(expr)
    }

    /// Combines two evaluated operands into one value.
    fn combine(
        &mut self,
        whole: &Expr,
        node: &ExprBinary,
        op: Binary,
        left: Atom,
        right: Atom,
        note: impl FnOnce(TyId, Option<TyId>, LocationId) -> Note,
    ) -> Atom {
        let (ty, other) = (self.type_of(&left), self.type_of(&right));
        let shift = matches!(op, Binary::Arith(op) if op.is_shift());
        let mut agree = true;
        if !shift && !matches!(op, Binary::Short(_)) {
            let sign = quote::ToTokens::to_token_stream(&node.op);
            agree = self.same(ty, other, &node.right, |left, right| {
                format!("`{sign}` needs two values of one type, but the left one is {left} and this is {right}")
            });
        }
        let span = whole.source_span();
        let checked = self.checks.operators.len();
        let result = match op {
            Binary::Arith(op) => {
                let location = self.location(LocationKind::Arithmetic, text::of_expr(whole), whole);
                self.notes.expr(whole, note(ty, shift.then_some(other), location));
                self.checks.operators.push((TypeCheck::Arith(op, ty), span));
                if shift {
                    self.checks.operators.push((TypeCheck::ShiftAmount(op, other), node.right.source_span()));
                }
                self.temp(Rvalue::Arith(op, left, right, Some(location)), ty, whole)
            }
            Binary::Logic(op) => {
                self.checks.operators.push((TypeCheck::Logic(op, ty), span));
                self.temp(Rvalue::Logic(op, left, right), ty, whole)
            }
            Binary::Compare(op) => {
                self.checks.operators.push((TypeCheck::Compare(op, ty), span));
                self.notes.expr(whole, Note::Comparison { ty });
                let truth = self.known(Scalar::Bool);
                self.temp(Rvalue::Compare(op, left, right), truth, whole)
            }
            // Both sides are evaluated already, without effects.
            Binary::Short(or) => {
                let logic = if or { Logic::Or } else { Logic::And };
                self.temp(Rvalue::Logic(logic, left, right), ty, whole)
            }
        };
        if !agree {
            // Each operator is reported once.
            self.checks.operators.truncate(checked);
        }
        result
    }

    /// Parses `a && b` and `a || b`, without a branch where `b` can neither fault nor have an effect.
    fn short_circuit(&mut self, whole: &Expr, node: &ExprBinary, or: bool) -> Lowered {
        let sign = if or { "`||`" } else { "`&&`" };
        let left = self.scalar(&node.left);
        self.expect(Scalar::Bool, &left, &node.left, &format!("each side of {sign}"));
        let left = self.settle(left, &node.left, [&*node.right]);
        let (mut block, right) = self.block(|this| {
            let right = this.scalar(&node.right);
            this.expect(Scalar::Bool, &right, &node.right, &format!("each side of {sign}"));
            right
        });
        if !block.ended && block.stmts.iter().all(|s| is_pure(&s.what)) {
            self.splice(block);
            let value = self.combine(whole, node, Binary::Short(or), left, right, |ty, amount, location| {
                Note::Operator { ty, amount, location }
            });
            return Lowered::Atom(value);
        }
        let truth = self.known(Scalar::Bool);
        let var = self.var(None, truth, false);
        self.push(StmtKind::Let { var, value: Rvalue::Use(left.clone()) }, whole);
        if !block.ended {
            let at = self.loc(&node.right);
            block.stmts.push(Stmt { what: StmtKind::Assign { var, steps: Vec::new(), value: right }, at });
        }
        let (then, other) = if or { (Vec::new(), block.stmts) } else { (block.stmts, Vec::new()) };
        self.push(StmtKind::If { condition: left, then, other }, whole);
        Lowered::Atom(Atom::Var(var))
    }

    /// Parses `place op= value`: the value first, then the place, as Rust does for scalars.
    fn compound(&mut self, whole: &Expr, node: &ExprBinary, op: Binary) -> Lowered {
        let right = self.number_operand(&op, &node.right);
        let Some(place) = self.place(&node.left) else { return Lowered::Failed };
        let late = self.may_assign(&node.right);
        let indexed = place.is_indexed();
        let left = self.load(&place, &node.left);
        if let Binary::Arith(arith) = &op {
            let operator = format!("{}=", arith.rust());
            let operands = Operands::Place { place: place.clone(), left: left.clone(), right: right.clone(), late };
            if let Some(done) = self.own_operator(whole, &operator, &operands) {
                return done;
            }
        }
        let value = self.combine(whole, node, op, left, right, |ty, amount, location| match indexed {
            true => Note::CompoundPart { ty, amount, location: Some(location) },
            false => Note::Compound { ty, amount, location, late },
        });
        if indexed && self.notes.of_expr(whole).is_none() {
            let ty = self.type_of(&value);
            self.notes.expr(whole, Note::CompoundPart { ty, amount: None, location: None });
        }
        self.store(place, value, whole);
        Lowered::Unit
    }

    pub(super) fn unary(&mut self, whole: &Expr, node: &ExprUnary, hint: Option<Scalar>) -> Lowered {
        let op = match node.op {
            UnOp::Neg(_) => UnaryOp::Neg,
            UnOp::Not(_) => UnaryOp::Not,
            _ => return self.dereference(whole, node),
        };
        if let (UnaryOp::Neg, Expr::Lit(lit)) = (op, &*node.expr) {
            return self.literal(&node.expr, &lit.lit, Some(whole), hint);
        }
        let value = self.expr(&node.expr, hint);
        let operand = self.need(value, &node.expr);
        if op == UnaryOp::Neg
            && let Some(value) = self.own_operator(whole, "neg", &Operands::One(operand.clone()))
        {
            return value;
        }
        let ty = self.type_of(&operand);
        self.checks.operators.push((TypeCheck::Unary(op, ty), whole.source_span()));
        let location = (op == UnaryOp::Neg).then(|| {
            let location = self.location(LocationKind::Arithmetic, text::of_expr(whole), whole);
            self.notes.expr(whole, Note::Operator { ty, amount: None, location });
            location
        });
        Lowered::Atom(self.temp(Rvalue::Unary(op, operand, location), ty, whole))
    }

    /// Parses `*name` of a `&mut` parameter, or `*value` of a shared reference.
    fn dereference(&mut self, whole: &Expr, node: &ExprUnary) -> Lowered {
        if self.may_refer(&node.expr) {
            self.notes.expr(whole, Note::Erased);
            return self.expr(&node.expr, None);
        }
        match self.place(whole) {
            Some(place) => Lowered::Atom(self.load(&place, whole)),
            None => Lowered::Failed,
        }
    }

    pub(super) fn cast(&mut self, whole: &Expr, node: &ExprCast) -> Lowered {
        let letter = matches!(&*node.ty, syn::Type::Path(path) if path.path.is_ident("char"));
        let target = if letter { Some(Scalar::U8) } else { types::scalar(&node.ty) };
        let value = self.expr(&node.expr, target);
        let operand = self.need(value, &node.expr);
        let (from, to) = (self.type_of(&operand), self.written_type(&node.ty));
        self.checks.operators.push((TypeCheck::Cast(from, to), whole.source_span()));
        Lowered::Atom(self.temp(Rvalue::Cast(operand, to), to, whole))
    }
}

/// Returns whether the statement neither faults nor has an effect beyond its own variable.
fn is_pure(what: &StmtKind) -> bool {
    matches!(what, StmtKind::Let { value, .. } if value.location().is_none())
}
