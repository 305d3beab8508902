//! The arguments of one transaction, for a user's function.

use std::any::Any;
use std::sync::OnceLock;

use crate::backend::{Device, Job, Specialization};
use crate::columns::Column;
use crate::data::{Component, GpuData, Partition, Shared, View};

/// The arguments of one specialization, resolved once for each run so that reading an argument of a transaction costs two loads.
pub(super) struct Arguments<'a> {
    name: &'static str,
    device: Device,
    components: Vec<Component>,
    /// For each component, the view of it alone.
    views: Vec<View>,
    /// At the first component of a parameter that is not a scalar, the view of all its components, made at the first access.
    wholes: Vec<OnceLock<Option<Box<dyn Any + Send + Sync>>>>,
    cells: Vec<Cells<'a>>,
}

/// The cells of one component of a value parameter.
enum Cells<'a> {
    U32(&'a [u32]),
    U64(&'a [u64]),
}

impl<'a> Arguments<'a> {
    pub(super) fn of(device: &Device, job: &Job<'a>, specialization: &Specialization) -> Arguments<'a> {
        let component = |at: &usize| Component { array: job.arrays[*at].clone(), place: *at as u32 };
        let components: Vec<Component> = specialization.arrays.iter().map(component).collect();
        Arguments {
            name: job.procedures[specialization.procedure].spec.name,
            device: device.clone(),
            views: components.iter().map(|component| View::new(device, component)).collect(),
            wholes: components.iter().map(|_| OnceLock::new()).collect(),
            components,
            cells: specialization.columns.iter().map(|c| Cells::of(&job.columns[*c])).collect(),
        }
    }

    /// Returns the view of all components of a parameter, of which `k` is the first.
    #[inline(never)]
    fn whole<T: GpuData>(&self, k: usize) -> Option<&Shared<T>> {
        self.kept(k, || Shared::view(&self.device, &self.components[k..]))
    }

    /// Returns the same as a `Partition`, which is another type; a parameter has one of the two.
    fn part<T: GpuData, const N: usize>(&self, k: usize) -> Option<&Partition<T, N>> {
        self.kept(k, || Shared::view(&self.device, &self.components[k..]).map(Partition::of_transaction))
    }

    fn kept<V: Any + Send + Sync>(&self, k: usize, make: impl FnOnce() -> Option<V>) -> Option<&V> {
        let boxed = || make().map(|view| Box::new(view) as Box<dyn Any + Send + Sync>);
        self.wholes.get(k)?.get_or_init(boxed).as_ref()?.downcast_ref()
    }

    #[inline]
    fn word(&self, k: usize, transaction: usize) -> u64 {
        match &self.cells[k] {
            Cells::U32(cells) => cells.get(transaction).copied().map_or(0, u64::from),
            Cells::U64(cells) => cells.get(transaction).copied().unwrap_or(0),
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

/// The arguments of one transaction, for generated code.
#[derive(Clone, Copy)]
pub struct Transaction<'a> {
    arguments: &'a Arguments<'a>,
    transaction: usize,
}

impl<'a> Transaction<'a> {
    #[inline]
    pub(super) fn new(arguments: &'a Arguments<'a>, transaction: usize) -> Transaction<'a> {
        Transaction { arguments, transaction }
    }

    /// Returns the array of a parameter. `k` counts the components of the array parameters before it.
    ///
    /// # Panics
    /// The type in the procedure's data differs from `T`. Generated code never does this.
    #[inline]
    #[must_use]
    pub fn array<T: GpuData>(&self, k: usize) -> &'a Shared<T> {
        let view = self.arguments.views.get(k).and_then(View::get).or_else(|| self.arguments.whole(k));
        view.expect("a procedure's data and its function should agree on array types")
    }

    /// Returns the partition of a parameter. `k` counts as for [`Transaction::array`].
    ///
    /// # Panics
    /// As [`Transaction::array`].
    #[inline]
    #[must_use]
    pub fn local<T: GpuData, const N: usize>(&self, k: usize) -> &'a Partition<T, N> {
        self.arguments.part(k).expect("a procedure's data and its function should agree on array types")
    }

    /// Returns the value of a parameter. `k` counts the components of the value parameters before it.
    ///
    /// # Panics
    /// The procedure's data has fewer components than `T`. Generated code never does this.
    #[inline]
    #[must_use]
    pub fn value<T: GpuData>(&self, k: usize) -> T {
        let mut component = k;
        T::stm_take(&mut || {
            let word = self.arguments.word(component, self.transaction);
            component += 1;
            word
        })
    }
}

impl std::fmt::Debug for Transaction<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Transaction({} of `{}`)", self.transaction, self.arguments.name)
    }
}
