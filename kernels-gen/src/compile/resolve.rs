//! Finds every type: the macro's inference continues with the types that only rustc knew.

mod generic;

use std::collections::HashMap;
use std::sync::Arc;

use self::generic::Arguments;
use super::error::{Blame, ProcedureError};
use super::locals::{self, Taken};
use super::program::{Program, place_calls};
use super::shape;
use crate::infer::{Clash, Class, Infer, Space, UNWIELDY};
use crate::ir::VarId;
use crate::ir::open::{Length, Relation, Ty, TyId, rest_of_field};
use crate::locals::declarations;
use crate::methods::{BYTES, Method, MethodResult};
use crate::spec::{Scalar, Type};

/// A program whose types are known.
pub struct Resolved<'p> {
    /// The program.
    pub program: &'p Program,
    types: Vec<Option<Type>>,
    /// The functions that it calls, as in the program: calls of one function share one entry.
    pub functions: Vec<Arc<Resolved<'p>>>,
    /// For each call, the first location of the called function, counted from the first one of this function.
    pub first_locations: Vec<u32>,
    /// Its own locations and those of all calls.
    pub(crate) locations: u32,
    /// The memory of its variables.
    pub(super) taken: Taken<'p>,
}

impl Resolved<'_> {
    /// Returns the type; `None` where nothing determines it.
    #[must_use]
    pub fn ty(&self, ty: TyId) -> Option<Type> {
        self.types[ty.0 as usize]
    }
}

/// Finds the types of a program and of everything that it calls, once for each function and its parameters.
pub(super) fn resolve(program: &Program) -> Result<Resolved<'_>, ProcedureError> {
    let mut known = Known::default();
    for function in program.all() {
        if std::ptr::eq(function, program) {
            return resolve_one(program, &mut known);
        }
        if function.tx.generics.is_empty() {
            let resolved = resolve_one(function, &mut known)?;
            known.functions.insert((function, Vec::new()), Arc::new(resolved));
        }
    }
    // The functions of a program include the program itself.
    Err(ProcedureError::at(&program.tx, "there is no function to compile"))
}

/// The functions whose types are known, each with its parameters for types and lengths.
#[derive(Default)]
struct Known<'p> {
    functions: HashMap<(*const Program, Vec<Type>), Arc<Resolved<'p>>>,
}

impl<'p> Known<'p> {
    fn get(&self, function: &Arc<Program>) -> Option<Arc<Resolved<'p>>> {
        self.functions.get(&(Arc::as_ptr(function), Vec::new())).cloned()
    }

    /// Returns a function with what a call determines for its parameters.
    fn instance(&mut self, function: &'p Program, arguments: Vec<Type>) -> Result<Arc<Resolved<'p>>, ProcedureError> {
        let key = (std::ptr::from_ref(function), arguments);
        if let Some(resolved) = self.functions.get(&key) {
            return Ok(Arc::clone(resolved));
        }
        // A procedure is compiled once, and its functions live as long as it does.
        let instance = Box::leak(Box::new(generic::instance(function, &key.1)));
        let resolved = Arc::new(resolve_one(instance, self)?);
        self.functions.insert(key, Arc::clone(&resolved));
        Ok(resolved)
    }
}

fn resolve_one<'p>(program: &'p Program, known: &mut Known<'p>) -> Result<Resolved<'p>, ProcedureError> {
    let mut types = program.tx.types.clone();
    types.iter_mut().for_each(|ty| fill_length(ty, program));
    let called: Vec<Option<Arc<Resolved<'p>>>> = program.functions.iter().map(|function| known.get(function)).collect();
    let mut infer = Infer::resume(&types);
    let generics = program.functions.iter().map(|function| Arguments::new(function, &mut infer)).collect();
    let mut solver = Solver { program, functions: &called, generics, infer, named: Vec::new() };
    solver.solve()?;
    let spaces = solver.infer.spaces(|number| Space::of(solver.named[number as usize]));
    check_types(program, &spaces)?;
    let types = (0..program.tx.types.len() as u32).map(|k| solver.close(TyId(k))).collect();
    let arguments: Vec<_> = (0..program.functions.len()).map(|call| solver.arguments(call)).collect();
    let mut functions = Vec::new();
    for ((function, called), arguments) in program.functions.iter().zip(&called).zip(arguments) {
        functions.push(match called {
            Some(called) => Arc::clone(called),
            None => known.instance(function, arguments?)?,
        });
    }
    let taken = locals::taken(&program.tx, &spaces, functions.iter().map(|function| function.taken));
    let (first_locations, locations) =
        place_calls(program.tx.locations.len() as u32, functions.iter().map(|f| f.locations));
    Ok(Resolved { program, types, functions, first_locations, locations, taken })
}

/// Checks that every type, written out, is small enough for passes over it.
fn check_types(program: &Program, spaces: &[Space]) -> Result<(), ProcedureError> {
    if !spaces.iter().any(|space| space.is_unwieldy()) {
        return Ok(());
    }
    let tx = &program.tx;
    let var = tx.vars.iter().position(|var| spaces[var.ty.0 as usize].is_unwieldy());
    let declared = var.and_then(|var| declarations(tx).get(&VarId(var as u32)).copied());
    let line = declared.map_or(tx.at.line, |at| tx.position(at).line);
    Err(ProcedureError { line, at: declared.map(Blame::Statement), ..ProcedureError::at(tx, UNWIELDY) })
}

/// Fills in the length of an array from a constant.
fn fill_length(ty: &mut Ty, program: &Program) {
    if let Ty::Array(_, length) = ty
        && let Length::Constant(_) = *length
    {
        *length = length.known(&program.constants).map_or(Length::Open, Length::Known);
    }
}

pub(super) struct Solver<'a, 'p> {
    pub(super) program: &'a Program,
    /// The functions that it calls; `None` for those with parameters for types and lengths.
    functions: &'a [Option<Arc<Resolved<'p>>>],
    /// What each call determines for these parameters.
    generics: Vec<Arguments>,
    pub(super) infer: Infer,
    /// The records and enums that `Class::Named` numbers.
    named: Vec<Type>,
}

/// The reason why a relation was not applied.
pub(super) enum Unapplied {
    /// Other types have to be known first.
    Wait,
    /// It cannot hold.
    Wrong(String),
}

impl From<Clash> for Unapplied {
    fn from(Clash(a, b): Clash) -> Unapplied {
        Unapplied::Wrong(format!("two types do not agree: {a:?} and {b:?}"))
    }
}

impl Solver<'_, '_> {
    fn solve(&mut self) -> Result<(), ProcedureError> {
        let mut waiting: Vec<&Relation> = self.program.tx.relations.iter().collect();
        loop {
            let before = waiting.len();
            let mut later = Vec::new();
            for relation in waiting {
                match self.apply(relation) {
                    Ok(()) => {}
                    Err(Unapplied::Wait) => later.push(relation),
                    Err(Unapplied::Wrong(message)) => return Err(ProcedureError::at(&self.program.tx, message)),
                }
            }
            // No more relations can be applied: a literal whose only use is as a method's receiver gets its default.
            let stuck = later.len() == before;
            waiting = later;
            if waiting.is_empty() || (stuck && !waiting.iter().any(|relation| self.default_receiver(relation))) {
                // The remaining relations are about code that is never reached, or are reported where they are used.
                return Ok(());
            }
        }
    }

    fn default_receiver(&mut self, relation: &Relation) -> bool {
        let Relation::Method { receiver, .. } = relation else { return false };
        let scalar = match self.infer.class(*receiver) {
            Class::Int => Scalar::I32,
            Class::Float => Scalar::F64,
            _ => return false,
        };
        self.is(*receiver, Type::Scalar(scalar)).is_ok()
    }

    fn apply(&mut self, relation: &Relation) -> Result<(), Unapplied> {
        match relation {
            Relation::Names { ty, name } => self.is(*ty, self.program.types[*name as usize]),
            Relation::Constant { ty, constant } => self.is(*ty, self.program.constants[constant.0 as usize].ty),
            Relation::Field { of, name, ty } => self.field(*of, name, *ty),
            Relation::Element { of, ty } => match *self.infer.class(*of) {
                Class::Any | Class::Dead => Err(Unapplied::Wait),
                Class::Option(inner) | Class::Array(inner, _) => Ok(self.infer.unify(*ty, inner)?),
                _ => Err(Unapplied::Wrong("only an array or an `Option` has elements".to_owned())),
            },
            Relation::Variant { of, name } => self.variant(*of, name),
            Relation::Same { a, b } => Ok(self.infer.unify(*a, *b)?),
            Relation::Method { receiver, name, args, result } => self.method(*receiver, name, args, *result),
            Relation::States { function, generic, ty } => self.states(*function, *generic, *ty),
            Relation::Call { function, args, result } => {
                let Some(callee) = &self.functions[function.0 as usize] else {
                    return self.generic_call(*function, args, *result);
                };
                let tx = &callee.program.tx;
                let types = tx.params.iter().map(|param| param.ty).chain([tx.result]);
                for (have, want) in args.iter().chain([result]).zip(types) {
                    let want = callee.ty(want).ok_or_else(|| {
                        Unapplied::Wrong(format!("the types that `{}` takes and returns are not known", tx.name))
                    })?;
                    self.is(*have, want)?;
                }
                Ok(())
            }
        }
    }

    pub(super) fn is(&mut self, ty: TyId, known: Type) -> Result<(), Unapplied> {
        let known = self.convert(known);
        Ok(self.infer.unify(ty, known)?)
    }

    pub(super) fn convert(&mut self, ty: Type) -> TyId {
        let class = match ty {
            Type::Scalar(scalar) => Class::Known(scalar),
            Type::Unit => Class::Unit,
            Type::Tuple(parts) => Class::Tuple(parts.iter().map(|part| self.convert(*part)).collect()),
            Type::Array(element, length) => Class::Array(self.convert(*element), Length::Known(length)),
            Type::Option(inner) => Class::Option(self.convert(*inner)),
            Type::Result(ok, err) => Class::Result(self.convert(*ok), self.convert(*err)),
            Type::Record(_) | Type::Enum(_) => {
                let known = self.named.iter().position(|named| *named == ty);
                Class::Named(known.unwrap_or_else(|| {
                    self.named.push(ty);
                    self.named.len() - 1
                }) as u32)
            }
        };
        self.infer.fresh(class)
    }

    fn field(&mut self, of: TyId, name: &str, ty: TyId) -> Result<(), Unapplied> {
        match self.infer.class(of).clone() {
            Class::Any | Class::Dead => Err(Unapplied::Wait),
            Class::Tuple(parts) => {
                let part = name.parse().ok().and_then(|k: usize| parts.get(k));
                let part = part.ok_or_else(|| Unapplied::Wrong(format!("the tuple has no part `{name}`")))?;
                Ok(self.infer.unify(ty, *part)?)
            }
            Class::Option(inner) if name == "Some.0" => Ok(self.infer.unify(ty, inner)?),
            Class::Result(ok, err) => Ok(self.infer.unify(ty, if name == "Ok.0" { ok } else { err })?),
            Class::Array(element, Length::Known(length)) => {
                if let Some((before, after)) = rest_of_field(name) {
                    return self.rest((element, length), (before + after) as u64, ty);
                }
                let whole = Type::Array(&Type::Scalar(Scalar::Bool), length);
                match shape::field(whole, name) {
                    Some(_) => Ok(self.infer.unify(ty, element)?),
                    None => Err(Unapplied::Wrong(format!("the array has {length} elements, and none is `{name}`"))),
                }
            }
            Class::Array(..) => Err(Unapplied::Wait),
            Class::Named(number) => {
                let named = self.named[number as usize];
                let part = shape::field(named, name).ok_or_else(|| {
                    let imported = match shape::has_variants(named) {
                        true => {
                            "; write a variant that only the module imports with its enum, or import it in the function"
                        }
                        false => "",
                    };
                    Unapplied::Wrong(format!("`{named}` has no field `{}`{imported}", shape::own_name(named, name)))
                })?;
                self.is(ty, part.ty)
            }
            other => Err(Unapplied::Wrong(format!("a value has no field `{name}`: it is {other:?}"))),
        }
    }

    /// Determines the type of what remains of an array: it has `without` elements less.
    fn rest(&mut self, (element, length): (TyId, u64), without: u64, ty: TyId) -> Result<(), Unapplied> {
        let Some(length) = length.checked_sub(without) else {
            return Err(Unapplied::Wrong(format!("an array of {length} elements has no {without} for a pattern")));
        };
        let rest = self.infer.fresh(Class::Array(element, Length::Known(length)));
        Ok(self.infer.unify(ty, rest)?)
    }

    fn variant(&mut self, of: TyId, name: &str) -> Result<(), Unapplied> {
        match self.infer.class(of).clone() {
            Class::Any | Class::Dead => Err(Unapplied::Wait),
            Class::Named(number) if shape::variant(self.named[number as usize], name).is_some() => Ok(()),
            other => Err(Unapplied::Wrong(format!("a value has no variant `{name}` with fields: it is {other:?}"))),
        }
    }

    fn method(&mut self, receiver: TyId, name: &str, args: &[TyId], result: TyId) -> Result<(), Unapplied> {
        let short = short_name(name);
        match self.infer.class(receiver).clone() {
            _ if path_scalar(name).is_some() => {
                let scalar = path_scalar(name).unwrap_or(Scalar::I32);
                self.scalar_method(scalar, short, args, result)
            }
            Class::Named(_) | Class::Tuple(_) | Class::Array(..) | Class::Option(_) | Class::Result(..)
                if matches!((short, args), ("max" | "min", [_])) =>
            {
                self.infer.unify(receiver, args[0])?;
                Ok(self.infer.unify(result, receiver)?)
            }
            Class::Known(Scalar::Bool) if short == "then_some" => {
                let value = *args.last().ok_or_else(|| no_method("bool", short))?;
                let option = self.infer.fresh(Class::Option(value));
                Ok(self.infer.unify(result, option)?)
            }
            Class::Known(scalar) => self.scalar_method(scalar, short, args, result),
            Class::Option(inner) => self.option_method((receiver, inner), short, args, result),
            Class::Result(ok, err) => self.result_method((ok, err), short, args, result),
            Class::Array(..) if short == "len" => self.is(result, Type::Scalar(Scalar::Usize)),
            Class::Named(number) => Err(no_method(&self.named[number as usize].to_string(), short)),
            Class::Any | Class::Dead | Class::Int | Class::Float => Err(Unapplied::Wait),
            Class::Unit => Err(no_method("()", short)),
            Class::Tuple(_) => Err(no_method("a tuple", short)),
            Class::Array(..) => Err(no_method("an array", short)),
            Class::Shared(_) => Err(no_method("a shared array", short)),
        }
    }

    fn scalar_method(&mut self, scalar: Scalar, name: &str, args: &[TyId], result: TyId) -> Result<(), Unapplied> {
        if BYTES.contains(&name) && scalar.is_int() {
            return self.is(result, Type::Array(&Type::Scalar(Scalar::U8), scalar.size() as u64));
        }
        let method = Method::find(name, scalar).ok_or_else(|| no_method(scalar.rust(), name))?;
        let args = match args.len() == method.args.len() + 1 {
            true => {
                self.is(args[0], Type::Scalar(scalar))?;
                &args[1..]
            }
            false => args,
        };
        for (arg, operand) in args.iter().zip(method.args) {
            self.is(*arg, Type::Scalar(operand.of(scalar)))?;
        }
        let known = |operand: crate::methods::Operand| Class::Known(operand.of(scalar));
        let class = match method.result {
            MethodResult::One(one) => known(one),
            MethodResult::Option(some) => Class::Option(self.infer.fresh(known(some))),
            MethodResult::Pair(a, b) => Class::Tuple(vec![self.infer.fresh(known(a)), self.infer.fresh(known(b))]),
        };
        let known = self.infer.fresh(class);
        Ok(self.infer.unify(result, known)?)
    }

    fn option_method(
        &mut self,
        (option, inner): (TyId, TyId),
        name: &str,
        args: &[TyId],
        result: TyId,
    ) -> Result<(), Unapplied> {
        let arg = args.last().copied();
        match (name, arg) {
            ("len", _) => self.is(result, Type::Scalar(Scalar::Usize)),
            ("is_some" | "is_none", _) => self.is(result, Type::Scalar(Scalar::Bool)),
            ("unwrap" | "expect" | "unwrap_or_default", _) => Ok(self.infer.unify(result, inner)?),
            ("unwrap_or", Some(arg)) => {
                self.infer.unify(arg, inner)?;
                Ok(self.infer.unify(result, inner)?)
            }
            ("or" | "xor", Some(arg)) => {
                self.infer.unify(arg, option)?;
                Ok(self.infer.unify(result, option)?)
            }
            ("and", Some(arg)) => Ok(self.infer.unify(result, arg)?),
            _ => Err(no_method("Option", name)),
        }
    }

    fn result_method(
        &mut self,
        (ok, err): (TyId, TyId),
        name: &str,
        args: &[TyId],
        result: TyId,
    ) -> Result<(), Unapplied> {
        let inner = match name {
            "is_ok" | "is_err" => return self.is(result, Type::Scalar(Scalar::Bool)),
            "ok" => self.infer.fresh(Class::Option(ok)),
            "err" => self.infer.fresh(Class::Option(err)),
            "unwrap" | "expect" | "unwrap_or" | "unwrap_or_default" => {
                return self.option_method((result, ok), name, args, result);
            }
            _ => return Err(no_method("Result", name)),
        };
        Ok(self.infer.unify(result, inner)?)
    }

    /// Returns the type with rustc's defaults for literals. Code that is never reached gets any type.
    pub(super) fn close(&self, ty: TyId) -> Option<Type> {
        match self.infer.class(ty) {
            Class::Any | Class::Array(_, Length::Open | Length::Constant(_)) => None,
            Class::Int | Class::Dead => Some(Type::Scalar(Scalar::I32)),
            Class::Float => Some(Type::Scalar(Scalar::F64)),
            Class::Known(scalar) => Some(Type::Scalar(*scalar)),
            Class::Unit => Some(Type::Unit),
            Class::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.close(*part)).collect::<Option<Vec<_>>>()?;
                Some(Type::Tuple(parts.leak()))
            }
            Class::Array(element, Length::Known(length)) => Some(Type::Array(forever(self.close(*element)?), *length)),
            Class::Option(inner) => Some(Type::Option(forever(self.close(*inner)?))),
            Class::Result(ok, err) => Some(Type::Result(forever(self.close(*ok)?), forever(self.close(*err)?))),
            // The number of the array's first component.
            Class::Shared(_) => Some(Type::Scalar(Scalar::U32)),
            Class::Named(number) => Some(self.named[*number as usize]),
        }
    }
}

/// Leaks a type: a procedure is compiled once, and its types live as long as it does.
fn forever(ty: Type) -> &'static Type {
    Box::leak(Box::new(ty))
}

fn no_method(on: &str, name: &str) -> Unapplied {
    Unapplied::Wrong(format!("`{on}` has no method `{name}` that transactions can call; write it as a `#[gpu_fn]`"))
}

/// Returns `from_bits` of `f32::from_bits`.
#[must_use]
pub fn short_name(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// Returns `f32` of `f32::from_bits`.
#[must_use]
pub fn path_scalar(name: &str) -> Option<Scalar> {
    name.rsplit_once("::").and_then(|(path, _)| Scalar::from_rust(path))
}
