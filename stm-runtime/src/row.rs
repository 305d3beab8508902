//! One row of a table as a user's function reads it.

use std::any::Any;
use std::sync::OnceLock;

use crate::columns::Column;
use crate::data::GpuData;
use crate::job::{Binding, Job};
use crate::kind::Compiled;
use crate::parts::Local;
use crate::shared::{Leaf, Shared, View};

/// One binding, resolved once a run so that reading a row costs two loads an argument.
pub(crate) struct Resolved<'a> {
    pub(crate) kind: Compiled,
    /// Index of the kind among those of the job.
    pub(crate) kind_index: usize,
    leaves: Vec<Leaf>,
    /// For each leaf, the view on it alone.
    views: Vec<View>,
    /// At the first leaf of a parameter that is no scalar, the view on all its leaves, made when it is first asked for.
    wholes: Vec<OnceLock<Option<Box<dyn Any + Send + Sync>>>>,
    cells: Vec<Cells<'a>>,
}

/// The cells of one leaf of a value parameter.
enum Cells<'a> {
    U32(&'a [u32]),
    U64(&'a [u64]),
}

impl<'a> Resolved<'a> {
    /// All bindings of a job, in order.
    pub(crate) fn all(job: &Job<'a>) -> Vec<Resolved<'a>> {
        job.bindings.iter().map(|binding| Resolved::of(job, binding)).collect()
    }

    fn of(job: &Job<'a>, binding: &Binding) -> Resolved<'a> {
        let leaf = |at: &usize| Leaf { region: job.regions[*at].clone(), place: *at as u32 };
        let leaves: Vec<Leaf> = binding.regions.iter().map(leaf).collect();
        Resolved {
            kind: job.kinds[binding.kind],
            kind_index: binding.kind,
            views: leaves.iter().map(View::new).collect(),
            wholes: leaves.iter().map(|_| OnceLock::new()).collect(),
            leaves,
            cells: binding.columns.iter().map(|c| Cells::of(&job.columns[*c])).collect(),
        }
    }

    /// The view on all leaves of a parameter, of which `k` is the first.
    #[inline(never)]
    fn whole<T: GpuData>(&self, k: usize) -> Option<&Shared<T>> {
        self.kept(k, || Shared::view(&self.leaves[k..]))
    }

    /// The same as a `Local`; it is another type, and a parameter has one.
    fn part<T: GpuData, const N: usize>(&self, k: usize) -> Option<&Local<T, N>> {
        self.kept(k, || Shared::view(&self.leaves[k..]).map(Local::of_row))
    }

    fn kept<V: Any + Send + Sync>(&self, k: usize, make: impl FnOnce() -> Option<V>) -> Option<&V> {
        let boxed = || make().map(|view| Box::new(view) as Box<dyn Any + Send + Sync>);
        self.wholes.get(k)?.get_or_init(boxed).as_ref()?.downcast_ref()
    }

    #[inline]
    fn word(&self, k: usize, row: usize) -> u64 {
        match &self.cells[k] {
            Cells::U32(cells) => cells.get(row).copied().map_or(0, u64::from),
            Cells::U64(cells) => cells.get(row).copied().unwrap_or(0),
        }
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

    /// The region of a parameter. `k` counts the leaves of the region parameters before it.
    ///
    /// # Panics
    /// When the kind's data says another type than its function asks for, which generated code never does.
    #[inline]
    #[must_use]
    pub fn region<T: GpuData>(&self, k: usize) -> &'a Shared<T> {
        let view = self.binding.views.get(k).and_then(T::stm_pick).or_else(|| self.binding.whole(k));
        view.expect("a kind's data and its function should agree on region types")
    }

    /// The part of an array that a parameter stands for. `k` counts as for [`Row::region`].
    ///
    /// # Panics
    /// As [`Row::region`].
    #[inline]
    #[must_use]
    pub fn local<T: GpuData, const N: usize>(&self, k: usize) -> &'a Local<T, N> {
        self.binding.part(k).expect("a kind's data and its function should agree on region types")
    }

    /// The value of a parameter. `k` counts the leaves of the value parameters before it.
    ///
    /// # Panics
    /// When the kind's data has fewer leaves than its function asks for, which generated code never does.
    #[inline]
    #[must_use]
    pub fn value<T: GpuData>(&self, k: usize) -> T {
        let mut leaf = k;
        T::stm_take(&mut || {
            let word = self.binding.word(leaf, self.row);
            leaf += 1;
            word
        })
    }
}

impl std::fmt::Debug for Row<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Row({} of `{}`)", self.row, self.binding.kind.spec.name)
    }
}
