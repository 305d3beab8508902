//! Arrays: reads, writes, and the limit on elements.

use super::frame::{CallFrame, Run, View};
use super::scalar::int;
use super::stop::{Done, Stop, broken};
use super::value::Value;
use kernels_gen::fault::FaultCode;
use kernels_gen::ir::open::Atom;
use kernels_gen::ir::{ArrayId, LocationId};
use kernels_gen::spec::{Scalar, Type};

impl Run<'_> {
    /// Reads the element, component after component.
    pub(super) fn read(
        &mut self,
        frame: &CallFrame<'_>,
        (array, fields): (ArrayId, &[String]),
        index: &Atom,
        location: u32,
    ) -> Done<Value> {
        let View { ty, components, part } = frame.array(array, fields)?;
        let index = within(part, frame.index(index)?);
        let mut words = Vec::with_capacity(components.len());
        for component in components {
            words.push(*self.element(component, index, location)?);
        }
        let mut words = words.into_iter();
        Ok(Value::take(ty, &mut || words.next().unwrap_or(0)))
    }

    pub(super) fn write(
        &mut self,
        frame: &CallFrame<'_>,
        (array, fields): (ArrayId, &[String]),
        index: &Atom,
        value: &Atom,
        location: u32,
    ) -> Done<()> {
        let View { components, part, .. } = frame.array(array, fields)?;
        let index = within(part, frame.index(index)?);
        let mut words = Vec::with_capacity(components.len());
        frame.atom(value)?.put(&mut words);
        for (component, word) in components.into_iter().zip(words) {
            *self.element(component, index, location)? = word;
        }
        Ok(())
    }

    /// Returns the length of an array: the number of words of its first component, or the size of a partition.
    pub(super) fn length(&self, frame: &CallFrame<'_>, array: ArrayId) -> Done<Value> {
        let View { components, part, .. } = frame.array(array, &[])?;
        if let Some((_, size)) = part {
            return Ok(Value::Scalar(Scalar::Usize, size.into()));
        }
        match components.first().and_then(|component| self.memory.get(*component)) {
            Some(words) => Ok(Value::Scalar(Scalar::Usize, words.len() as u128)),
            None => broken("the length of an array that is not there"),
        }
    }

    /// Returns a word of the memory. An index past the end is a fault, before the access counts.
    fn element(&mut self, component: usize, index: u64, location: u32) -> Done<&mut u64> {
        let Some(length) = self.memory.get(component).map(Vec::len) else {
            return broken("an array that is not there");
        };
        if index >= length as u64 {
            return Err(Stop::Faulted(FaultCode::IndexOutOfRange, location));
        }
        if !self.met.contains(&(component, index)) {
            self.met.push((component, index));
            self.met_in_loops += u32::from(self.looping > 0);
            if self.looping > 0 && self.most.is_some_and(|most| self.met_in_loops > most) {
                return Err(Stop::Faulted(FaultCode::TooManyAccesses, location));
            }
        }
        Ok(&mut self.memory[component][index as usize])
    }
}

impl CallFrame<'_> {
    /// Returns an array parameter, the array that a variable names, or a field of one.
    pub(super) fn array(&self, array: ArrayId, fields: &[String]) -> Done<View> {
        let named = || match self.vars.get(array.0 as usize) {
            Some(Some(Value::Shared(view))) => Some(view.clone()),
            _ => None,
        };
        let found = self.arrays.get(array.0 as usize).cloned().flatten().or_else(named);
        let Some(View { mut ty, components, part }) = found else { return broken("an array is expected") };
        let mut components = components.as_slice();
        for name in fields {
            let Some((field, first)) = field(ty, name) else { return broken(format!("`{ty}` has no field `{name}`")) };
            components = &components[first..first + field.components()];
            ty = field;
        }
        Ok(View { ty, components: components.to_vec(), part })
    }

    /// Returns one element of an array of arrays.
    pub(super) fn element_array(
        &self,
        (array, fields): (ArrayId, &[String]),
        index: &Atom,
        location: LocationId,
    ) -> Done<View> {
        let View { ty, components, part } = self.array(array, fields)?;
        let Type::Array(element, count) = ty else { return broken("only an array has elements") };
        let index = self.index(index)?;
        if index >= count {
            return Err(Stop::Faulted(FaultCode::IndexOutOfRange, self.location(location)));
        }
        let width = element.components();
        let first = index as usize * width;
        Ok(View { ty: *element, components: components[first..first + width].to_vec(), part })
    }

    /// Returns an index of an array; a negative one becomes one past every end.
    fn index(&self, atom: &Atom) -> Done<u64> {
        let (scalar, word) = self.scalar(atom)?;
        Ok(u64::try_from(int(scalar, word)).unwrap_or(u64::MAX))
    }
}

/// Returns the index of a partition's element in the array; one past every end if it is not in the partition.
fn within(part: Option<(u64, u64)>, index: u64) -> u64 {
    match part {
        None => index,
        Some((part, size)) if index < size => part.saturating_mul(size).saturating_add(index),
        Some(_) => u64::MAX,
    }
}

/// Returns the type of the field, and the number of components before it.
fn field(ty: Type, name: &str) -> Option<(Type, usize)> {
    let fields: Vec<(String, Type)> = match ty {
        Type::Record(record) => record.fields.iter().map(|(name, ty)| ((*name).to_owned(), *ty)).collect(),
        Type::Tuple(parts) => parts.iter().enumerate().map(|(k, ty)| (k.to_string(), *ty)).collect(),
        Type::Array(element, length) => (0..length).map(|k| (format!("[{k}]"), *element)).collect(),
        _ => Vec::new(),
    };
    let at = fields.iter().position(|(field, _)| field == name)?;
    Some((fields[at].1, fields[..at].iter().map(|(_, before)| before.components()).sum()))
}

#[cfg(test)]
mod tests {
    use crate::{Call, Machine, Outcome};
    use kernels_gen::fault::FaultCode;

    /// Two partitions with the same index, one of them passed to a function, and a whole array.
    const TEXT: &str = "const SIZE: usize = 2;
        #[gpu_fn]
        fn take(tx: &mut Tx, cells: &Shared<u32>, at: u32) -> TxResult<u32> {
            let seen = tx.read(cells, at)?;
            tx.write(cells, at, 0)?;
            Ok(seen + cells.len() as u32)
        }
        #[gpu_transaction]
        fn collect(tx: &mut Tx, all: &Shared<u32>, cells: &Partition<u32, SIZE>, sums: &Partition<u32, 3>, at: u32) -> TxResult {
            let seen = take(tx, cells, at)?;
            tx.write(sums, at + 1, seen)?;
            tx.write(all, at, seen)
        }";

    #[test]
    fn a_part_is_a_window_that_the_last_word_places() {
        let programs = kernels_gen::module::programs(TEXT, "parts.rs", true).expect("it should compile");
        let machine = Machine::new(&programs[0], true).expect("its types should agree");
        let call = |at, part| Call { arrays: vec![0, 1, 2], words: vec![at, part] };
        let before = vec![vec![9; 5], vec![1, 2, 3, 4], vec![0; 6]];
        let mut memory = before.clone();
        assert_eq!(machine.run(&call(1, 1), &mut memory), Outcome::Committed(Vec::new()));
        assert_eq!(memory, [vec![9, 6, 9, 9, 9], vec![1, 2, 3, 0], vec![0, 0, 0, 0, 0, 6]]);
        // The array continues after the partition.
        let mut memory = before.clone();
        assert!(matches!(machine.run(&call(2, 0), &mut memory), Outcome::Faulted(FaultCode::IndexOutOfRange, _)));
        assert_eq!(memory, before);
    }

    /// A name for one of three arrays, two of which are elements of a field.
    const NAMES: &str = "#[gpu_transaction]
        fn best(tx: &mut Tx, rows: &Shared<[u32; 2]>, others: &Shared<u32>, at: [u8; 3]) -> TxResult<u32> {
            let mut best = others;
            for k in at {
                if k < 9 {
                    best = &rows[k as usize];
                }
                tx.update(best, 1, |n| n + 1)?;
            }
            Ok(best.len() as u32 * 100 + tx.read(best, 1)?)
        }";

    #[test]
    fn a_name_says_which_array_is_meant() {
        let programs = kernels_gen::module::programs(NAMES, "names.rs", true).expect("it should compile");
        let machine = Machine::new(&programs[0], true).expect("its types should agree");
        let call = |at: [u64; 3]| Call { arrays: vec![0, 1, 2], words: at.to_vec() };
        let before = vec![vec![0, 10], vec![0, 20], vec![0, 30, 0]];
        let mut memory = before.clone();
        assert_eq!(machine.run(&call([9, 1, 9]), &mut memory), Outcome::Committed(vec![222]));
        assert_eq!(memory, [vec![0, 10], vec![0, 22], vec![0, 31, 0]]);
        let mut memory = before.clone();
        assert_eq!(machine.run(&call([9, 9, 9]), &mut memory), Outcome::Committed(vec![333]));
        assert_eq!(memory, [vec![0, 10], vec![0, 20], vec![0, 33, 0]]);
        let mut memory = before.clone();
        assert!(matches!(machine.run(&call([0, 2, 9]), &mut memory), Outcome::Faulted(FaultCode::IndexOutOfRange, _)));
        assert_eq!(memory, before);
    }
}
