//! Procedures as the macro prints them, written by hand: the runtime's own tests must not depend on the compiler.

use kernels_gen::spec::{Facts, Guard, Intent, Location, LocationKind, Param, ProcedureSpec, Scalar, Slot};

use crate::data::{GpuData, arrays, words};
use crate::procedure::{Arguments, Attempts, HostFunctions};
use crate::tx::{Claim, Ended, Kind};
use crate::{Call, Procedure, Shared, Tx, TxResult};

const fn location(line: u32, what: LocationKind, text: &'static str) -> Location {
    Location { file: "src/bank.rs", line, column: 5, what, text }
}

const READ: LocationKind = LocationKind::Read { in_loop: false };
const WRITE: LocationKind = LocationKind::Write { in_loop: false };

/// `guard(balance >= amount)`, take, give; addresses known from the arguments alone.
pub(in crate::gpu) static TRANSFER: Procedure = Procedure::ready(
    &ProcedureSpec {
        name: "transfer",
        module: "bank",
        file: "src/bank.rs",
        line: 3,
        params: &[
            Param::array("accounts", Scalar::I64),
            Param::value("from", Scalar::U32),
            Param::value("to", Scalar::U32),
            Param::value("amount", Scalar::I64),
        ],
        cuda: r#"
template <class Tx, class R0>
STM_DEVICE void declare(Tx& tx, const R0& accounts_0, u32 from_1, u32 to_2, i64 amount_3) {
  stm_declare(tx, 0, STM_UPDATE, accounts_0, rs_index(from_1));
  stm_declare(tx, 1, STM_UPDATE, accounts_0, rs_index(to_2));
}
template <class Tx, class R0>
STM_DEVICE stm_status body(Tx& tx, const R0& accounts_0, u32 from_1, u32 to_2, i64 amount_3, u64* result) {
#line 4 "src/bank.rs"
  i64 t4; STM_TRY(stm_read(tx, 0, 0, accounts_0, rs_index(from_1), &t4));
  i64 balance_5 = t4;
#line 5 "src/bank.rs"
  bool t6 = rs_ge(balance_5, amount_3);
  STM_GUARD(1, t6);
#line 6 "src/bank.rs"
  i64 t7; STM_SUB(2, t7, balance_5, amount_3);
  STM_TRY(tx.write(0, 3, accounts_0, rs_index(from_1), t7));
#line 7 "src/bank.rs"
  i64 t8; STM_TRY(stm_read(tx, 1, 4, accounts_0, rs_index(to_2), &t8));
#line 8 "src/bank.rs"
  i64 t9; STM_ADD(5, t9, t8, amount_3);
  STM_TRY(tx.write(1, 6, accounts_0, rs_index(to_2), t9));
  return STM_OK;
}
"#,
        facts: Facts {
            slots: &[
                Slot { param: 0, intent: Intent::Update, always: true, location: 0, index: None },
                Slot { param: 0, intent: Intent::Update, always: true, location: 4, index: None },
            ],
            orderable: true,
            guards: &[Guard { location: 1, reads: &[0], bounds: None }],
            ..Facts::NONE
        },
        locations: &[
            location(4, READ, "accounts[from]"),
            location(5, LocationKind::Guard, "balance >= amount"),
            location(6, LocationKind::Arithmetic, "balance - amount"),
            location(6, WRITE, "accounts[from]"),
            location(7, READ, "accounts[to]"),
            location(8, LocationKind::Arithmetic, "target + amount"),
            location(8, WRITE, "accounts[to]"),
        ],
        max_iterations: 0,
        variables: 64,
        ..ProcedureSpec::EMPTY
    },
    HostFunctions::new(transfer_run, transfer_run, transfer_run),
);

fn transfer_run<K: Kind>(tx: &mut Tx<'_, K>, claim: &mut Claim<'_>, arguments: &Arguments<'_>) -> Ended {
    let accounts = arguments.array::<i64>(0);
    let (from, to, amount) = (arguments.values::<u32>(0), arguments.values::<u32>(1), arguments.values::<i64>(2));
    let rows = arguments.rows();
    Attempts::new(tx, claim).each(|tx, transaction| {
        let row = rows.of(transaction);
        let (from, to, amount) = (from.of(row), to.of(row), amount.of(row));
        let balance = tx.read_at(accounts, from, 0)?;
        tx.guard_at(balance >= amount, 1)?;
        tx.write_at(accounts, from, crate::procedure::ops::sub::<i64, true>(balance, amount, 2)?, 3)?;
        let target = tx.read_at(accounts, to, 4)?;
        tx.write_at(accounts, to, crate::procedure::ops::add::<i64, true>(target, amount, 5)?, 6)
    })
}

pub(in crate::gpu) fn transfer(accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> Call<'_, (), 1, 3> {
    let values = words(|list| {
        list.add(from);
        list.add(to);
        list.add(amount);
    });
    Call::new(&TRANSFER, arrays(|list| list.add(accounts)), values)
}

/// Adds to a small counter and returns the old value; rejects 0 with code 7.
pub(super) static BUMP: Procedure = Procedure::ready(
    &ProcedureSpec {
        name: "bump",
        module: "bank",
        file: "src/bank.rs",
        line: 20,
        params: &[
            Param::array("counters", Scalar::U8),
            Param::value("index", Scalar::I32),
            Param::value("by", Scalar::U8),
        ],
        result: &[Scalar::U8],
        cuda: r#"
template <class Tx, class R0>
STM_DEVICE stm_status body(Tx& tx, const R0& counters_0, i32 index_1, u8 by_2, u64* result) {
#line 21 "src/bank.rs"
  if (rs_eq(by_2, (u8)0)) { STM_REJECT(0, 7u); }
#line 22 "src/bank.rs"
  u8 t3; STM_TRY(stm_read(tx, 0, 1, counters_0, rs_index(index_1), &t3));
#line 23 "src/bank.rs"
  u8 t4; STM_ADD(2, t4, t3, by_2);
  STM_TRY(tx.write(0, 3, counters_0, rs_index(index_1), t4));
  result[0] = stm_to_word(t3);
  return STM_OK;
}
"#,
        facts: Facts {
            slots: &[Slot { param: 0, intent: Intent::Update, always: true, location: 1, index: None }],
            ..Facts::NONE
        },
        locations: &[
            location(21, LocationKind::Reject, "reject(7)"),
            location(22, READ, "counters[index]"),
            location(23, LocationKind::Arithmetic, "seen + by"),
            location(23, WRITE, "counters[index]"),
        ],
        max_iterations: 0,
        variables: 64,
        ..ProcedureSpec::EMPTY
    },
    HostFunctions::new(bump_run, bump_run, bump_run),
);

fn bump_run<K: Kind>(tx: &mut Tx<'_, K>, claim: &mut Claim<'_>, arguments: &Arguments<'_>) -> Ended {
    let counters = arguments.array::<u8>(0);
    let (index, by) = (arguments.values::<i32>(0), arguments.values::<u8>(1));
    let rows = arguments.rows();
    Attempts::new(tx, claim).each(|tx, transaction| {
        let row = rows.of(transaction);
        bump_body(tx, counters, index.of(row), by.of(row))
    })
}

fn bump_body<K: Kind>(tx: &mut Tx<'_, K>, counters: &Shared<u8>, index: i32, by: u8) -> TxResult<u8> {
    if by == 0 {
        return tx.reject_at(7, 0);
    }
    let seen = tx.read_at(counters, index, 1)?;
    tx.write_at(counters, index, crate::procedure::ops::add::<u8, true>(seen, by, 2)?, 3)?;
    Ok(seen)
}

pub(super) fn bump(counters: &Shared<u8>, index: i32, by: u8) -> Call<'_, u8, 1, 2> {
    let values = words(|list| {
        list.add(index);
        list.add(by);
    });
    Call::new(&BUMP, arrays(|list| list.add(counters)), values)
}

/// A record of two components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, crate::GpuData)]
pub(super) struct Room {
    pub(super) free: u32,
    pub(super) price: i64,
}

/// An enum whose values do not start at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, crate::GpuData)]
#[repr(u8)]
pub(super) enum Answer {
    Full = 3,
    Booked = 7,
}

/// Books a place in a room, if the guest can pay; a result of three components, and parameters of several.
pub(super) static BOOK: Procedure = Procedure::ready(
    &ProcedureSpec {
        name: "book",
        module: "hotel",
        file: "src/hotel.rs",
        line: 2,
        params: &[
            Param::array("rooms.free", Scalar::U32),
            Param::array("rooms.price", Scalar::I64),
            Param::array("log", Scalar::U8),
            Param::value("at", Scalar::U32),
            Param::value("guest.0", Scalar::U8),
            Param::value("guest.1", Scalar::I64),
        ],
        result: &[Scalar::U8, Scalar::Bool, Scalar::I64],
        cuda: r#"
template <class Tx, class R0, class R1, class R2>
STM_DEVICE stm_status body(Tx& tx, const R0& free_0, const R1& price_1, const R2& log_2, u32 at_3, u8 guest_4, i64 guest_5, u64* result) {
#line 3 "src/hotel.rs"
  u32 t6; STM_TRY(stm_read(tx, 0, 0, free_0, rs_index(at_3), &t6));
  i64 t7; STM_TRY(stm_read(tx, 1, 0, price_1, rs_index(at_3), &t7));
#line 4 "src/hotel.rs"
  bool t8 = rs_eq(t6, (u32)0);
  bool t9 = rs_lt(guest_5, t7);
  if (t8 || t9) {
    result[0] = stm_to_word((u8)3); result[1] = stm_to_word(false); result[2] = stm_to_word((i64)0); return STM_OK;
  }
#line 5 "src/hotel.rs"
  u32 t10; STM_SUB(1, t10, t6, (u32)1);
  i64 t11; STM_ADD(2, t11, t7, (i64)1);
  STM_TRY(tx.write(0, 3, free_0, rs_index(at_3), t10));
  STM_TRY(tx.write(1, 3, price_1, rs_index(at_3), t11));
#line 6 "src/hotel.rs"
  STM_TRY(tx.write(2, 4, log_2, rs_index(at_3), guest_4));
  result[0] = stm_to_word((u8)7); result[1] = stm_to_word(true); result[2] = stm_to_word(t7); return STM_OK;
}
"#,
        facts: Facts {
            slots: &[
                Slot { param: 0, intent: Intent::Update, always: true, location: 0, index: None },
                Slot { param: 1, intent: Intent::Update, always: true, location: 0, index: None },
                Slot { param: 2, intent: Intent::Write, always: false, location: 4, index: None },
            ],
            blind_writes: true,
            ..Facts::NONE
        },
        locations: &[
            location(3, READ, "rooms[at]"),
            location(5, LocationKind::Arithmetic, "room.free - 1"),
            location(5, LocationKind::Arithmetic, "room.price + 1"),
            location(5, WRITE, "rooms[at]"),
            location(6, WRITE, "log[at]"),
        ],
        max_iterations: 0,
        variables: 64,
        ..ProcedureSpec::EMPTY
    },
    HostFunctions::new(book_run, book_run, book_run),
);

fn book_run<K: Kind>(tx: &mut Tx<'_, K>, claim: &mut Claim<'_>, arguments: &Arguments<'_>) -> Ended {
    let (rooms, log) = (arguments.array::<Room>(0), arguments.array::<u8>(Room::COMPONENTS));
    let (at, guest) = (arguments.values(0), arguments.values(1));
    let rows = arguments.rows();
    Attempts::new(tx, claim).each(|tx, transaction| {
        let row = rows.of(transaction);
        book_body(tx, rooms, log, at.of(row), guest.of(row))
    })
}

fn book_body<K: Kind>(
    tx: &mut Tx<'_, K>,
    rooms: &Shared<Room>,
    log: &Shared<u8>,
    at: u32,
    guest: (u8, i64),
) -> TxResult<(Answer, Option<i64>)> {
    let room = tx.read_at(rooms, at, 0)?;
    if room.free == 0 || guest.1 < room.price {
        return Ok((Answer::Full, None));
    }
    let free = crate::procedure::ops::sub::<u32, true>(room.free, 1, 1)?;
    let price = crate::procedure::ops::add::<i64, true>(room.price, 1, 2)?;
    tx.write_at(rooms, at, Room { free, price }, 3)?;
    tx.write_at(log, at, guest.0, 4)?;
    Ok((Answer::Booked, Some(room.price)))
}

pub(super) fn book<'stm>(
    rooms: &'stm Shared<Room>,
    log: &'stm Shared<u8>,
    at: u32,
    guest: (u8, i64),
) -> Call<'stm, (Answer, Option<i64>), 3, 3> {
    let arrays = arrays(|list| {
        list.add(rooms);
        list.add(log);
    });
    let values = words(|list| {
        list.add(at);
        list.add(guest);
    });
    Call::new(&BOOK, arrays, values)
}
