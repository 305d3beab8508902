//! The reasons why a folder or a file is not used.

use std::io;

/// The reason why a folder or a file is not used.
#[derive(Debug, thiserror::Error)]
pub(in crate::gpu) enum Unfit {
    #[error("it belongs to user {owner}, and this process runs as user {user}")]
    WrongOwner { owner: u32, user: u32 },
    #[error("other users can write to it (mode {mode:03o})")]
    WritableByOthers { mode: u32 },
    #[error("it is {0}, not a regular file")]
    NotRegular(&'static str),
    #[error("it is a symbolic link")]
    Link,
    #[error("it has {bytes} bytes, more than {most}")]
    TooLarge { bytes: u64, most: u64 },
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Unfit {
    /// Returns whether the name does not exist.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Unfit::Io(why) if why.kind() == io::ErrorKind::NotFound)
    }
}
