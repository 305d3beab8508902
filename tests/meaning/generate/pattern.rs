//! Patterns, and the expressions that use them.

use kernels_gen::spec::Scalar;

use super::expr::{Gen, Var};
use super::types::{Ty, variant_of};

impl Gen<'_> {
    /// Returns a pattern that may or may not match. With `bind` it can declare variables, which become visible.
    pub(super) fn pattern(&mut self, ty: &Ty, bind: bool, depth: usize) -> String {
        if depth == 0 || self.dice.chance(18) {
            return self.catch_all(ty, bind);
        }
        match ty {
            Ty::Scalar(scalar) => self.scalar_pattern(*scalar, bind),
            Ty::Enum(of) => {
                let first = self.world.variant(self.dice, *of);
                if self.dice.chance(25) { format!("{first} | {}", self.world.variant(self.dice, *of)) } else { first }
            }
            Ty::Option(_) if self.dice.chance(35) => "None".to_owned(),
            Ty::Option(inner) => {
                let inner = self.pattern(inner, bind, depth - 1);
                // An or-pattern inside `Some` needs no parentheses, unlike one outside.
                format!("Some({inner})")
            }
            Ty::Result(parts) => {
                let (name, part) = if self.dice.chance(50) { ("Ok", &parts[0]) } else { ("Err", &parts[1]) };
                format!("{name}({})", self.pattern(part, bind, depth - 1))
            }
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.pattern(part, bind, depth - 1)).collect();
                format!("({},)", parts.join(", "))
            }
            Ty::Char => self.letter_pattern(),
            Ty::Pair(part) => {
                let a = if self.dice.chance(50) {
                    "..".to_owned()
                } else {
                    format!("a: {}", self.pattern(part, bind, depth - 1))
                };
                let b = format!("b: {}", self.pattern(part, bind, depth - 1));
                if a == ".." { format!("Pair {{ {b}, .. }}") } else { format!("Pair {{ {a}, {b} }}") }
            }
            Ty::Array(element, length) => self.array_pattern(element, *length, bind, depth - 1),
            Ty::Record(record) => self.record_pattern(*record, bind, depth - 1),
            Ty::Variants(of) => {
                let (variant, fields) = self.world.any_variant(self.dice, *of);
                let fields: Vec<String> = fields.iter().map(|ty| self.pattern(ty, bind, depth - 1)).collect();
                variant_of(&variant, &fields)
            }
            Ty::Unit => self.catch_all(ty, bind),
        }
    }

    fn array_pattern(&mut self, element: &Ty, length: usize, bind: bool, depth: usize) -> String {
        let first = self.part_pattern(element, bind, depth);
        if length == 1 {
            return format!("[{first}]");
        }
        if self.dice.chance(30) {
            return format!("[{first}, ..]");
        }
        if self.dice.chance(35) {
            return self.rest_pattern(&first, element, length, bind, depth);
        }
        let others: String = (1..length).map(|_| format!(", {}", self.part_pattern(element, bind, depth))).collect();
        format!("[{first}{others}]")
    }

    /// Returns a pattern with a name for the rest of an array.
    fn rest_pattern(&mut self, first: &str, element: &Ty, length: usize, bind: bool, depth: usize) -> String {
        let (last, size) = match length > 2 && self.dice.chance(40) {
            true => (format!(", {}", self.part_pattern(element, bind, depth)), length - 2),
            false => (String::new(), length - 1),
        };
        if !bind {
            return format!("[{first}, ..{last}]");
        }
        self.next += 1;
        let rest = format!("rest{}", self.next);
        self.vars.push(Var::new(&rest, Ty::Array(Box::new(element.clone()), size)));
        match last.is_empty() && self.dice.chance(40) {
            true => format!("[{rest} @ .., {first}]"),
            false => format!("[{first}, {rest} @ ..{last}]"),
        }
    }

    /// Returns the pattern of an element: among them, an open range stands in parentheses.
    fn part_pattern(&mut self, element: &Ty, bind: bool, depth: usize) -> String {
        let pattern = self.pattern(element, bind, depth);
        let open = pattern.starts_with("..") || pattern.ends_with("..") || pattern.contains("@ ..");
        if open { format!("({pattern})") } else { pattern }
    }

    /// Returns the name of a new variable.
    pub(super) fn named(&mut self, ty: Ty) -> String {
        self.next += 1;
        let name = format!("p{}", self.next);
        self.vars.push(Var::new(&name, ty));
        name
    }

    fn record_pattern(&mut self, record: usize, bind: bool, depth: usize) -> String {
        let fields = self.world.records[record].fields.clone();
        let (named, name) = (self.world.records[record].named, self.world.records[record].name.clone());
        if !named {
            let parts: Vec<String> = fields.iter().map(|(_, ty)| self.pattern(ty, bind, depth)).collect();
            return format!("{name}({})", parts.join(", "));
        }
        let (field, ty) = self.dice.pick(&fields).clone();
        format!("{name} {{ {field}: {}, .. }}", self.pattern(&ty, bind, depth))
    }

    /// Returns a pattern that always matches.
    fn catch_all(&mut self, ty: &Ty, bind: bool) -> String {
        if !bind || self.dice.chance(40) {
            return "_".to_owned();
        }
        self.next += 1;
        let name = format!("p{}", self.next);
        let mutable = self.dice.chance(20);
        self.vars.push(Var { name: name.clone(), ty: ty.clone(), mutable, place: false });
        if mutable { format!("mut {name}") } else { name }
    }

    fn scalar_pattern(&mut self, scalar: Scalar, bind: bool) -> String {
        match scalar {
            Scalar::Bool => self.dice.chance(50).to_string(),
            Scalar::F32 | Scalar::F64 => (*self.dice.pick(&["0.0", "1.0", "-2.75", "0.5..=3.0"])).to_owned(),
            _ => {
                let (a, name) = (self.dice.below(12), scalar.rust());
                let b = a + 1 + self.dice.below(30);
                let text = match self.dice.below(9) {
                    0 => format!("{a}"),
                    1 => format!("{a}..={b}"),
                    2 => format!("{a}..{b}"),
                    3 => format!("{b}.."),
                    4 => format!("..={a}"),
                    5 if scalar.is_signed() => format!("-{b}..={a}"),
                    6 => format!("{name}::MIN..={a}"),
                    7 if !bind => format!("{a} | {b}"),
                    7 => format!("{a} | {b} | {}..={name}::MAX", b + 1),
                    _ => format!("..{b}"),
                };
                if bind && self.dice.chance(15) && !text.contains('|') {
                    self.next += 1;
                    let var = format!("p{}", self.next);
                    let ty = Ty::Scalar(scalar);
                    self.vars.push(Var { name: var.clone(), ty, mutable: false, place: false });
                    return format!("{var} @ {text}");
                }
                text
            }
        }
    }

    /// Returns the type of two values of one type.
    fn pair(&mut self) -> Ty {
        let one = self.world.ty(self.dice, 1);
        Ty::Tuple(vec![one.clone(), one])
    }

    fn matched(&mut self) -> Ty {
        self.world.usual(self.dice)
    }

    /// Returns a `match` with a value; `arm` makes its arms.
    pub(super) fn match_with(&mut self, depth: usize, mut arm: impl FnMut(&mut Self) -> String) -> String {
        let ty = if self.dice.chance(15) { self.pair() } else { self.matched() };
        let value = self.typed(&ty, depth);
        let mut text = format!("match {value} {{\n");
        for _ in 0..1 + self.dice.below(3) {
            text += &self.scoped(|this| {
                let pattern = this.alternatives(&ty).unwrap_or_else(|| this.pattern(&ty, true, 2));
                let guarded = this.dice.chance(30);
                let guard = if guarded { format!(" if {}", this.bool(1)) } else { String::new() };
                format!("{pattern}{guard} => {}\n", arm(this))
            });
        }
        text += &self.scoped(|this| {
            let last = this.catch_all(&ty, true);
            format!("{last} => {}\n", arm(this))
        });
        text + "}"
    }

    pub(super) fn match_value(&mut self, ty: &Ty, depth: usize) -> String {
        let text = self.match_with(depth, |this| {
            let value = this.expr(ty, depth);
            format!("{value},")
        });
        format!("({text})")
    }

    pub(super) fn matches(&mut self, depth: usize) -> String {
        let ty = self.matched();
        let value = self.typed(&ty, depth);
        self.scoped(|this| {
            let pattern = this.pattern(&ty, true, 2);
            let guard = if this.dice.chance(30) { format!(" if {}", this.bool(1)) } else { String::new() };
            // `matches!` accepts no pattern that begins with dots.
            let pattern = if pattern.starts_with("..") { format!("({pattern})") } else { pattern };
            format!("matches!({value}, {pattern}{guard})")
        })
    }

    /// Returns conditions of an `if`; some of them bind variables, which stay visible.
    pub(super) fn chain(&mut self, depth: usize) -> String {
        let mut links = Vec::new();
        for k in 0..1 + self.dice.below(3) {
            if k > 0 && self.dice.chance(40) {
                links.push(self.bool(depth.min(1)));
                continue;
            }
            let (value, pattern) = self.test(depth);
            links.push(format!("let {pattern} = {value}"));
        }
        links.join(" && ")
    }

    /// Returns a value and a pattern for it.
    pub(super) fn test(&mut self, depth: usize) -> (String, String) {
        let ty = if self.dice.chance(60) { Ty::Option(Box::new(self.world.ty(self.dice, 1))) } else { self.matched() };
        let value = self.typed(&ty, depth);
        let pattern = self.pattern(&ty, true, 2);
        // `let a | b` needs parentheses.
        (value, if pattern.contains('|') { format!("({pattern})") } else { pattern })
    }
}
