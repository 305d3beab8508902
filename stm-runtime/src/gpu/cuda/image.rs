//! A compiled unit before the driver loads it: from the disk cache or from NVRTC.

use std::fmt::Write;
use std::time::{Duration, Instant};

use super::elf::is_whole;
use super::nvrtc::{Compiled, Form, Nvrtc};
use crate::error::GpuError;
use crate::gpu::cache::{DiskCache, Hit, Key};
use crate::gpu::dump;
use crate::gpu::making::Making;
use crate::outcome::Origin;

/// The name of a unit in messages without a line of the user's file.
const UNIT: &str = "stm_unit.cu";

/// The compiler for a device.
pub(super) struct NvrtcCompiler {
    nvrtc: &'static Nvrtc,
    /// The target architecture.
    pub(super) arch: String,
}

impl NvrtcCompiler {
    pub(super) fn for_device(capability: u32) -> Result<NvrtcCompiler, GpuError> {
        let nvrtc = Nvrtc::find()?;
        Ok(NvrtcCompiler { nvrtc, arch: nvrtc.arch_for(capability)? })
    }

    /// Returns the key of this compiler's output for a text.
    pub(super) fn key(&self, form: Form, text: &str) -> Key {
        let options = self.nvrtc.options(form, &self.arch).join(" ");
        Key::of(&[text, &self.arch, &format!("nvrtc {} {options}", self.nvrtc.version_text())])
    }

    /// Compiles a text. An error carries the path of the source.
    pub(super) fn compile(&self, form: Form, text: &str, key: Key) -> Result<Image, GpuError> {
        match self.nvrtc.compile_to(form, text, UNIT, &self.arch) {
            Ok(compiled) => Ok(Image::from(compiled)),
            Err(GpuError::Compile { errors, log, .. }) => {
                Err(GpuError::Compile { errors, log, source_path: dump::keep_source(key, text) })
            }
            Err(error) => Err(error),
        }
    }
}

/// Returns the image of that key from the disk, or else the one from `make`, which it stores there; and whether it was there.
pub(super) fn kept(
    disk: &DiskCache,
    key: Key,
    making: &mut Making,
    make: impl FnOnce(&mut Making) -> Result<Image, GpuError>,
) -> Result<(Image, bool), GpuError> {
    let notes = &mut making.notes;
    let cached = match disk.get(key) {
        Hit::Found(bytes) => {
            let image = Image::from_bytes(&bytes);
            if image.is_none() {
                notes.push(format!("kernel cache: what it has of {} is no whole kernel and is replaced", key.short()));
            }
            image
        }
        Hit::Missing => None,
        Hit::Refused(what) => {
            notes.push(format!("kernel cache: {what}"));
            None
        }
    };
    making.end(|times| &mut times.disk);
    if let Some(image) = cached {
        making.origin = Origin::Disk;
        return Ok((image, true));
    }
    making.origin = Origin::Compiled { parts: 1, found: 0 };
    let image = make(making)?;
    making.end(|times| &mut times.compiler);
    making.notes.extend(disk.put(key, &image.to_bytes()).err().map(|why| format!("kernel cache: {why}")));
    making.end(|times| &mut times.disk);
    Ok((image, false))
}

/// Writes a unit's text and its compiled form where `STM_DUMP` is set.
pub(super) fn put_dump(key: Key, text: &str, image: &Image, summary: &str, notes: &mut Vec<String>) {
    if let Some(dir) = dump::folder() {
        let files: [(&str, &[u8]); 3] =
            [("cu", text.as_bytes()), ("ptx", image.ptx.as_bytes()), ("txt", summary.as_bytes())];
        notes.extend(dump::write(&dir, key, &files).err());
    }
}

/// A unit that is compiled in one piece.
pub(super) struct UnitSource<'a> {
    pub(super) text: &'a str,
    pub(super) compiler: &'a NvrtcCompiler,
    pub(super) key: Key,
}

impl<'a> UnitSource<'a> {
    pub(super) fn new(text: &'a str, compiler: &'a NvrtcCompiler) -> UnitSource<'a> {
        UnitSource { text, compiler, key: compiler.key(Form::Whole, text) }
    }

    /// Returns the compiled unit, and whether it comes from the disk. A newly compiled unit is stored there.
    pub(super) fn image(&self, disk: &DiskCache, making: &mut Making) -> Result<(Image, bool), GpuError> {
        let begin = Instant::now();
        let (image, from_disk) =
            kept(disk, self.key, making, |_| self.compiler.compile(Form::Whole, self.text, self.key))?;
        making.notes.extend(image.warnings.iter().cloned());
        let how = if from_disk { "from the disk cache" } else { "compiled" };
        put_dump(
            self.key,
            self.text,
            &image,
            &image.summary(&self.compiler.arch, how, begin.elapsed()),
            &mut making.notes,
        );
        making.end(|times| &mut times.disk);
        Ok((image, from_disk))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Image {
    pub(super) cubin: Option<Vec<u8>>,
    pub(super) ptx: String,
    pub(super) warnings: Vec<String>,
    pub(super) registers: Option<u32>,
    pub(super) spills: Option<u32>,
}

/// The marker of an unknown number: no kernel has as many registers.
const UNKNOWN: u32 = u32::MAX;

impl From<Compiled> for Image {
    fn from(compiled: Compiled) -> Image {
        Image {
            warnings: compiled.warnings(),
            cubin: compiled.cubin,
            ptx: compiled.ptx,
            registers: compiled.registers,
            spills: compiled.spills,
        }
    }
}

impl Image {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut put = |part: &[u8]| {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part);
        };
        put(self.cubin.as_deref().unwrap_or(&[]));
        put(self.ptx.as_bytes());
        put(self.warnings.join("\n").as_bytes());
        put(&self.registers.unwrap_or(UNKNOWN).to_le_bytes());
        put(&self.spills.unwrap_or(UNKNOWN).to_le_bytes());
        bytes
    }

    /// Decodes an image. Returns `None` where the bytes are of another format, or hold code that the driver would read past its
    /// end. The checksum has been verified before.
    pub(super) fn from_bytes(mut bytes: &[u8]) -> Option<Image> {
        let mut take = || {
            let (len, rest) = bytes.split_first_chunk::<8>()?;
            let (part, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)?;
            bytes = rest;
            Some(part)
        };
        let number = |part: &[u8]| Some(u32::from_le_bytes(part.try_into().ok()?)).map(|n| (n != UNKNOWN).then_some(n));
        let cubin = take()?;
        let ptx = take()?;
        let warnings = take()?;
        let (registers, spills) = (take()?, take()?);
        // The driver would end a text at a zero byte.
        let is_usable = (cubin.is_empty() || is_whole(cubin)) && !ptx.contains(&0);
        is_usable.then_some(())?;
        Some(Image {
            cubin: (!cubin.is_empty()).then(|| cubin.to_vec()),
            ptx: String::from_utf8(ptx.to_vec()).ok()?,
            warnings: std::str::from_utf8(warnings).ok()?.lines().map(str::to_owned).collect(),
            registers: number(registers)?,
            spills: number(spills)?,
        })
    }

    /// Returns the summary that `STM_DUMP` writes next to source and PTX.
    pub(super) fn summary(&self, arch: &str, how: &str, took: Duration) -> String {
        let known = |n: Option<u32>| n.map_or_else(|| "unknown".to_owned(), |n| n.to_string());
        let mut text = String::new();
        let _ = writeln!(text, "architecture: {arch}");
        let _ = writeln!(text, "registers a thread: {}", known(self.registers));
        let _ = writeln!(text, "bytes spilled: {}", known(self.spills));
        let _ = writeln!(text, "machine code bytes: {}", self.cubin.as_ref().map_or(0, Vec::len));
        let _ = writeln!(text, "{how} in {:.1} ms", took.as_secs_f64() * 1e3);
        for warning in &self.warnings {
            let _ = writeln!(text, "{warning}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str = "extern \"C\" __global__ void stm_run(int* p) { *p = 1; }";

    /// Compiles through that cache; `None` where there is no compiler.
    fn compile(disk: &DiskCache) -> Option<(Image, bool, Vec<String>)> {
        let compiler = NvrtcCompiler::for_device(90).inspect_err(|why| eprintln!("SKIPPED: {why}")).ok()?;
        let mut making = Making::begin();
        let (image, from_disk) = UnitSource::new(KERNEL, &compiler).image(disk, &mut making).unwrap();
        assert_eq!(making.origin, if from_disk { Origin::Disk } else { Origin::Compiled { parts: 1, found: 0 } });
        assert_eq!(making.times().compiler.is_zero(), from_disk, "{:?}", making.times());
        Some((image, from_disk, making.notes))
    }

    #[test]
    fn a_kernel_is_compiled_once_and_again_where_its_file_is_damaged() {
        let dir = tempfile::tempdir().unwrap();
        let disk = DiskCache::at(dir.path(), 1 << 20);
        let Some((first, from_disk, notes)) = compile(&disk) else { return };
        assert!(!from_disk && notes.is_empty(), "{notes:?}");
        assert_eq!(compile(&disk), Some((first.clone(), true, vec![])));

        let folder = std::fs::read_dir(dir.path()).unwrap().next().unwrap().unwrap().path();
        let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[100] ^= 1;
        std::fs::write(&file, bytes).unwrap();
        let (again, from_disk, notes) = compile(&disk).unwrap();
        assert!(again == first && !from_disk && notes[0].contains("is damaged"), "{notes:?}");
        assert_eq!(compile(&disk), Some((first, true, vec![])));
    }

    #[test]
    fn an_unwritable_cache_costs_a_note_and_no_run() {
        let dir = tempfile::tempdir().unwrap();
        let in_the_way = dir.path().join("file");
        std::fs::write(&in_the_way, b"").unwrap();
        let Some((image, from_disk, notes)) = compile(&DiskCache::at(&in_the_way, 1 << 20)) else { return };
        assert!(image.cubin.is_some() && !from_disk);
        assert!(notes.iter().any(|note| note.contains("is not used")), "{notes:?}");
    }

    /// Returns the shortest machine code: a header.
    fn code() -> Vec<u8> {
        let mut code = b"\x7fELF\x02\x01".to_vec();
        code.resize(64, 0);
        code
    }

    fn image() -> Image {
        Image {
            cubin: Some(code()),
            ptx: ".version 9.0".into(),
            warnings: vec!["a.rs(1): warning: x".into(), "b".into()],
            registers: Some(32),
            spills: None,
        }
    }

    #[test]
    fn bytes_bring_back_the_image() {
        assert_eq!(Image::from_bytes(&image().to_bytes()), Some(image()));
        let bare = Image { cubin: None, warnings: vec![], registers: None, ..image() };
        assert_eq!(Image::from_bytes(&bare.to_bytes()), Some(bare));
    }

    #[test]
    fn bytes_cut_short_are_no_image() {
        let bytes = image().to_bytes();
        for len in 0..bytes.len() {
            assert_eq!(Image::from_bytes(&bytes[..len]), None, "{len} bytes");
        }
    }

    #[test]
    fn code_that_the_driver_cannot_read_safely_is_no_image() {
        for wrong in [
            Image { cubin: Some(code()[..63].to_vec()), ..image() },
            Image { cubin: Some(vec![0; 64]), ..image() },
            Image { ptx: ".version\0 9.0".into(), ..image() },
        ] {
            assert_eq!(Image::from_bytes(&wrong.to_bytes()), None, "{wrong:?}");
        }
    }

    #[test]
    fn a_cached_kernel_that_was_cut_off_before_it_was_written_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let (disk, key) = (DiskCache::at(dir.path(), 1 << 20), Key::of(&["kernel"]));
        disk.put(key, &Image { cubin: Some(code()[..10].to_vec()), ..image() }.to_bytes()).unwrap();
        let get = || {
            let mut making = Making::begin();
            let (found, from_disk) = kept(&disk, key, &mut making, |_| Ok(image())).unwrap();
            assert_eq!(found, image());
            (from_disk, making.notes.join("; "))
        };
        let (from_disk, notes) = get();
        assert!(!from_disk && notes.contains("is no whole kernel and is replaced"), "{notes}");
        assert_eq!(get(), (true, String::new()));
    }

    #[test]
    fn the_summary_names_registers_and_spills() {
        let text = image().summary("sm_90", "compiled", Duration::from_millis(5));
        assert!(text.contains("registers a thread: 32") && text.contains("bytes spilled: unknown"), "{text}");
    }
}
