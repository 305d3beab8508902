//! Parts, one after the other, become transactions of a batch.

use std::ops::Range;

use bytemuck::Zeroable;
use rayon::iter::{IntoParallelIterator, ParallelExtend, ParallelIterator, repeat_n};

use super::open_columns::OpenColumns;
use super::part::Part;
use crate::columns::{Column, WHAT};
use crate::error::Error;
use crate::memory::{self, NoMemory};
use crate::new_rows::{CellsMut, split_first};
use crate::user::batch::Batch;
use crate::user::filling::too_many_rows;

/// A part with the numbers that the batch has for its calls.
struct Numbered<'p, const ARRAYS: usize, const VALUES: usize> {
    part: &'p Part<'p, ARRAYS, VALUES>,
    /// The specialization of each kind, and its place in `shares`.
    kinds: Vec<(u16, usize)>,
    shares: Vec<Share>,
}

/// The calls of one function in a part.
struct Share {
    procedure: usize,
    calls: usize,
    /// The row of the first one.
    row: usize,
}

impl<'p, const ARRAYS: usize, const VALUES: usize> Numbered<'p, ARRAYS, VALUES> {
    /// Looks up what a part calls, after that many transactions. `rows` has the next row of each function.
    fn new(
        part: &'p Part<'p, ARRAYS, VALUES>,
        batch: &mut Batch<'_>,
        first: usize,
        rows: &mut Vec<usize>,
    ) -> Result<Self, Error> {
        let mut numbered = Numbered { part, kinds: Vec::with_capacity(part.kinds.len()), shares: Vec::new() };
        let refused = |before: usize| match &part.wrong {
            Some((at, error)) if *at < before => Err(error.clone().later(first)),
            _ => Ok(()),
        };
        for kind in &part.kinds {
            refused(kind.first)?;
            if !batch.last.is(kind.procedure, &kind.arrays) {
                batch.find_specialization(first + kind.first, kind.procedure, &kind.arrays)?;
            }
            let number = batch.last.number;
            let procedure = batch.specializations.list[number].procedure;
            let shares = &mut numbered.shares;
            let share = shares.iter().position(|share| share.procedure == procedure).unwrap_or_else(|| {
                shares.push(Share { procedure, calls: 0, row: 0 });
                shares.len() - 1
            });
            shares[share].calls += kind.calls;
            numbered.kinds.push((number as u16, share));
        }
        refused(usize::MAX)?;
        rows.resize(batch.specializations.procedures.len(), 0);
        for share in &mut numbered.shares {
            share.row = rows[share.procedure];
            rows[share.procedure] += share.calls;
        }
        match numbered.unnumbered() {
            Some(at) if rows.len() > 1 => Err(too_many_rows(first + at)),
            _ => Ok(numbered),
        }
    }

    /// Returns the first call whose row no number of 32 bits names.
    fn unnumbered(&self) -> Option<usize> {
        let most = 1_usize.checked_shl(32)?;
        let first = self.shares.iter().enumerate().filter_map(|(nth, share)| {
            let calls = || (0..self.part.calls).filter(|at| self.kind(*at).1 == nth);
            (share.row + share.calls > most).then(|| calls().nth(most.saturating_sub(share.row)))?
        });
        first.min()
    }

    fn kind(&self, call: usize) -> (u16, usize) {
        self.kinds[self.part.kind_of.get(call).map_or(0, |kind| usize::from(*kind))]
    }

    /// Writes the arguments, specializations and rows of the calls. `cells` are the new rows of each share. `ids` and `numbers` are empty
    /// where the batch has only one specialization, or one function.
    fn write(&self, cells: Vec<Vec<CellsMut<'_>>>, ids: &mut [u16], numbers: &mut [u32]) {
        ids.iter_mut().enumerate().for_each(|(call, id)| *id = self.kind(call).0);
        // Functions without columns have no rows.
        let mut next: Vec<(usize, usize)> = self
            .shares
            .iter()
            .zip(&cells)
            .map(|(share, own)| if own.is_empty() { (0, 0) } else { (share.row, 1) })
            .collect();
        for (call, number) in numbers.iter_mut().enumerate() {
            let (row, step) = &mut next[self.kind(call).1];
            *number = *row as u32;
            *row += *step;
        }
        if self.part.place.is_some() {
            return;
        }
        let rows = &self.part.rows;
        if let [_] = self.shares[..] {
            let all = cells.into_iter().flatten().enumerate();
            return all.for_each(|(nth, mut cells)| cells.put(0, rows.iter().map(|row| row[nth])));
        }
        let mut calls: Vec<Vec<u32>> = self.shares.iter().map(|share| Vec::with_capacity(share.calls)).collect();
        (0..rows.len()).for_each(|call| calls[self.kind(call).1].push(call as u32));
        for (cells, calls) in cells.into_iter().zip(calls) {
            for (nth, mut cells) in cells.into_iter().enumerate() {
                cells.put(0, calls.iter().map(|call| rows[*call as usize][nth]));
            }
        }
    }
}

impl OpenColumns<'_, '_> {
    /// Adds the calls of all parts to the batch, as [`Batch::push`] would one after the other.
    pub(super) fn join<const ARRAYS: usize, const VALUES: usize>(mut self, parts: &[Part<'_, ARRAYS, VALUES>]) {
        let calls: usize = parts.iter().map(|part| part.calls).sum();
        if let Err(error) = self.take(parts, self.batch.transactions + calls) {
            self.batch.refuse(error);
        }
        self.batch.transactions += calls;
    }

    fn take<const ARRAYS: usize, const VALUES: usize>(
        &mut self,
        parts: &[Part<'_, ARRAYS, VALUES>],
        end: usize,
    ) -> Result<(), Error> {
        self.batch.error.clone().map_or(Ok(()), Err)?;
        let first = self.batch.transactions;
        let written = self.procedure;
        let mut before = self.rows_before();
        let (mut at, mut rows) = (first, before.clone());
        let mut numbered = Vec::with_capacity(parts.len());
        for part in parts {
            numbered.push(Numbered::new(part, self.batch, at, &mut rows)?);
            at += part.calls;
        }
        before.resize(rows.len(), 0);
        self.close();
        let OpenColumns { batch, spare, open, .. } = self;
        let Batch { specializations: own, ids, rows: numbers, .. } = &mut **batch;
        let written = written.and_then(|procedure| own.position(procedure));
        let ranges: Vec<_> = (0..rows.len()).map(|procedure| own.columns_of(procedure)).collect();
        let mut rest: Vec<Vec<CellsMut<'_>>> = Vec::with_capacity(ranges.len());
        let mut all = &mut own.columns[..];
        for (procedure, range) in ranges.iter().enumerate() {
            let (columns, others) = all.split_at_mut(range.len());
            all = others;
            let (known, is_open) = (before[procedure], written == Some(procedure));
            let mut added = rows[procedure] - known;
            if known == 0 && !is_open {
                columns.iter_mut().for_each(|column| *column = Self::column(spare, column.width()));
            }
            if is_open {
                added = added.max(*open);
            }
            rest.push(columns.iter_mut().map(|column| column.open(known, added)).collect::<Result<_, _>>()?);
        }
        if let Some(written) = written {
            shift(&mut rest[written], &numbered, before[written]);
        }
        let ids = lengthen(ids, first..end, own.list.len() > 1)?;
        write(numbered, rest, ids, lengthen(numbers, first..end, ranges.len() > 1)?);
        for (range, rows) in ranges.into_iter().zip(rows) {
            own.columns[range].iter_mut().for_each(|column| column.truncate(rows));
        }
        Ok(())
    }

    /// Returns the number of rows that each function of the batch had before.
    fn rows_before(&self) -> Vec<usize> {
        let own = &self.batch.specializations;
        let rows = |nth| own.columns[own.columns_of(nth)].first().map_or(0, Column::len);
        let mut all: Vec<usize> = (0..own.functions.len()).map(rows).collect();
        if let Some(written) = self.procedure.and_then(|procedure| own.position(procedure)) {
            all[written] = self.before;
        }
        all
    }
}

/// Moves rows that are in place to where they belong: calls before them may be of other functions, or there may be more or fewer of them
/// than the iterator said. `before` rows come before the places.
fn shift<const ARRAYS: usize, const VALUES: usize>(
    columns: &mut [CellsMut<'_>],
    parts: &[Numbered<'_, ARRAYS, VALUES>],
    before: usize,
) {
    let moved = |numbered: &Numbered<'_, ARRAYS, VALUES>| {
        let (place, share) = (numbered.part.place?, numbered.shares.first()?);
        Some((place..place + share.calls, share.row - before))
    };
    let moves: Vec<_> = parts.iter().filter_map(moved).collect();
    let mut each = |(rows, to): &(Range<usize>, usize)| {
        columns.iter_mut().for_each(|cells| cells.shift(rows.clone(), *to));
    };
    // None is written over before it is moved.
    moves.iter().filter(|(rows, to)| *to < rows.start).for_each(&mut each);
    moves.iter().rev().filter(|(rows, to)| *to > rows.start).for_each(&mut each);
}

/// Returns the entries from the first one to the end, to be written, if they are needed.
fn lengthen<T: Zeroable + Clone + Send>(
    list: &mut Vec<T>,
    entries: Range<usize>,
    is_needed: bool,
) -> Result<&mut [T], NoMemory> {
    if !is_needed {
        return Ok(&mut []);
    }
    let more = entries.end.saturating_sub(list.len());
    memory::grow_by(WHAT, list, more)?;
    list.par_extend(repeat_n(T::zeroed(), more));
    Ok(&mut list[entries.start..])
}

/// Writes what a batch has of the calls of all parts, by several threads. `rest` are the new rows of each function.
fn write<const ARRAYS: usize, const VALUES: usize>(
    parts: Vec<Numbered<'_, ARRAYS, VALUES>>,
    mut rest: Vec<Vec<CellsMut<'_>>>,
    mut ids: &mut [u16],
    mut numbers: &mut [u32],
) {
    let mut works = Vec::with_capacity(parts.len());
    for numbered in parts {
        let cells = numbered.shares.iter().map(|share| {
            let (own, others) = split_first(std::mem::take(&mut rest[share.procedure]), share.calls);
            rest[share.procedure] = others;
            own
        });
        let (cells, calls) = (cells.collect(), numbered.part.calls);
        let (own_ids, other_ids) = ids.split_at_mut(calls.min(ids.len()));
        let (own_numbers, other_numbers) = numbers.split_at_mut(calls.min(numbers.len()));
        (ids, numbers) = (other_ids, other_numbers);
        works.push((numbered, cells, own_ids, own_numbers));
    }
    works.into_par_iter().for_each(|(numbered, cells, ids, numbers)| numbered.write(cells, ids, numbers));
}
