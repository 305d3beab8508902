//! The arguments of the transactions of one specialization, for a user's function.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::OnceLock;

use kernels_gen::spec::Type;

use crate::backend::{Device, Job, Specialization};
use crate::columns::{Column, Width};
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

    fn word(&self, k: usize, transaction: usize) -> u64 {
        match &self.cells[k] {
            Cells::U32(cells) => cells.get(transaction).copied().map_or(0, u64::from),
            Cells::U64(cells) => cells.get(transaction).copied().unwrap_or(0),
        }
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
        let (mut narrow, mut wide): (&[u32], &[u64]) = (&[], &[]);
        match self.cells.get(k) {
            Some(Cells::U32(cells)) => narrow = cells,
            Some(Cells::U64(cells)) => wide = cells,
            None => {}
        }
        Values { arguments: self, k, narrow, wide, of: PhantomData }
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

/// The values of one parameter.
pub struct Values<'a, T> {
    arguments: &'a Arguments<'a>,
    k: usize,
    /// The cells of the first component, in one of the two.
    narrow: &'a [u32],
    wide: &'a [u64],
    of: PhantomData<T>,
}

// The bound is on the methods: rustc names it then, and not this type, where the user's type does not meet it.
impl<T> Values<'_, T> {
    /// Returns the value of a transaction.
    ///
    /// # Panics
    /// The procedure's data has fewer components than `T`. Generated code never does this.
    #[inline]
    #[must_use]
    pub fn of(&self, transaction: usize) -> T
    where
        T: GpuData,
    {
        let only = match const { width_of(T::TYPE) } {
            Some(Width::U32) => self.narrow.get(transaction).copied().map_or(0, u64::from),
            Some(Width::U64) => self.wide.get(transaction).copied().unwrap_or(0),
            None => return self.compound(transaction),
        };
        T::stm_take(&mut || only)
    }

    fn compound(&self, transaction: usize) -> T
    where
        T: GpuData,
    {
        let mut component = self.k;
        T::stm_take(&mut || {
            let word = self.arguments.word(component, transaction);
            component += 1;
            word
        })
    }
}

/// Returns the width of a scalar; `None` for a compound value.
const fn width_of(ty: Type) -> Option<Width> {
    match ty {
        Type::Scalar(scalar) => Some(Width::of(scalar.size())),
        Type::Enum(of) => Some(Width::of(of.repr.size())),
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
