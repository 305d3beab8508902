//! The list of engines. An engine is one `.cuh` file and one entry here; nothing else in the project names one.

use super::engine::{EngineConstant, EngineSpec, Header, Layout, Locks, Planned, Requires, Variant, Versions};
use super::engine_memory::{Content, Extent, Memory, Scope, claims, turns};
use super::parameters::Parameter;
use super::placed;
use super::stage::{BLOCK, Residency, Stage, ThreadMapping, Visited};
use crate::abi::phases::Phase;
use crate::spec::Scalar;

/// The defaults of an entry: versioned 64-bit locks and nothing else.
const PLAIN: EngineSpec = EngineSpec {
    name: "",
    summary: "",
    source: "",
    file: "",
    text: "",
    needs: &[],
    extends: None,
    replaced: &[],
    constants: &[],
    parameters: &[],
    variants: &[],
    requires: Requires::NOTHING,
    stages: &[Stage::EXECUTE],
    asks_changes: false,
    defers_sums: false,
    joint_commits: false,
    memory: &[],
    layout: always_split,
    locks: Locks::Always,
    lock_bytes: 8,
    versions: Versions::ByLock,
    commit_phases: &[],
    planned: Planned::Never,
    caveat: None,
    only_by_name: false,
};

/// The defaults of engines that write in place.
const IN_PLACE: EngineSpec =
    EngineSpec { needs: &[("undo_log.cuh", include_str!("undo_log.cuh"))], memory: &[COUNTS_WHEN_RECORDING], ..PLAIN };

const VERSION_CHAIN: Header = ("version_chain.cuh", include_str!("version_chain.cuh"));

const GRID: Header = ("grid.cuh", include_str!("grid.cuh"));

const IN_TURN: Header = ("in_turn.cuh", include_str!("in_turn.cuh"));

const COMMIT_SERVER: Header = ("commit_server.cuh", include_str!("commit_server.cuh"));

/// The conflict-handling strategies of the default engine.
const STRATEGIES: &[Header] = &[
    ("priority/base.cuh", include_str!("priority/base.cuh")),
    ("priority/ordered_locking.cuh", include_str!("priority/ordered_locking.cuh")),
    ("priority/read_only.cuh", include_str!("priority/read_only.cuh")),
    ("priority/optimistic.cuh", include_str!("priority/optimistic.cuh")),
    ("priority/log.cuh", include_str!("priority/log.cuh")),
    ("priority/logged.cuh", include_str!("priority/logged.cuh")),
    ("priority/long_reads.cuh", include_str!("priority/long_reads.cuh")),
];

/// The defaults of engines that keep version chains and give commits a timestamp. Their first parameter is the number of versions.
const VERSIONED: EngineSpec = EngineSpec {
    needs: &[VERSION_CHAIN],
    parameters: &[VERSIONS],
    constants: &[FOOTPRINT],
    locks: Locks::Never,
    stages: &[Stage { usual_threads: Some(USUAL), waits: true, ..Stage::EXECUTE }],
    versions: Versions::ByClock,
    ..PLAIN
};

/// The stage of `readers-at-rest`.
const STAGE_OF_READERS: Stage = Stage::finishing("stm_read_at_rest", Visited::ReadOnly, "stm_read_at_rest");

/// Declares the entries: each states what differs from its defaults. The file's name gives the text.
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
        summary: "ordered locking where all addresses are known, priority locking where not; sets in registers",
        source: "ours, on the priority rule of PR-STM",
        needs: STRATEGIES,
        defers_sums: true,
        joint_commits: true,
        memory: &[LOGS],
        layout: cells_if_wide,
    }
    PR_STM = "pr-stm", "engines/pr_stm.cuh", PLAIN {
        summary: "PR-STM with the paper's 32-bit lock words: buffered writes, pre-locks that a lower thread index steals; versions wrap",
        source: "PR-STM (Euro-Par 2015), with its validation mended",
        lock_bytes: 4,
        memory: &[COUNTS_WHEN_RECORDING],
        requires: Requires { max_threads: Some(1 << 19), ..Requires::NOTHING },
        caveat: Some("its lock words have 11 bits of version: a transaction during which exactly 2,048 commits, or a multiple, go to one of them overlooks these"),
    }
    GPU_STM = "gpu-stm", "engines/gpu_stm.cuh", PLAIN {
        summary: "GPU-STM: locks of everything touched taken in order at commit; versions compared first, values where they differ",
        source: "GPU-STM (CGO 2014), as Shen's thesis describes it",
    }
    THREAD_BLOCK = "thread-block", "engines/thread_block.cuh", PLAIN {
        summary: "one transaction per block at a time, with locks at commit: the first STM for GPUs",
        source: "Cederman, Tsigas, Chaudhry (EGPGV 2010), as Shen's thesis describes it",
        stages: &[Stage { threads: ThreadMapping::OnePerBlock, ..Stage::EXECUTE }],
    }
    JVSTM = "jvstm", "engines/jvstm.cuh", VERSIONED {
        summary: "several versions of each element: read-only transactions never wait; commits one at a time by a global clock",
        source: "JVSTM on a GPU, as in CSMV, section III-A",
        parameters: &[VERSIONS, RECORDS],
        commit_phases: &[Phase::Wait, Phase::Validate, Phase::Record, Phase::WriteBack],
        memory: &[VERSION_CHAINS, Memory::new(Scope::Run, jvstm_records)],
    }
    CSMV = "csmv", "engines/csmv.cuh", VERSIONED {
        summary: "as `jvstm`, with a block that checks and orders the commits of whole warps in shared memory",
        source: "CSMV, section III-B",
        needs: &[VERSION_CHAIN, COMMIT_SERVER],
        constants: &[FOOTPRINT, ("STM_RECORD_BYTES", EngineConstant::Is(RECORD_BYTES)), ("STM_SERVER_WARPS", EngineConstant::Is(BLOCK as u64 / 32))],
        parameters: &[VERSIONS, VALIDATION, BATCHES],
        variants: ABLATIONS,
        requires: Requires { max_footprint: Some(SERVED_FOOTPRINT), ..Requires::NOTHING },
        stages: &[Stage { service_blocks: 1, usual_threads: Some(USUAL_SERVED), waits: true, ..Stage::EXECUTE }],
        memory: &[VERSION_CHAINS, Memory::new(Scope::Run, requests)],
        commit_phases: SERVED_PHASES,
    }
    ESTM = "estm", "engines/estm.cuh", IN_PLACE {
        summary: "writes in place with an undo log; the lock word counts readers, and conflicts are found at each access",
        source: "Holey and Zhai, ICPP 2014, as described in the thesis, section 2.3.2",
    }
    PSTM = "pstm", "engines/pstm.cuh", IN_PLACE {
        summary: "writes in place with an undo log; whatever is read or written is owned by one transaction",
        source: "Holey and Zhai, ICPP 2014, as described in the thesis, section 2.3.2",
        lock_bytes: 4,
    }
    ISTM = "istm", "engines/istm.cuh", IN_PLACE {
        summary: "writes in place with an undo log under versioned locks; reads are invisible and validated at the end",
        source: "Holey and Zhai, ICPP 2014, as described in the thesis, section 2.3.2",
    }
    LOCAL = "local", "engines/local.cuh", PLAIN {
        summary: "works on parts of arrays in block-shared memory: owners and backups beside the elements; warps and blocks that keep conflicting take turns",
        source: "GPU-LocalTM, section 3, in software",
        needs: &[("partition.cuh", include_str!("partition.cuh"))],
        locks: Locks::Never,
        requires: Requires { partitions: true, ..Requires::NOTHING },
        stages: &[Stage { residency: Residency::Block, ..Stage::EXECUTE }],
        memory: &[
            ELEMENT_COUNTS_WHEN_RECORDING,
            Memory::new(Scope::Block, |_| 8 * LOCAL_WORDS),
            Memory::new(Scope::Partition, |owners| 4 * owners.elements),
            Memory::new(Scope::Partition, |backups| backups.scalar.size() as u64 * backups.elements),
        ],
    }
    HOT_ELEMENTS = "hot-elements", "engines/hot_elements.cuh", PRIORITY {
        summary: "as `priority`, after a pass that counts how often transactions access each element: the report shows the hottest",
        source: "ours",
        needs: &[],
        extends: Some(&PRIORITY),
        // The report has the accesses to every element.
        defers_sums: false,
        stages: &[Stage::visit("stm_count", Visited::KnownAddresses, "stm_count_accesses"), Stage::EXECUTE],
        memory: &[LOGS, Memory { content: Content::AccessCounts, ..Memory::new(Scope::Array, |extent| 8 * extent.elements) }],
        only_by_name: true,
    }
    READERS_AT_REST = "readers-at-rest", "engines/readers_at_rest.cuh", PRIORITY {
        summary: "as `priority`, after a stage that runs the transactions that write nothing, while no element changes",
        source: "ours",
        needs: &[],
        extends: Some(&PRIORITY),
        stages: &[STAGE_OF_READERS, Stage::EXECUTE],
        planned: Planned::WhereUsed,
        only_by_name: true,
    }
    COMMUTING = "commuting", "engines/commuting.cuh", PRIORITY {
        summary: "as `readers-at-rest`, with stages without locks for the transactions whose order does not matter",
        source: "ours, on the escrow method (O'Neil, TODS 1986)",
        needs: &[("change_set.cuh", include_str!("change_set.cuh"))],
        extends: Some(&READERS_AT_REST),
        stages: &[
            STAGE_OF_READERS,
            Stage::visit("stm_sum", Visited::AnyOrder, "stm_sum_changes").with_copies(16),
            Stage::checking("stm_check", "stm_check_changes"),
            Stage::finishing("stm_apply", Visited::AnyOrder, "stm_apply_changes"),
            Stage::settling("stm_settle", "stm_settle_changes"),
            Stage::retrying("stm_reserve", Visited::AnyOrder, "stm_reserve_changes"),
            Stage::EXECUTE,
        ],
        asks_changes: true, defers_sums: false,
        planned: Planned::WhereCrowded,
        only_by_name: true,
        memory: &[LOGS, Memory::new(Scope::Sums, |extent| 32 * extent.elements)],
    }
    IN_ORDER = "in-order", "engines/in_order.cuh", PRIORITY {
        summary: "as `readers-at-rest`, with stages that run the transactions with known accesses in order, on versions placed before",
        source: "ours, on placed versions (BOHM, VLDB 2015) and early visibility (PWV, VLDB 2017)",
        needs: &[
            GRID,
            ("radix_sort.cuh", include_str!("radix_sort.cuh")),
            ("placed_versions.cuh", include_str!("placed_versions.cuh")),
            ("running_sums.cuh", include_str!("running_sums.cuh")),
            ("placed_pieces.cuh", include_str!("placed_pieces.cuh")),
            ("placed_reads.cuh", include_str!("placed_reads.cuh")),
            ("placed_ends.cuh", include_str!("placed_ends.cuh")),
            ("listing.cuh", include_str!("listing.cuh")),
        ],
        extends: Some(&READERS_AT_REST),
        constants: &[
            ("STM_WRITES", EngineConstant::Places(0)), ("STM_LATE_WRITES", EngineConstant::Places(1)),
            ("STM_CELLS", EngineConstant::Cells(0)), ("STM_LATE_CELLS", EngineConstant::Cells(1)),
            ("STM_UNREAD_WRITES", EngineConstant::UnreadWrites),
        ],
        requires: Requires { max_transactions: Some(1 << 20), ..Requires::NOTHING },
        stages: &[
            STAGE_OF_READERS,
            Stage::visit("stm_foresee", Visited::Foreseen, "stm_foresee"),
            Stage::once("stm_order", Visited::Foreseen, "stm_order_writes"),
            Stage::resolving("stm_add_up", Visited::Foreseen, "stm_add_up_writes"),
            Stage::visit("stm_foresee_late", Visited::Late, "stm_foresee_late"),
            Stage::once("stm_order_late", Visited::Late, "stm_order_late_writes"),
            Stage::resolving("stm_add_up_late", Visited::Late, "stm_add_up_late_writes"),
            Stage { waits: true, ..Stage::finishing("stm_run_in_order", Visited::Foreseen, "stm_run_in_order") },
            Stage::settling("stm_install", "stm_install"),
            Stage::EXECUTE,
        ],
        defers_sums: false,
        planned: Planned::WhereForeseen,
        only_by_name: true,
        memory: &[LOGS, Memory::new(Scope::Sums, |extent| 8 * extent.elements), Memory::new(Scope::Chunk, placed::first_keys), Memory::new(Scope::Unset, placed::versions)],
    }
    IN_ROUNDS = "in-rounds", "engines/in_rounds.cuh", PRIORITY {
        summary: "as `readers-at-rest`, with a stage that runs the transactions with known addresses in order, in rounds of those that do not meet",
        source: "ours, on deterministic reservations (PPoPP 2012)",
        needs: &[GRID, IN_TURN],
        extends: Some(&READERS_AT_REST),
        constants: &[
            ("STM_CLAIM_BYTES", EngineConstant::Is(claims::BYTES)),
            ("STM_ROUND_BYTES", EngineConstant::Is(claims::ROUND_BYTES)),
            ("STM_ROUNDS_BYTES", EngineConstant::Is(claims::ROUNDS_BYTES)),
            ("STM_FEWEST_CLAIMS", EngineConstant::Is(claims::FEWEST)),
            ("STM_MOST_CLAIMS", EngineConstant::Is(claims::MOST)),
        ],
        requires: Requires { max_transactions: Some(1 << 20), ..Requires::NOTHING },
        stages: &[
            STAGE_OF_READERS,
            Stage::rounds("stm_run_in_rounds", Visited::InTurn, ["stm_claim", "stm_run_in_round"]),
            Stage::EXECUTE,
        ],
        defers_sums: false,
        only_by_name: true,
        memory: &[LOGS, Memory::new(Scope::Chunk, |chunk| claims::bytes(chunk.transactions))],
    }
    IN_TURNS = "in-turns", "engines/in_turns.cuh", PRIORITY {
        summary: "as `readers-at-rest`, with a stage that runs the transactions with known addresses in order, on one block: turn by turn, those of a turn together",
        source: "ours, on deterministic reservations (PPoPP 2012)",
        needs: &[GRID, IN_TURN],
        extends: Some(&READERS_AT_REST),
        constants: &[
            ("STM_CLAIMED", EngineConstant::Places(0)),
            ("STM_CLAIM_BYTES", EngineConstant::Is(claims::BYTES)),
            ("STM_TURNS_BYTES", EngineConstant::Is(turns::HEAD_BYTES)),
            ("STM_FINDING_BYTES", EngineConstant::Is(turns::FINDING_BYTES)),
            ("STM_LARGEST_WINDOW", EngineConstant::Is(turns::WINDOW[0])),
            ("STM_USUAL_WINDOW", EngineConstant::Is(turns::WINDOW[1])),
            ("STM_SMALLEST_WINDOW", EngineConstant::Is(turns::WINDOW[2])),
            ("STM_MOST_FUNCTIONS", EngineConstant::Is(turns::MOST_FUNCTIONS)),
            ("STM_TURN_WARPS", EngineConstant::Is(turns::WARPS)),
            ("STM_KEPT_FROM", EngineConstant::Is(turns::KEPT_FROM)),
        ],
        requires: Requires { max_transactions: Some(1 << 20), ..Requires::NOTHING },
        stages: &[
            STAGE_OF_READERS,
            Stage::turns("stm_run_at_turns", Visited::InTurn, ["stm_list_claims", "stm_run_at_turn"]),
            Stage::EXECUTE,
        ],
        defers_sums: false,
        planned: Planned::WhereKept,
        only_by_name: true,
        memory: &[LOGS, Memory::new(Scope::Chunk, |_| turns::HEAD_BYTES), Memory::new(Scope::Unset, turns::bytes)],
    }
    SERIAL = "serial", "engines/serial.cuh", PLAIN {
        summary: "one transaction at a time on one device thread: the baseline",
        source: "GPU-LocalTM, section 5.1.4",
        locks: Locks::WhenRecording,
        stages: &[Stage { threads: ThreadMapping::One, ..Stage::EXECUTE }],
    }
}

/// Returns the engine of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static EngineSpec> {
    ENGINES.iter().copied().find(|engine| engine.name == name)
}

/// The token of the block, then mask and token of each of 32 warps, at 32 bits each.
const LOCAL_WORDS: u64 = 1 + 32;

/// Commits are serial, so more threads only abort more often. The authors of CSMV ran 28 blocks of 64.
const USUAL: u64 = 2048;

/// Whole warps, as many as the blocks of the authors of CSMV. While one transaction waits for its response, most others commit:
/// with more threads than the server has records, the records that validation needs would be overwritten.
const USUAL_SERVED: u64 = 28 * 32;

/// A reader scans all versions except the one that may be written next, so there must be two.
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
    help: "commits that are remembered: a writer must commit before this many others have committed",
};

/// The paper's variant NoCV is the engine without this.
const VALIDATION: Parameter = Parameter {
    name: "validation",
    constant: "STM_COLLABORATES",
    default: 1,
    least: 0,
    most: 1,
    help: "1: the lanes of a server warp validate one transaction after the other together; 0: each lane validates its own",
};

/// The paper's variant onlyCS is the engine without this and without collaborative validation.
const BATCHES: Parameter = Parameter {
    name: "batches",
    constant: "STM_BATCHES",
    default: 1,
    least: 0,
    most: 1,
    help: "1: clients commit in batches and write back themselves; 0: each commits alone, and the server writes back",
};

/// `csmv` without parts of it, as in section IV-C of the paper.
const ABLATIONS: &[Variant] = &[&[("validation", 0)], &[("validation", 0), ("batches", 0)], &[("batches", 0)]];

/// The largest footprint of the unit, which determines the size of records.
const FOOTPRINT: (&str, EngineConstant) = ("STM_FOOTPRINT", EngineConstant::WrittenFootprint);

/// A `stm_version_chain` for each element.
const VERSION_CHAINS: Memory = Memory::new(Scope::Array, |extent| (8 + 16 * extent.settings.at(0)) * extent.elements);

/// Returns the bytes of the clock and the records; a record is a count and the keys of the written elements.
fn jvstm_records(extent: Extent) -> u64 {
    8 * (1 + extent.settings.at(1) * (1 + extent.footprint))
}

/// Bytes of shared memory for the records of the server. Its other data takes 12 KiB more of the 48 that a block has.
const RECORD_BYTES: u64 = 32 * 1024;

/// The largest footprint with which the server keeps at least eight records.
const SERVED_FOOTPRINT: u64 = RECORD_BYTES / 64 - 1;

/// The server validates and records; both count as parts of a transaction's commit.
const SERVED_PHASES: &[Phase] = &[Phase::PreValidate, Phase::Wait, Phase::Validate, Phase::Record, Phase::WriteBack];

/// Returns the bytes of `stm_commit_server` in commit_server.cuh: clock and count, then for each 32 threads their batch slot, and
/// for each thread its flag, its response and its request.
fn requests(extent: Extent) -> u64 {
    let entry = if extent.settings.at(2) == 1 { 1 } else { 4 };
    8 * (2 + extent.threads.div_ceil(32) * (4 + 32 * (2 + 3 + entry * extent.footprint)))
}

/// The logs of `stm_attempt_log` and `stm_read_log`.
const LOGS: Memory = Memory::new(Scope::Thread, log_bytes);

/// Returns the bytes of a log. Of a transaction that writes: entries of lock words, entries of writes, and the links between entries;
/// of one that reads: entries, what a stated bound and a history need, and the links.
fn log_bytes(extent: Extent) -> u64 {
    let links = |room: u64| {
        let link = if room >= 1 << 16 { 4 } else { 2 };
        (2 * room * link).div_ceil(16) + (room * link).div_ceil(16)
    };
    let Extent { logged, walked, .. } = extent;
    let writes = logged * (3 + u64::from(extent.record)) + logged * 2 + links(logged);
    let beside = u64::from(extent.stated) + u64::from(extent.record);
    16 * writes.max(walked + beside * walked.div_ceil(2) + links(walked))
}

/// Returns cells if the value takes 8 bytes: cells cost 16 bytes an element.
fn cells_if_wide(scalar: Scalar, coverage: u64) -> Layout {
    if scalar.size() == 8 && coverage == 1 { Layout::Cells } else { Layout::Split }
}

fn always_split(_: Scalar, _: u64) -> Layout {
    Layout::Split
}

/// The number of commits under each lock word, for engines whose own lock words do not count them.
const COUNTS_WHEN_RECORDING: Memory =
    Memory::new(Scope::Locks, |extent| if extent.record { 8 * extent.locks } else { 0 });

/// The same for an engine without lock words: the commits of each element.
const ELEMENT_COUNTS_WHEN_RECORDING: Memory =
    Memory::new(Scope::Array, |extent| if extent.record { 8 * extent.elements } else { 0 });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found() {
        for engine in ENGINES {
            assert_eq!(find(engine.name).map(|found| found.file), Some(engine.file));
        }
        assert!(find("no such engine").is_none());
    }

    #[test]
    fn an_engine_measures_the_phases_that_its_row_lists() {
        for engine in ENGINES {
            let texts: String = engine.needs.iter().map(|(_, text)| *text).chain([engine.text]).collect();
            let measured: Vec<Phase> =
                Phase::OF_COMMIT.iter().copied().filter(|phase| texts.contains(phase.cuda())).collect();
            assert_eq!(engine.commit_phases, measured, "{}", engine.name);
        }
    }

    #[test]
    fn long_readers_need_less_than_writers() {
        let of = |logged, walked, stated| {
            let settings = crate::device::Tuned::new(&PRIORITY).settings;
            log_bytes(Extent { logged, walked, stated, ..Extent::new(settings) })
        };
        let each = |bytes: u64| bytes.div_ceil(6000);
        assert_eq!((each(of(6000, 0, false)), each(of(0, 6000, false)), each(of(0, 6000, true))), (86, 22, 30));
        assert_eq!(of(0, 0, true), 0);
    }
}
