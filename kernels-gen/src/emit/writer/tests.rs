use super::*;

#[test]
fn paths_are_escaped() {
    for (path, expect) in [(r"src\a.rs", r"src\\a.rs"), ("a\"b.rs", "a\\\"b.rs"), ("a\nb", "a?b")] {
        assert_eq!(escape(path), expect);
    }
}

#[test]
fn lines_are_named_once_and_never_zero() {
    let mut w = Writer::new("a.rs");
    for (line, file) in [(0, "a.rs"), (3, "a.rs"), (3, "a.rs"), (4, "a.rs"), (4, "b.rs"), (4, "a.rs")] {
        w.at(Position { line, column: 1 }, file);
    }
    let lines = ["#line 3 \"a.rs\"", "#line 4 \"a.rs\"", "#line 4 \"b.rs\"", "#line 4 \"a.rs\"", ""];
    assert_eq!(w.finish(), lines.join("\n"));
}
