//! Kinds as the macro prints them, written by hand: the runtime's own tests must not wait for the compiler's.

use kernels_gen::spec::{Facts, Guard, Intent, KindSpec, Param, Role, Scalar, Site, SiteKind, Slot};

use crate::element::Element;
use crate::row::Row;
use crate::{Abort, Call, Kind, Shared, Tx};

const fn site(line: u32, what: SiteKind, text: &'static str) -> Site {
    Site { line, column: 5, what, text }
}

const READ: SiteKind = SiteKind::Read { in_loop: false };
const WRITE: SiteKind = SiteKind::Write { in_loop: false };

/// `guard(balance >= amount)`, take, give; addresses known from the arguments alone.
pub(super) static TRANSFER: Kind = Kind {
    spec: KindSpec {
        name: "transfer",
        module: "bank",
        file: "src/bank.rs",
        line: 3,
        params: &[
            Param { name: "accounts", role: Role::Region(Scalar::I64) },
            Param { name: "from", role: Role::Value(Scalar::U32) },
            Param { name: "to", role: Role::Value(Scalar::U32) },
            Param { name: "amount", role: Role::Value(Scalar::I64) },
        ],
        result: None,
        cuda: r#"
template <class Tx, class R0>
STM_DEVICE void announce(Tx& tx, const R0& accounts_0, u32 from_1, u32 to_2, i64 amount_3) {
  tx.announce(0, STM_UPDATE, accounts_0, rs_index(from_1));
  tx.announce(1, STM_UPDATE, accounts_0, rs_index(to_2));
}
template <class Tx, class R0>
STM_DEVICE stm_status body(Tx& tx, const R0& accounts_0, u32 from_1, u32 to_2, i64 amount_3, stm_unit* result) {
#line 4 "src/bank.rs"
  i64 t4; STM_TRY(tx.read(0, 0, accounts_0, rs_index(from_1), &t4));
  i64 balance_5 = t4;
#line 5 "src/bank.rs"
  bool t6 = rs_ge(balance_5, amount_3);
  STM_GUARD(1, t6);
#line 6 "src/bank.rs"
  i64 t7; STM_SUB(2, t7, balance_5, amount_3);
  STM_TRY(tx.write(0, 3, accounts_0, rs_index(from_1), t7));
#line 7 "src/bank.rs"
  i64 t8; STM_TRY(tx.read(1, 4, accounts_0, rs_index(to_2), &t8));
#line 8 "src/bank.rs"
  i64 t9; STM_ADD(5, t9, t8, amount_3);
  STM_TRY(tx.write(1, 6, accounts_0, rs_index(to_2), t9));
  return STM_OK;
}
"#,
        facts: Facts {
            slots: &[
                Slot { param: 0, intent: Intent::Update, always: true, site: 0 },
                Slot { param: 0, intent: Intent::Update, always: true, site: 4 },
            ],
            indexed: 0,
            stated: false,
            read_only: false,
            blind_writes: false,
            orderable: true,
            guards: &[Guard { site: 1, reads: &[0] }],
        },
        sites: &[
            site(4, READ, "accounts[from]"),
            site(5, SiteKind::Guard, "balance >= amount"),
            site(6, SiteKind::Arithmetic, "balance - amount"),
            site(6, WRITE, "accounts[from]"),
            site(7, READ, "accounts[to]"),
            site(8, SiteKind::Arithmetic, "target + amount"),
            site(8, WRITE, "accounts[to]"),
        ],
        checked: true,
        max_iterations: 0,
    },
    run: transfer_run,
};

fn transfer_run(tx: &mut Tx<'_>, row: &Row<'_>) -> Result<u64, Abort> {
    let accounts = row.region::<i64>(0);
    let (from, to, amount) = (row.value::<u32>(0), row.value::<u32>(1), row.value::<i64>(2));
    let balance = tx.read_at(accounts, from, 0)?;
    tx.guard_at(balance >= amount, 1)?;
    tx.write_at(accounts, from, crate::ops::sub::<i64, true>(balance, amount, 2)?, 3)?;
    let target = tx.read_at(accounts, to, 4)?;
    tx.write_at(accounts, to, crate::ops::add::<i64, true>(target, amount, 5)?, 6)?;
    Ok(0)
}

pub(super) fn transfer(accounts: &Shared<i64>, from: u32, to: u32, amount: i64) -> Call<'_, (), 1, 3> {
    Call::new(&TRANSFER, [accounts.erased()], [from.to_word(), to.to_word(), amount.to_word()])
}

/// Adds to a small counter and returns what it was; rejects 0 with code 7.
pub(super) static BUMP: Kind = Kind {
    spec: KindSpec {
        name: "bump",
        module: "bank",
        file: "src/bank.rs",
        line: 20,
        params: &[
            Param { name: "counters", role: Role::Region(Scalar::U8) },
            Param { name: "index", role: Role::Value(Scalar::I32) },
            Param { name: "by", role: Role::Value(Scalar::U8) },
        ],
        result: Some(Scalar::U8),
        cuda: r#"
template <class Tx, class R0>
STM_DEVICE stm_status body(Tx& tx, const R0& counters_0, i32 index_1, u8 by_2, u8* result) {
#line 21 "src/bank.rs"
  if (rs_eq(by_2, (u8)0)) { STM_REJECT(0, 7u); }
#line 22 "src/bank.rs"
  u8 t3; STM_TRY(tx.read(0, 1, counters_0, rs_index(index_1), &t3));
#line 23 "src/bank.rs"
  u8 t4; STM_ADD(2, t4, t3, by_2);
  STM_TRY(tx.write(0, 3, counters_0, rs_index(index_1), t4));
  *result = t3;
  return STM_OK;
}
"#,
        facts: Facts {
            slots: &[Slot { param: 0, intent: Intent::Update, always: true, site: 1 }],
            indexed: 0,
            stated: false,
            read_only: false,
            blind_writes: false,
            orderable: false,
            guards: &[],
        },
        sites: &[
            site(21, SiteKind::Reject, "reject(7)"),
            site(22, READ, "counters[index]"),
            site(23, SiteKind::Arithmetic, "seen + by"),
            site(23, WRITE, "counters[index]"),
        ],
        checked: true,
        max_iterations: 0,
    },
    run: bump_run,
};

fn bump_run(tx: &mut Tx<'_>, row: &Row<'_>) -> Result<u64, Abort> {
    let counters = row.region::<u8>(0);
    let (index, by) = (row.value::<i32>(0), row.value::<u8>(1));
    if by == 0 {
        return tx.reject_at(7, 0);
    }
    let seen = tx.read_at(counters, index, 1)?;
    tx.write_at(counters, index, crate::ops::add::<u8, true>(seen, by, 2)?, 3)?;
    Ok(seen.to_word())
}

pub(super) fn bump(counters: &Shared<u8>, index: i32, by: u8) -> Call<'_, u8, 1, 2> {
    Call::new(&BUMP, [counters.erased()], [index.to_word(), by.to_word()])
}
