//! `Shared<T>`: one shared array with the type of its elements.

use std::any::Any;
use std::fmt;
use std::ops::Deref;

use kernels_gen::spec::Scalar;

use super::parts::{About, Component, Parts};
use super::value::GpuData;
use crate::backend::{Array, Device};

/// The place of an array that is not part of a run.
const NO_PLACE: u32 = u32::MAX;

/// An array that transactions share. It lives on a device and outlives the batches that use it.
///
/// Clones are the same array. Its elements change by running a [`Batch`](crate::Batch), and by [`Shared::write_range`], `fill`, `copy_from`
/// and `load`.
///
/// ```
/// # fn main() -> Result<(), stm_runtime::Error> {
/// let device = stm_runtime::Device::cpu(2);
/// let accounts = device.shared(&[100_i64, 200, 300])?;
/// assert_eq!(accounts.to_vec()?, [100, 200, 300]);
/// # Ok(())
/// # }
/// ```
///
/// Each component of the elements is stored separately, and each part of a compound element is a `Shared` too: `rooms.free` for a
/// field of a record, `pairs.0` for tuples, `grids[3]` for arrays, `names.is_some` and `names.some` for `Option`s.
pub struct Shared<T: GpuData> {
    columns: T::Columns,
    /// The array of the first component; `None` only for elements without components.
    first: Option<Array>,
    /// Index of the first array among those of the run of this view.
    place: u32,
    /// The same where indices count in the whole array; out of range for a view of a partition.
    whole_place: u32,
    /// The arrays and places of the other components.
    rest: Vec<Component>,
    // Not the columns: this always has a size, so rustc reports less about elements that are not `GpuData`.
    about: About,
}

impl Parts<'_> {
    /// Takes the next part.
    #[must_use]
    pub fn part<T: GpuData>(&mut self) -> Shared<T> {
        let (own, others) = self.components.split_at(T::COMPONENTS.min(self.components.len()));
        self.components = others;
        Shared::of_components(own, self.about)
    }
}

impl<T: GpuData> Shared<T> {
    /// Returns the array whose components are these arrays.
    pub(crate) fn new(arrays: Vec<Array>, about: About) -> Shared<T> {
        let components: Vec<Component> = arrays.into_iter().map(|array| Component { array, place: NO_PLACE }).collect();
        Shared::of_components(&components, &about)
    }

    /// Returns a view of arrays of a run; `None` unless there is one for each component, of its type.
    pub(crate) fn view(device: &Device, components: &[Component]) -> Option<Shared<T>> {
        let own = components.get(..T::COMPONENTS)?;
        let array = &own.first()?.array;
        let fits = T::TYPE.scalars().iter().zip(own).all(|(scalar, component)| *scalar == component.array.scalar());
        fits.then(|| Shared::of_components(own, &About::of(device, array)))
    }

    fn of_components(components: &[Component], about: &About) -> Shared<T> {
        let columns = T::stm_columns(&mut Parts { components, about });
        let first = components.first();
        let place = first.map_or(NO_PLACE, |component| component.place);
        Shared {
            columns,
            first: first.map(|component| component.array.clone()),
            place,
            whole_place: if about.part == 0 { place } else { NO_PLACE },
            rest: components.iter().skip(1).cloned().collect(),
            about: about.clone(),
        }
    }

    /// Returns the number of elements.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.about.len
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of elements that one lock word covers.
    #[must_use]
    pub fn coverage(&self) -> usize {
        1 << self.about.coverage_log2
    }

    /// Returns the device of the array.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.about.device
    }

    /// Returns the index of its first element in the whole array.
    pub(super) fn first(&self) -> usize {
        self.about.first
    }

    /// Returns the number of elements of the whole array.
    #[inline]
    pub(crate) fn extent(&self) -> usize {
        self.about.extent
    }

    /// Returns the view of one partition, which must exist.
    pub(crate) fn of_part(&self, number: u32) -> Shared<T> {
        let part = self.about.part;
        let about = About { first: part * number as usize, len: part, ..self.about.clone() };
        let component =
            |component| Some(Component { array: self.array(component)?.clone(), place: self.place(component) });
        let components: Vec<Component> = (0..T::COMPONENTS).filter_map(component).collect();
        Shared::of_components(&components, &about)
    }

    /// Returns the index of an element in the whole array; an index past its end for an element outside of the partition.
    #[inline]
    pub(crate) fn locate(&self, index: u64, part: u32) -> u64 {
        match self.about.part as u64 {
            0 => index,
            size if index < size => u64::from(part) * size + index,
            _ => u64::MAX,
        }
    }

    /// Returns the array of a component of the elements.
    #[inline]
    pub(crate) fn array(&self, component: usize) -> Option<&Array> {
        match component.checked_sub(1) {
            None => self.first.as_ref(),
            Some(at) => self.rest.get(at).map(|component| &component.array),
        }
    }

    /// Returns the index of a component among the arrays of the run; out of range for an array that is not a parameter.
    #[inline]
    pub(crate) fn place(&self, component: usize) -> u32 {
        match component.checked_sub(1) {
            None => self.place,
            Some(at) => self.rest.get(at).map_or(NO_PLACE, |component| component.place),
        }
    }
}

impl<T: GpuData> Shared<T> {
    /// Returns the index of a component among the arrays of the run, if indices count in the whole array; out of range otherwise.
    #[inline]
    pub(crate) fn whole_place(&self, component: usize) -> u32 {
        match component {
            0 => self.whole_place,
            _ if self.about.part == 0 => self.place(component),
            _ => NO_PLACE,
        }
    }
}

impl<T: GpuData> Deref for Shared<T> {
    type Target = T::Columns;

    #[inline]
    fn deref(&self) -> &T::Columns {
        &self.columns
    }
}

impl<T: GpuData> Clone for Shared<T> {
    fn clone(&self) -> Shared<T> {
        let first = self.first.iter().map(|array| Component { array: array.clone(), place: self.place });
        let components: Vec<Component> = first.chain(self.rest.iter().cloned()).collect();
        Shared::of_components(&components, &self.about)
    }
}

impl<T: GpuData> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shared<{}>({} elements)", T::TYPE, self.len())
    }
}

macro_rules! views {
    ($($scalar:ident($type:ty),)*) => {
        /// An array of scalars for a transaction's function during a run: with its type, and its index in the run.
        #[doc(hidden)]
        #[derive(Debug)]
        pub enum View {
            $(#[allow(missing_docs)] $scalar(Shared<$type>),)*
        }

        impl View {
            /// Returns the view of a component of a run.
            pub(crate) fn new(device: &Device, component: &Component) -> View {
                let (components, about) = (std::slice::from_ref(component), About::of(device, &component.array));
                match component.array.scalar() {
                    $(Scalar::$scalar => View::$scalar(Shared::of_components(components, &about)),)*
                    // A component is never wide.
                    Scalar::I128 | Scalar::U128 => View::U64(Shared::of_components(components, &about)),
                }
            }

            /// Returns the view, if its elements are `T`. The type of each variant is a constant here, so only the comparison of
            /// the variant
            /// remains at run time.
            #[inline]
            pub(crate) fn get<T: GpuData>(&self) -> Option<&Shared<T>> {
                match self {
                    $(View::$scalar(shared) => (shared as &dyn Any).downcast_ref(),)*
                }
            }
        }
    };
}

views! {
    I8(i8), I16(i16), I32(i32), I64(i64), Isize(isize),
    U8(u8), U16(u16), U32(u32), U64(u64), Usize(usize),
    F32(f32), F64(f64), Bool(bool),
}
