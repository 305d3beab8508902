//! Mutants of the runtime: the proof, the oracle, the run loop, chunks, and CPU threads.
//!
//! Each is a name in the runtime's sources (`mutant!` in `stm-runtime/src/mutation.rs`). A process runs one mutant, so the hunt
//! starts this program once for each, with the checks that must detect it.

mod check;
mod cpu;
mod device;
mod hunt;
mod proof;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

pub(crate) use hunt::{hunt, second_process};

/// One mutant.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mutant {
    /// The mistake, after the area.
    pub(crate) name: &'static str,
    /// The checks that detect it, the best first; see [`check::Check`].
    pub(crate) caught_by: &'static [&'static str],
}

impl Mutant {
    /// Returns true if some of its checks run in the emulator.
    pub(crate) fn needs_emulator(&self) -> bool {
        self.caught_by.iter().any(|check| check.starts_with("fibers") || check.starts_with("unit layout"))
    }
}

/// Declares a mutant in one line.
const fn caught(name: &'static str, caught_by: &'static [&'static str]) -> Mutant {
    Mutant { name, caught_by }
}

/// Returns all of them.
pub(crate) fn all() -> Vec<Mutant> {
    [proof::PROOF, cpu::CPU, device::DEVICE].concat()
}

/// Returns the names in the sources of the runtime.
pub(crate) fn names_in_sources() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../stm-runtime/src"), &mut names);
    names
}

fn collect(folder: &Path, names: &mut BTreeSet<String>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    for path in entries.map(|entry| entry.expect("an entry should be readable").path()) {
        if path.is_dir() {
            collect(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
            // Where the line is too long, the name is on the next one.
            let names_of =
                |rest: &str| rest.trim_start().strip_prefix('"')?.split_once('"').map(|(name, _)| name.to_owned());
            names.extend(code.split("mutant!(").skip(1).filter_map(names_of));
        }
    }
}
