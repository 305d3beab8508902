//! From the open stage to the flat one: calls are compiled into their places, and compound values become scalars and
//! arrays of scalars.
//!
//! A value is a list of atoms, one for each of its groups ([`super::shape`]). A variable that never changes needs no
//! copy of what never changes: it *is* those atoms. A `&mut` parameter is the caller's place.
//!
//! Variables that are scalars keep their numbers and their statements, so that a transaction of scalars is not changed.

mod array;
mod calls;
mod compare;
mod methods;
mod places;
mod print;
mod stmt;
mod values;

use std::collections::HashMap;

use super::error::{Blame, ProcedureError};
use super::resolve::Resolved;
use super::shape;
use super::size::MOST_STATEMENTS;
use crate::Trouble;
use crate::ir::{
    Atom, Block, Form, Length, Loc, ParamDecl, ParamRole, Rvalue, Stmt, StmtKind, Transaction, Ty, TyId, Var, VarId,
    walk,
};
use crate::spec::{MOST_COMPONENTS, Scalar, Type};

use places::Place;

/// As many statements as before the expansion, and elements of arrays: what works on arrays as a whole is written out for each
/// element.
const MOST_WRITTEN: u64 = MOST_STATEMENTS;

/// The name of the hidden parameter that says which part a call works on.
const PART: &str = "part";

type Outcome<T> = Result<T, ProcedureError>;

/// Expands a transaction.
pub(super) fn expand(resolved: &Resolved<'_>) -> Outcome<Transaction> {
    let open = &resolved.program.tx;
    let flat = Transaction {
        name: open.name.clone(),
        file: open.file.clone(),
        at: open.at,
        form: Form::Transaction,
        params: Vec::new(),
        result: TyId(0),
        vars: Vec::new(),
        types: Vec::new(),
        relations: Vec::new(),
        body: Vec::new(),
        locations: Vec::new(),
        places: open.places.clone(),
        files: Vec::new(),
        loops: open.loops,
        lines: Vec::new(),
        options: open.options,
    };
    let mut expander = Expander {
        flat,
        types: HashMap::new(),
        known: HashMap::new(),
        part: None,
        frames: vec![Frame::new(resolved)],
        out: Vec::new(),
        at: Loc(0),
        looping: 0,
        written: 0,
    };
    expander.append_locations(resolved);
    expander.parameters()?;
    expander.result_type()?;
    let body = expander.block(&open.body, true)?;
    expander.out.extend(body);
    expander.flat.body = expander.out;
    Ok(expander.flat)
}

/// What a variable of the open stage stands for.
#[derive(Debug, Clone)]
enum Binding {
    /// Nothing yet, or something whose type nothing says.
    Unknown,
    /// These groups.
    Value(Vec<Atom>),
    /// A variable of the caller, or a part of one.
    Place(Place),
}

/// An array of values, as the arrays of its components.
#[derive(Debug, Clone, Copy)]
struct ArrayParam {
    ty: Type,
    /// The parameter of its first component; the others follow.
    first: u32,
    /// Elements of a part, where an index counts within one.
    part: Option<u64>,
}

/// A function under expansion.
struct Frame<'p> {
    resolved: &'p Resolved<'p>,
    vars: Vec<Binding>,
    arrays: HashMap<u32, ArrayParam>,
    /// How often its statements use each variable.
    uses: Vec<u32>,
    /// What is added to its numbers.
    locations: u32,
    places: u32,
    loops: u32,
    /// Where its result goes, if it is no transaction.
    give: Option<calls::Give>,
}

impl<'p> Frame<'p> {
    fn new(resolved: &'p Resolved<'p>) -> Frame<'p> {
        let tx = &resolved.program.tx;
        let mut uses = vec![0; tx.vars.len()];
        walk::each(&tx.body, &mut |stmt| {
            for atom in stmt.atoms() {
                if let Atom::Var(var) = atom {
                    uses[var.0 as usize] += 1;
                }
            }
        });
        let vars = vec![Binding::Unknown; tx.vars.len()];
        Frame { resolved, vars, arrays: HashMap::new(), uses, locations: 0, places: 0, loops: 0, give: None }
    }
}

/// The elements of an array that never changes.
#[derive(Debug, Clone)]
enum Known {
    All(Atom),
    Each(Vec<Atom>),
}

struct Expander<'p> {
    flat: Transaction,
    /// The types of the flat form: each once.
    types: HashMap<(Scalar, Option<u64>), TyId>,
    known: HashMap<VarId, Known>,
    /// The parameter that says which part of its arrays a call works on.
    part: Option<VarId>,
    /// The functions around, innermost last.
    frames: Vec<Frame<'p>>,
    /// The block under construction.
    out: Block,
    at: Loc,
    /// How many loops are around.
    looping: u32,
    /// Statements, and elements of arrays that are written out, so far.
    written: u64,
}

impl<'p> Expander<'p> {
    fn frame(&self) -> &Frame<'p> {
        // There is always the transaction itself.
        &self.frames[self.frames.len() - 1]
    }

    fn frame_mut(&mut self) -> &mut Frame<'p> {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn error(&self, message: impl Into<String>) -> ProcedureError {
        let file = self.flat.file_of(self.at).to_owned();
        let line = self.flat.places.get(self.at.0 as usize).map_or(self.flat.at.line, |place| place.line);
        let at = Some(Blame::Statement(self.at));
        ProcedureError { procedure: self.flat.name.clone(), file, line, message: message.into(), rule: None, at }
    }

    fn fail<T>(&self, message: impl Into<String>) -> Outcome<T> {
        Err(self.error(message))
    }

    // The signature.

    fn parameters(&mut self) -> Outcome<()> {
        let open = &self.frame().resolved.program.tx;
        let mut firsts = Vec::new();
        for (k, param) in open.params.iter().enumerate() {
            let blamed = |error: ProcedureError| ProcedureError {
                line: open.at.line,
                at: Some(Blame::Param(k as u32)),
                ..error
            };
            let ty = self.type_of_param(param).map_err(blamed)?;
            let part = self.part_of_param(param).map_err(blamed)?;
            firsts.push((ty, part, self.flat.params.len() as u32));
            let mutable = param.role == ParamRole::Value && open.vars[firsts.len() - 1].mutable;
            let mut components = Vec::new();
            ty.each_component("", &mut |path, scalar| components.push((path, scalar)));
            for (path, scalar) in components {
                let var = self.var(Some(joined(&param.name, &path)), scalar, None, !mutable);
                let ty = self.flat.vars[var.0 as usize].ty;
                let name = format!("{}{path}", param.name);
                self.flat.params.push(ParamDecl { name, role: param.role, ty, part: part.map(Length::Known) });
            }
        }
        if self.flat.params.iter().any(|param| param.part.is_some()) {
            let var = self.var(Some(PART.to_owned()), Scalar::U32, None, true);
            let ty = self.flat.vars[var.0 as usize].ty;
            self.flat.params.push(ParamDecl { name: PART.to_owned(), role: ParamRole::Value, ty, part: None });
            self.part = Some(var);
        }
        self.allocate(open.params.len());
        for (k, (ty, part, first)) in firsts.into_iter().enumerate() {
            match open.params[k].role {
                ParamRole::Array => _ = self.frame_mut().arrays.insert(k as u32, ArrayParam { ty, first, part }),
                _ => self.value_param(k, ty, first),
            }
        }
        Ok(())
    }

    fn type_of_param(&self, param: &ParamDecl) -> Outcome<Type> {
        let Some(ty) = self.frame().resolved.ty(param.ty) else {
            return self.fail(format!("the type of `{}` is not known", param.name));
        };
        let components = ty.components();
        if components == 0 && param.role == ParamRole::Array {
            return self.fail(format!("`{}` is an array of `{ty}`, which has no data to store", param.name));
        }
        self.limit(components, &format!("`{}`", param.name))?;
        Ok(ty)
    }

    /// How many elements a part of it has.
    fn part_of_param(&self, param: &ParamDecl) -> Outcome<Option<u64>> {
        let Some(length) = param.part else { return Ok(None) };
        let program = self.frame().resolved.program;
        match length.known(&program.constants) {
            Some(0) => self.fail(format!("a partition of `{}` has no elements; it needs at least one", param.name)),
            Some(part) => Ok(Some(part)),
            None => self.fail(format!("the number of elements in a partition of `{}` is not known", param.name)),
        }
    }

    fn limit(&self, components: usize, what: &str) -> Outcome<()> {
        if components > MOST_COMPONENTS {
            return self.fail(format!(
                "{what} is {components} scalars, and at most {MOST_COMPONENTS} fit; keep large arrays in a shared array"
            ));
        }
        Ok(())
    }

    /// The groups of a value parameter: an array is put together from its elements.
    fn value_param(&mut self, param: usize, ty: Type, first: u32) {
        let name = self.frame().resolved.program.tx.vars[param].name.clone();
        let mutable = self.frame().resolved.program.tx.vars[param].mutable;
        let mut elements: Vec<Vec<Atom>> = vec![Vec::new(); shape::width(ty)];
        for (component, (group, _)) in shape::components(ty).into_iter().enumerate() {
            elements[group].push(Atom::Var(VarId(first + component as u32)));
        }
        let mut atoms = Vec::new();
        for (group, elements) in shape::groups(ty).into_iter().zip(elements) {
            match group.length() {
                None => atoms.extend(elements),
                Some(length) => {
                    let name = name.as_deref().map(|name| joined(name, &group.path));
                    let var = self.var(name, group.scalar, Some(length), !mutable);
                    self.let_array(var, elements);
                    atoms.push(Atom::Var(var));
                }
            }
        }
        self.frame_mut().vars[param] = Binding::Value(atoms);
    }

    fn result_type(&mut self) -> Outcome<()> {
        let line = self.flat.at.line;
        let blamed = |error: ProcedureError| ProcedureError { line, at: Some(Blame::Result), ..error };
        let ty = self.result_of_frame().map_err(blamed)?;
        self.limit(ty.components(), "the result").map_err(blamed)?;
        let scalars = ty.scalars();
        let components: Vec<TyId> = scalars.iter().map(|scalar| self.ty(*scalar, None)).collect();
        self.flat.result = match components.as_slice() {
            [one] => *one,
            [] => self.push_type(Ty::Unit),
            _ => self.push_type(Ty::Tuple(components)),
        };
        Ok(())
    }

    fn result_of_frame(&self) -> Outcome<Type> {
        let resolved = self.frame().resolved;
        resolved.ty(resolved.program.tx.result).ok_or_else(|| self.error("the type of the result is not known"))
    }

    // Variables of the flat form.

    fn ty(&mut self, scalar: Scalar, length: Option<u64>) -> TyId {
        if let Some(known) = self.types.get(&(scalar, length)) {
            return *known;
        }
        let ty = match length {
            None => Ty::Scalar(scalar),
            Some(length) => Ty::Array(self.ty(scalar, None), Length::Known(length)),
        };
        let id = self.push_type(ty);
        self.types.insert((scalar, length), id);
        id
    }

    fn push_type(&mut self, ty: Ty) -> TyId {
        self.flat.types.push(ty);
        TyId(self.flat.types.len() as u32 - 1)
    }

    fn var(&mut self, name: Option<String>, scalar: Scalar, length: Option<u64>, stable: bool) -> VarId {
        let ty = self.ty(scalar, length);
        self.flat.vars.push(Var { name, ty, mutable: !stable });
        VarId(self.flat.vars.len() as u32 - 1)
    }

    /// Makes the variables of the innermost function, from this number on.
    fn allocate(&mut self, from: usize) {
        let resolved = self.frame().resolved;
        for (k, var) in resolved.program.tx.vars.iter().enumerate().skip(from) {
            // What is never reached has no type: it keeps its number.
            let ty = resolved.ty(var.ty);
            let mut atoms = Vec::new();
            for group in shape::groups(ty.unwrap_or(Type::Scalar(Scalar::I32))) {
                let name = var.name.as_deref().map(|name| joined(name, &group.path));
                atoms.push(Atom::Var(self.var(name, group.scalar, group.length(), !var.mutable)));
            }
            if ty.is_some() {
                self.frame_mut().vars[k] = Binding::Value(atoms);
            }
        }
    }

    /// The atom never changes.
    fn is_stable(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Var(var) => !self.flat.vars[var.0 as usize].mutable,
            _ => true,
        }
    }

    fn int(&mut self, value: u64, scalar: Scalar) -> Atom {
        Atom::Int(i128::from(value), self.ty(scalar, None))
    }

    // Statements of the flat form.

    fn push(&mut self, what: StmtKind) {
        self.written += 1;
        self.out.push(Stmt { what, at: self.at });
    }

    /// `let temporary = value`
    fn temp(&mut self, value: Rvalue, scalar: Scalar) -> Atom {
        let var = self.var(None, scalar, None, true);
        self.push(StmtKind::Let { var, value });
        Atom::Var(var)
    }

    fn let_array(&mut self, var: VarId, elements: Vec<Atom>) {
        self.written += elements.len() as u64;
        if self.is_stable(&Atom::Var(var)) && elements.iter().all(|atom| self.is_stable(atom)) {
            self.known.insert(var, Known::Each(elements.clone()));
        }
        self.push(StmtKind::Let { var, value: Rvalue::Array(elements) });
    }

    /// The transaction does not grow without end where arrays are copied or compared.
    fn check_written(&self) -> Outcome<()> {
        if self.written <= MOST_WRITTEN {
            return Ok(());
        }
        let message = format!(
            "up to this line, the transaction is more than {MOST_WRITTEN} statements: code that compares, copies or prints whole \
             arrays is expanded for each element; write a loop over their elements"
        );
        Err(ProcedureError { rule: Some(Trouble::Expansion), ..self.error(message) })
    }

    /// The statements that `fill` adds, as a block of their own.
    fn nested(&mut self, fill: impl FnOnce(&mut Self) -> Outcome<()>) -> Outcome<Block> {
        let around = std::mem::take(&mut self.out);
        let done = fill(self);
        let block = std::mem::replace(&mut self.out, around);
        done.map(|()| block)
    }

    fn block(&mut self, stmts: &'p [Stmt], last: bool) -> Outcome<Block> {
        self.nested(|this| this.stmts(stmts, last))
    }
}

/// The name of a part of a variable: `room_price`.
fn joined(name: &str, path: &str) -> String {
    let path: String = path.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    format!("{name}{}", path.trim_end_matches('_'))
}
