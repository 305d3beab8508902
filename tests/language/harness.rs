//! The back ends of the tests, and the expected results of a transaction from a plain function.

use std::cell::RefCell;
use std::fmt::Debug;
use std::panic::{self, AssertUnwindSafe, Location, PanicHookInfo};
use std::sync::Once;

use stm_runtime::{Batch, Call, Engine, FaultCode, GpuData, Outcome, Report};
use stm_tests::skip::skipped;
use stm_tests::{Backend, Environment, TestResult, engines_by_turns, engines_for_cpu};

/// Returns the engines of a test. The language is the same under all engines, so they take turns.
fn engines(backend: Backend, what: &str) -> Vec<Engine> {
    match backend {
        Backend::Cpu => engines_for_cpu(Engine::ALL),
        _ => engines_by_turns(what.bytes().map(usize::from).sum()),
    }
}

/// Runs a test on every back end that this machine has.
pub(crate) fn everywhere(what: &str, test: impl Fn(&Environment) -> TestResult) {
    let gpu = Backend::Gpu { ordinal: 0, threads: None };
    for backend in [Backend::Cpu, Backend::EmulatedThreads, Backend::EmulatedFibers { seed: 3 }, gpu] {
        for engine in engines(backend, what) {
            let environment = match Environment::new(backend, engine) {
                Ok(environment) => environment,
                Err(why) => {
                    skipped(&format!("{what} on {backend}"), &why.to_string());
                    break;
                }
            };
            if let Err(failure) = test(&environment) {
                panic!("{what} on {environment} under {engine}: {failure}");
            }
        }
    }
}

/// The expected end of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum End<R> {
    Value(R),
    Reject(u32),
    Fault(Panic),
}

/// A panic of rustc's code, in the form in which a fault must report it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Panic {
    pub(crate) codes: Vec<FaultCode>,
    /// `None` if the location is outside the user's code.
    pub(crate) line: Option<u32>,
    pub(crate) file: String,
}

/// A batch of calls with their expected ends.
pub(crate) struct Bench {
    batch: Batch<'static>,
    checks: Vec<Check>,
}

type Check = Box<dyn Fn(&Report) -> Result<(), String>>;

impl Bench {
    pub(crate) fn new(environment: &Environment) -> Bench {
        Bench { batch: environment.batch(), checks: Vec::new() }
    }

    /// Adds a call with its expected end. `what` names it.
    pub(crate) fn call<'s, R, const ARRAYS: usize, const VALUES: usize>(
        &mut self,
        what: String,
        call: Call<'s, R, ARRAYS, VALUES>,
        want: End<R>,
    ) where
        R: GpuData + Debug,
    {
        let ticket = self.batch.push(call);
        self.checks.push(Box::new(move |report| {
            let got = report.outcome(ticket);
            // Compares texts: a NaN is equal to itself here, and `-0.0` differs from `0.0`.
            let same = match (&got, &want) {
                (Outcome::Committed(got), End::Value(want)) => format!("{got:?}") == format!("{want:?}"),
                (Outcome::Rejected(got), End::Reject(want)) => got == want,
                (Outcome::Faulted(got), End::Fault(want)) => {
                    let place = want.line.is_none_or(|line| got.line == line && got.file.ends_with(&want.file));
                    place && want.codes.contains(&got.code)
                }
                _ => false,
            };
            if same { Ok(()) } else { Err(format!("{what} gave {got:?}, not {want:?}")) }
        }));
    }

    /// Runs the batch and checks every call.
    pub(crate) fn finish(self, environment: &Environment) -> TestResult {
        let report = environment.run(&self.batch)?;
        let wrong: Vec<String> = self.checks.iter().filter_map(|check| check(&report).err()).collect();
        stm_tests::expect!(wrong.is_empty(), "{} of {} calls\n{}", wrong.len(), self.checks.len(), few(&wrong));
        Ok(())
    }
}

fn few(lines: &[String]) -> String {
    lines.iter().take(8).map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

/// Returns the result of rustc's code: its value, or its panic.
pub(crate) fn plain<R>(function: impl FnOnce() -> R) -> End<R> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !LISTENING.with_borrow(|on| *on) {
                return usual(info);
            }
            LAST.set(Some(read(info)));
        }));
    });
    LISTENING.set(true);
    let ended = panic::catch_unwind(AssertUnwindSafe(function));
    LISTENING.set(false);
    match ended {
        Ok(value) => End::Value(value),
        Err(_) => End::Fault(LAST.take().expect("the hook saw it")),
    }
}

thread_local! {
    static LISTENING: RefCell<bool> = const { RefCell::new(false) };
    static LAST: RefCell<Option<Panic>> = const { RefCell::new(None) };
}

fn read(info: &PanicHookInfo<'_>) -> Panic {
    let text = info.payload_as_str().unwrap_or_default();
    let codes = match text {
        _ if text.starts_with("attempt to shift") => vec![FaultCode::ShiftTooFar],
        _ if text.contains("divide by zero") || text.contains("divisor of zero") => vec![FaultCode::DivideByZero],
        _ if text.starts_with("attempt to") => vec![FaultCode::Overflow],
        _ if text.starts_with("index out of bounds") => vec![FaultCode::IndexOutOfRange],
        _ if text.contains("out of range for slice")
            || text.starts_with("slice index starts at")
            || text == "mid > len" =>
        {
            vec![FaultCode::IndexOutOfRange, FaultCode::Panic]
        }
        _ if text.contains("on a `None` value") => vec![FaultCode::Unwrap],
        // Messages of the user, of `expect` too.
        _ => vec![FaultCode::Panic, FaultCode::Unwrap, FaultCode::BadArgument],
    };
    let file = info.location().map_or("", Location::file).to_owned();
    let line = info.location().filter(|at| at.file().contains("tests/")).map(Location::line);
    let file = file.rsplit('/').next().unwrap_or_default().to_owned();
    Panic { codes, line, file }
}

/// Declares a transaction for each plain function, and a test that calls both with many arguments.
macro_rules! same_as_plain {
    ($test:ident: $($name:ident($($arg:ident: $ty:ty),*) -> $result:ty;)*) => {
        mod transactions {
            use super::*;
            $(
                #[gpu_transaction]
                pub(super) fn $name(_tx: &mut Tx, $($arg: $ty),*) -> TxResult<$result> {
                    Ok(super::$name($($arg),*))
                }
            )*
        }

        #[test]
        fn $test() {
            $crate::harness::everywhere(stringify!($test), |environment| {
                let mut bench = $crate::harness::Bench::new(environment);
                let mut draw = stm_tests::draw::Draw::new(7);
                $(
                    for _ in 0..$crate::harness::CALLS {
                        $(let $arg: $ty = draw.value();)*
                        let what = format!(concat!(stringify!($name), "{:?}"), ($(&$arg,)*));
                        let want = $crate::harness::plain(|| $name($($arg),*));
                        bench.call(what, transactions::$name::call($($arg),*), want);
                    }
                )*
                bench.finish(environment)
            });
        }
    };
}

/// The number of calls of each function.
pub(crate) const CALLS: usize = 80;

/// Checks that different values compare as different.
#[test]
fn wrong_expectations_are_noticed() {
    use stm_runtime::prelude::*;

    #[gpu_fn]
    fn third(x: u32, by: u32) -> u32 {
        x / by
    }

    #[gpu_transaction]
    fn run(_tx: &mut Tx, x: u32, by: u32) -> TxResult<u32> {
        Ok(third(x, by))
    }

    let environment = Environment::new(Backend::Cpu, Engine::default()).expect("there is a CPU");
    let by_zero = plain(|| third(1, 0));
    let End::Fault(panic) = by_zero.clone() else { panic!("{by_zero:?}") };
    assert_eq!((panic.codes.as_slice(), panic.file.as_str()), (&[FaultCode::DivideByZero][..], "harness.rs"));
    let moved = Panic { line: panic.line.map(|line| line + 1), ..panic.clone() };
    let other = Panic { codes: vec![FaultCode::Overflow], ..panic };
    for (arguments, want, right) in [
        ((6, 3), End::Value(2), true),
        ((6, 3), End::Value(3), false),
        ((6, 3), End::Reject(2), false),
        ((1, 0), by_zero, true),
        ((1, 0), End::Value(0), false),
        ((1, 0), End::Fault(moved), false),
        ((1, 0), End::Fault(other), false),
    ] {
        let mut bench = Bench::new(&environment);
        bench.call("run".into(), run::call(arguments.0, arguments.1), want.clone());
        assert_eq!(bench.finish(&environment).is_ok(), right, "{want:?}");
    }
}
