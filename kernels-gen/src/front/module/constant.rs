//! Constant expressions: literals, constants and variants of the file, and compound values of these.

use syn::{Expr, ExprLit, ExprUnary, Lit, Member, UnOp};

use super::declare::Module;
use super::error::{ModuleError, wrong};
use super::integer::integer;
use crate::spec::{Record, Scalar, Type};

impl Module<'_> {
    /// Returns the type of a constant that a function names.
    pub(super) fn type_of(&self, expr: &Expr) -> Result<Type, ModuleError> {
        match expr {
            Expr::Macro(_) => Ok(Type::Scalar(Scalar::Bool)),
            Expr::Path(path) => {
                let names: Vec<String> = path.path.segments.iter().map(|part| part.ident.to_string()).collect();
                match names.as_slice() {
                    [name] if self.constants.contains_key(name) => Ok(self.constants[name].ty),
                    [ty, _] if Scalar::from_rust(ty).is_some() => {
                        Ok(Type::Scalar(Scalar::from_rust(ty).unwrap_or(Scalar::I32)))
                    }
                    [.., ty, _] if self.types.contains_key(ty) => Ok(self.types[ty]),
                    _ => wrong(format!("there is no constant `{}`", names.join("::"))),
                }
            }
            Expr::Lit(_) => Ok(Type::Scalar(Scalar::Usize)),
            _ => wrong("a constant expression that is no name"),
        }
    }

    /// Adds the words of an expression of that type.
    pub(super) fn words(&self, expr: &Expr, ty: Type, words: &mut Vec<u64>) -> Result<(), ModuleError> {
        match (expr, ty) {
            (Expr::Paren(inner), _) => self.words(&inner.expr, ty, words),
            (Expr::Path(path), Type::Option(_)) if path.path.is_ident("None") => {
                words.resize(words.len() + ty.components(), 0);
                Ok(())
            }
            (_, Type::Record(record)) if record.variants().is_some() => self.variant(expr, record, words),
            (Expr::Path(path), _) => self.path(path, ty, words),
            (Expr::Macro(_), _) => {
                words.push(u64::from(self.debug));
                Ok(())
            }
            (Expr::Call(call), Type::Option(inner)) => {
                words.push(1);
                call.args.iter().try_for_each(|value| self.words(value, *inner, words))
            }
            (Expr::Call(call), Type::Result(ok, err)) => {
                let is_ok = matches!(&*call.func, Expr::Path(path) if path.path.is_ident("Ok"));
                words.push(u64::from(is_ok));
                let before = words.len() + if is_ok { 0 } else { ok.components() };
                words.resize(before, 0);
                call.args.iter().try_for_each(|value| self.words(value, if is_ok { *ok } else { *err }, words))?;
                words.resize(words.len() + if is_ok { err.components() } else { 0 }, 0);
                Ok(())
            }
            (Expr::Call(call), Type::Record(record)) => {
                call.args.iter().zip(record.fields).try_for_each(|(value, field)| self.words(value, field.1, words))
            }
            (Expr::Tuple(tuple), Type::Tuple(parts)) => {
                tuple.elems.iter().zip(parts).try_for_each(|(value, part)| self.words(value, *part, words))
            }
            (Expr::Array(array), Type::Array(element, _)) => {
                array.elems.iter().try_for_each(|value| self.words(value, *element, words))
            }
            (Expr::Repeat(repeat), Type::Array(element, length)) => {
                (0..length).try_for_each(|_| self.words(&repeat.expr, *element, words))
            }
            (Expr::Struct(node), Type::Record(record)) => record.fields.iter().try_for_each(|(name, ty)| {
                let given = node.fields.iter().find(|field| member(&field.member) == *name);
                match given {
                    Some(field) => self.words(&field.expr, *ty, words),
                    None => wrong(format!("`{name}` has no value")),
                }
            }),
            (_, Type::Scalar(scalar)) if scalar.is_wide() => {
                let value = integer(expr)?;
                words.extend([value as u64, (value >> 64) as u64]);
                Ok(())
            }
            (_, Type::Scalar(scalar)) => {
                words.push(literal(expr, scalar)?);
                Ok(())
            }
            _ => wrong(format!("a constant expression that is no `{ty}`")),
        }
    }

    /// Adds the words of a variant of an enum with fields, or of a constant that has one.
    fn variant(&self, expr: &Expr, of: &Record, words: &mut Vec<u64>) -> Result<(), ModuleError> {
        let (path, given): (_, Vec<(String, &Expr)>) = match expr {
            Expr::Path(node) if node.path.get_ident().is_some() => return self.path(node, Type::Unit, words),
            Expr::Path(node) => (&node.path, Vec::new()),
            Expr::Struct(node) => {
                (&node.path, node.fields.iter().map(|field| (member(&field.member), &field.expr)).collect())
            }
            Expr::Call(node) => match &*node.func {
                Expr::Path(path) => {
                    (&path.path, node.args.iter().enumerate().map(|(k, arg)| (k.to_string(), arg)).collect())
                }
                _ => return wrong("a call of anything but a variant"),
            },
            _ => return wrong(format!("a constant expression that is no `{}`", of.name)),
        };
        let variant = path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        let variants = of.variants().map_or(&[][..], |variants| variants.variants);
        let Some((_, number)) = variants.iter().find(|(name, _)| *name == variant) else {
            return wrong(format!("`{}` has no variant `{variant}`", of.name));
        };
        words.push(*number as u64);
        of.fields.iter().skip(1).try_for_each(|(name, ty)| {
            match given.iter().find(|(field, _)| *name == format!("{variant}.{field}")) {
                Some((_, value)) => self.words(value, *ty, words),
                None => {
                    words.resize(words.len() + ty.components(), 0);
                    Ok(())
                }
            }
        })
    }

    fn path(&self, path: &syn::ExprPath, ty: Type, words: &mut Vec<u64>) -> Result<(), ModuleError> {
        let names: Vec<String> = path.path.segments.iter().map(|part| part.ident.to_string()).collect();
        let last = names.last().map(String::as_str).unwrap_or_default();
        match ty {
            _ if names.len() == 1 => match self.constants.get(last) {
                Some(constant) => words.extend(&constant.words),
                None => return wrong(format!("there is no constant `{last}`")),
            },
            Type::Enum(of) => match of.variants.iter().find(|(name, _)| *name == last) {
                Some((_, value)) => words.push(*value as u64 & (u64::MAX >> (64 - 8 * of.repr.size()))),
                None => return wrong(format!("`{}` has no variant `{last}`", of.name)),
            },
            Type::Scalar(scalar) if scalar.is_wide() => words.extend(wide_bound(scalar, last)?),
            Type::Scalar(scalar) => words.push(associated(scalar, last)?),
            _ => return wrong(format!("there is no constant `{}`", names.join("::"))),
        }
        Ok(())
    }
}

fn member(member: &Member) -> String {
    match member {
        Member::Named(ident) => ident.to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

/// Returns the words of the least or the greatest integer of 128 bits.
fn wide_bound(scalar: Scalar, name: &str) -> Result<[u64; 2], ModuleError> {
    let (least, greatest) = if scalar.is_signed() { (1 << 127, u128::MAX >> 1) } else { (0, u128::MAX) };
    let value: u128 = match name {
        "MIN" => least,
        "MAX" => greatest,
        _ => return wrong(format!("`{}` has no constant `{name}`", scalar.rust())),
    };
    Ok([value as u64, (value >> 64) as u64])
}

/// Returns the bits of `u8::MAX`, `f32::INFINITY` and the like.
fn associated(scalar: Scalar, name: &str) -> Result<u64, ModuleError> {
    let all = u64::MAX >> (64 - 8 * scalar.size());
    let sign = all ^ (all >> 1);
    match (name, scalar.is_int(), scalar.is_signed()) {
        ("MIN", true, signed) => return Ok(if signed { sign } else { 0 }),
        ("MAX", true, signed) => return Ok(if signed { all ^ sign } else { all }),
        _ => {}
    }
    let (narrow, wide) = match name {
        "MIN" => (f32::MIN, f64::MIN),
        "MAX" => (f32::MAX, f64::MAX),
        "MIN_POSITIVE" => (f32::MIN_POSITIVE, f64::MIN_POSITIVE),
        "EPSILON" => (f32::EPSILON, f64::EPSILON),
        "INFINITY" => (f32::INFINITY, f64::INFINITY),
        "NEG_INFINITY" => (f32::NEG_INFINITY, f64::NEG_INFINITY),
        "NAN" => (f32::NAN, f64::NAN),
        _ => return wrong(format!("`{}` has no constant `{name}`", scalar.rust())),
    };
    match scalar {
        Scalar::F32 => Ok(u64::from(narrow.to_bits())),
        Scalar::F64 => Ok(wide.to_bits()),
        _ => wrong(format!("`{}` has no constant `{name}`", scalar.rust())),
    }
}

fn literal(expr: &Expr, scalar: Scalar) -> Result<u64, ModuleError> {
    match (expr, scalar) {
        (Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }), Scalar::Bool) => Ok(u64::from(value.value)),
        (_, Scalar::F32) => float(expr).map(|value| u64::from((value.parse::<f32>().unwrap_or(0.0)).to_bits())),
        (_, Scalar::F64) => float(expr).map(|value| value.parse::<f64>().unwrap_or(0.0).to_bits()),
        _ => integer(expr).map(|value| value as u64 & (u64::MAX >> (64 - 8 * scalar.size()))),
    }
}

/// Returns the digits of a float.
fn float(expr: &Expr) -> Result<String, ModuleError> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Float(value), .. }) => Ok(value.base10_digits().to_owned()),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => float(expr).map(|digits| format!("-{digits}")),
        _ => wrong("a constant expression that is no float"),
    }
}
