//! The stable text form of a transaction, for snapshots and for people.

use std::fmt::{self, Display, Formatter};

use super::{Atom, Block, RegionId, Rvalue, Stmt, StmtKind, Transaction, UnaryOp, VarId};
use crate::spec::Role;

impl Display for Transaction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "transaction {}(", self.name)?;
        for (k, param) in self.params.iter().enumerate() {
            let comma = if k == 0 { "" } else { ", " };
            match param.role {
                Role::Value(ty) => write!(f, "{comma}{}.{k}: {}", param.name, ty.rust())?,
                Role::Region(ty) => write!(f, "{comma}{}.{k}: shared {}", param.name, ty.rust())?,
            }
        }
        match self.result {
            Some(ty) => writeln!(f, ") -> {}", ty.rust())?,
            None => writeln!(f, ")")?,
        }
        Printer { tx: self, depth: 1 }.block(f, &self.body)?;
        for (k, site) in self.sites.iter().enumerate() {
            writeln!(f, "site {k}: {}:{} {:?} `{}`", site.at.line, site.at.column, site.what, site.text)?;
        }
        Ok(())
    }
}

struct Printer<'a> {
    tx: &'a Transaction,
    depth: usize,
}

impl Printer<'_> {
    fn block(&mut self, f: &mut Formatter<'_>, block: &Block) -> fmt::Result {
        block.iter().try_for_each(|stmt| self.stmt(f, stmt))
    }

    fn nested(&mut self, f: &mut Formatter<'_>, block: &Block) -> fmt::Result {
        self.depth += 1;
        let done = self.block(f, block);
        self.depth -= 1;
        done
    }

    fn stmt(&mut self, f: &mut Formatter<'_>, stmt: &Stmt) -> fmt::Result {
        let pad = "  ".repeat(self.depth);
        write!(f, "{pad}")?;
        match &stmt.what {
            StmtKind::Declare { var } => writeln!(f, "let {}", self.declared(*var)),
            StmtKind::Let { var, value } => {
                let site = value.site().map(|s| format!(" @{}", s.0)).unwrap_or_default();
                writeln!(f, "let {} = {}{site}", self.declared(*var), self.rvalue(value))
            }
            StmtKind::Assign { var, value } => writeln!(f, "{} = {}", self.var(*var), self.atom(value)),
            StmtKind::Read { var, region, index, site } => {
                let (var, index, region) = (self.declared(*var), self.atom(index), self.region(*region));
                writeln!(f, "let {var} = read {region}[{index}] @{}", site.0)
            }
            StmtKind::Write { region, index, value, site } => {
                let (region, index, value) = (self.region(*region), self.atom(index), self.atom(value));
                writeln!(f, "write {region}[{index}] = {value} @{}", site.0)
            }
            StmtKind::Guard { condition, site } => writeln!(f, "guard {} @{}", self.atom(condition), site.0),
            StmtKind::Reject { code, site } => writeln!(f, "reject {} @{}", self.atom(code), site.0),
            StmtKind::If { condition, then, other } => {
                writeln!(f, "if {}", self.atom(condition))?;
                self.nested(f, then)?;
                if !other.is_empty() {
                    writeln!(f, "{pad}else")?;
                    self.nested(f, other)?;
                }
                Ok(())
            }
            StmtKind::Loop { id, head, condition, body, site } => {
                writeln!(f, "loop #{} @{}", id.0, site.0)?;
                self.nested(f, head)?;
                if let Some(condition) = condition {
                    writeln!(f, "{pad}while {}", self.atom(condition))?;
                }
                self.nested(f, body)
            }
            StmtKind::For { id, var, start, end, inclusive, body, site, .. } => {
                let dots = if *inclusive { "..=" } else { ".." };
                let (var, start, end) = (self.declared(*var), self.atom(start), self.atom(end));
                writeln!(f, "for {var} in {start}{dots}{end} #{} @{}", id.0, site.0)?;
                self.nested(f, body)
            }
            StmtKind::Break(id) => writeln!(f, "break #{}", id.0),
            StmtKind::Continue(id) => writeln!(f, "continue #{}", id.0),
            StmtKind::Return(None) => writeln!(f, "return"),
            StmtKind::Return(Some(value)) => writeln!(f, "return {}", self.atom(value)),
        }
    }

    fn rvalue(&self, value: &Rvalue) -> String {
        let pair = |op: &str, a, b| format!("{} {op} {}", self.atom(a), self.atom(b));
        match value {
            Rvalue::Use(a) => self.atom(a),
            Rvalue::Unary(UnaryOp::Neg, a, _) => format!("neg {}", self.atom(a)),
            Rvalue::Unary(UnaryOp::Not, a, _) => format!("not {}", self.atom(a)),
            Rvalue::Arith(op, a, b, _) => pair(op.rust(), a, b),
            Rvalue::Logic(op, a, b) => pair(op.rust(), a, b),
            Rvalue::Compare(op, a, b) => pair(op.rust(), a, b),
            Rvalue::Cast(a, to) => format!("{} as {}", self.atom(a), self.tx.scalar(*to).rust()),
        }
    }

    fn region(&self, region: RegionId) -> String {
        self.var(VarId(region.0))
    }

    fn declared(&self, var: VarId) -> String {
        format!("{}: {}", self.var(var), self.tx.type_of(var).rust())
    }

    fn var(&self, var: VarId) -> String {
        let name = self.tx.vars[var.0 as usize].name.as_deref().unwrap_or("%");
        if name == "%" { format!("%{}", var.0) } else { format!("{name}.{}", var.0) }
    }

    fn atom(&self, atom: &Atom) -> String {
        match atom {
            Atom::Var(var) => self.var(*var),
            Atom::Int(value, ty) => format!("{value}_{}", self.tx.scalar(*ty).rust()),
            Atom::Float(text, ty) => format!("{text}_{}", self.tx.scalar(*ty).rust()),
            Atom::Bool(value) => value.to_string(),
        }
    }
}
