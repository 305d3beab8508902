//! The mutants of the engine that keeps parts of arrays with its blocks.

use super::Mutant;

pub(super) const HOMES: &[Mutant] = &[
    Mutant {
        engine: "local",
        name: "an abort keeps the values",
        at: &[("undo", "")],
        caught_by: &["parts_undo_and_do_not_skew"],
    },
    Mutant {
        engine: "local",
        name: "let go before the undo",
        at: &[
            ("undo", ""),
            ("after the release", "@\nif constexpr (!F::READ_ONLY) {\nif (status != STM_OK) undo();\n}"),
        ],
        caught_by: &["parts_undo_and_do_not_skew"],
    },
    Mutant {
        engine: "local",
        name: "what is read has no owner",
        at: &[("own what is read", "if (at >= Array::size()) return this->fault(STM_FAULT_INDEX, location);")],
        caught_by: &["parts_count", "parts_undo_and_do_not_skew"],
    },
    Mutant {
        engine: "local",
        name: "the backup follows each write",
        at: &[(
            "mark written",
            "@\nstm_block_value_store((u8*)((T*)Array::second(this->worker->home) + at), sizeof(T), stm_block_value_load(place, sizeof(T)));",
        )],
        caught_by: &["parts_undo_and_do_not_skew"],
    },
    Mutant {
        engine: "local",
        name: "a part does not go back",
        at: &[("part goes back", "")],
        caught_by: &["parts_count", "parts_keep_their_money"],
    },
    // These show that the turns of warp and block come up.
    Mutant {
        engine: "local",
        name: "whose turn it is in a warp owns everything",
        at: &[(
            "own",
            "if (stm_block_swap_acquire(owner, 0u, me) != 0 && this->worker->memo[STM_TURNS] == 0) return this->conflict(STM_LOCKED, location);",
        )],
        caught_by: &["parts_count", "parts_undo_and_do_not_skew"],
    },
    Mutant {
        engine: "local",
        name: "whose turn it is in a block owns everything",
        at: &[(
            "own",
            "if (stm_block_swap_acquire(owner, 0u, me) != 0 && this->worker->memo[STM_TURNS] < 2) return this->conflict(STM_LOCKED, location);",
        )],
        caught_by: &["parts_count", "parts_undo_and_do_not_skew"],
    },
];
