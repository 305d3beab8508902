use super::*;

#[test]
fn reads_like_source() {
    for text in [
        "balance - amount",
        "tx.read(accounts, from)?",
        "-x * (a + 1)",
        "!(a && b)",
        "x as i64 + 1",
        "a <= -b",
        "0..=n",
    ] {
        let expr: syn::Expr = syn::parse_str(text).unwrap();
        assert_eq!(source(&expr), text);
    }
    assert_eq!(source(&syn::parse_str::<syn::Expr>("while a { b }").unwrap()), "while a { b }");
}

#[test]
fn a_chain_has_the_text_of_its_beginning() {
    for text in ["a".to_owned() + &" + b".repeat(90), "x".to_owned() + &".f()".repeat(90), "a.b[c]? as u8".to_owned()] {
        let expr: syn::Expr = syn::parse_str(&text).expect("the test's source should parse");
        assert_eq!(of_expr(&expr), source(&expr));
    }
}

#[test]
fn long_texts_are_cut() {
    let text = shorten(&"word ".repeat(20));
    assert!(text.ends_with('…') && text.chars().count() <= LIMIT, "{text}");
}
