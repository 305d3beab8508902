//! `doctor`: reports what this machine can run, what is missing, and what to do.

use std::io::Write;

use clap::{ArgMatches, FromArgMatches};
use stm_runtime::doctor::Diagnosis;

use super::GOOD;
use super::arguments::Common;
use crate::error::BenchError;
use crate::output::{BAD, json, written};

pub(super) fn doctor(matches: &ArgMatches, out: &mut dyn Write) -> Result<u8, BenchError> {
    let wrong = |error: clap::Error| BenchError::Parameters(error.to_string());
    let common = Common::from_arg_matches(matches).map_err(wrong)?;
    let diagnosis = Diagnosis::of(common.device.parse());
    let text = if common.json { json(&diagnosis) } else { format!("{diagnosis}\n") };
    out.write_all(text.as_bytes()).map_err(written)?;
    Ok(if diagnosis.is_good() { GOOD } else { BAD })
}
