//! `doctor`: reports what this machine can run, what is missing, and what to do.

use std::env;
use std::ffi::OsString;
use std::io::Write;
use std::process::Command;
use std::slice;

use clap::{ArgMatches, FromArgMatches};
use serde::Serialize;
use stm_runtime::nvrtc::Nvrtc;
use stm_runtime::prelude::*;
use stm_runtime::{GpuError, KernelCache};

use super::GOOD;
use super::arguments::Common;
use crate::error::BenchError;
use crate::output::{BAD, written};
use crate::place;
use crate::show::bytes;

/// Transactions of the test batch.
const TRIAL: u64 = 1000;

/// Counts, to test that a device counts correctly.
#[gpu_transaction]
fn count(tx: &mut Tx, counters: &Shared<u64>, which: u32) -> TxResult {
    let count = tx.read(counters, which)?;
    tx.write(counters, which, count + 1)
}

#[derive(Serialize)]
struct Finding {
    what: &'static str,
    state: FindingState,
    found: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<&'static str>,
}

#[derive(Serialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum FindingState {
    Good,
    /// It is missing, and only some features need it.
    Missing,
    Wrong,
}

impl Finding {
    fn good(what: &'static str, found: impl ToString) -> Finding {
        Finding { what, state: FindingState::Good, found: found.to_string(), advice: None }
    }

    fn missing(what: &'static str, found: impl ToString, advice: &'static str) -> Finding {
        Finding { what, state: FindingState::Missing, found: found.to_string(), advice: Some(advice) }
    }
}

pub(super) fn doctor(matches: &ArgMatches, out: &mut dyn Write) -> Result<u8, BenchError> {
    let wrong = |error: clap::Error| BenchError::Parameters(error.to_string());
    let common = Common::from_arg_matches(matches).map_err(wrong)?;
    let findings = [driver(), compiler(), device(&common.device), cache(), host_compiler(env::var_os("CXX")), build()];
    let text = if common.json {
        format!("{}\n", serde_json::to_string(&findings).unwrap_or_default())
    } else {
        findings.iter().map(line).collect()
    };
    out.write_all(text.as_bytes()).map_err(written)?;
    let bad = findings.iter().any(|finding| finding.state == FindingState::Wrong);
    Ok(if bad { BAD } else { GOOD })
}

fn line(finding: &Finding) -> String {
    let mark = match finding.state {
        FindingState::Good => "ok      ",
        FindingState::Missing => "missing ",
        FindingState::Wrong => "WRONG   ",
    };
    let advice = finding.advice.map(|advice| format!("                        to do: {advice}\n")).unwrap_or_default();
    format!("{mark}{:<16}{}\n{advice}", finding.what, finding.found)
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

fn compiler() -> Finding {
    match Nvrtc::find() {
        Ok(nvrtc) => {
            let (major, minor) = nvrtc.version();
            Finding::good("NVRTC", format!("{major}.{minor} at {}", nvrtc.path().display()))
        }
        Err(why) => {
            Finding::missing("NVRTC", why, "needed on a GPU alone: sh tests/fetch-nvrtc.sh, or the CUDA toolkit")
        }
    }
}

/// Checks the device that would be chosen, and whether it counts correctly.
fn device(name: &str) -> Finding {
    let what = "device";
    match place::open(name).and_then(|device| trial(&device).map(|right| (device, right))) {
        Ok((device, true)) => {
            Finding::good(what, format!("{}; a trial of {TRIAL} transactions is right", device.describe()))
        }
        Ok((device, false)) => {
            let found = format!("{}; a trial of {TRIAL} transactions lost some", device.describe());
            Finding {
                what,
                state: FindingState::Wrong,
                found,
                advice: Some("report it, with what this command prints"),
            }
        }
        Err(why) => {
            let advice = Some("choose another with --device, or do what the message says");
            Finding { what, state: FindingState::Wrong, found: why.to_string(), advice }
        }
    }
}

fn trial(device: &Device) -> Result<bool, Error> {
    let counters = device.shared(&[0_u64; 4])?;
    let mut batch = device.batch();
    for transaction in 0..TRIAL as u32 {
        batch.push(count::call(&counters, transaction % 4));
    }
    let report = batch.run_with(&RunOptions::new().check(true))?;
    Ok(report.serializable() == Some(true) && counters.to_vec()?.iter().all(|count| *count == TRIAL / 4))
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

/// Checks the host compiler, which the emulator uses: the one that `CXX` names, or else a usual one.
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
        (Some(found), _) if cfg!(feature = "emulator") => {
            Finding::good(what, format!("{found}; --device emulator can be used"))
        }
        (Some(found), _) => {
            Finding::good(what, format!("{found}; the emulator needs a build with --features emulator"))
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_that_is_named_is_found_or_reported() {
        let finding = host_compiler(Some("/no/such/compiler".into()));
        assert!(finding.state == FindingState::Missing && finding.found.contains("CXX names `/no/such/compiler`"));
        assert_eq!(host_compiler(Some("".into())).found, host_compiler(None).found);
    }
}
