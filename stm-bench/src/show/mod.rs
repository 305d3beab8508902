//! Results for people and for programs.

mod csv;
mod numbers;
mod table;

pub(crate) use self::csv::csv;
pub(crate) use numbers::digits;
pub(crate) use numbers::{grouped, rate, short};
pub(crate) use table::{details, notes, table, times};
