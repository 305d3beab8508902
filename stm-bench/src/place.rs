//! Devices by the names that users type.

use stm_runtime::{Device, Error};

/// The help text of `--device`.
pub(crate) const HELP: &str = if cfg!(feature = "emulator") {
    "Where to run: auto (a GPU if there is one), cpu, cpu:N (that many threads), cuda, cuda:N (device number), emulator"
} else {
    "Where to run: auto (a GPU if there is one), cpu, cpu:N (that many threads), cuda, cuda:N (device number)"
};

/// Opens the device of a name.
pub(crate) fn open(name: &str) -> Result<Device, Error> {
    #[cfg(feature = "emulator")]
    if name == "emulator" {
        return Device::emulated(stm_runtime::EmulatorOptions::threads());
    }
    name.parse::<Device>()
}
