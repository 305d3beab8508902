use super::*;

fn is_too_deep(text: &str) -> bool {
    too_deep(&text.parse().expect("the test's text should be tokens")).is_some()
}

#[test]
fn what_leads_on_counts_and_what_stands_side_by_side_does_not() {
    for (one, links) in [
        ("{ @ }", 6),
        ("(@)", 4),
        ("f(@)", 4),
        ("a[@]", 4),
        ("match a { _ => @ }", 6),
        ("if a > b { @ }", 7),
        ("!@", 1),
        ("@ + 1", 1),
        ("@ && b", 1),
        ("@.f(1)", 1),
        ("@ as u8", 1),
        ("if a == b { c } else @", 1),
        ("a | @", 1),
        ("a << @", 1),
        ("a < b && @", 2),
    ] {
        let nested = |times: u32| (0..times).fold("x".to_owned(), |inside, _| one.replace('@', &inside));
        let most = MOST_LINKS / links;
        assert!(!is_too_deep(&nested(most - 10)), "{one}");
        assert!(is_too_deep(&nested(most + 10)), "{one}");
    }
    for flat in [
        "a = b + 1;",
        "if a > b { c = !d; } else { e(); }",
        "while a { b }",
        "match a { 1 | 2 => b, _ => c }",
        "let x: Option<u32> = Some(1);",
        "'l: loop { break 'l; }",
        "#[allow(unused)] { a }",
        "R { a: -b, c }",
        "f(a, b),",
        "f(a < b, c),",
        "if a < b { c } else { d };",
    ] {
        assert!(!is_too_deep(&flat.repeat(3000)), "{flat}");
    }
    let pattern = format!("match a {{ {} 0 => 1, _ => 2 }}", "1 | ".repeat(3000));
    assert!(!is_too_deep(&pattern));
}

#[test]
fn an_item_that_is_too_deep_keeps_its_signature() {
    let item = "fn f(a: u32) -> u32 { ((((a)))) }".parse().expect("tokens");
    assert_eq!(without_body(&item).to_string(), "fn f (a : u32) -> u32 { }");
}
