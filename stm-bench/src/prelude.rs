//! Everything that a benchmark names: `use stm_bench::prelude::*;`, in addition to the prelude of the runtime.

pub use crate::{Benchmark, Distribution, Rng, RngExt, Zipf};
#[doc(no_inline)]
pub use clap::{self, Args};
