//! Launch shapes: any number of threads and lanes, for any number of rows.

use stm_runtime::{Engine, Table};

use crate::expect_eq;
use crate::failure::Verdict;
use crate::ground::Ground;
use crate::kinds::bank::{transfer, transfer_narrow};

/// Transfers among few accounts, with options of its own.
fn transfers(ground: &Ground, rows: usize, options: impl Fn(&mut Table)) -> Verdict {
    let accounts = ground.shared(&[10_000_i64; 5])?;
    let mut table = ground.table();
    for row in 0..rows as u32 {
        table.push(transfer::call(&accounts, row % 5, (row * 3 + 1) % 5, i64::from(row % 4)));
    }
    options(&mut table);
    ground.run_all(&table)?;
    expect_eq!(accounts.to_vec()?.iter().sum::<i64>(), 50_000, "the money of {rows} rows");
    Ok(())
}

pub(super) fn odd_thread_counts(ground: &Ground) -> Verdict {
    for threads in [1, 3, 7, 33, 95] {
        transfers(ground, ground.rows(100), |table| {
            table.threads(ground.bearable(threads));
        })?;
    }
    Ok(())
}

pub(super) fn lanes(ground: &Ground) -> Verdict {
    for lanes in [1, 8, 32] {
        transfers(ground, ground.rows(100), |table| {
            table.lanes(lanes);
            // Idle lanes are threads of the emulator too.
            if ground.is_emulated() {
                table.threads(ground.bearable(8 * lanes as usize));
            }
        })?;
    }
    Ok(())
}

/// Fewer rows than threads, as many, one more, many more; and pieces of every such size.
pub(super) fn rows_and_threads(ground: &Ground) -> Verdict {
    for rows in [1, 2, 63, 64, 65, 1000] {
        transfers(ground, rows, |_| {})?;
    }
    for piece in [1, 7, 64] {
        transfers(ground, 130, |table| {
            table.piece_rows(piece);
        })?;
    }
    Ok(())
}

/// One table run twice, and a region used by one table after the other: versions of an earlier run must not disturb. Wide
/// and narrow elements, and several under a lock word.
pub(super) fn runs_again(ground: &Ground) -> Verdict {
    let accounts = ground.shared(&[10_000_i64; 3])?;
    let narrow = ground.device.shared_with(&[10_000_i32; 4], 2)?;
    let (mut table, mut other) = (ground.table(), ground.table());
    for row in 0..ground.rows(80) as u32 {
        table.push(transfer::call(&accounts, row % 3, (row + 1) % 3, 1));
        other.push(transfer_narrow::call(&narrow, row % 4, (row + 1) % 4, 1));
    }
    for _ in 0..3 {
        ground.run_all(&table)?;
        ground.run_all(&other)?;
        expect_eq!(accounts.to_vec()?.iter().sum::<i64>(), 30_000, "the money");
        expect_eq!(narrow.to_vec()?.iter().sum::<i32>(), 40_000, "the narrow money");
    }
    Ok(())
}

/// Engines leave their lock words behind, each in its own form: whoever comes next begins with its own.
pub(super) fn engines_take_turns(ground: &Ground) -> Verdict {
    let accounts = ground.shared(&[10_000_i64; 3])?;
    let narrow = ground.shared(&[10_000_i32; 3])?;
    let usual = ground.under(Engine::default());
    for (turn, ground) in [&usual, ground, &usual, ground].into_iter().enumerate() {
        let mut table = ground.table();
        for row in 0..ground.rows(20) as u32 {
            table.push(transfer::call(&accounts, row % 3, (row + 1) % 3, 1));
            table.push(transfer_narrow::call(&narrow, row % 3, (row + 1) % 3, 1));
        }
        // What a recorded run begins with is of no help to others.
        table.check(turn == 0);
        let report = table.run()?;
        expect_eq!(report.committed, table.len() as u64, "turn {turn}: not all committed\n{report}\ncommitted");
        expect_eq!(accounts.to_vec()?.iter().sum::<i64>(), 30_000, "the money");
        expect_eq!(narrow.to_vec()?.iter().sum::<i32>(), 30_000, "the narrow money");
    }
    Ok(())
}
