//! The launches of a run: how many threads, on which transactions, in what order, and until when.

pub(crate) mod choice;
mod chunk;
pub(crate) mod climb;
mod coming;
pub(crate) mod contention;
mod crowd;
pub(crate) mod geometry;
pub(crate) mod hottest;
pub(crate) mod launches;
pub(crate) mod place;
pub(crate) mod plan;
pub(crate) mod prediction;
mod probe;
pub(crate) mod profile;
pub(crate) mod remembered;
mod reservations;
mod route;
pub(crate) mod run;
pub(crate) mod run_state;
mod sample;
pub(crate) mod small;
pub(crate) mod stages;
pub(crate) mod steps;
mod turns;
mod visits;
pub(crate) mod window;
