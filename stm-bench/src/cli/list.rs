//! `list`: the benchmarks and the engines.

use std::io::Write;

use clap::ArgMatches;
use serde::Serialize;
use stm_runtime::Engine;

use super::GOOD;
use crate::entry::Entry;
use crate::error::BenchError;
use crate::output::{json, written};

#[derive(Serialize)]
struct Lists {
    benchmarks: Vec<ABenchmark>,
    engines: Vec<AnEngine>,
}

#[derive(Serialize)]
struct ABenchmark {
    name: &'static str,
    summary: &'static str,
    source: &'static str,
    parameters: Vec<String>,
}

#[derive(Serialize)]
struct AnEngine {
    name: &'static str,
    summary: &'static str,
    default: bool,
}

pub(super) fn list(benchmarks: &[Entry], matches: &ArgMatches, out: &mut dyn Write) -> Result<u8, BenchError> {
    let of = |entry: &Entry| ABenchmark {
        name: entry.name(),
        summary: entry.summary(),
        source: entry.source(),
        parameters: entry.parameters(),
    };
    let engine = |engine: Engine| AnEngine {
        name: engine.name(),
        summary: engine.summary(),
        default: engine == Engine::default(),
    };
    let lists = Lists {
        benchmarks: benchmarks.iter().map(of).collect(),
        engines: Engine::ALL.iter().copied().map(engine).collect(),
    };
    let text = if matches.get_flag("json") { json(&lists) } else { lists.text() };
    out.write_all(text.as_bytes()).map_err(written)?;
    Ok(GOOD)
}

impl Lists {
    fn text(&self) -> String {
        let names = self.benchmarks.iter().map(|of| of.name).chain(self.engines.iter().map(|of| of.name));
        let wide = names.map(str::len).max().unwrap_or(0) + 2;
        let mut text = "Benchmarks:\n".to_owned();
        for of in &self.benchmarks {
            text += &format!("  {:wide$}{}\n  {:wide$}({})\n", of.name, of.summary, "", of.source);
        }
        text += "\nEngines (CPU threads have one algorithm of their own, and one at a time):\n";
        for of in &self.engines {
            let default = if of.default { " (default)" } else { "" };
            text += &format!("  {:wide$}{}{default}\n", of.name, of.summary);
        }
        text
    }
}
