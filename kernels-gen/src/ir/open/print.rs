//! The stable text form of an open function, for snapshots and for people.

use std::fmt::{self, Display, Formatter};

use super::{
    Arg, Atom, Block, Form, Function, Length, OpenTy, ParamRole, Piece, Relation, Rvalue, Step, Stmt, StmtKind, Ty,
    TyId,
};
use crate::ir::{ArrayId, LocationId, UnaryOp, VarId};

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let form = match self.form {
            Form::Transaction => "transaction",
            Form::Function { tries: false } => "function",
            Form::Function { tries: true } => "trying function",
        };
        write!(f, "{form} {}(", self.name)?;
        for (k, param) in self.params.iter().enumerate() {
            let comma = if k == 0 { "" } else { ", " };
            let role = match param.role {
                ParamRole::Value => "",
                ParamRole::Array => "shared ",
                ParamRole::Place => "place ",
            };
            write!(f, "{comma}{}.{k}: {role}{}", param.name, self.show(param.ty))?;
            match param.part {
                Some(Length::Known(part)) => write!(f, " in parts of {part}")?,
                Some(part) => write!(f, " in parts of {part:?}")?,
                None => {}
            }
        }
        match self.ty(self.result) {
            Ty::Unit => writeln!(f, ")")?,
            _ => writeln!(f, ") -> {}", self.show(self.result))?,
        }
        let mut printer = Printer { tx: self, depth: 1 };
        self.relations.iter().try_for_each(|relation| printer.relation(f, relation))?;
        printer.block(f, &self.body)?;
        for (k, location) in self.locations.iter().enumerate() {
            writeln!(f, "location {k}: {location}")?;
        }
        Ok(())
    }
}

impl Function {
    /// Returns a type, as Rust writes it where that is possible; `?7` is the open type with number 7.
    fn show(&self, ty: TyId) -> String {
        match self.ty(ty) {
            Ty::Scalar(scalar) => scalar.rust().to_owned(),
            Ty::Unit => "()".to_owned(),
            Ty::Tuple(parts) => format!("({})", parts.iter().map(|p| self.show(*p)).collect::<Vec<_>>().join(", ")),
            Ty::Array(element, Length::Known(length)) => format!("[{}; {length}]", self.show(*element)),
            Ty::Array(element, Length::Constant(constant)) => {
                format!("[{}; const {}]", self.show(*element), constant.0)
            }
            Ty::Array(element, Length::Open) => format!("[{}; _]", self.show(*element)),
            Ty::Option(inner) => format!("Option<{}>", self.show(*inner)),
            Ty::Result(ok, err) => format!("Result<{}, {}>", self.show(*ok), self.show(*err)),
            Ty::Shared(element) => format!("&Shared<{}>", self.show(*element)),
            Ty::Named(number) => format!("named {number}"),
            Ty::Open(OpenTy::Int) => format!("?{} int", self.root(ty).0),
            Ty::Open(OpenTy::Float) => format!("?{} float", self.root(ty).0),
            Ty::Open(OpenTy::Any | OpenTy::Dead) | Ty::Same(_) => format!("?{}", self.root(ty).0),
        }
    }

    /// Follows the links between equal types to the last one.
    fn root(&self, mut ty: TyId) -> TyId {
        while let Ty::Same(next) = &self.types[ty.0 as usize] {
            ty = *next;
        }
        ty
    }
}

struct Printer<'a> {
    tx: &'a Function,
    depth: usize,
}

impl Printer<'_> {
    fn relation(&self, f: &mut Formatter<'_>, relation: &Relation) -> fmt::Result {
        let show = |ty: &TyId| self.tx.show(*ty);
        let list = |types: &[TyId]| types.iter().map(show).collect::<Vec<_>>().join(", ");
        match relation {
            Relation::Names { ty, name } => writeln!(f, "  where {} is type {name}", show(ty)),
            Relation::Constant { ty, constant } => writeln!(f, "  where {} is of const {}", show(ty), constant.0),
            Relation::Same { a, b } => writeln!(f, "  where {} is {}", show(a), show(b)),
            Relation::Field { of, name, ty } => writeln!(f, "  where {} is {}.{name}", show(ty), show(of)),
            Relation::Element { of, ty } => writeln!(f, "  where {} is an element of {}", show(ty), show(of)),
            Relation::States { function, generic, ty } => {
                writeln!(f, "  where call {} has {generic} = {}", function.0, show(ty))
            }
            Relation::Variant { of, name } => writeln!(f, "  where {} has {name}", show(of)),
            Relation::Method { receiver, name, args, result } => {
                writeln!(f, "  where {} is {}.{name}({})", show(result), show(receiver), list(args))
            }
            Relation::Call { function, args, result } => {
                writeln!(f, "  where {} is call {}({})", show(result), function.0, list(args))
            }
        }
    }

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
            StmtKind::Loop { head, condition, body, .. } => {
                self.nested(f, head)?;
                if let Some(condition) = condition {
                    writeln!(f, "{pad}while {}", self.atom(condition))?;
                }
                self.nested(f, body)
            }
            StmtKind::For { body, .. } | StmtKind::Block { body, .. } => self.nested(f, body),
            _ => Ok(()),
        }
    }

    /// Returns a statement without the blocks inside.
    fn head(&self, what: &StmtKind) -> String {
        match what {
            StmtKind::Declare { var } => format!("let {}", self.declared(*var)),
            StmtKind::Let { var, value } => {
                let location = value.location().map(|s| format!(" @{}", s.0)).unwrap_or_default();
                format!("let {} = {}{location}", self.declared(*var), self.rvalue(value))
            }
            StmtKind::Assign { var, steps, value } => {
                format!("{} = {}", self.place(*var, steps), self.atom(value))
            }
            StmtKind::Read { var, array, fields, index, location } => {
                let (var, array) = (self.declared(*var), self.array(*array, fields));
                format!("let {var} = read {array}[{}] @{}", self.atom(index), location.0)
            }
            StmtKind::Choose { var, array, fields, index, location } => {
                let (var, array) = (self.declared(*var), self.array(*array, fields));
                format!("let {var} = &{array}[{}] @{}", self.atom(index), location.0)
            }
            StmtKind::Write { array, fields, index, value, location } => {
                let (array, value) = (self.array(*array, fields), self.atom(value));
                format!("write {array}[{}] = {value} @{}", self.atom(index), location.0)
            }
            StmtKind::Guard { condition, location } => format!("guard {} @{}", self.atom(condition), location.0),
            StmtKind::Reject { code, location } => format!("reject {} @{}", self.atom(code), location.0),
            StmtKind::Fault { code, location } => format!("fault {code:?} @{}", location.0),
            StmtKind::If { condition, .. } => format!("if {}", self.atom(condition)),
            StmtKind::Loop { id, location, .. } => format!("loop #{} @{}", id.0, location.0),
            StmtKind::For { id, var, range, location, .. } => {
                let range = range.show(|atom| self.atom(atom));
                format!("for {} in {range} #{} @{}", self.declared(*var), id.0, location.0)
            }
            StmtKind::Block { id, .. } => format!("block #{}", id.0),
            StmtKind::Break(id) => format!("break #{}", id.0),
            StmtKind::Continue(id) => format!("continue #{}", id.0),
            StmtKind::Return(atoms) if atoms.is_empty() => "return".to_owned(),
            StmtKind::Return(atoms) => format!("return {}", self.atoms(atoms)),
            StmtKind::Call { var, call, args, location } => {
                let args: Vec<String> = args.iter().map(|arg| self.arg(arg)).collect();
                format!("let {} = call {}({}) @{}", self.declared(*var), call.0, args.join(", "), location.0)
            }
            StmtKind::Print { pieces, location } => {
                let pieces: Vec<String> = pieces.iter().map(|piece| self.piece(piece)).collect();
                format!("print {} @{}", pieces.join(" "), location.0)
            }
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
            Rvalue::Cast(a, to) => format!("{} as {}", self.atom(a), self.tx.show(*to)),
            Rvalue::Array(atoms) => format!("[{}]", self.atoms(atoms)),
            Rvalue::Repeat(a) => format!("[{}; _]", self.atom(a)),
            Rvalue::Element(a, index, _) => format!("{}[{}]", self.atom(a), self.atom(index)),
            Rvalue::Slice(a, start, end, _) => format!("{}[{}..{}]", self.atom(a), self.atom(start), self.atom(end)),
            Rvalue::Tuple(atoms) => format!("({})", self.atoms(atoms)),
            Rvalue::Record(fields, base) => {
                let mut parts: Vec<String> =
                    fields.iter().map(|(name, atom)| format!("{name}: {}", self.atom(atom))).collect();
                parts.extend(base.as_ref().map(|base| format!("..{}", self.atom(base))));
                format!("{{ {} }}", parts.join(", "))
            }
            Rvalue::Variant(name, fields) => {
                let fields = fields.iter().map(|(name, atom)| format!("{name}: {}", self.atom(atom)));
                format!("{name} {{ {} }}", fields.collect::<Vec<_>>().join(", "))
            }
            Rvalue::IsVariant(a, name) => format!("is {name} {}", self.atom(a)),
            Rvalue::Some(a) => format!("some {}", self.atom(a)),
            Rvalue::None => "none".to_owned(),
            Rvalue::Default => "default".to_owned(),
            Rvalue::Field(a, name) => format!("{}.{name}", self.atom(a)),
            Rvalue::IsSome(a) => format!("is some {}", self.atom(a)),
            Rvalue::Inner(a) => format!("inner {}", self.atom(a)),
            Rvalue::Constant(constant) => format!("const {}", constant.0),
            Rvalue::Shared(array, fields) => format!("&{}", self.array(*array, fields)),
            Rvalue::Length(array) => format!("length of {}", self.array(*array, &[])),
            Rvalue::Method(name, args, _) => format!("method {name}({})", self.atoms(args)),
        }
    }

    fn place(&self, var: VarId, steps: &[Step]) -> String {
        let step = |step: &Step| match step {
            Step::Field(name) => format!(".{name}"),
            Step::Element(index, LocationId(location)) => format!("[{} @{location}]", self.atom(index)),
        };
        self.var(var) + &steps.iter().map(step).collect::<String>()
    }

    fn arg(&self, arg: &Arg) -> String {
        match arg {
            Arg::Value(atom) => self.atom(atom),
            Arg::Array(array, fields) => self.array(*array, fields),
            Arg::Place(var, steps) => format!("&mut {}", self.place(*var, steps)),
            Arg::Receiver(var, steps, value) => format!("&mut {} or {}", self.place(*var, steps), self.atom(value)),
        }
    }

    fn piece(&self, piece: &Piece) -> String {
        match piece {
            Piece::Text(text) => format!("{text:?}"),
            Piece::Value(atom, how) if how.is_empty() => self.atom(atom),
            Piece::Value(atom, how) => format!("{}:{how}", self.atom(atom)),
        }
    }

    fn array(&self, array: ArrayId, fields: &[String]) -> String {
        self.var(VarId(array.0)) + &fields.iter().map(|name| format!(".{name}")).collect::<String>()
    }

    fn declared(&self, var: VarId) -> String {
        format!("{}: {}", self.var(var), self.tx.show(self.tx.vars[var.0 as usize].ty))
    }

    fn var(&self, var: VarId) -> String {
        var.show(self.tx.vars[var.0 as usize].name.as_deref())
    }

    fn atoms(&self, atoms: &[Atom]) -> String {
        atoms.iter().map(|atom| self.atom(atom)).collect::<Vec<_>>().join(", ")
    }

    fn atom(&self, atom: &Atom) -> String {
        match atom {
            Atom::Var(var) => self.var(*var),
            Atom::Int(value, ty) => format!("{value}_{}", self.tx.show(*ty)),
            Atom::Float(text, ty) => format!("{text}_{}", self.tx.show(*ty)),
            Atom::Bits(bits, ty) => format!("{bits:#x}_{}", self.tx.show(*ty)),
            Atom::Bool(value) => value.to_string(),
            Atom::Unit => "()".to_owned(),
        }
    }
}
