//! Values of a type as a pattern. rustc takes a constant for a pattern only if the `PartialEq` of every type in its value is derived:
//! then the device, which compares components, compares as Rust does. An enum can have other types in each variant, so there is a list.

use super::alike::MOST_VALUES;
use super::value::GpuData;

/// Returns one of the values of a type.
#[doc(hidden)]
#[must_use]
pub const fn value<T: GpuData>(number: usize) -> T {
    T::STM_VALUES[number % T::STM_LENGTH].expect("the list is as long")
}

/// The values of a type that differ.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alike<T>([Option<T>; MOST_VALUES]);

impl<T: GpuData> Alike<T> {
    /// The list.
    pub const VALUES: Alike<T> = Alike(T::STM_VALUES);
}
