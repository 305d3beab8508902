//! The steps of a sequence. A step is a number: all its actions are drawn from that number and the current state, so a sequence
//! can be run again without some of its steps.

mod arrays;
mod batches;
mod devices;
mod names;
mod options;
mod progress;
mod reports;
mod runs;

pub(crate) use progress::PLANNED;
use stm_tests::draw::Draw;

use crate::world::{Checked, World};

/// One step; it does nothing if there is nothing to work on.
type Action = fn(&mut World<'_>, &mut Draw) -> Checked;

/// Every action with its weight.
const ACTIONS: &[(usize, Action)] = &[
    (6, devices::create),
    (8, devices::look),
    (8, devices::by_name),
    (8, devices::with_engine),
    (40, arrays::create),
    (15, arrays::refused),
    (60, arrays::compare),
    (30, arrays::look),
    (20, arrays::fields),
    (8, arrays::drop_one),
    (70, batches::create),
    (170, batches::push),
    (6, batches::push_many),
    (10, batches::reserve),
    (20, batches::look),
    (12, batches::discard),
    (4, batches::part_as_whole),
    (150, options::set),
    (25, progress::set),
    (20, options::engine),
    (150, runs::run),
    (20, runs::together),
    (6, runs::compile),
    (1, runs::slow_loops),
    (50, reports::look),
    (12, reports::keep_tuning),
    (8, reports::damaged_files),
    (8, names::engines),
    (8, names::parameters),
    (4, names::kernels),
];

/// Makes one step.
pub(crate) fn step(world: &mut World<'_>, seed: u64) -> Checked {
    let mut draw = Draw::new(seed);
    while world.places.is_empty() {
        devices::create(world, &mut draw)?;
    }
    let mut left = draw.below(ACTIONS.iter().map(|(weight, _)| weight).sum());
    for (weight, action) in ACTIONS {
        if left < *weight {
            action(world, &mut draw)?;
            break;
        }
        left -= weight;
    }
    world.no_trouble()
}
