//! The headers of device code, and how one enters a unit.
//!
//! A comment `// mutation: <label>` marks a line that tests can replace: the line that it ends, or the next line where it
//! stands alone. Tests make broken engines that way (`tests/README.md`), and they name no code that a change could move. A
//! unit has none of these comments.

use super::engine::EngineSpec;

/// A name, for `#line`, and a text.
pub type Header = (&'static str, &'static str);

/// What begins the comment that marks a line.
pub const MARK: &str = "// mutation: ";

macro_rules! headers {
    ($($name:ident = $file:literal)*) => {
        $(pub(super) const $name: Header = ($file, include_str!($file));)*
        /// The headers that no engine brings along, in the order in which a unit has them.
        pub const HEADERS: &[Header] = &[$($name),*];
    };
}

headers! {
    PRELUDE = "prelude.cuh"
    METHODS = "methods.cuh"
    METHODS_BITS = "methods_bits.cuh"
    METHODS_FLOAT = "methods_float.cuh"
    ATOMICS = "atomics.cuh"
    TIME = "time.cuh"
    CONTRACT = "contract.cuh"
    LINES = "lines.cuh"
    VALUES = "values.cuh"
    LOCKS = "locks.cuh"
    SETS = "sets.cuh"
    ATTEMPT = "attempt.cuh"
    SCHEDULER = "scheduler.cuh"
    VISIT = "visit.cuh"
}

/// Every header of an engine's units: those of [`HEADERS`], and those of [`engine_headers`].
pub fn headers_of(engine: &EngineSpec) -> impl Iterator<Item = Header> {
    HEADERS.iter().copied().chain(engine_headers(engine))
}

/// The headers of the engine that this one extends, those that its row names, and its own text.
pub fn engine_headers(engine: &EngineSpec) -> impl Iterator<Item = Header> {
    let own = |engine: &EngineSpec| engine.needs.iter().copied().chain([(engine.file, engine.text)]);
    engine.extends.into_iter().flat_map(own).chain(own(engine))
}

/// Prints a header, or what the engine's row has in its place.
pub(super) fn put_header(out: &mut String, engine: &EngineSpec, (name, text): Header) {
    let replaced = engine.replaced.iter().find(|(replaced, _)| *replaced == name);
    let text = replaced.map_or(text, |(_, text)| text);
    out.push_str(&format!("#line 1 \"stm/{name}\"\n"));
    for line in text.lines() {
        out.push_str(line.split_once(MARK).map_or(line, |(code, _)| code.trim_end()));
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::super::engines::ENGINES;
    use super::*;

    #[test]
    fn marks_do_not_enter_a_unit_and_lines_keep_their_numbers() {
        let text = "a;  // mutation: one\n  // mutation: two\n  b;  // why\nc;";
        let mut out = String::new();
        put_header(&mut out, ENGINES[0], ("some.cuh", text));
        assert_eq!(out, "#line 1 \"stm/some.cuh\"\na;\n\n  b;  // why\nc;\n");
    }

    #[test]
    fn a_replaced_header_takes_the_place_of_the_one_with_its_name() {
        let engine = EngineSpec { replaced: &[("sets.cuh", "broken")], ..*ENGINES[0] };
        let mut out = String::new();
        put_header(&mut out, &engine, SETS);
        put_header(&mut out, &engine, ("other.cuh", "whole"));
        assert_eq!(out, "#line 1 \"stm/sets.cuh\"\nbroken\n#line 1 \"stm/other.cuh\"\nwhole\n");
    }
}
