//! `Shared<T>`: one shared array with its element type.

use std::fmt;
use std::marker::PhantomData;

use kernels_gen::spec::Scalar;

use crate::device::Device;
use crate::element::Element;
use crate::error::Error;
use crate::region::{Region, hold};

/// The place of a region that is not part of a run.
const NO_PLACE: u32 = u32::MAX;

/// An array that transactions share. It lives on a device and outlives the tables that use it.
///
/// Clones are the same array. Its elements change only by running a [`Table`](crate::Table).
///
/// ```
/// # fn main() -> Result<(), stm_runtime::Error> {
/// let device = stm_runtime::Device::cpu(2);
/// let accounts = device.shared(&[100_i64, 200, 300])?;
/// assert_eq!(accounts.to_vec()?, [100, 200, 300]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Shared<T: Element> {
    region: Region,
    /// Index among the regions of the run that this view was made for.
    place: u32,
    element: PhantomData<T>,
}

impl<T: Element> Shared<T> {
    pub(crate) fn new(region: Region) -> Shared<T> {
        Shared { region, place: NO_PLACE, element: PhantomData }
    }

    /// How many elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.region.len()
    }

    /// There are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many elements one lock word covers.
    #[must_use]
    pub fn coverage(&self) -> usize {
        1 << self.region.coverage_log2()
    }

    /// The device that it lives on.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.region.device()
    }

    /// Copies the elements to the host. Waits for the end of a run that uses them.
    ///
    /// # Errors
    /// The device failed, or the call is made from within a run that uses the region.
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        let _held = hold(std::slice::from_ref(&self.region))?;
        Ok(self.region.words()?.into_iter().map(T::from_word).collect())
    }

    /// The array without its type, for generated code.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn erased(&self) -> &Region {
        &self.region
    }

    /// Index among the regions of the run; out of range for a region that is not a parameter.
    #[inline]
    pub(crate) fn place(&self) -> u32 {
        self.place
    }
}

impl<T: Element> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shared<{}>({} elements)", T::SCALAR.rust(), self.len())
    }
}

macro_rules! views {
    ($($scalar:ident($type:ty),)*) => {
        /// A region as a row's function sees it during a run: with its type, and its place in the run.
        #[doc(hidden)]
        #[derive(Debug)]
        pub enum View {
            $(#[allow(missing_docs)] $scalar(Shared<$type>),)*
        }

        impl View {
            /// The view on the region with this index among the regions of the run.
            pub(crate) fn new(region: &Region, place: u32) -> View {
                match region.scalar() {
                    $(Scalar::$scalar => {
                        View::$scalar(Shared { region: region.clone(), place, element: PhantomData })
                    })*
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
