//! Devices by the names that users type.

use stm_runtime::{Device, Error};

/// The names in every build.
macro_rules! names {
    () => {
        "Where to run: auto (a GPU if there is one), cpu, cpu:N (that many threads), cpu:N@SEED (one at a time, in an order by the \
         seed), cuda, cuda:N (device number)"
    };
}

/// The help text of `--device`.
pub(crate) const HELP: &str = if cfg!(feature = "emulator") { concat!(names!(), ", emulator") } else { names!() };

/// Opens the device of a name.
pub(crate) fn open(name: &str) -> Result<Device, Error> {
    #[cfg(feature = "emulator")]
    if name == "emulator" {
        return Device::emulated(stm_runtime::EmulatorOptions::threads());
    }
    name.parse::<Device>()
}
