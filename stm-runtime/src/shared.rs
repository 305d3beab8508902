//! `Shared<T>`: one shared array with the type of its elements.

use std::fmt;
use std::ops::Deref;

use kernels_gen::spec::Scalar;

use crate::data::{GpuData, value_of};
use crate::device::Device;
use crate::error::Error;
use crate::memory;
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
///
/// Elements that have parts lie apart by part, and each part is a `Shared` too: `rooms.free` for a field of a record,
/// `pairs.0` for tuples, `grids[3]` for arrays, `names.is_some` and `names.some` for `Option`s.
pub struct Shared<T: GpuData> {
    columns: T::Columns,
    /// The region of the first leaf; only elements without any have none.
    first: Option<Region>,
    /// Index of the first region among those of the run that this view was made for.
    place: u32,
    /// The regions and places of the other leaves.
    rest: Vec<Leaf>,
    // Not the columns: whatever they are, this has a size, and rustc says less about elements that are not `GpuData`.
    about: About,
}

/// What all leaves of an array have in common.
#[derive(Debug, Clone)]
pub(crate) struct About {
    pub(crate) device: Device,
    /// Elements of the whole array.
    pub(crate) extent: usize,
    /// Elements of a part, where an index counts within one; 0 where it counts in the whole.
    pub(crate) part: usize,
    /// The first element that is shown on the host.
    pub(crate) first: usize,
    /// How many are shown.
    pub(crate) len: usize,
    pub(crate) coverage_log2: u32,
}

impl About {
    fn of(region: &Region) -> About {
        let (extent, part) = (region.len(), region.part());
        let len = if part == 0 { extent } else { part };
        let (device, coverage_log2) = (region.device().clone(), region.coverage_log2());
        About { device, extent, part, first: 0, len, coverage_log2 }
    }
}

/// One leaf: its region, and the index of it among those of the run.
#[derive(Debug, Clone)]
pub(crate) struct Leaf {
    pub(crate) region: Region,
    pub(crate) place: u32,
}

/// What a `Shared` is made of: its leaves, from which each part takes its own.
#[doc(hidden)]
#[derive(Debug)]
pub struct Parts<'a> {
    leaves: &'a [Leaf],
    about: &'a About,
}

impl Parts<'_> {
    /// The next part.
    #[must_use]
    pub fn part<T: GpuData>(&mut self) -> Shared<T> {
        let (own, others) = self.leaves.split_at(T::LEAVES.min(self.leaves.len()));
        self.leaves = others;
        Shared::of_leaves(own, self.about)
    }
}

impl<T: GpuData> Shared<T> {
    /// The array whose leaves are these regions.
    pub(crate) fn new(regions: Vec<Region>, about: About) -> Shared<T> {
        let leaves: Vec<Leaf> = regions.into_iter().map(|region| Leaf { region, place: NO_PLACE }).collect();
        Shared::of_leaves(&leaves, &about)
    }

    /// A view on regions of a run; `None` unless there is one for each leaf, of its type.
    pub(crate) fn view(leaves: &[Leaf]) -> Option<Shared<T>> {
        let own = leaves.get(..T::LEAVES)?;
        let region = &own.first()?.region;
        let fits = T::TYPE.scalars().iter().zip(own).all(|(scalar, leaf)| *scalar == leaf.region.scalar());
        fits.then(|| Shared::of_leaves(own, &About::of(region)))
    }

    fn of_leaves(leaves: &[Leaf], about: &About) -> Shared<T> {
        let columns = T::stm_columns(&mut Parts { leaves, about });
        let first = leaves.first();
        Shared {
            columns,
            first: first.map(|leaf| leaf.region.clone()),
            place: first.map_or(NO_PLACE, |leaf| leaf.place),
            rest: leaves.iter().skip(1).cloned().collect(),
            about: about.clone(),
        }
    }

    /// How many elements.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.about.len
    }

    /// There are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many elements one lock word covers. Each leaf of the elements has lock words of its own.
    #[must_use]
    pub fn coverage(&self) -> usize {
        1 << self.about.coverage_log2
    }

    /// The device that it lives on.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.about.device
    }

    /// Copies the elements to the host. Waits for the end of a run that uses them.
    ///
    /// # Errors
    /// The host has not enough memory, the device failed, or the call is made from inside of a run and another run, or the same,
    /// uses the array.
    pub fn to_vec(&self) -> Result<Vec<T>, Error> {
        let regions: Vec<Region> = (0..T::LEAVES).filter_map(|leaf| self.region(leaf)).cloned().collect();
        let _held = hold(&regions)?;
        let mut words =
            regions.iter().map(|region| Ok(region.words()?.into_iter())).collect::<Result<Vec<_>, Error>>()?;
        let mut elements = memory::with_room("a copy of a shared array", self.len())?;
        // One element is one word of each leaf.
        let element = |_| value_of::<T>(words.iter_mut().map(|leaf| leaf.next().unwrap_or(0)));
        elements.extend((0..self.about.first + self.len()).map(element).skip(self.about.first));
        Ok(elements)
    }

    /// How many elements the whole array has.
    #[inline]
    pub(crate) fn extent(&self) -> usize {
        self.about.extent
    }

    /// The view on one part, which exists.
    pub(crate) fn of_part(&self, number: u32) -> Shared<T> {
        let part = self.about.part;
        let about = About { first: part * number as usize, len: part, ..self.about.clone() };
        let leaf = |leaf| Some(Leaf { region: self.region(leaf)?.clone(), place: self.place(leaf) });
        let leaves: Vec<Leaf> = (0..T::LEAVES).filter_map(leaf).collect();
        Shared::of_leaves(&leaves, &about)
    }

    /// Where an element lies in the whole array; past its end for what is not in the part.
    #[inline]
    pub(crate) fn locate(&self, index: u64, part: u32) -> u64 {
        match self.about.part as u64 {
            0 => index,
            size if index < size => u64::from(part) * size + index,
            _ => u64::MAX,
        }
    }

    /// The region of a leaf of the elements.
    #[inline]
    pub(crate) fn region(&self, leaf: usize) -> Option<&Region> {
        match leaf.checked_sub(1) {
            None => self.first.as_ref(),
            Some(at) => self.rest.get(at).map(|leaf| &leaf.region),
        }
    }

    /// Index of a leaf among the regions of the run; out of range for a region that is not a parameter.
    #[inline]
    pub(crate) fn place(&self, leaf: usize) -> u32 {
        match leaf.checked_sub(1) {
            None => self.place,
            Some(at) => self.rest.get(at).map_or(NO_PLACE, |leaf| leaf.place),
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
        let first = self.first.iter().map(|region| Leaf { region: region.clone(), place: self.place });
        let leaves: Vec<Leaf> = first.chain(self.rest.iter().cloned()).collect();
        Shared::of_leaves(&leaves, &self.about)
    }
}

impl<T: GpuData> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shared<{}>({} elements)", T::TYPE, self.len())
    }
}

macro_rules! views {
    ($($scalar:ident($type:ty),)*) => {
        /// A region of scalars as a row's function sees it during a run: with its type, and its place in the run.
        #[doc(hidden)]
        #[derive(Debug)]
        pub enum View {
            $(#[allow(missing_docs)] $scalar(Shared<$type>),)*
        }

        impl View {
            /// The view on a leaf of a run.
            pub(crate) fn new(leaf: &Leaf) -> View {
                let (leaves, about) = (std::slice::from_ref(leaf), About::of(&leaf.region));
                match leaf.region.scalar() {
                    $(Scalar::$scalar => View::$scalar(Shared::of_leaves(leaves, &about)),)*
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
