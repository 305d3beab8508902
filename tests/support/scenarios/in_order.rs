//! Long transactions with known accesses: every engine gives what some order gives, and one that runs them in order gives what that order
//! gives.

use kernels_gen::device::Visited;
use stm_runtime::{Device, Order, Outcome, Procedure, RunOptions, Ticket};

use crate::draw::Draw;
use crate::environment::{Environment, takes_turns};
use crate::failure::{Failure, TestResult};
use crate::procedures::counters::look;
use crate::procedures::in_order::{
    ACCESSES, Stock, Trio, add_and_move, collect, compare_stocks, count_anew, count_up, draw_number, gather_often,
    hand_on, look_around, move_some, put_and_refuse, put_into, put_or_sum, read_cell, read_found, shift, take_from,
};
use crate::{expect, expect_eq};

/// One transaction that commits in any case.
enum Row {
    Put([u32; ACCESSES], u8, u64, Ticket<u64>),
    Shift([u32; ACCESSES], u64, Ticket<u64>),
    Add([u32; ACCESSES], u8, u64, Ticket<u64>),
}

/// Returns whether the stages of the engine run the transactions of a procedure in order, whatever else is in the batch.
fn runs_in_order(environment: &Environment, procedure: &Procedure) -> bool {
    let has_turns = |spec| environment.engine.spec().has_turns(spec) == Some(true);
    let is_alone = !environment.backend.is_cpu() && !environment.backend.is_planned();
    is_alone && procedure.spec().is_ok_and(has_turns)
}

/// Returns whether the stages of the engine list accesses, and run in order what they have listed.
pub(super) fn lists_accesses(environment: &Environment) -> bool {
    environment.engine.spec().last_visited() == Some(Visited::Foreseen) && !environment.backend.is_cpu()
}

fn draw_cells(draw: &mut Draw, cells: usize) -> [u32; ACCESSES] {
    std::array::from_fn(|_| draw.below(cells) as u32)
}

/// Blind writes and updates of few cells, some of them twice in a transaction, in several chunks.
pub(super) fn rows_in_order(environment: &Environment) -> TestResult {
    const CELLS: usize = 300;
    let cells = environment.shared(&[1_u64; CELLS])?;
    let (mut batch, mut draw, mut rows) = (environment.batch(), Draw::new(11), Vec::new());
    for nth in 0..environment.transactions(240) as u64 {
        // Most meet in a few cells; the numbers of the others have a second digit.
        let of = draw_cells(&mut draw, if nth % 3 == 0 { CELLS } else { 9 });
        let bits = draw.below(64) as u8;
        rows.push(match draw.below(6) {
            0 => Row::Shift(of, nth, batch.push(shift::call(&cells, of, nth))),
            1 => Row::Put(of, bits, nth, batch.push(put_or_sum::call(&cells, of, bits, nth))),
            _ => Row::Add(of, bits, nth, batch.push(add_and_move::call(&cells, of, bits, nth))),
        });
    }
    let report = environment.run_all_with(&batch, &environment.options().chunk_size(100))?;
    if !runs_in_order(environment, add_and_move::procedure()) {
        return Ok(());
    }
    let mut model = [1_u64; CELLS];
    for row in rows {
        let (ticket, result) = match row {
            Row::Put(of, bits, new, ticket) => (ticket, put_in(&mut model, of, bits, new)),
            Row::Shift(of, new, ticket) => (ticket, shift_in(&mut model, of, new)),
            Row::Add(of, bits, by, ticket) => (ticket, add_in(&mut model, of, bits, by)),
        };
        expect_eq!(report.outcome(ticket), Outcome::Committed(result), "a result");
    }
    expect_eq!(cells.to_vec()?, model, "the cells");
    Ok(())
}

fn put_in(model: &mut [u64], of: [u32; ACCESSES], bits: u8, new: u64) -> u64 {
    let mut sum = 0_u64;
    for (k, at) in of.into_iter().enumerate() {
        match bits >> k & 1 {
            1 => model[at as usize] = new + k as u64,
            _ => sum = sum.wrapping_mul(3).wrapping_add(model[at as usize]),
        }
    }
    sum
}

fn shift_in(model: &mut [u64], of: [u32; ACCESSES], new: u64) -> u64 {
    let mut before = new;
    for at in of {
        let here = model[at as usize];
        model[at as usize] = before.wrapping_mul(5).wrapping_add(here);
        before = here;
    }
    model[of[0] as usize] = new;
    before
}

fn add_in(model: &mut [u64], of: [u32; ACCESSES], bits: u8, by: u64) -> u64 {
    let mut sum = 0_u64;
    for (k, at) in of.into_iter().enumerate() {
        let here = &mut model[at as usize];
        sum = sum.wrapping_mul(3).wrapping_add(*here);
        *here = here.wrapping_add(by * u64::from(bits >> k & 1));
    }
    let (from, to) = (model[of[0] as usize], model[of[1] as usize]);
    model[of[0] as usize] = from.wrapping_sub(by);
    model[of[1] as usize] = to.wrapping_add(by);
    sum
}

/// Records that are written as a whole: some of their fields by additions.
pub(super) fn records_in_order(environment: &Environment) -> TestResult {
    const RECORDS: usize = 40;
    let mut model = [Trio { sum: 5, mark: 0, mix: 1 }; RECORDS];
    let (trios, counters) = (environment.shared(&model)?, environment.shared(&[0_u16; 3])?);
    let (mut batch, mut draw, mut rows) = (environment.batch(), Draw::new(16), Vec::new());
    for by in 0..environment.transactions(200) as u64 {
        let of = std::array::from_fn(|_| draw.below(if by % 3 == 0 { RECORDS } else { 4 }) as u32);
        rows.push((of, by, batch.push(hand_on::call(&trios, of, by))));
        // Its places are of one number.
        if by % 5 == 0 {
            batch.push(draw_number::call(&counters, (by % 3) as u8));
        }
    }
    let report = environment.run_all_with(&batch, &environment.options().chunk_size(110))?;
    if !runs_in_order(environment, hand_on::procedure()) {
        return Ok(());
    }
    for ([from, to], by, ticket) in rows {
        let (from, to) = (from as usize, to as usize);
        let one = model[from];
        let mix = one.mix.wrapping_add(1);
        model[from] = Trio { sum: one.sum.wrapping_add(by), mark: one.mark.wrapping_sub(1), mix };
        let other = model[to];
        model[to] = Trio { sum: other.sum.wrapping_add(2 * by), mark: one.mark, mix: other.mix ^ one.mix };
        expect_eq!(report.outcome(ticket), Outcome::Committed([one, other]), "what records {from} and {to} were");
    }
    expect_eq!(trios.to_vec()?, model, "the records");
    Ok(())
}

/// Each number of a counter is drawn once, and in order where transactions run in order. The last transaction may write many elements, so
/// all of them get many places: more than one block sorts.
pub(super) fn numbers_in_order(environment: &Environment) -> TestResult {
    let counters = environment.shared(&[u16::MAX, 7, 0])?;
    let (counts, mut counted) = (environment.shared(&[u16::MAX, 7, 0, 5])?, [u16::MAX, 7, 0, 5]);
    let (sums, mut summed) = (environment.shared(&[i32::MAX, 7, 0, 5])?, [i32::MAX, 7, 0, 5]);
    let (mut batch, mut draw, mut numbers) = (environment.batch(), Draw::new(14), Vec::new());
    for _ in 0..640 {
        let of = draw.below(3) as u8;
        numbers.push((usize::from(of), batch.push(draw_number::call(&counters, of))));
        let by = draw.below(500) as i16 - 200;
        batch.push(count_up::call(&counts, &sums, of, by));
        counted[usize::from(of)] = counted[usize::from(of)].wrapping_add_signed(by);
        summed[usize::from(of)] = summed[usize::from(of)].wrapping_add(by.into());
    }
    let cells = environment.shared(&[0_u64; ACCESSES])?;
    batch.push(add_and_move::call(&cells, [0; ACCESSES], 1, 1));
    let report = environment.run_all(&batch)?;
    let mut next = [u16::MAX, 7, 0];
    let mut drawn: [Vec<u16>; 3] = Default::default();
    for (of, ticket) in numbers {
        let found = report.outcome(ticket);
        if runs_in_order(environment, draw_number::procedure()) {
            expect_eq!(found, Outcome::Committed(next[of]), "a number of counter {of}");
        }
        drawn[of].extend(found.committed());
        next[of] = next[of].wrapping_add(1);
    }
    expect_eq!(counters.to_vec()?, next, "the counters");
    expect_eq!((counts.to_vec()?, sums.to_vec()?), (counted.to_vec(), summed.to_vec()), "the counts and sums");
    for (of, first) in [u16::MAX, 7, 0].into_iter().enumerate() {
        drawn[of].sort_by_key(|number| number.wrapping_sub(first));
        let each = drawn[of].iter().zip(0..).all(|(number, nth)| *number == first.wrapping_add(nth));
        expect!(each, "numbers of counter {of}: {:?}", drawn[of]);
    }
    Ok(())
}

/// Transactions of several lines. Each line depends on one record, and adds to a counter that no transaction reads.
pub(super) fn lines_in_order(environment: &Environment) -> TestResult {
    const STOCKS: usize = 24;
    let stocks = environment.shared(&[Stock { quantity: 50, orders: 0 }; STOCKS])?;
    let taken = environment.shared(&[0_u32; STOCKS])?;
    let (mut batch, mut draw, mut sold) = (environment.batch(), Draw::new(15), Vec::new());
    for _ in 0..environment.transactions(160) {
        let of: [u8; ACCESSES] = std::array::from_fn(|_| draw.below(STOCKS) as u8);
        let some = 1 + draw.below(40) as u16;
        sold.push((of, some, batch.push(take_from::call(&stocks, &taken, of, some))));
    }
    let report = environment.run_all(&batch)?;
    let mut all = [0; STOCKS];
    sold.iter().for_each(|(of, some, _)| of.iter().for_each(|at| all[usize::from(*at)] += u32::from(*some)));
    expect_eq!(taken.to_vec()?, all, "what was taken");
    if !runs_in_order(environment, take_from::procedure()) {
        return Ok(());
    }
    let mut model = [Stock { quantity: 50, orders: 0 }; STOCKS];
    for (of, some, ticket) in sold {
        let left = take(&mut model, of, some);
        expect_eq!(report.outcome(ticket), Outcome::Committed(left), "what is left of the last line");
    }
    expect_eq!(stocks.to_vec()?, model, "the stocks");
    Ok(())
}

/// What is taken, added and counted anew in the same stocks, by long lists and short ones, among readers. One transaction ends at an index
/// beyond the end, after it has written to other stocks: nothing of it stays.
pub(super) fn pieces_in_order(environment: &Environment) -> TestResult {
    const STOCKS: usize = 40;
    let calls = environment.transactions(120);
    let mut model = [Stock { quantity: 50, orders: 0 }; STOCKS];
    let stocks = environment.shared(&model)?;
    let (taken, found) = (environment.shared(&[0_u32; STOCKS])?, environment.shared(&vec![0_u16; calls])?);
    let (mut batch, mut draw, mut tickets) = (environment.batch(), Draw::new(17), Vec::new());
    let faulty = batch.push(take_from::call(&stocks, &taken, [0, 1, 0, 1, 2, STOCKS as u8], 7));
    for row in 0..calls as u32 {
        // Half of them are at the first two stocks.
        let of: [u8; ACCESSES] = std::array::from_fn(|k| draw.below(if k % 2 == 0 { 2 } else { STOCKS }) as u8);
        let (some, at) = (1 + draw.below(60) as u16, usize::from(of[1]));
        match draw.below(5) {
            0 => {
                batch.push(put_into::call(&stocks, of[0], some));
                let stock = &mut model[usize::from(of[0])];
                if some % 2 == 0 {
                    stock.quantity = stock.quantity.wrapping_mul(3).wrapping_add(some);
                }
            }
            1 => {
                batch.push(count_anew::call(&stocks, of[1], some));
                model[at].quantity = some;
            }
            2 => {
                let ticket = batch.push(compare_stocks::call(&stocks, &found, row, [of[0], of[1]]));
                tickets.push((ticket, model[usize::from(of[0])].quantity.wrapping_add(model[at].quantity)));
            }
            _ => {
                let ticket = batch.push(take_from::call(&stocks, &taken, of, some));
                tickets.push((ticket, take(&mut model, of, some)));
            }
        }
    }
    let report = environment.run_with(&batch, &environment.options().chunk_size(90))?;
    expect!(matches!(report.outcome(faulty), Outcome::Faulted(_)), "beyond the end: {:?}", report.outcome(faulty));
    expect_eq!(report.committed, calls as u64, "all others");
    if !runs_in_order(environment, take_from::procedure()) {
        return Ok(());
    }
    for (ticket, result) in tickets {
        expect_eq!(report.outcome(ticket), Outcome::Committed(result), "a quantity");
    }
    expect_eq!(stocks.to_vec()?, model, "the stocks");
    Ok(())
}

/// What [`take_from`] does; returns the same.
fn take(stocks: &mut [Stock], of: [u8; ACCESSES], some: u16) -> u16 {
    let mut left = 0;
    for (k, at) in of.into_iter().enumerate() {
        let stock = &mut stocks[usize::from(at)];
        left = if stock.quantity >= some { stock.quantity - some } else { stock.quantity.wrapping_add(91) - some };
        *stock = Stock { quantity: left, orders: stock.orders + k as u32 };
    }
    left
}

/// Transactions that wait and refuse after they have written: nothing of that is seen, and what could commit at its turn does.
pub(super) fn rows_that_end(environment: &Environment) -> TestResult {
    let (cells, others) = (environment.shared(&[4_u64; 24])?, environment.shared(&[0_i64; 8])?);
    let (mut batch, mut draw, mut tickets) = (environment.batch(), Draw::new(12), Vec::new());
    // Writes a cell, and then looks beyond the end.
    let faulty = batch.push(put_or_sum::call(&cells, [0, 1, 2, 3, 4, 99], 1, 5));
    for _ in 0..environment.transactions(120) {
        let first = draw.below(8) as u32;
        let of = std::array::from_fn(|k| if k == 0 { first } else { 8 + (first * 5 + k as u32 * 3) % 16 });
        tickets.push(batch.push(collect::call(&cells, of, 18)));
        // Others between them, at odd distances.
        (0..draw.below(3)).for_each(|_| _ = batch.push(look::call(&others, first)));
    }
    let within = batch.push(look_around::call(&cells, 4));
    let beyond = batch.push(look_around::call(&cells, 9));
    let refused = batch.push(put_and_refuse::call(&cells, [9, 9], 77));
    let report = environment.run_with(&batch, &environment.options().chunk_size(160))?;
    expect!(matches!(report.outcome(faulty), Outcome::Faulted(_)), "beyond the end: {:?}", report.outcome(faulty));
    expect_eq!(report.outcome(refused), Outcome::Rejected(2), "what sees its own write");
    expect!(matches!(report.outcome(within), Outcome::Committed(_)), "within the bound: {:?}", report.outcome(within));
    expect!(matches!(report.outcome(beyond), Outcome::Faulted(_)), "beyond the bound: {:?}", report.outcome(beyond));
    let committed = tickets.iter().filter(|ticket| matches!(report.outcome(**ticket), Outcome::Committed(_))).count();
    let found = cells.to_vec()?;
    expect_eq!(found.iter().sum::<u64>(), 96, "all that is there");
    expect!(committed > 0 && found[..8].iter().all(|cell| *cell <= 18), "{committed} commits, {found:?}");
    let taken = 5 * committed as u64;
    expect_eq!(found[..8].iter().sum::<u64>(), 32 + taken, "what was collected");
    Ok(())
}

/// In push order, a device ends each transaction as one CPU thread does, also where it turns out late that it cannot.
pub(super) fn turns_in_push_order(environment: &Environment) -> TestResult {
    if !takes_turns(environment.engine) || environment.backend.is_cpu() {
        return Ok(());
    }
    for times in [1, 9] {
        let calls = environment.transactions(100);
        let options = environment.options().order(Order::Pushed).chunk_size(90);
        let found = after_turns(&environment.device, &options, calls, times)?;
        let alone = RunOptions::new().order(Order::Pushed).check(true);
        expect_eq!(found, after_turns(&Device::cpu(1), &alone, calls, times)?, "outcomes and cells with {times}");
    }
    Ok(())
}

/// Runs transactions that wait, refuse and fault, between readers. Returns how each ended, and the cells. One in the middle
/// makes more accesses the higher `times` is.
fn after_turns(
    device: &Device,
    options: &RunOptions,
    calls: usize,
    times: u32,
) -> Result<(Vec<Outcome<u64>>, Vec<u64>), Failure> {
    let cells = device.shared(&[4_u64; 24])?;
    let (mut batch, mut draw, mut tickets) = (device.batch(), Draw::new(13), Vec::new());
    for nth in 0..calls as u32 {
        let first = draw.below(8) as u32;
        let of = std::array::from_fn(|k| if k == 0 { first } else { 8 + (first * 5 + k as u32 * 3) % 16 });
        tickets.push(match draw.below(8) {
            _ if nth as usize == calls / 2 => batch.push(gather_often::call(&cells, times)),
            0 => batch.push(put_or_sum::call(&cells, of, 1 << draw.below(6), u64::from(nth % 3))),
            1 => batch.push(put_or_sum::call(&cells, [0, 1, 2, 3, 4, 99], 1, 5)),
            2 | 3 => batch.push(read_found::call(&cells, first)),
            _ => batch.push(collect::call(&cells, of, 18)),
        });
    }
    let report = batch.run_with(options)?;
    expect!(report.serializable() != Some(false), "{report}");
    Ok((tickets.iter().map(|ticket| report.outcome(*ticket)).collect(), cells.to_vec()?))
}

/// The same of short transactions of several procedures, by one block and by several.
pub(super) fn short_turns_in_push_order(environment: &Environment) -> TestResult {
    if !takes_turns(environment.engine) || environment.backend.is_cpu() {
        return Ok(());
    }
    let calls = environment.transactions(150);
    let alone = RunOptions::new().order(Order::Pushed).check(true);
    let expected = after_short_turns(&Device::cpu(1), &alone, calls)?;
    let options = environment.options().order(Order::Pushed).chunk_size(130);
    for options in [options.clone(), options.threads(100)] {
        expect_eq!(after_short_turns(&environment.device, &options, calls)?, expected, "outcomes, cells and counters");
    }
    Ok(())
}

/// How each transaction ended, the cells and the counters.
type Turns = (Vec<Outcome<u64>>, Vec<u64>, Vec<u16>);

/// Runs transactions that wait, refuse and fault, among readers and counters.
fn after_short_turns(device: &Device, options: &RunOptions, calls: usize) -> Result<Turns, Failure> {
    let (cells, counters) = (device.shared(&[4_u64; 24])?, device.shared(&[u16::MAX; 3])?);
    let (mut batch, mut draw, mut tickets, mut numbers) = (device.batch(), Draw::new(15), Vec::new(), Vec::new());
    for nth in 0..calls {
        let [from, to, some] = std::array::from_fn(|_| draw.below(if nth % 3 == 0 { 24 } else { 5 }) as u32);
        match draw.below(8) {
            0 => tickets.push(batch.push(move_some::call(&cells, [from, 99, some], 9))),
            1 => tickets.push(batch.push(read_cell::call(&cells, from))),
            2 => numbers.push(batch.push(draw_number::call(&counters, (from % 3) as u8))),
            _ => tickets.push(batch.push(move_some::call(&cells, [from, to, some], 16))),
        }
    }
    let report = batch.run_with(options)?;
    expect!(report.serializable() != Some(false), "{report}");
    let mut outcomes: Vec<Outcome<u64>> = tickets.iter().map(|ticket| report.outcome(*ticket)).collect();
    outcomes.extend(numbers.iter().map(|ticket| report.outcome(*ticket).map(u64::from)));
    Ok((outcomes, cells.to_vec()?, counters.to_vec()?))
}
