//! One row of a table as a user's function reads it.

use crate::columns::Column;
use crate::element::Element;
use crate::job::Job;
use crate::kind::Kind;
use crate::shared::{Shared, View};

/// One binding, resolved once a run so that reading a row costs two loads an argument.
pub(crate) struct Resolved<'a> {
    pub(crate) kind: &'static Kind,
    /// Index of the kind among those of the job.
    pub(crate) kind_index: usize,
    views: Vec<View>,
    cells: Vec<Cells<'a>>,
}

/// The cells of one value parameter.
enum Cells<'a> {
    U32(&'a [u32]),
    U64(&'a [u64]),
}

impl<'a> Resolved<'a> {
    /// All bindings of a job, in order.
    pub(crate) fn all(job: &Job<'a>) -> Vec<Resolved<'a>> {
        let resolve = |binding: &crate::job::Binding| Resolved {
            kind: job.kinds[binding.kind],
            kind_index: binding.kind,
            views: binding.regions.iter().map(|r| View::new(&job.regions[*r], *r as u32)).collect(),
            cells: binding.columns.iter().map(|c| Cells::of(&job.columns[*c])).collect(),
        };
        job.bindings.iter().map(resolve).collect()
    }
}

impl<'a> Cells<'a> {
    fn of(column: &'a Column) -> Cells<'a> {
        match column {
            Column::U32(cells) => Cells::U32(cells),
            Column::U64(cells) => Cells::U64(cells),
        }
    }
}

/// The arguments of one transaction. Generated code decodes them with this.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    binding: &'a Resolved<'a>,
    row: usize,
}

impl<'a> Row<'a> {
    #[inline]
    pub(crate) fn new(binding: &'a Resolved<'a>, row: usize) -> Row<'a> {
        Row { binding, row }
    }

    /// The region of the `k`-th region parameter.
    ///
    /// # Panics
    /// When the kind's data says another type than its function asks for, which generated code never does.
    #[inline]
    #[must_use]
    pub fn region<T: Element>(&self, k: usize) -> &'a Shared<T> {
        T::pick(&self.binding.views[k]).expect("a kind's data and its function should agree on region types")
    }

    /// The value of the `k`-th value parameter.
    #[inline]
    #[must_use]
    pub fn value<T: Element>(&self, k: usize) -> T {
        let word = match &self.binding.cells[k] {
            Cells::U32(cells) => cells.get(self.row).copied().map_or(0, u64::from),
            Cells::U64(cells) => cells.get(self.row).copied().unwrap_or(0),
        };
        T::from_word(word)
    }
}

impl std::fmt::Debug for Row<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Row({} of `{}`)", self.row, self.binding.kind.name())
    }
}
