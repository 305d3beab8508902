//! The text form of a flat transaction, which these tests look at.

use std::fmt::{self, Display, Formatter};

use crate::ir::flat::{Atom, Block, FlatParam, ForStmt, LoopStmt, ParamRole, Rvalue, Stmt, StmtKind, Transaction, Var};
use crate::ir::{ArrayId, UnaryOp, VarId};
use crate::spec::Scalar;

impl Display for Transaction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let params: Vec<String> = self.params.iter().enumerate().map(|(k, param)| show_param(k, param)).collect();
        let results: Vec<&str> = self.results.iter().map(|scalar| scalar.rust()).collect();
        let result = match results.as_slice() {
            [] => String::new(),
            [one] => format!(" -> {one}"),
            many => format!(" -> ({})", many.join(", ")),
        };
        writeln!(f, "transaction {}({}){result}", self.name, params.join(", "))?;
        Printer { tx: self, depth: 1 }.block(f, &self.body)?;
        for (k, location) in self.locations.iter().enumerate() {
            write!(f, "location {k}: {}", location.decl)?;
            match &location.file {
                Some(file) => writeln!(f, " in {file}")?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}

fn show_param(number: usize, param: &FlatParam) -> String {
    let (name, ty) = (&param.name, param.scalar.rust());
    match param.role {
        ParamRole::Value => format!("{name}.{number}: {ty}"),
        ParamRole::Array { part: None } => format!("{name}.{number}: shared {ty}"),
        ParamRole::Array { part: Some(part) } => format!("{name}.{number}: shared {ty} in parts of {part}"),
    }
}

impl Var {
    fn show_type(&self) -> String {
        match self.length {
            Some(length) => format!("[{}; {length}]", self.scalar.rust()),
            None => self.scalar.rust().to_owned(),
        }
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
        writeln!(f, "{pad}{}", self.head(&stmt.what))?;
        match &stmt.what {
            StmtKind::If { then, other, .. } => {
                self.nested(f, then)?;
                if !other.is_empty() {
                    writeln!(f, "{pad}else")?;
                    self.nested(f, other)?;
                }
                Ok(())
            }
            StmtKind::Loop(LoopStmt { head, condition, body, .. }) => {
                self.nested(f, head)?;
                if let Some(condition) = condition {
                    writeln!(f, "{pad}while {}", self.atom(condition))?;
                }
                self.nested(f, body)
            }
            StmtKind::For(ForStmt { body, .. }) | StmtKind::Block { body, .. } => self.nested(f, body),
            _ => Ok(()),
        }
    }

    /// Returns a statement without the blocks inside.
    fn head(&self, what: &StmtKind) -> String {
        match what {
            StmtKind::Declare { var } => format!("let {}", self.declared(*var)),
            StmtKind::Let { var, value } => {
                let location = value.location().map(|location| format!(" @{}", location.0)).unwrap_or_default();
                format!("let {} = {}{location}", self.declared(*var), self.rvalue(value))
            }
            StmtKind::Assign { var, value } => format!("{} = {}", self.var(*var), self.atom(value)),
            StmtKind::AssignElement { array, index, value, location } => {
                format!("{}[{} @{}] = {}", self.var(*array), self.atom(index), location.0, self.atom(value))
            }
            StmtKind::Read { var, array, index, location } => {
                let (var, array) = (self.declared(*var), self.array(*array));
                format!("let {var} = read {array}[{}] @{}", self.atom(index), location.0)
            }
            StmtKind::Write { array, index, value, location } => {
                let (array, value) = (self.array(*array), self.atom(value));
                format!("write {array}[{}] = {value} @{}", self.atom(index), location.0)
            }
            StmtKind::Guard { condition, location } => format!("guard {} @{}", self.atom(condition), location.0),
            StmtKind::Reject { code, location } => format!("reject {} @{}", self.atom(code), location.0),
            StmtKind::Fault { code, location } => format!("fault {code:?} @{}", location.0),
            StmtKind::FaultIf { function, args, checked, location } => {
                let when = if *checked { "checked fault" } else { "fault" };
                format!("{when} if {function}({}) @{}", self.atoms(args, ", "), location.0)
            }
            StmtKind::If { condition, .. } => format!("if {}", self.atom(condition)),
            StmtKind::Loop(LoopStmt { id, location, .. }) => format!("loop #{} @{}", id.0, location.0),
            StmtKind::For(ForStmt { id, var, range, location, .. }) => {
                let range = range.show(|atom| self.atom(atom));
                format!("for {} in {range} #{} @{}", self.declared(*var), id.0, location.0)
            }
            StmtKind::Block { id, .. } => format!("block #{}", id.0),
            StmtKind::Break(id) => format!("break #{}", id.0),
            StmtKind::Continue(id) => format!("continue #{}", id.0),
            StmtKind::Return(values) if values.is_empty() => "return".to_owned(),
            StmtKind::Return(values) => format!("return {}", self.atoms(values, ", ")),
            StmtKind::Print { values, location } => format!("print {} @{}", self.atoms(values, " "), location.0),
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
            Rvalue::Cast(a, to) => format!("{} as {}", self.atom(a), to.rust()),
            Rvalue::Array(atoms) => format!("[{}]", self.atoms(atoms, ", ")),
            Rvalue::Repeat(a) => format!("[{}; _]", self.atom(a)),
            Rvalue::Element(array, index, _) => format!("{}[{}]", self.var(*array), self.atom(index)),
            Rvalue::Length(array) => format!("length of {}", self.array(*array)),
            Rvalue::Device(name, args) => format!("{name}({})", self.atoms(args, ", ")),
        }
    }

    fn array(&self, array: ArrayId) -> String {
        self.var(VarId(array.0))
    }

    fn declared(&self, var: VarId) -> String {
        format!("{}: {}", self.var(var), self.tx.var(var).show_type())
    }

    fn var(&self, var: VarId) -> String {
        var.show(self.tx.var(var).name.as_deref())
    }

    fn atoms(&self, atoms: &[Atom], between: &str) -> String {
        atoms.iter().map(|atom| self.atom(atom)).collect::<Vec<_>>().join(between)
    }

    fn atom(&self, atom: &Atom) -> String {
        let literal = |value: &dyn Display, scalar: &Scalar| format!("{value}_{}", scalar.rust());
        match atom {
            Atom::Var(var) => self.var(*var),
            Atom::Int(value, scalar) => literal(value, scalar),
            Atom::Float(text, scalar) => literal(text, scalar),
            Atom::Bits(bits, scalar) => literal(&format_args!("{bits:#x}"), scalar),
            Atom::Bool(value) => value.to_string(),
        }
    }
}
