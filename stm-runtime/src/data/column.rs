//! The values of one parameter for many transactions, and how they become argument columns.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::value::GpuData;
use crate::columns::{CellsMut, Column};
use crate::memory::NoMemory;
use crate::threads::{processors, share};

/// Values that one thread takes apart at a time.
const SHARE: usize = if cfg!(test) { 1 << 4 } else { 1 << 16 };
/// Words of a block of values that are taken apart together, so that they stay in the first cache.
const BLOCK: usize = if cfg!(test) { 1 << 3 } else { 1 << 11 };

/// A list of values of one parameter, one for each transaction: a slice, a reference to an array, a `Vec`, a boxed slice, a `Cow`.
///
/// `transfer::columns(&accounts, &from, &to, &amount)` takes such lists. A batch reads a borrowed list where it is, so the list lives
/// as long as the batch; a `Vec` is moved into the batch. Scalars are not copied in either case.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a column of `{T}`",
    label = "not one `{T}` for each transaction",
    note = "pass a slice (`&[{T}]`), a `Vec<{T}>` or an array of the parameter's own type; `call` takes a single value"
)]
pub trait IntoColumn<'a, T: GpuData> {
    /// Returns the values.
    fn into_column(self) -> Cow<'a, [T]>;
}

impl<'a, T: GpuData> IntoColumn<'a, T> for &'a [T] {
    fn into_column(self) -> Cow<'a, [T]> {
        Cow::Borrowed(self)
    }
}

impl<'a, T: GpuData, const N: usize> IntoColumn<'a, T> for &'a [T; N] {
    fn into_column(self) -> Cow<'a, [T]> {
        Cow::Borrowed(self)
    }
}

impl<'a, T: GpuData> IntoColumn<'a, T> for &'a Vec<T> {
    fn into_column(self) -> Cow<'a, [T]> {
        Cow::Borrowed(self)
    }
}

impl<'a, T: GpuData> IntoColumn<'a, T> for Vec<T> {
    fn into_column(self) -> Cow<'a, [T]> {
        Cow::Owned(self)
    }
}

impl<'a, T: GpuData> IntoColumn<'a, T> for Box<[T]> {
    fn into_column(self) -> Cow<'a, [T]> {
        Cow::Owned(self.into())
    }
}

impl<'a, T: GpuData> IntoColumn<'a, T> for &'a Box<[T]> {
    fn into_column(self) -> Cow<'a, [T]> {
        Cow::Borrowed(self)
    }
}

impl<'a, T: GpuData> IntoColumn<'a, T> for &'a Arc<[T]> {
    fn into_column(self) -> Cow<'a, [T]> {
        Cow::Borrowed(self)
    }
}

impl<'a, T: GpuData> IntoColumn<'a, T> for Cow<'a, [T]> {
    fn into_column(self) -> Cow<'a, [T]> {
        self
    }
}

/// The values of one parameter.
pub(crate) struct ValueColumn<'a> {
    /// The parameter.
    pub(crate) name: &'static str,
    len: usize,
    /// The scalars of a value.
    components: usize,
    values: Values<'a>,
}

enum Values<'a> {
    /// One scalar each.
    Scalars(Column<'a>),
    /// Values of several components.
    Compound(Box<dyn Compound + 'a>),
}

/// Values of several components.
trait Compound: Send + Sync {
    /// Adds the components of each value to their columns.
    fn add_to(&self, columns: &mut [Column<'_>]) -> Result<(), NoMemory>;
}

impl<'a> ValueColumn<'a> {
    pub(crate) fn new<T: GpuData>(name: &'static str, values: Cow<'a, [T]>) -> ValueColumn<'a> {
        let len = values.len();
        let values = T::stm_column(values)
            .map_or_else(|values| Values::Compound(Box::new(values) as Box<dyn Compound + 'a>), Values::Scalars);
        ValueColumn { name, len, components: T::COMPONENTS, values }
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
        append: impl Fn(&mut Column<'b>, Column<'a>) -> Result<(), NoMemory>,
    ) -> Result<&'c mut [Column<'b>], NoMemory> {
        let (own, others) = columns.split_at_mut(self.components.min(columns.len()));
        match (self.values, own) {
            (Values::Scalars(cells), [column]) => append(column, cells)?,
            (Values::Scalars(_), _) => {}
            (Values::Compound(values), own) => values.add_to(own)?,
        }
        Ok(others)
    }
}

impl<T: GpuData> Compound for Cow<'_, [T]> {
    fn add_to(&self, columns: &mut [Column<'_>]) -> Result<(), NoMemory> {
        let grown = columns.iter_mut().map(|column| column.grow(self.len()));
        let mut rest: Vec<CellsMut<'_>> = grown.collect::<Result<_, _>>()?;
        let shares = self.chunks(SHARE).map(|values| {
            let split = std::mem::take(&mut rest).into_iter().map(|cells| cells.split_first(values.len()));
            let (own, others): (Vec<_>, Vec<_>) = split.unzip();
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
            cells.put(nth * block, &words[..values.len()]);
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
            let more = ValueColumn::new("pairs", Cow::Borrowed(&values[..]));
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
        let moved = ValueColumn::new::<f32>("rates", values.into_column());
        assert!(moved.add_to(&mut columns, Column::append).unwrap().is_empty());
        let [Column::U32(Cow::Owned(cells))] = &columns else { panic!("the list was moved") };
        assert_eq!((cells.as_ptr().addr(), cells[1]), (place, 2.0_f32.to_bits()));
    }
}
