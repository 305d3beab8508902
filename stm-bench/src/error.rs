//! What can go wrong beside a measurement. What goes wrong inside one is kept in its cell.

use std::path::PathBuf;

/// Why the kit could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The runtime refused.
    #[error(transparent)]
    Runtime(#[from] stm_runtime::Error),
    /// No benchmark goes by that name.
    #[error("unknown benchmark `{name}`; use one of: {known}")]
    UnknownBenchmark {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A benchmark has no such parameter.
    #[error("`{benchmark}` has no parameter `{name}`; it has: {known}")]
    UnknownParameter {
        /// The benchmark.
        benchmark: &'static str,
        /// What was asked for.
        name: String,
        /// The parameters there are.
        known: String,
    },
    /// A parameter has a value that it cannot have.
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
        /// The system's words.
        why: String,
    },
    /// Standard output cannot be written.
    #[error("cannot write to standard output: {0}")]
    Output(#[source] std::io::Error),
    /// Another process writes results there.
    #[error("{} is in use: another process keeps its results there; wait for its end, or choose another folder", .0.display())]
    InUse(PathBuf),
    /// There are results of an earlier command.
    #[error("{} has results already; add --resume to go on with them, or --overwrite to begin anew", .0.display())]
    Results(PathBuf),
    /// The device can do no more in this process.
    #[error("{0}; what was measured until then is kept, and the same command with --resume goes on")]
    Lost(String),
    /// A line of a file of results is none.
    #[error("line {line} of {} is not one of ours ({why}); remove it, or begin anew with --overwrite", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A plot could not be drawn.
    #[error("cannot draw {title}: {why}")]
    Plot {
        /// Its title.
        title: String,
        /// The words of the plotting library.
        why: String,
    },
    /// A folder without results, which were to be drawn.
    #[error("no results in {0}: there is nothing to draw; leave out `--draw` to measure")]
    NothingKept(PathBuf),
    /// The table of figures does not say what it should.
    #[error("the table of figures: {0}")]
    Figures(String),
    /// No figure goes by that number.
    #[error("no figure {number} of paper {paper}; `--list` shows those there are")]
    UnknownFigure {
        /// The paper asked for.
        paper: String,
        /// The figure asked for.
        number: String,
    },
}

impl BenchError {
    pub(crate) fn file(what: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> BenchError {
        let path = path.into();
        move |why| BenchError::File { what, path, why: why.to_string() }
    }
}
