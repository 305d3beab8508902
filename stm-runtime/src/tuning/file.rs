//! Tunings in files: TOML that people can read and edit.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::result::Tuning;
use crate::error::Error;
use crate::extent::MAX_COVERAGE;

/// The first entry of a file, which identifies its format.
const FORMAT: &str = "tuning of an engine for GPU transactions";
/// Files of another version are refused.
const VERSION: u32 = 1;

/// The content of a file.
#[derive(Serialize, Deserialize)]
struct File<T> {
    format: String,
    version: u32,
    tuning: T,
}

impl Tuning {
    /// Writes the tuning to a file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let file = File { format: FORMAT.to_owned(), version: VERSION, tuning: self };
        let text = toml::to_string_pretty(&file).map_err(|why| wrong(path, why))?;
        fs::write(path, text).map_err(|why| wrong(path, why))
    }

    /// Reads a file that [`Tuning::save`] wrote.
    ///
    /// # Errors
    /// The file cannot be read, holds something else, or names an unknown engine.
    pub fn load(path: impl AsRef<Path>) -> Result<Tuning, Error> {
        let path = path.as_ref();
        let text = fs::read_to_string(path).map_err(|why| wrong(path, why))?;
        let head: File<toml::Value> = toml::from_str(&text).map_err(|why| wrong(path, why))?;
        if head.format != FORMAT || head.version != VERSION {
            let File { format, version, .. } = head;
            return Err(wrong(
                path,
                format_args!("it is version {version} of `{format}`, and not {VERSION} of `{FORMAT}`"),
            ));
        }
        // Parse the text again, so that an error names the line.
        let file: File<Tuning> = toml::from_str(&text).map_err(|why| wrong(path, why))?;
        file.tuning.checked().map_err(|why| wrong(path, why))
    }

    /// Refuses numbers that a batch would refuse.
    fn checked(self) -> Result<Tuning, &'static str> {
        if self.threads == Some(0) {
            return Err("`threads` cannot be 0");
        }
        if self.lanes.is_some_and(|lanes| !(1..=32).contains(&lanes)) {
            return Err("`lanes` must be a number from 1 to 32");
        }
        if self.coverage.is_some_and(|coverage| !coverage.is_power_of_two() || coverage > MAX_COVERAGE) {
            return Err("`coverage` must be a power of two");
        }
        Ok(self)
    }
}

fn wrong(path: &Path, problem: impl ToString) -> Error {
    Error::TuningFile { path: path.to_owned(), problem: problem.to_string() }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::engine::Engine;
    use crate::tuning::{TrialStatus, TuningTrial};

    fn tuning() -> Tuning {
        let engine = Engine::ALL.iter().find(|engine| engine.parameters().len() > 0).expect("one has parameters");
        let (parameter, _) = engine.parameters().next().expect("it has one");
        let engine = engine.with(parameter.name, parameter.most).unwrap();
        let mut tuning = Tuning::unmeasured(engine, "a device", "because");
        tuning.lanes = Some(8);
        tuning.trials.push(TuningTrial {
            engine,
            threads: 64,
            lanes: 8,
            coverage: None,
            round: 1,
            warm_up: 20,
            transactions: 100,
            committed: 90,
            kernel: Duration::from_millis(3),
            compile: Duration::from_secs(1),
            ended: TrialStatus::Refused("why not".into()),
        });
        tuning
    }

    #[test]
    fn a_tuning_comes_back_from_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tuning.toml");
        tuning().save(&path).unwrap();
        assert_eq!(Tuning::load(&path).unwrap(), tuning());
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.lines().count() > 10 && text.contains(&format!("engine = \"{}\"", tuning().engine)), "{text}");
    }

    #[test]
    fn what_is_no_tuning_is_refused_with_the_path_and_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tuning.toml");
        tuning().save(&path).unwrap();
        let good = fs::read_to_string(&path).unwrap();
        let name = tuning().engine.to_string();
        let bad = [
            (good[..good.len() / 2].to_owned(), "line"),
            ("name = \"other\"".to_owned(), "format"),
            (good.replace("version = 1", "version = 2"), "version 2"),
            (good.replace(&name, "fast"), "unknown engine `fast`"),
            (good.replace("lanes = 8", "lanes = 33"), "1 to 32"),
            (good.replacen("lanes = 8", "lanes = 8\nthreads = 0", 1), "threads"),
            (good.replacen("lanes = 8", "lanes = 8\ncoverage = 3", 1), "power of two"),
            (good.replace("reason", "season"), "season"),
            (good.replace("0.003", "-1.0"), "negative"),
        ];
        for (text, expected) in bad {
            fs::write(&path, &text).unwrap();
            let error = Tuning::load(&path).unwrap_err();
            let message = error.to_string();
            assert!(
                matches!(error, Error::TuningFile { .. }) && message.contains(expected),
                "{expected}: {message}\n{text}"
            );
            assert!(message.contains("tuning.toml") && message.contains("Tuning::save"), "{message}");
        }
        let missing = Tuning::load(folder.path().join("nothing")).unwrap_err().to_string();
        assert!(missing.contains("nothing"), "{missing}");
        assert!(tuning().save(folder.path()).is_err());
    }
}
