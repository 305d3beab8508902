//! The names of devices, as users type them.

use std::str::FromStr;

use crate::backend::Device;
use crate::bounds::check_cpu_threads;
use crate::error::Error;
#[cfg(feature = "emulator")]
use crate::gpu::EmulatorOptions;

/// The device names of every build.
macro_rules! names {
    () => {
        "auto (a GPU if there is one), cpu, cpu:N (threads), cpu:N@SEED (one at a time, in an order by the seed), cuda, cuda:N (device number), cuda:N-M (several as one), cluster (all GPUs as one)"
    };
}

impl Device {
    /// The names that [`str::parse`] takes, with their meaning: for the help text of a program.
    pub const NAMES: &str = if cfg!(feature = "emulator") {
        concat!(names!(), ", emulated, emulated:N (devices as one), emulated@SEED (the generated code on the host)")
    } else {
        concat!(
            names!(),
            "; with the feature `emulator` also emulated, emulated:N (devices as one), emulated@SEED (the generated code on the host)"
        )
    };
}

/// Parses a device name as users type it: `auto`, `cpu`, `cpu:4` (threads), `cpu:4@7` (one at a time, by seed 7), `cuda`,
/// `cuda:1` (device number). Returns an error if the name is unknown, a number in it is too large, or the device cannot be used.
impl FromStr for Device {
    type Err = Error;

    fn from_str(name: &str) -> Result<Device, Error> {
        let unknown = || Error::UnknownDevice { name: name.to_owned(), known: Device::NAMES };
        let (name, seed) = match name.split_once('@') {
            Some((name, seed)) => (name, Some(seed.parse().map_err(|_| unknown())?)),
            None => (name, None),
        };
        let (base, number) = match name.split_once(':') {
            Some(("cuda", range)) if range.contains('-') => return together(range).ok_or_else(unknown)?,
            Some((base, number)) => (base, Some(number.parse::<usize>().map_err(|_| unknown())?)),
            None => (name, None),
        };
        if base == "cpu" {
            check_cpu_threads(number.unwrap_or(0))?;
        }
        match (base, number, seed) {
            ("auto", None, None) => Device::auto(),
            ("cpu", threads, None) => Ok(Device::cpu(threads.unwrap_or(0))),
            ("cpu", threads, Some(seed)) => Ok(Device::cpu_seeded(threads.unwrap_or(0), seed)),
            ("cuda", ordinal, None) => Device::cuda(ordinal.unwrap_or(0)),
            ("cluster", None, None) => Device::cluster(),
            #[cfg(feature = "emulator")]
            ("emulated", None, None) => Device::emulated(EmulatorOptions::threads()),
            #[cfg(feature = "emulator")]
            ("emulated", Some(devices), None) => {
                Device::emulated(EmulatorOptions { devices, ..EmulatorOptions::threads() })
            }
            #[cfg(feature = "emulator")]
            ("emulated", None, Some(seed)) => Device::emulated(EmulatorOptions::fibers(seed)),
            _ => Err(unknown()),
        }
    }
}

/// Opens the CUDA devices of a range like `0-3`. Returns `None` for other text.
fn together(range: &str) -> Option<Result<Device, Error>> {
    let (first, last) = range.split_once('-')?;
    let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
    // No host has more, and a list of more would take long to make.
    let is_range = first <= last && last - first < 1024;
    is_range.then(|| Device::cuda_together(&(first..=last).collect::<Vec<_>>()))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn names_choose_devices() {
        assert_eq!("cpu:3".parse::<Device>().unwrap().describe(), "3 CPU threads");
        assert_eq!("cpu:1".parse::<Device>().unwrap().reason(), "1 CPU thread, as asked");
        assert!(!"cpu".parse::<Device>().unwrap().is_gpu());
        assert_eq!("cpu:3@7".parse::<Device>().unwrap().describe(), "3 CPU threads, one at a time by seed 7");
        // Without a C++ compiler there is no emulated device.
        #[cfg(feature = "emulator")]
        if let Ok(device) = Device::emulated(EmulatorOptions::fibers(7)) {
            assert_eq!("emulated@7".parse::<Device>().unwrap().describe(), device.describe());
            assert_eq!(
                "emulated:2".parse::<Device>().unwrap().describe(),
                "2 devices together: emulator (host threads)"
            );
        }
    }

    #[test]
    fn unknown_names_list_the_known_ones() {
        for name in
            ["gpu", "", "cpu:x", "auto:1", "cuda:-1", "cpu:2@x", "cuda:0@1", "auto@1", "emulated:2@1", "cuda:3-1"]
        {
            let message = name.parse::<Device>().unwrap_err().to_string();
            assert!(message.contains(&format!("`{name}`")) && message.contains("cuda:N"), "{message}");
        }
    }
}
