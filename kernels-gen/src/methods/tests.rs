use super::*;

#[test]
fn a_name_means_one_method_for_each_type() {
    for scalar in Scalar::ALL {
        let of_type = METHODS.iter().chain(ASSOCIATED).filter(|m| m.on.has(scalar));
        let names: Vec<&str> = of_type.map(|m| m.name).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{}", scalar.rust());
    }
    assert!(INEXACT.iter().all(|name| METHODS.iter().all(|m| m.name != *name)));
}

#[test]
fn the_functions_of_a_method_lead_back_to_it() {
    for method in METHODS.iter().chain(ASSOCIATED) {
        let (fault, overflow) = method.fault_parts();
        let parts = method.parts(Scalar::U8).into_iter().map(|(name, _)| name);
        for function in parts.chain(fault).chain(overflow) {
            assert_eq!(method_of(&function), Some(method.name));
        }
    }
}

#[test]
fn a_text_calls_the_methods_that_it_names() {
    let words = ["rs_checked_add_some", "rs_add", "rs_pow_fault", "rs_wrapping_add", "rs_min", "min", "rs_pow"];
    assert_eq!(called(words).into_iter().collect::<Vec<_>>(), ["checked_add", "min", "pow"]);
    assert_eq!(guard("pow"), "RS_CALLS_POW");
}
