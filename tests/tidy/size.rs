//! The repository stays small: a clone fetches every file.
//!
//! Program text grows with what the program does, and people see it. What programs wrote (figures, tables, expected messages and
//! kernels) grows unnoticed, so it has a limit of its own.

use std::path::Path;

use crate::allowed::{self, Found};
use crate::phrases::tracked;
use crate::root;

/// The largest size of all files together, in bytes. The list `allowed/size.txt` has what is above it.
const MOST: u64 = 4_000_000;

/// The largest size of all files that programs wrote, in bytes.
const MOST_WRITTEN: u64 = 700_000;

/// The largest size of any file, in bytes.
const MOST_OF_ONE: u64 = 64_000;

/// The endings of files that programs write.
const WRITTEN: &[&str] =
    &["bin", "csv", "gz", "html", "json", "jsonl", "lock", "log", "png", "snap", "stderr", "svg", "zst"];

/// Returns every tracked file with its size in bytes. A link has the size of its own text, which is what a clone fetches.
fn sizes() -> Vec<(String, u64)> {
    let with_size = |file: String| Some((file.clone(), std::fs::symlink_metadata(root().join(&file)).ok()?.len()));
    tracked().into_iter().filter_map(with_size).collect()
}

#[test]
fn all_files_together_are_small() {
    let (mut all, mut folders) = (0, Found::new());
    for (file, size) in sizes() {
        let folder = file.split_once('/').map_or(file.as_str(), |(folder, _)| folder);
        all += size;
        *folders.entry(folder.to_owned()).or_default() += size as usize;
    }
    let too_many = all.saturating_sub(MOST).div_ceil(100_000) as usize;
    let found = Found::from_iter((too_many > 0).then(|| ("times 100 KB above the limit".to_owned(), too_many)));
    allowed::check("size", &found, &format!("{all} bytes are tracked, and {MOST} are the most\n{folders:#?}"));
}

#[test]
fn files_that_programs_wrote_are_small_together() {
    let is_written =
        |file: &str| Path::new(file).extension().is_some_and(|of| WRITTEN.iter().any(|ending| of == *ending));
    let mut written: Vec<_> = sizes().into_iter().filter(|(file, _)| is_written(file)).collect();
    let all: u64 = written.iter().map(|(_, size)| size).sum();
    written.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    written.truncate(10);
    assert!(all > 0, "the test looks at no file");
    assert!(all <= MOST_WRITTEN, "they have {all} bytes, and {MOST_WRITTEN} are the most; the largest: {written:#?}");
}

#[test]
fn no_file_is_large() {
    let large: Vec<_> = sizes().into_iter().filter(|(_, size)| *size > MOST_OF_ONE).collect();
    assert!(large.is_empty(), "no file has more than {MOST_OF_ONE} bytes: {large:#?}");
}
