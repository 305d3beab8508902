//! Values and shared arrays of values.
//!
//! A value consists of *components*: scalars in the order of declaration. Each component is passed as one 64-bit word, and each
//! component of the elements of an array is an array too.

mod alike;
mod column;
mod compared;
mod compound;
mod device_column;
mod device_memory;
mod elements;
#[cfg(all(test, not(loom)))]
mod elements_tests;
mod foreign;
mod format;
mod keeping;
mod list;
mod partitioned;
mod parts;
mod saved;
// Miri has no files.
#[cfg(all(test, not(any(loom, miri))))]
mod saved_tests;
mod shared;
#[cfg(all(test, not(loom)))]
mod tests;
mod traits;
mod value;

/// The unit tests for mutation testing.
#[cfg(feature = "mutation")]
pub(crate) const CASES: &[crate::mutation::Case] = compound::tests::CASES;

pub use alike::{MOST_VALUES, longest};
pub(crate) use column::ValueColumn;
pub use column::{IntoColumn, Listed};
pub use compared::{Alike, value};
pub use compound::{OptionColumns, ResultColumns};
pub use device_column::DeviceColumn;
pub use device_memory::DeviceMemory;
pub use foreign::{ForeignMemory, NotAdopted};
pub(crate) use format::Shown;
pub use list::{Arrays, Words, arrays, words};
pub use partitioned::{Columned, Partition, PartitionColumn, Partitioned};
pub use parts::Parts;
pub(crate) use parts::{About, Component};
pub(crate) use saved::Source;
pub use shared::{Shared, View};
pub use traits::{NoTraits, TraitsOf};
pub(crate) use value::value_of;
pub use value::{GpuData, NoParts, constant, words_of};
