//! The limits of an attempt: those that its procedure declares (loop iterations, and accesses inside loops), and the end
//! of the run, which interrupts long loops.
//!
//! The rule for accesses: where `max_accesses` is declared, the distinct elements that are first accessed in a loop count
//! against it. Every engine counts in this way, so that a transaction faults on all of them or on none.

use kernels_gen::fault::FaultCode;
use kernels_gen::spec::{LocationKind, ProcedureSpec};

use super::abort::Abort;
use super::alarm::Alarm;
use crate::keymap::KeyMap;

/// Loop iterations between two checks of the alarm.
const ITERATIONS_PER_LOOK: u32 = 256;
/// The most loop iterations of an attempt that does not check the alarm.
const ITERATIONS_ALONE: u32 = 1 << 15;

/// The limits of the running procedure, and how far its attempt has used them.
#[derive(Debug)]
pub(crate) struct AttemptLimits<'a> {
    procedure: Option<&'static ProcedureSpec>,
    /// Ends the run; `None` if the attempt must run to its end.
    alarm: Option<&'a Alarm>,
    /// The iterations of an attempt: until the first check of the alarm, and after it.
    iterations: (u32, u32),
    /// Iterations until the next check.
    iterations_left: u32,
    /// Iterations that are allowed after that check.
    iterations_later: u32,
    /// Whether accesses are counted: the procedure declares their number.
    counts: bool,
    /// Whether fewer iterations are allowed than the procedure may make, because accesses are not counted.
    is_shortened: bool,
    /// Elements accessed so far.
    met: KeyMap,
    in_loops: u32,
}

/// Returns how many loop iterations an attempt may make in which it cannot access more elements than the procedure declares. In an
/// iteration, each access in a loop is made once at most, to no more components than there are parameters.
#[cold]
fn iterations_without_counting(procedure: &ProcedureSpec) -> u32 {
    let is_in_loop =
        |what| matches!(what, LocationKind::Read { in_loop: true } | LocationKind::Write { in_loop: true });
    let accesses = procedure.locations.iter().filter(|location| is_in_loop(location.what)).count();
    let components = procedure.params.iter().filter(|param| param.role.array().is_some()).count();
    match u32::try_from(accesses * components) {
        Ok(0) => procedure.max_iterations,
        Ok(most) => procedure.max_iterations.min(procedure.facts.indexed / most),
        Err(_) => 0,
    }
}

impl<'a> AttemptLimits<'a> {
    pub(crate) fn new(alarm: Option<&'a Alarm>) -> AttemptLimits<'a> {
        AttemptLimits {
            procedure: None,
            alarm,
            iterations: (u32::MAX, 0),
            iterations_left: u32::MAX,
            iterations_later: 0,
            counts: false,
            is_shortened: false,
            met: KeyMap::default(),
            in_loops: 0,
        }
    }

    /// Prepares for attempts at transactions of a procedure. On the fast path, accesses are not counted: an attempt ends before it can
    /// make too many of them. If it `is_alone` besides, it does not look at the alarm, and ends before that takes long.
    #[inline]
    pub(crate) fn prepare(&mut self, procedure: &'static ProcedureSpec, is_fast: bool, is_alone: bool) {
        if self.procedure.is_some_and(|known| std::ptr::eq(known, procedure)) {
            return;
        }
        self.procedure = Some(procedure);
        // Among several procedures this runs for each transaction, so it has to be short for most.
        let is_uncounted = is_fast && procedure.facts.stated;
        let allowed = if is_uncounted { iterations_without_counting(procedure) } else { procedure.max_iterations };
        self.is_shortened = allowed < procedure.max_iterations;
        let first = allowed.min(if is_alone { ITERATIONS_ALONE } else { ITERATIONS_PER_LOOK });
        self.iterations = (first, allowed - first);
        self.counts = procedure.facts.stated && !is_fast;
    }

    /// Starts an attempt whose accesses are not counted.
    #[inline]
    pub(crate) fn begin_uncounted(&mut self) {
        (self.iterations_left, self.iterations_later) = self.iterations;
    }

    /// Starts an attempt.
    #[inline]
    pub(crate) fn begin(&mut self) {
        self.begin_uncounted();
        if self.counts {
            self.met.clear();
            self.in_loops = 0;
        }
    }

    /// Starts a prefetch of a transaction. It may make that many iterations, and its accesses are not counted.
    #[inline]
    pub(crate) fn begin_look_ahead(&mut self, iterations: u32) {
        (self.iterations_left, self.iterations_later, self.counts) = (iterations, 0, false);
    }

    /// Counts a loop iteration. Returns true now and then, when it has checked the alarm.
    #[inline]
    pub(crate) fn iteration(&mut self, location: u32) -> Result<bool, Abort> {
        match self.iterations_left.checked_sub(1) {
            Some(left) => {
                self.iterations_left = left;
                Ok(false)
            }
            None => self.look(location).map(|()| true),
        }
    }

    /// Counts a loop iteration of an attempt that is alone, and does not look at the alarm.
    #[inline(always)]
    pub(crate) fn iteration_alone(&mut self) -> Result<(), Abort> {
        // No call, so that the compiler keeps in registers what the loop needs.
        self.iterations_left = self.iterations_left.checked_sub(1).ok_or(Abort::NEEDS_SLOW_PATH)?;
        Ok(())
    }

    /// Checks the alarm, and counts an iteration.
    #[cold]
    fn look(&mut self, location: u32) -> Result<(), Abort> {
        let Some(later) = self.iterations_later.checked_sub(1) else {
            if self.is_shortened {
                return Err(Abort::NEEDS_SLOW_PATH);
            }
            return Err(Abort::fault(FaultCode::TooManyIterations, location));
        };
        if self.alarm.is_some_and(Alarm::is_over) {
            return Err(Abort::HALTED);
        }
        self.iterations_left = later.min(ITERATIONS_PER_LOOK);
        self.iterations_later = later - self.iterations_left;
        Ok(())
    }

    /// Returns whether accesses are counted.
    #[inline]
    pub(crate) fn counts(&self) -> bool {
        self.counts
    }

    /// Counts an access to an element that exists.
    pub(crate) fn access(&mut self, array: u32, index: u64, location: u32) -> Result<(), Abort> {
        self.met.make_room()?;
        let (Some(procedure), true) = (self.procedure, self.met.insert(u64::from(array) << 48 | index, 0)) else {
            return Ok(());
        };
        let in_loop = procedure.locations.get(location as usize).is_some_and(|location| {
            matches!(location.what, LocationKind::Read { in_loop: true } | LocationKind::Write { in_loop: true })
        });
        self.in_loops += u32::from(in_loop);
        if in_loop && self.in_loops > procedure.facts.indexed {
            return Err(Abort::fault(FaultCode::TooManyAccesses, location));
        }
        Ok(())
    }
}
