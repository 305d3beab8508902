//! Shared arrays whose element types are known only at run time.

use std::any::{Any, TypeId};
use std::ops::Range;

use kernels_gen::spec::Scalar;
use stm_runtime::__private::words_of;
use stm_runtime::{Device, Error, GpuData, Partition, Partitioned, Shared};
use stm_tests::draw::Draw;
use stm_tests::procedures::locals::Seat;
use stm_tests::procedures::records::{Light, Parts, Purses};

use crate::procedures::Room;

/// The words of an array: a list for each component of its elements.
pub(crate) type Words = Vec<Vec<u64>>;

/// A shared array, or all partitions of one.
pub(crate) trait Array: Any + Send + Sync {
    /// Copies all elements to the host. NaNs are normalized, because Rust leaves their bits unspecified.
    fn words(&self) -> Result<Words, Error>;
    /// Calls all infallible methods, and returns what contradicts that number of elements.
    fn look(&self, elements: usize) -> Result<(), String>;
    /// Returns the arrays of its fields, each with its range of components.
    fn fields(&self) -> Vec<(Range<usize>, Box<dyn Array>)>;
    /// Returns another handle of the same array.
    fn again(&self) -> Box<dyn Array>;
}

/// An element type of this test; it may have fields.
pub(crate) trait Element: GpuData {
    /// Returns the arrays of the fields; see [`Array::fields`].
    fn fields(_: &Shared<Self>) -> Vec<(Range<usize>, Box<dyn Array>)> {
        Vec::new()
    }
}

macro_rules! elements {
    ($($type:ty $(: $($from:literal..$to:literal $field:tt),+)?;)*) => {$(
        impl Element for $type {
            $(fn fields(array: &Shared<Self>) -> Vec<(Range<usize>, Box<dyn Array>)> {
                vec![$(($from..$to, Box::new(array.$field.clone()))),+]
            })?
        }
    )*};
}

elements! {
    bool; i8; i16; i32; i64; isize; u8; u16; u32; u64; usize; f32; f64; Light;
    (u8, i64): 0..1 0, 1..2 1;
    [u16; 3]; [i16; 3];
    (Light, u32): 0..1 0, 1..2 1;
    // The payload of `None` is visible only in a field.
    Option<u32>;
    Purses: 0..1 left, 1..2 right, 2..3 moves;
    Parts: 0..1 low, 1..2 high;
    Room: 0..1 free, 1..3 guest, 3..6 prices, 6..7 light;
    Seat: 0..2 taken, 2..3 changes;
}

/// Normalizes a NaN.
pub(crate) fn one_nan(scalar: Scalar, word: &mut u64) {
    match scalar {
        Scalar::F32 if f32::from_bits(*word as u32).is_nan() => *word = u64::from(f32::NAN.to_bits()),
        Scalar::F64 if f64::from_bits(*word).is_nan() => *word = f64::NAN.to_bits(),
        _ => {}
    }
}

/// Returns the words of a value, with normalized NaNs.
pub(crate) fn words<T: GpuData>(value: T) -> Vec<u64> {
    let mut words = words_of(value);
    T::TYPE.scalars().into_iter().zip(&mut words).for_each(|(scalar, word)| one_nan(scalar, word));
    words
}

fn columns<T: GpuData>(elements: Vec<T>) -> Words {
    let mut columns: Words = vec![Vec::with_capacity(elements.len()); T::COMPONENTS];
    for element in elements {
        columns.iter_mut().zip(words(element)).for_each(|(column, word)| column.push(word));
    }
    columns
}

impl<T: Element> Array for Shared<T> {
    fn words(&self) -> Result<Words, Error> {
        Ok(columns(self.to_vec()?))
    }

    fn look(&self, elements: usize) -> Result<(), String> {
        let text = format!("{self:?} {} {}", self.coverage(), self.device());
        let agrees = self.len() == elements && self.is_empty() == (elements == 0) && text.contains("Shared<");
        if agrees { Ok(()) } else { Err(format!("{text}: {} elements, not {elements}", self.len())) }
    }

    fn fields(&self) -> Vec<(Range<usize>, Box<dyn Array>)> {
        T::fields(self)
    }

    fn again(&self) -> Box<dyn Array> {
        Box::new(self.clone())
    }
}

impl<T: Element, const N: usize> Array for Partitioned<T, N> {
    fn words(&self) -> Result<Words, Error> {
        Ok(columns(self.to_vec()?))
    }

    fn look(&self, elements: usize) -> Result<(), String> {
        let (text, parts) = (format!("{self:?} {}", self.device()), self.parts() as usize);
        if parts * N != elements {
            return Err(format!("{text}: {parts} parts of {N}, not {elements} elements"));
        }
        for number in [0, self.parts() / 2, self.parts().wrapping_sub(1), self.parts(), u32::MAX] {
            match self.part(number) {
                Ok(part) if (number as usize) < parts => part.look(N)?,
                Err(Error::NoPart { .. }) if number as usize >= parts => {}
                other => return Err(format!("{text}: part {number}: {other:?}")),
            }
        }
        Ok(())
    }

    fn fields(&self) -> Vec<(Range<usize>, Box<dyn Array>)> {
        Vec::new()
    }

    fn again(&self) -> Box<dyn Array> {
        Box::new(self.clone())
    }
}

/// The type of a parameter that takes an array: `Shared<T>` or `Partition<T, N>`.
pub(crate) trait Parameter: Sized {
    /// The type of the array's handle.
    type Held: Array;
    /// Elements of a partition; 0 for an array without partitions.
    const PART: usize;

    /// Returns the scalars of the components of its elements.
    fn scalars() -> Vec<Scalar>;
    /// Returns the argument to pass.
    fn of(held: &Self::Held, part: u32) -> Result<Self, Error>;
    /// Creates an array of random elements.
    fn create(device: &Device, elements: usize, coverage: usize, draw: &mut Draw)
    -> Result<(Self::Held, Words), Error>;
}

fn random<T: GpuData>(elements: usize, draw: &mut Draw) -> Vec<T> {
    (0..elements).map(|_| draw.value()).collect()
}

impl<T: Element> Parameter for Shared<T> {
    type Held = Shared<T>;
    const PART: usize = 0;

    fn scalars() -> Vec<Scalar> {
        T::TYPE.scalars()
    }

    fn of(held: &Shared<T>, _: u32) -> Result<Shared<T>, Error> {
        Ok(held.clone())
    }

    fn create(device: &Device, elements: usize, coverage: usize, draw: &mut Draw) -> Result<(Shared<T>, Words), Error> {
        let values = random::<T>(elements, draw);
        let held = if coverage == 1 { device.shared(&values) } else { device.shared_with(&values, coverage) }?;
        Ok((held, columns(values)))
    }
}

impl<T: Element, const N: usize> Parameter for Partition<T, N> {
    type Held = Partitioned<T, N>;
    const PART: usize = N;

    fn scalars() -> Vec<Scalar> {
        T::TYPE.scalars()
    }

    fn of(held: &Partitioned<T, N>, part: u32) -> Result<Partition<T, N>, Error> {
        held.part(part)
    }

    fn create(
        device: &Device,
        elements: usize,
        _: usize,
        draw: &mut Draw,
    ) -> Result<(Partitioned<T, N>, Words), Error> {
        let values = random::<T>(elements, draw);
        Ok((device.partitioned(&values)?, columns(values)))
    }
}

/// Returns the type of an array, by which parameters find arrays that they can take.
pub(crate) fn type_of<P: Parameter>() -> TypeId {
    TypeId::of::<P::Held>()
}
