//! The headers of device code, and how a unit includes them.
//!
//! A header can state how a test breaks it: a comment `// mutation "<label>": <replacement>` precedes the line that the replacement
//! replaces, and lines that begin with `//| ` continue it. `@` in it stands for the line itself. A change of the code and the
//! change of its mutations thus go together. A unit contains none of these comments.

use super::engine::EngineSpec;
pub use super::engine::Header;

/// The beginning of a mutation comment; its label and a quotation mark follow.
const MUTATION: &str = "// mutation \"";
/// The beginning of a further line of a replacement.
const CONTINUATION: &str = "//| ";

/// A mutation: one change by which tests break a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutation<'a> {
    /// Its label, unique within a unit.
    pub label: &'a str,
    /// The number of the line that is replaced, counted from 0.
    pub line: usize,
    /// The replacement of that line, in which `@` stands for the line itself.
    pub replacement: String,
}

/// Returns the mutations of a header, in their order.
#[must_use]
pub fn mutations(text: &str) -> Vec<Mutation<'_>> {
    let mut all: Vec<Mutation<'_>> = Vec::new();
    // The first mutation whose line has not been reached yet.
    let mut first_open = 0;
    for (line, written) in text.lines().enumerate() {
        let written = written.trim();
        if let Some((label, replacement)) = written.strip_prefix(MUTATION).and_then(|rest| rest.split_once("\":")) {
            all.push(Mutation { label, line, replacement: replacement.trim().to_owned() });
        } else if let (Some(more), Some(mutation)) = (written.strip_prefix(CONTINUATION), all.last_mut()) {
            mutation.replacement.push('\n');
            mutation.replacement.push_str(more);
        } else {
            all[first_open..].iter_mut().for_each(|mutation| mutation.line = line);
            first_open = all.len();
        }
    }
    all
}

macro_rules! headers {
    ($($name:ident = $file:literal)*) => {
        $(pub(super) const $name: Header = ($file, include_str!($file));)*
        /// The headers that every unit has, in the order in which they are included.
        pub const HEADERS: &[Header] = &[$($name),*];
    };
}

headers! {
    PRELUDE = "prelude.cuh"
    METHODS = "methods.cuh"
    METHODS_BITS = "methods_bits.cuh"
    METHODS_FLOAT = "methods_float.cuh"
    ATOMICS = "atomics.cuh"
    PLACE = "place.cuh"
    TIME = "time.cuh"
    PROFILE = "profile.cuh"
    CONTRACT = "contract.cuh"
    LINES = "lines.cuh"
    DEFERRED = "deferred.cuh"
    VALUES = "values.cuh"
    LOCKS = "locks.cuh"
    HISTORY = "history.cuh"
    RESULTS = "results.cuh"
    ACCESS_SET = "access_set.cuh"
    WRITE_BUFFER = "write_buffer.cuh"
    ATTEMPT = "attempt.cuh"
    DEVICE_OF = "device_of.cuh"
    SHARE = "share.cuh"
    SCHEDULER = "scheduler.cuh"
    ROUTE = "route.cuh"
    VISIT = "visit.cuh"
    ROUNDS = "rounds.cuh"
    TURNS = "turns.cuh"
}

/// Returns every header of an engine's units: those of [`HEADERS`], and those of [`engine_headers`].
pub fn headers_of(engine: &EngineSpec) -> impl Iterator<Item = Header> {
    HEADERS.iter().copied().chain(engine_headers(engine))
}

/// Returns the headers of the extended engine, those that the description names, and the engine's own text.
#[must_use]
pub fn engine_headers(engine: &EngineSpec) -> Vec<Header> {
    let mut all = engine.extends.map(engine_headers).unwrap_or_default();
    all.extend_from_slice(engine.needs);
    all.push((engine.file, engine.text));
    all
}

/// Prints a header, or its replacement in the engine's description.
pub(super) fn put_header(out: &mut String, engine: &EngineSpec, (name, text): Header) {
    let replaced = engine.replaced.iter().find(|(replaced, _)| *replaced == name);
    let text = replaced.map_or(text, |(_, text)| text);
    out.push_str(&format!("#line 1 \"stm/{name}\"\n"));
    for line in text.lines() {
        let start = line.trim_start();
        let is_mutation = start.starts_with(MUTATION) || start.starts_with(CONTINUATION);
        // Line numbers stay the same.
        out.push_str(if is_mutation { "" } else { line });
        out.push('\n');
    }
}

/// Marks the following text as printed here and not part of a header.
pub(super) fn put_own(out: &mut String) {
    out.push_str("#line 1 \"stm/unit.cu\"\n");
}

#[cfg(test)]
mod tests;
