//! Regions: reads, writes, and the limit on elements.

use super::frame::{Frame, Run, View};
use super::scalar::int;
use super::value::Value;
use super::{Done, Stop, broken};
use crate::fault::FaultCode;
use crate::ir::{Atom, RegionId};
use crate::spec::{Scalar, Type};

impl Run<'_> {
    /// The element, leaf after leaf.
    pub(super) fn read(
        &mut self,
        frame: &Frame<'_>,
        (region, fields): (RegionId, &[String]),
        index: &Atom,
        site: u32,
    ) -> Done<Value> {
        let View { ty, leaves, part } = frame.region(region, fields)?;
        let index = within(part, frame.index(index)?);
        let mut words = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            words.push(*self.element(leaf, index, site)?);
        }
        let mut words = words.into_iter();
        Ok(Value::take(ty, &mut || words.next().unwrap_or(0)))
    }

    pub(super) fn write(
        &mut self,
        frame: &Frame<'_>,
        (region, fields): (RegionId, &[String]),
        index: &Atom,
        value: &Atom,
        site: u32,
    ) -> Done<()> {
        let View { leaves, part, .. } = frame.region(region, fields)?;
        let index = within(part, frame.index(index)?);
        let mut words = Vec::with_capacity(leaves.len());
        frame.atom(value)?.put(&mut words);
        for (leaf, word) in leaves.into_iter().zip(words) {
            *self.element(leaf, index, site)? = word;
        }
        Ok(())
    }

    /// How many elements a region has: as many as its first leaf has words, or as a part has.
    pub(super) fn length(&self, frame: &Frame<'_>, region: RegionId) -> Done<Value> {
        let View { leaves, part, .. } = frame.region(region, &[])?;
        if let Some((_, size)) = part {
            return Ok(Value::Scalar(Scalar::Usize, size));
        }
        match leaves.first().and_then(|leaf| self.memory.get(*leaf)) {
            Some(words) => Ok(Value::Scalar(Scalar::Usize, words.len() as u64)),
            None => broken("the length of a region that is not there"),
        }
    }

    /// A word of the memory. One past the end is a fault, before it counts.
    fn element(&mut self, leaf: usize, index: u64, site: u32) -> Done<&mut u64> {
        let Some(length) = self.memory.get(leaf).map(Vec::len) else { return broken("a region that is not there") };
        if index >= length as u64 {
            return Err(Stop::Faulted(FaultCode::IndexOutOfRange, site));
        }
        if !self.met.contains(&(leaf, index)) {
            self.met.push((leaf, index));
            self.met_in_loops += u32::from(self.looping > 0);
            if self.looping > 0 && self.most.is_some_and(|most| self.met_in_loops > most) {
                return Err(Stop::Faulted(FaultCode::TooManyAccesses, site));
            }
        }
        Ok(&mut self.memory[leaf][index as usize])
    }
}

impl Frame<'_> {
    /// A region parameter, or a field of one.
    pub(super) fn region(&self, region: RegionId, fields: &[String]) -> Done<View> {
        let Some(View { mut ty, leaves, part }) = self.regions.get(region.0 as usize).cloned().flatten() else {
            return broken("a region is expected");
        };
        let mut leaves = leaves.as_slice();
        for name in fields {
            let Some((field, first)) = field(ty, name) else { return broken(format!("`{ty}` has no field `{name}`")) };
            leaves = &leaves[first..first + field.leaves()];
            ty = field;
        }
        Ok(View { ty, leaves: leaves.to_vec(), part })
    }

    /// An index of a region; a negative one is past every end.
    fn index(&self, atom: &Atom) -> Done<u64> {
        let (scalar, word) = self.scalar(atom)?;
        Ok(u64::try_from(int(scalar, word)).unwrap_or(u64::MAX))
    }
}

/// Where an element of a part lies; past every end if it is not in the part.
fn within(part: Option<(u64, u64)>, index: u64) -> u64 {
    match part {
        None => index,
        Some((part, size)) if index < size => part.saturating_mul(size).saturating_add(index),
        Some(_) => u64::MAX,
    }
}

/// The field of that name, and how many leaves stand before it.
fn field(ty: Type, name: &str) -> Option<(Type, usize)> {
    let fields: Vec<(String, Type)> = match ty {
        Type::Record(record) => record.fields.iter().map(|(name, ty)| ((*name).to_owned(), *ty)).collect(),
        Type::Tuple(parts) => parts.iter().enumerate().map(|(k, ty)| (k.to_string(), *ty)).collect(),
        _ => Vec::new(),
    };
    let at = fields.iter().position(|(field, _)| field == name)?;
    Some((fields[at].1, fields[..at].iter().map(|(_, before)| before.leaves()).sum()))
}

#[cfg(all(test, feature = "front"))]
mod tests {
    use crate::fault::FaultCode;
    use crate::interpret::{Call, Machine, Outcome};

    /// Two parts of one number, one of them through a function, and a whole array.
    const TEXT: &str = "const SIZE: usize = 2;
        #[gpu_fn]
        fn take(tx: &mut Tx, cells: &Shared<u32>, at: u32) -> TxResult<u32> {
            let seen = tx.read(cells, at)?;
            tx.write(cells, at, 0)?;
            Ok(seen + cells.len() as u32)
        }
        #[gpu_transaction]
        fn collect(tx: &mut Tx, all: &Shared<u32>, cells: &Local<u32, SIZE>, sums: &Local<u32, 3>, at: u32) -> TxResult {
            let seen = take(tx, cells, at)?;
            tx.write(sums, at + 1, seen)?;
            tx.write(all, at, seen)
        }";

    #[test]
    fn a_part_is_a_window_that_the_last_word_places() {
        let programs = crate::module::programs(TEXT, "parts.rs", true).expect("it should compile");
        let machine = Machine::new(&programs[0], true).expect("its types should agree");
        let call = |at, part| Call { regions: vec![0, 1, 2], words: vec![at, part] };
        let before = vec![vec![9; 5], vec![1, 2, 3, 4], vec![0; 6]];
        let mut memory = before.clone();
        assert_eq!(machine.run(&call(1, 1), &mut memory), Outcome::Committed(Vec::new()));
        assert_eq!(memory, [vec![9, 6, 9, 9, 9], vec![1, 2, 3, 0], vec![0, 0, 0, 0, 0, 6]]);
        // The array goes on behind the part.
        let mut memory = before.clone();
        assert!(matches!(machine.run(&call(2, 0), &mut memory), Outcome::Faulted(FaultCode::IndexOutOfRange, _)));
        assert_eq!(memory, before);
    }
}
