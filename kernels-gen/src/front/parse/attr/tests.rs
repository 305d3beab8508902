use super::*;

fn read(text: &str) -> (Options, String) {
    let mut diags = Diagnostics::default();
    let attribute = parse_options(text.parse().unwrap(), &mut diags);
    (attribute.options, diags.to_string())
}

#[test]
fn reads_every_option() {
    let (options, errors) = read(r#"max_accesses = 8 * (9 - 1), overflow = "wrap", max_iterations = 1_000"#);
    let expect =
        Options { max_accesses: Some(64), overflow: Overflow::Wrap, max_iterations: Some(1_000), ..Options::default() };
    assert_eq!((options, errors.as_str()), (expect, ""));
}

#[test]
fn explains_bad_options() {
    for (text, expect) in [
        ("max_acesses = 1", "did you mean `max_accesses`?"),
        ("unrelated = 1", "the options are `max_accesses`, `overflow`, `max_iterations`, `instantiate`, `crate`"),
        ("max_accesses = 0", "a whole number from 1 to 65535"),
        ("max_accesses = -1", "a whole number"),
        ("overflow = \"panic\"", "\"check\" (a fault) or \"wrap\""),
        ("overflow = \"check\", overflow = \"wrap\"", "given twice"),
        ("checked", "there is no option `checked`"),
        ("overflow", "`name = value` pairs"),
        ("instantiate", "`instantiate(u32, i64)`"),
        ("instantiate()", "`instantiate(u32, i64)`"),
        ("crate = \"renamed\"", "write for example `crate = ::renamed`"),
        ("crate", "`name = value` pairs"),
    ] {
        let (_, errors) = read(text);
        assert!(errors.contains(expect), "{text}: {errors}");
    }
}
