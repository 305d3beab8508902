//! The state of a sequence of calls, and the expected contents of its arrays.

use std::any::{Any, TypeId};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use kernels_gen::spec::Scalar;
use stm_runtime::{Batch, Device, Engine, Error, GpuError, Report, RunOptions, Tuning};
use stm_tests::draw::Draw;

use crate::arrays::{Array, Parameter, Words, type_of};
use crate::call::{End, Procedure};
use crate::log::Log;
use crate::settings::Settings;

/// A result whose error describes a finding.
pub(crate) type Checked<T = ()> = Result<T, String>;

/// Ends the sequence as a finding unless the condition holds.
macro_rules! must {
    ($condition:expr, $($text:tt)+) => {
        if !$condition {
            return Err(format!($($text)+));
        }
    };
}
pub(crate) use must;

/// The way in which a device runs transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Threads(usize),
    Seeded(usize),
    Emulated,
}

/// A device, and the errors to expect from it.
pub(crate) struct Place {
    pub(crate) device: Device,
    pub(crate) sort: Sort,
    /// Whether it has so little memory, or so few steps, that runs may fail.
    pub(crate) is_poor: bool,
    /// Whether it has a number of threads with which nothing can run.
    pub(crate) is_refused: bool,
    /// The engines that its batches may start with.
    pub(crate) engines: Vec<Engine>,
}

/// A shared array and its expected words.
pub(crate) struct Shelf {
    /// The array; `None` after it was dropped.
    pub(crate) held: Option<Box<dyn Array>>,
    ty: TypeId,
    pub(crate) place: usize,
    /// The indices of its components in [`World::components`].
    pub(crate) components: Vec<usize>,
    pub(crate) elements: usize,
    part: usize,
    /// The shelf of the array whose field it is, or its own.
    pub(crate) whole: usize,
}

/// The reason why every run of a batch must fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrong {
    Foreign,
    PartsDiffer,
}

/// A transaction that was pushed.
pub(crate) struct Transaction {
    pub(crate) procedure: &'static Procedure,
    /// The components of its arrays; then its words and its partition.
    pub(crate) components: Vec<usize>,
    pub(crate) words: Vec<u64>,
}

/// Returns the end of one transaction according to a report.
pub(crate) type TrialStatus = Box<dyn Fn(&Report) -> End + Send + Sync>;

/// A batch, its transactions, and its options.
pub(crate) struct Entry {
    pub(crate) inner: Batch<'static>,
    /// The options of its runs.
    pub(crate) options: RunOptions,
    pub(crate) place: usize,
    pub(crate) transactions: Vec<Transaction>,
    pub(crate) ended: Vec<TrialStatus>,
    pub(crate) settings: Settings,
    pub(crate) wrong: Option<Wrong>,
    /// The shelves of its arrays.
    pub(crate) shelves: Vec<usize>,
    /// The coverage of arrays that are created for it.
    pub(crate) coverage: usize,
    /// The procedures that it may call, with arrays for them: for the emulator, where each combination is compiled.
    pub(crate) fixed: Option<Vec<&'static Procedure>>,
}

impl Entry {
    /// Creates an empty batch on a device of that number.
    pub(crate) fn new(place: &Place, at: usize) -> Entry {
        let mut settings = Settings::new(&place.engines);
        settings.option("threads of the device", place.is_refused);
        Entry {
            inner: place.device.batch(),
            options: RunOptions::new(),
            place: at,
            transactions: Vec::new(),
            ended: Vec::new(),
            settings,
            wrong: None,
            shelves: Vec::new(),
            coverage: 1,
            fixed: None,
        }
    }

    /// Changes the options of the next runs.
    pub(crate) fn change(&mut self, set: impl FnOnce(RunOptions) -> RunOptions) {
        self.options = set(std::mem::take(&mut self.options));
    }
}

/// The arrays that a call has taken so far.
#[derive(Default)]
pub(crate) struct Taken {
    shelves: Vec<usize>,
    part: Option<u32>,
    wrong: Option<Wrong>,
}

/// The permitted devices and engines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope {
    /// Whether devices may compile C++.
    pub(crate) emulator: bool,
    /// Whether every engine may run there, rather than a few.
    pub(crate) all_engines: bool,
}

/// The largest number of threads of a CPU device.
pub(crate) const MOST_CPU_THREADS: usize = 1024;
/// The largest number of arrays in one sequence.
const MOST_ARRAYS: usize = 40;
/// Lengths of arrays: none, few, primes, and many.
const LENGTHS: [usize; 14] = [0, 1, 2, 3, 5, 7, 11, 12, 16, 31, 64, 97, 257, 4099];

/// All objects of a sequence.
pub(crate) struct World<'l> {
    pub(crate) scope: Scope,
    pub(crate) log: &'l Log,
    pub(crate) places: Vec<Place>,
    pub(crate) shelves: Vec<Shelf>,
    /// The words of every component of every array.
    pub(crate) components: Words,
    pub(crate) scalars: Vec<Scalar>,
    pub(crate) batches: Vec<Entry>,
    /// The reports, each with its batch and the number of transactions that the batch had.
    pub(crate) reports: Vec<(usize, usize, Report)>,
    pub(crate) tunings: Vec<Tuning>,
    /// Findings of progress functions.
    pub(crate) trouble: Arc<Mutex<Vec<String>>>,
    pub(crate) counts: Counts,
}

/// Counts of what was done.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    /// Calls of the API other than pushes.
    pub(crate) calls: u64,
    pub(crate) pushes: u64,
    pub(crate) runs: u64,
    /// The number of runs whose every outcome an order of the interpreter explains.
    pub(crate) explained: u64,
    pub(crate) errors: u64,
}

impl<'l> World<'l> {
    pub(crate) fn new(scope: Scope, log: &'l Log) -> World<'l> {
        World {
            scope,
            log,
            places: Vec::new(),
            shelves: Vec::new(),
            components: Vec::new(),
            scalars: Vec::new(),
            batches: Vec::new(),
            reports: Vec::new(),
            tunings: Vec::new(),
            trouble: Arc::default(),
            counts: Counts::default(),
        }
    }

    /// Logs a call of the API before it is made.
    pub(crate) fn call(&mut self, text: String) {
        self.counts.calls += 1;
        self.log.note(text);
    }

    /// Returns a random length, sometimes a large one.
    pub(crate) fn length(draw: &mut Draw) -> usize {
        // Mostly short ones.
        let end = LENGTHS.len() - draw.below(10);
        if draw.chance(3) { 32_768 + draw.below(70_000) } else { LENGTHS[draw.below(end)] }
    }

    /// Returns an array for a parameter of the type `P` of a call in that batch: an existing one, or a new one.
    pub(crate) fn argument<P: Parameter>(&mut self, batch: usize, taken: &mut Taken, draw: &mut Draw) -> Checked<P> {
        let place = self.batches[batch].place;
        let is_free = self.batches[batch].fixed.is_none();
        let fits = |shelf: &Shelf| shelf.ty == type_of::<P>() && shelf.held.is_some();
        let own: Vec<usize> = match is_free {
            // One array of each type: another would be another unit to compile.
            false => self.batches[batch].shelves.clone(),
            true => (0..self.shelves.len()).filter(|at| self.shelves[*at].place == place).collect(),
        };
        let mut own: Vec<usize> = own.into_iter().filter(|at| fits(&self.shelves[*at])).collect();
        own.retain(|at| P::PART == 0 || self.shelves[*at].elements > 0);
        let foreign = (0..self.shelves.len()).find(|at| self.shelves[*at].place != place && fits(&self.shelves[*at]));
        let foreign = foreign.filter(|at| P::PART == 0 || self.shelves[*at].elements > 0);
        let wants_new = is_free && draw.chance(150) && self.shelves.len() < MOST_ARRAYS;
        let at = match foreign {
            Some(at) if is_free && draw.chance(2) => at,
            _ if own.is_empty() || wants_new => self.create::<P>(place, self.batches[batch].coverage, draw)?,
            _ => *draw.pick(&own),
        };
        let shelf = &self.shelves[at];
        if shelf.place != place {
            taken.wrong = taken.wrong.or(Some(Wrong::Foreign));
        }
        let part = self.part::<P>(at, taken, draw);
        taken.shelves.push(at);
        let held: &dyn Any = self.shelves[at].held.as_deref().expect("the shelf should hold an array");
        let held = held.downcast_ref::<P::Held>().expect("the array should be of the parameter's type");
        P::of(held, part).map_err(|why| format!("part {part} of an array that has it: {why}"))
    }

    /// Returns the partition for a parameter of the type `P`: mostly that of the call's other parameters.
    fn part<P: Parameter>(&self, at: usize, taken: &mut Taken, draw: &mut Draw) -> u32 {
        let Some(parts) = self.shelves[at].elements.checked_div(P::PART) else { return 0 };
        let own = match taken.part {
            Some(part) if (part as usize) < parts && !draw.chance(5) => part,
            _ => draw.below(parts) as u32,
        };
        if taken.part.is_some_and(|part| part != own) {
            taken.wrong = taken.wrong.or(Some(Wrong::PartsDiffer));
        }
        taken.part = taken.part.or(Some(own));
        own
    }

    /// Creates an array for parameters of the type `P`. Returns its shelf.
    pub(crate) fn create<P: Parameter>(&mut self, place: usize, coverage: usize, draw: &mut Draw) -> Checked<usize> {
        let mut elements = match P::PART {
            0 => World::length(draw),
            part => part * (1 + draw.below(5)),
        };
        self.call({
            format!("array {}: {elements} elements on device {place}, coverage {coverage}", self.shelves.len())
        });
        let device = self.places[place].device.clone();
        let mut created = P::create(&device, elements, coverage, draw);
        if matches!(created, Err(Error::Gpu(GpuError::OutOfMemory { .. }))) && self.places[place].is_poor {
            // Few elements take no memory of the device before a run.
            elements = P::PART.max(1);
            created = P::create(&device, elements, coverage, draw);
        }
        let (held, words) = created.map_err(|why| format!("an array of {elements} elements: {why}"))?;
        let first = self.components.len();
        self.components.extend(words);
        self.scalars.extend(P::scalars());
        let components = (first..self.components.len()).collect();
        let held: Box<dyn Array> = Box::new(held);
        let whole = self.shelves.len();
        self.shelves.push(Shelf {
            held: Some(held),
            ty: type_of::<P>(),
            place,
            components,
            elements,
            part: P::PART,
            whole,
        });
        Ok(whole)
    }

    /// Adds the arrays of the fields of an array.
    pub(crate) fn add_fields(&mut self, at: usize) {
        let shelf = &self.shelves[at];
        let (place, elements, part, whole) = (shelf.place, shelf.elements, shelf.part, shelf.whole);
        for (range, held) in shelf.held.as_ref().map_or_else(Vec::new, |held| held.fields()) {
            let components = self.shelves[at].components[range].to_vec();
            let ty = held.as_ref().type_id();
            self.shelves.push(Shelf { held: Some(held), ty, place, components, elements, part, whole });
        }
    }

    /// Returns true if the batch must refuse a call with these arrays.
    pub(crate) fn refuses(&self, batch: usize, taken: &Taken) -> bool {
        self.batches[batch].wrong.is_some() || taken.wrong.is_some()
    }

    /// Notes a transaction of a batch, which is about to be pushed.
    pub(crate) fn pushed(
        &mut self,
        batch: usize,
        procedure: &'static Procedure,
        taken: Taken,
        mut words: Vec<u64>,
    ) -> &mut Entry {
        self.counts.pushes += 1;
        words.extend(taken.part.map(u64::from));
        let components: Vec<usize> =
            taken.shelves.iter().flat_map(|at| self.shelves[*at].components.iter().copied()).collect();
        let batch = &mut self.batches[batch];
        let text = || format!("  push {} on arrays {:?}, words {words:x?}", procedure.name, taken.shelves);
        self.log.note_detail(batch.transactions.len(), text);
        for at in taken.shelves {
            if !batch.shelves.contains(&at) {
                batch.shelves.push(at);
            }
        }
        // Of several errors in one call, a foreign device is reported first, and different partitions last.
        let foreign = taken.wrong.filter(|wrong| *wrong == Wrong::Foreign);
        batch.wrong = batch.wrong.or(foreign).or(taken.wrong);
        batch.transactions.push(Transaction { procedure, components, words });
        batch
    }

    /// Reads an array and compares it with the expected words.
    pub(crate) fn compare(&mut self, at: usize) -> Checked {
        let shelf = &self.shelves[at];
        let Some(held) = &shelf.held else { return Ok(()) };
        let words = held.words().map_err(|why| format!("array {at} cannot be read: {why}"))?;
        for (number, word) in shelf.components.iter().zip(&words) {
            let must = &self.components[*number];
            must!(must == word, "array {at} holds {}, and must hold {}", show(word), show(must));
        }
        Ok(())
    }

    /// Returns the shelves that show arrays of a batch. A field also shows it after the array of the batch was dropped.
    pub(crate) fn reached(&self, batch: usize) -> Vec<usize> {
        let wholes: Vec<usize> = self.batches[batch].shelves.iter().map(|at| self.shelves[*at].whole).collect();
        (0..self.shelves.len()).filter(|at| wholes.contains(&self.shelves[*at].whole)).collect()
    }

    /// Takes over the current contents of an array.
    pub(crate) fn reread(&mut self, at: usize) -> Checked {
        let shelf = &self.shelves[at];
        let Some(held) = &shelf.held else { return Ok(()) };
        let words = held.words().map_err(|why| format!("array {at} cannot be read: {why}"))?;
        for (number, words) in shelf.components.iter().zip(words) {
            self.components[*number] = words;
        }
        Ok(())
    }

    /// Returns a shelf whose array was not dropped.
    pub(crate) fn shelf(&self, draw: &mut Draw) -> Option<usize> {
        let held: Vec<usize> = (0..self.shelves.len()).filter(|at| self.shelves[*at].held.is_some()).collect();
        (!held.is_empty()).then(|| *draw.pick(&held))
    }

    /// Fails with the findings of progress functions since the last call.
    pub(crate) fn no_trouble(&self) -> Checked {
        let trouble = std::mem::take(&mut *self.trouble.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        if trouble.is_empty() { Ok(()) } else { Err(trouble.join("; ")) }
    }
}

/// Formats words, shortened.
pub(crate) fn show(words: &[u64]) -> String {
    let more = if words.len() > 24 { format!(" and {} more", words.len() - 24) } else { String::new() };
    format!("{:x?}{more}", &words[..words.len().min(24)])
}

/// Creates a flag that ends runs.
pub(crate) fn flag(value: bool) -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    flag.store(value, Ordering::Relaxed);
    flag
}
