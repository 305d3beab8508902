use super::*;

fn derived(source: &str) -> String {
    derive(source.parse().expect("the test's source should be tokens")).to_string()
}

#[test]
fn refuses_what_has_no_layout_and_says_all_of_it() {
    for (source, messages) in [
        ("struct A<'a, T>(&'a T);", &["no lifetimes"][..]),
        ("union A { x: u32 }", &["union"]),
        ("enum A {}", &["without variants"]),
        ("enum A { B(u32), C(String), D { x: &'static u8 } }", &["no strings", "no references"]),
        ("#[repr(u128)] enum A { B, C() }", &["leave out the brackets", "64 bits"]),
    ] {
        let text = derived(source);
        assert_eq!(text.matches("compile_error").count(), messages.len(), "{source}: {text}");
        assert_eq!(text.matches(Rule::Data.code()).count(), messages.len(), "{source}: {text}");
        messages.iter().for_each(|message| assert!(text.contains(message), "{source}: {text}"));
        syn::parse_str::<syn::File>(&text).expect("the output should be items");
    }
}

#[test]
fn prints_items() {
    for source in [
        "pub struct A { pub(crate) x: u32, r#type: [Option<(u8, bool)>; 4] }",
        "struct A(u8, pub B);",
        "struct A<T: Copy = u8, const N: usize = 2>([T; N]) where T: Ord;",
        "enum A<T> { None, Some(T) }",
        "#[repr(u8)] #[derive(Debug)] pub(crate) enum A { X = 3, Y, Z = 1 << 7 }",
        "enum A { X, Y(u32, [B; 2]), Z { r#type: Option<u8> } }",
    ] {
        let text = derived(source);
        assert!(!text.contains("compile_error"), "{text}");
        syn::parse_str::<syn::File>(&text).expect("the output should be items");
    }
}

#[test]
fn discriminants_have_the_type_of_the_attribute() {
    for (attrs, scalar) in [
        ("", "Isize"),
        ("#[repr(u8)]", "U8"),
        ("#[repr(C, i16)]", "I16"),
        ("#[repr(align(8), usize)]", "Usize"),
        ("#[repr(C)]", "Isize"),
    ] {
        let text = derived(&format!("{attrs} enum A {{ X }}"));
        assert!(text.contains(&format!("Scalar :: {scalar}")), "{attrs}: {text}");
    }
}
