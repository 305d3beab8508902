//! The arguments of the transactions of one specialization, for a user's function.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::OnceLock;

use kernels_gen::device::unit::ColumnWidth;
use kernels_gen::spec::{Scalar, Type};

use crate::backend::{Device, Job, Specialization};
use crate::cells::Cells;
use crate::columns::Column;
use crate::data::{Component, GpuData, Partition, Shared, View};

/// The arguments of one specialization, resolved once for each run so that reading an argument of a transaction costs two loads.
pub struct Arguments<'a> {
    name: &'static str,
    device: Device,
    components: Vec<Component>,
    /// For each component, the view of it alone.
    views: Vec<View>,
    /// At the first component of a parameter that is not a scalar, the view of all its components, made at the first access.
    wholes: Vec<OnceLock<Option<Box<dyn Any + Send + Sync>>>>,
    /// The columns of the components of value parameters.
    columns: &'a [Column<'a>],
    /// The row of each transaction; empty where it is the transaction's index.
    rows: &'a [u32],
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
            columns: &job.columns[specialization.columns.clone()],
            rows: job.rows.unwrap_or_default(),
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

    /// Returns the array of a parameter. `k` counts the components of the array parameters before it.
    ///
    /// # Panics
    /// The type in the procedure's data differs from `T`. Generated code never does this.
    #[must_use]
    pub fn array<T: GpuData>(&self, k: usize) -> &Shared<T> {
        let view = self.views.get(k).and_then(View::get).or_else(|| self.whole(k));
        view.expect("a procedure's data and its function should agree on array types")
    }

    /// Returns the partition of a parameter. `k` counts as for [`Arguments::array`].
    ///
    /// # Panics
    /// As [`Arguments::array`].
    #[must_use]
    pub fn local<T: GpuData, const N: usize>(&self, k: usize) -> &Partition<T, N> {
        self.part(k).expect("a procedure's data and its function should agree on array types")
    }

    /// Returns the values of a parameter. `k` counts the components of the value parameters before it.
    #[inline]
    #[must_use]
    pub fn values<T: GpuData>(&self, k: usize) -> Values<'_, T> {
        let cells = self.columns.get(k).map_or(Cells::default(), Cells::of);
        Values { arguments: self, k, cells, of: PhantomData }
    }

    /// Returns the rows of transactions in the columns.
    #[inline]
    #[must_use]
    pub fn rows(&self) -> Rows<'_> {
        Rows(self.rows)
    }
}

/// The rows of transactions in the columns of their procedure.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a>(&'a [u32]);

impl Rows<'_> {
    /// Returns the row of a transaction.
    #[inline]
    #[must_use]
    pub fn of(&self, transaction: usize) -> usize {
        self.0.get(transaction).map_or(transaction, |row| *row as usize)
    }
}

/// The values of one parameter.
pub struct Values<'a, T> {
    arguments: &'a Arguments<'a>,
    k: usize,
    /// The cells of the first component.
    cells: Cells<'a>,
    of: PhantomData<T>,
}

// The bound is on the methods: rustc names it then, and not this type, where the user's type does not meet it.
impl<T> Values<'_, T> {
    /// Returns the value in a row.
    ///
    /// # Panics
    /// The procedure's data has fewer components than `T`. Generated code never does this.
    #[inline]
    #[must_use]
    pub fn of(&self, row: usize) -> T
    where
        T: GpuData,
    {
        let Some(width) = (const { width_of(T::TYPE) }) else { return self.compound(row) };
        let only = self.cells.get(width, row);
        T::stm_take(&mut || only)
    }

    fn compound(&self, row: usize) -> T
    where
        T: GpuData,
    {
        let mut component = self.k;
        T::stm_take(&mut || {
            let word = self.arguments.columns[component].get(row);
            component += 1;
            word
        })
    }
}

/// Returns the width of a scalar; `None` for a compound value.
const fn width_of(ty: Type) -> Option<ColumnWidth> {
    match ty {
        Type::Scalar(Scalar::I128 | Scalar::U128) => None,
        Type::Scalar(scalar) => Some(ColumnWidth::of(scalar.size())),
        Type::Enum(of) => Some(ColumnWidth::of(of.repr.size())),
        _ => None,
    }
}

impl std::fmt::Debug for Arguments<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Arguments(of `{}`)", self.name)
    }
}

impl<T> std::fmt::Debug for Values<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Values({} of `{}`)", self.k, self.arguments.name)
    }
}
