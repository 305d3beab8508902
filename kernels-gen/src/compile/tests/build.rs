//! Builds an open transaction by hand, in the form that the macro makes.

use std::sync::Arc;

use crate::compile::built_in::nothing;
use crate::compile::{self, ProcedureError, Program};
use crate::ir::open::*;
use crate::ir::*;
use crate::spec::{Constant, LocationKind, Record, Scalar, Traits, Type};

pub(crate) struct Builder {
    pub(crate) program: Program,
    blocks: Vec<Block>,
    line: u32,
}

impl Builder {
    pub(crate) fn transaction(name: &str) -> Builder {
        Builder::new(name, Form::Transaction)
    }

    pub(crate) fn new(name: &str, form: Form) -> Builder {
        let tx = Function {
            name: name.to_owned(),
            file: format!("{name}.rs"),
            at: Position { line: 1, column: 1 },
            form,
            positions: vec![Position { line: 1, column: 1 }],
            ..nothing()
        };
        let program = Program { tx, types: Vec::new(), constants: Vec::new(), functions: Vec::new() };
        Builder { program, blocks: vec![Vec::new()], line: 1 }
    }

    /// Sets the line of what follows.
    pub(crate) fn line(&mut self, line: u32) {
        self.line = line;
        self.program.tx.positions.push(Position { line, column: 1 });
    }

    pub(crate) fn ty(&mut self, ty: Ty) -> TyId {
        self.program.tx.types.push(ty);
        TyId(self.program.tx.types.len() as u32 - 1)
    }

    pub(crate) fn scalar(&mut self, scalar: Scalar) -> TyId {
        self.ty(Ty::Scalar(scalar))
    }

    /// Returns a type that nothing in the macro determines.
    pub(crate) fn open(&mut self) -> TyId {
        self.ty(Ty::Open(OpenTy::Any))
    }

    /// Returns a type of the user's program.
    pub(crate) fn named(&mut self, named: Type) -> TyId {
        let ty = self.open();
        self.program.types.push(named);
        let name = self.program.types.len() as u32 - 1;
        self.program.tx.relations.push(Relation::Names { ty, name });
        ty
    }

    pub(crate) fn param(&mut self, name: &str, role: ParamRole, ty: TyId) -> VarId {
        self.program.tx.params.push(ParamDecl { name: name.to_owned(), role, ty, part: None });
        self.var(name, ty, role == ParamRole::Place)
    }

    pub(crate) fn array(&mut self, name: &str, element: TyId) -> VarId {
        self.param(name, ParamRole::Array, element)
    }

    /// Adds a parameter for a value, and returns the value.
    pub(crate) fn value(&mut self, name: &str, ty: TyId) -> Atom {
        Atom::Var(self.param(name, ParamRole::Value, ty))
    }

    pub(crate) fn var(&mut self, name: &str, ty: TyId, mutable: bool) -> VarId {
        let name = (!name.is_empty()).then(|| name.to_owned());
        self.program.tx.vars.push(Var { name, ty, mutable });
        VarId(self.program.tx.vars.len() as u32 - 1)
    }

    pub(crate) fn push(&mut self, what: StmtKind) {
        let at = PositionId(self.program.tx.positions.len() as u32 - 1);
        let last = self.blocks.len() - 1;
        self.blocks[last].push(Stmt { what, at });
    }

    /// Adds `let temporary = value`.
    pub(crate) fn temp(&mut self, value: Rvalue, ty: TyId) -> Atom {
        self.bind("", value, ty, false)
    }

    pub(crate) fn bind(&mut self, name: &str, value: Rvalue, ty: TyId, mutable: bool) -> Atom {
        let var = self.var(name, ty, mutable);
        self.push(StmtKind::Let { var, value });
        Atom::Var(var)
    }

    pub(crate) fn location(&mut self, what: LocationKind, text: &str) -> LocationId {
        let at = Position { line: self.line, column: 1 };
        self.program.tx.locations.push(LocationDecl { at, what, text: text.to_owned() });
        LocationId(self.program.tx.locations.len() as u32 - 1)
    }

    pub(crate) fn block(&mut self, fill: impl FnOnce(&mut Builder)) -> Block {
        self.blocks.push(Vec::new());
        fill(self);
        self.blocks.pop().expect("a block is open")
    }

    pub(crate) fn loop_id(&mut self) -> LoopId {
        self.program.tx.loops += 1;
        LoopId(self.program.tx.loops - 1)
    }

    pub(crate) fn int(&mut self, value: i128, scalar: Scalar) -> Atom {
        let ty = self.scalar(scalar);
        Atom::Int(value, ty)
    }

    pub(crate) fn field(&mut self, of: Atom, name: &str) -> Atom {
        let Atom::Var(var) = of else { panic!("only a variable has fields here") };
        let (ty, of_ty) = (self.open(), self.program.tx.vars[var.0 as usize].ty);
        self.program.tx.relations.push(Relation::Field { of: of_ty, name: name.to_owned(), ty });
        self.temp(Rvalue::Field(of, name.to_owned()), ty)
    }

    pub(crate) fn element(&mut self, of: Atom, index: Atom, ty: TyId) -> Atom {
        let location = self.location(LocationKind::Element, "a[i]");
        self.temp(Rvalue::Element(of, index, location), ty)
    }

    pub(crate) fn constant(&mut self, constant: Constant) -> Atom {
        let ty = self.open();
        let constant = self.constant_id(constant);
        self.program.tx.relations.push(Relation::Constant { ty, constant });
        self.temp(Rvalue::Constant(constant), ty)
    }

    pub(crate) fn constant_id(&mut self, constant: Constant) -> ConstId {
        self.program.constants.push(constant);
        ConstId(self.program.constants.len() as u32 - 1)
    }

    pub(crate) fn arith(&mut self, op: Arith, a: Atom, b: Atom, ty: TyId) -> Atom {
        let location = self.location(LocationKind::Arithmetic, op.rust());
        self.temp(Rvalue::Arith(op, a, b, Some(location)), ty)
    }

    pub(crate) fn compare(&mut self, op: Compare, a: Atom, b: Atom) -> Atom {
        let truth = self.scalar(Scalar::Bool);
        self.temp(Rvalue::Compare(op, a, b), truth)
    }

    pub(crate) fn read(&mut self, array: VarId, fields: &[&str], index: Atom, ty: TyId) -> Atom {
        let location = self.location(LocationKind::Read { in_loop: false }, "array[i]");
        let var = self.var("", ty, false);
        let fields = fields.iter().map(|f| (*f).to_owned()).collect();
        self.push(StmtKind::Read { var, array: ArrayId(array.0), fields, index, location });
        Atom::Var(var)
    }

    pub(crate) fn write(&mut self, array: VarId, fields: &[&str], index: Atom, value: Atom) {
        let location = self.location(LocationKind::Write { in_loop: false }, "array[i]");
        let fields = fields.iter().map(|f| (*f).to_owned()).collect();
        self.push(StmtKind::Write { array: ArrayId(array.0), fields, index, value, location });
    }

    /// Adds `let name = function(args)`, with the types of the arguments.
    pub(crate) fn call(&mut self, name: &str, function: &Program, args: Vec<(Arg, TyId)>) -> Atom {
        self.program.functions.push(Arc::new(function.clone()));
        let call = CallId(self.program.functions.len() as u32 - 1);
        let result = self.open();
        let (args, types) = args.into_iter().unzip();
        self.program.tx.relations.push(Relation::Call { function: call, args: types, result });
        let location = self.location(LocationKind::Call, "f(..)");
        let var = self.var(name, result, false);
        self.push(StmtKind::Call { var, call, args, location });
        Atom::Var(var)
    }

    pub(crate) fn range(start: Atom, end: Atom) -> Range<Atom> {
        Range { start, end, inclusive: false, step: None, reversed: false }
    }

    pub(crate) fn for_loop(&mut self, range: Range<Atom>, ty: TyId, fill: impl FnOnce(&mut Builder, Atom)) {
        let (id, location) = (self.loop_id(), self.location(LocationKind::Loop, "for"));
        let (counter, var) = (self.var("", ty, false), self.var("i", ty, false));
        let body = self.block(|b| fill(b, Atom::Var(var)));
        self.push(StmtKind::For { id, var, counter, range, body, location });
    }

    pub(crate) fn if_then(&mut self, condition: Atom, fill: impl FnOnce(&mut Builder)) {
        let then = self.block(fill);
        self.push(StmtKind::If { condition, then, other: Vec::new() });
    }

    pub(crate) fn give(&mut self, atoms: Vec<Atom>) {
        self.push(StmtKind::Return(atoms));
    }

    pub(crate) fn done(mut self) -> Program {
        self.program.tx.body = self.blocks.pop().expect("the body is open");
        self.program
    }
}

/// Returns the flat form with the facts, and the CUDA text.
pub(crate) fn flat(program: &Program) -> (String, String) {
    match compile::flat(program) {
        Ok((tx, facts, cuda)) => (format!("{tx}{facts}"), cuda),
        Err(error) => panic!("{error}"),
    }
}

pub(crate) fn error(program: &Program) -> ProcedureError {
    match compile::flat(program) {
        Ok((tx, ..)) => panic!("it should be refused\n{tx}"),
        Err(error) => error,
    }
}

/// Checks that a text contains these parts in this order.
pub(crate) fn assert_has(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => panic!("`{part}` is not there, or not in order, in\n{text}"),
        }
    }
}

pub(crate) const PRICE: Record = Record {
    name: "Price",
    module: "hotel",
    fields: &[("amount", Type::Scalar(Scalar::I64)), ("unit", Type::Scalar(Scalar::U8))],
    traits: Traits::NONE,
};
pub(crate) const ROOM: Record = Record {
    name: "Room",
    module: "hotel",
    fields: &[("free", Type::Scalar(Scalar::U32)), ("price", Type::Record(&PRICE))],
    traits: Traits::NONE,
};
pub(crate) const ROOM_TYPE: Type = Type::Record(&ROOM);
