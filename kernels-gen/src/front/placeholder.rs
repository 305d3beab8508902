//! Compilation with placeholders: the macro finds errors of a function although it names what only rustc knows.
//!
//! A named type becomes a record of the fields that the source uses, a constant becomes 1, and a called function touches
//! nothing. This finds only problems that exist whatever the names mean; the rest is found when the procedure is
//! compiled.

use std::collections::HashMap;
use std::sync::Arc;

use crate::compile::{Program, lower};
use crate::front::parse::{CallSite, operator_name};
use crate::infer::{Class, Infer};
use crate::ir::open::{
    Arg, Atom, ConstId, Form, Function, Length, OpenTy, ParamDecl, ParamRole, Relation, Rvalue, Stmt, StmtKind, Ty,
    TyId, Var, rest_of_field, walk,
};
use crate::ir::{Options, Position, PositionId, VarId};
use crate::spec::{Constant, Enum, PERHAPS, Record, Scalar, Traits, Type, VARIANT};

/// The greatest depth of nested types before a placeholder replaces them.
const DEEPEST: u32 = 16;

/// Returns the function with placeholders for everything that it names.
pub(crate) fn program(tx: &Function, infer: &Infer, calls: &[CallSite]) -> Program {
    let mut types = Types { tx, infer, fields: HashMap::new(), variants: HashMap::new(), elements: HashMap::new() };
    for relation in &tx.relations {
        if let Relation::Field { of, name, ty } = relation {
            if let Some((variant, _)) = name.split_once(PERHAPS) {
                types.variants.entry(infer.root(*of)).or_default().push(variant);
            }
            types.fields.entry(infer.root(*of)).or_default().push((name, *ty));
        } else if let Relation::Element { of, ty } = relation {
            types.elements.insert(infer.root(*of), *ty);
        } else if let Relation::Variant { of, name } = relation {
            types.variants.entry(infer.root(*of)).or_default().push(name);
        }
    }
    let (mut named, mut constants) = (Vec::new(), Vec::new());
    let mut signatures = vec![None; calls.len()];
    for relation in &tx.relations {
        match relation {
            Relation::Names { ty, name } => put(&mut named, *name, types.of(*ty, 0), Type::Scalar(Scalar::I32)),
            Relation::Constant { ty, constant } => {
                put(&mut constants, constant.0, one(types.of(*ty, 0)), one(Type::Scalar(Scalar::I32)));
            }
            Relation::Call { function, args, result } => signatures[function.0 as usize] = Some((args, *result)),
            _ => {}
        }
    }
    // Lengths of arrays and partition sizes are constants that no type mentions.
    let lengths = tx.types.iter().filter_map(|ty| match ty {
        Ty::Array(_, Length::Constant(constant)) => Some(constant.0),
        _ => None,
    });
    let parts = tx.params.iter().filter_map(|param| match param.part {
        Some(Length::Constant(constant)) => Some(constant.0),
        _ => None,
    });
    for constant in lengths.chain(parts) {
        put(&mut constants, constant, one(Type::Scalar(Scalar::Usize)), one(Type::Scalar(Scalar::I32)));
    }
    let numbers: Vec<Option<&'static str>> = (0..)
        .zip(calls)
        .map(|(k, site)| {
            let ty = tx.relations.iter().find_map(|relation| match relation {
                Relation::Call { function, args, .. } if function.0 == k => args.first().copied(),
                _ => None,
            });
            operator_name(site).filter(|_| ty.is_none_or(|ty| matches!(types.of(ty, 0), Type::Scalar(_))))
        })
        .collect();
    let roles = roles(tx, calls.len());
    let functions = signatures.into_iter().zip(&roles).zip(calls);
    let functions =
        functions.map(|((signature, roles), site)| Arc::new(types.function(signature, roles, site.tries))).collect();
    let mut tx = tx.clone();
    if let Some(constant) = tx.options.max_accesses_constant.take() {
        put(&mut constants, constant, one(Type::Scalar(Scalar::Usize)), one(Type::Scalar(Scalar::I32)));
        // The least number, so that what is outside of the loops decides whether everything fits.
        tx.options.max_accesses = Some(1);
    }
    lower(&mut tx, &|call| numbers.get(call.0 as usize).copied().flatten());
    Program { tx, types: named, constants, functions }
}

/// Returns the roles of the arguments of each call. A call that is never reached has none.
fn roles(tx: &Function, calls: usize) -> Vec<Vec<ParamRole>> {
    let role = |arg: &Arg| match arg {
        Arg::Value(_) => ParamRole::Value,
        Arg::Array(..) => ParamRole::Array,
        Arg::Place(..) | Arg::Receiver(..) => ParamRole::Place,
    };
    let mut roles = vec![Vec::new(); calls];
    walk::each(&tx.body, &mut |stmt| {
        if let StmtKind::Call { call, args, .. } = &stmt.what {
            roles[call.0 as usize] = args.iter().map(role).collect();
        }
    });
    roles
}

/// Sets an entry of a list that may still be shorter.
fn put<T: Clone>(list: &mut Vec<T>, at: u32, entry: T, other: T) {
    let at = at as usize;
    if list.len() <= at {
        list.resize(at + 1, other);
    }
    list[at] = entry;
}

fn one(ty: Type) -> Constant {
    Constant { ty, words: vec![1; ty.components()] }
}

struct Types<'a> {
    tx: &'a Function,
    infer: &'a Infer,
    /// The fields of each type that the source uses, in source order.
    fields: HashMap<TyId, Vec<(&'a str, TyId)>>,
    /// The variants with fields that the source names.
    variants: HashMap<TyId, Vec<&'a str>>,
    /// The types of the elements of others.
    elements: HashMap<TyId, TyId>,
}

impl Types<'_> {
    /// Returns a type that fits everything that the source says of this one.
    fn of(&self, ty: TyId, depth: u32) -> Type {
        if depth > DEEPEST {
            return Type::Scalar(Scalar::I32);
        }
        let part = |ty: TyId| self.of(ty, depth + 1);
        match self.infer.class(ty) {
            Class::Known(scalar) => Type::Scalar(*scalar),
            Class::Float => Type::Scalar(Scalar::F64),
            Class::Shared(_) => Type::Scalar(Scalar::U32),
            Class::Unit => Type::Unit,
            Class::Tuple(parts) => Type::Tuple(parts.iter().map(|ty| part(*ty)).collect::<Vec<_>>().leak()),
            Class::Array(element, Length::Known(length)) => Type::Array(Box::leak(Box::new(part(*element))), *length),
            Class::Array(element, _) => Type::Array(Box::leak(Box::new(part(*element))), 1 + self.taken(ty)),
            Class::Option(inner) => Type::Option(Box::leak(Box::new(part(*inner)))),
            Class::Result(ok, err) => Type::Result(Box::leak(Box::new(part(*ok))), Box::leak(Box::new(part(*err)))),
            _ => match self.elements.get(&self.infer.root(ty)) {
                Some(element) => Type::Array(Box::leak(Box::new(part(*element))), 1),
                None => self.record(ty, depth),
            },
        }
    }

    /// Returns how many elements patterns take from an array beside its rest.
    fn taken(&self, ty: TyId) -> u64 {
        let fields = self.fields.get(&self.infer.root(ty)).into_iter().flatten();
        let taken = fields.filter_map(|(name, _)| rest_of_field(name)).map(|(before, after)| (before + after) as u64);
        taken.max().unwrap_or(0)
    }

    /// Returns a record of the fields that the source uses, or a number if it uses none.
    fn record(&self, ty: TyId, depth: u32) -> Type {
        let mut fields: Vec<(&'static str, Type)> = Vec::new();
        if let Some(names) = self.variants.get(&self.infer.root(ty)) {
            // A field shows that it is an enum with fields: the source may use none.
            fields = vec![(VARIANT, variants(names)), (".", Type::Unit)];
        }
        for (name, ty) in self.fields.get(&self.infer.root(ty)).into_iter().flatten() {
            if fields.iter().all(|(known, _)| known != name) {
                fields.push((name.replace(PERHAPS, "").leak(), self.of(*ty, depth + 1)));
            }
        }
        match fields.is_empty() {
            true => Type::Scalar(Scalar::I32),
            false => Type::Record(Box::leak(Box::new(Record {
                name: "_",
                module: "",
                fields: fields.leak(),
                traits: TRAITS,
            }))),
        }
    }

    /// Returns a function that touches nothing, for a call with these types of arguments and result.
    fn function(&self, signature: Option<(&Vec<TyId>, TyId)>, roles: &[ParamRole], tries: bool) -> Program {
        let (args, result) = match signature {
            Some((args, result)) => (args.iter().map(|ty| self.of(*ty, 0)).collect(), self.of(result, 0)),
            None => (Vec::new(), Type::Unit),
        };
        let mut types: Vec<Type> = args;
        types.push(result);
        // Entry k of the list names type k.
        let relations = (0..types.len() as u32).map(|k| Relation::Names { ty: TyId(k), name: k }).collect();
        let count = types.len() as u32 - 1;
        let value = VarId(count);
        let param = |k: u32| ParamDecl {
            name: format!("p{k}"),
            role: roles.get(k as usize).copied().unwrap_or(ParamRole::Value),
            ty: TyId(k),
            part: None,
        };
        let var = |k: u32| Var { name: None, ty: TyId(k), mutable: false };
        let stmt = |what| Stmt { what, at: PositionId(0) };
        let tx = Function {
            name: String::new(),
            file: self.tx.file.clone(),
            at: self.tx.at,
            form: Form::Function { tries },
            params: (0..count).map(param).collect(),
            generics: Vec::new(),
            result: TyId(count),
            vars: (0..=count).map(var).collect(),
            types: vec![Ty::Open(OpenTy::Any); count as usize + 1],
            relations,
            body: vec![
                stmt(StmtKind::Let { var: value, value: Rvalue::Constant(ConstId(0)) }),
                stmt(StmtKind::Return(if result == Type::Unit { Vec::new() } else { vec![Atom::Var(value)] })),
            ],
            locations: Vec::new(),
            positions: vec![Position { line: 0, column: 0 }],
            loops: 0,
            options: Options::default(),
        };
        Program { tx, types, constants: vec![one(result)], functions: Vec::new() }
    }
}

/// Whether a type of the user's program has a default, only rustc knows.
const TRAITS: Traits = Traits { default: Some(|words| vec![0; words]), ..Traits::NONE };

/// Returns an enum of these variants.
fn variants(names: &[&str]) -> Type {
    let variants = (0..).zip(names).map(|(k, name)| (&*(*name).to_owned().leak(), k)).collect::<Vec<_>>().leak();
    Type::Enum(Box::leak(Box::new(Enum { name: "_", module: "", repr: Scalar::U8, variants, traits: TRAITS })))
}
