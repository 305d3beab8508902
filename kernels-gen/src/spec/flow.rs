//! What the values of a transaction depend on, and whether the order of such transactions matters.

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
    /// What follows from the arguments alone.
    pub foresight: Foresight,
}

/// What follows from the arguments of a transaction alone, before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foresight {
    /// Which elements it accesses if it commits, in which order.
    pub accesses: bool,
    /// Whether it commits.
    pub outcome: bool,
    /// The locations of the writes whose values follow, ascending.
    pub values: &'static [u32],
    /// The locations of the writes that add something that follows to what the element held when it was read, ascending.
    pub additions: &'static [u32],
    /// Those of them where nothing is written between the read and the write.
    pub immediate: &'static [u32],
    /// Whether it commits, and `values` and `additions` are all of its writes.
    pub complete: bool,
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
        foresight: Foresight {
            accesses: false,
            outcome: false,
            values: &[],
            additions: &[],
            immediate: &[],
            complete: false,
        },
    };
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
