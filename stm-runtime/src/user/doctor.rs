//! What a machine can run, what is missing, and what to do about it.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::process::Command;
use std::slice;

use serde::Serialize;

use super::options::RunOptions;
use super::report::bytes;
use crate::backend::Device;
use crate::data::Shared;
use crate::error::{Error, GpuError};
use crate::gpu::KernelCache;
use crate::tx::{Tx, TxResult};

/// Transactions of the test batch.
const TRIAL: u32 = 1000;

/// Counts, to test that a device counts correctly.
#[stm_macros::gpu_transaction(crate = crate)]
fn count(tx: &mut Tx, counters: &Shared<u64>, which: u32) -> TxResult {
    let count = tx.read(counters, which)?;
    tx.write(counters, which, count + 1)
}

/// The state of a machine, part by part. It prints as a list, with what to do.
///
/// ```
/// let diagnosis = stm_runtime::doctor();
/// println!("{diagnosis}");
/// assert!(diagnosis.is_good());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    /// What was looked at, in order: GPU and driver, NVRTC, the device, the kernel cache, the C++ compiler, the build.
    pub findings: Vec<Finding>,
}

/// The state of one part of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The name of the part.
    pub what: &'static str,
    /// Whether it can be used.
    pub state: State,
    /// What was found, or why nothing was.
    pub found: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<&'static str>,
}

/// Whether a part can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It can be used.
    Good,
    /// It cannot be used, and only some features need it.
    Missing,
    /// It does not work as it must.
    Wrong,
}

/// Examines this machine: which devices it has, whether batches run right on the one that [`Device::auto`] chooses, what is missing,
/// and what to do.
///
/// It runs a batch of 1000 transactions. The command `cargo gpu-transactions doctor` prints the same.
#[must_use]
pub fn doctor() -> Diagnosis {
    Diagnosis::of(Device::auto())
}

impl Diagnosis {
    /// Examines this machine, and whether batches run right on that device.
    #[must_use]
    pub fn of(device: Result<Device, Error>) -> Diagnosis {
        let compiler = host_compiler(env::var_os("CXX"));
        Diagnosis { findings: vec![driver(), nvrtc(), trial(device), cache(), compiler, build()] }
    }

    /// Returns whether nothing is wrong. Parts can be missing.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.findings.iter().all(|finding| finding.state != State::Wrong)
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, finding) in self.findings.iter().enumerate() {
            let line_end = if at == 0 { "" } else { "\n" };
            write!(f, "{line_end}{finding}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.state {
            State::Good => "ok",
            State::Missing => "missing",
            State::Wrong => "WRONG",
        };
        write!(f, "{mark:<8}{:<16}{}", self.what, self.found)?;
        self.advice.map_or(Ok(()), |advice| write!(f, "\n{:24}to do: {advice}", ""))
    }
}

impl Finding {
    fn good(what: &'static str, found: impl ToString) -> Finding {
        Finding { what, state: State::Good, found: found.to_string(), advice: None }
    }

    fn missing(what: &'static str, found: impl ToString, advice: &'static str) -> Finding {
        Finding { what, state: State::Missing, found: found.to_string(), advice: Some(advice) }
    }

    fn wrong(what: &'static str, found: impl ToString, advice: &'static str) -> Finding {
        Finding { what, state: State::Wrong, found: found.to_string(), advice: Some(advice) }
    }
}

fn driver() -> Finding {
    let what = "GPU and driver";
    match Device::cuda(0) {
        Ok(device) => Finding::good(what, device.describe()),
        Err(Error::Gpu(GpuError::NoNvrtc { .. })) => Finding::good(what, "there; NVRTC is missing, see below"),
        Err(why) => Finding::missing(
            what,
            why,
            "none is needed for CPU threads; a GPU needs an NVIDIA driver for CUDA 12.8 or newer",
        ),
    }
}

#[cfg(feature = "cuda")]
fn nvrtc() -> Finding {
    match crate::gpu::cuda::nvrtc::Nvrtc::find() {
        Ok(nvrtc) => {
            let (major, minor) = nvrtc.version();
            Finding::good("NVRTC", format!("{major}.{minor} at {}", nvrtc.path().display()))
        }
        Err(why) => {
            let advice = "needed on a GPU alone: pip install nvidia-cuda-nvrtc, or the CUDA toolkit";
            Finding::missing("NVRTC", why, advice)
        }
    }
}

#[cfg(not(feature = "cuda"))]
fn nvrtc() -> Finding {
    Finding::missing("NVRTC", GpuError::NotBuilt, "needed on a GPU alone, like the feature")
}

/// Checks whether the device counts correctly.
fn trial(device: Result<Device, Error>) -> Finding {
    let what = "device";
    match device.and_then(|device| counts_right(&device).map(|right| (device.describe(), right))) {
        Ok((device, true)) => Finding::good(what, format!("{device}; a trial of {TRIAL} transactions is right")),
        Ok((device, false)) => {
            let found = format!("{device}; a trial of {TRIAL} transactions lost some");
            Finding::wrong(what, found, "report it, with everything that is printed here")
        }
        Err(why) => Finding::wrong(what, why, "choose another device, or do what the message says"),
    }
}

fn counts_right(device: &Device) -> Result<bool, Error> {
    let counters = device.shared(&[0_u64; 4])?;
    let mut batch = device.batch();
    for transaction in 0..TRIAL {
        batch.push(count::call(&counters, transaction % 4));
    }
    let report = batch.run_with(&RunOptions::new().check(true))?;
    let each = u64::from(TRIAL / 4);
    Ok(report.serializable() == Some(true) && counters.to_vec()?.iter().all(|count| *count == each))
}

fn cache() -> Finding {
    let (what, cache) = ("kernel cache", KernelCache::look());
    match (&cache.trouble, &cache.folder) {
        (Some(why), _) => Finding::missing(what, why, "do what it says, or each start compiles every kernel anew"),
        (None, Some(folder)) => {
            let (size, limit) = (bytes(cache.bytes), bytes(cache.limit));
            Finding::good(what, format!("{} kernels, {size} of at most {limit}, in {}", cache.files, folder.display()))
        }
        (None, None) => Finding::missing(what, "off", "unset STM_CACHE, or each start compiles every kernel anew"),
    }
}

/// Checks the C++ compiler, which the emulator uses: the one that `CXX` names, or else a usual one.
fn host_compiler(named: Option<OsString>) -> Finding {
    let what = "C++ compiler";
    let named = named.filter(|name| !name.is_empty());
    let usual = ["c++", "g++", "clang++"].map(OsString::from);
    let found = named.as_ref().map_or(&usual[..], slice::from_ref).iter().find_map(|program| {
        let output = Command::new(program).arg("--version").output().ok().filter(|output| output.status.success())?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Some(format!("{}: {}", program.display(), text.lines().next().unwrap_or_default()))
    });
    match (found, named) {
        (Some(found), _) if cfg!(feature = "emulator") => Finding::good(what, format!("{found}; for the emulator")),
        (Some(found), _) => Finding::good(what, format!("{found}; the emulator needs the feature `emulator`, too")),
        (None, Some(named)) => Finding::missing(
            what,
            format!("CXX names `{}`, which cannot be used", named.display()),
            "needed by the emulator alone: name a C++ compiler without arguments in CXX, or unset it",
        ),
        (None, None) => Finding::missing(what, "none", "needed by the emulator alone: install g++, or name one in CXX"),
    }
}

fn build() -> Finding {
    if cfg!(debug_assertions) {
        Finding::missing("optimisation", "this program was built without", "build with --release before you measure")
    } else {
        Finding::good("optimisation", "this program was built with it")
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_that_is_named_is_found_or_reported() {
        let finding = host_compiler(Some("/no/such/compiler".into()));
        assert!(finding.state == State::Missing && finding.found.contains("CXX names `/no/such/compiler`"));
        assert_eq!(host_compiler(Some("".into())).found, host_compiler(None).found);
    }

    #[test]
    fn a_device_is_tried_and_a_missing_one_is_wrong() {
        let good = Diagnosis::of(Ok(Device::cpu(2)));
        let text = good.to_string();
        assert!(good.is_good() && text.contains("ok      device          2 CPU threads; a trial of 1000"), "{text}");
        let wrong = Diagnosis::of("tpu".parse());
        let device = &wrong.findings[2];
        assert!(!wrong.is_good() && device.state == State::Wrong && device.found.contains("tpu"), "{wrong}");
        assert!(device.to_string().contains("\n                        to do: choose another device"), "{device}");
    }

    #[test]
    fn no_advice_needs_a_copy_of_the_repository() {
        let findings = Diagnosis::of("tpu".parse()).findings;
        assert!(findings.iter().all(|finding| !finding.to_string().contains(".sh")), "{findings:#?}");
    }
}
