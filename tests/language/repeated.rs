//! Values that are repeated are evaluated once, and iterations of methods of arrays count on each device.

use stm_runtime::FaultCode;
use stm_runtime::prelude::*;
use stm_tests::expect_eq;

use crate::harness::everywhere;

#[gpu_fn]
fn mixed(sum: u32, x: u32) -> u32 {
    sum.wrapping_mul(31).wrapping_add(x)
}

#[gpu_fn]
fn of_values(list: [u32; 3], k: usize, n: usize) -> [u32; 4] {
    [
        std::iter::repeat(list[k % 4]).take(n % 3).fold(1, mixed),
        std::iter::repeat_n(100 / (list[0] % 3), n % 3).fold(2, mixed),
        std::iter::repeat(u32::from(k as u8)).take(n % 5).zip(list).fold(3, |sum, (x, y)| mixed(sum, x ^ y)),
        list.iter().zip(std::iter::repeat_n(mixed(list[1], 7), n % 4)).fold(4, |sum, (x, y)| mixed(sum, x ^ y)),
    ]
}

/// What is repeated changes in the chain.
#[gpu_fn]
fn of_changes(x: u32, n: usize) -> (u32, u32, u32) {
    let mut x = x % 100;
    let sum = std::iter::repeat(x + 1).take(n % 4).fold(1, |sum, one| {
        x += one;
        mixed(sum, x)
    });
    let more = std::iter::repeat_n(x, n % 3).fold(1, |sum, one| {
        x += one;
        mixed(sum, one)
    });
    (x, sum, more)
}

same_as_plain! { what_is_repeated_is_evaluated_once:
    of_values(list: [u32; 3], k: usize, n: usize) -> [u32; 4];
    of_changes(x: u32, n: usize) -> (u32, u32, u32);
}

const TABLE: [u32; 4] = [3, 5, 7, 9];

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Row {
    marks: [u32; 6],
}

#[gpu_transaction(max_iterations = 9)]
fn repeated(tx: &mut Tx, rows: &Shared<Row>, how: u32, more: u32) -> TxResult<u32> {
    let mut row = tx.read(rows, 0)?;
    match how {
        0 => assert!(!TABLE.contains(&6)),
        1 => assert!(TABLE.contains(&5)),
        2 => row.marks.fill(4),
        3 => row.marks.reverse(),
        4 => row.marks.rotate_left(1),
        _ => row.marks.rotate_right(2),
    }
    let mut count = 0;
    while count < more {
        count += 1;
    }
    Ok(count)
}

/// The iterations of the methods by `how`.
const COUNTS: [u32; 6] = [4, 2, 6, 3, 5, 6];

#[test]
fn iterations_of_methods_count() {
    everywhere("iterations of methods", |environment| {
        for (how, count) in (0..).zip(COUNTS) {
            let rows = environment.shared(&[Row { marks: [1; 6] }])?;
            let mut batch = environment.batch();
            let [all, more] = [9 - count, 10 - count].map(|more| (more, batch.push(repeated::call(&rows, how, more))));
            let report = environment.run(&batch)?;
            expect_eq!(report.outcome(all.1), Outcome::Committed(all.0), "as many as are allowed of {how}");
            let outcome = report.outcome(more.1);
            let faulted = matches!(&outcome, Outcome::Faulted(fault) if fault.code == FaultCode::TooManyIterations);
            expect_eq!(faulted, true, "one more of {how}: {outcome:?}");
        }
        Ok(())
    });
}
