//! Results on disk, one JSON object a line, written as soon as they are there.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cell::{Cell, Key};
use crate::error::BenchError;
use crate::machine::Machine;

/// The file's name in its folder.
pub(crate) const FILE: &str = "cells.jsonl";

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "lowercase")]
pub enum Line {
    /// A program began to measure.
    Session(Session),
    /// A measurement.
    Cell(Box<Cell>),
}

/// Where and when cells were measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// When it began.
    pub started: String,
    /// The command line.
    pub command: String,
    /// The machine.
    pub machine: Machine,
}

/// What to do about results that are there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Earlier {
    /// They are none of ours.
    Refuse,
    /// Go on with them.
    Resume,
    /// Begin anew.
    Overwrite,
}

/// A file of results that grows.
pub(crate) struct Journal {
    path: PathBuf,
    file: Option<File>,
    pub(crate) sessions: Vec<Session>,
    pub(crate) cells: Vec<Cell>,
}

impl Journal {
    /// A journal that nobody keeps.
    pub(crate) fn in_memory() -> Journal {
        Journal { path: PathBuf::new(), file: None, sessions: Vec::new(), cells: Vec::new() }
    }

    /// The journal of a folder, which is made if it is not there.
    pub(crate) fn open(folder: &Path, earlier: Earlier) -> Result<Journal, BenchError> {
        fs::create_dir_all(folder).map_err(BenchError::file("create", folder))?;
        let path = folder.join(FILE);
        let mut journal = Journal { path: path.clone(), ..Journal::in_memory() };
        let text = match earlier {
            Earlier::Overwrite => String::new(),
            _ if !path.exists() => String::new(),
            Earlier::Refuse => return Err(BenchError::Results(path)),
            Earlier::Resume => fs::read_to_string(&path).map_err(BenchError::file("read", &path))?,
        };
        let kept = journal.read(&text)?;
        let open = OpenOptions::new().create(true).write(true).truncate(false).open(&path);
        let file = open.map_err(BenchError::file("write", &path))?;
        file.set_len(kept).map_err(BenchError::file("write", &path))?;
        drop(file);
        let file = OpenOptions::new().append(true).open(&path).map_err(BenchError::file("write", &path))?;
        journal.file = Some(file);
        Ok(journal)
    }

    /// Takes the lines of a text; gives how many bytes of it are whole lines. A program that was killed while it wrote leaves
    /// a line without an end.
    fn read(&mut self, text: &str) -> Result<u64, BenchError> {
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        for (at, line) in text[..whole].lines().enumerate() {
            let wrong = |why: serde_json::Error| BenchError::Line {
                path: self.path.clone(),
                line: at + 1,
                why: why.to_string(),
            };
            match serde_json::from_str(line).map_err(wrong)? {
                Line::Session(session) => self.sessions.push(session),
                Line::Cell(cell) => self.cells.push(*cell),
            }
        }
        Ok(whole as u64)
    }

    pub(crate) fn begin(&mut self, session: Session) -> Result<(), BenchError> {
        self.write(&Line::Session(session.clone()))?;
        self.sessions.push(session);
        Ok(())
    }

    pub(crate) fn add(&mut self, cell: Cell) -> Result<(), BenchError> {
        self.write(&Line::Cell(Box::new(cell.clone())))?;
        self.cells.push(cell);
        Ok(())
    }

    /// The cell of that key.
    pub(crate) fn find(&self, key: &Key) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.key == *key)
    }

    fn write(&mut self, line: &Line) -> Result<(), BenchError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let mut text = serde_json::to_string(line).unwrap_or_default();
        text.push('\n');
        // One call for the line, so that it is there as a whole or hardly at all.
        file.write_all(text.as_bytes()).map_err(BenchError::file("write", &self.path))
    }
}
