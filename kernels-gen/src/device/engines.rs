//! The table of engines. An engine is one `.cuh` file and one row here; nothing else in the project knows one by name.

use super::header::Header;
use super::link::BLOCK;
use super::parameters::{Parameter, Settings};
use super::phases::Phase;
use crate::spec::Scalar;

/// How an array lies on the device. The engine chooses it.
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
    /// Never. What it keeps instead is for each element, so that an array's coverage means nothing.
    Never,
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

/// Where the elements are while transactions work on them.
#[derive(Debug, Clone, Copy)]
pub enum Home {
    /// In device memory.
    Global,
    /// In the memory of a block: the parts of `Partition` arrays, one part after the other, with the rows that work on it.
    Block {
        /// Words of 64 bits that the engine keeps for a block.
        words: u64,
        /// Bytes that it keeps for each element of that type, in two tables.
        beside: fn(Scalar) -> [u64; 2],
    },
}

impl Home {
    /// In the memory of a block.
    #[must_use]
    pub const fn is_block(self) -> bool {
        matches!(self, Home::Block { .. })
    }
}

/// What the size of an engine's data beside an array depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Element type.
    pub scalar: Scalar,
    /// Elements of the array.
    pub elements: u64,
    /// Lock words that cover them.
    pub locks: u64,
    /// The run is recorded.
    pub record: bool,
    /// The engine's parameters.
    pub settings: Settings,
}

/// What the size of an engine's data of a run depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Threads that run transactions at the most.
    pub threads: u64,
    /// The most elements that one transaction touches which may write.
    pub footprint: u64,
    /// The engine's parameters.
    pub settings: Settings,
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
    /// Headers that it shares with some other engines.
    pub needs: &'static [Header],
    /// What stands in place of headers of the same names: for tests, which break engines that way. No engine of the table
    /// has any.
    pub replaced: &'static [Header],
    /// Numbers that host and device agree on, by their names in the text.
    pub constants: &'static [(&'static str, u64)],
    /// Those of them that users may set.
    pub parameters: &'static [Parameter],
    /// It asks for the most elements that a transaction of the unit touches which may write: `STM_FOOTPRINT`.
    pub asks_footprint: bool,
    /// Blocks that run no transactions, but what the engine wants (`stm_serve`).
    pub servers: u32,
    /// The most elements that a transaction which may write may touch; `None` for no limit of its own.
    pub max_footprint: Option<u64>,
    /// The layout it wants for elements of that type when one lock word covers `coverage` elements.
    pub layout: fn(Scalar, u64) -> Layout,
    /// When it needs lock words.
    pub locks: Locks,
    /// Bytes of a lock word beside packed elements: 4 or 8.
    pub lock_bytes: u32,
    /// Bytes that it keeps beside an array (`stm_address::extra`), zero when a run begins.
    pub beside: fn(Extent) -> u64,
    /// Bytes that it keeps for a run (`stm_worker::run`), zero when it begins.
    pub of_run: fn(Effort) -> u64,
    /// Where the elements are while transactions work on them.
    pub home: Home,
    /// Which device threads run transactions.
    pub crew: Crew,
    /// The most device threads that may run transactions; `None` for no limit of its own.
    pub max_threads: Option<u64>,
    /// Threads in flight where nobody says how many; `None` for as many as keep the device busy.
    pub usual_threads: Option<u64>,
    /// Each commit raises the version of what it wrote by exactly one, so a gap in a history is an error.
    pub dense_versions: bool,
    /// The phases of a commit that it tells apart in timed units.
    pub tells: &'static [Phase],
    /// When an outcome can be wrong, where the algorithm of the source has a gap that is kept. Nobody chooses such an engine
    /// but the user.
    pub caveat: Option<&'static str>,
}

/// What a row says unless it says otherwise: versioned 64-bit locks and nothing else.
const PLAIN: EngineSpec = EngineSpec {
    name: "",
    summary: "",
    source: "",
    file: "",
    text: "",
    needs: &[],
    replaced: &[],
    constants: &[],
    parameters: &[],
    asks_footprint: false,
    servers: 0,
    max_footprint: None,
    layout: always_split,
    locks: Locks::Always,
    lock_bytes: 8,
    beside: |_| 0,
    of_run: |_| 0,
    home: Home::Global,
    crew: Crew::Threads,
    max_threads: None,
    usual_threads: None,
    dense_versions: true,
    tells: &[],
    caveat: None,
};

/// What the rows of engines say that write in place.
const IN_PLACE: EngineSpec =
    EngineSpec { needs: &[("undo_log.cuh", include_str!("undo_log.cuh"))], beside: counts_when_recording, ..PLAIN };

const VERSION_CHAIN: Header = ("version_chain.cuh", include_str!("version_chain.cuh"));

const COMMIT_SERVER: Header = ("commit_server.cuh", include_str!("commit_server.cuh"));

/// The strategies of the default engine.
const STRATEGIES: &[Header] = &[
    ("priority/base.cuh", include_str!("priority/base.cuh")),
    ("priority/ordered_locking.cuh", include_str!("priority/ordered_locking.cuh")),
    ("priority/read_only.cuh", include_str!("priority/read_only.cuh")),
    ("priority/optimistic.cuh", include_str!("priority/optimistic.cuh")),
];

/// What the rows of engines say that keep version chains and give commits a time. The number of versions is the first
/// of their parameters.
const VERSIONED: EngineSpec = EngineSpec {
    needs: &[VERSION_CHAIN],
    parameters: &[VERSIONS],
    asks_footprint: true,
    locks: Locks::Never,
    beside: version_chains,
    usual_threads: Some(USUAL),
    dense_versions: false,
    ..PLAIN
};

/// What those of them say whose commits a server orders.
const SERVED: EngineSpec = EngineSpec {
    needs: &[VERSION_CHAIN, COMMIT_SERVER],
    servers: 1,
    max_footprint: Some(SERVED_FOOTPRINT),
    usual_threads: Some(USUAL_SERVED),
    tells: SERVED_PHASES,
    ..VERSIONED
};

/// Declares the rows: what each says beyond the row that it goes by. The file's name gives the text.
macro_rules! engines {
    ($($name:ident = $text:literal, $file:literal, $base:ident { $($field:ident: $value:expr,)* })*) => {
        $(static $name: EngineSpec = EngineSpec {
            name: $text,
            file: $file,
            text: include_str!($file),
            $($field: $value,)*
            ..$base
        };)*
        /// Every engine, the default first.
        pub static ENGINES: &[&EngineSpec] = &[$(&$name,)*];
    };
}

engines! {
    PRIORITY = "priority", "engines/priority.cuh", PLAIN {
        summary: "the default: ordered locking where all addresses are known, priority locking where not; sets in registers",
        source: "ours, on the priority rule of PR-STM",
        needs: STRATEGIES,
        layout: cells_if_wide,
    }
    PR_STM = "pr-stm", "engines/pr_stm.cuh", PLAIN {
        summary: "PR-STM with the paper's 32-bit lock words: buffered writes, pre-locks that a lower thread index steals; versions wrap",
        source: "PR-STM (Euro-Par 2015), with its validation mended",
        lock_bytes: 4,
        beside: counts_when_recording,
        max_threads: Some(1 << 19),
        caveat: Some("its lock words have 11 bits of version: a transaction during which exactly 2,048 commits, or a multiple, go to one of them overlooks these"),
    }
    GPU_STM = "gpu-stm", "engines/gpu_stm.cuh", PLAIN {
        summary: "GPU-STM: locks of everything touched taken in order at commit; versions compared first, values where they differ",
        source: "GPU-STM (CGO 2014), as Shen's thesis describes it",
    }
    THREAD_BLOCK = "thread-block", "engines/thread_block.cuh", PLAIN {
        summary: "one transaction per block at a time, with locks at commit: the first STM for GPUs",
        source: "Cederman, Tsigas, Chaudhry (EGPGV 2010), as Shen's thesis describes it",
        crew: Crew::OnePerBlock,
    }
    JVSTM = "jvstm", "engines/jvstm.cuh", VERSIONED {
        summary: "several versions of each element: read-only transactions never wait; commits one at a time by a global clock",
        source: "JVSTM on a GPU, as in CSMV, section III-A",
        parameters: &[VERSIONS, RECORDS],
        tells: &[Phase::Wait, Phase::Validate, Phase::Record, Phase::WriteBack],
        of_run: |effort| 8 * (1 + effort.settings.at(1) * (1 + effort.footprint)),
    }
    CSMV = "csmv", "engines/csmv.cuh", SERVED {
        summary: "as `jvstm`, with a block that checks and orders the commits of whole warps in shared memory",
        source: "CSMV, section III-B",
        constants: &csmv(true, true),
        of_run: |effort| requests(effort, true),
    }
    CSMV_NO_CV = "csmv-no-cv", "engines/csmv.cuh", SERVED {
        summary: "`csmv` without collaborative validation: to see what that brings",
        source: "CSMV, section IV-C",
        constants: &csmv(false, true),
        of_run: |effort| requests(effort, true),
    }
    CSMV_ONLY_CS = "csmv-only-cs", "engines/csmv.cuh", SERVED {
        summary: "`csmv` with nothing but client and server: no batches, no write-back by clients",
        source: "CSMV, section IV-C",
        constants: &csmv(false, false),
        of_run: |effort| requests(effort, false),
    }
    ESTM = "estm", "engines/estm.cuh", IN_PLACE {
        summary: "writes in place with an undo log; the lock word counts readers, and conflicts are found at each access",
        source: "Holey and Zhai, ICPP 2014, as told in the thesis, section 2.3.2",
    }
    PSTM = "pstm", "engines/pstm.cuh", IN_PLACE {
        summary: "writes in place with an undo log; whatever is read or written is owned by one transaction",
        source: "Holey and Zhai, ICPP 2014, as told in the thesis, section 2.3.2",
        lock_bytes: 4,
    }
    ISTM = "istm", "engines/istm.cuh", IN_PLACE {
        summary: "writes in place with an undo log under versioned locks; reads are invisible and validated at the end",
        source: "Holey and Zhai, ICPP 2014, as told in the thesis, section 2.3.2",
    }
    LOCAL = "local", "engines/local.cuh", PLAIN {
        summary: "works on parts of arrays in block-shared memory: owners and backups beside the elements; warps and blocks that keep conflicting take turns",
        source: "GPU-LocalTM, section 3, in software",
        needs: &[("partition.cuh", include_str!("partition.cuh"))],
        locks: Locks::Never,
        beside: counts_when_recording,
        home: Home::Block { words: LOCAL_WORDS, beside: |scalar| [4, scalar.size() as u64] },
    }
    SERIAL = "serial", "engines/serial.cuh", PLAIN {
        summary: "one transaction at a time on one device thread: the baseline",
        source: "GPU-LocalTM, section 5.1.4",
        locks: Locks::WhenRecording,
        crew: Crew::One,
    }
}

/// The engine of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static EngineSpec> {
    ENGINES.iter().copied().find(|engine| engine.name == name)
}

/// The turn of the block, then mask and turn of each of 32 warps, at 32 bits each.
const LOCAL_WORDS: u64 = 1 + 32;

/// Commits go one after the other: more threads only fail. The authors of CSMV ran 28 blocks of 64.
const USUAL: u64 = 2048;

/// Whole warps, as many as the authors of CSMV ran blocks. While one transaction waits for its answer, most others commit:
/// with more threads than the server has records, those that it must look at would be gone.
const USUAL_SERVED: u64 = 28 * 32;

/// A reader looks at all versions but the one that may be written next, so that there must be two.
const VERSIONS: Parameter = Parameter {
    name: "versions",
    constant: "STM_VERSIONS",
    default: 8,
    least: 2,
    most: 256,
    help: "versions that are kept of each element: more let long readers finish, and take 16 bytes an element each",
};

/// With a single record every commit would hide the one before it.
const RECORDS: Parameter = Parameter {
    name: "records",
    constant: "STM_RECORDS",
    default: 1024,
    least: 2,
    most: 1 << 20,
    help: "commits that are remembered: who writes must commit before so many others have",
};

/// A `stm_version_chain` for each element.
fn version_chains(extent: Extent) -> u64 {
    (8 + 16 * extent.settings.at(0)) * extent.elements
}

/// Bytes of shared memory for the records of the server. What it has before it takes 12 KiB more of the 48 that a block has.
const RECORD_BYTES: u64 = 32 * 1024;

/// The server keeps eight records at the least.
const SERVED_FOOTPRINT: u64 = RECORD_BYTES / 64 - 1;

/// Validation and records are the server's; to a transaction they are a part of its commit.
const SERVED_PHASES: &[Phase] = &[Phase::PreValidate, Phase::Wait, Phase::Validate, Phase::Record, Phase::WriteBack];

/// What the variants of the engine differ in.
const fn csmv(collaborates: bool, batches: bool) -> [(&'static str, u64); 4] {
    [
        ("STM_RECORD_BYTES", RECORD_BYTES),
        ("STM_SERVER_WARPS", BLOCK as u64 / 32),
        ("STM_COLLABORATES", collaborates as u64),
        ("STM_BATCHES", batches as u64),
    ]
}

/// `stm_commit_server` in commit_server.cuh: clock and count, then for each 32 threads their batch slot, and for each of them its
/// flag, its response and its request.
fn requests(effort: Effort, batches: bool) -> u64 {
    let entry = if batches { 1 } else { 4 };
    8 * (2 + effort.threads.div_ceil(32) * (4 + 32 * (2 + 3 + entry * effort.footprint)))
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
        rows.dedup();
        assert_eq!(files, rows);
        for engine in ENGINES {
            assert_eq!(find(engine.name).map(|found| found.file), Some(engine.file));
        }
        assert!(find("no such engine").is_none());
    }

    #[test]
    fn an_engine_tells_the_phases_that_its_row_says() {
        for engine in ENGINES {
            let texts: String = engine.needs.iter().map(|(_, text)| *text).chain([engine.text]).collect();
            let told: Vec<Phase> = Phase::TOLD.iter().copied().filter(|phase| texts.contains(phase.cuda())).collect();
            assert_eq!(engine.tells, told, "{}", engine.name);
        }
    }
}
