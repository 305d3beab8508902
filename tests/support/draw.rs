//! Random values of any type, drawn from a seed: mostly small ones and edge values, sometimes arbitrary ones.

use kernels_gen::spec::{Scalar, Type};
use stm_runtime::GpuData;

/// A seeded source of values that prefers edge cases.
#[derive(Debug, Clone)]
pub struct Draw(u64);

impl Draw {
    /// Creates a source from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Draw {
        Draw(seed)
    }

    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// Returns a number from 0 to `end` - 1; 0 where `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.roll() % end.max(1) as u64) as usize
    }

    /// Returns true with a probability of `of_a_thousand` / 1000.
    pub fn chance(&mut self, of_a_thousand: usize) -> bool {
        self.below(1000) < of_a_thousand
    }

    /// Returns one element of a list that is not empty.
    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// Returns any 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.roll()
    }

    /// Returns mostly a small number, so that indices are in range; otherwise any word, or one of the largest.
    fn word(&mut self) -> u64 {
        match self.roll() % 8 {
            0 => self.roll(),
            1 => self.roll() % 300,
            2 => u64::MAX - self.roll() % 3,
            _ => self.roll() % 12,
        }
    }

    /// Returns a value of any type, built from its components.
    pub fn value<T: GpuData>(&mut self) -> T {
        let mut words = Vec::new();
        self.components(T::TYPE, &mut words);
        let mut words = words.into_iter();
        T::stm_take(&mut || words.next().unwrap_or_default())
    }

    fn components(&mut self, ty: Type, words: &mut Vec<u64>) {
        match ty {
            Type::Scalar(scalar) if scalar.is_wide() => {
                let (low, high) = (self.word(), self.word());
                words.extend([low, if high % 3 == 0 { high } else { ((low as i64) >> 63) as u64 & high }]);
            }
            Type::Scalar(scalar) => words.push(self.scalar(scalar)),
            Type::Unit => {}
            Type::Tuple(parts) => parts.iter().for_each(|part| self.components(*part, words)),
            Type::Array(element, length) => (0..length).for_each(|_| self.components(*element, words)),
            Type::Option(inner) => {
                words.push(self.roll() % 2);
                self.components(*inner, words);
            }
            Type::Result(ok, err) => {
                words.push(self.roll() % 2);
                self.components(*ok, words);
                self.components(*err, words);
            }
            Type::Record(record) => record.fields.iter().for_each(|(_, field)| self.components(*field, words)),
            Type::Enum(of) if of.variants.is_empty() => words.push(self.roll() % 0xd800),
            Type::Enum(of) => words.push(of.variants[self.roll() as usize % of.variants.len()].1 as u64),
        }
    }

    fn scalar(&mut self, scalar: Scalar) -> u64 {
        let quarters = (self.roll() % 40) as f64 / 4.0 - 5.0;
        match (scalar, self.roll() % 5) {
            (Scalar::F32 | Scalar::F64, 0) => self.roll(),
            (Scalar::F32, _) => u64::from((quarters as f32).to_bits()),
            (Scalar::F64, _) => quarters.to_bits(),
            _ => self.word(),
        }
    }
}
