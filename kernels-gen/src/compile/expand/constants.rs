//! Constants of the user's program, and values of zeros.

use super::super::shape;
use super::expander::{Expanded, Expander};
use crate::ir::VarId;
use crate::ir::flat::Atom;
use crate::ir::open::ConstId;
use crate::spec::{Constant, Scalar, Type};

impl<'p> Expander<'p> {
    /// Returns the value whose components are all 0.
    pub(super) fn zeros(&mut self, ty: Type) -> Vec<Atom> {
        let groups = shape::groups(ty);
        groups.into_iter().map(|group| self.zero(&group)).collect()
    }

    fn zero(&mut self, group: &shape::Group) -> Atom {
        let scalar = group.scalar;
        let zero = match scalar {
            Scalar::Bool => Atom::Bool(false),
            _ if scalar.is_float() => Atom::Float("0.0".to_owned(), scalar),
            _ => Atom::Int(0, scalar),
        };
        match group.length() {
            None => zero,
            Some(length) => {
                let var = self.var(None, scalar, Some(length), true);
                self.let_repeated(var, zero);
                Atom::Var(var)
            }
        }
    }

    pub(super) fn let_constant(&mut self, var: VarId, constant: ConstId) -> Expanded<()> {
        let program = self.frame().resolved.program;
        let constant: &Constant = &program.constants[constant.0 as usize];
        self.limit(constant.words.len(), "the constant")?;
        let atoms = self.of_constant(constant.ty, &constant.words);
        self.bind(var, atoms)
    }

    /// Returns the default value of a type.
    pub(super) fn default_of(&mut self, ty: Type) -> Expanded<Vec<Atom>> {
        match ty.default_words() {
            Some(words) => Ok(self.of_constant(ty, &words)),
            None => self.fail(format!("the default of `{ty}` is not known here; write the value itself")),
        }
    }

    /// Returns the value of these words.
    fn of_constant(&mut self, ty: Type, words: &[u64]) -> Vec<Atom> {
        let mut columns: Vec<Vec<u64>> = vec![Vec::new(); shape::width(ty)];
        for ((group, _), word) in shape::components(ty).into_iter().zip(words) {
            columns[group].push(*word);
        }
        let mut atoms = Vec::new();
        for (group, column) in shape::groups(ty).into_iter().zip(columns) {
            let words = column.chunks(if group.scalar.is_wide() { 2 } else { 1 });
            let column: Vec<Atom> = words.map(|words| Self::literal(words, group.scalar)).collect();
            match group.length() {
                None => atoms.extend(column),
                Some(length) => {
                    let array = self.var(None, group.scalar, Some(length), true);
                    self.let_array(array, column);
                    atoms.push(Atom::Var(array));
                }
            }
        }
        atoms
    }

    /// Returns a literal from the words of a scalar.
    fn literal(words: &[u64], scalar: Scalar) -> Atom {
        let word = words[0];
        let bits = 64_u32.saturating_sub(8 * scalar.size() as u32);
        match scalar {
            Scalar::I128 | Scalar::U128 => Atom::Int(i128::from(words[1]) << 64 | i128::from(word), scalar),
            Scalar::Bool => Atom::Bool(word != 0),
            Scalar::F32 if f32::from_bits(word as u32).is_finite() => {
                Atom::Float(format!("{:?}", f32::from_bits(word as u32)), scalar)
            }
            Scalar::F64 if f64::from_bits(word).is_finite() => {
                Atom::Float(format!("{:?}", f64::from_bits(word)), scalar)
            }
            Scalar::F32 | Scalar::F64 => Atom::Bits(word, scalar),
            _ if scalar.is_signed() => Atom::Int(i128::from(((word << bits) as i64) >> bits), scalar),
            _ => Atom::Int(i128::from(word), scalar),
        }
    }
}
