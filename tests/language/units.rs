//! Structs without fields: policies, which are used by their types, and values that take no place.

use stm_runtime::prelude::*;

use crate::harness::everywhere;

#[gpu_fn]
trait Policy {
    const MOST: u32;
    fn fee(amount: u32) -> u32;

    fn charged(&self, amount: u32) -> u32 {
        amount % Self::MOST + Self::fee(amount)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, GpuData)]
struct Free;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Strict {}

#[gpu_fn]
impl Policy for Free {
    const MOST: u32 = 1000;

    fn fee(_: u32) -> u32 {
        0
    }
}

#[gpu_fn]
impl Policy for Strict {
    const MOST: u32 = 100;

    fn fee(amount: u32) -> u32 {
        amount % 7
    }

    fn charged(&self, amount: u32) -> u32 {
        1 + Self::fee(amount)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Account<P> {
    policy: P,
    balance: u32,
}

#[gpu_fn]
impl<P: Policy + Copy> Account<P> {
    fn new(policy: P, balance: u32) -> Self {
        Account { policy, balance }
    }

    fn pay(&mut self, amount: u32) -> u32 {
        let charged = self.policy.charged(amount) + P::fee(amount);
        self.balance = self.balance.wrapping_sub(charged);
        charged
    }
}

#[gpu_fn]
fn fee_of<P: Policy>(amount: u32) -> u32 {
    P::fee(amount) + P::MOST
}

#[gpu_fn]
fn policies(a: u32, b: u32) -> ([u32; 4], Account<Free>, Account<Strict>) {
    let mut free = Account::new(Free, a);
    let mut strict: Account<Strict> = Account { policy: Strict {}, balance: b };
    ([fee_of::<Free>(a), fee_of::<Strict>(b), free.pay(b % 500), strict.pay(a % 500)], free, strict)
}

#[gpu_fn]
fn chosen(a: u32, yes: bool) -> (Option<Free>, Free, [Strict; 2], bool, Result<Free, u32>) {
    let free = Free;
    let perhaps = if yes { Some(free) } else { None };
    let other = match perhaps {
        Some(Free) => Free::default(),
        None => Default::default(),
    };
    let Strict {} = Strict {};
    let result = if a % 2 == 0 { Ok(Free) } else { Err(a) };
    (perhaps, other, [Strict {}; 2], free == other && perhaps == Some(Free), result)
}

same_as_plain! { a_struct_without_fields_is_a_policy:
    policies(a: u32, b: u32) -> ([u32; 4], Account<Free>, Account<Strict>);
    chosen(a: u32, yes: bool) -> (Option<Free>, Free, [Strict; 2], bool, Result<Free, u32>);
}

#[gpu_transaction]
fn pay(tx: &mut Tx, accounts: &Shared<Account<Strict>>, policy: Free, at: u32, amount: u32) -> TxResult<Free> {
    let mut account = tx.read(accounts, at)?;
    account.pay(amount);
    tx.guard(policy.charged(amount) > 0)?;
    tx.write(accounts, at, account)?;
    Ok(policy)
}

#[gpu_transaction]
fn touch(tx: &mut Tx, marks: &Shared<Free>, at: u32) -> TxResult {
    tx.write(marks, at, Free)
}

#[test]
fn they_lie_in_records_and_in_calls() {
    everywhere("structs without fields", |environment| {
        let accounts = environment.shared(&[Account { policy: Strict {}, balance: 50 }; 4])?;
        let mut batch = environment.batch();
        let paid = batch.push(pay::call(&accounts, Free, 2, 10));
        let report = batch.run()?;
        assert_eq!(report.outcome(paid), Outcome::Committed(Free));
        assert_eq!(accounts.to_vec()?[2].balance, 50 - 4 - 3);
        let marks = environment.shared(&[Free; 3])?;
        let mut batch = environment.batch();
        batch.push(touch::call(&marks, 2));
        let error = batch.run().err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("`marks` is an array of `Free`, which has no data to store"), "{error}");
        Ok(())
    });
}
