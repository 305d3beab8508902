//! The machine that measured, as text.

use std::fs;
use std::num::NonZero;
use std::thread;

use serde::{Deserialize, Serialize};
use stm_runtime::Device;

/// The facts of a machine that are needed to assess its numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The device, and why it was chosen.
    pub device: String,
    /// It runs generated CUDA C.
    pub gpu: bool,
    /// The processor.
    pub processor: String,
    /// How many threads the processor runs at once for this program.
    pub cores: usize,
    /// The operating system.
    pub system: String,
    /// The version of the kit, and how it was built.
    pub version: String,
}

impl Machine {
    /// Returns this machine.
    #[must_use]
    pub fn of(device: &Device) -> Machine {
        let build = if cfg!(debug_assertions) { ", built without optimisation" } else { "" };
        Machine {
            device: device.to_string(),
            gpu: device.is_gpu(),
            processor: processor().unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            cores: thread::available_parallelism().map_or(1, NonZero::get),
            system: system().unwrap_or_else(|| std::env::consts::OS.to_owned()),
            version: format!("{}{build}", env!("CARGO_PKG_VERSION")),
        }
    }
}

fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn system() -> Option<String> {
    let text = fs::read_to_string("/etc/os-release").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(line.trim_matches('"').to_owned())
}
