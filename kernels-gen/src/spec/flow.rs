//! What the values of a transaction depend on, and whether the order of such transactions matters.

use super::ProcedureSpec;

/// The data flow of a procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataFlow {
    /// The slots that are written, ascending.
    pub written: &'static [Written],
    /// The reads that the result depends on.
    pub result: Sources,
    /// Why the order of such transactions can matter even where every guard holds: a sentence; `None` if it does not matter.
    pub order_matters: Option<&'static str>,
    /// The location of the last statement that can keep an attempt from committing, apart from conflicts and from elements that do
    /// not exist; `None` if there is none.
    pub last_doubt: Option<u32>,
    /// What can be known before it runs; `None` where nothing is known about its accesses.
    pub foresight: Option<Foresight>,
}

/// What follows from the arguments of a transaction and from elements that are known before it runs. Arrays are indices into
/// [`ProcedureSpec::params`](super::ProcedureSpec::params), ascending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foresight {
    /// The arrays that decide which elements it accesses if it commits, in which order.
    pub accesses: &'static [u32],
    /// The arrays that decide its result.
    pub result: &'static [u32],
    /// What can keep it from committing, ascending by location.
    pub doubts: &'static [Doubt],
    /// Its writes, ascending by location and array.
    pub writes: &'static [ForeseenWrite],
    /// The arrays of which it writes one element after the other, at one index: those of each such row, in order. Each row once.
    pub together: &'static [&'static [u32]],
}

/// A place where a transaction can end without a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doubt {
    /// The location.
    pub location: u32,
    /// The arrays that decide whether it ends there.
    pub arrays: &'static [u32],
}

/// The writes of a location to an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForeseenWrite {
    /// The location.
    pub location: u32,
    /// The array.
    pub param: u32,
    /// How often it is made at most, if that is known.
    pub times: Option<u32>,
    /// The arrays that decide whether it is made, and to which element.
    pub address: &'static [u32],
    /// Those that decide the new value.
    pub value: &'static [u32],
    /// What it adds to what the element held when it was read, where it has that form.
    pub addition: Option<Addition>,
    /// How the new value follows from what the element held, where it is a piece.
    pub piece: Option<PieceInputs>,
}

/// What a write adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Addition {
    /// The arrays that decide it.
    pub arrays: &'static [u32],
    /// The arrays that are written between the read and the write.
    pub between: &'static [u32],
    /// It adds nothing.
    pub is_nothing: bool,
}

/// What a new value follows from, besides what the element held when it was read: some *inputs*, which do not depend on that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceInputs {
    /// The arrays that decide the inputs.
    pub arrays: &'static [u32],
    /// The arrays that are written between the read and the write.
    pub between: &'static [u32],
}

/// The new value of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// The slot of the element.
    pub slot: u32,
    /// How the new value comes from the old one, where that has a form.
    pub change: Option<Change>,
    /// The reads that the new value depends on, or whether the element is written at all.
    pub sources: Sources,
}

/// How the new value of an element comes from the old one and a value that follows from the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// `x + e` or `x - e` of integers, also wrapping.
    Add,
    /// The smaller one of two integers.
    Min,
    /// The larger one of two integers.
    Max,
    /// `x & e`.
    And,
    /// `x | e`.
    Or,
    /// `x ^ e`.
    Xor,
    /// The value alone.
    Set,
}

/// How a transaction uses an array: whether it needs no values of it, but adds to its elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sums {
    /// Which parameter (index into [`ProcedureSpec::params`](super::ProcedureSpec::params)) is the array.
    pub param: u32,
    /// The most additions of one attempt; 0 where it writes no element.
    pub additions: u32,
    /// Some addition is a fault where it overflows, unless the procedure wraps.
    pub can_overflow: bool,
    /// Why the transaction needs values, or changes elements otherwise: a sentence; `None` if it does not.
    pub otherwise: Option<&'static str>,
}

/// Reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sources {
    /// Their slots, ascending.
    pub slots: &'static [u32],
    /// Whether there are reads in loops among them.
    pub in_loops: bool,
}

/// A comparison of an element with a value that follows from the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// The slot of the element, which is on the left.
    pub slot: u32,
    /// The comparison.
    pub compare: Comparison,
}

/// A comparison that holds for all values on one side of a bound, or for one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named after the operators")]
pub enum Comparison {
    Lt,
    Le,
    Eq,
    Ge,
    Gt,
}

impl Comparison {
    /// Returns the operator in Rust.
    #[must_use]
    pub const fn rust(self) -> &'static str {
        match self {
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Eq => "==",
            Comparison::Ge => ">=",
            Comparison::Gt => ">",
        }
    }
}

impl DataFlow {
    /// The data flow of a procedure of which nothing is known.
    pub const NONE: DataFlow = DataFlow {
        written: &[],
        result: Sources::NONE,
        order_matters: Some("nothing is known about its data flow"),
        last_doubt: None,
        foresight: None,
    };
}

impl Foresight {
    /// Returns how many of these writes a transaction of the procedure makes at most. Where loops have no known end, they are as many as the
    /// elements that the user states.
    #[must_use]
    pub fn most_writes(&self, procedure: &ProcedureSpec, is_meant: impl Fn(&ForeseenWrite) -> bool) -> u32 {
        let mut writes = self.writes.iter().filter(|write| is_meant(write)).peekable();
        if writes.peek().is_none() {
            return 0;
        }
        let times = writes.try_fold(0_u32, |all, write| Some(all.saturating_add(write.times?)));
        times.unwrap_or(procedure.facts.footprint())
    }
}

impl Sources {
    /// No reads.
    pub const NONE: Sources = Sources { slots: &[], in_loops: false };

    /// Returns whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.slots.is_empty() && !self.in_loops
    }
}

impl Change {
    /// Returns how it is written in Rust, with `e` for the value.
    #[must_use]
    pub const fn rust(self) -> &'static str {
        match self {
            Change::Add => "+ e",
            Change::Min => "min e",
            Change::Max => "max e",
            Change::And => "& e",
            Change::Or => "| e",
            Change::Xor => "^ e",
            Change::Set => "e",
        }
    }
}
