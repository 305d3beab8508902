//! The errors outside of measurements. An error inside a measurement is stored in its cell.

use std::path::PathBuf;

/// Why the kit could not perform a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The runtime refused.
    #[error(transparent)]
    Runtime(#[from] stm_runtime::Error),
    /// No benchmark has that name.
    #[error("unknown benchmark `{name}`{}; use one of: {known}", near(name, known))]
    UnknownBenchmark {
        /// The requested name.
        name: String,
        /// The existing names.
        known: String,
    },
    /// A benchmark has no such parameter.
    #[error("`{benchmark}` has no parameter `{name}`{}; it has: {known}", near(name, known))]
    UnknownParameter {
        /// The benchmark.
        benchmark: &'static str,
        /// The requested name.
        name: String,
        /// The existing parameters.
        known: String,
    },
    /// A parameter has an invalid value.
    #[error("{0}")]
    Parameters(String),
    /// An axis is not `name=value,value`.
    #[error("`{0}` is no axis; write --axis name=value,value,..")]
    Axis(String),
    /// A file could not be read or written.
    #[error("cannot {what} {}: {why}", path.display())]
    File {
        /// Read, write or create.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's message.
        why: String,
    },
    /// Standard output cannot be written.
    #[error("cannot write to standard output: {0}")]
    Output(#[source] std::io::Error),
    /// Another process writes results there.
    #[error("{} is in use: another process keeps its results there; wait for its end, or choose another folder", .0.display())]
    InUse(PathBuf),
    /// Results of an earlier command exist.
    #[error("{} has results already; add --resume to go on with them, or --overwrite to begin anew", .0.display())]
    Results(PathBuf),
    /// The device is lost to this process.
    #[error("{0}; what was measured until then is kept, and the same command with --resume goes on")]
    Lost(String),
    /// A line of a file of results cannot be parsed.
    #[error("line {line} of {} is not one of ours ({why}); remove it, or begin anew with --overwrite", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line number, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A plot could not be drawn.
    #[error("cannot draw {title}: {why}")]
    Plot {
        /// Its title.
        title: String,
        /// The message of the plotting library.
        why: String,
    },
    /// A folder has no results to draw.
    #[error("no results in {0}: there is nothing to draw; leave out `--draw` to measure")]
    NothingKept(PathBuf),
    /// The table of figures is invalid.
    #[error("the table of figures: {0}")]
    Figures(String),
    /// No figure has that number.
    #[error("no figure {number} of paper {paper}; `--list` shows those there are")]
    UnknownFigure {
        /// The requested paper.
        paper: String,
        /// The requested figure.
        number: String,
    },
}

/// Returns ` (did you mean ..?)` if one of the names in a list is near.
fn near(name: &str, known: &str) -> String {
    stm_runtime::__private::meant(name, &known.split(", ").collect::<Vec<_>>())
}

impl BenchError {
    pub(crate) fn file(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> BenchError {
        let path = path.into();
        move |why| BenchError::File { what, path, why: why.to_string() }
    }
}
