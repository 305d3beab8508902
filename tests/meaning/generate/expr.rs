//! Expressions of any type, and their scope.

use kernels_gen::spec::Scalar;

use super::types::{Param, Receiver, Ty, World, literal};
use super::{Dice, Reader};

/// A variable.
#[derive(Debug, Clone)]
pub(super) struct Var {
    pub(super) name: String,
    pub(super) ty: Ty,
    pub(super) mutable: bool,
    /// Whether it is a `&mut` parameter.
    pub(super) place: bool,
}

impl Var {
    /// Returns a variable that does not change.
    pub(super) fn new(name: &str, ty: Ty) -> Var {
        Var { name: name.to_owned(), ty, mutable: false, place: false }
    }
}

/// The return type of a function.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Form {
    /// A `TxResult`.
    Tries(Ty),
    /// A value.
    Plain(Ty),
}

/// An enclosing loop or labelled block.
#[derive(Debug, Clone)]
pub(super) struct Around {
    pub(super) label: Option<String>,
    pub(super) is_loop: bool,
    /// The type of the value of `break`.
    pub(super) value: Option<Ty>,
}

/// A function that is being generated.
pub(super) struct Gen<'a> {
    pub(super) dice: &'a mut Dice,
    pub(super) world: &'a World,
    pub(super) form: Form,
    /// The visible variables, innermost last.
    pub(super) vars: Vec<Var>,
    /// The names of the shared arrays in scope, those that can be assigned again, and the lists of two.
    pub(super) arrays: Vec<(String, Ty)>,
    pub(super) renamed: Vec<(String, Ty)>,
    pub(super) lists: Vec<(String, Ty)>,
    pub(super) around: Vec<Around>,
    /// The remaining budget of expressions.
    pub(super) fuel: i32,
    pub(super) next: usize,
    pub(super) loops: usize,
}

impl Gen<'_> {
    pub(super) fn tries(&self) -> bool {
        matches!(self.form, Form::Tries(_))
    }

    /// Returns true with that probability, where rustc reads the text.
    pub(super) fn by_rustc(&mut self, percent: usize) -> bool {
        self.world.reader == Reader::Rustc && self.dice.chance(percent)
    }

    /// Returns a new name, sometimes one that shadows an older one.
    pub(super) fn name(&mut self) -> String {
        if self.dice.chance(8) && !self.vars.is_empty() {
            let old = self.dice.below(self.vars.len());
            if self.vars[old].name != "self" {
                return self.vars[old].name.clone();
            }
        }
        self.next += 1;
        format!("v{}", self.next)
    }

    /// Returns the variables that no later one shadows.
    pub(super) fn visible(&self) -> Vec<Var> {
        let hidden = |k: usize, var: &Var| self.vars[k + 1..].iter().any(|later| later.name == var.name);
        self.vars.iter().enumerate().filter(|(k, var)| !hidden(*k, var)).map(|(_, var)| var.clone()).collect()
    }

    pub(super) fn scoped<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let vars = self.vars.len();
        let [arrays, renamed, lists] = [&self.arrays, &self.renamed, &self.lists].map(Vec::len);
        let result = inside(self);
        self.vars.truncate(vars);
        self.arrays.truncate(arrays);
        self.renamed.truncate(renamed);
        self.lists.truncate(lists);
        result
    }

    /// Returns an expression of the type that can be any operand.
    pub(super) fn expr(&mut self, ty: &Ty, depth: usize) -> String {
        self.fuel -= 1;
        if depth == 0 || self.fuel <= 0 {
            return self.component(ty);
        }
        match self.dice.weighted(&[60, 22, 4, 4, 3, 9, 6]) {
            1 => self.component(ty),
            2 => {
                let (condition, a, b) = (self.bool(depth - 1), self.expr(ty, depth - 1), self.expr(ty, depth - 1));
                format!("(if {condition} {{ {a} }} else {{ {b} }})")
            }
            3 => self.match_value(ty, depth - 1),
            4 => self.block_value(ty, depth - 1),
            5 if self.dice.chance(25) => self.generic_call(ty, depth - 1),
            5 if self.dice.chance(35) => {
                self.by_parameters(ty, depth - 1).unwrap_or_else(|| self.generic_call(ty, depth - 1))
            }
            5 if self.dice.chance(40) => self.by_scale(ty, depth - 1).unwrap_or_else(|| self.component(ty)),
            5 if self.dice.chance(55) => self.by_trait(ty, depth - 1).unwrap_or_else(|| self.component(ty)),
            5 => self.call(ty, depth - 1).unwrap_or_else(|| self.component(ty)),
            6 => self.read(ty, depth - 1).unwrap_or_else(|| self.component(ty)),
            _ => self.special(ty, depth),
        }
    }

    /// Returns a call of a function with parameters for types and lengths.
    fn generic_call(&mut self, ty: &Ty, depth: usize) -> String {
        let (text, usize) = (self.world.text(ty), Ty::Scalar(Scalar::Usize));
        if self.dice.chance(50) {
            let elements: Vec<String> = (0..1 + self.dice.below(3)).map(|_| self.expr(ty, depth.min(1))).collect();
            let stated = format!("::<{text}, {}>", elements.len());
            return format!("g0{stated}([{}], {})", elements.join(", "), self.expr(&usize, depth));
        }
        let other = self.world.usual(self.dice);
        let (yes, a, b) = (self.bool(depth.min(1)), self.typed(ty, depth), self.typed(&other, depth));
        format!("g1({yes}, {a}, {b}).0")
    }

    /// Returns an expression that only this type supports.
    fn special(&mut self, ty: &Ty, depth: usize) -> String {
        match ty {
            Ty::Scalar(Scalar::Bool) => self.bool(depth),
            Ty::Scalar(scalar) if scalar.is_float() => self.float(*scalar, depth),
            Ty::Scalar(scalar) => self.int(*scalar, depth),
            Ty::Char => self.letter(depth - 1),
            _ => self.compound(ty, depth),
        }
    }

    /// Returns a variable or a part of one, a constant, or a literal.
    pub(super) fn component(&mut self, ty: &Ty) -> String {
        let paths = self.paths(ty);
        if !paths.is_empty() && self.dice.chance(85) {
            return self.dice.pick(&paths).0.clone();
        }
        let consts: Vec<&str> = self
            .world
            .consts
            .iter()
            .filter(|constant| constant.ty == *ty)
            .map(|constant| constant.name.as_str())
            .collect();
        if !consts.is_empty() && self.dice.chance(40) {
            return (*self.dice.pick(&consts)).to_owned();
        }
        match ty {
            Ty::Scalar(scalar) if scalar.is_int() && self.dice.chance(70) => self.cast_component(*scalar),
            Ty::Scalar(scalar) => {
                let text = literal(self.dice, *scalar);
                if text.starts_with('-') { format!("({text})") } else { text }
            }
            _ => self.world.constant(self.dice, ty),
        }
    }

    /// Returns another integer or boolean, cast to this type.
    fn cast_component(&mut self, scalar: Scalar) -> String {
        let mut found = Vec::new();
        for from in Scalar::ALL.into_iter().chain(Scalar::WIDE).filter(|from| !from.is_float()) {
            found.extend(self.paths(&Ty::Scalar(from)).into_iter().map(|(path, _)| path));
        }
        if !found.is_empty() {
            return format!("({} as {})", self.dice.pick(&found), scalar.rust());
        }
        let text = literal(self.dice, scalar);
        if text.starts_with('-') { format!("({text})") } else { text }
    }

    /// Returns the places of that type: their text, and whether they are mutable.
    pub(super) fn paths(&mut self, ty: &Ty) -> Vec<(String, bool)> {
        let mut found = Vec::new();
        for var in self.visible() {
            let whole = if var.place { format!("(*{})", var.name) } else { var.name.clone() };
            let parts = self.parts_of(&var.name, &var.ty, 3);
            let all = std::iter::once((whole, var.ty.clone())).chain(parts);
            found.extend(all.filter(|(_, part)| part == ty).map(|(path, _)| (path, var.mutable)));
        }
        found
    }

    /// Returns the parts of a value that can be written as fields and elements.
    pub(super) fn parts_of(&mut self, path: &str, ty: &Ty, depth: usize) -> Vec<(String, Ty)> {
        if depth == 0 {
            return Vec::new();
        }
        let mut found = Vec::new();
        if let Ty::Array(element, length) = ty {
            let index = self.index(*length);
            found.push((format!("{path}[{index}]"), (**element).clone()));
        }
        for (name, part) in self.world.parts(ty) {
            found.push((format!("{path}.{name}"), part));
        }
        for (path, part) in found.clone() {
            found.extend(self.parts_of(&path, &part, depth - 1));
        }
        found
    }

    /// Returns an index of an array, mostly in bounds.
    pub(super) fn index(&mut self, length: usize) -> String {
        let counters: Vec<String> = self
            .visible()
            .into_iter()
            .filter(|var| var.ty == Ty::Scalar(Scalar::Usize) && !var.place)
            .map(|var| var.name)
            .collect();
        if counters.is_empty() || self.dice.chance(50) {
            let past = usize::from(self.dice.chance(3));
            // rustc refuses a literal that is out of bounds.
            return match past {
                1 => format!("usize::from({}_u8)", length + self.dice.below(3)),
                _ => self.dice.below(length).to_string(),
            };
        }
        let counter = self.dice.pick(&counters).clone();
        if self.dice.chance(90) { format!("{counter} % {length}") } else { counter }
    }

    /// Returns a call of a helper with that result type.
    pub(super) fn call(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let tries = self.tries();
        let fitting: Vec<_> =
            self.world.helpers.iter().filter(|h| h.result == *ty && (tries || !h.tries)).cloned().collect();
        if fitting.is_empty() {
            return None;
        }
        let helper = self.dice.pick(&fitting).clone();
        let call = self.call_of(&helper, depth)?;
        Some(if helper.tries { format!("{call}?") } else { call })
    }

    pub(super) fn call_of(&mut self, helper: &super::types::Helper, depth: usize) -> Option<String> {
        let mut args = Vec::new();
        if helper.tries {
            args.push("tx".to_owned());
        }
        let vars = self.vars.clone();
        let receiver = match &helper.owner {
            Some((ty, receiver)) => self.receiver_of(ty, *receiver, depth),
            None => Some(String::new()),
        };
        let args = receiver.is_some().then(|| self.arguments(&helper.params, args, depth)).flatten();
        self.vars = vars;
        let (receiver, mut args, name) = (receiver?, args?, &helper.name);
        Some(match &helper.owner {
            None => format!("{name}({})", args.join(", ")),
            Some((_, Receiver::None)) => format!("{receiver}{name}({})", args.join(", ")),
            Some((_, _)) if self.dice.chance(80) => format!("{receiver}.{name}({})", args.join(", ")),
            Some((ty, kind)) => {
                let and = match kind {
                    Receiver::Reference => "&",
                    Receiver::Place => "&mut ",
                    _ => "",
                };
                args.insert(0, format!("{and}{receiver}"));
                format!("{}::{name}({})", self.world.text(ty), args.join(", "))
            }
        })
    }

    /// Returns the receiver of a method of this type, or the type of a function.
    fn receiver_of(&mut self, ty: &Ty, receiver: Receiver, depth: usize) -> Option<String> {
        match receiver {
            Receiver::None => Some(format!("{}::", self.world.text(ty))),
            Receiver::Value => {
                let mut value = self.expr(ty, depth.min(2));
                if value.contains("g1(") {
                    // rustc has to know the type of a receiver without the arguments of a generic function.
                    value = self.typed(ty, depth.min(2));
                }
                Some(if value.ends_with(')') || value.contains(['{', ' ']) { format!("({value})") } else { value })
            }
            Receiver::Reference => self.borrowed(ty, false),
            Receiver::Place => self.borrowed(ty, true),
        }
    }

    /// Returns a place that is borrowed until the call: nothing else of the variable may be used.
    fn borrowed(&mut self, ty: &Ty, mutable: bool) -> Option<String> {
        let paths = self.paths(ty).into_iter().filter(|(_, can_change)| *can_change || !mutable);
        let places: Vec<String> = paths.map(|(path, _)| path).collect();
        if places.is_empty() {
            return None;
        }
        let path = self.dice.pick(&places).clone();
        let root: String = path.trim_start_matches(['(', '*']).chars().take_while(|c| c.is_alphanumeric()).collect();
        self.vars.retain(|var| var.name != root);
        Some(path)
    }

    fn arguments(&mut self, params: &[Param], mut args: Vec<String>, depth: usize) -> Option<Vec<String>> {
        for param in params {
            args.push(match param {
                Param::Array(ty) => self.array_of(ty, true)?,
                Param::Arrays(ty) => self.list_of(ty)?,
                Param::Value(ty) => self.expr(ty, depth.min(2)),
                Param::Reference(ty) => format!("&{}", self.borrowed(ty, false)?),
                Param::Place(ty) => format!("&mut {}", self.borrowed(ty, true)?),
            });
        }
        Some(args)
    }

    /// Returns an array of such elements, or a field of one; as an argument with a `&` where it is a field.
    pub(super) fn array_of(&mut self, ty: &Ty, reference: bool) -> Option<String> {
        let mut found = Vec::new();
        for (name, element) in self.arrays.clone() {
            if element == *ty {
                found.push(name.clone());
            }
            let fields = self.array_fields(&name, &element, 3).into_iter().filter(|(_, part)| part == ty);
            found.extend(fields.map(|(path, _)| format!("&{path}")));
        }
        if found.len() > 1 && self.dice.chance(10) {
            let [one, other] = [self.dice.pick(&found), self.dice.pick(&found)];
            // In a call, what stands before it may have an effect.
            let index = if reference { self.dice.below(2).to_string() } else { self.index(2) };
            return Some(format!("[{one}, {other}][{index}]"));
        }
        let array = (!found.is_empty()).then(|| self.dice.pick(&found).clone())?;
        // A field of a parameter is found without `&`, too.
        let is_field =
            |path: &str| !path.starts_with('s') && path.find(['.', '[']).is_some_and(|at| path[at..].starts_with('.'));
        Some(match array.strip_prefix('&') {
            Some(path) if !reference && is_field(path) && self.dice.chance(30) => path.to_owned(),
            _ => array,
        })
    }

    /// Returns a list of two such arrays.
    fn list_of(&mut self, ty: &Ty) -> Option<String> {
        let known: Vec<String> =
            self.lists.iter().filter(|(_, other)| other == ty).map(|(name, _)| name.clone()).collect();
        if !known.is_empty() && self.dice.chance(60) {
            return Some(self.dice.pick(&known).clone());
        }
        Some(format!("[{}, {}]", self.array_of(ty, true)?, self.array_of(ty, true)?))
    }

    /// Returns the fields of an array of records, and the elements of those that are arrays, each of which is an array of its own.
    pub(super) fn array_fields(&mut self, path: &str, ty: &Ty, depth: usize) -> Vec<(String, Ty)> {
        if depth == 0 {
            return Vec::new();
        }
        let fields: Vec<(String, Ty)> = match ty {
            Ty::Record(_) | Ty::Pair(_) => {
                self.world.parts(ty).into_iter().map(|(name, part)| (format!("{path}.{name}"), part)).collect()
            }
            Ty::Array(element, length) => {
                vec![(format!("{path}[{}]", self.index(*length)), (**element).clone())]
            }
            _ => return Vec::new(),
        };
        let deeper: Vec<_> = fields.iter().flat_map(|(path, part)| self.array_fields(path, part, depth - 1)).collect();
        [fields, deeper].concat()
    }

    /// Returns an array, or a field of one.
    pub(super) fn any_array(&mut self) -> Option<String> {
        let (name, ty) = (!self.arrays.is_empty()).then(|| self.dice.pick(&self.arrays).clone())?;
        let mut found: Vec<String> = self.array_fields(&name, &ty, 2).into_iter().map(|(path, _)| path).collect();
        found.push(name);
        Some(self.dice.pick(&found).clone())
    }

    /// Returns `tx.read(..)?`.
    pub(super) fn read(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        if !self.tries() {
            return None;
        }
        let array = self.array_of(ty, false)?;
        let index = self.array_index(depth);
        Some(format!("tx.read({array}, {index})?"))
    }

    /// Returns an index of an array, mostly in bounds.
    pub(super) fn array_index(&mut self, depth: usize) -> String {
        let scalar = Some(super::types::int(self.dice)).filter(|scalar| !scalar.is_wide()).unwrap_or(Scalar::U64);
        match self.dice.below(20) {
            0 => self.expr(&Ty::Scalar(scalar), depth.min(1)),
            1 | 2 => match self.any_array() {
                // The length of any array: all have the same length.
                Some(array) => format!("({} % {array}.len())", self.expr(&Ty::Scalar(Scalar::Usize), depth.min(2))),
                None => "0_u8".to_owned(),
            },
            3..=8 => format!("({} & 1)", self.expr(&Ty::Scalar(scalar), depth.min(2))),
            _ => format!("{}_{}", self.dice.below(2), scalar.rust()),
        }
    }
}
