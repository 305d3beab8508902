//! Plots of cells, as SVG.

mod chart;
mod draw;
mod profile;
#[cfg(test)]
mod tests;
mod ticks;

pub use chart::{Chart, Scale, Series};
pub use profile::picture;
