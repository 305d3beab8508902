//! The messages and the output of the macro.

use super::*;

/// Compiles the body of a function with one array and two values.
fn body(text: &str) -> Result<Compiled, Diagnostics> {
    let source = format!("fn f(tx: &mut Tx, data: &Shared<u32>, a: u32, b: i64) -> TxResult {{ {text} }}");
    compile(&syn::parse_str(&source).expect("the test's source should parse"), &CompileOptions::default(), true)
}

#[test]
fn rejects_with_the_rules_code() {
    for (text, code) in [
        ("let x: &u32 = &a; Ok(())", "STM0029"),
        ("let x = a; x = y; Ok(())", "STM0026"),
        ("(tx).read(data, 0)?; 7", "STM0028"),
        ("let tx = 1; tx.read(data, 0)?; Ok(())", "STM0023"),
        ("let data = 1; tx.write(data, 0, 1)", "STM0012"),
        ("if a > 1 { 1 } else { Ok(()) }; Ok(())", "STM0028"),
        ("let x = if a > 1 { 1 } else { b }; tx.guard(x > b)?; let y = x + a; Ok(())", "STM0012"),
        ("let x = if a > 1 { 1 } else { }; Ok(())", "STM0012"),
        ("let x = while a > 1 { break 3; }; Ok(())", "STM0020"),
        ("let x = loop { if a > 1 { break 1_u8; } break b; }; Ok(())", "STM0012"),
        ("'a: { break; } Ok(())", "STM0020"),
        ("'a: { continue 'a; } Ok(())", "STM0020"),
        ("let x: u32 = 'a: { if a > 1 { break 'a 1_u8; } 2 }; Ok(())", "STM0012"),
        ("let x = match a { 0 => 1_u8, _ => b }; Ok(())", "STM0012"),
        ("let x = match a { 0 => 1, _ => {} }; Ok(())", "STM0012"),
        ("let x = match a { -1.5 => 1, _ => 2 }; Ok(())", "STM0012"),
        ("let (x, y) = a; Ok(())", "STM0012"),
        ("let x = None; Ok(())", "STM0010"),
        ("let x = (a, b); let y = x.5; Ok(())", "STM0012"),
        ("let x = [a, b]; Ok(())", "STM0012"),
        ("let x = [a; 3]; let y = x[a]; Ok(())", "STM0012"),
        ("let y = a[0]; Ok(())", "STM0012"),
        ("let Some(x) = Some(a) else { 1; }; Ok(())", "STM0012"),
        ("let x = a.wraping_add(1); Ok(())", "STM0023"),
        ("let x = (b as f64).sin(); Ok(())", "STM0023"),
        ("let x = a.pow(b); Ok(())", "STM0012"),
        ("let x = Some(a).map(a); Ok(())", "STM0023"),
        ("vec![1]; Ok(())", "STM0024"),
        ("assert!(a > 1, \"{}\"); Ok(())", "STM0024"),
        ("let x: u8 = u8::from(a); Ok(())", "STM0013"),
        ("#[cfg(test)] let x = 1; Ok(())", "STM0027"),
        ("tx.update(data, 0, 1)", "STM0023"),
        ("tx.update(data, 0, |v| v + b)", "STM0012"),
        ("for i in (0..a).filter(|k| *k > 1).enumerate().rev() { } Ok(())", "STM0021"),
        ("let s: u32 = data.len(); Ok(())", "STM0012"),
        ("let s = data.len(1); Ok(())", "STM0023"),
        ("let x = Vec::new(1); Ok(())", "STM0025"),
        ("return; ", "STM0028"),
        ("Ok(1)", "STM0028"),
        ("a?; Ok(())", "STM0020"),
        ("async { 1 }.await; Ok(())", "STM0020"),
        ("for i in data { } Ok(())", "STM0021"),
        ("std::mem::swap(a, b); Ok(())", "STM0025"),
        ("let x = 99999999999999999999; Ok(())", "STM0011"),
        ("let x = a && true; Ok(())", "STM0012"),
        ("tx.read(data, 0)? = 3; Ok(())", "STM0030"),
    ] {
        let errors = body(text).map(|c| c.to_string()).expect_err(text).to_string();
        assert!(errors.contains(code), "{text}\n{errors}");
    }
}

#[test]
fn accepts_what_leaves_early() {
    for text in [
        "return Ok(()); ",
        "loop {}",
        "let x: u32 = return Ok(());",
        "let x = if a > 1 { return Ok(()) } else { tx.reject(1)? }; Ok(())",
        "while return Ok(()) {} Ok(())",
        "tx.guard(return Ok(()))",
        "loop { break loop { break; } } Ok(())",
        "let x = loop { break; }; Ok(())",
        "if return Ok(()) { } Ok(())",
        "tx.reject({ return tx.reject(1) })",
    ] {
        // Some are errors; none is a panic, and what compiles has a result on each path.
        if let Ok(compiled) = body(text) {
            assert!(
                compiled.cuda.contains("STM_REJECT") || compiled.cuda.contains("return") || text == "loop {}",
                "{text}"
            );
        }
    }
}

#[test]
fn footprints_are_checked_whatever_the_names_mean() {
    let unbounded = "fn f(tx: &mut Tx, rooms: &Shared<Room>, n: u32) -> TxResult {
        let mut i = fee(n);
        while i < LIMIT { let room = tx.read(rooms, i)?; i = room.next; }
        Ok(())
    }";
    let bounded = "fn f(tx: &mut Tx, rooms: &Shared<Room>, n: u32) -> TxResult {
        for i in 0..LIMIT { let room = tx.read(rooms, i)?; take(tx, rooms, i)?; }
        Ok(())
    }";
    for (source, code) in [(unbounded, Some("STM0050")), (bounded, None)] {
        let text = expand(TokenStream::new(), source.parse().expect("tokens"), "x.rs").to_string();
        assert_eq!(text.contains("compile_error"), code.is_some(), "{text}");
        assert!(text.contains(code.unwrap_or_default()), "{text}");
    }
}

#[test]
fn all_errors_come_at_once_and_in_order() {
    let errors = body("let x = missing; data[0] = 1; tx.reed(data, 0)?; async {}; Ok(2)").unwrap_err();
    let codes: Vec<&str> = errors.iter().map(|d| d.rule.code()).collect();
    assert_eq!(codes, ["STM0026", "STM0030", "STM0023", "STM0020", "STM0028"]);
}

#[test]
fn shared_values_do_not_blow_up() {
    // The next statement uses each value twice: as a tree it would have 2^64 leaves.
    let steps: String = (1..64).map(|k| format!("let x{k} = x{} + x{};", k - 1, k - 1)).collect();
    let compiled = body(&format!("let x0 = a; {steps} tx.write(data, x63, 1)")).expect("it is a transaction");
    assert!(compiled.facts.orderable);
    assert!(compiled.to_string().len() < 20_000);
}

/// A kind of statement: `count` statements, each made from its number.
type Sort = (&'static str, fn(u32) -> String);

const SORTS: [Sort; 8] = [
    ("accesses", |k| format!("let x{k} = tx.read(data, a + {k})?; tx.write(data, a + {k}, x{k} + 1)?;")),
    ("branches", |k| format!("if a > {k} {{ v = v + {k}; }} else {{ v = v ^ 1; }}")),
    ("matches", |k| format!("v = match v {{ 0 => 1, {k} => a, _ => v }};")),
    ("options", |k| format!("let o{k} = if v > {k} {{ Some(v) }} else {{ None }}; v = o{k}.unwrap_or(3);")),
    ("labels", |k| format!("'l{k}: {{ if v == {k} {{ break 'l{k}; }} v ^= 1; }}")),
    ("ways out", |k| format!("if v == {k} {{ return tx.write(data, a, v); }} v = v * 3;")),
    ("loops", |k| format!("for i in 0..4_u32 {{ v = v ^ (i + {k}); }}")),
    ("guards", |k| format!("let x{k} = tx.read(data, a + {k})?; v = v ^ x{k}; tx.guard(v > 0)?;")),
];

/// The output for a transaction grows linearly with its source. The time is not measured, but four thousand statements that
/// each examine all others once took minutes.
#[test]
fn long_transactions_grow_as_their_source_does() {
    let begin = std::time::Instant::now();
    let grows = |(name, statement): Sort| {
        let length = |count: u32| {
            let text: String = (0..count).map(statement).collect();
            let compiled = body(&format!("let mut v = a; {text} tx.write(data, a, v)")).expect("it is a transaction");
            compiled.cuda.len()
        };
        let (short, long) = (length(1000), length(4000));
        assert!(long < 5 * short, "{name}: {short} bytes of CUDA C for 1000 statements, and {long} for 4000");
    };
    std::thread::scope(|scope| SORTS.into_iter().for_each(|sort| _ = scope.spawn(move || grows(sort))));
    assert!(begin.elapsed().as_secs() < 300, "{:?}", begin.elapsed());
}

/// One expression, or one `if`, in which each link leads to the next.
#[test]
fn long_chains_grow_as_their_source_does() {
    let chains: [fn(u32) -> String; 5] = [
        |count| format!("v = v{};", " ^ a".repeat(count as usize)),
        |count| format!("v = v{};", ".wrapping_add(a)".repeat(count as usize)),
        |count| (0..count).map(|k| format!("if v == {k} {{ v = a; }} else ")).collect::<String>() + "{ v = 0; }",
        |count| {
            format!("v = {} {{ 7 }};", (0..count).map(|k| format!("if v == {k} {{ {k} }} else ")).collect::<String>())
        },
        |count| {
            format!("v = match v {{ {} _ => 0 }};", (0..count).map(|k| format!("{k} => {k}, ")).collect::<String>())
        },
    ];
    let run = move || {
        for chain in chains {
            let length = |count: u32| {
                let compiled = body(&format!("let mut v = a; {} tx.write(data, a, v)", chain(count)));
                compiled.expect("it is a transaction").cuda.len()
            };
            let (short, long) = (length(250), length(1000));
            assert!(long < 5 * short, "{}: {short} and {long} bytes of CUDA C", chain(2));
        }
    };
    // The stack is as large as rustc's.
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(run).expect("a thread");
    thread.join().expect("no chain is too long for the stack");
}

/// Reading the whole pattern again for each alternative took minutes.
#[test]
fn alternatives_of_a_pattern_take_time_as_their_number() {
    let begin = std::time::Instant::now();
    let pattern: Vec<String> = (0..8000).map(|k| k.to_string()).collect();
    let text = format!("let v = match a {{ {} => 1, _ => 2 }}; tx.write(data, a, v)", pattern.join(" | "));
    assert!(body(&text).expect("it is a transaction").cuda.len() < 2_000_000);
    assert!(begin.elapsed().as_secs() < 60, "{:?}", begin.elapsed());
}

/// A cast or a sum of the value before: the expression of an index can be as long as the transaction.
#[test]
fn an_address_can_be_computed_in_as_many_steps_as_there_are_statements() {
    for step in ["u64::from(x) as u32", "x + 1", "(x as u64) as u32"] {
        let steps = format!("let x = {step};").repeat(4000);
        let compiled = body(&format!("let x = a; {steps} tx.write(data, x, 1)")).expect("it is a transaction");
        assert!(compiled.facts.orderable);
    }
    let casts = "let x = x as u64;".repeat(4000);
    body(&format!("let x = a as u64; {casts} tx.write(data, x, 1)")).expect("it is a transaction");
}

#[test]
fn loops_in_loops_are_looked_at_together() {
    let (open, close): (String, String) =
        ((0..60).map(|k| format!("for i{k} in 0..2_u32 {{ v = v + i{k};")).collect(), "}".repeat(60));
    let guarded = format!("let mut v = tx.read(data, a)?; {open} {close} tx.guard(v > 0)");
    let run = move || body(&guarded).expect("it is a transaction").facts.guards[0].reads.clone();
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(run).expect("a thread");
    assert_eq!(thread.join().expect("its blocks are not too deep"), [0]);
}

#[test]
fn what_is_too_large_is_refused_where_it_is_declared() {
    for (text, code, line) in [
        ("\nlet mut a = [0_u32; 1_000_000]; Ok(())", "STM0052", 2),
        ("\n\nlet a = [[b; 100]; 100]; Ok(())", "STM0052", 3),
        ("let a = [0_u8; 60_000];\nlet c = [0_u8; 6_000]; Ok(())", "STM0052", 1),
        ("let c = [0_u64; 1_000_000] == [1; 1_000_000]; Ok(())", "STM0052", 1),
        ("let mut a = [(1_u8, [Some(2_u64); 100]); 100]; a[1].0 = 1; Ok(())", "STM0052", 1),
    ] {
        let errors = body(text).map(|c| c.to_string()).expect_err(text);
        let found: Vec<_> = errors.iter().map(|d| (d.rule.code(), d.error.span().start().line)).collect();
        assert_eq!(found, [(code, line)], "{text}");
    }
    let doubling: String = (1..60).map(|k| format!("let t{k} = (t{}, t{});\n", k - 1, k - 1)).collect();
    let nesting: String = (1..2000).map(|k| format!("let t{k} = Some(t{});\n", k - 1)).collect();
    for text in [doubling, nesting] {
        let errors = body(&format!("let t0 = (a, b); {text} Ok(())")).map(|c| c.to_string()).expect_err("too large");
        assert!(errors.to_string().contains("STM0029: the type of this value nests more than 64 deep"), "{errors}");
    }
    let fits = "let mut a = [0_u32; 8000]; let c = [1_u8; 1000]; a[3] = 7; tx.write(data, a[3], 1)";
    assert!(body(fits).is_ok());
}

#[test]
fn what_is_wrong_with_a_parameter_is_said_at_its_type() {
    for (source, code, at) in [
        ("fn f(tx: &mut Tx, nothing: &Shared<((), ())>) -> TxResult { Ok(()) }", "STM0003", "&Shared"),
        ("fn f(tx: &mut Tx, empty: &Shared<[u32; 0]>) -> TxResult { Ok(()) }", "STM0003", "&Shared"),
        ("fn f(tx: &mut Tx, many: [u8; 5000]) -> TxResult { Ok(()) }", "STM0003", "[u8; 5000]"),
        ("fn f(tx: &mut Tx, a: u8) -> TxResult<[u8; 5000]> { Ok([a; 5000]) }", "STM0002", "[u8; 5000]"),
        ("fn f(tx: &mut Tx, large: [u64; 10_000]) -> TxResult { Ok(()) }", "STM0052", "[u64; 10_000]"),
    ] {
        let function = syn::parse_str(source).expect("the test's source should parse");
        let errors = compile(&function, &CompileOptions::default(), true).map(|c| c.to_string()).expect_err(source);
        let found: Vec<_> = errors.iter().map(|d| (d.rule.code(), d.error.span().start().column)).collect();
        let column = source.find(at).expect("the source has the type");
        assert_eq!(found, [(code, column)], "{source}\n{errors}");
    }
}

#[test]
fn what_nests_too_deep_has_an_error_and_a_signature() {
    let deep =
        format!("fn f(tx: &mut Tx, a: u32) -> TxResult {{ let b = {}a{}; Ok(()) }}", "(".repeat(400), ")".repeat(400));
    for text in [
        expand(TokenStream::new(), deep.parse().expect("tokens"), "x.rs"),
        expand_helper(TokenStream::new(), deep.parse().expect("tokens"), "x.rs"),
    ] {
        let text = text.to_string();
        assert!(text.contains("STM0054") && text.contains("struct f") && !text.contains("((((("), "{text}");
    }
    let closure = format!("|tx: &mut Tx| {}1{}", "{".repeat(400), "}".repeat(400));
    assert!(expand_closure(closure.parse().expect("tokens"), "x.rs").to_string().contains("STM0054"));
}

#[test]
fn a_type_that_nests_too_deep_is_refused_before_it_is_parsed() {
    let nested = |depth: usize| format!("{}u32{}", "Option<".repeat(depth), ">".repeat(depth));
    let said = |source: String| expand(TokenStream::new(), source.parse().expect("tokens"), "x.rs").to_string();
    let run = move || {
        for (depth, code) in [(60, None), (65, Some("STM0029")), (110, Some("STM0029")), (500, Some("STM0054"))] {
            for source in [
                format!("fn f(tx: &mut Tx, a: {}) -> TxResult {{ Ok(()) }}", nested(depth)),
                format!("fn f(tx: &mut Tx) -> TxResult {{ let a: {} = None; Ok(()) }}", nested(depth)),
            ] {
                let text = said(source);
                assert_eq!(code.is_some(), text.contains("compile_error"), "{depth}: {text}");
                assert!(text.contains(code.unwrap_or_default()), "{depth}: {text}");
            }
        }
    };
    // The stack is as large as rustc's.
    let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(run).expect("a thread");
    thread.join().expect("no type is too deep for the stack");
}

#[test]
fn the_printed_rust_is_rust() {
    let compiled = body("tx.write(data, a + 1, tx.read(data, a)? * 2)").expect("it is a transaction");
    let file: syn::File = syn::parse2(compiled.rust).expect("items");
    assert_eq!(file.items.len(), 8, "the function, the type, its methods, how it would be called (four), and the body");
}

#[test]
fn rejected_functions_are_still_there() {
    for source in [
        "fn f(tx: &mut Tx) -> TxResult { x.y() }",
        "fn f(data: Vec<u8>) { x.y() }",
        "const f: _ = |tx, x| x.y();",
        "struct S;",
    ] {
        let tokens = expand(TokenStream::new(), source.parse().expect("tokens"), "x.rs");
        let text = tokens.to_string();
        assert!(text.contains("compile_error"), "{source}");
        assert!(
            text.contains("struct S") || text.contains("x . y ()") && text.contains("cfg (rust_analyzer)"),
            "{text}"
        );
        syn::parse2::<syn::File>(tokens).expect("the output should be items");
    }
}

#[test]
fn rejected_closures_and_instances_are_still_there() {
    for source in ["|tx: &mut Tx| x.y()", "captures(a: String), |tx: &mut Tx| x.y()", "|data: Vec<u8>| x.y()"] {
        let text = expand_closure(source.parse().expect("tokens"), "x.rs").to_string();
        assert!(text.contains("compile_error") && text.contains("cfg (rust_analyzer)"), "{source}");
        assert!(text.contains("x . y ()") && text.contains("fn call"), "{source}: {text}");
    }
    let (attr, item) = ("instantiate(u32)", "fn f<T>(tx: &mut Tx, x: T) -> TxResult { x.y(|k| k) }");
    let text = expand(attr.parse().expect("tokens"), item.parse().expect("tokens"), "x.rs").to_string();
    assert!(text.contains("cfg (rust_analyzer)") && text.contains("fn f < T >"), "{text}");
}

#[test]
fn what_is_configured_out_is_out_as_a_whole() {
    let source = "#[cfg(any())] fn f(tx: &mut Tx) -> TxResult { Ok(()) }";
    let text = expand(TokenStream::new(), source.parse().expect("tokens"), "x.rs").to_string();
    let items = syn::parse_str::<syn::File>(&text).expect("items").items.len();
    assert_eq!((text.matches("cfg (any ())").count(), items), (8, 8), "{text}");
}

#[test]
fn specs_follow_the_attribute() {
    let compiled = compile_source(
        "#[gpu_transaction(overflow = \"wrap\", max_iterations = 9)] fn f(tx: &mut Tx, x: f32) -> TxResult<f32> { Ok(x) }",
        "dir/a.rs",
        true,
    )
    .expect("it is a transaction");
    let spec = compiled[0].spec;
    assert_eq!((spec.name, spec.file, spec.checked, spec.max_iterations), ("f", "dir/a.rs", false, 9));
    assert_eq!(spec.result, [crate::spec::Scalar::F32]);
}
