//! Names that may have been meant.

/// Returns the candidate nearest to `word`, if it is near enough to be meant.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let best = candidates.iter().map(|c| (distance(word, c), *c)).min()?;
    let length = word.chars().count();
    (best.0 <= length.max(3) / 3 && best.0 < length).then_some(best.1)
}

/// Returns ` (did you mean ..?)` for a word that is not among the candidates; nothing if no candidate is near.
#[must_use]
pub fn meant(word: &str, candidates: &[&str]) -> String {
    nearest(word, candidates).map(|near| format!(" (did you mean `{near}`?)")).unwrap_or_default()
}

/// Returns the least number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests;
