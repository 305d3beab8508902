//! The results of figures, for programs.

use serde::Serialize;

use super::table::Figure;

/// The one object that `--json` prints.
#[derive(Serialize)]
pub(super) struct FiguresJson<'a> {
    /// The page, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) page: Option<String>,
    pub(super) figures: Vec<Made<'a>>,
}

/// One figure.
#[derive(Serialize)]
pub(super) struct Made<'a> {
    paper: &'a str,
    paper_name: &'a str,
    number: &'a str,
    title: &'a str,
    benchmark: &'a str,
    /// In the folder of results.
    pub(super) files: Vec<String>,
    pub(super) cells: usize,
    pub(super) without_result: usize,
    /// Why it cannot be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) missing: Option<String>,
}

impl<'a> Made<'a> {
    /// Returns a figure without results.
    pub(super) fn of(figure: &'a Figure, missing: Option<String>) -> Made<'a> {
        let Figure { paper, paper_name, number, title, benchmark, .. } = figure;
        Made { paper, paper_name, number, title, benchmark, files: Vec::new(), cells: 0, without_result: 0, missing }
    }

    pub(super) fn is_whole(&self) -> bool {
        self.missing.is_none() && self.without_result == 0
    }

    /// Returns a line for people.
    pub(super) fn line(&self) -> String {
        let Made { paper, number, title, benchmark, .. } = self;
        let note = self.missing.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
        format!("{paper}  {number:<9} {benchmark:<16} {title}{note}\n")
    }
}
