//! What can be wrong with the file of a shared array.

/// What is wrong with a file of a shared array.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileProblem {
    /// The system refuses to read or write it, or it became shorter while it was read.
    #[error("{0}; use a file that you may read and write, on a disk with room")]
    System(String),
    /// It is a folder, a pipe or a device.
    #[error("this is no ordinary file; name one that `Shared::save` wrote")]
    NoFile,
    /// It does not begin as such a file does.
    #[error("the file holds no shared array; name one that `Shared::save` wrote")]
    Foreign,
    /// It has another version of the format.
    #[error(
        "the file has version {file} of the format, and this program knows {known}; save the array again by the program that wrote it"
    )]
    Version {
        /// The version of the file.
        file: u32,
        /// The known version.
        known: u32,
    },
    /// Its elements have another type.
    #[error("the elements are not `{asked}` with the same fields; load the array with the type that was saved")]
    Type {
        /// The requested type.
        asked: String,
    },
    /// It has more or fewer bytes than its elements need.
    #[error(
        "{found} bytes are not the size of a file with {elements} elements: a part is missing, or more has been added; save the array again"
    )]
    Size {
        /// The number of elements that the file says it has.
        elements: u64,
        /// The bytes of the file.
        found: u64,
    },
    /// It has another number of elements than the array.
    #[error("the file has {file} elements, and the array {array}; load it with `Device::load`")]
    Elements {
        /// The number of elements in the file.
        file: usize,
        /// The number of elements of the array.
        array: usize,
    },
    /// Its content does not fit its checksum, or is no value of the type.
    #[error("the file is damaged: its content is not what was saved; use a copy of it")]
    Damaged,
}
