//! The elements of a shared array from the host: ranges, filling and copies. They pass through host memory in pieces, and not as a whole.

use std::borrow::Cow;
use std::ops::{Bound, Range, RangeBounds};
use std::panic::Location;

use super::shared::Shared;
use super::value::{GpuData, value_of, words_of};
use crate::backend::{Array, COPY, PIECE, hold};
use crate::error::Error;
use crate::memory;
use crate::threads::{processors, share};

/// Values that are copied at once where they need no conversion: a device may take half of their bytes to unpack them.
const AT_ONCE: usize = if cfg!(test) { 1 << 7 } else { 1 << 24 };

/// The elements for which a thread pays that makes them of their components.
const PART: usize = if cfg!(test) { 1 << 3 } else { 1 << 14 };

/// Where a user called a method.
type Place = &'static Location<'static>;

impl<T: GpuData> Shared<T> {
    /// Copies the elements to the host. Waits for the end of a run that uses them, or other fields of the same records.
    ///
    /// # Errors
    /// The host has not enough memory, the device failed, or the call is made from inside of a run while that run or another one
    /// uses the array.
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        self.copied(0..self.len())
    }

    /// Copies a range of the elements to the host, and no others. Otherwise like [`Shared::to_vec`].
    ///
    /// ```
    /// # fn main() -> Result<(), stm_runtime::Error> {
    /// let device = stm_runtime::Device::cpu(1);
    /// let accounts = device.shared(&[100_i64, 200, 300, 400])?;
    /// accounts.write_range(1, &[7, 8])?;
    /// assert_eq!(accounts.read_range(1..)?, [7, 8, 400]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The range is not within the array ([`Error::Range`]), or as [`Shared::to_vec`].
    #[track_caller]
    pub fn read_range(&self, range: impl RangeBounds<usize>) -> Result<Vec<T>, Error> {
        self.copied(self.within(bounds_of(range, self.len()), Location::caller())?)
    }

    /// Replaces the elements from an index on by these. Waits for the end of a run that uses them.
    ///
    /// # Errors
    /// The elements do not fit from there on ([`Error::Range`]), or as [`Shared::to_vec`].
    #[track_caller]
    pub fn write_range(&self, first: usize, elements: &[T]) -> Result<(), Error> {
        let range = self.within(first..first.saturating_add(elements.len()), Location::caller())?;
        self.put(range, elements)
    }

    /// Sets every element to this value. Waits for the end of a run that uses them.
    ///
    /// # Errors
    /// As [`Shared::to_vec`].
    pub fn fill(&self, value: T) -> Result<(), Error> {
        let value = words_of(value);
        let arrays = self.arrays();
        let _held = hold(&arrays)?;
        let (known, all) = (self.len().min(most::<T>()), self.first()..self.first() + self.len());
        let write = |range| {
            self.write_pieces(&arrays, range, |_, words| {
                words.iter_mut().zip(&value).for_each(|(words, word)| words.fill(*word));
                Ok(())
            })
        };
        write(0..known)?;
        let repeat = |are_filled, array: &Array| Ok::<_, Error>(array.repeat(all.clone(), known)? && are_filled);
        if known == self.len() || arrays.iter().try_fold(true, repeat)? { Ok(()) } else { write(known..self.len()) }
    }

    /// Replaces all elements by those of another array of the same device and length, or of a partition. Waits for the end of runs that use
    /// either. On a GPU the elements stay on the device, where the other array is there.
    ///
    /// ```
    /// # fn main() -> Result<(), stm_runtime::Error> {
    /// let device = stm_runtime::Device::cpu(1);
    /// let (accounts, before) = (device.shared(&[100_i64, 200])?, device.shared(&[0_i64, 0])?);
    /// before.copy_from(&accounts)?; // and back, if the batch that follows is not wanted
    /// assert_eq!(before.to_vec()?, [100, 200]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The other array has another length or device ([`Error::CopyFrom`]), or as [`Shared::to_vec`].
    #[track_caller]
    pub fn copy_from(&self, source: &Shared<T>) -> Result<(), Error> {
        let is_foreign = self.device().id() != source.device().id();
        if is_foreign || self.len() != source.len() {
            let (lengths, at) = ([self.len(), source.len()], Location::caller());
            return Err(Error::CopyFrom { lengths, is_foreign, at });
        }
        let (own, others) = (self.arrays(), source.arrays());
        let all = [&own[..], &others[..]].concat();
        let _held = hold(&all)?;
        own.iter().zip(&others).try_for_each(|(own, other)| own.copy(self.first(), other, source.first(), self.len()))
    }

    /// Returns the arrays of the components.
    pub(super) fn arrays(&self) -> Vec<Array> {
        (0..T::COMPONENTS).filter_map(|component| self.array(component)).cloned().collect()
    }

    /// Replaces a range of elements by these.
    pub(crate) fn put(&self, range: Range<usize>, elements: &[T]) -> Result<(), Error> {
        let (arrays, first) = (self.arrays(), range.start);
        let _held = hold(&arrays)?;
        if self.put_values(&arrays, first, elements)? {
            return Ok(());
        }
        self.write_pieces(&arrays, range, |piece, words| {
            for (row, element) in elements[piece.start - first..piece.end - first].iter().enumerate() {
                put_row(*element, words, row);
            }
            Ok(())
        })
    }

    /// Does the same where values lie in the array as they do here. Returns false where they do not.
    fn put_values(&self, arrays: &[Array], first: usize, elements: &[T]) -> Result<bool, Error> {
        let [array] = arrays else { return Ok(false) };
        for (piece, elements) in elements.chunks(AT_ONCE).enumerate() {
            let Ok(values) = T::stm_column(Cow::Borrowed(elements)) else { return Ok(false) };
            if !array.write_values(self.first() + first + piece * AT_ONCE, &values)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn copied(&self, range: Range<usize>) -> Result<Vec<T>, Error> {
        let arrays = self.arrays();
        let _held = hold(&arrays)?;
        if let [array] = &arrays[..]
            && let Some(elements) =
                T::stm_filled(range.len(), &mut |cells| array.read_values(self.first() + range.start, cells))
        {
            return elements;
        }
        let (mut elements, first) = (memory::filled(COPY, range.len(), value_of::<T>([]))?, range.start);
        self.read_pieces(&arrays, range, |piece, words| {
            let parts = elements[piece.start - first..piece.end - first].chunks_mut(PART).enumerate();
            share(processors().min(parts.len()), parts, |(nth, part)| {
                for (row, element) in (nth * PART..).zip(part) {
                    *element = value_of(words.iter().map(|words| words[row]));
                }
            });
            Ok(())
        })?;
        Ok(elements)
    }

    /// Reads a range piece by piece: `see` gets the words of each component. The caller holds the arrays.
    pub(super) fn read_pieces(
        &self,
        arrays: &[Array],
        range: Range<usize>,
        mut see: impl FnMut(Range<usize>, &[Vec<u64>]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut words = buffers::<T>(range.len())?;
        pieces::<T>(range).try_for_each(|piece| {
            for (array, words) in arrays.iter().zip(&mut words) {
                array.read(self.first() + piece.start, &mut words[..piece.len()])?;
            }
            see(piece, &words)
        })
    }

    /// Writes a range piece by piece: `make` sets the words of each component. The caller holds the arrays.
    pub(super) fn write_pieces(
        &self,
        arrays: &[Array],
        range: Range<usize>,
        mut make: impl FnMut(Range<usize>, &mut [Vec<u64>]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut words = buffers::<T>(range.len())?;
        pieces::<T>(range).try_for_each(|piece| {
            make(piece.clone(), &mut words)?;
            arrays
                .iter()
                .zip(&words)
                .try_for_each(|(array, words)| array.write(self.first() + piece.start, &words[..piece.len()]))
        })
    }

    fn within(&self, range: Range<usize>, at: Place) -> Result<Range<usize>, Error> {
        if range.start <= range.end && range.end <= self.len() {
            return Ok(range);
        }
        Err(Error::Range { first: range.start, end: range.end, len: self.len(), at })
    }
}

/// Returns the range that a user names of that many elements.
pub(super) fn bounds_of(range: impl RangeBounds<usize>, len: usize) -> Range<usize> {
    let first = match range.start_bound() {
        Bound::Included(first) => *first,
        Bound::Excluded(before) => before.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(last) => last.saturating_add(1),
        Bound::Excluded(end) => *end,
        Bound::Unbounded => len,
    };
    first..end
}

/// Writes the words of a value to a row of the lists of its components.
fn put_row<T: GpuData>(value: T, words: &mut [Vec<u64>], row: usize) {
    let mut components = words.iter_mut();
    value.stm_put(&mut |word| {
        if let Some(words) = components.next() {
            words[row] = word;
        }
    });
}

/// Returns the most elements of a piece.
fn most<T: GpuData>() -> usize {
    (PIECE / T::COMPONENTS.max(1)).max(1)
}

/// Returns the pieces of a range.
pub(super) fn pieces<T: GpuData>(range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let (end, most) = (range.end, most::<T>());
    range.step_by(most).map(move |first| first..end.min(first.saturating_add(most)))
}

/// Returns a list for each component, for the largest piece of that many elements.
pub(super) fn buffers<T: GpuData>(elements: usize) -> Result<Vec<Vec<u64>>, Error> {
    let list = |_| memory::zeroed(COPY, elements.min(most::<T>()));
    Ok((0..T::COMPONENTS).map(list).collect::<Result<_, _>>()?)
}
