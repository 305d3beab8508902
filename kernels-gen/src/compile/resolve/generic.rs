//! Functions with parameters for types and lengths: each call determines them, by the types of its arguments and its result.

use std::collections::HashMap;

use super::super::error::ProcedureError;
use super::super::program::Program;
use super::{Solver, Unapplied};
use crate::infer::{Class, Infer};
use crate::ir::open::{CallId, ConstId, Generic, Length, Relation, Ty, TyId};
use crate::spec::{Constant, Scalar, Type};

/// What one call determines.
pub(super) struct Arguments {
    /// For each parameter: the type; or an array, whose length is that of the parameter.
    types: Vec<TyId>,
    /// The lengths that are known, by the constants that stand for them.
    lengths: HashMap<ConstId, u64>,
}

impl Arguments {
    /// Returns new types for the parameters of a called function.
    pub(super) fn new(function: &Program, infer: &mut Infer) -> Arguments {
        let mut fresh = |generic: &Generic| match generic {
            Generic::Type(_) => infer.fresh(Class::Any),
            Generic::Length(_) => {
                let unit = infer.fresh(Class::Unit);
                infer.fresh(Class::Array(unit, Length::Open))
            }
        };
        Arguments { types: function.tx.generics.iter().map(&mut fresh).collect(), lengths: HashMap::new() }
    }
}

/// Returns the function with these types, and arrays of these lengths, for its parameters.
pub(super) fn instance(function: &Program, arguments: &[Type]) -> Program {
    let mut instance = function.clone();
    for (generic, argument) in function.tx.generics.iter().zip(arguments) {
        match (generic, argument) {
            (Generic::Type(name), ty) => {
                if let Some(entry) = instance.types.get_mut(*name as usize) {
                    *entry = *ty;
                }
            }
            (Generic::Length(constant), Type::Array(_, length)) => {
                if let Some(entry) = instance.constants.get_mut(constant.0 as usize) {
                    *entry = Constant { ty: Type::Scalar(Scalar::Usize), words: vec![*length] };
                }
            }
            (Generic::Length(_), _) => {}
        }
    }
    instance
}

impl Solver<'_, '_> {
    /// Applies what a call states.
    pub(super) fn states(&mut self, function: CallId, generic: u32, ty: TyId) -> Result<(), Unapplied> {
        let callee = &self.program.functions[function.0 as usize];
        if callee.tx.generics.is_empty() {
            return Ok(());
        }
        let own = self.generics[function.0 as usize].types[generic as usize];
        if let (Generic::Length(constant), Class::Array(_, Length::Known(length))) =
            (callee.tx.generics[generic as usize], self.infer.class(ty).clone())
        {
            self.generics[function.0 as usize].lengths.insert(constant, length);
        }
        Ok(self.infer.unify(own, ty)?)
    }

    /// Applies a call: lengths come from arguments, and types agree with those of the function.
    pub(super) fn generic_call(&mut self, call: CallId, args: &[TyId], result: TyId) -> Result<(), Unapplied> {
        let program = self.program;
        let callee = &program.functions[call.0 as usize];
        let wanted = callee.tx.params.iter().map(|param| param.ty).chain([callee.tx.result]);
        let pairs: Vec<(TyId, TyId)> = args.iter().copied().chain([result]).zip(wanted).collect();
        for (have, want) in &pairs {
            self.find_lengths(callee, call, (*have, *want));
        }
        for (have, want) in pairs {
            let want = self.with_arguments(callee, call, want)?;
            self.infer.unify(have, want)?;
        }
        let lengths = &self.generics[call.0 as usize].lengths;
        let known = callee.tx.generics.iter().all(|generic| match generic {
            Generic::Length(constant) => lengths.contains_key(constant),
            Generic::Type(_) => true,
        });
        if known { Ok(()) } else { Err(Unapplied::Wait) }
    }

    fn find_lengths(&mut self, callee: &Program, call: CallId, (have, want): (TyId, TyId)) {
        match (self.infer.class(have).clone(), callee.tx.ty(want)) {
            (Class::Array(have, length), Ty::Array(want, wanted)) => {
                if let (Length::Known(length), Length::Constant(constant)) = (length, wanted)
                    && callee.tx.generics.contains(&Generic::Length(*constant))
                {
                    self.generics[call.0 as usize].lengths.entry(*constant).or_insert(length);
                }
                self.find_lengths(callee, call, (have, *want));
            }
            (Class::Tuple(have), Ty::Tuple(want)) => {
                have.into_iter().zip(want).for_each(|(have, want)| self.find_lengths(callee, call, (have, *want)));
            }
            (Class::Option(have), Ty::Option(want)) => self.find_lengths(callee, call, (have, *want)),
            (Class::Result(ok, err), Ty::Result(want, wanted)) => {
                self.find_lengths(callee, call, (ok, *want));
                self.find_lengths(callee, call, (err, *wanted));
            }
            _ => {}
        }
    }

    /// Returns a type of the called function, with those of this call for its parameters.
    fn with_arguments(&mut self, callee: &Program, call: CallId, ty: TyId) -> Result<TyId, Unapplied> {
        let class = match callee.tx.ty(ty) {
            Ty::Scalar(scalar) => Class::Known(*scalar),
            Ty::Unit => Class::Unit,
            Ty::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.with_arguments(callee, call, *part));
                Class::Tuple(parts.collect::<Result<_, _>>()?)
            }
            Ty::Option(inner) => Class::Option(self.with_arguments(callee, call, *inner)?),
            Ty::Shared(element) => Class::Shared(self.with_arguments(callee, call, *element)?),
            Ty::Result(ok, err) => {
                Class::Result(self.with_arguments(callee, call, *ok)?, self.with_arguments(callee, call, *err)?)
            }
            Ty::Array(element, length) => {
                let element = self.with_arguments(callee, call, *element)?;
                let length = match length {
                    Length::Constant(constant) if callee.tx.generics.contains(&Generic::Length(*constant)) => {
                        let known = self.generics[call.0 as usize].lengths.get(constant);
                        known.map_or(Length::Open, |length| Length::Known(*length))
                    }
                    other => other.known(&callee.constants).map_or(Length::Open, Length::Known),
                };
                Class::Array(element, length)
            }
            Ty::Same(_) | Ty::Named(_) | Ty::Open(_) => return self.named(callee, call, ty),
        };
        Ok(self.infer.fresh(class))
    }

    fn named(&mut self, callee: &Program, call: CallId, ty: TyId) -> Result<TyId, Unapplied> {
        let tx = &callee.tx;
        let named = tx.relations.iter().find_map(|relation| match relation {
            Relation::Names { ty: of, name } if std::ptr::eq(tx.ty(*of), tx.ty(ty)) => Some(*name),
            _ => None,
        });
        let Some(name) = named else {
            return Err(Unapplied::Wrong(format!("the types that `{}` takes and returns are not known", tx.name)));
        };
        match tx.generics.iter().position(|generic| *generic == Generic::Type(name)) {
            Some(generic) => Ok(self.generics[call.0 as usize].types[generic]),
            None => Ok(self.convert(callee.types[name as usize])),
        }
    }

    /// Returns what a call determines for the parameters of its function.
    pub(super) fn arguments(&self, call: usize) -> Result<Vec<Type>, ProcedureError> {
        let (callee, found) = (&self.program.functions[call], &self.generics[call]);
        let argument = |(generic, ty): (&Generic, &TyId)| match generic {
            Generic::Type(_) => self.close(*ty),
            Generic::Length(constant) => Some(Type::Array(&Type::Unit, *found.lengths.get(constant)?)),
        };
        let all = callee.tx.generics.iter().zip(&found.types).map(argument).collect::<Option<Vec<_>>>();
        all.ok_or_else(|| {
            let name = &callee.tx.name;
            let message =
                format!("a type or length for a parameter of `{name}` is not known; write it in the call, as in `{name}::<u32>(..)` or `{name}::<{{ MOST }}>(..)`");
            ProcedureError::at(&self.program.tx, message)
        })
    }
}
