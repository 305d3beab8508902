//! Calls that one thread has made, in their order.

use crate::backend::Array;
use crate::columns::WHAT;
use crate::error::Error;
use crate::memory;
use crate::procedure::Procedure;
use crate::user::call::Call;
use crate::user::specializations::parts_differ;

/// As many kinds are compared with that of a call.
const COMPARED: usize = 8;

/// A function with the arrays of a call.
#[derive(Clone, Copy)]
pub(super) struct Kind<'stm, const ARRAYS: usize> {
    pub(super) procedure: &'static Procedure,
    pub(super) arrays: [&'stm Array; ARRAYS],
    /// Its first call in the part, and how many it has, once the part is complete.
    pub(super) first: usize,
    pub(super) calls: usize,
}

impl<const ARRAYS: usize> Kind<'_, ARRAYS> {
    #[inline(always)]
    fn is(&self, procedure: &'static Procedure, arrays: &[&Array; ARRAYS]) -> bool {
        let same = |at: usize| std::ptr::eq(self.arrays[at], arrays[at]) || self.arrays[at].same(arrays[at]);
        std::ptr::eq(self.procedure, procedure) && (0..ARRAYS).all(same)
    }
}

/// Calls that come one after the other.
pub(super) struct Part<'stm, const ARRAYS: usize, const VALUES: usize> {
    /// In the order of their first calls. A kind may be there again.
    pub(super) kinds: Vec<Kind<'stm, ARRAYS>>,
    /// The kind of each call, once there are two.
    pub(super) kind_of: Vec<u16>,
    /// The arguments of the calls, unless they are in place.
    pub(super) rows: Vec<[u64; VALUES]>,
    /// How many calls it has room for. As many have different kinds at most.
    pub(super) room: usize,
    /// The number of calls, once the part is complete; before, of those that memory was short for.
    pub(super) calls: usize,
    /// The place of the first call among all of the iterator, where the arguments are already.
    pub(super) place: Option<usize>,
    /// The first call that no batch takes, with the reason.
    pub(super) wrong: Option<(usize, Error)>,
    /// The kind of the last call.
    last: usize,
}

impl<'stm, const ARRAYS: usize, const VALUES: usize> Part<'stm, ARRAYS, VALUES> {
    /// Returns a part without calls, which writes to memory that another one has had.
    pub(super) fn new(rows: Vec<[u64; VALUES]>, room: usize) -> Self {
        Part { kinds: Vec::new(), kind_of: Vec::new(), rows, room, calls: 0, place: None, wrong: None, last: 0 }
    }

    /// Makes room for that many calls in all. Returns false where memory is short: then the next call is lost, and an error.
    pub(super) fn reserve(&mut self, room: usize) -> bool {
        let more = room - self.rows.len();
        let mut all = memory::grow_by(WHAT, &mut self.rows, more);
        if self.kinds.len() > 1 {
            let more = room - self.kind_of.len();
            all = all.and_then(|()| memory::grow_by(WHAT, &mut self.kind_of, more));
        }
        match all {
            Ok(()) => self.room = room,
            Err(short) => {
                self.refuse(short.into());
                self.calls += 1;
            }
        }
        all.is_ok()
    }

    /// Adds a call, for which there is room.
    #[inline(always)]
    pub(super) fn push<R>(&mut self, call: Call<'stm, R, ARRAYS, VALUES>) {
        if !self.kinds.get(self.last).is_some_and(|kind| kind.is(call.procedure, &call.arrays)) {
            self.change_kind(call.procedure, call.arrays);
        }
        if self.kinds.len() > 1 {
            self.kind_of.push(self.last as u16);
        }
        if let Some((which, parts)) = call.parts_differ {
            self.refuse(parts_differ(self.rows.len(), call.procedure, which, parts));
        }
        self.rows.push(call.words);
    }

    fn change_kind(&mut self, procedure: &'static Procedure, arrays: [&'stm Array; ARRAYS]) {
        let recent = self.kinds.iter().enumerate().rev().take(COMPARED);
        let known = recent.filter(|(_, kind)| kind.is(procedure, &arrays)).map(|(at, _)| at).next();
        let first = self.rows.len();
        self.last = known.unwrap_or(self.kinds.len());
        if known.is_some() {
            return;
        }
        let mut added = memory::push(WHAT, &mut self.kinds, Kind { procedure, arrays, first, calls: 0 });
        if self.kinds.len() == 2 {
            added = added.and_then(|()| memory::grow_by(WHAT, &mut self.kind_of, self.room));
            self.kind_of.resize(if added.is_ok() { first } else { 0 }, 0);
        }
        if let Err(short) = added {
            self.refuse(short.into());
            (self.last, self.kinds, self.kind_of) = (0, Vec::new(), Vec::new());
        }
    }

    #[cold]
    fn refuse(&mut self, error: Error) {
        self.wrong.get_or_insert((self.rows.len(), error));
    }

    /// Counts the calls of each kind.
    pub(super) fn count(&mut self) {
        match &mut self.kinds[..] {
            [only] => only.calls = self.calls,
            kinds => self.kind_of.iter().for_each(|kind| kinds[usize::from(*kind)].calls += 1),
        }
    }

    /// Takes the calls of a part that follows, if they are of the only kind, and in place where these end. Returns the part otherwise.
    pub(super) fn join(&mut self, next: Self) -> Option<Self> {
        match (&mut self.kinds[..], &next.kinds[..]) {
            ([own], [other])
                if self.place.is_some_and(|place| next.place == Some(place + self.calls))
                    && own.is(other.procedure, &other.arrays) =>
            {
                own.calls += next.calls;
                self.calls += next.calls;
                None
            }
            _ => Some(next),
        }
    }
}
