use super::*;

fn text(text: &str) -> FormatPart {
    FormatPart::Text(text.to_owned())
}

#[test]
fn braces_and_control_characters_are_text() {
    let value = |how: &str| FormatPart::Value(None, how.to_owned());
    for (format, want) in [
        ("", vec![text("")]),
        ("a}}{{b", vec![text("a}{b")]),
        ("{{{}}}", vec![text("{"), value(""), text("}")]),
        ("{{{:?}}}", vec![text("{"), value("?"), text("}")]),
        ("{:>+#012.3?}", vec![text(""), value(">+#012.3?"), text("")]),
        ("{{}}{}\u{1}\0\u{2}", vec![text("{}"), value(""), text("\u{1}\0\u{2}")]),
    ] {
        let parts = parts(format).expect("the format is sound");
        assert_eq!(parts, want, "{format:?}");
        assert_eq!(without_names(&parts), format);
    }
    for format in ["{", "}", "{}}", "{x:n$}", "{:.2x}", "{:*>5}", "{:99999}", "{0}", "{x y}"] {
        assert!(parts(format).is_err(), "{format}");
    }
}

#[test]
fn names_are_found() {
    let parts = parts("a {x} {größe:?}").expect("the format is sound");
    let names: Vec<(String, String)> = parts
        .iter()
        .filter_map(|part| match part {
            FormatPart::Value(Some(name), how) => Some((name.to_string(), how.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(names, [("x".to_owned(), String::new()), ("größe".to_owned(), "?".to_owned())]);
    assert_eq!(without_names(&parts), "a {} {:?}");
}
