//! `kernel`: the CUDA C of a benchmark's transactions.

use std::io::Write;

use clap::{ArgMatches, FromArgMatches};
use serde::Serialize;
use stm_runtime::{Device, Kernel};

use super::GOOD;
use super::arguments::{Linked, Shown};
use super::compile;
use crate::entry::Entry;
use crate::error::BenchError;
use crate::output::{json, written};
use crate::parameters::read;

/// What `--json` prints.
#[derive(Serialize)]
struct Kernels {
    kernels: Vec<Text>,
}

#[derive(Serialize)]
struct Text {
    function: &'static str,
    facts: String,
    body: &'static str,
    source: String,
}

pub(super) fn show(entry: &Entry, matches: &ArgMatches, out: &mut dyn Write) -> Result<u8, BenchError> {
    let wrong = |error: clap::Error| BenchError::Parameters(error.to_string());
    let shown = Shown::from_arg_matches(matches).map_err(wrong)?;
    let engine = Linked::from_arg_matches(matches).map_err(wrong)?.engine;
    let (workload, _) = entry.open(&read(&entry.command(), matches))?;
    // The kernel does not depend on the device.
    let kernels = workload.kernels(&Device::cpu(1))?;
    if let Some(architecture) = &shown.compile {
        return compile::show(&kernels, engine, architecture, &shown, out);
    }
    let of = |kernel: Kernel| {
        Ok(Text {
            function: kernel.name(),
            facts: kernel.facts()?.to_string(),
            body: kernel.cuda_body()?,
            source: kernel.cuda_source_for(engine)?,
        })
    };
    let texts = kernels.into_iter().map(of).collect::<Result<Vec<Text>, stm_runtime::Error>>()?;
    let text = match () {
        () if shown.json => json(&Kernels { kernels: texts }),
        () if shown.facts => texts.iter().map(|text| format!("{}\n", text.facts)).collect(),
        () if shown.body => texts.iter().map(|text| format!("// {}\n{}\n", text.function, text.body)).collect(),
        () => texts
            .iter()
            .map(|text| format!("// {} under {engine}\n{}\n", text.function, text.source))
            .collect::<String>(),
    };
    out.write_all(text.as_bytes()).map_err(written)?;
    Ok(GOOD)
}
