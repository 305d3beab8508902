//! Devices by the names that users type.

/// The names in every build.
macro_rules! names {
    () => {
        "Where to run: auto (a GPU if there is one), cpu, cpu:N (that many threads), cpu:N@SEED (one at a time, in an order by the \
         seed), cuda, cuda:N (device number)"
    };
}

/// The help text of `--device`.
pub(crate) const HELP: &str =
    if cfg!(feature = "emulator") { concat!(names!(), ", emulated, emulated@SEED") } else { names!() };
