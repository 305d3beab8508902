//! Operators and casts.

use syn::{BinOp, Expr, ExprBinary, ExprCast, ExprUnary, UnOp};

use super::lower::{Lowering, Value, assigns};
use super::notes::Note;
use super::{signature, text};
use crate::diag::{Extent, Rule};
use crate::ir::{Arith, Atom, Compare, Logic, Rvalue, StmtKind, TyId, UnaryOp, VarId};
use crate::spec::{Scalar, SiteKind};

/// An operator on types that inference has yet to find.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Check {
    Arith(Arith, TyId),
    ShiftAmount(Arith, TyId),
    Logic(Logic, TyId),
    Unary(UnaryOp, TyId),
    Cast(TyId, TyId),
    Index(TyId),
    Counter(TyId),
}

/// What a binary operator token stands for.
pub(super) enum Binary {
    Arith(Arith),
    Logic(Logic),
    Compare(Compare),
    /// `&&`, and `||` where true.
    Short(bool),
}

pub(super) fn binary(op: &BinOp) -> Option<Binary> {
    Some(match op {
        BinOp::Lt(_) => Binary::Compare(Compare::Lt),
        BinOp::Le(_) => Binary::Compare(Compare::Le),
        BinOp::Gt(_) => Binary::Compare(Compare::Gt),
        BinOp::Ge(_) => Binary::Compare(Compare::Ge),
        BinOp::Eq(_) => Binary::Compare(Compare::Eq),
        BinOp::Ne(_) => Binary::Compare(Compare::Ne),
        BinOp::And(_) => Binary::Short(false),
        BinOp::Or(_) => Binary::Short(true),
        BinOp::Add(_) => Binary::Arith(Arith::Add),
        BinOp::Sub(_) => Binary::Arith(Arith::Sub),
        BinOp::Mul(_) => Binary::Arith(Arith::Mul),
        BinOp::Div(_) => Binary::Arith(Arith::Div),
        BinOp::Rem(_) => Binary::Arith(Arith::Rem),
        BinOp::Shl(_) => Binary::Arith(Arith::Shl),
        BinOp::Shr(_) => Binary::Arith(Arith::Shr),
        BinOp::BitAnd(_) => Binary::Logic(Logic::And),
        BinOp::BitOr(_) => Binary::Logic(Logic::Or),
        BinOp::BitXor(_) => Binary::Logic(Logic::Xor),
        _ => return None,
    })
}

/// The operator of a compound assignment.
pub(super) fn compound(op: &BinOp) -> Option<Binary> {
    Some(match op {
        BinOp::AddAssign(_) => Binary::Arith(Arith::Add),
        BinOp::SubAssign(_) => Binary::Arith(Arith::Sub),
        BinOp::MulAssign(_) => Binary::Arith(Arith::Mul),
        BinOp::DivAssign(_) => Binary::Arith(Arith::Div),
        BinOp::RemAssign(_) => Binary::Arith(Arith::Rem),
        BinOp::ShlAssign(_) => Binary::Arith(Arith::Shl),
        BinOp::ShrAssign(_) => Binary::Arith(Arith::Shr),
        BinOp::BitAndAssign(_) => Binary::Logic(Logic::And),
        BinOp::BitOrAssign(_) => Binary::Logic(Logic::Or),
        BinOp::BitXorAssign(_) => Binary::Logic(Logic::Xor),
        _ => return None,
    })
}

impl Lowering<'_> {
    pub(super) fn binary(&mut self, whole: &Expr, node: &ExprBinary) -> Value {
        if let Some(op) = compound(&node.op) {
            return self.compound(whole, node, op);
        }
        let Some(op) = binary(&node.op) else {
            return self.refuse(whole, "this operator", "use an operator of Rust's scalars");
        };
        if let Binary::Short(or) = op {
            return self.short_circuit(whole, node, or);
        }
        let left = self.scalar(&node.left);
        let left = self.settle(left, &node.left, [&*node.right]);
        let right = self.scalar(&node.right);
        Value::Scalar(self.combine(whole, node, op, left, right, |ty, amount, site| Note::Operator {
            ty,
            amount,
            site,
        }))
    }

    /// Two evaluated operands become one value.
    fn combine(
        &mut self,
        whole: &Expr,
        node: &ExprBinary,
        op: Binary,
        left: Atom,
        right: Atom,
        note: impl FnOnce(TyId, Option<TyId>, crate::ir::SiteId) -> Note,
    ) -> Atom {
        let (ty, other) = (self.type_of(&left), self.type_of(&right));
        let shift = matches!(op, Binary::Arith(op) if op.is_shift());
        if !shift {
            let sign = quote::ToTokens::to_token_stream(&node.op);
            self.same(ty, other, &node.right, |left, right| {
                format!("`{sign}` needs two values of one type, but the left one is {left} and this is {right}")
            });
        }
        let extent = Extent::of(whole);
        match op {
            Binary::Arith(op) => {
                let site = self.site(SiteKind::Arithmetic, text::source(whole), whole);
                self.notes.expr(whole, note(ty, shift.then_some(other), site));
                self.checks.operators.push((Check::Arith(op, ty), extent));
                if shift {
                    self.checks.operators.push((Check::ShiftAmount(op, other), Extent::of(&node.right)));
                }
                self.temp(Rvalue::Arith(op, left, right, Some(site)), ty, whole)
            }
            Binary::Logic(op) => {
                self.checks.operators.push((Check::Logic(op, ty), extent));
                self.temp(Rvalue::Logic(op, left, right), ty, whole)
            }
            Binary::Compare(op) => {
                let truth = self.known(Scalar::Bool);
                self.temp(Rvalue::Compare(op, left, right), truth, whole)
            }
            // Both sides are evaluated already, and without effect.
            Binary::Short(or) => {
                let logic = if or { Logic::Or } else { Logic::And };
                self.temp(Rvalue::Logic(logic, left, right), ty, whole)
            }
        }
    }

    /// `a && b` and `a || b`: without a branch where `b` can neither fault nor have an effect.
    fn short_circuit(&mut self, whole: &Expr, node: &ExprBinary, or: bool) -> Value {
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
            let value = self.combine(whole, node, Binary::Short(or), left, right, |ty, amount, site| Note::Operator {
                ty,
                amount,
                site,
            });
            return Value::Scalar(value);
        }
        let truth = self.known(Scalar::Bool);
        let var = self.var(None, truth, false);
        self.push(StmtKind::Let { var, value: Rvalue::Use(left.clone()) }, whole);
        if !block.ended {
            let at = self.loc(&node.right);
            block.stmts.push(crate::ir::Stmt { what: StmtKind::Assign { var, value: right }, at });
        }
        let (then, other) = if or { (Vec::new(), block.stmts) } else { (block.stmts, Vec::new()) };
        self.push(StmtKind::If { condition: left, then, other }, whole);
        Value::Scalar(Atom::Var(var))
    }

    /// `place op= value`: the value first, then the place, as Rust does for scalars.
    fn compound(&mut self, whole: &Expr, node: &ExprBinary, op: Binary) -> Value {
        let right = self.scalar(&node.right);
        let Some(var) = self.place(&node.left) else { return Value::Failed };
        let late = assigns(&node.right);
        let left = Atom::Var(var);
        let value =
            self.combine(whole, node, op, left, right, |ty, amount, site| Note::Compound { ty, amount, site, late });
        self.push(StmtKind::Assign { var, value }, whole);
        Value::Unit
    }

    /// The variable that an assignment changes.
    pub(super) fn place(&mut self, expr: &Expr) -> Option<VarId> {
        use super::lower::Binding;
        match expr {
            Expr::Paren(inner) => return self.place(&inner.expr),
            Expr::Group(inner) => return self.place(&inner.expr),
            Expr::Path(path) => {
                let name = path.path.get_ident().map(text::plain);
                match name.as_deref().and_then(|name| self.lookup(name)) {
                    Some(Binding::Var(var)) => return Some(var),
                    Some(Binding::Region(_)) => {
                        let name = name.unwrap_or_default();
                        let message =
                            format!("shared data changes through `tx` alone; write `tx.write({name}, index, value)?`");
                        self.diags.report(Rule::SharedState, expr, message);
                    }
                    Some(Binding::Tx) => {
                        self.diags.report(Rule::SharedState, expr, "the handle cannot be replaced; use its methods");
                    }
                    None => self.unknown_name(expr, &text::source(expr)),
                }
            }
            Expr::Index(index) => {
                let message = format!(
                    "shared data changes through `tx` alone, because an attempt can be undone; \
                     write `tx.write({}, {}, value)?`",
                    text::source(&index.expr),
                    text::source(&index.index)
                );
                self.diags.report(Rule::SharedState, expr, message);
            }
            _ => {
                let message = "only a local variable can be assigned; shared data changes with `tx.write`";
                self.diags.report(Rule::SharedState, expr, message);
            }
        }
        None
    }

    pub(super) fn unary(&mut self, whole: &Expr, node: &ExprUnary, hint: Option<Scalar>) -> Value {
        let op = match node.op {
            UnOp::Neg(_) => UnaryOp::Neg,
            UnOp::Not(_) => UnaryOp::Not,
            _ => return self.refuse(whole, "`*` (a dereference)", "values are passed by value; remove the `*`"),
        };
        if let (UnaryOp::Neg, Expr::Lit(lit)) = (op, &*node.expr) {
            return self.literal(&node.expr, &lit.lit, Some(whole), hint);
        }
        let value = self.expr(&node.expr, hint);
        let operand = self.need(value, &node.expr);
        let ty = self.type_of(&operand);
        self.checks.operators.push((Check::Unary(op, ty), Extent::of(whole)));
        let site = (op == UnaryOp::Neg).then(|| {
            let site = self.site(SiteKind::Arithmetic, text::source(whole), whole);
            self.notes.expr(whole, Note::Operator { ty, amount: None, site });
            site
        });
        Value::Scalar(self.temp(Rvalue::Unary(op, operand, site), ty, whole))
    }

    pub(super) fn cast(&mut self, whole: &Expr, node: &ExprCast) -> Value {
        let target = signature::scalar(&node.ty);
        let value = self.expr(&node.expr, target);
        let operand = self.need(value, &node.expr);
        let Some(target) = target else {
            self.bad_type(&node.ty);
            return Value::Failed;
        };
        let (from, to) = (self.type_of(&operand), self.known(target));
        self.checks.operators.push((Check::Cast(from, to), Extent::of(whole)));
        Value::Scalar(self.temp(Rvalue::Cast(operand, to), to, whole))
    }
}

/// The statement neither faults nor has an effect beyond its own variable.
fn is_pure(what: &StmtKind) -> bool {
    matches!(what, StmtKind::Let { value, .. } if value.site().is_none())
}
