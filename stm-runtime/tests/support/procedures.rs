//! Procedures written by hand in the form that the macro prints, so that the runtime is tested without the macro.
#![allow(dead_code, non_camel_case_types, unreachable_pub)]

use std::sync::atomic::{AtomicU64, Ordering};

use stm_runtime::__private::spec::{Facts, Location, LocationKind, Param, ProcedureSpec, Scalar};
use stm_runtime::__private::{Arguments, Attempts, Claim, Ended, HostFunctions, Kind, arrays, ops, words};
use stm_runtime::{Call, GpuData, Procedure, Shared, Tx, TxResult};

pub const fn location(line: u32, what: LocationKind, text: &'static str) -> Location {
    Location { file: "src/procedures.rs", line, column: 5, what, text }
}

pub const READ: LocationKind = LocationKind::Read { in_loop: false };
pub const WRITE: LocationKind = LocationKind::Write { in_loop: false };
pub const LOOP_READ: LocationKind = LocationKind::Read { in_loop: true };

pub const fn spec(name: &'static str, params: &'static [Param], locations: &'static [Location]) -> ProcedureSpec {
    ProcedureSpec {
        name,
        module: "procedures",
        file: "src/procedures.rs",
        params,
        locations,
        max_iterations: 1 << 20,
        variables: 64,
        ..ProcedureSpec::EMPTY
    }
}

pub const fn array(name: &'static str, scalar: Scalar) -> Param {
    Param::array(name, scalar)
}

pub const fn value(name: &'static str, scalar: Scalar) -> Param {
    Param::value(name, scalar)
}

/// Declares the struct next to the function, as the macro does.
macro_rules! procedure {
    ($name:ident($($array:ident: $element:ty),*; $($value:ident: $type:ty),*) -> $result:ty,
     $arrays:literal, $values:literal, $spec:expr) => {
        pub struct $name {}
        impl $name {
            pub fn procedure() -> &'static Procedure {
                static SPEC: ProcedureSpec = $spec;
                static PROCEDURE: Procedure = Procedure::ready(
                    &SPEC,
                    HostFunctions::new($name::stm_run, $name::stm_run, $name::stm_run),
                );
                &PROCEDURE
            }
            pub fn call<'stm>(
                $($array: &'stm Shared<$element>,)* $($value: $type),*
            ) -> Call<'stm, $result, $arrays, $values> {
                Call::new(
                    Self::procedure(),
                    arrays(|list| { $(list.add($array);)* }),
                    words(|list| { $(list.add($value);)* }),
                )
            }
            #[allow(unused_assignments, unused_mut, unused_variables)]
            fn stm_run<K: Kind>(tx: &mut Tx<'_, K>, claim: &mut Claim<'_>, arguments: &Arguments<'_>) -> Ended {
                let (mut array, mut value) = (0, 0);
                $(let $array = { let k = array; array += <$element as GpuData>::COMPONENTS; arguments.array::<$element>(k) };)*
                $(let $value = { let k = value; value += <$type as GpuData>::COMPONENTS; arguments.values::<$type>(k) };)*
                let rows = arguments.rows();
                Attempts::new(tx, claim).each(|tx, transaction| {
                    let row = rows.of(transaction);
                    $name(tx, $($array,)* $($value.of(row)),*)
                })
            }
        }
    };
}

/// Moves `amount` once the funds are there.
#[inline]
pub fn transfer<K: Kind>(tx: &mut Tx<'_, K>, accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> TxResult {
    let balance: i64 = tx.read_at(accounts, from, 0)?;
    tx.guard_at(balance >= amount, 1)?;
    tx.write_at(accounts, from, ops::sub::<i64, true>(balance, amount, 2)?, 3)?;
    let target: i64 = tx.read_at(accounts, to, 4)?;
    tx.write_at(accounts, to, ops::add::<i64, true>(target, amount, 5)?, 6)
}
procedure!(transfer(accounts: i64; from: u32, to: u32, amount: i64) -> (), 1, 3, ProcedureSpec { facts: Facts { orderable: true, ..Facts::NONE }, ..spec(
    "transfer",
    &[array("accounts", Scalar::I64), value("from", Scalar::U32), value("to", Scalar::U32), value("amount", Scalar::I64)],
    &[
        location(3, READ, "accounts[from]"),
        location(4, LocationKind::Guard, "balance >= amount"),
        location(5, LocationKind::Arithmetic, "balance - amount"),
        location(5, WRITE, "accounts[from]"),
        location(6, READ, "accounts[to]"),
        location(7, LocationKind::Arithmetic, "target + amount"),
        location(7, WRITE, "accounts[to]"),
    ],
) });

/// Adds to one account.
pub fn deposit<K: Kind>(tx: &mut Tx<'_, K>, accounts: &Shared<i64>, to: u32, amount: i64) -> TxResult {
    let target: i64 = tx.read_at(accounts, to, 0)?;
    tx.write_at(accounts, to, ops::add::<i64, true>(target, amount, 1)?, 2)
}
procedure!(deposit(accounts: i64; to: u32, amount: i64) -> (), 1, 2, spec(
    "deposit",
    &[array("accounts", Scalar::I64), value("to", Scalar::U32), value("amount", Scalar::I64)],
    &[
        location(11, READ, "accounts[to]"),
        location(12, LocationKind::Arithmetic, "target + amount"),
        location(12, WRITE, "accounts[to]"),
    ],
));

/// The sum of `n` accounts; declares at most 8.
pub fn audit<K: Kind>(tx: &mut Tx<'_, K>, accounts: &Shared<i64>, first: u32, n: u32) -> TxResult<i64> {
    let mut sum: i64 = 0;
    for i in first..first.wrapping_add(n) {
        tx.iteration_at(0)?;
        let balance: i64 = tx.read_at(accounts, i, 1)?;
        sum = ops::add::<i64, true>(sum, balance, 2)?;
    }
    Ok(sum)
}
procedure!(audit(accounts: i64; first: u32, n: u32) -> i64, 1, 2, ProcedureSpec {
    result: &[Scalar::I64],
    facts: Facts { indexed: 8, stated: true, read_only: true, ..Facts::NONE },
    max_iterations: 16,
    ..spec(
        "audit",
        &[array("accounts", Scalar::I64), value("first", Scalar::U32), value("n", Scalar::U32)],
        &[
            location(17, LocationKind::Loop, "for i in first..first + n"),
            location(18, LOOP_READ, "accounts[i]"),
            location(18, LocationKind::Arithmetic, "sum + balance"),
        ],
    )
});

/// Reads one account `times` times; a repeated access counts once.
pub fn reread<K: Kind>(tx: &mut Tx<'_, K>, accounts: &Shared<i64>, at: u32, times: u32) -> TxResult<bool> {
    let first: i64 = tx.read_at(accounts, at, 0)?;
    let mut same = true;
    for _ in 0..times {
        tx.iteration_at(1)?;
        let again: i64 = tx.read_at(accounts, at, 2)?;
        same &= again == first;
    }
    Ok(same)
}
procedure!(reread(accounts: i64; at: u32, times: u32) -> bool, 1, 2, ProcedureSpec {
    result: &[Scalar::Bool],
    facts: Facts { indexed: 0, stated: true, read_only: true, ..Facts::NONE },
    max_iterations: 1000,
    ..spec(
        "reread",
        &[array("accounts", Scalar::I64), value("at", Scalar::U32), value("times", Scalar::U32)],
        &[
            location(31, READ, "accounts[at]"),
            location(33, LocationKind::Loop, "for _ in 0..times"),
            location(34, LOOP_READ, "accounts[at]"),
        ],
    )
});

/// Takes the money or rejects with the account's number.
pub fn withdraw<K: Kind>(tx: &mut Tx<'_, K>, accounts: &Shared<i64>, from: u32, amount: i64) -> TxResult<i64> {
    let balance: i64 = tx.read_at(accounts, from, 0)?;
    if balance < amount {
        return tx.reject_at(from, 1);
    }
    let rest: i64 = ops::sub::<i64, true>(balance, amount, 2)?;
    tx.write_at(accounts, from, rest, 3)?;
    // Read its own write.
    tx.read_at(accounts, from, 4)
}
procedure!(withdraw(accounts: i64; from: u32, amount: i64) -> i64, 1, 2, ProcedureSpec {
    result: &[Scalar::I64],
    ..spec(
        "withdraw",
        &[array("accounts", Scalar::I64), value("from", Scalar::U32), value("amount", Scalar::I64)],
        &[
            location(22, READ, "accounts[from]"),
            location(24, LocationKind::Reject, "from"),
            location(26, LocationKind::Arithmetic, "balance - amount"),
            location(27, WRITE, "accounts[from]"),
            location(28, READ, "accounts[from]"),
        ],
    )
});

/// Writes, then divides: a fault has no effect.
pub fn divide<K: Kind>(tx: &mut Tx<'_, K>, accounts: &Shared<i64>, at: i32, by: i64) -> TxResult {
    let old: i64 = tx.read_at(accounts, at, 0)?;
    tx.write_at(accounts, at, -1, 1)?;
    let new: i64 = ops::div::<i64, true>(old, by, 2)?;
    tx.write_at(accounts, at, new, 3)
}
procedure!(divide(accounts: i64; at: i32, by: i64) -> (), 1, 2, spec(
    "divide",
    &[array("accounts", Scalar::I64), value("at", Scalar::I32), value("by", Scalar::I64)],
    &[
        location(41, READ, "accounts[at]"),
        location(42, WRITE, "accounts[at]"),
        location(43, LocationKind::Arithmetic, "old / by"),
        location(44, WRITE, "accounts[at]"),
    ],
));

/// Sets `to` where the sum of both is not above 1: two of these, crosswise, must not both see 0.
pub fn skew<K: Kind>(tx: &mut Tx<'_, K>, cells: &Shared<u32>, read: u32, write: u32) -> TxResult<u32> {
    let seen: u32 = tx.read_at(cells, read, 0)?;
    let own: u32 = tx.read_at(cells, write, 1)?;
    tx.write_at(cells, write, ops::add::<u32, false>(seen, 1, 2)?, 3)?;
    Ok(own)
}
procedure!(skew(cells: u32; read: u32, write: u32) -> u32, 1, 2, ProcedureSpec {
    result: &[Scalar::U32],
    ..spec(
        "skew",
        &[array("cells", Scalar::U32), value("read", Scalar::U32), value("write", Scalar::U32)],
        &[
            location(51, READ, "cells[read]"),
            location(52, READ, "cells[write]"),
            location(53, LocationKind::Arithmetic, "seen + 1"),
            location(53, WRITE, "cells[write]"),
        ],
    )
});

/// Two arrays of different types, and a zombie trap: `index[at]` is always below `cells.len()`, and both change together.
pub fn move_pointer<K: Kind>(
    tx: &mut Tx<'_, K>,
    index: &Shared<u32>,
    cells: &Shared<u8>,
    at: u16,
    next: u32,
) -> TxResult<u8> {
    let old: u32 = tx.read_at(index, at, 0)?;
    let mark: u8 = tx.read_at(cells, old, 1)?;
    tx.write_at(cells, old, 0, 2)?;
    tx.write_at(cells, next, 1, 3)?;
    tx.write_at(index, at, next, 4)?;
    Ok(mark)
}
procedure!(move_pointer(index: u32, cells: u8; at: u16, next: u32) -> u8, 2, 2, ProcedureSpec {
    result: &[Scalar::U8],
    ..spec(
        "move_pointer",
        &[
            array("index", Scalar::U32),
            array("cells", Scalar::U8),
            value("at", Scalar::U16),
            value("next", Scalar::U32),
        ],
        &[
            location(61, READ, "index[at]"),
            location(62, READ, "cells[old]"),
            location(63, WRITE, "cells[old]"),
            location(64, WRITE, "cells[next]"),
            location(65, WRITE, "index[at]"),
        ],
    )
});

/// Increments `n` pairs by a pair; returns the sum of the old values, and the last mark. Declares at most 6 elements in loops.
pub fn tour<K: Kind>(
    tx: &mut Tx<'_, K>,
    pairs: &Shared<(i64, u8)>,
    n: u32,
    by: (i64, bool),
) -> TxResult<(i64, Option<u8>)> {
    let mut sum: i64 = 0;
    let mut last: Option<u8> = None;
    for i in 0..n {
        tx.iteration_at(0)?;
        let (amount, mark): (i64, u8) = tx.read_at(pairs, i, 1)?;
        sum = ops::add::<i64, true>(sum, amount, 2)?;
        last = if by.1 { Some(mark) } else { None };
        tx.write_at(pairs, i, (ops::add::<i64, true>(amount, by.0, 3)?, ops::add::<u8, false>(mark, 1, 4)?), 5)?;
    }
    Ok((sum, last))
}
procedure!(tour(pairs: (i64, u8); n: u32, by: (i64, bool)) -> (i64, Option<u8>), 2, 3, ProcedureSpec {
    result: &[Scalar::I64, Scalar::Bool, Scalar::U8],
    facts: Facts { indexed: 6, stated: true, ..Facts::NONE },
    ..spec(
        "tour",
        &[
            array("pairs.0", Scalar::I64),
            array("pairs.1", Scalar::U8),
            value("n", Scalar::U32),
            value("by.0", Scalar::I64),
            value("by.1", Scalar::Bool),
        ],
        &[
            location(71, LocationKind::Loop, "for i in 0..n"),
            location(72, LOOP_READ, "pairs[i]"),
            location(73, LocationKind::Arithmetic, "sum + amount"),
            location(75, LocationKind::Arithmetic, "amount + by.0"),
            location(75, LocationKind::Arithmetic, "mark + 1"),
            location(75, LocationKind::Write { in_loop: true }, "pairs[i]"),
        ],
    )
});

/// The number of loop iterations of [`turn_round`].
pub static ROUNDS: AtomicU64 = AtomicU64::new(0);

/// Loops until its own value is not 0, and then reads another.
pub fn turn_round<K: Kind>(tx: &mut Tx<'_, K>, cells: &Shared<u64>, at: u32, other: u32) -> TxResult<u64> {
    let mut own: u64 = tx.read_at(cells, at, 0)?;
    while own == 0 {
        tx.iteration_at(1)?;
        ROUNDS.fetch_add(1, Ordering::Relaxed);
        own = own.wrapping_mul(3);
    }
    tx.read_at(cells, other, 2)
}
procedure!(turn_round(cells: u64; at: u32, other: u32) -> u64, 1, 2, ProcedureSpec {
    result: &[Scalar::U64],
    facts: Facts { orderable: true, ..Facts::NONE },
    ..spec(
        "turn_round",
        &[array("cells", Scalar::U64), value("at", Scalar::U32), value("other", Scalar::U32)],
        &[
            location(81, READ, "cells[at]"),
            location(82, LocationKind::Loop, "while own == 0"),
            location(83, READ, "cells[other]"),
        ],
    )
});

/// Reads an array from inside of a transaction, which no annotated function can do, and returns whether that was refused.
pub fn peeks<K: Kind>(_: &mut Tx<'_, K>, cells: &Shared<u64>, at: u32) -> TxResult<bool> {
    Ok(cells.to_vec().is_err() && at < 2)
}
procedure!(peeks(cells: u64; at: u32) -> bool, 1, 1, ProcedureSpec {
    result: &[Scalar::Bool],
    ..spec("peeks", &[array("cells", Scalar::U64), value("at", Scalar::U32)], &[])
});

/// Does what no annotated function can do.
pub fn panics<K: Kind>(_: &mut Tx<'_, K>, accounts: &Shared<i64>, at: u32) -> TxResult {
    panic!("{at} of {accounts:?}")
}
procedure!(panics(accounts: i64; at: u32) -> (), 1, 1, spec(
    "panics",
    &[array("accounts", Scalar::I64), value("at", Scalar::U32)],
    &[],
));
