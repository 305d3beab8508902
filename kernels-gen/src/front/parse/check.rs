//! The end of type inference: every type is determined, and the checks that depend on types run.

use super::checks::{Checks, Number, TypeCheck};
use super::convert;
use super::parsed::Parsed;
use crate::front::diag::{Diagnostics, Rule, SourceSpan};
use crate::infer::{Class, Infer};
use crate::ir::open::{Arg, Function, Rvalue, Step, StmtKind, Ty, TyId, walk};
use crate::ir::{LocationId, UnaryOp};
use crate::spec::Scalar;

/// The new numbers of locations: an operator of floats cannot fault, and needs no location.
pub(crate) struct LocationMap(Vec<Option<LocationId>>);

impl LocationMap {
    pub(crate) fn get(&self, location: LocationId) -> Option<LocationId> {
        self.0[location.0 as usize]
    }
}

/// Finishes the types of a parsed function, as far as the macro can see.
pub(crate) fn check_types(parsed: &mut Parsed, diags: &mut Diagnostics) -> LocationMap {
    if diags.is_empty() {
        check_known(parsed, diags);
    }
    parsed.transaction.types = parsed.infer.types();
    let infer = &parsed.infer;
    check_literals(infer, &parsed.checks, diags);
    for (check, at) in &parsed.checks.operators {
        Checker { infer, at: *at, diags }.check(*check);
    }
    number_locations(&mut parsed.transaction)
}

/// Checks that every named variable has a type.
fn check_known(parsed: &Parsed, diags: &mut Diagnostics) {
    for (name, mutable, ty, at) in &parsed.checks.named {
        if parsed.infer.is_open(*ty) {
            let keyword = if *mutable { "let mut" } else { "let" };
            let example = match parsed.infer.class(*ty) {
                Class::Option(_) => "Option<u32>",
                Class::Array(..) => "[u32; 4]",
                Class::Tuple(_) => "(u32, u32)",
                _ => "u32",
            };
            let message = format!("the type of `{name}` is not known; write for example `{keyword} {name}: {example}`");
            diags.report(Rule::CannotInfer, at, message);
        }
    }
}

fn check_literals(infer: &Infer, checks: &Checks, diags: &mut Diagnostics) {
    for (number, ty, at) in &checks.literals {
        // rustc checks the types that are known only later.
        let Some(scalar) = infer.answer(*ty) else { continue };
        let class_fits = match number {
            Number::Int(..) => scalar.is_int(),
            Number::Float(_) => scalar.is_float(),
        };
        // A literal of the wrong class was reported where the classes were unified.
        if class_fits && !number.fits(scalar) {
            let instead = match fitting(number) {
                Some(fitting) => format!("use a type that has it, as in `{fitting}`"),
                None => "no type of the device has it; write a number that is nearer to 0".to_owned(),
            };
            let message = format!("{number} is not a value of `{}`; {instead}", scalar.rust());
            diags.report(Rule::Literal, at, message);
        }
    }
}

/// Returns the number with the suffix of a type that has it.
fn fitting(number: &Number) -> Option<String> {
    let scalar = match number {
        Number::Int(..) => {
            let types = [Scalar::I32, Scalar::I64, Scalar::U64, Scalar::I128, Scalar::U128];
            types.into_iter().find(|s| number.fits(*s))
        }
        Number::Float(_) => Some(Scalar::F64).filter(|s| number.fits(*s)),
    };
    scalar.map(|s| format!("{number}_{}", s.rust()))
}

struct Checker<'a> {
    infer: &'a Infer,
    at: SourceSpan,
    diags: &'a mut Diagnostics,
}

impl Checker<'_> {
    fn refuse(&mut self, op: &str, ty: TyId, instead: &str) {
        let words = self.infer.words(self.infer.class(ty));
        let instead = match self.infer.class(ty) {
            Class::Shared(_) => "read an element with `tx.read(array, index)?`",
            _ => instead,
        };
        self.diags.report(Rule::Operator, self.at, format!("there is no `{op}` for {words}; {instead}"));
    }

    /// Returns whether the type is certainly none of the given ones. rustc decides about types that are known later.
    fn is_not(&self, ty: TyId, good: fn(Scalar) -> bool) -> bool {
        match self.infer.answer(ty) {
            Some(scalar) => !good(scalar),
            None => self.is_compound(ty),
        }
    }

    fn is_compound(&self, ty: TyId) -> bool {
        matches!(
            self.infer.class(ty),
            Class::Unit | Class::Tuple(_) | Class::Array(..) | Class::Option(_) | Class::Result(..) | Class::Shared(_)
        )
    }

    fn check(&mut self, check: TypeCheck) {
        match check {
            TypeCheck::Arith(op, ty) if op.is_shift() && self.is_not(ty, Scalar::is_int) => {
                self.refuse(op.rust(), ty, "shift integers");
            }
            TypeCheck::Arith(op, ty) if self.is_compound(ty) => self.refuse(op.rust(), ty, "use it on the parts"),
            TypeCheck::Arith(op, ty) if self.is_not(ty, |s| s != Scalar::Bool) => {
                self.refuse(op.rust(), ty, "use `&`, `|` or `^`");
            }
            TypeCheck::ShiftAmount(op, ty) if self.is_not(ty, Scalar::is_int) => {
                let words = self.infer.words(self.infer.class(ty));
                let message =
                    format!("`{}` shifts by an integer, but this is {words}; convert it, as in `as u32`", op.rust());
                self.diags.report(Rule::Operator, self.at, message);
            }
            TypeCheck::Logic(op, ty) if self.is_not(ty, |s| !s.is_float()) => {
                self.refuse(op.rust(), ty, "use integers or booleans");
            }
            TypeCheck::Compare(op, ty) if self.infer.has_shared(ty) => {
                self.refuse(op.rust(), ty, "compare elements, which `tx.read` gives");
            }
            TypeCheck::Printed(ty) if self.infer.has_shared(ty) => self.no_text(ty),
            TypeCheck::Compare(op, ty) if !matches!(op.rust(), "==" | "!=") && *self.infer.class(ty) == Class::Unit => {
                self.refuse(op.rust(), ty, "compare the parts");
            }
            TypeCheck::Unary(UnaryOp::Not, ty) if self.is_not(ty, |s| !s.is_float()) => {
                self.refuse("!", ty, "use integers or booleans");
            }
            TypeCheck::Unary(UnaryOp::Neg, ty) if self.is_not(ty, |s| s.is_float() || s.is_signed()) => {
                self.refuse("-", ty, "use a signed type or a float");
            }
            TypeCheck::Cast(from, to) => self.cast(from, to),
            TypeCheck::From(from, to) => self.from(from, to),
            TypeCheck::Index(ty) if self.is_not(ty, Scalar::is_int) => {
                let words = self.infer.words(self.infer.class(ty));
                let message =
                    format!("an array is indexed by an integer, but this is {words}; convert it with `as usize`");
                self.diags.report(Rule::Mismatch, self.at, message);
            }
            TypeCheck::Array(ty) if self.infer.answer(ty).is_some() || self.no_array(ty) => {
                let words = self.infer.words(self.infer.class(ty));
                self.diags.report(Rule::Mismatch, self.at, format!("only an array is indexed, but this is {words}"));
            }
            TypeCheck::Elements(ty) if self.infer.answer(ty).is_some() || self.no_array(ty) => {
                let words = self.infer.words(self.infer.class(ty));
                self.diags.report(
                    Rule::Iterator,
                    self.at,
                    format!("`for` iterates over ranges and arrays, but this is {words}; write the steps one by one"),
                );
            }
            TypeCheck::Counter(ty) if self.is_not(ty, Scalar::is_int) => self.no_counter(ty),
            TypeCheck::Ordered(ty) if self.infer.answer(ty).is_some_and(|s| s.is_float()) => self.no_order(ty),
            _ => {}
        }
    }

    fn no_text(&mut self, ty: TyId) {
        let words = self.infer.words(self.infer.class(ty));
        let message = format!("{words} cannot be printed; print an element, which `tx.read(array, index)?` gives");
        self.diags.report(Rule::SharedState, self.at, message);
    }

    fn no_counter(&mut self, ty: TyId) {
        let words = self.infer.words(self.infer.class(ty));
        let message = format!("`for` counts over integers, and not over {words}; count with an integer and convert it");
        self.diags.report(Rule::Iterator, self.at, message);
    }

    fn no_order(&mut self, ty: TyId) {
        let words = self.infer.words(self.infer.class(ty));
        let message = format!(
            "{words} has no order here, because a float can be NaN; use `fold`, as in \
             `.fold(f64::INFINITY, f64::min)`, or a key that is an integer"
        );
        self.diags.report(Rule::Operator, self.at, message);
    }

    fn no_array(&self, ty: TyId) -> bool {
        matches!(self.infer.class(ty), Class::Unit | Class::Tuple(_) | Class::Option(_) | Class::Shared(_))
    }

    /// Checks a cast between scalars. Rust has all casts except those to `bool`, and from `bool` to floats.
    fn cast(&mut self, from: TyId, to: TyId) {
        if self.is_compound(from) || self.is_compound(to) {
            let compound = if self.is_compound(from) { from } else { to };
            let words = self.infer.words(self.infer.class(compound));
            self.diags.report(
                Rule::Operator,
                self.at,
                format!("`as` converts scalars, not {words}; convert the parts"),
            );
            return;
        }
        let (Some(from), Some(to)) = (self.infer.answer(from), self.infer.answer(to)) else { return };
        let instead = match (from, to) {
            (Scalar::Bool, to) if to.is_float() => "cast to an integer first, as in `x as u8 as f64`",
            (from, Scalar::Bool) if from != Scalar::Bool => "compare it, as in `x != 0`",
            _ => return,
        };
        let message = format!("Rust has no cast from `{}` to `{}`; {instead}", from.rust(), to.rust());
        self.diags.report(Rule::Operator, self.at, message);
    }

    /// Checks `To::from(x)`, which exists where no value is lost.
    fn from(&mut self, from: TyId, to: TyId) {
        let (Some(from), Some(to)) = (self.infer.answer(from), self.infer.answer(to)) else { return };
        if !convert::has_from(from, to) {
            let message = format!(
                "there is no `{}::from` for `{}`, because values could be lost; write `as {}`",
                to.rust(),
                from.rust(),
                to.rust()
            );
            self.diags.report(Rule::Operator, self.at, message);
        }
    }
}

/// Drops the locations of operators that are known to be of floats, and renumbers the others.
fn number_locations(tx: &mut Function) -> LocationMap {
    let mut keep = vec![true; tx.locations.len()];
    let floats: Vec<bool> = tx.vars.iter().map(|v| matches!(tx.ty(v.ty), Ty::Scalar(s) if s.is_float())).collect();
    walk::each_mut(&mut tx.body, &mut |stmt| {
        if let StmtKind::Let { var, value: Rvalue::Unary(.., location) | Rvalue::Arith(.., location) } = &mut stmt.what
            && let Some(id) = location.filter(|_| floats[var.0 as usize])
        {
            keep[id.0 as usize] = false;
            *location = None;
        }
    });
    let mut next = 0;
    let map = keep.iter().map(|keep| {
        next += u32::from(*keep);
        keep.then(|| LocationId(next - 1))
    });
    let map = LocationMap(map.collect());
    let mut kept = keep.iter();
    tx.locations.retain(|_| kept.next().copied().unwrap_or(true));
    walk::each_mut(&mut tx.body, &mut |stmt| renumber(&mut stmt.what, &map));
    map
}

fn renumber(what: &mut StmtKind, map: &LocationMap) {
    let new = |location: &mut LocationId| {
        if let Some(found) = map.get(*location) {
            *location = found;
        }
    };
    match what {
        StmtKind::Let { value, .. } => match value {
            Rvalue::Unary(.., Some(location)) | Rvalue::Arith(.., Some(location)) => new(location),
            Rvalue::Element(.., location) | Rvalue::Slice(.., location) | Rvalue::Method(.., location) => new(location),
            _ => {}
        },
        StmtKind::Assign { steps, .. } => steps.iter_mut().for_each(|step| {
            if let Step::Element(_, location) = step {
                new(location);
            }
        }),
        StmtKind::Call { args, location, .. } => {
            new(location);
            for arg in args {
                if let Arg::Place(_, steps) | Arg::Receiver(_, steps, _) = arg {
                    steps.iter_mut().for_each(|step| {
                        if let Step::Element(_, location) = step {
                            new(location);
                        }
                    });
                }
            }
        }
        StmtKind::Read { location, .. }
        | StmtKind::Choose { location, .. }
        | StmtKind::Write { location, .. }
        | StmtKind::Guard { location, .. }
        | StmtKind::Reject { location, .. }
        | StmtKind::Fault { location, .. }
        | StmtKind::Print { location, .. }
        | StmtKind::Loop { location, .. }
        | StmtKind::For { location, .. } => new(location),
        _ => {}
    }
}
