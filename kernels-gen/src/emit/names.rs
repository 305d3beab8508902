//! Names in the CUDA text: plain ASCII with the variable's number, so that no name of the user collides with a keyword, a name of
//! the prelude, or another variable.

use crate::ir::VarId;
use crate::ir::flat::Transaction;

/// Returns the name of a variable.
pub(super) fn var(tx: &Transaction, id: VarId) -> String {
    match &tx.var(id).name {
        Some(name) => format!("{}_{}", ascii(name), id.0),
        None => format!("t{}", id.0),
    }
}

/// Returns the name with other characters than letters and digits replaced by `_`. It never starts with `_` or a digit.
fn ascii(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    match plain.trim_matches('_') {
        "" => "v".to_owned(),
        trimmed => trimmed.replace("__", "_"),
    }
}

#[cfg(test)]
mod tests {
    use super::ascii;

    #[test]
    fn names_are_plain() {
        for (name, expect) in
            [("from", "from"), ("_x", "x"), ("__", "v"), ("größe", "gr_e"), ("数", "v"), ("a_b", "a_b")]
        {
            assert_eq!(ascii(name), expect, "{name}");
        }
    }
}
