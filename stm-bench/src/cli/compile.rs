//! `kernel --compile`: how long NVRTC takes for a benchmark's units, and what comes out. No GPU is needed.

use std::io::Write;
use std::time::Instant;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use serde::Serialize;
use stm_runtime::nvrtc::{Compiled, Nvrtc};
use stm_runtime::{Engine, Error, Kernel};

use super::GOOD;
use super::arguments::Shown;
use crate::error::BenchError;
use crate::output::{json, written};

/// The most compilations of each text, of which the fastest counts.
const TIMES: u32 = 3;
/// A text is not compiled again after that many seconds.
const ENOUGH: f64 = 2.0;

/// What `--json` prints.
#[derive(Serialize)]
struct Compilations {
    compilations: Vec<Measured>,
}

/// A text, compiled.
#[derive(Debug, Serialize)]
struct Measured {
    /// What it is: a function alone, all functions in one unit, or a part of that unit.
    what: String,
    text_bytes: usize,
    seconds: f64,
    /// The time of all processors together, which other work on the machine does not lengthen; Linux tells it.
    processor_seconds: Option<f64>,
    ptx_instructions: usize,
    machine_code_bytes: usize,
    registers: Option<u32>,
    spilled_bytes: Option<u32>,
}

pub(super) fn show(
    kernels: &[Kernel],
    engine: Engine,
    architecture: &str,
    shown: &Shown,
    out: &mut dyn Write,
) -> Result<u8, BenchError> {
    let nvrtc = Nvrtc::find().map_err(Error::from)?;
    // The first compilation of a process takes longer.
    nvrtc.compile("", "warm_up.cu", architecture).map_err(Error::from)?;
    let mut all = Vec::new();
    for kernel in kernels {
        let source = kernel.cuda_source_for(engine)?;
        all.push(measure(format!("{} alone", kernel.name()), &source, || {
            nvrtc.compile(&source, "unit.cu", architecture).map_err(Error::from)
        })?);
    }
    if kernels.len() > 1 || shown.sets > 1 {
        let (whole, parts) = Kernel::cuda_source_of_batch(kernels, shown.sets as usize, engine)?;
        all.push(measure("all in one unit".to_owned(), &whole, || {
            nvrtc.compile(&whole, "unit.cu", architecture).map_err(Error::from)
        })?);
        for part in &parts {
            all.push(measure(format!("part {}", part.name), &part.text, || {
                nvrtc.compile_part(&part.text, "part.cu", architecture, part.registers).map_err(Error::from)
            })?);
        }
    }
    let text = if shown.json { json(&Compilations { compilations: all }) } else { table(&all) };
    out.write_all(text.as_bytes()).map_err(written)?;
    Ok(GOOD)
}

/// Compiles a text some times.
fn measure(what: String, text: &str, compile: impl Fn() -> Result<Compiled, Error>) -> Result<Measured, Error> {
    let (mut seconds, mut processors) = (f64::INFINITY, None::<f64>);
    let (mut last, first) = (None, Instant::now());
    for nth in 0..TIMES {
        if nth > 0 && first.elapsed().as_secs_f64() > ENOUGH {
            break;
        }
        let (begin, before) = (Instant::now(), processor_seconds());
        last = Some(compile()?);
        seconds = seconds.min(begin.elapsed().as_secs_f64());
        let took = processor_seconds().zip(before).map(|(after, before)| after - before);
        processors = took.map(|took| processors.map_or(took, |least| least.min(took)));
    }
    let compiled = last.unwrap_or_default();
    Ok(Measured {
        what,
        text_bytes: text.len(),
        seconds,
        processor_seconds: processors,
        ptx_instructions: instructions(&compiled.ptx),
        machine_code_bytes: compiled.cubin.as_ref().map_or(0, Vec::len),
        registers: compiled.registers,
        spilled_bytes: compiled.spills,
    })
}

/// Returns the time that all threads of this process have spent on processors, to a hundredth of a second.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the name of the program, in parentheses. Ticks are hundredths of a second on every Linux.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / 100.0)
}

/// Counts the instructions of assembler text: indented lines that end in a semicolon and begin with no dot.
fn instructions(ptx: &str) -> usize {
    let is_one = |line: &&str| {
        let code = line.trim();
        line.starts_with('\t') && code.ends_with(';') && !code.starts_with(['.', '/'])
    };
    ptx.lines().filter(is_one).count()
}

fn table(all: &[Measured]) -> String {
    let mut table = Table::new();
    let header =
        ["text", "KB", "ms", "ms of processors", "PTX instructions", "machine code KB", "registers", "bytes spilled"];
    table.load_style(UTF8_FULL_CONDENSED).set_header(header);
    for one in all {
        let known = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
        let kilobytes = |bytes: usize| format!("{:.0}", bytes as f64 / 1e3);
        table.add_row([
            one.what.clone(),
            kilobytes(one.text_bytes),
            format!("{:.0}", 1e3 * one.seconds),
            one.processor_seconds.map_or_else(String::new, |seconds| format!("{:.0}", 1e3 * seconds)),
            one.ptx_instructions.to_string(),
            kilobytes(one.machine_code_bytes),
            known(one.registers),
            known(one.spilled_bytes),
        ]);
    }
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    format!("{table}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_counted_without_labels_and_declarations() {
        let ptx = ".version 9.0\n\t.reg .b32 %r<2>;\n$L__BB0_1:\n\tadd.s32 \t%r1, %r1, 1;\n\t@%p1 bra \t$L__BB0_1;\n\t// a comment;\n\tret;\n}\n";
        assert_eq!(instructions(ptx), 3);
    }
}
