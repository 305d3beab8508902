//! The mutants of the stages without locks.

use super::Mutant;

pub(super) const COMMUTING: &[Mutant] = &[
    Mutant {
        engine: "commuting",
        name: "what others take is not subtracted",
        at: &["least value"],
        caught_by: &["escrow_near_the_bounds", "sales_and_deliveries"],
    },
    Mutant {
        engine: "commuting",
        name: "what others add is not added",
        at: &["greatest value"],
        caught_by: &["escrow_near_the_bounds", "bytes_overflow_one_by_one"],
    },
    Mutant {
        engine: "commuting",
        name: "transactions are tested on present values alone",
        at: &["test on the least values"],
        caught_by: &["escrow_near_the_bounds", "sales_and_deliveries"],
    },
    Mutant {
        engine: "commuting",
        name: "an element with two slots changes twice",
        at: &["one element twice"],
        caught_by: &["one_element_twice"],
    },
    Mutant {
        engine: "commuting",
        name: "a second change of an element repeats the first",
        at: &["what was applied already"],
        caught_by: &["extremes_and_bits"],
    },
    Mutant {
        engine: "commuting",
        name: "what did not pass is applied",
        at: &["apply what has not passed"],
        caught_by: &["escrow_near_the_bounds"],
    },
    Mutant {
        engine: "commuting",
        name: "neighbours in a word are lost",
        at: &["neighbours in a word"],
        caught_by: &["extremes_and_bits"],
    },
    Mutant {
        engine: "commuting",
        name: "a minimum starts at zero",
        at: &["neutral for a minimum"],
        caught_by: &["extremes_and_bits"],
    },
    Mutant {
        engine: "commuting",
        name: "what is taken is added",
        at: &["what is taken"],
        caught_by: &["escrow_near_the_bounds"],
    },
    Mutant {
        engine: "commuting",
        name: "only one block adds its copies to the sums",
        at: &["copies of a block"],
        caught_by: &["many_changes_of_few_elements"],
    },
    Mutant {
        engine: "commuting",
        name: "a copy loses what its lower half carries",
        at: &["carry of a copy"],
        caught_by: &["many_changes_of_few_elements"],
    },
    Mutant {
        engine: "commuting",
        name: "an element loses its first value",
        at: &["settle an element"],
        caught_by: &["escrow_near_the_bounds"],
    },
];
