use super::*;

fn text(source: &str) -> Option<String> {
    let assign: ExprAssign = syn::parse_str(source).expect("it is an assignment");
    written_out(&assign).map(|expr| expr.to_token_stream().to_string())
}

#[test]
fn each_place_gets_its_part_from_left_to_right() {
    let written = text("(a.x, (_, b[i + 1]), ..) = f(b, a)").expect("it has several places");
    let want =
        "{ let (stm_part_0 , (_ , stm_part_1 ,) , .. ,) = f (b , a) ; a . x = stm_part_0 ; b [i + 1] = stm_part_1 ; }";
    assert_eq!(written, want);
    let written = text("Room { free, price: *p, .. } = room").expect("it has several places");
    assert!(written.contains("Room { free : stm_part_0 , price : stm_part_1 , .. }"), "{written}");
    assert!(text("Pair(a, b) = pair").is_some());
}

#[test]
fn what_has_one_place_or_none_is_left_alone() {
    for source in ["a = (b, c)", "[a, b] = c", "(a, [b, c]) = d", "(a, 1) = b", "a[0] = 1", "Room { a, ..b } = c"] {
        assert_eq!(text(source), None, "{source}");
    }
}
