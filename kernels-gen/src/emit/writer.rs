//! Writes lines with indentation and `#line`.

use crate::ir::Position;

/// The deepest indentation. It keeps the text of nested blocks from growing with the square of their number.
const DEEPEST: usize = 32;

/// Text under construction.
pub(super) struct Writer {
    text: String,
    depth: usize,
    file: String,
    line: u32,
}

impl Writer {
    pub(super) fn new(file: &str) -> Self {
        Writer { text: String::new(), depth: 0, file: file.to_owned(), line: 0 }
    }

    pub(super) fn line(&mut self, text: &str) {
        for _ in 0..self.depth.min(DEEPEST) {
            self.text.push_str("  ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Opens a block: `head {`.
    pub(super) fn open(&mut self, head: &str) {
        let brace = if head.is_empty() { "{".to_owned() } else { format!("{head} {{") };
        self.line(&brace);
        self.depth += 1;
    }

    /// Closes one block and opens the next: `} head {`.
    pub(super) fn next(&mut self, head: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.line(&format!("}} {head} {{"));
        self.depth += 1;
    }

    pub(super) fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.line("}");
    }

    /// Names the source line of what follows, if it changed. NVRTC refuses line 0, so an unknown position keeps the last one.
    pub(super) fn at(&mut self, position: Position, file: &str) {
        if position.line != 0 && (position.line != self.line || file != self.file) {
            self.line = position.line;
            self.file.clear();
            self.file.push_str(file);
            self.text.push_str(&format!("#line {} \"{}\"\n", position.line, escape(file)));
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// Escapes a path for a C string literal.
fn escape(path: &str) -> String {
    let mut escaped = String::new();
    for c in path.chars() {
        match c {
            '\\' | '"' => escaped.extend(['\\', c]),
            c if c.is_control() => escaped.push('?'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests;
