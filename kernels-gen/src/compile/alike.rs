//! Whether the user's types are compared as the device compares them: by their parts in order, as derived traits do. rustc cannot say
//! whether `PartialOrd` is derived. Therefore pairs of values are compared in both ways when a procedure is compiled.

use std::cmp::Ordering;

use crate::spec::{Enum, Scalar, Type};

/// The pairs of values that are compared, for types of few components.
const PAIRS: usize = 3000;

/// Returns the first type of the user's program in this one whose own comparison is another. `ordered`: `<` and the like, and not `==`.
pub(super) fn other(ty: Type, ordered: bool) -> Option<Type> {
    let traits = match ty {
        Type::Scalar(_) | Type::Unit => return None,
        Type::Array(inner, _) | Type::Option(inner) => return other(*inner, ordered),
        Type::Tuple(parts) => return parts.iter().find_map(|part| other(*part, ordered)),
        Type::Result(ok, err) => return other(*ok, ordered).or_else(|| other(*err, ordered)),
        Type::Record(record) => record.traits,
        Type::Enum(of) => of.traits,
    };
    let (equal, order) = (traits.equal.filter(|_| !ordered), traits.order.filter(|_| ordered));
    let mut pairs = Pairs(0);
    let count = PAIRS / (1 + ty.components() / 32);
    let differs = |(a, b): (Vec<u64>, Vec<u64>)| {
        let want = compare(ty, &a, &b);
        equal.is_some_and(|equal| equal(&a, &b) != (want == Some(Ordering::Equal)))
            || order.is_some_and(|order| order(&a, &b) != want)
    };
    let found = (equal.is_some() || order.is_some()) && (0..count).any(|_| differs(pairs.next(ty)));
    found.then_some(ty)
}

/// Compares the values of these words by their parts.
fn compare(ty: Type, a: &[u64], b: &[u64]) -> Option<Ordering> {
    let parts = |parts: &mut dyn Iterator<Item = Type>, mut at: usize| {
        for part in parts {
            let range = at..at + part.components();
            match compare(part, &a[range.clone()], &b[range.clone()]) {
                Some(Ordering::Equal) => at = range.end,
                other => return other,
            }
        }
        Some(Ordering::Equal)
    };
    match ty {
        Type::Unit => Some(Ordering::Equal),
        Type::Scalar(scalar) => scalars(scalar, a, b),
        Type::Enum(of) => scalars(of.repr, a, b),
        Type::Tuple(list) => parts(&mut list.iter().copied(), 0),
        Type::Record(record) => parts(&mut record.fields.iter().map(|(_, field)| *field), 0),
        Type::Array(element, length) => parts(&mut (0..length).map(|_| *element), 0),
        Type::Option(inner) if a[0] == b[0] => parts(&mut [*inner].into_iter().take(a[0] as usize), 1),
        Type::Result(ok, err) if a[0] == b[0] => parts(&mut [*ok, *err].into_iter(), 1),
        Type::Option(_) => Some(a[0].cmp(&b[0])),
        // `Ok` is the first variant.
        Type::Result(..) => Some(b[0].cmp(&a[0])),
    }
}

fn scalars(scalar: Scalar, a: &[u64], b: &[u64]) -> Option<Ordering> {
    let whole = |words: &[u64]| u128::from(words[0]) | words.get(1).map_or(0, |high| u128::from(*high) << 64);
    let unused = 128 - 8 * scalar.size();
    let (a, b) = (whole(a), whole(b));
    match scalar {
        Scalar::F32 => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        Scalar::F64 => f64::from_bits(a as u64).partial_cmp(&f64::from_bits(b as u64)),
        Scalar::Bool => Some((a & 1).cmp(&(b & 1))),
        _ if scalar.is_signed() => Some(((a << unused) as i128).cmp(&((b << unused) as i128))),
        _ => Some((a << unused).cmp(&(b << unused))),
    }
}

/// Draws pairs of values, which have many parts in common.
struct Pairs(u64);

impl Pairs {
    fn next(&mut self, ty: Type) -> (Vec<u64>, Vec<u64>) {
        let (mut pair, alike) = ([Vec::new(), Vec::new()], self.draw() % 8);
        self.fill(ty, alike, [true, true], &mut pair);
        let [a, b] = pair;
        (a, b)
    }

    /// Adds the words of a part. `there`: the part has a value, and not the zeros of another variant.
    fn fill(&mut self, ty: Type, alike: u64, there: [bool; 2], pair: &mut [Vec<u64>; 2]) {
        match ty {
            Type::Unit => {}
            Type::Scalar(scalar) => {
                let words = 1 + usize::from(scalar.is_wide());
                self.push(alike, there, pair, &mut |this| (0..words).map(|_| this.word(scalar)).collect());
            }
            Type::Enum(of) => _ = self.number(of, alike, there, pair),
            Type::Tuple(parts) => parts.iter().for_each(|part| self.fill(*part, alike, there, pair)),
            Type::Array(element, length) => (0..length).for_each(|_| self.fill(*element, alike, there, pair)),
            Type::Option(inner) => {
                let is_some = self.push(alike, there, pair, &mut |this| vec![this.draw() & 1]);
                self.fill(*inner, alike, is_some.map(|word| word == 1), pair);
            }
            Type::Result(ok, err) => {
                let is_ok = self.push(alike, there, pair, &mut |this| vec![this.draw() & 1]);
                self.fill(*ok, alike, is_ok.map(|word| word == 1), pair);
                self.fill(*err, alike, [0, 1].map(|k| there[k] && is_ok[k] == 0), pair);
            }
            Type::Record(record) => match record.variants() {
                None => record.fields.iter().for_each(|(_, field)| self.fill(*field, alike, there, pair)),
                Some(of) => {
                    let numbers = self.number(of, alike, there, pair);
                    for (name, field) in &record.fields[1..] {
                        let variant = name.split('.').next();
                        let number = of.variants.iter().find(|(known, _)| Some(*known) == variant);
                        let is = |k: usize| there[k] && number.is_some_and(|(_, number)| *number as u64 == numbers[k]);
                        self.fill(*field, alike, [is(0), is(1)], pair);
                    }
                }
            },
        }
    }

    fn number(&mut self, of: &Enum, alike: u64, there: [bool; 2], pair: &mut [Vec<u64>; 2]) -> [u64; 2] {
        self.push(alike, there, pair, &mut |this| {
            let at = this.draw() as usize % of.variants.len().max(1);
            vec![of.variants.get(at).map_or_else(|| this.draw() % 128, |(_, number)| *number as u64)]
        })
    }

    /// Adds the words of a scalar to both sides, and returns the first.
    fn push(
        &mut self,
        alike: u64,
        there: [bool; 2],
        pair: &mut [Vec<u64>; 2],
        draw: &mut dyn FnMut(&mut Self) -> Vec<u64>,
    ) -> [u64; 2] {
        let a = draw(self);
        let b = if self.draw() % 8 < alike { a.clone() } else { draw(self) };
        let mut side = |k: usize, words: Vec<u64>| {
            let first = if there[k] { words[0] } else { 0 };
            pair[k].extend(words.into_iter().map(|word| if there[k] { word } else { 0 }));
            first
        };
        [side(0, a), side(1, b)]
    }

    /// Returns a word of a number: often a small one, an extreme one, or one beside it.
    fn word(&mut self, scalar: Scalar) -> u64 {
        let (small, any) = (self.draw() % 4, self.draw());
        let float = [0.0, -0.0, 1.0, -1.0, f64::NAN, f64::INFINITY, 0.5, 1e30][any as usize % 8];
        match scalar {
            Scalar::F32 => u64::from((float as f32).to_bits()),
            Scalar::F64 => float.to_bits(),
            Scalar::Bool => any & 1,
            _ => {
                let top = 1_u64 << (8 * scalar.size().min(8) - 1);
                let word = [small, small.wrapping_neg(), top.wrapping_add(small), top.wrapping_sub(small), any];
                word[self.draw() as usize % word.len()] & (top | (top - 1))
            }
        }
    }

    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 8
    }
}
