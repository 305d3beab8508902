//! The end of type inference: every type gets its answer, and what depends on types is checked.

use crate::diag::{Diagnostics, Extent, Rule};
use crate::ir::{Rvalue, SiteId, StmtKind, Transaction, TyId, UnaryOp, walk};
use crate::parse::{Check, Checks, Number, Parsed};
use crate::spec::Scalar;

/// New numbers for the sites: an operator of floats cannot fault, and needs none.
pub(crate) struct SiteMap(Vec<Option<SiteId>>);

impl SiteMap {
    pub(crate) fn get(&self, site: SiteId) -> Option<SiteId> {
        self.0[site.0 as usize]
    }
}

/// Finishes the types of a parsed function.
pub(crate) fn check_types(parsed: &mut Parsed, diags: &mut Diagnostics) -> SiteMap {
    if diags.is_empty() {
        check_known(parsed, diags);
    }
    parsed.transaction.types = parsed.infer.answers();
    let tx = &parsed.transaction;
    check_literals(tx, &parsed.checks, diags);
    for (check, at) in &parsed.checks.operators {
        check_operator(tx, *check, *at, diags);
    }
    number_sites(&mut parsed.transaction)
}

/// Every named variable has a type.
fn check_known(parsed: &Parsed, diags: &mut Diagnostics) {
    for (name, mutable, ty, at) in &parsed.checks.named {
        if parsed.infer.class(*ty) == super::infer::Class::Any {
            let keyword = if *mutable { "let mut" } else { "let" };
            let message = format!("nothing says what type `{name}` has; write for example `{keyword} {name}: u32`");
            diags.report(Rule::CannotInfer, at, message);
        }
    }
}

fn check_literals(tx: &Transaction, checks: &Checks, diags: &mut Diagnostics) {
    for (number, ty, at) in &checks.literals {
        let scalar = tx.scalar(*ty);
        let class_fits = match number {
            Number::Int(_) => scalar.is_int(),
            Number::Float(_) => scalar.is_float(),
        };
        // A literal of the wrong class was reported where the classes met.
        if class_fits && !number.fits(scalar) {
            let message = format!(
                "{number} is no value of `{}`; use a type that has it, as in `{}`",
                scalar.rust(),
                fitting(number)
            );
            diags.report(Rule::Literal, at, message);
        }
    }
}

fn fitting(number: &Number) -> String {
    let scalar = match number {
        Number::Int(_) => [Scalar::I32, Scalar::I64, Scalar::U64].into_iter().find(|s| number.fits(*s)),
        Number::Float(_) => Some(Scalar::F64),
    };
    scalar.map_or_else(|| number.to_string(), |s| format!("{number}_{}", s.rust()))
}

fn check_operator(tx: &Transaction, check: Check, at: Extent, diags: &mut Diagnostics) {
    let mut refuse = |op: &str, ty: TyId, instead: &str| {
        let message = format!("there is no `{op}` for `{}`; {instead}", tx.scalar(ty).rust());
        diags.report(Rule::Operator, at, message);
    };
    let is = |ty: TyId, good: fn(Scalar) -> bool| good(tx.scalar(ty));
    match check {
        Check::Arith(op, ty) if op.is_shift() && !is(ty, Scalar::is_int) => refuse(op.rust(), ty, "shift integers"),
        Check::Arith(op, ty) if is(ty, |s| s == Scalar::Bool) => refuse(op.rust(), ty, "use `&`, `|` or `^`"),
        Check::ShiftAmount(op, ty) if !is(ty, Scalar::is_int) => {
            refuse(op.rust(), ty, "shift by an integer");
        }
        Check::Logic(op, ty) if is(ty, Scalar::is_float) => refuse(op.rust(), ty, "use integers or booleans"),
        Check::Unary(UnaryOp::Not, ty) if is(ty, Scalar::is_float) => refuse("!", ty, "use integers or booleans"),
        Check::Unary(UnaryOp::Neg, ty) if is(ty, |s| !s.is_float() && !s.is_signed()) => {
            refuse("-", ty, "use a signed type or a float");
        }
        Check::Cast(from, to) => check_cast(tx.scalar(from), tx.scalar(to), at, diags),
        Check::Index(ty) if !is(ty, Scalar::is_int) => {
            let message = format!(
                "a region is indexed by an integer, but this is `{}`; convert it with `as usize`",
                tx.scalar(ty).rust()
            );
            diags.report(Rule::Mismatch, at, message);
        }
        Check::Counter(ty) if !is(ty, Scalar::is_int) => {
            let message = format!(
                "`for` counts over integers, but these are `{}`; count with an integer and convert it",
                tx.scalar(ty).rust()
            );
            diags.report(Rule::Iterator, at, message);
        }
        _ => {}
    }
}

/// The casts between scalars that Rust has: all but those to `bool`, and from `bool` to floats.
fn check_cast(from: Scalar, to: Scalar, at: Extent, diags: &mut Diagnostics) {
    let instead = match (from, to) {
        (Scalar::Bool, to) if to.is_float() => "cast to an integer first, as in `x as u8 as f64`",
        (from, Scalar::Bool) if from != Scalar::Bool => "compare it, as in `x != 0`",
        _ => return,
    };
    let message = format!("Rust has no cast from `{}` to `{}`; {instead}", from.rust(), to.rust());
    diags.report(Rule::Operator, at, message);
}

/// Drops the sites of float operators and renumbers the others.
fn number_sites(tx: &mut Transaction) -> SiteMap {
    let mut keep = vec![true; tx.sites.len()];
    let types = &tx.types;
    let vars = &tx.vars;
    walk::each_mut(&mut tx.body, &mut |stmt| {
        if let StmtKind::Let { var, value: Rvalue::Unary(.., site) | Rvalue::Arith(.., site) } = &mut stmt.what {
            let scalar = types[vars[var.0 as usize].ty.0 as usize];
            if let Some(id) = site.filter(|_| scalar.is_float()) {
                keep[id.0 as usize] = false;
                *site = None;
            }
        }
    });
    let mut next = 0;
    let map = keep.iter().map(|keep| {
        next += u32::from(*keep);
        keep.then(|| SiteId(next - 1))
    });
    let map = SiteMap(map.collect());
    let mut kept = keep.iter();
    tx.sites.retain(|_| kept.next().copied().unwrap_or(true));
    walk::each_mut(&mut tx.body, &mut |stmt| renumber(&mut stmt.what, &map));
    map
}

fn renumber(what: &mut StmtKind, map: &SiteMap) {
    let site = match what {
        StmtKind::Let { value: Rvalue::Unary(.., Some(site)) | Rvalue::Arith(.., Some(site)), .. } => site,
        StmtKind::Read { site, .. }
        | StmtKind::Write { site, .. }
        | StmtKind::Guard { site, .. }
        | StmtKind::Reject { site, .. }
        | StmtKind::Loop { site, .. }
        | StmtKind::For { site, .. } => site,
        _ => return,
    };
    if let Some(new) = map.get(*site) {
        *site = new;
    }
}
