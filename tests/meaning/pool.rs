//! The arrays of a batch. Procedures share them.

use kernels_gen::spec::{Scalar, Type};

use crate::generate::Dice;

/// The largest number of arrays of a batch: more than a kernel takes as parameters.
pub(crate) const MOST_ARRAYS: usize = 128;

/// A unit of storage that several procedures can share as the same array: a scalar anywhere; an enum or an `Option` only as that
/// type, because not all bits are valid values of it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Unit {
    Scalar(Scalar),
    Whole(Type),
}

/// The arrays of all components, by unit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pool {
    units: Vec<(Unit, usize, Vec<usize>)>,
    pub(crate) scalars: Vec<Scalar>,
    pub(crate) memory: Vec<Vec<u64>>,
    length: usize,
}

impl Pool {
    pub(crate) fn new(length: usize) -> Pool {
        Pool { length, ..Pool::default() }
    }

    /// Returns arrays for the components of a procedure's arrays; adds new ones where the pool has too few.
    pub(crate) fn bind(&mut self, arrays: &[Type], dice: &mut Dice) -> Vec<usize> {
        let (mut used, mut bound): (Vec<Unit>, Vec<usize>) = (Vec::new(), Vec::new());
        for unit in arrays.iter().flat_map(|ty| units(*ty)) {
            let ordinal = used.iter().filter(|known| **known == unit).count();
            used.push(unit);
            bound.extend(self.unit(unit, ordinal, dice));
        }
        bound
    }

    fn unit(&mut self, unit: Unit, ordinal: usize, dice: &mut Dice) -> Vec<usize> {
        if let Some((.., components)) = self.units.iter().find(|(known, at, _)| *known == unit && *at == ordinal) {
            return components.clone();
        }
        let ty = match unit {
            Unit::Scalar(scalar) => Type::Scalar(scalar),
            Unit::Whole(ty) => ty,
        };
        let first = self.memory.len();
        let scalars = ty.scalars();
        self.memory.extend(scalars.iter().map(|_| Vec::new()));
        for _ in 0..self.length {
            for (component, word) in random(dice, ty).into_iter().enumerate() {
                self.memory[first + component].push(word);
            }
        }
        let components: Vec<usize> = (first..first + scalars.len()).collect();
        self.scalars.extend(scalars);
        self.units.push((unit, ordinal, components.clone()));
        components
    }
}

fn units(ty: Type) -> Vec<Unit> {
    match ty {
        Type::Scalar(scalar) if scalar.is_wide() => vec![Unit::Whole(ty)],
        Type::Scalar(scalar) => vec![Unit::Scalar(scalar)],
        Type::Unit => Vec::new(),
        Type::Enum(_) | Type::Option(_) | Type::Result(..) => vec![Unit::Whole(ty)],
        Type::Record(record) if record.variants().is_some() => vec![Unit::Whole(ty)],
        Type::Tuple(parts) => parts.iter().flat_map(|part| units(*part)).collect(),
        Type::Array(element, length) => (0..length).flat_map(|_| units(*element)).collect(),
        Type::Record(record) => record.fields.iter().flat_map(|(_, field)| units(*field)).collect(),
    }
}

/// Returns the words of a random value: mostly small, and no NaN.
pub(crate) fn random(dice: &mut Dice, ty: Type) -> Vec<u64> {
    match ty {
        Type::Scalar(scalar) if scalar.is_wide() => {
            // Mostly small, also below 0.
            let low = word(dice, Scalar::I64);
            vec![low, if dice.chance(25) { word(dice, Scalar::U64) } else { ((low as i64) >> 63) as u64 }]
        }
        Type::Scalar(scalar) => vec![word(dice, scalar)],
        Type::Unit => Vec::new(),
        // Letters have no list of values: of one byte, or of several.
        Type::Enum(of) if of.variants.is_empty() => vec![*dice.pick(&[48, 65, 97, 122, 32, 10, 0xe9, 0x1f600])],
        Type::Enum(of) => vec![dice.pick(of.variants).1 as u64 & mask(of.repr)],
        Type::Option(inner) if dice.chance(35) => vec![0; 1 + inner.components()],
        Type::Option(inner) => [vec![1], random(dice, *inner)].concat(),
        Type::Result(ok, err) if dice.chance(50) => [vec![1], random(dice, *ok), vec![0; err.components()]].concat(),
        Type::Result(ok, err) => [vec![0; 1 + ok.components()], random(dice, *err)].concat(),
        Type::Tuple(parts) => parts.iter().flat_map(|part| random(dice, *part)).collect(),
        Type::Array(element, length) => (0..length).flat_map(|_| random(dice, *element)).collect(),
        Type::Record(record) => {
            let variant = record.variants().map(|of| *dice.pick(of.variants));
            let field = |(name, field): &(&str, Type)| match (variant, name.split_once('.')) {
                (Some((_, number)), None) => vec![number as u64],
                (Some((variant, _)), Some((own, _))) if own != variant => vec![0; field.components()],
                _ => random(dice, *field),
            };
            record.fields.iter().flat_map(field).collect()
        }
    }
}

fn mask(scalar: Scalar) -> u64 {
    u64::MAX >> (64 - 8 * scalar.size())
}

fn word(dice: &mut Dice, scalar: Scalar) -> u64 {
    const FLOATS: [f64; 8] = [0.0, -0.0, 1.0, -2.75, 0.5, 1e10, f64::INFINITY, 3.0e-7];
    match scalar {
        Scalar::Bool => dice.below(2) as u64,
        Scalar::F32 => u64::from(((dice.below(40) as f32) / 4.0 - 4.0 + *dice.pick(&FLOATS) as f32).to_bits()),
        Scalar::F64 => ((dice.below(40) as f64) / 4.0 - 4.0 + *dice.pick(&FLOATS)).to_bits(),
        _ => {
            let sign = mask(scalar) ^ (mask(scalar) >> 1);
            match dice.below(12) {
                0 => dice.word() & mask(scalar),
                1 => sign,
                2 => (sign - 1 - dice.below(2) as u64) & mask(scalar),
                3 => (mask(scalar) - dice.below(4) as u64) & mask(scalar),
                _ => dice.below(10) as u64,
            }
        }
    }
}
