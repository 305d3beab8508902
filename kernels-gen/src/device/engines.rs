//! The table of engines. An engine is one `.cuh` file and one row here; nothing else in the project knows one by name.

use crate::spec::Scalar;

/// How a region lies on the device. The engine chooses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// 16-byte cells, `{u64 lock word, u64 value}`: one device access moves both. One lock word for each element.
    Cells,
    /// Packed elements, and a table of `u64` lock words beside them.
    Split,
}

/// When an engine needs lock words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Locks {
    /// In every run.
    Always,
    /// Only where a run is recorded, to number the versions.
    WhenRecording,
}

/// Which device threads run transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Crew {
    /// As many as are asked for.
    Threads,
    /// One of each block.
    OnePerBlock,
    /// One.
    One,
}

/// What the size of an engine's data beside a region depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Element type.
    pub scalar: Scalar,
    /// Elements of the region.
    pub elements: u64,
    /// Lock words that cover them.
    pub locks: u64,
    /// The run is recorded.
    pub record: bool,
}

/// What the size of an engine's data of a run depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Threads that run transactions at the most.
    pub threads: u64,
    /// The most elements that one transaction touches.
    pub footprint: u64,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct EngineSpec {
    /// What the user types.
    pub name: &'static str,
    /// One line for `--help` and error messages.
    pub summary: &'static str,
    /// Where the algorithm comes from.
    pub source: &'static str,
    /// The file, for `#line`.
    pub file: &'static str,
    /// The device code.
    pub text: &'static str,
    /// Headers that not every engine needs, as name and text, to stand before it.
    pub needs: &'static [(&'static str, &'static str)],
    /// The layout it wants for elements of that type when one lock word covers `coverage` elements.
    pub layout: fn(Scalar, u64) -> Layout,
    /// When it needs lock words.
    pub locks: Locks,
    /// Bytes of a lock word beside packed elements: 4 or 8.
    pub lock_bytes: u32,
    /// Bytes that it keeps beside a region (`stm_address::extra`), zero when a run begins.
    pub beside: fn(Extent) -> u64,
    /// Bytes that it keeps for a run (`stm_worker::run`), zero when it begins.
    pub of_run: fn(Effort) -> u64,
    /// Which device threads run transactions.
    pub crew: Crew,
    /// The most device threads that may run transactions; `None` for no limit of its own.
    pub max_threads: Option<u64>,
    /// Each commit raises the version of what it wrote by exactly one, so a gap in a history is an error.
    pub dense_versions: bool,
}

/// What a row says unless it says otherwise: versioned 64-bit locks and nothing else.
const PLAIN: EngineSpec = EngineSpec {
    name: "",
    summary: "",
    source: "",
    file: "",
    text: "",
    needs: &[],
    layout: always_split,
    locks: Locks::Always,
    lock_bytes: 8,
    beside: |_| 0,
    of_run: |_| 0,
    crew: Crew::Threads,
    max_threads: None,
    dense_versions: true,
};

/// Declares the rows; the file's name gives the text.
macro_rules! engines {
    ($($name:ident = $text:literal, $file:literal { $($field:ident: $value:expr,)* })*) => {
        $(static $name: EngineSpec = EngineSpec {
            name: $text,
            file: $file,
            text: include_str!($file),
            $($field: $value,)*
            ..PLAIN
        };)*
        /// Every engine, the default first.
        pub static ENGINES: &[&EngineSpec] = &[$(&$name,)*];
    };
}

engines! {
    PRIORITY = "priority", "engines/priority.cuh" {
        summary: "the default: ordered locking where all addresses are known, priority locking where not; sets in registers",
        source: "ours, on the priority rule of PR-STM",
        layout: cells_if_wide,
    }
    SERIAL = "serial", "engines/serial.cuh" {
        summary: "one transaction at a time on one device thread: the baseline",
        source: "GPU-LocalTM, section 5.1.4",
        locks: Locks::WhenRecording,
        crew: Crew::One,
    }
    ESTM = "estm", "engines/estm.cuh" {
        summary: "writes in place with an undo log; the lock word counts readers, and conflicts are found at each access",
        source: "Holey and Zhai, ICPP 2014, as told in the thesis, section 2.3.2",
        needs: EAGER,
        beside: counts_when_recording,
    }
    PSTM = "pstm", "engines/pstm.cuh" {
        summary: "writes in place with an undo log; whatever is read or written is owned by one transaction",
        source: "Holey and Zhai, ICPP 2014, as told in the thesis, section 2.3.2",
        needs: EAGER,
        lock_bytes: 4,
        beside: counts_when_recording,
    }
    ISTM = "istm", "engines/istm.cuh" {
        summary: "writes in place with an undo log under versioned locks; reads are invisible and validated at the end",
        source: "Holey and Zhai, ICPP 2014, as told in the thesis, section 2.3.2",
        needs: EAGER,
        beside: counts_when_recording,
    }
}

/// What engines share that write in place.
const EAGER: &[(&str, &str)] = &[("eager.cuh", include_str!("eager.cuh"))];

/// The engine of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static EngineSpec> {
    ENGINES.iter().copied().find(|engine| engine.name == name)
}

/// Cells cost 16 bytes an element: worth it where the value itself takes 8.
fn cells_if_wide(scalar: Scalar, coverage: u64) -> Layout {
    if scalar.size() == 8 && coverage == 1 { Layout::Cells } else { Layout::Split }
}

fn always_split(_: Scalar, _: u64) -> Layout {
    Layout::Split
}

/// The commits under each lock word, for engines whose own words do not number them.
fn counts_when_recording(extent: Extent) -> u64 {
    if extent.record { 8 * extent.locks } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_file_is_a_row_and_every_name_is_found() {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/src/device/engines");
        let mut files: Vec<String> = std::fs::read_dir(dir)
            .expect("the directory of engines should be readable")
            .map(|entry| format!("engines/{}", entry.expect("an entry").file_name().to_string_lossy()))
            .collect();
        files.sort();
        let mut rows: Vec<String> = ENGINES.iter().map(|engine| engine.file.to_string()).collect();
        rows.sort();
        assert_eq!(files, rows);
        for engine in ENGINES {
            assert_eq!(find(engine.name).map(|found| found.file), Some(engine.file));
        }
        assert!(find("no such engine").is_none());
    }
}
