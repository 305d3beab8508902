use super::*;

fn expanded(source: &str) -> String {
    let block = syn::parse_str(source).expect("the test's source should be a block");
    expand(block, &CompileOptions::default(), Diagnostics::default()).to_string()
}

#[test]
fn the_output_is_items_and_self_is_written_out() {
    let source = "impl shop::Order { const FEE: i64 = 1; fn cost(&self) -> i64 { self.price + Self::FEE } fn new() -> Self { Self { price: 1 } } }";
    let text = expanded(source);
    syn::parse_str::<syn::File>(&text).expect("the output should be items");
    for name in ["stm_run_cost", "stm_find_cost", "stm_marker_cost", "stm_run_new", "stm_marker_new"] {
        assert!(text.contains(name), "{name}: {text}");
    }
    assert!(!text.contains("stm_find_new"), "{text}");
    let hidden = text.split("impl shop :: Order").nth(2).expect("the second block has the hidden functions");
    assert!(hidden.contains("shop :: Order :: FEE"), "{hidden}");
}

#[test]
fn one_bad_method_leaves_the_others() {
    let text = expanded(
        "impl Order { fn good(self) -> u32 { 1 } fn bad<T>(self) -> u32 { 2 } fn worse(self) -> u32 { vec![] } }",
    );
    syn::parse_str::<syn::File>(&text).expect("the output should be items");
    assert_eq!(text.matches("compile_error").count(), 2, "{text}");
    for name in ["stm_run_good", "stm_run_bad", "stm_run_worse"] {
        assert!(text.contains(name), "{name}: {text}");
    }
}
