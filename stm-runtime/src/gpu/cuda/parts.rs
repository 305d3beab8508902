//! Units in parts: each part is compiled on its own thread, or found in the cache, and the driver links them.
//!
//! The compiler takes one unit on one thread, whatever its size. In parts, a batch of many procedures is compiled in the time of
//! its slowest one, and only new parts are compiled at all. A new procedure moves the places of those after it in canonical order, so
//! their parts are new, too.

use std::cmp::Reverse;
use std::fmt::Write;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use kernels_gen::device::functions;
use kernels_gen::device::link::{self, Part};
use kernels_gen::device::unit::UnitSpec;

use super::context::Context;
use super::image::{Image, NvrtcCompiler, kept, put_dump};
use super::linker::Linker;
use super::nvrtc::Form;
use crate::error::GpuError;
use crate::gpu::cache::{DiskCache, Key};
use crate::gpu::making::Making;
use crate::outcome::Origin;
use crate::threads::processors;

/// Whether units are compiled in parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum PartsPolicy {
    /// Units with several procedures, on machines with several processors: the default.
    WhereFaster,
    /// All units, even those with one procedure.
    Always,
    /// No unit.
    Never,
}

static TUNING: AtomicU8 = AtomicU8::new(PartsPolicy::WhereFaster as u8);

impl PartsPolicy {
    /// Sets the choice for all units that this process has not loaded yet, for measurements.
    pub fn choose(self) {
        TUNING.store(self as u8, Ordering::Relaxed);
    }

    fn wanted(functions: usize) -> bool {
        let tuning = TUNING.load(Ordering::Relaxed);
        tuning == PartsPolicy::Always as u8
            || (tuning == PartsPolicy::WhereFaster as u8 && functions > 1 && processors() > 1)
    }
}

/// A unit to compile in parts.
pub(super) struct Parted<'a> {
    compiler: &'a NvrtcCompiler,
    pub(super) parts: Vec<(Part, Key)>,
    pub(super) key: Key,
}

/// A part as machine code, where it comes from, and the notes about it.
pub(super) struct Made {
    image: Image,
    pub(super) how: String,
    from_disk: bool,
    notes: Vec<String>,
}

/// Returns how a part is compiled.
fn form_of(part: &Part) -> Form {
    Form::Part { registers: part.registers }
}

impl<'a> Parted<'a> {
    /// Returns the parts; `None` where the unit should be compiled in one piece.
    pub(super) fn of(unit: &UnitSpec<'_>, compiler: &'a NvrtcCompiler) -> Option<Parted<'a>> {
        // For other targets the driver compiles the text, in one piece.
        let machine_code = compiler.arch.starts_with("sm_");
        (machine_code && PartsPolicy::wanted(functions(unit))).then(|| Parted::new(link::parts(unit), compiler))
    }

    pub(super) fn new(parts: Vec<Part>, compiler: &'a NvrtcCompiler) -> Parted<'a> {
        let keyed = |part: Part| {
            let key = compiler.key(form_of(&part), &without_lines(&part.text));
            (part, key)
        };
        let parts: Vec<(Part, Key)> = parts.into_iter().map(keyed).collect();
        let keys: Vec<String> = parts.iter().map(|(_, key)| key.hex()).collect();
        let key = Key::of(&keys.iter().map(String::as_str).collect::<Vec<_>>());
        Parted { compiler, parts, key }
    }

    /// Returns the linked unit, and whether it comes from the disk. New parts and the linked unit are stored there. `text` is
    /// the unit in one piece, for people.
    pub(super) fn image(
        &self,
        context: Context,
        disk: &DiskCache,
        text: &str,
        making: &mut Making,
    ) -> Result<(Image, bool), GpuError> {
        let begin = Instant::now();
        let mut steps = String::new();
        let (image, from_disk) = kept(disk, self.key, making, |making| {
            // The first link of a process loads the linker: do so while the parts compile.
            let (linker, made) = self.compile(disk, || Linker::new(context));
            let made = made.into_iter().collect::<Result<Vec<Made>, GpuError>>()?;
            making.notes.extend(made.iter().flat_map(|made| made.notes.iter().cloned()));
            let found = made.iter().filter(|made| made.from_disk).count() as u32;
            making.origin = Origin::Compiled { parts: made.len() as u32 - found, found };
            making.end(|times| &mut times.compiler);
            let begin = Instant::now();
            let image = self.link(linker?, &made, disk)?;
            making.end(|times| &mut times.linker);
            made.iter().for_each(|made| _ = writeln!(steps, "- {}", made.how));
            let _ = writeln!(steps, "- linked in {:.1} ms", begin.elapsed().as_secs_f64() * 1e3);
            Ok(image)
        })?;
        making.notes.extend(image.warnings.iter().cloned());
        let how = if from_disk { "from the disk cache" } else { "compiled in parts and linked" };
        let summary = image.summary(&self.compiler.arch, how, begin.elapsed()) + &steps;
        put_dump(self.key, text, &image, &summary, &mut making.notes);
        making.end(|times| &mut times.disk);
        Ok((image, from_disk))
    }

    /// Returns all parts, in order, and the result of `meanwhile`, which runs on this thread.
    pub(super) fn compile<T>(
        &self,
        disk: &DiskCache,
        meanwhile: impl FnOnce() -> T,
    ) -> (T, Vec<Result<Made, GpuError>>) {
        // Longest first.
        let mut order: Vec<usize> = (0..self.parts.len()).collect();
        order.sort_by_key(|at| Reverse(self.parts[*at].0.text.len()));
        let next = AtomicUsize::new(0);
        let made: Mutex<Vec<(usize, Result<Made, GpuError>)>> = Mutex::default();
        let work = || {
            while let Some(&at) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                let part = self.part(at, disk);
                made.lock().unwrap_or_else(PoisonError::into_inner).push((at, part));
            }
        };
        let met = thread::scope(|scope| {
            for _ in 0..processors().min(self.parts.len()) {
                // If no thread can be started, this one does the work.
                let _ = thread::Builder::new().name("stm-nvrtc".into()).spawn_scoped(scope, work);
            }
            let met = meanwhile();
            work();
            met
        });
        let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
        made.sort_by_key(|(at, _)| *at);
        (met, made.into_iter().map(|(_, part)| part).collect())
    }

    fn part(&self, at: usize, disk: &DiskCache) -> Result<Made, GpuError> {
        let begin = Instant::now();
        let (part, key) = &self.parts[at];
        let mut making = Making::begin();
        let compile = || self.compiler.compile(form_of(part), &part.text, *key);
        let (mut image, mut from_disk) = kept(disk, *key, &mut making, |_| compile())?;
        if from_disk && !image.warnings.is_empty() {
            // The messages name lines, which are not part of the key.
            (image, from_disk) = (compile()?, false);
        }
        let how = if from_disk { "from the disk cache" } else { "compiled" };
        let how = format!("{} {how} in {:.1} ms", part.name, begin.elapsed().as_secs_f64() * 1e3);
        Ok(Made { image, how, from_disk, notes: making.notes })
    }

    fn link(&self, mut linker: Linker, made: &[Made], disk: &DiskCache) -> Result<Image, GpuError> {
        for ((part, key), made) in self.parts.iter().zip(made) {
            // The driver would refuse it at each start, so discard it: the next start compiles it again.
            linker
                .add(&part.name, made.image.cubin.as_deref().unwrap_or_default())
                .inspect_err(|_| disk.discard(*key))?;
        }
        let linked = linker.complete()?;
        let mut warnings: Vec<String> = made.iter().flat_map(|made| made.image.warnings.iter().cloned()).collect();
        warnings.sort();
        warnings.dedup();
        Ok(Image {
            cubin: Some(linked.cubin),
            ptx: made.iter().map(|made| made.image.ptx.as_str()).collect(),
            warnings,
            registers: linked.registers,
            spills: made.iter().map(|made| made.image.spills).max().flatten(),
        })
    }
}

/// Returns a part's text without line numbers, which do not affect its machine code.
fn without_lines(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.starts_with("#line ")).collect()
}
