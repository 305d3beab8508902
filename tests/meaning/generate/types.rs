//! Types, the declarations of a module, and their visibility in functions.

use kernels_gen::spec::{Scalar, Type};

use super::generics::ITEMS;
use super::letters::LETTERS;
use super::scales::Scales;
use super::traits::OwnTrait;
use super::{Dice, Reader, paths};

/// A type of a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ty {
    Scalar(Scalar),
    Char,
    Unit,
    Tuple(Vec<Ty>),
    Array(Box<Ty>, usize),
    Option(Box<Ty>),
    /// `Result<T, E>`.
    Result(Box<[Ty; 2]>),
    Record(usize),
    /// The generic record of the module.
    Pair(Box<Ty>),
    Enum(usize),
    /// An enum with fields.
    Variants(usize),
}

/// A struct: its fields, and whether they have names.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) name: String,
    pub(super) fields: Vec<(String, Ty)>,
    pub(super) named: bool,
}

#[derive(Debug)]
pub(super) struct Enum {
    pub(super) name: String,
    repr: Option<Scalar>,
    pub(super) variants: Vec<(String, Option<i64>)>,
}

/// An enum with fields: its variants, and the types of their fields.
#[derive(Debug)]
pub(super) struct Variants {
    pub(super) name: String,
    pub(super) variants: Vec<(String, Vec<Ty>)>,
}

#[derive(Debug)]
pub(super) struct Const {
    pub(super) name: String,
    pub(super) ty: Ty,
    pub(super) text: String,
}

/// A parameter of a helper.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Param {
    Value(Ty),
    /// `&T`.
    Reference(Ty),
    Place(Ty),
    Array(Ty),
    /// A list of two shared arrays.
    Arrays(Ty),
}

/// The `self` of a method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Receiver {
    /// A function of the type.
    None,
    /// `self` or `mut self`.
    Value,
    /// `&self`.
    Reference,
    /// `&mut self`.
    Place,
}

/// A `#[gpu_fn]`.
#[derive(Debug, Clone)]
pub(super) struct Helper {
    pub(super) name: String,
    pub(super) params: Vec<Param>,
    pub(super) result: Ty,
    /// Whether it takes `tx` and returns a `TxResult`.
    pub(super) tries: bool,
    /// The type whose `impl` block it stands in.
    pub(super) owner: Option<(Ty, Receiver)>,
}

/// The declarations of a module.
#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) reader: Reader,
    /// A trait of the module, if rustc reads it.
    pub(super) own_trait: Option<OwnTrait>,
    /// Its traits with parameters.
    pub(super) scales: Option<Scales>,
    pub(super) records: Vec<Record>,
    pub(super) enums: Vec<Enum>,
    pub(super) with_fields: Vec<Variants>,
    pub(super) consts: Vec<Const>,
    /// Constants that are arrays.
    pub(super) tables: Vec<Const>,
    pub(super) helpers: Vec<Helper>,
    /// Types that are used often, so that values match each other.
    common: Vec<Ty>,
}

const DERIVED: &str = "#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, GpuData)]\n";
const DERIVED_IN_ORDER: &str = "#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, GpuData)]\n";

/// Functions with parameters for types and lengths.
const FUNCTIONS: &str = "\
#[gpu_fn]
pub fn g0<T: Copy, const N: usize>(list: [T; N], at: usize) -> T {
let pair = g1(at > N, list[at % N], N);
match pair {
(first, Some(_)) => first,
_ => list[N - 1],
}
}
#[gpu_fn]
pub fn g1<A: Copy, B: Copy>(yes: bool, a: A, b: B) -> (A, Option<B>) {
(a, if yes { None } else { Some(b) })
}
";

impl World {
    pub(super) fn new(dice: &mut Dice, reader: Reader) -> World {
        let mut world = World { reader, ..World::default() };
        for k in 0..1 + dice.below(2) {
            let of = random_enum(dice, k);
            world.enums.push(of);
        }
        for k in 0..1 + dice.below(3) {
            let named = dice.chance(80);
            let mut fields = Vec::new();
            for f in 0..1 + dice.below(4) {
                let name = if named { format!("f{f}") } else { f.to_string() };
                fields.push((name, world.ty(dice, 2)));
            }
            world.records.push(Record { name: format!("R{k}"), fields, named });
        }
        let shared = world.ty(dice, 1);
        let variant = |k, world: &World, dice: &mut Dice| {
            let count = if k == 0 { 1 } else { dice.below(3) };
            let fields = (0..count).map(|_| if dice.chance(40) { shared.clone() } else { world.ty(dice, 1) });
            (format!("V{k}"), fields.collect())
        };
        let variants = (0..2 + dice.below(2)).map(|k| variant(k, &world, dice)).collect();
        world.with_fields.push(Variants { name: "U0".to_owned(), variants });
        world.common = (0..3 + dice.below(4)).map(|_| world.ty(dice, 2)).collect();
        world.common.push(Ty::Record(0));
        if dice.chance(50) {
            let row = Ty::Array(Box::new(Ty::Scalar(scalar(dice))), 2);
            world.common.push(Ty::Array(Box::new(row), 2));
        }
        for k in 0..1 + dice.below(2) {
            let table = world.table(dice, k);
            world.tables.push(table);
        }
        for k in 0..2 + dice.below(3) {
            let ty = world.ty(dice, 1);
            let text = world.constant(dice, &ty);
            world.consts.push(Const { name: format!("C{k}"), ty, text });
        }
        if reader == Reader::Rustc {
            world.own_trait = Some(OwnTrait::new(dice, &world));
            world.scales = Some(Scales::new(dice, &world));
        }
        world
    }

    /// Returns a type of few components with at most that depth of nesting.
    pub(super) fn ty(&self, dice: &mut Dice, depth: usize) -> Ty {
        // Only rustc knows generic records, and letters.
        let more = if self.reader == Reader::Rustc { 6 } else { 0 };
        let weights = match depth {
            0 => [60, 0, 0, 0, 0, 12, 0, 0, more],
            _ => [60, 8, 9, 12, 12, 6, 7, more, more / 2],
        };
        let ty = match dice.weighted(&weights) {
            1 => Ty::Tuple((0..1 + dice.below(3)).map(|_| self.ty(dice, depth - 1)).collect()),
            2 => Ty::Array(Box::new(self.ty(dice, depth - 1)), 1 + dice.below(4)),
            3 => Ty::Option(Box::new(self.ty(dice, depth - 1))),
            4 if !self.records.is_empty() => Ty::Record(dice.below(self.records.len())),
            5 if !self.with_fields.is_empty() && depth > 0 && dice.chance(40) => Ty::Variants(0),
            5 => Ty::Enum(dice.below(self.enums.len())),
            6 => Ty::Result(Box::new([self.ty(dice, depth - 1), self.ty(dice, 0)])),
            7 => Ty::Pair(Box::new(self.ty(dice, depth - 1))),
            8 => Ty::Char,
            _ => Ty::Scalar(scalar(dice)),
        };
        if self.components(&ty).len() > 8 { Ty::Scalar(scalar(dice)) } else { ty }
    }

    /// Returns a type that is used elsewhere, too, or any.
    pub(super) fn usual(&self, dice: &mut Dice) -> Ty {
        if dice.chance(60) { dice.pick(&self.common).clone() } else { self.ty(dice, 2) }
    }

    /// Returns a type with parts in its parts, if there is one that is used elsewhere, or any.
    pub(super) fn deep(&self, dice: &mut Dice) -> Ty {
        let parts = |ty: &Ty| match ty {
            Ty::Array(element, _) => vec![(**element).clone()],
            Ty::Record(_) | Ty::Pair(_) => self.parts(ty).into_iter().map(|(_, part)| part).collect(),
            _ => Vec::new(),
        };
        let is_deep = |ty: &&Ty| parts(ty).iter().any(|part| !parts(part).is_empty());
        let records = (0..self.records.len()).map(Ty::Record).collect::<Vec<_>>();
        let found: Vec<&Ty> = self.common.iter().chain(&records).filter(is_deep).collect();
        if found.is_empty() { self.usual(dice) } else { (*dice.pick(&found)).clone() }
    }

    /// Returns the scalars of the components.
    pub(super) fn components(&self, ty: &Ty) -> Vec<Scalar> {
        match ty {
            Ty::Scalar(scalar) => Type::Scalar(*scalar).scalars(),
            Ty::Char => vec![Scalar::U32],
            Ty::Pair(part) => [self.components(part), self.components(part)].concat(),
            Ty::Unit => Vec::new(),
            Ty::Tuple(parts) => parts.iter().flat_map(|part| self.components(part)).collect(),
            Ty::Array(element, length) => (0..*length).flat_map(|_| self.components(element)).collect(),
            Ty::Option(inner) => [vec![Scalar::Bool], self.components(inner)].concat(),
            Ty::Result(parts) => [vec![Scalar::Bool], self.components(&parts[0]), self.components(&parts[1])].concat(),
            Ty::Record(record) => {
                self.records[*record].fields.iter().flat_map(|(_, field)| self.components(field)).collect()
            }
            Ty::Enum(of) => vec![self.enums[*of].repr.unwrap_or(Scalar::Isize)],
            Ty::Variants(of) => {
                let fields = self.with_fields[*of].variants.iter().flat_map(|(_, fields)| fields);
                [Scalar::U8].into_iter().chain(fields.flat_map(|field| self.components(field))).collect()
            }
        }
    }

    pub(super) fn text(&self, ty: &Ty) -> String {
        match ty {
            Ty::Scalar(scalar) => scalar.rust().to_owned(),
            Ty::Char => "char".to_owned(),
            Ty::Pair(part) => format!("Pair<{}>", self.text(part)),
            Ty::Unit => "()".to_owned(),
            Ty::Tuple(parts) => format!("({})", parts.iter().map(|part| self.text(part) + ", ").collect::<String>()),
            Ty::Array(element, length) => format!("[{}; {length}]", self.text(element)),
            Ty::Option(inner) => format!("Option<{}>", self.text(inner)),
            Ty::Result(parts) => format!("Result<{}, {}>", self.text(&parts[0]), self.text(&parts[1])),
            Ty::Record(record) => self.records[*record].name.clone(),
            Ty::Enum(of) => self.enums[*of].name.clone(),
            Ty::Variants(of) => self.with_fields[*of].name.clone(),
        }
    }

    /// Returns the parts of a value that have names or indices: their paths and types.
    pub(super) fn parts(&self, ty: &Ty) -> Vec<(String, Ty)> {
        match ty {
            Ty::Tuple(parts) => parts.iter().enumerate().map(|(k, part)| (k.to_string(), part.clone())).collect(),
            Ty::Record(record) => self.records[*record].fields.clone(),
            Ty::Pair(part) => ["a", "b"].map(|name| (name.to_owned(), (**part).clone())).into(),
            _ => Vec::new(),
        }
    }

    /// Returns whether the type has `Ord`: there is no float in it.
    pub(super) fn has_order(&self, ty: &Ty) -> bool {
        !self.components(ty).iter().any(|scalar| scalar.is_float())
    }

    fn fields_have_order<'t>(&self, mut fields: impl Iterator<Item = &'t Ty>) -> bool {
        fields.all(|ty| self.has_order(ty))
    }

    pub(super) fn declarations(&self) -> String {
        let mut text = FUNCTIONS.to_owned();
        if self.reader == Reader::Rustc {
            text += ITEMS;
            text += paths::ITEMS;
        }
        for of in &self.enums {
            if let Some(repr) = of.repr {
                text += &format!("#[repr({})]\n", repr.rust());
            }
            let variants = of.variants.iter().map(|(name, value)| match value {
                Some(value) => format!("{name} = {value}, "),
                None => format!("{name}, "),
            });
            text += DERIVED_IN_ORDER;
            text += &format!("pub enum {} {{ {}}}\n", of.name, variants.collect::<String>());
        }
        for record in &self.records {
            text +=
                if self.fields_have_order(record.fields.iter().map(|(_, ty)| ty)) { DERIVED_IN_ORDER } else { DERIVED };
            let fields = record.fields.iter().map(|(name, ty)| match record.named {
                true => format!("pub {name}: {}, ", self.text(ty)),
                false => format!("pub {}, ", self.text(ty)),
            });
            let fields: String = fields.collect();
            text += &match record.named {
                true => format!("pub struct {} {{ {fields}}}\n", record.name),
                false => format!("pub struct {}({fields});\n", record.name),
            };
        }
        for of in &self.with_fields {
            let variants = of.variants.iter().map(|(name, fields)| match fields.as_slice() {
                [] => format!("{name}, "),
                [one] => format!("{name} {{ f: {} }}, ", self.text(one)),
                more => format!("{name}({}), ", more.iter().map(|ty| self.text(ty)).collect::<Vec<_>>().join(", ")),
            });
            let has_order = self.fields_have_order(of.variants.iter().flat_map(|(_, fields)| fields));
            text += if has_order { DERIVED_IN_ORDER } else { DERIVED };
            text += &format!("pub enum {} {{ {}}}\n", of.name, variants.collect::<String>());
        }
        for constant in self.consts.iter().chain(&self.tables) {
            text += &format!("pub const {}: {} = {};\n", constant.name, self.text(&constant.ty), constant.text);
        }
        text
    }

    /// Returns a value that is written without operators.
    pub(super) fn constant(&self, dice: &mut Dice, ty: &Ty) -> String {
        match ty {
            Ty::Scalar(scalar) => literal(dice, *scalar),
            Ty::Char => (*dice.pick(LETTERS)).to_owned(),
            Ty::Pair(part) => {
                let [a, b] = [self.constant(dice, part), self.constant(dice, part)];
                self.pair_of(part, &a, &b)
            }
            Ty::Unit => "()".to_owned(),
            Ty::Tuple(parts) => {
                format!("({})", parts.iter().map(|part| self.constant(dice, part) + ", ").collect::<String>())
            }
            Ty::Array(element, length) => {
                let elements = (0..*length).map(|_| self.constant(dice, element)).collect::<Vec<_>>();
                format!("[{}]", elements.join(", "))
            }
            Ty::Option(_) if dice.chance(30) => "None".to_owned(),
            Ty::Option(inner) => format!("Some({})", self.constant(dice, inner)),
            Ty::Result(parts) if dice.chance(50) => format!("Ok({})", self.constant(dice, &parts[0])),
            Ty::Result(parts) => format!("Err({})", self.constant(dice, &parts[1])),
            Ty::Record(record) => {
                let fields = self.records[*record].fields.iter();
                let fields = fields.map(|(_, ty)| self.constant(dice, ty)).collect::<Vec<_>>();
                self.build(*record, &fields)
            }
            Ty::Enum(of) => self.variant(dice, *of),
            Ty::Variants(of) => {
                let (variant, fields) = self.any_variant(dice, *of);
                let fields: Vec<String> = fields.iter().map(|ty| self.constant(dice, ty)).collect();
                variant_of(&variant, &fields)
            }
        }
    }

    /// Returns a variant with its path, and the types of its fields.
    pub(super) fn any_variant(&self, dice: &mut Dice, of: usize) -> (String, Vec<Ty>) {
        let of = &self.with_fields[of];
        let (variant, fields) = dice.pick(&of.variants);
        (format!("{}::{variant}", of.name), fields.clone())
    }

    /// Returns a record of these fields.
    pub(super) fn build(&self, record: usize, fields: &[String]) -> String {
        let record = &self.records[record];
        if !record.named {
            return format!("{}({})", record.name, fields.join(", "));
        }
        let fields: Vec<String> =
            record.fields.iter().zip(fields).map(|((name, _), value)| format!("{name}: {value}")).collect();
        format!("{} {{ {} }}", record.name, fields.join(", "))
    }

    pub(super) fn variant(&self, dice: &mut Dice, of: usize) -> String {
        let of = &self.enums[of];
        format!("{}::{}", of.name, dice.pick(&of.variants).0)
    }
}

/// Returns a variant with the values, or the patterns, of its fields.
pub(super) fn variant_of(variant: &str, fields: &[String]) -> String {
    match fields {
        [] => variant.to_owned(),
        [one] => format!("{variant} {{ f: {one} }}"),
        more => format!("{variant}({})", more.join(", ")),
    }
}

fn random_enum(dice: &mut Dice, number: usize) -> Enum {
    const REPRS: [Option<Scalar>; 5] =
        [None, Some(Scalar::U8), Some(Scalar::I16), Some(Scalar::U32), Some(Scalar::I64)];
    let repr = *dice.pick(&REPRS);
    let signed = repr.is_none_or(Scalar::is_signed);
    let mut next = 0;
    let variants = (0..2 + dice.below(3)).map(|k| {
        let given = dice.chance(40).then(|| next + dice.below(20) as i64 - if signed && k == 0 { 30 } else { 0 });
        next = given.unwrap_or(next) + 1;
        (format!("V{k}"), given)
    });
    Enum { name: format!("E{number}"), repr, variants: variants.collect() }
}

/// Returns any scalar; the usual ones more often.
pub(super) fn scalar(dice: &mut Dice) -> Scalar {
    const USUAL: [Scalar; 6] = [Scalar::U32, Scalar::I64, Scalar::I32, Scalar::U64, Scalar::Usize, Scalar::Bool];
    match dice.below(20) {
        0..9 => *dice.pick(&USUAL),
        9..11 => *dice.pick(&Scalar::WIDE),
        _ => *dice.pick(&Scalar::ALL),
    }
}

/// Returns any integer type.
pub(super) fn int(dice: &mut Dice) -> Scalar {
    loop {
        let scalar = scalar(dice);
        if scalar.is_int() {
            return scalar;
        }
    }
}

/// Returns a literal with its type, mostly small.
pub(super) fn literal(dice: &mut Dice, scalar: Scalar) -> String {
    let name = scalar.rust();
    match scalar {
        Scalar::Bool => dice.chance(50).to_string(),
        Scalar::F32 | Scalar::F64 => float_literal(dice, name),
        _ if dice.chance(10) => (*dice.pick(&[format!("{name}::MIN"), format!("{name}::MAX")])).clone(),
        _ if scalar.is_signed() && dice.chance(20) => format!("-{}_{name}", 1 + dice.below(9)),
        _ if dice.chance(15) => format!("{}_{name}", 60 + dice.below(68)),
        _ => format!("{}_{name}", dice.below(12)),
    }
}

fn float_literal(dice: &mut Dice, name: &str) -> String {
    const SOME: [&str; 12] =
        ["0.0", "1.0", "-1.0", "0.5", "2.5", "-0.0", "1e10", "3.0e-7", "16777217.0", "-2.75", "1e-30", "123.456"];
    if dice.chance(5) {
        return format!("{name}::{}", dice.pick(&["INFINITY", "NEG_INFINITY", "MAX", "MIN_POSITIVE", "EPSILON"]));
    }
    let digits = dice.pick(&SOME);
    format!("{digits}_{name}")
}
