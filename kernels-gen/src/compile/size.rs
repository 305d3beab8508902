//! The size of a program, computed before it is compiled. Every call is replaced by the body of its function, so functions that
//! each call the next one twice double the size with each level.

use std::collections::HashMap;
use std::sync::Arc;

use super::error::ProcedureError;
use super::program::Program;
use crate::Trouble;
use crate::ir::open::{Block, StmtKind};

/// The greatest depth of nested calls.
pub(super) const DEEPEST_CALLS: usize = 64;

/// The greatest depth of nested blocks; those of called functions count from the block of the call.
const DEEPEST_BLOCKS: u64 = 128;

/// The largest number of statements of the intermediate form in a transaction, including those of every call.
pub(super) const MOST_STATEMENTS: u64 = 262_144;

/// The size of one function of a program.
#[derive(Clone, Copy, Default)]
struct Size {
    /// Its own statements.
    own: u64,
    /// Its statements, including those of its calls.
    all: u64,
    /// The depth of its blocks, including those of its calls.
    nested: u64,
    /// The number of places of the transaction where it is compiled.
    places: u64,
}

type Sizes = HashMap<*const Program, Size>;

/// Rejects a program that is too large before anything is made of it.
pub(super) fn check(program: &Program) -> Result<(), ProcedureError> {
    let functions = program.all();
    let mut sizes = Sizes::new();
    for function in &functions {
        let mut size = Size::default();
        measure(function, &function.tx.body, 1, &sizes, &mut size);
        let calls = function.functions.iter().map(|called| sizes[&Arc::as_ptr(called)].all);
        size.all = calls.fold(size.own, u64::saturating_add);
        sizes.insert(std::ptr::from_ref(*function), size);
    }
    let Size { all, nested, .. } = sizes[&std::ptr::from_ref(program)];
    let message = if all > MOST_STATEMENTS {
        too_long(program, &functions, sizes)
    } else if nested > DEEPEST_BLOCKS {
        format!(
            "blocks nest {nested} deep, those of called functions included, and at most {DEEPEST_BLOCKS} do; leave early with \
             `return`, or join conditions with `&&`"
        )
    } else {
        return Ok(());
    };
    Err(ProcedureError::rule(&program.tx, Trouble::Expansion, message))
}

/// Adds the statements of a block at this depth.
fn measure(function: &Program, block: &Block, depth: u64, sizes: &Sizes, size: &mut Size) {
    size.own += block.len() as u64;
    size.nested = size.nested.max(depth);
    for stmt in block {
        if let StmtKind::Call { call, .. } = &stmt.what {
            let called = Arc::as_ptr(&function.functions[call.0 as usize]);
            size.nested = size.nested.max(depth.saturating_add(sizes[&called].nested));
        }
        stmt.blocks().into_iter().for_each(|inner| measure(function, inner, depth + 1, sizes, size));
    }
}

/// Returns the message for a program with too many statements. It names the function that most of them come from.
fn too_long(program: &Program, functions: &[&Program], mut sizes: Sizes) -> String {
    count_places(program, functions, &mut sizes);
    let size = |function: &Program| sizes[&std::ptr::from_ref(function)];
    let whole = size(program).all;
    let largest = functions.iter().max_by_key(|function| {
        let Size { own, places, .. } = size(function);
        own.saturating_mul(places)
    });
    match largest {
        Some(largest) if !std::ptr::eq(*largest, program) => {
            let Size { own, places, .. } = size(largest);
            format!(
                "with all that it calls, the transaction is {whole} statements, and at most {MOST_STATEMENTS} fit: each call \
                 is compiled into its place, `{}` ({own} statements) into {places} places; call it in a loop, or keep its result",
                largest.tx.name
            )
        }
        _ => format!(
            "the transaction is {whole} statements, and at most {MOST_STATEMENTS} fit; split it, or write a loop"
        ),
    }
}

/// Counts the places where each function is compiled: one for each call in each place of its callers.
fn count_places(program: &Program, functions: &[&Program], sizes: &mut Sizes) {
    sizes.entry(std::ptr::from_ref(program)).or_default().places = 1;
    for function in functions.iter().rev() {
        let places = sizes[&std::ptr::from_ref(*function)].places;
        for called in &function.functions {
            let size = sizes.entry(Arc::as_ptr(called)).or_default();
            size.places = size.places.saturating_add(places);
        }
    }
}
