//! `Result`s that change their types, of what only rustc knows; and tables in constants.

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
enum Refusal {
    Short(u32),
    Odd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, GpuData)]
enum Other {
    Late { by: u32 },
    Same(Refusal),
}

#[gpu_fn]
impl From<Refusal> for Other {
    fn from(why: Refusal) -> Other {
        Other::Same(why)
    }
}

#[gpu_fn]
impl Refusal {
    fn code(self) -> u32 {
        match self {
            Refusal::Short(n) => n,
            Refusal::Odd => 77,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Account {
    balance: u32,
    last: Result<u32, Refusal>,
}

#[gpu_fn]
impl Account {
    fn check(&self) -> Result<u32, Refusal> {
        match self.balance {
            0..=99 => Err(Refusal::Short(self.balance)),
            odd if odd % 2 == 1 => Err(Refusal::Odd),
            even => Ok(even),
        }
    }

    fn checked(&self) -> Result<u32, Other> {
        self.check().map(|x| x / 2).map_err(|_| Other::Late { by: 3 })
    }

    fn widened(&self) -> Result<u64, Refusal> {
        self.check().map(|x| u64::from(x) + 1)
    }

    fn both(&self, n: u32) -> Result<u32, Other> {
        let x = self.check().map_err(Other::Same)?;
        let y = self.widened().map(|y| y as u32).map_err(Other::from)?;
        if n % 5 == 0 { Err(Other::Late { by: n }) } else { Ok(x ^ y) }
    }

    fn then(&self) -> Result<bool, Refusal> {
        self.check().and_then(|x| if x % 3 == 0 { Ok(true) } else { Err(Refusal::Odd) })
    }
}

#[gpu_fn]
fn of_fields(account: Account, n: u32) -> (Account, Result<u32, Other>, Result<u32, Other>, Result<bool, Refusal>) {
    let mut account = account;
    let outcome = account.check();
    account.last = outcome;
    (account, account.checked(), account.both(n), account.then())
}

#[gpu_fn]
fn of_variables(account: Account) -> (u32, u32, u32, Result<u32, u32>, Option<u64>) {
    let outcome = account.check();
    let first = match outcome.map(|x| x ^ 1) {
        Ok(x) => x,
        Err(why) => why.code(),
    };
    let second = if let Err(why) = outcome.map(|x| x ^ 3) { why.code() } else { 0 };
    let wide: Result<u64, Refusal> = account.check().map(u64::from);
    let third = outcome.map(|x| x ^ 2).unwrap_or_else(|why| why.code());
    let Ok(last) = outcome.map(u64::from).and_then(|x| if x > 999 { Ok(x) } else { Err(Refusal::Odd) }) else {
        return (first, second, third, account.check().map(|x| x / 2).map_err(|why| why.code()), None);
    };
    let sum = wide.map_or(3, |x| x ^ last);
    (first, second, third, Err(u32::from(outcome.map(|x| x ^ 1).is_ok())), Some(sum))
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Op {
    Push(u32),
    Load { cell: u8 },
    Halt,
}

const PROGRAM: [Op; 4] = [Op::Push(3), Op::Load { cell: 2 }, Op::Push(9), Op::Halt];
const PRIMES: [u32; 5] = [2, 3, 5, 7, 11];

#[gpu_fn]
impl Op {
    const ENDS: [Op; 2] = [Op::Halt, Op::Push(1)];

    fn number(&self) -> u32 {
        match self {
            Op::Push(x) => *x,
            Op::Load { cell } => 100 + u32::from(*cell),
            Op::Halt => 7,
        }
    }

    fn of(k: usize) -> u32 {
        Self::ENDS.get(k).map_or(55, |op| op.number())
    }
}

#[gpu_fn]
fn of_tables(n: usize, x: u32) -> [u32; 11] {
    let n = n % 6;
    let mut sum = 0;
    for (k, op) in PROGRAM.iter().enumerate() {
        sum += op.number() * k as u32;
    }
    let pushed = match PROGRAM.get(n) {
        Some(Op::Push(x)) if *x > 4 => *x,
        Some(op) => op.number(),
        None => 44,
    };
    let loaded = if let Some(Op::Load { cell }) = PROGRAM.get(n) { u32::from(*cell) } else { 0 };
    [
        sum,
        pushed,
        loaded,
        PROGRAM.get(n).unwrap_or(&Op::Halt).number(),
        (*PROGRAM.get(n).unwrap_or(&Op::Push(x))).number(),
        PROGRAM.iter().map(Op::number).sum::<u32>() + PROGRAM.len() as u32,
        PRIMES.get(n).copied().unwrap_or(x) ^ PRIMES.get(n + 1).map_or(3, |x| x * 2),
        PROGRAM.first().map_or(0, Op::number) + PROGRAM.last().map_or(0, |op| op.number()),
        u32::from(PROGRAM.contains(&Op::Push(x))) + u32::from(PRIMES.contains(&(x % 12))),
        PRIMES.iter().rev().step_by(2).fold(x % 99, |sum, x| sum * 3 + x) + PRIMES[..n % 4].iter().sum::<u32>(),
        Op::of(n) + *PRIMES.get(n).unwrap_or(&17) + PRIMES.iter().max().copied().unwrap_or(0),
    ]
}

same_as_plain! { results_change_types_and_constants_are_tables:
    of_fields(account: Account, n: u32) -> (Account, Result<u32, Other>, Result<u32, Other>, Result<bool, Refusal>);
    of_variables(account: Account) -> (u32, u32, u32, Result<u32, u32>, Option<u64>);
    of_tables(n: usize, x: u32) -> [u32; 11];
}
