//! Names that are keywords of C++ or Rust, names of the generated CUDA C, and names in other scripts.

use super::{everywhere, value};
use stm_runtime::prelude::*;

/// A record whose fields and type are keywords of C++.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Namespace {
    int: i64,
    class: u32,
    r#type: bool,
    größe: u8,
}

/// An enum whose variants are keywords of C++.
#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
#[allow(non_camel_case_types)]
enum typename {
    template,
    r#Self_,
    operator = 7,
}

#[gpu_fn]
fn r#match(r#fn: i64, r#mut: &mut i64) -> i64 {
    *r#mut += r#fn;
    r#fn + 1
}

#[gpu_fn]
fn rs_add(rs_mul: i64, template: i64) -> i64 {
    rs_mul + template
}

#[gpu_fn]
fn größer(öl: i64, 数: i64) -> bool {
    öl > 数
}

#[gpu_fn]
fn delete(new: &mut Tx, auto: &Shared<Namespace>, this: u32) -> TxResult<Namespace> {
    new.read(auto, this)
}

/// Has a keyword as its name, and keywords as all names in it.
#[gpu_transaction]
#[allow(clippy::too_many_arguments)]
fn r#type(
    volatile: &mut Tx,
    register: &Shared<Namespace>,
    r#loop: u32,
    int: i64,
    rs_add: i64,
    announce: Option<typename>,
    u32_t: (u32, bool),
    params: [u8; 2],
) -> TxResult<(i64, typename)> {
    let template = delete(volatile, register, r#loop)?;
    let mut goto = int;
    let extern_ = r#match(template.int, &mut goto);
    let new = self::rs_add(extern_, goto);
    let Namespace { int: long, class, r#type, größe } = template;
    let (signed, unsigned) = (u32_t.0, u32_t.1);
    let mut const_ = params;
    for asm in 0..const_.len() {
        const_[asm] += größe;
    }
    let result = if größer(new, rs_add) && (r#type || unsigned) { new } else { long };
    let stm = i64::from(const_[0]) + i64::from(const_[1]);
    volatile.update(&register.class, r#loop, |old| old + class + signed)?;
    let Some(bool_) = announce else { return Ok((result + stm, typename::template)) };
    if bool_ == typename::operator {
        volatile.write(&register.r#type, r#loop, !r#type)?;
    }
    Ok((result, bool_))
}

/// Uses names of types and functions of Rust's prelude as variables.
#[gpu_transaction]
fn einzahlen(tx: &mut Tx, konten: &Shared<i64>, ok_: i64, größe: u32) -> TxResult<i64> {
    let (mut u32, some_) = (größe, ok_);
    let i64 = some_ * 2;
    u32 += 1;
    let usize = u32 as usize;
    tx.write(konten, usize, i64)?;
    let bool = i64 > 3;
    let core = if bool { 1 } else { 2_i64 };
    let std = core + some_;
    Ok(std)
}

#[test]
fn names_never_meet() {
    everywhere(|device| {
        let first = Namespace { int: 5, class: 2, r#type: true, größe: 3 };
        let data = device.shared(&[first, first])?;
        let accounts = device.shared(&[0_i64; 4])?;
        let mut batch = device.batch();
        let one = batch.push(r#type::call(&data, 0, 10, 1, None, (4, false), [1, 2]));
        let two = batch.push(r#type::call(&data, 1, 10, 99, Some(typename::operator), (1, true), [0, 0]));
        let three = batch.push(einzahlen::call(&accounts, 4, 2));
        let report = batch.run_with(&RunOptions::new().check(true))?;
        // 5 + 1, and 10 + 5.
        assert_eq!(value(report.outcome(one)), (21 + 4 + 5, typename::template));
        assert_eq!(value(report.outcome(two)), (5, typename::operator));
        assert_eq!(value(report.outcome(three)), 5);
        assert_eq!(data.r#type.to_vec()?, [true, false]);
        assert_eq!(data.class.to_vec()?, [2 + 2 + 4, 2 + 2 + 1]);
        assert_eq!(accounts.to_vec()?, [0, 0, 0, 8]);
        let _ = typename::r#Self_;
        Ok(())
    });
}
