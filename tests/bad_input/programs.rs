//! Programs that become too large only when they are combined: an error of the compiler, early, and the same on every device.

use stm_runtime::prelude::*;
use stm_runtime::{Error, Kernel, ProcedureError};

/// Declares a chain of functions, each of which calls the previous one.
macro_rules! chain {
    ($first:ident $($rest:ident)*; $($calls:tt)*) => {
        #[gpu_fn]
        fn $first(x: u32) -> u32 {
            x ^ 1
        }
        chain!(@ $first, [$($rest)*]; $($calls)*);
    };
    (@ $before:ident, [$this:ident $($rest:ident)*]; once) => {
        #[gpu_fn]
        fn $this(x: u32) -> u32 {
            $before(x)
        }
        chain!(@ $this, [$($rest)*]; once);
    };
    (@ $before:ident, [$this:ident $($rest:ident)*]; twice) => {
        #[gpu_fn]
        fn $this(x: u32) -> u32 {
            $before(x) ^ $before(x / 2)
        }
        chain!(@ $this, [$($rest)*]; twice);
    };
    (@ $before:ident, []; $calls:ident) => {
        #[gpu_fn]
        pub(super) fn last(x: u32) -> u32 {
            $before(x)
        }
    };
}

mod deep {
    use stm_runtime::prelude::*;

    chain! {
        h0 h1 h2 h3 h4 h5 h6 h7 h8 h9 h10 h11 h12 h13 h14 h15 h16 h17 h18 h19 h20 h21 h22 h23 h24 h25 h26 h27 h28 h29 h30 h31 h32 h33 h34 h35 h36 h37 h38 h39 h40 h41 h42 h43 h44 h45 h46 h47 h48 h49 h50 h51 h52 h53 h54 h55 h56 h57 h58 h59 h60 h61 h62 h63 h64 h65 h66 h67 h68 h69 h70; once
    }
}

mod doubling {
    use stm_runtime::prelude::*;

    chain! {
        h0 h1 h2 h3 h4 h5 h6 h7 h8 h9 h10 h11 h12 h13 h14 h15 h16 h17 h18 h19 h20 h21 h22 h23 h24 h25 h26 h27 h28 h29 h30 h31 h32 h33 h34 h35 h36 h37 h38 h39 h40; twice
    }
}

mod fitting {
    use stm_runtime::prelude::*;

    chain! {
        h0 h1 h2 h3 h4 h5 h6 h7 h8 h9 h10; twice
    }
}

#[gpu_transaction]
fn too_deep(tx: &mut Tx, cells: &Shared<u32>, x: u32) -> TxResult {
    tx.write(cells, 0, deep::last(x))
}

#[gpu_transaction]
fn too_long(tx: &mut Tx, cells: &Shared<u32>, x: u32) -> TxResult {
    tx.write(cells, 0, doubling::last(x))
}

#[gpu_transaction]
fn fits(tx: &mut Tx, cells: &Shared<u32>, x: u32) -> TxResult {
    tx.write(cells, 0, fitting::last(x))
}

const LENGTH: usize = 20_000;

#[gpu_fn]
fn filled(x: u32) -> [u32; LENGTH] {
    let mut words = [x; LENGTH];
    words[0] = 1;
    words
}

#[gpu_transaction]
fn too_large(tx: &mut Tx, cells: &Shared<u32>, x: u32) -> TxResult {
    tx.write(cells, 0, filled(x)[x as usize])
}

/// Returns the error of a run, which all functions that show the generated code must return as well.
fn error(kernel: Kernel, run: impl Fn(&Device, &Shared<u32>) -> Error) -> ProcedureError {
    let Err(Error::Procedure(error)) = kernel.facts() else { panic!("`{}` should not compile", kernel.name()) };
    for device in super::devices() {
        let cells = device.shared(&[0_u32]).unwrap();
        assert_eq!(run(&device, &cells), Error::Procedure(error.clone()));
    }
    assert_eq!(kernel.cuda_source().unwrap_err(), Error::Procedure(error.clone()));
    assert!(error.file.ends_with("programs.rs"), "{error}");
    error
}

macro_rules! error {
    ($name:ident) => {
        error($name::kernel(), |device, cells| {
            let mut batch = device.batch();
            batch.push($name::call(cells, 3));
            batch.run().unwrap_err()
        })
    };
}

#[test]
fn calls_that_nest_too_deep_are_an_error() {
    let error = error!(too_deep);
    assert_eq!(error.code(), Some("STM0053"));
    assert!(error.to_string().contains("STM0053: calls nest 72 deep, and at most 64 do"), "{error}");
}

#[test]
fn functions_that_double_are_an_error_that_names_the_one_to_blame() {
    let error = error!(too_long);
    assert_eq!(error.code(), Some("STM0053"));
    assert!(error.message.contains("`h1` (5 statements) into 549755813888 places"), "{error}");
}

#[test]
fn functions_that_double_a_few_times_run() {
    for device in super::devices() {
        let cells = device.shared(&[0_u32]).unwrap();
        let mut batch = device.batch();
        batch.push(fits::call(&cells, 77));
        assert_eq!(batch.run().unwrap().committed, 1);
        assert_eq!(cells.to_vec().unwrap(), [fitting::last(77)]);
    }
}

#[test]
fn variables_that_a_constant_makes_too_large_are_an_error() {
    let error = error!(too_large);
    assert_eq!(error.code(), Some("STM0052"));
    assert!(error.message.contains("`words` takes 80000"), "{error}");
    let source = include_str!("programs.rs").lines().nth(error.line as usize - 1).unwrap_or_default();
    assert!(source.contains("let mut words"), "line {}: {source}", error.line);
}
