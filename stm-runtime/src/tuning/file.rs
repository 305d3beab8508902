//! Tunings and plans in files: TOML that people can read and edit.

use std::fs;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use super::result::Tuning;
use crate::error::Error;
use crate::extent::MAX_COVERAGE;

/// What has a file of its own.
pub(crate) trait InFile: Serialize + DeserializeOwned {
    /// The first entry of a file, which identifies its format.
    const FORMAT: &'static str;
    /// Files of another version are refused.
    const VERSION: u32;
    /// The name of the entry with the content: `tuning` or `plan`.
    const NAME: &'static str;

    /// Refuses numbers that a batch would refuse.
    fn checked(&self) -> Result<(), &'static str>;

    /// Returns the error of a file.
    fn wrong(path: &Path, problem: String) -> Error;
}

/// The content of a file.
#[derive(Deserialize)]
struct File<T> {
    format: String,
    version: u32,
    #[serde(alias = "tuning", alias = "plan")]
    content: T,
}

/// The same with the name of the content.
struct Named<'a, T>(&'a T);

impl<T: InFile> Serialize for Named<'_, T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut entries = to.serialize_map(Some(3))?;
        entries.serialize_entry("format", T::FORMAT)?;
        entries.serialize_entry("version", &T::VERSION)?;
        entries.serialize_entry(T::NAME, self.0)?;
        entries.end()
    }
}

/// Writes a value to a file.
pub(crate) fn save<T: InFile>(value: &T, path: &Path) -> Result<(), Error> {
    let text = toml::to_string_pretty(&Named(value)).map_err(|why| T::wrong(path, why.to_string()))?;
    fs::write(path, text).map_err(|why| T::wrong(path, why.to_string()))
}

/// Reads a value from a file.
pub(crate) fn load<T: InFile>(path: &Path) -> Result<T, Error> {
    let text = fs::read_to_string(path).map_err(|why| T::wrong(path, why.to_string()))?;
    let head: File<toml::Value> = toml::from_str(&text).map_err(|why| T::wrong(path, why.to_string()))?;
    if head.format != T::FORMAT || head.version != T::VERSION {
        let (File { format, version, .. }, known, asked) = (head, T::VERSION, T::FORMAT);
        return Err(T::wrong(path, format!("it is version {version} of `{format}`, and not {known} of `{asked}`")));
    }
    // Parse the text again, so that an error names the line.
    let file: File<T> = toml::from_str(&text).map_err(|why| T::wrong(path, why.to_string()))?;
    file.content.checked().map_err(|why| T::wrong(path, why.to_owned()))?;
    Ok(file.content)
}

impl Tuning {
    /// Writes the tuning to a file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        save(self, path.as_ref())
    }

    /// Reads a file that [`Tuning::save`] wrote.
    ///
    /// # Errors
    /// The file cannot be read, holds something else, or names an unknown engine.
    pub fn load(path: impl AsRef<Path>) -> Result<Tuning, Error> {
        load(path.as_ref())
    }
}

impl InFile for Tuning {
    const FORMAT: &'static str = "tuning of an engine for GPU transactions";
    const VERSION: u32 = 1;
    const NAME: &'static str = "tuning";

    fn checked(&self) -> Result<(), &'static str> {
        if self.threads == Some(0) {
            return Err("`threads` cannot be 0");
        }
        if self.lanes.is_some_and(|lanes| !(1..=32).contains(&lanes)) {
            return Err("`lanes` must be a number from 1 to 32");
        }
        if self.coverage.is_some_and(|coverage| !coverage.is_power_of_two() || coverage > MAX_COVERAGE) {
            return Err("`coverage` must be a power of two");
        }
        Ok(())
    }

    fn wrong(path: &Path, problem: String) -> Error {
        Error::TuningFile { path: path.to_owned(), problem }
    }
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
