//! The repository stays small: a clone fetches every file.

use crate::allowed::{self, Found};
use crate::phrases::tracked;
use crate::root;

/// The largest size of all files together, in bytes.
const MOST: u64 = 4_000_000;

#[test]
fn all_files_together_are_small() {
    let sizes = tracked().into_iter().filter_map(|file| {
        let size = std::fs::metadata(root().join(&file)).ok()?.len();
        Some((file.split_once('/').map_or(file.clone(), |(folder, _)| folder.to_owned()), size))
    });
    let (mut all, mut folders) = (0, Found::new());
    for (folder, size) in sizes {
        all += size;
        *folders.entry(folder).or_default() += size as usize;
    }
    let too_many = all.saturating_sub(MOST).div_ceil(1_000_000) as usize;
    let found = Found::from_iter((too_many > 0).then(|| ("megabytes above the limit".to_owned(), too_many)));
    allowed::check("size", &found, &format!("{all} bytes are tracked, and {MOST} are the most\n{folders:#?}"));
}
