use super::*;

#[test]
fn the_edges_are_those_of_the_printed_node() {
    for text in [
        "a + b * -c",
        "a.b(c).d",
        "f(x)?",
        "x as u32",
        "a[1][2]",
        "(a, b)",
        "[a; 3]",
        "[a, b]",
        "if a { b } else if c { d }",
        "'l: loop { break }",
        "match a { _ => 1 }",
        "{ a }",
        "while a {}",
        "for i in 0..3 {}",
        "a::B::<u8>::c",
        "-1.5",
        "x.0.1",
        "a = b",
        "(a)",
        "R { a, ..b }",
        "return a",
        "m!(x)",
        "&mut a",
        "#[allow(x)] (a + b)",
        "<T as U>::V",
    ] {
        let expr: Expr = syn::parse_str(text).expect("the test's source should parse");
        let (found, printed) = (expr.source_span(), SourceSpan::of(&expr));
        let place = |span: SourceSpan| (span.first.start(), span.last.end());
        assert_eq!(place(found), place(printed), "{text}");
    }
}
