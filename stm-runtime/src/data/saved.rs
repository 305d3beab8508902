//! Shared arrays in files. The documentation of [`Shared::save`] describes the format.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use super::elements::{buffers, pieces};
use super::shared::Shared;
use super::value::{GpuData, value_of};
use crate::backend::{COPY, hold};
use crate::error::{Error, FileProblem};
use crate::memory;

/// The first bytes of a file.
const MAGIC: &[u8; 8] = b"STMARRAY";
/// Files of another version are refused.
const VERSION: u32 = 1;
/// Bytes before the description of the elements.
const START: usize = 24;
/// Bytes of the checksum.
const SUM: usize = 32;

impl<T: GpuData> Shared<T> {
    /// Writes the elements to a file, as they are when no run uses them. A file of that name is replaced as a whole, once the new one is
    /// on the disk: a crash leaves the one or the other. [`Device::load`](crate::Device::load) and [`Shared::load`] read it.
    ///
    /// The format, whose numbers are little-endian:
    ///
    /// | bytes | content |
    /// |---|---|
    /// | 8 | `STMARRAY` |
    /// | 4 | version: 1 |
    /// | 4 | the length of the description, in bytes |
    /// | 8 | the number of elements |
    /// | as said | the description: a line `path: type` for each component, `.price: i64` for example; a name of a type is no part of it |
    /// | all that follows but 32 | the elements one after the other, each as its components in order, without gaps; a `bool` is 0 or 1 |
    /// | 32 | SHA-256 of all bytes before |
    ///
    /// # Errors
    /// The file cannot be written ([`Error::ArrayFile`]), or as [`Shared::to_vec`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let arrays = self.arrays();
        let _held = hold(&arrays)?;
        let mut target = Target::create(path)?;
        target.write(&head::<T>(self.len() as u64))?;
        let sizes = sizes::<T>();
        let mut bytes = Vec::new();
        self.read_pieces(&arrays, 0..self.len(), |piece, words| {
            bytes.clear();
            for row in 0..piece.len() {
                for (words, size) in words.iter().zip(&sizes) {
                    bytes.extend_from_slice(&words[row].to_le_bytes()[..*size]);
                }
            }
            target.write(&bytes)
        })?;
        target.finish()
    }

    /// Replaces all elements by those of a file that [`Shared::save`] wrote, of as many elements of the same type. The whole file is
    /// checked before an element changes.
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or holds something else ([`Error::ArrayFile`]), or as [`Shared::to_vec`].
    pub fn load(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let mut source = Source::open::<T>(path.as_ref())?;
        if source.elements != self.len() {
            return Err(source.wrong(FileProblem::Elements { file: source.elements, array: self.len() }));
        }
        let mut words = buffers::<T>(self.len())?;
        pieces::<T>(0..self.len()).try_for_each(|piece| source.take::<T>(piece.len(), &mut words))?;
        source.finish()?;
        source.begin_again::<T>()?;
        self.take_from(&mut source)
    }

    /// Replaces all elements by those of a file with as many.
    pub(crate) fn take_from(&self, source: &mut Source<'_>) -> Result<(), Error> {
        let arrays = self.arrays();
        let _held = hold(&arrays)?;
        self.write_pieces(&arrays, 0..self.len(), |piece, words| source.take::<T>(piece.len(), words))?;
        source.finish()
    }
}

/// Returns what a file begins with.
fn head<T: GpuData>(elements: u64) -> Vec<u8> {
    let mut shape = String::new();
    T::TYPE.each_component("", &mut |path, scalar| shape += &format!("{path}: {}\n", scalar.rust()));
    let mut head = MAGIC.to_vec();
    head.extend(VERSION.to_le_bytes());
    head.extend((shape.len() as u32).to_le_bytes());
    head.extend(elements.to_le_bytes());
    head.extend(shape.bytes());
    head
}

/// Returns the bytes of each component.
fn sizes<T: GpuData>() -> Vec<usize> {
    T::TYPE.scalars().into_iter().map(|scalar| scalar.size()).collect()
}

/// A file that is being written, under a temporary name.
struct Target<'p> {
    path: &'p Path,
    /// The path of the file itself. If the given path is a link, this is the path that it leads to.
    place: PathBuf,
    file: BufWriter<NamedTempFile>,
    sum: Sha256,
}

impl Target<'_> {
    fn create(path: &Path) -> Result<Target<'_>, Error> {
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let file = temporary(&place).map_err(|why| wrong(path, &why))?;
        Ok(Target { path, place, file: BufWriter::new(file), sum: Sha256::new() })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.sum.update(bytes);
        self.file.write_all(bytes).map_err(|why| wrong(self.path, &why))
    }

    fn finish(self) -> Result<(), Error> {
        let Target { path, place, mut file, sum } = self;
        let end = move || -> io::Result<()> {
            file.write_all(&sum.finalize())?;
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.as_file().sync_all()?;
            file.persist(&place).map_err(|failed| failed.error)?;
            // The new name is on the disk when its folder is.
            #[cfg(unix)]
            File::open(folder(&place))?.sync_all()?;
            Ok(())
        };
        end().map_err(|why| wrong(path, &why))
    }
}

/// Returns a new file in the folder of another one, with the permissions that the other one has or would get.
fn temporary(place: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let file = builder.prefix(".saving-").tempfile_in(folder(place))?;
    if let Ok(existing) = fs::metadata(place) {
        file.as_file().set_permissions(existing.permissions())?;
    }
    Ok(file)
}

fn folder(place: &Path) -> &Path {
    place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A file that is being read.
pub(crate) struct Source<'p> {
    path: &'p Path,
    file: BufReader<File>,
    sum: Sha256,
    /// The number of elements that it says it has, for which it has as many bytes as it should.
    pub(crate) elements: usize,
    bytes: Vec<u8>,
}

impl<'p> Source<'p> {
    /// Opens a file of elements of that type.
    pub(crate) fn open<T: GpuData>(path: &'p Path) -> Result<Source<'p>, Error> {
        let failed = |why: io::Error| wrong(path, &why);
        // To open a pipe, or to read a device, might take for ever.
        let about = fs::metadata(path).map_err(failed)?;
        if !about.is_file() {
            return Err(Error::ArrayFile { path: path.to_owned(), problem: FileProblem::NoFile });
        }
        let file = BufReader::new(File::open(path).map_err(failed)?);
        let mut source = Source { path, file, sum: Sha256::new(), elements: 0, bytes: Vec::new() };
        let elements = source.head::<T>()?;
        let expected = head::<T>(elements).len() as u64 + SUM as u64;
        let each: usize = sizes::<T>().iter().sum();
        let expected = elements.checked_mul(each as u64).and_then(|bytes| bytes.checked_add(expected));
        let found = source.file.get_ref().metadata().map_err(failed)?.len();
        if expected != Some(found) {
            return Err(source.wrong(FileProblem::Size { elements, found }));
        }
        source.elements = usize::try_from(elements).map_err(|_| source.wrong(FileProblem::Damaged))?;
        Ok(source)
    }

    /// Reads the beginning, and returns the number of elements.
    fn head<T: GpuData>(&mut self) -> Result<u64, Error> {
        let (mut magic, mut version, mut length, mut elements) = ([0; 8], [0; 4], [0; 4], [0; 8]);
        let parts = [&mut magic[..], &mut version, &mut length, &mut elements];
        let is_read = parts.into_iter().try_for_each(|part| self.file.read_exact(part)).is_ok();
        if !is_read || magic != *MAGIC {
            return Err(self.wrong(FileProblem::Foreign));
        }
        let version = u32::from_le_bytes(version);
        if version != VERSION {
            return Err(self.wrong(FileProblem::Version { file: version, known: VERSION }));
        }
        let elements = u64::from_le_bytes(elements);
        let own = head::<T>(elements);
        let mut shape = vec![0; own.len() - START];
        let is_whole = u32::from_le_bytes(length) as usize == shape.len() && self.file.read_exact(&mut shape).is_ok();
        if !is_whole || own[START..] != shape {
            return Err(self.wrong(FileProblem::Type { asked: T::TYPE.to_string() }));
        }
        self.sum.update(&own);
        Ok(elements)
    }

    /// Reads the next elements, into a list of words for each component.
    fn take<T: GpuData>(&mut self, elements: usize, words: &mut [Vec<u64>]) -> Result<(), Error> {
        let sizes = sizes::<T>();
        let each: usize = sizes.iter().sum();
        if each == 0 {
            return Ok(());
        }
        if self.bytes.len() < elements * each {
            self.bytes = memory::zeroed(COPY, elements * each)?;
        }
        let bytes = &mut self.bytes[..elements * each];
        self.file.read_exact(bytes).map_err(|why| wrong(self.path, &why))?;
        self.sum.update(&*bytes);
        let mut rest = &*bytes;
        for row in 0..elements {
            for (words, size) in words.iter_mut().zip(&sizes) {
                let (own, others) = rest.split_at(*size);
                let mut word = [0; 8];
                word[..*size].copy_from_slice(own);
                words[row] = u64::from_le_bytes(word);
                rest = others;
            }
            // A checksum can be made for any bytes.
            if !is_value::<T>(words, row) {
                return Err(self.wrong(FileProblem::Damaged));
            }
        }
        Ok(())
    }

    /// Reads the checksum.
    pub(crate) fn finish(&mut self) -> Result<(), Error> {
        let mut sum = [0; SUM];
        self.file.read_exact(&mut sum).map_err(|why| wrong(self.path, &why))?;
        if std::mem::take(&mut self.sum).finalize()[..] != sum {
            return Err(self.wrong(FileProblem::Damaged));
        }
        Ok(())
    }

    /// Goes back to the first element.
    fn begin_again<T: GpuData>(&mut self) -> Result<(), Error> {
        self.file.rewind().map_err(|why| wrong(self.path, &why))?;
        self.head::<T>().map(|_| ())
    }

    fn wrong(&self, problem: FileProblem) -> Error {
        Error::ArrayFile { path: self.path.to_owned(), problem }
    }
}

/// Returns whether the words in a row are those of a value: a `bool` is 0 or 1, an enum one of its variants.
fn is_value<T: GpuData>(words: &[Vec<u64>], row: usize) -> bool {
    let mut components = words.iter();
    let mut same = true;
    value_of::<T>(words.iter().map(|words| words[row])).stm_put(&mut |word| {
        same &= components.next().is_some_and(|words| words[row] == word);
    });
    same
}

fn wrong(path: &Path, why: &io::Error) -> Error {
    Error::ArrayFile { path: path.to_owned(), problem: FileProblem::System(why.to_string()) }
}
