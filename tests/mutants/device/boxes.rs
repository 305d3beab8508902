//! The mutants of the engines that keep versions.

use super::Mutant;

pub(super) const BOXES: &[Mutant] = &[
    // ---- boxes, under both engines -----------------------------------------------------------------------------------
    Mutant {
        engine: "jvstm",
        name: "the newest version is read",
        at: &[("versions after the snapshot", "")],
        caught_by: &["torn_snapshot", "torn_snapshot_narrow"],
    },
    Mutant {
        engine: "jvstm",
        name: "an empty box is looked at too early",
        at: &[("before the newest value", "@\nu64 count = stm_load_acquire(&box->count);"), ("count of versions", "")],
        caught_by: &["torn_snapshot", "torn_snapshot_narrow", "single_reads"],
    },
    Mutant {
        engine: "csmv",
        name: "a version takes the place of the one before",
        at: &[("place of a version", "stm_version* version = &box->ring[0];")],
        caught_by: &["torn_snapshot", "lost_update_found"],
    },
    // ---- jvstm -------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "jvstm",
        name: "records are not checked",
        at: &[("check the records", "")],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "jvstm",
        name: "the last commit is not checked",
        at: &[("records to check", "for (u64 time = to - 1; time > from; --time) {")],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "jvstm",
        name: "the clock is set on before the versions are there",
        at: &[("after the record", "@\nstm_store_release(this->worker->run, time << 1);"), ("advance the clock", "")],
        caught_by: &["torn_snapshot", "lost_update_found"],
    },
    // ---- csmv --------------------------------------------------------------------------------------------------------
    Mutant {
        engine: "csmv",
        name: "the server orders without checking",
        at: &[("drop conflicting transactions", "__all_sync(STM_ALL_LANES, good);")],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "csmv",
        name: "records of what was read instead of what was written",
        at: &[(
            "record of writes",
            "if (!(name & STM_WRITTEN)) stm_block_store_relaxed(ring.key(time, count++), name);",
        )],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "csmv",
        name: "the first record since the snapshot is left out",
        at: &[("first record to check", "from = (from < opened.snapshot ? opened.snapshot : from) + 1;")],
        caught_by: &["lost_update_found", "write_skew"],
    },
    Mutant {
        engine: "csmv",
        name: "only the first names are looked at",
        at: &[(
            "further names",
            "for (u64 first = STM_ABREAST; STM_COUNTED && first < STM_ABREAST && good; first += STM_ABREAST) {",
        )],
        caught_by: &["lost_update_in_loops", "more_writes_than_locks", "write_skew_wide"],
    },
    // Not here: a clock that does not wait for earlier commits. No scenario meets the few steps in which it matters.
    Mutant {
        engine: "csmv",
        name: "the clock is set on before the versions are there",
        at: &[("put the versions", ""), ("after the desk", "@\nif (commits) this->put(time);")],
        caught_by: &["torn_snapshot", "lost_update_found", "money_is_conserved"],
    },
    Mutant {
        engine: "csmv",
        name: "who met an earlier one of its batch is sent with it",
        at: &[("conflicts within the batch", "if (false) {")],
        caught_by: &["lost_update_found", "everybody_on_one_element"],
    },
    Mutant {
        engine: "csmv",
        name: "of a batch only the first is looked for",
        at: &[(
            "earlier lanes of the batch",
            "for (u32 rest = batch & (my_bit() - 1) & (0 - batch); rest != 0; rest &= rest - 1) {",
        )],
        caught_by: &["lost_update_found", "write_skew"],
    },
];
