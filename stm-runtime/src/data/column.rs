//! The values of one parameter for many transactions, and how they become argument columns.

use std::borrow::Cow;
use std::fmt;
use std::iter::RepeatN;
use std::ops::Range;
use std::sync::Arc;

use super::device_column::DeviceColumn;
use super::value::{GpuData, value_of, words_of};
use crate::backend::DeviceId;
use crate::columns::{Column, WHAT};
use crate::computed::Computed;
use crate::device_cells::{DeviceCells, NotAdded};
use crate::element::Word;
use crate::error::Error;
use crate::memory;
use crate::new_rows::{CellsMut, split_first};
use crate::threads::{processors, share};

/// Values that one thread takes apart at a time.
const SHARE: usize = if cfg!(test) { 1 << 4 } else { 1 << 16 };
/// Words of a block of values that are taken apart together, so that they stay in the first cache.
const BLOCK: usize = if cfg!(test) { 1 << 3 } else { 1 << 11 };

/// A list of values of one parameter, one for each transaction: a slice, a reference to an array, a `Vec`, a boxed slice, a `Cow`, a
/// range of integers, `repeat_n(value, n)`, or a [`DeviceColumn`].
///
/// `transfer::columns(&accounts, &from, &to, &amount)` takes such lists. A batch reads a borrowed list where it is, so the list lives
/// as long as the batch; a `Vec` is moved into the batch. Scalars are not copied in either case. A range, or one value for all
/// transactions ([`std::iter::repeat_n`]), takes no memory, and nothing of it is copied to a device.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a column of `{T}`",
    label = "not one `{T}` for each transaction",
    note = "pass a slice (`&[{T}]`), a `Vec<{T}>` or an array of the parameter's own type, `a..b` for an integer, or `repeat_n(value, n)`; `call` takes a single value"
)]
pub trait IntoColumn<'a, T: GpuData> {
    /// Returns the values, or how they follow from the transactions' indices, or where they are.
    #[doc(hidden)]
    fn stm_listed(self) -> Listed<'a, T>;
}

/// The values of one parameter.
#[doc(hidden)]
#[derive(Debug)]
pub enum Listed<'a, T: GpuData> {
    /// A list of them.
    Values(Cow<'a, [T]>),
    /// The word of the first one, and how many there are: each following one is one more.
    Counted(u64, usize),
    /// The one that all are, and how many there are.
    Same(T, usize),
    /// A column of a device.
    OnDevice(DeviceColumn<T>),
}

impl<'a, T: GpuData> Listed<'a, T> {
    /// Returns a list of them.
    pub(super) fn values(self) -> Result<Cow<'a, [T]>, Error> {
        let value = |word: u64| value_of([word]);
        Ok(match self {
            Listed::Values(values) => values,
            Listed::Counted(first, count) => {
                memory::collected(WHAT, (0..count).map(|row| value(first.wrapping_add(row as u64))))?.into()
            }
            Listed::Same(value, count) => memory::filled(WHAT, count, value)?.into(),
            Listed::OnDevice(column) => column.to_vec()?.into(),
        })
    }
}

macro_rules! ranges {
    ($($type:ident)*) => {$(
        impl<'a> IntoColumn<'a, $type> for Range<$type> {
            fn stm_listed(self) -> Listed<'a, $type> {
                let count = if self.is_empty() { 0 } else { (self.end as u64).wrapping_sub(self.start as u64) };
                Listed::Counted(self.start.to_word(), usize::try_from(count).unwrap_or(usize::MAX))
            }
        }
    )*};
}

ranges!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

impl<'a, T: GpuData> IntoColumn<'a, T> for RepeatN<T> {
    fn stm_listed(mut self) -> Listed<'a, T> {
        let count = self.len();
        self.next().map_or(Listed::Values(Cow::Borrowed(&[])), |value| Listed::Same(value, count))
    }
}

impl<'a, T: GpuData> IntoColumn<'a, T> for &'a [T] {
    fn stm_listed(self) -> Listed<'a, T> {
        Listed::Values(Cow::Borrowed(self))
    }
}

impl<'a, T: GpuData, const N: usize> IntoColumn<'a, T> for &'a [T; N] {
    fn stm_listed(self) -> Listed<'a, T> {
        Listed::Values(Cow::Borrowed(self))
    }
}

impl<'a, T: GpuData> IntoColumn<'a, T> for &'a Vec<T> {
    fn stm_listed(self) -> Listed<'a, T> {
        Listed::Values(Cow::Borrowed(self))
    }
}

impl<'a, T: GpuData> IntoColumn<'a, T> for Vec<T> {
    fn stm_listed(self) -> Listed<'a, T> {
        Listed::Values(Cow::Owned(self))
    }
}

impl<'a, T: GpuData> IntoColumn<'a, T> for Box<[T]> {
    fn stm_listed(self) -> Listed<'a, T> {
        Listed::Values(Cow::Owned(self.into()))
    }
}

impl<'a, T: GpuData> IntoColumn<'a, T> for &'a Box<[T]> {
    fn stm_listed(self) -> Listed<'a, T> {
        Listed::Values(Cow::Borrowed(self))
    }
}

impl<'a, T: GpuData> IntoColumn<'a, T> for &'a Arc<[T]> {
    fn stm_listed(self) -> Listed<'a, T> {
        Listed::Values(Cow::Borrowed(self))
    }
}

impl<'a, T: GpuData> IntoColumn<'a, T> for Cow<'a, [T]> {
    fn stm_listed(self) -> Listed<'a, T> {
        Listed::Values(self)
    }
}

impl<'a, T: GpuData> IntoColumn<'a, T> for DeviceColumn<T> {
    fn stm_listed(self) -> Listed<'a, T> {
        Listed::OnDevice(self)
    }
}

impl<'a, T: GpuData> IntoColumn<'a, T> for &DeviceColumn<T> {
    fn stm_listed(self) -> Listed<'a, T> {
        Listed::OnDevice(self.clone())
    }
}

/// The values of one parameter.
pub(crate) struct ValueColumn<'a> {
    /// The parameter.
    pub(crate) name: &'static str,
    len: usize,
    /// The scalars of a value.
    components: usize,
    /// The device that has them.
    device: Option<DeviceId>,
    values: Values<'a>,
}

enum Values<'a> {
    /// One scalar each.
    Scalars(Column<'a>),
    /// Values of several components.
    Compound(Box<dyn Compound + 'a>),
    /// The words of the first one, and whether each following one is one more, or the same.
    Computed(Vec<u64>, bool),
    /// The cells of each component.
    OnDevice(Vec<DeviceCells>),
}

/// Values of several components.
trait Compound: Send + Sync {
    /// Adds the components of each value to their columns.
    fn add_to(&self, columns: &mut [Column<'_>]) -> Result<(), NotAdded>;
}

impl<'a> ValueColumn<'a> {
    pub(crate) fn new<T: GpuData>(name: &'static str, values: Listed<'a, T>) -> ValueColumn<'a> {
        let mut device = None;
        let (len, values) = match values {
            Listed::Values(values) => (values.len(), Values::of(values)),
            Listed::Counted(first, count) => (count, Values::Computed(vec![first], true)),
            Listed::Same(value, count) => (count, Values::Computed(words_of(value), false)),
            Listed::OnDevice(column) => {
                device = Some(column.device().id());
                (column.len(), Values::OnDevice(column.into_cells()))
            }
        };
        ValueColumn { name, len, components: T::COMPONENTS, device, values }
    }

    /// Returns whether another device has the values.
    pub(crate) fn is_foreign(&self, device: DeviceId) -> bool {
        self.device.is_some_and(|own| own != device)
    }

    /// Returns the number of values.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds the values to the first of these columns, those of its components, scalars by `append`, and returns the other columns. Where it
    /// fails, some columns have more rows.
    pub(crate) fn add_to<'c, 'b>(
        self,
        columns: &'c mut [Column<'b>],
        append: impl Fn(&mut Column<'b>, Column<'a>) -> Result<(), NotAdded>,
    ) -> Result<&'c mut [Column<'b>], NotAdded> {
        let (own, others) = columns.split_at_mut(self.components.min(columns.len()));
        match (self.values, own) {
            (Values::Scalars(cells), [column]) => append(column, cells)?,
            (Values::Scalars(_), _) => {}
            (Values::Compound(values), own) => values.add_to(own)?,
            (Values::Computed(words, is_counted), own) => {
                for (column, first) in own.iter_mut().zip(words) {
                    let computed = Computed { width: column.width(), first, is_counted, rows: self.len };
                    append(column, Column::Computed(computed))?;
                }
            }
            (Values::OnDevice(cells), own) => {
                own.iter_mut().zip(cells).try_for_each(|(column, cells)| append(column, Column::OnDevice(cells)))?;
            }
        }
        Ok(others)
    }
}

impl<'a> Values<'a> {
    fn of<T: GpuData>(values: Cow<'a, [T]>) -> Values<'a> {
        T::stm_column(values).map_or_else(|values| Values::Compound(Box::new(values)), Values::Scalars)
    }
}

impl<T: GpuData> Compound for Cow<'_, [T]> {
    fn add_to(&self, columns: &mut [Column<'_>]) -> Result<(), NotAdded> {
        let grown = columns.iter_mut().map(|column| column.grow(self.len()));
        let mut rest: Vec<CellsMut<'_>> = grown.collect::<Result<_, _>>()?;
        let shares = self.chunks(SHARE).map(|values| {
            let (own, others) = split_first(std::mem::take(&mut rest), values.len());
            rest = others;
            (values, own)
        });
        share(processors().min(self.len().div_ceil(SHARE)), shares, |(values, cells)| take_apart(values, cells));
        Ok(())
    }
}

/// Writes the components of values to cells, block by block.
fn take_apart<T: GpuData>(values: &[T], mut cells: Vec<CellsMut<'_>>) {
    let block = (BLOCK / T::COMPONENTS.max(1)).max(1);
    let mut words = vec![0; block * cells.len()];
    for (nth, values) in values.chunks(block).enumerate() {
        for (row, value) in values.iter().enumerate() {
            let mut at = row;
            value.stm_put(&mut |word| {
                if let Some(place) = words.get_mut(at) {
                    *place = word;
                }
                at += block;
            });
        }
        for (cells, words) in cells.iter_mut().zip(words.chunks(block)) {
            cells.put(nth * block, words[..values.len()].iter().copied());
        }
    }
}

impl fmt::Debug for ValueColumn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} values", self.name, self.len)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use kernels_gen::device::unit::ColumnWidth;

    #[test]
    fn compound_values_are_taken_apart_in_order() {
        let values: Vec<(u8, [i64; 3])> = (0..100_i64).map(|k| (k as u8, [k, -k, 7])).collect();
        let widths = [ColumnWidth::U8, ColumnWidth::U64, ColumnWidth::U64, ColumnWidth::U64];
        let mut columns = widths.map(Column::new);
        for twice in 0..2 {
            let more = ValueColumn::new("pairs", Listed::Values(Cow::Borrowed(&values[..])));
            assert_eq!((more.len(), format!("{more:?}").as_str()), (100, "pairs: 100 values"));
            assert!(more.add_to(&mut columns, Column::append).unwrap().is_empty());
            for row in 0..100_u64 {
                let words = columns.each_ref().map(|column| column.get(100 * twice + row as usize));
                assert_eq!(words, [row, row, row.wrapping_neg(), 7]);
            }
        }
    }

    #[test]
    fn scalars_stay_where_they_are() {
        let values = vec![-1.5_f32, 2.0];
        let place = values.as_ptr().addr();
        let mut columns = [Column::new(ColumnWidth::U32)];
        let moved = ValueColumn::new::<f32>("rates", values.stm_listed());
        assert!(moved.add_to(&mut columns, Column::append).unwrap().is_empty());
        let [Column::U32(Cow::Owned(cells))] = &columns else { panic!("the list was moved") };
        assert_eq!((cells.as_ptr().addr(), cells[1]), (place, 2.0_f32.to_bits()));
    }

    #[test]
    fn ranges_and_one_value_for_all_are_not_listed() {
        let mut columns = [ColumnWidth::U16, ColumnWidth::U8, ColumnWidth::U64].map(Column::new);
        let numbers = ValueColumn::new::<i16>("numbers", (-2..i16::MAX).stm_listed());
        let pairs = ValueColumn::new::<(u8, f64)>("pairs", std::iter::repeat_n((7, 0.5), 3).stm_listed());
        assert_eq!((numbers.len(), pairs.len()), (2 + i16::MAX as usize, 3));
        let rest = numbers.add_to(&mut columns, Column::append).unwrap();
        assert!(pairs.add_to(rest, Column::append).unwrap().is_empty());
        assert!(columns.iter().all(|column| column.computed().is_some()));
        assert_eq!(columns.each_ref().map(|column| column.get(2)), [0, 7, 0.5_f64.to_bits()]);
        assert_eq!(((-2..1_i16).stm_listed().values().unwrap(), columns[0].get(1)), (vec![-2, -1, 0].into(), 0xffff));
        let empty = Range { start: 5_u32, end: 3 };
        assert!(matches!(
            (empty.stm_listed(), (0..u64::MAX).stm_listed()),
            (Listed::Counted(_, 0), Listed::Counted(0, usize::MAX))
        ));
        let all = Range { start: i64::MIN, end: i64::MAX };
        assert!(matches!(all.stm_listed(), Listed::Counted(_, usize::MAX)));
    }
}
