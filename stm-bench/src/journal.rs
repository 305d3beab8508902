//! Results on disk, one JSON object a line, written as soon as each is available.
//!
//! A line is on the disk before the next measurement begins, so that a crash or a power failure loses the last line at most. An
//! incomplete last line has no newline, and is dropped. Only one process at a time writes a journal: it locks the file.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fs4::{FileExt, TryLockError};
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use stm_runtime::Device;

use crate::cell::{Cell, Key};
use crate::error::BenchError;
use crate::machine::Machine;
use crate::output::{self, SCHEMA, remark};

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

impl Session {
    /// Returns a session that begins now, with the command line of this program.
    #[must_use]
    pub fn now(device: &Device) -> Session {
        Session {
            started: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            command: command(),
            machine: Machine::of(device),
        }
    }
}

/// Returns the command line, without the folder of the program.
fn command() -> String {
    let mut words = std::env::args();
    let program = words.next().unwrap_or_default();
    let program = program.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    let quoted = |word: String| if word.contains(' ') { format!("'{word}'") } else { word };
    std::iter::once(program).chain(words.map(quoted)).collect::<Vec<_>>().join(" ")
}

/// What to do with results that exist already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Earlier {
    /// Fail.
    Refuse,
    /// Continue with them.
    Resume,
    /// Delete them and start again.
    Overwrite,
}

/// A file of results to which cells are appended.
pub(crate) struct Journal {
    path: PathBuf,
    file: Option<Locked>,
    /// Bytes of complete lines in the file.
    whole: u64,
    pub(crate) sessions: Vec<Session>,
    pub(crate) cells: Vec<Cell>,
}

impl Journal {
    /// Returns a journal without a file.
    pub(crate) fn in_memory() -> Journal {
        Journal { path: PathBuf::new(), file: None, whole: 0, sessions: Vec::new(), cells: Vec::new() }
    }

    /// Opens the journal of a folder to continue it. Creates the folder if necessary.
    pub(crate) fn open(folder: &Path, earlier: Earlier) -> Result<Journal, BenchError> {
        fs::create_dir_all(folder).map_err(BenchError::file("create", folder))?;
        let path = folder.join(FILE);
        let mut journal = Journal { path: path.clone(), ..Journal::in_memory() };
        let is_new = !path.exists();
        let open = OpenOptions::new().create(true).read(true).append(true).open(&path);
        let file = open.map_err(BenchError::file("write", &path))?;
        // Locked before anything is read: another process may be about to write more.
        let mut file = Locked::new(file, folder)?;
        let mut bytes = Vec::new();
        if earlier != Earlier::Overwrite {
            file.0.read_to_end(&mut bytes).map_err(BenchError::file("read", &path))?;
        }
        if earlier == Earlier::Refuse && !bytes.is_empty() {
            return Err(BenchError::Results(path));
        }
        journal.take(&bytes)?;
        file.0.set_len(journal.whole).map_err(BenchError::file("write", &path))?;
        if is_new {
            keep_name(folder);
        }
        journal.file = Some(file);
        Ok(journal)
    }

    /// Reads the lines of a folder. Nothing is written, so another process may be working there.
    pub(crate) fn read(folder: &Path) -> Result<Journal, BenchError> {
        let path = folder.join(FILE);
        let mut journal = Journal { path: path.clone(), ..Journal::in_memory() };
        match fs::read(&path) {
            Ok(bytes) => journal.take(&bytes)?,
            Err(why) if why.kind() == ErrorKind::NotFound => {}
            Err(why) => return Err(BenchError::file("read", &path)(why)),
        }
        Ok(journal)
    }

    /// Parses the lines of a file. A program that was killed while writing leaves a line without an end, possibly within a
    /// character; it is ignored.
    fn take(&mut self, bytes: &[u8]) -> Result<(), BenchError> {
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        for (at, line) in bytes[..whole].split_inclusive(|byte| *byte == b'\n').enumerate() {
            let wrong = |why: serde_json::Error| BenchError::Line {
                path: self.path.clone(),
                line: at + 1,
                why: why.to_string().replace(" at line 1 column ", " at column "),
            };
            match parse(line).map_err(wrong)? {
                Line::Session(session) => self.sessions.push(session),
                Line::Cell(cell) => self.cells.push(*cell),
            }
        }
        self.whole = whole as u64;
        Ok(())
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

    /// Returns the cell of that key.
    pub(crate) fn find(&self, key: &Key) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.key == *key)
    }

    fn write(&mut self, line: &Line) -> Result<(), BenchError> {
        let Some(Locked(file)) = &mut self.file else { return Ok(()) };
        let cannot = || BenchError::file("write", &self.path);
        let text = output::line(line).map_err(|why| cannot()(why.into()))?;
        if let Err(why) = file.write_all(text.as_bytes()).and_then(|()| file.sync_data()) {
            // A full disk stores a part of the line. Nothing may follow it.
            let _ = file.set_len(self.whole);
            return Err(cannot()(why));
        }
        self.whole += text.len() as u64;
        Ok(())
    }
}

/// Parses a line. Lines of the first version may lack it.
fn parse(line: &[u8]) -> Result<Line, serde_json::Error> {
    #[derive(Deserialize)]
    struct Versioned {
        schema: Option<u32>,
    }
    match serde_json::from_slice::<Versioned>(line)?.schema {
        Some(other) if other != SCHEMA => {
            Err(serde_json::Error::custom(format!("schema {other} is that of another version of this program")))
        }
        _ => serde_json::from_slice(line),
    }
}

/// A file locked against writes of other processes.
struct Locked(File);

impl Locked {
    fn new(file: File, folder: &Path) -> Result<Locked, BenchError> {
        // Called by its path: newer versions of Rust have a method of the same name in the standard library.
        match FileExt::try_lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(BenchError::InUse(folder.to_owned())),
            // Some network file systems have no locks; results can be stored there nevertheless.
            Err(TryLockError::Error(why)) => remark(format_args!(
                "note: {} cannot be locked ({why}); let no other process keep results there",
                folder.display()
            )),
        }
        Ok(Locked(file))
    }
}

impl Drop for Locked {
    /// Unlocks the file. Closing is not enough: a child process that is about to start can have it open a moment longer.
    fn drop(&mut self) {
        let _ = FileExt::unlock(&self.0);
    }
}

/// Syncs the name of a new file to disk, as far as the system can. The file's content is synced line by line.
fn keep_name(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::cell;

    /// Returns a folder with three cells, the last of which has two-byte letters, and the offset of its line.
    fn kept() -> (tempfile::TempDir, Vec<u8>, usize) {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(folder.path(), Earlier::Refuse).unwrap();
        journal.add(cell("one", 1, &[1.0])).unwrap();
        journal.add(cell("two", 2, &[2.0])).unwrap();
        let last = journal.whole as usize;
        journal.add(cell("größe", 3, &[3.0])).unwrap();
        let bytes = fs::read(folder.path().join(FILE)).unwrap();
        assert_eq!(bytes.len() as u64, journal.whole);
        (folder, bytes, last)
    }

    #[test]
    fn a_last_line_that_is_cut_anywhere_is_dropped() {
        let (folder, bytes, last) = kept();
        let file = folder.path().join(FILE);
        for end in last..bytes.len() {
            fs::write(&file, &bytes[..end]).unwrap();
            assert_eq!(Journal::read(folder.path()).unwrap().cells.len(), 2, "cut after {end} bytes");
            assert_eq!(fs::read(&file).unwrap().len(), end, "nothing is written for a drawing");
        }
        let within = (last..bytes.len()).find(|end| std::str::from_utf8(&bytes[..*end]).is_err());
        for end in [last, last + 1, within.expect("a letter has two bytes"), bytes.len() - 1] {
            fs::write(&file, &bytes[..end]).unwrap();
            let mut journal = Journal::open(folder.path(), Earlier::Resume).unwrap();
            assert_eq!(journal.cells.len(), 2, "cut after {end} bytes");
            journal.add(cell("größe", 3, &[3.0])).unwrap();
            drop(journal);
            assert_eq!(fs::read(&file).unwrap(), bytes, "cut after {end} bytes");
        }
    }

    #[test]
    fn a_line_that_is_broken_is_named() {
        let (folder, bytes, last) = kept();
        let file = folder.path().join(FILE);
        let second = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        for (at, byte, line) in [(second + 20, 0xff, 2), (second, b'x', 2), (last + 40, 0, 3), (0, b'\n', 1)] {
            let mut broken = bytes.clone();
            broken[at] = byte;
            fs::write(&file, &broken).unwrap();
            for error in [Journal::read(folder.path()).err(), Journal::open(folder.path(), Earlier::Resume).err()] {
                let error = error.expect("it is refused").to_string();
                assert!(error.starts_with(&format!("line {line} of ")) && error.contains(FILE), "{error}");
            }
            assert_eq!(fs::read(&file).unwrap(), broken, "what is refused stays as it is");
        }
    }

    #[test]
    fn a_line_says_its_schema_and_another_one_is_refused() {
        let (folder, bytes, _) = kept();
        let (file, text) = (folder.path().join(FILE), String::from_utf8(bytes).unwrap());
        assert!(text.lines().all(|line| line.starts_with("{\"schema\":1,\"line\":\"cell\",")), "{text}");
        fs::write(&file, text.replace("\"schema\":1,", "")).unwrap();
        assert_eq!(Journal::read(folder.path()).unwrap().cells.len(), 3, "old lines have none");
        fs::write(&file, text.replacen("\"schema\":1,", "\"schema\":2,", 1)).unwrap();
        let error = Journal::read(folder.path()).err().expect("it is refused").to_string();
        assert!(error.starts_with("line 1 of ") && error.contains("schema 2"), "{error}");
    }

    #[test]
    fn one_journal_at_a_time_is_open_on_a_folder() {
        let (folder, bytes, _) = kept();
        let mut first = Journal::open(folder.path(), Earlier::Resume).unwrap();
        for earlier in [Earlier::Resume, Earlier::Overwrite, Earlier::Refuse] {
            let error = Journal::open(folder.path(), earlier).err().expect("it is in use");
            assert!(matches!(error, BenchError::InUse(_)), "{error}");
        }
        assert_eq!(Journal::read(folder.path()).unwrap().cells.len(), 3, "it can be drawn");
        first.add(cell("four", 4, &[4.0])).unwrap();
        drop(first);
        assert!(fs::read(folder.path().join(FILE)).unwrap().starts_with(&bytes));
        assert_eq!(Journal::open(folder.path(), Earlier::Resume).unwrap().cells.len(), 4);
        assert!(matches!(Journal::open(folder.path(), Earlier::Refuse), Err(BenchError::Results(_))));
        assert_eq!(Journal::open(folder.path(), Earlier::Overwrite).unwrap().cells.len(), 0);
        assert!(Journal::open(folder.path(), Earlier::Refuse).is_ok(), "an empty file is no result");
    }
}
