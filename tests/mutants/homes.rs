//! The mutants of the engine that keeps parts of arrays with its blocks.

use crate::list::Mutant;

const UNDO: &str = "      if (status != STM_OK) undo();\n";
const LET_GO: &str = "    this->each([&](owned& e) {\n      if (e.flags & STM_HELD) stm_block_store_release(e.owner, 0u);\n      return true;\n    });\n";

pub(crate) const HOMES: &[Mutant] = &[
    Mutant {
        engine: "local",
        name: "an abort keeps the values",
        patches: &[(UNDO, "")],
        caught_by: &["parts_undo_and_do_not_skew"],
    },
    Mutant {
        engine: "local",
        name: "let go before the undo",
        patches: &[
            (UNDO, ""),
            (
                LET_GO,
                "    this->each([&](owned& e) {\n      if (e.flags & STM_HELD) stm_block_store_release(e.owner, 0u);\n      return true;\n    });\n    if constexpr (!F::READ_ONLY) {\n      if (status != STM_OK) undo();\n    }\n",
            ),
        ],
        caught_by: &["parts_undo_and_do_not_skew"],
    },
    Mutant {
        engine: "local",
        name: "what is read has no owner",
        patches: &[(
            "    STM_TRY(own(slot, site, region, index, at));\n    u8* value",
            "    if (at >= Region::size()) return this->fault(STM_FAULT_INDEX, site);\n    u8* value",
        )],
        caught_by: &["parts_count", "parts_undo_and_do_not_skew"],
    },
    Mutant {
        engine: "local",
        name: "the backup follows each write",
        patches: &[(
            "    stm_block_value_store(place, sizeof(T), stm_to_word(value));\n",
            "    stm_block_value_store((u8*)((T*)Region::second(this->worker->home) + at), sizeof(T), stm_block_value_load(place, sizeof(T)));\n    stm_block_value_store(place, sizeof(T), stm_to_word(value));\n",
        )],
        caught_by: &["parts_undo_and_do_not_skew"],
    },
    Mutant {
        engine: "local",
        name: "a part does not go back",
        patches: &[("      there[i] = here[i];\n", "")],
        caught_by: &["parts_count", "parts_keep_their_money"],
    },
    // These show that the turns of warp and block come up.
    Mutant {
        engine: "local",
        name: "whose turn it is in a warp owns everything",
        patches: &[(
            "    if (stm_block_swap_acquire(owner, 0u, me) != 0) return",
            "    if (stm_block_swap_acquire(owner, 0u, me) != 0 && this->worker->memo[STM_TURNS] == 0) return",
        )],
        caught_by: &["parts_count", "parts_undo_and_do_not_skew"],
    },
    Mutant {
        engine: "local",
        name: "whose turn it is in a block owns everything",
        patches: &[(
            "    if (stm_block_swap_acquire(owner, 0u, me) != 0) return",
            "    if (stm_block_swap_acquire(owner, 0u, me) != 0 && this->worker->memo[STM_TURNS] < 2) return",
        )],
        caught_by: &["parts_count", "parts_undo_and_do_not_skew"],
    },
];
