//! Plots of cells, as SVG.

mod chart;
mod draw;
#[cfg(test)]
mod tests;
mod ticks;

pub use chart::{Chart, Scale, Series};
