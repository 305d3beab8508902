//! The mutants of the stages without locks.

use super::{Mutant, broken};

#[rustfmt::skip]
pub(super) const COMMUTING: &[Mutant] = &[
    broken("commuting", "what others take is not subtracted", &["least value"], &["escrow_near_the_bounds", "sales_and_deliveries"]),
    broken("commuting", "what others add is not added", &["greatest value"], &["escrow_near_the_bounds", "bytes_overflow_one_by_one"]),
    broken("commuting", "transactions are tested on present values alone", &["test on the least values"], &["escrow_near_the_bounds", "sales_and_deliveries"]),
    broken("commuting", "an element with two slots changes twice", &["one element twice"], &["one_element_twice"]),
    broken("commuting", "a second change of an element repeats the first", &["what was applied already"], &["extremes_and_bits"]),
    broken("commuting", "what did not pass is applied", &["apply what has not passed"], &["escrow_near_the_bounds"]),
    broken("commuting", "what did not pass is settled", &["what has not passed"], &["escrow_near_the_bounds"]),
    broken("commuting", "what did not pass is taken back at the elements of its last run alone", &["elements that were noted"], &["one_element_twice"]),
    broken("commuting", "neighbours in a word are lost", &["neighbours in a word"], &["extremes_and_bits"]),
    broken("commuting", "a minimum starts at zero", &["neutral for a minimum"], &["extremes_and_bits"]),
    broken("commuting", "what is taken is added", &["what is taken"], &["escrow_near_the_bounds"]),
    broken("commuting", "only one block adds its copies to the sums", &["copies of a block"], &["many_changes_of_few_elements"]),
    broken("commuting", "a copy loses what its lower half carries", &["carry of a copy"], &["many_changes_of_few_elements"]),
    broken("commuting", "what commits on half of the greatest value commits on a floor", &["easy on a floor"], &["reserves_and_scores"]),
    broken("commuting", "the floor is as high as the half", &["floor"], &["reserves_and_scores"]),
    broken("commuting", "an element has room for all that is added", &["room above"], &["bytes_overflow_one_by_one"]),
    broken("commuting", "an element stays above zero whatever is taken", &["room below"], &["reserves_and_scores"]),
    broken("commuting", "no element is near its limits where some are", &["depth of an element"], &["reserves_and_scores"]),
    broken("commuting", "a reservation is not tested", &["test what was reserved"], &["escrow_near_the_bounds", "sales_and_deliveries"]),
    broken(
        "commuting",
        "a reservation is published before its test",
        &["publish before the test", "publish after the test"],
        &["escrow_near_the_bounds", "sales_and_deliveries"],
    ),
    broken("commuting", "reservations are in the order of the batch", &["turn of a reservation"], &["escrow_near_the_bounds", "sales_and_deliveries"]),
    broken("commuting", "an element loses its first value", &["settle an element"], &["escrow_near_the_bounds"]),
];
