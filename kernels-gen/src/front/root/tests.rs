use super::*;

fn tokens(text: &str) -> TokenStream {
    text.parse().expect("tokens")
}

#[test]
fn only_paths_from_the_root_move() {
    for (printed, expect) in [
        ("<u32 as ::stm_runtime::GpuData>::TYPE", "<u32 as a::b::GpuData>::TYPE"),
        ("fn f(tx: &mut ::stm_runtime::Tx) -> ::stm_runtime::TxResult", "fn f(tx: &mut a::b::Tx) -> a::b::TxResult"),
        ("if x > ::stm_runtime::ops(y) { [::stm_runtime::Z] }", "if x > a::b::ops(y) { [a::b::Z] }"),
        ("&'static ::stm_runtime::Kernel", "&'static a::b::Kernel"),
        ("struct Words(pub ::stm_runtime::Word);", "struct Words(pub a::b::Word);"),
        ("crate::stm_runtime::Tx", "crate::stm_runtime::Tx"),
        ("bank::stm_runtime(stm_runtime, x.stm_runtime)", "bank::stm_runtime(stm_runtime, x.stm_runtime)"),
    ] {
        assert_eq!(move_to(&tokens("a::b"), tokens(printed)).to_string(), tokens(expect).to_string());
    }
}

#[test]
fn a_path_before_the_rest_is_split_off() {
    let (path, rest) = split(tokens("crate = ::a::b, captures(x: u32), |tx| {}"));
    assert_eq!(path.expect("a path").to_string(), tokens("::a::b").to_string());
    assert_eq!(rest.to_string(), tokens("captures(x: u32), |tx| {}").to_string());
    let (path, rest) = split(tokens("captures(crate: u32), |tx| {}"));
    assert!(path.is_none() && rest.to_string() == tokens("captures(crate: u32), |tx| {}").to_string());
}
