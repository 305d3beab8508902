//! Arrays of several element types in one transaction.

use stm_runtime::Outcome;

use crate::environment::Environment;
use crate::expect_eq;
use crate::failure::TestResult;
use crate::procedures::types::{convert, mixed};

pub(super) fn several_types(environment: &Environment) -> TestResult {
    let wide = environment.shared(&[i64::MIN + 3, 0])?;
    let narrow = environment.shared(&[u32::MAX, 0])?;
    let short = environment.shared(&[i16::MIN + 1, 0])?;
    // Neighbours under one lock word, in one word of memory.
    let byte = environment.device.shared_with(&[255_u8, 0], 2)?;
    let single = environment.shared(&[0.5_f32, -1.0])?;
    let double = environment.device.shared_with(&[0.25_f64, -1.0], 4)?;
    let switch = environment.shared(&[true, false])?;
    let mut batch = environment.batch();
    let transactions = environment.transactions(64);
    for transaction in 0..transactions as u32 {
        batch.push(mixed::call(&wide, &narrow, &short, &byte, &single, &double, &switch, transaction % 2));
    }
    environment.run_all(&batch)?;
    let each = transactions / 2;
    let n = each as i64;
    expect_eq!(wide.to_vec()?, [(i64::MIN + 3).wrapping_sub(n), -n], "i64");
    expect_eq!(narrow.to_vec()?, [u32::MAX.wrapping_add(each as u32), each as u32], "u32");
    expect_eq!(short.to_vec()?, [(i16::MIN + 1).wrapping_sub(n as i16), 0_i16.wrapping_sub(n as i16)], "i16");
    expect_eq!(byte.to_vec()?, [255_u8.wrapping_add(each as u8), each as u8], "u8");
    expect_eq!(single.to_vec()?, [0.5 + 0.5 * each as f32, -1.0 + 0.5 * each as f32], "f32");
    expect_eq!(double.to_vec()?, [0.25 - 0.25 * each as f64, -1.0 - 0.25 * each as f64], "f64");
    expect_eq!(switch.to_vec()?, [each.is_multiple_of(2), !each.is_multiple_of(2)], "bool");
    Ok(())
}

pub(super) fn conversions(environment: &Environment) -> TestResult {
    let values = [0_i64, 255, 256, -1, i64::MAX, i64::MIN, 16_777_217, -300];
    let from = environment.shared(&values)?;
    let to = environment.shared(&[0_u8; 8])?;
    let back = environment.shared(&[0_f32; 8])?;
    let mut batch = environment.batch();
    let tickets: Vec<_> = (0..environment.transactions(64) as u32)
        .map(|transaction| batch.push(convert::call(&from, &to, &back, transaction % 8)))
        .collect();
    let report = environment.run_all(&batch)?;
    for ticket in tickets {
        expect_eq!(report.outcome(ticket), Outcome::Committed(values[ticket.transaction() % 8] as u8), "a byte");
    }
    expect_eq!(to.to_vec()?, values.map(|value| value as u8), "bytes");
    expect_eq!(back.to_vec()?, values.map(|value| value as f32), "floats");
    Ok(())
}
