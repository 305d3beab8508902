//! The verbs of a transaction: reads and writes of shared arrays, guards, and rejection.

use crate::data::{GpuData, Shared};
use crate::element::Index;
use crate::outcome::NO_LOCATION;
use crate::sync::Ordering;
use crate::tx::{Abort, Kind, Memory, Tx, WordAccess};

/// The value that a negative index counts as: no array is that long.
const PAST_THE_END: u64 = u64::MAX;
/// The components of a small record.
const FEW: usize = 4;
/// The most components of a record that is accessed in one step. The components of larger ones are accessed one by one.
const MOST: usize = 32;

/// The verbs.
impl<K: Kind> Tx<'_, K> {
    /// Reads the element at an index: the transaction's own earlier write, or else the value in the transaction's snapshot.
    /// A second read returns the same. All components of a record are read; `tx.read(&rooms.free, index)` reads one.
    ///
    /// # Errors
    /// Another transaction conflicts, or there is no such element (a fault). Pass the error on with `?`.
    #[inline]
    pub fn read<T: GpuData, I: Index>(&mut self, array: &Shared<T>, index: I) -> Result<T, Abort> {
        self.read_at(array, index, NO_LOCATION)
    }

    /// Replaces the element at an index, if and when the transaction commits.
    ///
    /// # Errors
    /// Another transaction conflicts, or there is no such element (a fault). Pass the error on with `?`.
    #[inline]
    pub fn write<T: GpuData, I: Index>(&mut self, array: &Shared<T>, index: I, value: T) -> Result<(), Abort> {
        self.write_at(array, index, value, NO_LOCATION)
    }

    /// Continues only if the condition holds. Otherwise the transaction is postponed, without effect, and tried again
    /// after other transactions have changed something.
    ///
    /// # Errors
    /// The condition is false. Pass the error on with `?`.
    #[inline]
    pub fn guard(&mut self, condition: bool) -> Result<(), Abort> {
        self.guard_at(condition, NO_LOCATION)
    }

    /// Gives up for good, without effect. The report counts the code.
    ///
    /// # Errors
    /// Always. Pass the error on with `?`, or return it.
    #[inline]
    pub fn reject<R>(&mut self, code: u32) -> Result<R, Abort> {
        self.reject_at(code, NO_LOCATION)
    }

    /// Replaces the element at an index by the result of the closure.
    ///
    /// # Errors
    /// Another transaction conflicts, or there is no such element (a fault). Pass the error on with `?`.
    #[inline]
    pub fn update<T: GpuData, I: Index>(
        &mut self,
        array: &Shared<T>,
        index: I,
        new: impl FnOnce(T) -> T,
    ) -> Result<(), Abort> {
        let old = self.read(array, index)?;
        self.write(array, index, new(old))
    }

    #[doc(hidden)]
    #[inline(always)]
    pub fn read_at<T: GpuData, I: Index>(&mut self, array: &Shared<T>, index: I, location: u32) -> Result<T, Abort> {
        let index = index.to_index().unwrap_or(PAST_THE_END);
        if T::COMPONENTS == 1 {
            let word = self.read_component(array, 0, index, location)?;
            return Ok(T::stm_take(&mut || word));
        }
        let first = self.access(array, 0, index, location);
        if let Some(values) = self.plain_row(first, places(array))? {
            let mut values = values.iter();
            return Ok(T::stm_take(&mut || values.next().map_or(0, |value| value.load(Ordering::Relaxed))));
        }
        if has_rows(self, array) {
            return self.read_record(array, index, location);
        }
        let (mut component, mut ended) = (0, Ok(()));
        let value = T::stm_take(&mut || {
            let read = ended.and_then(|()| self.read_component(array, component, index, location));
            component += 1;
            read.unwrap_or_else(|abort| {
                ended = Err(abort);
                0
            })
        });
        ended.map(|()| value)
    }

    #[doc(hidden)]
    #[inline(always)]
    pub fn write_at<T: GpuData, I: Index>(
        &mut self,
        array: &Shared<T>,
        index: I,
        value: T,
        location: u32,
    ) -> Result<(), Abort> {
        let index = index.to_index().unwrap_or(PAST_THE_END);
        if T::COMPONENTS == 1 {
            let mut only = 0;
            value.stm_put(&mut |word| only = word);
            return self.write_component(array, 0, index, only, location);
        }
        if has_rows(self, array) {
            return self.write_record(array, index, value, location);
        }
        let (mut component, mut ended) = (0, Ok(()));
        value.stm_put(&mut |word| {
            ended = ended.and_then(|()| self.write_component(array, component, index, word, location));
            component += 1;
        });
        ended
    }

    /// Reads a record in one step.
    #[inline(always)]
    fn read_record<T: GpuData>(&mut self, array: &Shared<T>, index: u64, location: u32) -> Result<T, Abort> {
        if T::COMPONENTS > FEW {
            return self.read_record_in::<T, MOST>(array, index, location);
        }
        self.read_record_in::<T, FEW>(array, index, location)
    }

    #[inline(always)]
    fn read_record_in<T: GpuData, const N: usize>(
        &mut self,
        array: &Shared<T>,
        index: u64,
        location: u32,
    ) -> Result<T, Abort> {
        let (access, mut words) = (self.access(array, 0, index, location), [0; N]);
        self.read_row(access, places(array), &mut words[..T::COMPONENTS])?;
        let mut words = words.into_iter();
        Ok(T::stm_take(&mut || words.next().unwrap_or(0)))
    }

    /// Writes a record in one step.
    #[inline(always)]
    fn write_record<T: GpuData>(
        &mut self,
        array: &Shared<T>,
        index: u64,
        value: T,
        location: u32,
    ) -> Result<(), Abort> {
        if T::COMPONENTS > FEW {
            return self.write_record_in::<T, MOST>(array, index, value, location);
        }
        self.write_record_in::<T, FEW>(array, index, value, location)
    }

    #[inline(always)]
    fn write_record_in<T: GpuData, const N: usize>(
        &mut self,
        array: &Shared<T>,
        index: u64,
        value: T,
        location: u32,
    ) -> Result<(), Abort> {
        let (access, mut words) = (self.access(array, 0, index, location), [0; N]);
        let mut places_of_words = words.iter_mut();
        value.stm_put(&mut |word| _ = places_of_words.next().map(|place| *place = word));
        self.write_row(access, places(array), &words[..T::COMPONENTS])
    }

    #[inline(always)]
    fn read_component<T: GpuData>(
        &mut self,
        array: &Shared<T>,
        component: usize,
        index: u64,
        location: u32,
    ) -> Result<u64, Abort> {
        if K::Memory::IS_FAST {
            return self.read_at_once(array.whole_place(component), index, location);
        }
        let access = self.access(array, component, index, location);
        self.read_word(access)
    }

    #[inline(always)]
    fn write_component<T: GpuData>(
        &mut self,
        array: &Shared<T>,
        component: usize,
        index: u64,
        word: u64,
        location: u32,
    ) -> Result<(), Abort> {
        if K::Memory::IS_FAST {
            return self.write_at_once(array.whole_place(component), index, word, location);
        }
        let access = self.access(array, component, index, location);
        self.write_word(access, word)
    }

    /// Returns the access to a component of an element.
    #[inline(always)]
    fn access<T: GpuData>(&self, array: &Shared<T>, component: usize, index: u64, location: u32) -> WordAccess {
        let is_last = component + 1 == T::COMPONENTS;
        if K::Memory::IS_FAST {
            return WordAccess { place: array.whole_place(component), index, len: array.extent(), location, is_last };
        }
        let index = array.locate(index, self.part());
        WordAccess { place: array.place(component), index, len: array.extent(), location, is_last }
    }
}

/// Returns whether the elements of an array are records that are accessed in one step.
#[inline(always)]
fn has_rows<K: Kind, T: GpuData>(tx: &Tx<'_, K>, array: &Shared<T>) -> bool {
    let place = if K::Memory::IS_FAST { array.whole_place(0) } else { array.place(0) };
    T::COMPONENTS <= MOST && tx.has_rows(place, T::COMPONENTS)
}

/// Returns the places of all components.
#[inline]
fn places<T: GpuData>(array: &Shared<T>) -> impl ExactSizeIterator<Item = u32> {
    (0..T::COMPONENTS).map(|component| array.place(component))
}
