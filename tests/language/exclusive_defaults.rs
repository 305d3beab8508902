//! Default methods of traits that take `&mut self`, and `self` by value.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Wallet {
    balance: i32,
    moves: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Purse(i32);

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Shelf {
    wallets: [Wallet; 2],
    purse: Purse,
}

/// What holds money; an `impl` can have its own methods.
#[gpu_fn]
trait Account {
    const FEE: i32;

    fn balance(&self) -> i32;

    fn set_balance(&mut self, to: i32);

    fn moved(&mut self, by: &mut u32, least: &i32) -> u32 {
        *by = by.wrapping_add(*least as u32);
        *by
    }

    fn deposit(&mut self, amount: i32) -> i32 {
        let before = self.balance();
        self.set_balance(before.wrapping_add(amount));
        before
    }

    fn withdraw(&mut self, amount: i32) -> Option<i32> {
        if self.balance() < amount {
            return None;
        }
        let before = self.deposit(amount.wrapping_neg());
        self.pay_fee();
        Some(before)
    }

    fn pay_fee(&mut self) {
        let fee = Self::FEE;
        self.set_balance(self.balance() ^ fee);
    }

    fn exchange(&mut self, other: &mut Self) {
        let mine = self.balance();
        self.set_balance(other.balance());
        other.set_balance(mine);
    }

    fn into_total(mut self, more: i32) -> (Self, i32) {
        self.deposit(more);
        (self, self.balance())
    }
}

#[gpu_fn]
impl Account for Wallet {
    const FEE: i32 = 3;

    fn balance(&self) -> i32 {
        self.balance
    }

    fn set_balance(&mut self, to: i32) {
        self.balance = to;
        self.moves += 1;
    }
}

#[gpu_fn]
impl Account for Purse {
    const FEE: i32 = 5;

    fn balance(&self) -> i32 {
        self.0
    }

    fn set_balance(&mut self, to: i32) {
        self.0 = to;
    }

    fn deposit(&mut self, amount: i32) -> i32 {
        self.0 = self.0.wrapping_mul(3).wrapping_add(amount);
        amount
    }

    fn moved(&mut self, by: &mut u32, least: &i32) -> u32 {
        *by ^= 7;
        self.0 ^= *least;
        9
    }
}

#[gpu_fn]
impl Account for i32 {
    const FEE: i32 = 9;

    fn balance(&self) -> i32 {
        *self
    }

    fn set_balance(&mut self, to: i32) {
        *self = to;
    }

    fn pay_fee(&mut self) {
        let fee = Some(Some(1_i32)).flatten().unwrap_or(0);
        *self = self.wrapping_sub(fee);
    }
}

#[gpu_fn]
fn on_places(a: i32, b: i32) -> (Shelf, [i32; 3], Option<i32>, u32) {
    let mut wallet = Wallet { balance: a, moves: 0 };
    let first = wallet.deposit(b);
    let mut shelf = Shelf { wallets: [wallet; 2], purse: Purse(b) };
    let at = shelf.wallets[0].moves as usize;
    let second = shelf.wallets[at].deposit(first);
    let taken = shelf.wallets[0].withdraw(b / 2);
    let third = shelf.purse.deposit(a);
    shelf.purse.pay_fee();
    let mut count = 4;
    let sum = shelf.purse.moved(&mut count, &a).wrapping_add(shelf.wallets[1].moved(&mut count, &b));
    let [one, two] = &mut shelf.wallets;
    one.exchange(two);
    (shelf, [first, second, third], taken, sum ^ count)
}

/// Only the trait is known.
#[gpu_fn]
fn pay<A: Account + Copy>(from: &mut A, to: &mut A, amount: i32) -> (A, i32) {
    let mut count = 1;
    if from.withdraw(amount).is_some() {
        to.deposit(amount);
        to.moved(&mut count, &amount);
    }
    from.exchange(to);
    let (other, total) = to.into_total(count as i32);
    (other, total ^ from.balance())
}

#[gpu_fn]
fn on_parameters(a: i32, b: i32) -> ((Wallet, i32), (Purse, i32), (i32, i32), [i32; 4]) {
    let (mut one, mut two) = (Wallet { balance: a, moves: 0 }, Wallet { balance: b, moves: 9 });
    let (mut three, mut four) = (Purse(a), Purse(b));
    let (mut five, mut six) = (a, b);
    let results = (pay(&mut one, &mut two, a / 2), pay(&mut three, &mut four, b), pay(&mut five, &mut six, 3));
    five.pay_fee();
    six.deposit(2);
    (results.0, results.1, results.2, [one.balance, four.0, five, six])
}

/// Calls by the name of the trait.
#[gpu_fn]
fn by_name(a: i32, b: i32) -> (Wallet, Purse, i32) {
    let (mut wallet, mut purse) = (Wallet { balance: a, moves: 0 }, Purse(b));
    let first = Account::deposit(&mut wallet, b);
    let second = Account::deposit(&mut purse, a);
    Account::set_balance(&mut wallet, second);
    (wallet, purse, first ^ Account::into_total(wallet, 2).1)
}

same_as_plain! { default_methods_change_their_values:
    on_places(a: i32, b: i32) -> (Shelf, [i32; 3], Option<i32>, u32);
    on_parameters(a: i32, b: i32) -> ((Wallet, i32), (Purse, i32), (i32, i32), [i32; 4]);
    by_name(a: i32, b: i32) -> (Wallet, Purse, i32);
}
