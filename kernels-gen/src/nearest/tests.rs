use super::*;

#[test]
fn suggests_what_is_near() {
    let verbs = ["read", "write", "guard", "reject"];
    for (word, expect) in
        [("reed", Some("read")), ("wirte", Some("write")), ("assert", None), ("gaurd", Some("guard")), ("x", None)]
    {
        assert_eq!(nearest(word, &verbs), expect, "{word}");
    }
    assert_eq!((&*meant("reed", &verbs), &*meant("x", &verbs)), (" (did you mean `read`?)", ""));
}
