//! The guide's text and promises about kernels.

use kernels_gen::pipeline::compile_source;
use stm_runtime::__private::HostFunctions;
use stm_runtime::prelude::*;
use stm_runtime::{Kernel, Procedure, assert_kernel_snapshot};

use crate::markdown::{document, hold};

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Room {
    free: u32,
    price: i64,
}

#[gpu_fn]
fn discount(price: i64, percent: i64) -> i64 {
    price - price * percent / 100
}

/// Has a record, a helper, a guard and a result.
#[gpu_transaction]
fn book(tx: &mut Tx, rooms: &Shared<Room>, at: u32, percent: i64) -> TxResult<i64> {
    let room = tx.read(rooms, at)?;
    tx.guard(room.free > 0)?;
    tx.write(&rooms.free, at, room.free - 1)?;
    Ok(discount(room.price, percent))
}

#[gpu_transaction]
fn deposit(tx: &mut Tx, accounts: &Shared<i64>, to: u32, amount: i64) -> TxResult {
    tx.update(accounts, to, |balance| balance + amount)
}

/// `deposit` in another place of the file.
mod moved {
    use super::*;

    #[gpu_transaction]
    pub(super) fn deposit(tx: &mut Tx, accounts: &Shared<i64>, to: u32, amount: i64) -> TxResult {
        tx.update(accounts, to, |balance| balance + amount)
    }

    #[gpu_transaction(instantiate(u32, i64))]
    pub(super) fn add<T>(tx: &mut Tx, cells: &Shared<T>, at: u32, by: T) -> TxResult {
        tx.update(cells, at, |old| old + by)
    }
}

#[test]
fn a_kernel_is_held_against_its_snapshot() {
    assert_kernel_snapshot!(book);
    assert_kernel_snapshot!(moved::add::<u32>);
}

#[test]
fn a_snapshot_does_not_depend_on_the_place() -> Result<(), Error> {
    let snapshot = deposit::kernel().snapshot()?;
    assert_eq!(snapshot, moved::deposit::kernel().snapshot()?);
    assert!(!snapshot.contains(".rs"), "{snapshot}");
    Ok(())
}

/// Returns the kernel of the first program of a page.
fn shown_kernel(page: &str) -> Kernel {
    let blocks = document(page).blocks();
    let program = &blocks.iter().find(|block| block.language == "rust").expect("a program").text;
    let compiled = compile_source(program, "src/main.rs", true).unwrap_or_else(|errors| panic!("{page}\n{errors}"));
    let procedure = Procedure::ready(compiled[0].spec, HostFunctions::IDLE);
    Kernel::of(Box::leak(Box::new(procedure)))
}

#[test]
fn the_guide_shows_what_the_compiler_makes() -> Result<(), Error> {
    let page = "docs/guide/footprints.md";
    hold(page, "```text\n", "```\n", &shown_kernel(page).facts()?.to_string());
    let page = "docs/guide/reading-the-kernel.md";
    hold(page, "```text\n", "```\n", shown_kernel(page).cuda_body()?);
    let page = "docs/guide/testing.md";
    hold(page, "```text\n", "```\n", &shown_kernel(page).snapshot()?);
    Ok(())
}
