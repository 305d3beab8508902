//! Launch shapes: any number of threads and lanes, for any number of rows.

use stm_runtime::Table;

use crate::expect_eq;
use crate::failure::Verdict;
use crate::ground::Ground;
use crate::kinds::bank::transfer;

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

/// One table run twice, and a region used by one table after the other: versions of an earlier run must not disturb.
pub(super) fn runs_again(ground: &Ground) -> Verdict {
    let accounts = ground.shared(&[10_000_i64; 3])?;
    let mut table = ground.table();
    for row in 0..ground.rows(80) as u32 {
        table.push(transfer::call(&accounts, row % 3, (row + 1) % 3, 1));
    }
    for _ in 0..3 {
        ground.run_all(&table)?;
        expect_eq!(accounts.to_vec()?.iter().sum::<i64>(), 30_000, "the money");
    }
    Ok(())
}
