//! What one annotated function is, as plain data.
//!
//! The macro prints a [`Source`] as a constant expression. The runtime compiles it once into a [`KindSpec`], which the
//! linker turns into device code. Nothing here knows syn, CUDA or a device.

use serde::{Deserialize, Serialize};

/// A machine type that a transaction can hold, pass and store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Scalar {
    I8,
    I16,
    I32,
    I64,
    Isize,
    U8,
    U16,
    U32,
    U64,
    Usize,
    F32,
    F64,
    Bool,
}

impl Scalar {
    /// Every scalar, in the order of declaration.
    pub const ALL: [Scalar; 13] = [
        Scalar::I8,
        Scalar::I16,
        Scalar::I32,
        Scalar::I64,
        Scalar::Isize,
        Scalar::U8,
        Scalar::U16,
        Scalar::U32,
        Scalar::U64,
        Scalar::Usize,
        Scalar::F32,
        Scalar::F64,
        Scalar::Bool,
    ];

    /// The name in Rust.
    #[must_use]
    pub const fn rust(self) -> &'static str {
        match self {
            Scalar::I8 => "i8",
            Scalar::I16 => "i16",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::Isize => "isize",
            Scalar::U8 => "u8",
            Scalar::U16 => "u16",
            Scalar::U32 => "u32",
            Scalar::U64 => "u64",
            Scalar::Usize => "usize",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
            Scalar::Bool => "bool",
        }
    }

    /// The name in the device prelude. `usize` and `isize` are the 64-bit types, as on every host with a CUDA driver.
    #[must_use]
    pub const fn cuda(self) -> &'static str {
        match self {
            Scalar::Isize => "i64",
            Scalar::Usize => "u64",
            other => other.rust(),
        }
    }

    /// Size in bytes.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Scalar::I8 | Scalar::U8 | Scalar::Bool => 1,
            Scalar::I16 | Scalar::U16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            _ => 8,
        }
    }

    /// The scalar of that Rust name.
    #[must_use]
    pub fn from_rust(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|s| s.rust() == name)
    }

    /// A whole number, signed or not.
    #[must_use]
    pub const fn is_int(self) -> bool {
        !matches!(self, Scalar::F32 | Scalar::F64 | Scalar::Bool)
    }

    /// A signed whole number.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        matches!(self, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::Isize)
    }

    /// The unsigned integer of the same width.
    #[must_use]
    pub const fn unsigned(self) -> Scalar {
        match self {
            Scalar::I8 => Scalar::U8,
            Scalar::I16 => Scalar::U16,
            Scalar::I32 | Scalar::F32 => Scalar::U32,
            Scalar::I64 | Scalar::F64 => Scalar::U64,
            Scalar::Isize => Scalar::Usize,
            other => other,
        }
    }

    /// The signed integer of the same width.
    #[must_use]
    pub const fn signed(self) -> Scalar {
        match self {
            Scalar::U8 => Scalar::I8,
            Scalar::U16 => Scalar::I16,
            Scalar::U32 | Scalar::F32 => Scalar::I32,
            Scalar::U64 | Scalar::F64 => Scalar::I64,
            Scalar::Usize => Scalar::Isize,
            other => other,
        }
    }

    /// `f32` or `f64`.
    #[must_use]
    pub const fn is_float(self) -> bool {
        matches!(self, Scalar::F32 | Scalar::F64)
    }
}

/// The shape of a value that transactions can hold, pass and store, as `<T as GpuData>::TYPE` gives it.
///
/// On the device a value is its *leaves*: scalars in the order of declaration. A tuple or record has those of its fields,
/// an array those of its elements one after the other, an `Option` a `bool` (there is a value) and those of the value,
/// an enum without fields its discriminant. `()` has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// A machine type.
    Scalar(Scalar),
    /// `()`.
    Unit,
    /// A tuple of at least one value.
    Tuple(&'static [Type]),
    /// `[T; N]`.
    Array(&'static Type, u64),
    /// `Option<T>`.
    Option(&'static Type),
    /// A struct with `#[derive(GpuData)]`.
    Record(&'static Record),
    /// An enum without fields with `#[derive(GpuData)]`.
    Enum(&'static Enum),
}

/// A struct with `#[derive(GpuData)]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Record {
    /// Its name.
    pub name: &'static str,
    /// `module_path!()` where it is declared.
    pub module: &'static str,
    /// Its fields in the order of declaration; those of a tuple struct are named `0`, `1` and so on.
    pub fields: &'static [(&'static str, Type)],
}

/// An enum without fields with `#[derive(GpuData)]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Enum {
    /// Its name.
    pub name: &'static str,
    /// `module_path!()` where it is declared.
    pub module: &'static str,
    /// The type of its discriminants: that of `#[repr(..)]`, or `isize`.
    pub repr: Scalar,
    /// Its variants with their discriminants.
    pub variants: &'static [(&'static str, i128)],
}

impl Type {
    /// How many leaves a value has.
    #[must_use]
    pub const fn leaves(self) -> usize {
        match self {
            Type::Scalar(_) | Type::Enum(_) => 1,
            Type::Unit => 0,
            Type::Option(inner) => 1 + inner.leaves(),
            Type::Array(element, length) => element.leaves() * length as usize,
            Type::Tuple(parts) => {
                let (mut sum, mut k) = (0, 0);
                while k < parts.len() {
                    sum += parts[k].leaves();
                    k += 1;
                }
                sum
            }
            Type::Record(record) => {
                let (mut sum, mut k) = (0, 0);
                while k < record.fields.len() {
                    sum += record.fields[k].1.leaves();
                    k += 1;
                }
                sum
            }
        }
    }

    /// Calls `visit` for each leaf in order, with its path below the value: ``, `.price`, `.0`, `[3]`, `.is_some`.
    pub fn each_leaf(self, path: &str, visit: &mut impl FnMut(String, Scalar)) {
        match self {
            Type::Scalar(scalar) => visit(path.to_owned(), scalar),
            Type::Enum(of) => visit(path.to_owned(), of.repr),
            Type::Unit => {}
            Type::Option(inner) => {
                visit(format!("{path}.is_some"), Scalar::Bool);
                inner.each_leaf(&format!("{path}.some"), visit);
            }
            Type::Array(element, length) => {
                (0..length).for_each(|k| element.each_leaf(&format!("{path}[{k}]"), visit));
            }
            Type::Tuple(parts) => {
                parts.iter().enumerate().for_each(|(k, part)| part.each_leaf(&format!("{path}.{k}"), visit));
            }
            Type::Record(record) => {
                record.fields.iter().for_each(|(name, ty)| ty.each_leaf(&format!("{path}.{name}"), visit));
            }
        }
    }

    /// The scalars of the leaves, in order.
    #[must_use]
    pub fn scalars(self) -> Vec<Scalar> {
        let mut scalars = Vec::new();
        self.each_leaf("", &mut |_, scalar| scalars.push(scalar));
        scalars
    }
}

impl std::fmt::Display for Type {
    /// The type as Rust writes it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Scalar(scalar) => f.write_str(scalar.rust()),
            Type::Unit => f.write_str("()"),
            Type::Tuple([only]) => write!(f, "({only},)"),
            Type::Tuple(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    write!(f, "{}{part}", if k == 0 { "(" } else { ", " })?;
                }
                f.write_str(")")
            }
            Type::Array(element, length) => write!(f, "[{element}; {length}]"),
            Type::Option(inner) => write!(f, "Option<{inner}>"),
            Type::Record(record) => f.write_str(record.name),
            Type::Enum(of) => f.write_str(of.name),
        }
    }
}

/// A constant of the user's program as Rust evaluated it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constant {
    /// Its type.
    pub ty: Type,
    /// The words of its leaves.
    pub words: Vec<u64>,
}

/// One annotated function as the macro leaves it: its intermediate form, and what only rustc can resolve. Names, types
/// and constants of the user's program are entries of lists, which the intermediate form names by number.
#[derive(Clone, Copy)]
pub struct Source {
    /// The intermediate form, encoded.
    pub ir: &'static [u8],
    /// `module_path!()` where it is declared.
    pub module: &'static str,
    /// Integer overflow is a fault (as in a debug build) instead of wrapping.
    pub checked: bool,
    /// The types that it names.
    pub types: &'static [Type],
    /// The constants that it names.
    pub constants: &'static [fn() -> Constant],
    /// The functions that it calls, one entry for each call, in source order.
    pub functions: &'static [&'static Source],
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("module", &self.module).field("bytes", &self.ir.len()).finish_non_exhaustive()
    }
}

/// One annotated function, compiled: everything is resolved, and every value is its leaves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KindSpec {
    /// The function's name, without `r#`.
    pub name: &'static str,
    /// `module_path!()` where it is declared.
    pub module: &'static str,
    /// The source file as the compiler names it.
    pub file: &'static str,
    /// The line of `fn`, from 1.
    pub line: u32,
    /// The parameters after `tx`, in order, each as its leaves: a record is one parameter for each of its fields.
    pub params: &'static [Param],
    /// The leaves of the result; none for `()`.
    pub result: &'static [Scalar],
    /// The CUDA text of `announce` and `body`; the linker adds everything around it.
    pub cuda: &'static str,
    /// What the analysis found out.
    pub facts: Facts,
    /// The places in the source that a report can name; verbs and faults carry an index into it.
    pub sites: &'static [Site],
    /// Integer overflow is a fault (as in a debug build) instead of wrapping.
    pub checked: bool,
    /// How many loop iterations one attempt may make before it is a fault.
    pub max_iterations: u32,
}

/// One parameter of an annotated function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Param {
    /// Its name, with the path of the leaf: `amount`, `rooms.free`.
    pub name: &'static str,
    /// A value of the call, or a region.
    pub role: Role,
}

/// What a parameter stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A plain value, one per call.
    Value(Scalar),
    /// `&Shared<T>`.
    Region(Scalar),
}

/// What the analysis knows of a kind: the reason why generated code can beat a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The straight-line accesses, one entry for each element that is provably the same one: index = slot.
    pub slots: &'static [Slot],
    /// The most distinct elements that accesses inside loops can touch; 0 where there are none.
    pub indexed: u32,
    /// `indexed` was stated by the user, not derived, so an attempt can exceed it (a fault).
    pub stated: bool,
    /// No write anywhere.
    pub read_only: bool,
    /// Some element may be written without having been read.
    pub blind_writes: bool,
    /// Every address is computed from arguments alone and no access is in a loop: `announce` lists them all.
    pub orderable: bool,
    /// Why the number of elements is the user's word and not derived, where it is: a sentence.
    pub inexact: Option<&'static str>,
    /// Why it is not orderable, where it is not: a sentence.
    pub unordered: Option<&'static str>,
    /// The guards in source order.
    pub guards: &'static [Guard],
}

impl Facts {
    /// The most distinct elements that one attempt can touch.
    #[must_use]
    pub const fn footprint(&self) -> u32 {
        self.slots.len() as u32 + self.indexed
    }
}

/// One straight-line access (or several to an element that is provably the same).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Which parameter (index into [`KindSpec::params`]) is the region.
    pub param: u32,
    /// What the body does with it, over all its accesses.
    pub intent: Intent,
    /// It is reached whenever the transaction commits.
    pub always: bool,
    /// Its first access.
    pub site: u32,
}

/// What a transaction does with an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Intent {
    /// Only reads it.
    Read,
    /// Reads it and may write it later: a read for update.
    Update,
    /// Writes it without reading it first.
    Write,
}

/// One guard and the reads it depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// Where it stands.
    pub site: u32,
    /// The slots of the reads that its condition depends on, ascending; accesses in loops are not listed.
    pub reads: &'static [u32],
}

/// One place in the user's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site {
    /// The source file: that of the kind, or of a function that it calls.
    pub file: &'static str,
    /// Line in it, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// What stands there.
    pub what: SiteKind,
    /// The source text, shortened: `accounts[from]`, `balance - amount`; or the message of a panic.
    pub text: &'static str,
}

/// What stands at a [`Site`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SiteKind {
    /// `tx.read`; `in_loop` accesses use the indexed set.
    Read {
        /// Inside a loop.
        in_loop: bool,
    },
    /// `tx.write`.
    Write {
        /// Inside a loop.
        in_loop: bool,
    },
    /// `tx.guard`.
    Guard,
    /// `tx.reject`.
    Reject,
    /// An operation that can fault.
    Arithmetic,
    /// A loop, which can run past its bound.
    Loop,
    /// An element of a local array.
    Element,
    /// `panic!`, `assert!`, `unwrap` and the like.
    Panic,
    /// A call of a `#[gpu_fn]`.
    Call,
    /// `gpu_println!`.
    Print,
}
