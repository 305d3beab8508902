//! Statements.

use kernels_gen::spec::Scalar;

use super::expr::{Around, Form, Gen, Var};
use super::types::{Ty, int, scalar};

impl Gen<'_> {
    pub(super) fn stmts(&mut self, count: usize, depth: usize) -> String {
        (0..count).map(|_| self.stmt(depth)).collect()
    }

    /// Returns `{ statements }`, with its own variables.
    fn block(&mut self, depth: usize) -> String {
        let count = 1 + self.dice.below(2);
        let body = self.scoped(|this| this.stmts(count, depth));
        format!("{{\n{body}}}")
    }

    pub(super) fn stmt(&mut self, depth: usize) -> String {
        self.fuel -= 1;
        if depth == 0 || self.fuel <= 0 {
            return self.let_stmt(1);
        }
        let weights = [26, 10, 12, 7, 6, 5, 5, 6, 4, 4, 4, 12, 6, 3, 7, 3, 8, 6, 4, 5, 15, 5, 6];
        match self.dice.weighted(&weights) {
            1 if self.dice.chance(25) => self.assign_several(),
            1 if self.dice.chance(25) => self.assign_chosen(),
            1 => self.assign(),
            2 => self.assign_op(),
            3 => {
                let (condition, then) = (self.bool(2), self.block(depth - 1));
                let other =
                    if self.dice.chance(50) { format!(" else {}", self.block(depth - 1)) } else { String::new() };
                format!("if {condition} {then}{other}\n")
            }
            4 => self.if_let(depth - 1),
            5 => self.let_else(),
            6 => {
                let text = self.match_with(2, |this| this.block(depth - 1));
                format!("{text}\n")
            }
            7 if self.loops < 2 => self.for_loop(depth - 1),
            8 if self.loops < 2 => self.while_loop(depth - 1),
            9 if self.loops < 2 => self.loop_value(depth - 1),
            10 => self.labelled(depth - 1),
            11 => self.write().unwrap_or_else(|| self.let_stmt(3)),
            12 => self.update().unwrap_or_else(|| self.assign_op()),
            13 if self.tries() => format!("tx.guard({})?;\n", self.mostly(2)),
            14 => {
                let condition = self.rarely(2);
                let leave = match self.tries() && self.dice.chance(10) {
                    true => format!("tx.reject({})?;\n", self.expr(&Ty::Scalar(Scalar::U32), 1)),
                    false => self.leave(),
                };
                format!("if {condition} {{\n{leave}}}\n")
            }
            15 => self.assertion(),
            16 => self.call_stmt(),
            17 if self.loops < 2 => self.for_elements(depth - 1),
            18 if self.loops < 2 => self.for_lanes(depth - 1).unwrap_or_else(|| self.let_stmt(2)),
            22 => self.let_by_trait().unwrap_or_else(|| self.let_stmt(2)),
            20 => self.named_arrays(depth - 1).unwrap_or_else(|| self.let_stmt(2)),
            21 if self.loops < 2 && self.by_rustc(100) => self.for_flattened(depth - 1),
            19 => self.match_reference(depth - 1).unwrap_or_else(|| self.let_stmt(2)),
            _ => self.let_stmt(3),
        }
    }

    /// Returns a condition that is mostly true.
    fn mostly(&mut self, depth: usize) -> String {
        let (condition, seven) = (self.bool(depth), self.typed(&Ty::Scalar(Scalar::U32), 1));
        format!("({condition} || ({seven} % 7) != 6)")
    }

    /// Returns a condition that is mostly false.
    fn rarely(&mut self, depth: usize) -> String {
        let (condition, five) = (self.bool(depth), self.typed(&Ty::Scalar(Scalar::I64), 1));
        format!("({condition} && ({five} & 7) == 5)")
    }

    pub(super) fn let_stmt(&mut self, depth: usize) -> String {
        let ty = self.world.usual(self.dice);
        let value = self.expr(&ty, depth);
        let name = self.name();
        let mutable = self.dice.chance(55);
        // Without a type annotation only values whose type needs no context.
        let plain = matches!(ty, Ty::Scalar(_)) && self.dice.chance(60);
        let ascribed = if plain { String::new() } else { format!(": {}", self.world.text(&ty)) };
        self.vars.push(Var { name: name.clone(), ty, mutable, place: false });
        format!("let {}{name}{ascribed} = {value};\n", if mutable { "mut " } else { "" })
    }

    /// Returns a mutable place, and its type.
    fn target(&mut self, ty: Option<&Ty>) -> Option<(String, Ty)> {
        let mut found = Vec::new();
        for var in self.visible().into_iter().filter(|var| var.mutable) {
            let whole = if var.place { format!("*{}", var.name) } else { var.name.clone() };
            found.push((whole, var.ty.clone()));
            found.extend(self.parts_of(&var.name, &var.ty, 3));
        }
        found.retain(|(_, part)| ty.is_none_or(|ty| ty == part));
        (!found.is_empty()).then(|| self.dice.pick(&found).clone())
    }

    fn assign(&mut self) -> String {
        match self.target(None) {
            Some((place, ty)) => format!("{place} = {};\n", self.expr(&ty, 3)),
            None => self.let_stmt(2),
        }
    }

    /// Returns `(a, (b.c, _)) = value`.
    fn assign_several(&mut self) -> String {
        let (mut places, mut values) = (String::new(), String::new());
        for k in 0..1 + self.dice.below(3) {
            let Some((place, ty)) = self.target(None).filter(|_| self.dice.chance(85)) else {
                // The ignored part needs a value with a known type.
                places += "_, ";
                values += &format!("{}, ", self.component(&Ty::Scalar(Scalar::U32)));
                continue;
            };
            let value = self.expr(&ty, 2);
            let nested = k == 0 && self.dice.chance(30);
            places += &if nested { format!("({place},), ") } else { format!("{place}, ") };
            values += &if nested { format!("({value},), ") } else { format!("{value}, ") };
        }
        let pair = self.dice.chance(30) && places.matches(", ").count() > 1;
        match pair {
            // Evaluated before, so that the value is not a tuple expression.
            true => format!("{{ let all = ({values}); ({places}) = all; }}\n"),
            false => format!("({places}) = ({values});\n"),
        }
    }

    /// Returns an assignment to one of two places.
    fn assign_chosen(&mut self) -> String {
        let Some((one, ty)) = self.target(None) else { return self.let_stmt(2) };
        let Some((other, _)) = self.target(Some(&ty)) else { return self.assign() };
        let (value, first, condition) = (self.expr(&ty, 2), self.expr(&ty, 1), self.bool(2));
        let (text, new, place, is) = (self.world.text(&ty), self.fresh(), self.fresh(), self.fresh());
        format!(
            "{{\nlet ({new}, {is}): ([{text}; 2], bool) = ([{first}, {value}], {condition});\n\
             let {place} = if {is} {{ &mut {one} }} else {{ &mut {other} }};\n*{place} = {new}[0];\n\
             if {is} {{\n*{place} = {new}[1];\n}}\n}}\n"
        )
    }

    fn assign_op(&mut self) -> String {
        let wanted = Ty::Scalar(if self.dice.chance(80) { int(self.dice) } else { scalar(self.dice) });
        let Some((place, _)) = self.target(Some(&wanted)) else { return self.assign() };
        let Ty::Scalar(scalar) = wanted else { return self.assign() };
        match scalar {
            Scalar::Bool => format!("{place} {} {};\n", self.dice.pick(&["&=", "|=", "^="]), self.bool(2)),
            Scalar::F32 | Scalar::F64 => {
                // The sum of finite numbers is no NaN; the last line handles infinities.
                let value = self.expr(&Ty::Scalar(scalar), 1);
                format!("{place} += {value};\n{place} = ({place}).max(-1e30_{});\n", scalar.rust())
            }
            _ => match self.dice.below(8) {
                0 => {
                    let op = *self.dice.pick(&["/=", "%="]);
                    format!("{place} {op} ({} | 1);\n", self.expr(&Ty::Scalar(scalar), 2))
                }
                1 => {
                    let op = *self.dice.pick(&["<<=", ">>="]);
                    let amount = Ty::Scalar(int(self.dice));
                    format!("{place} {op} ({} & 7);\n", self.expr(&amount, 1))
                }
                2..=4 => {
                    let op = *self.dice.pick(&["&=", "|=", "^="]);
                    format!("{place} {op} {};\n", self.expr(&Ty::Scalar(scalar), 2))
                }
                _ => {
                    let op = *self.dice.pick(&["+=", "-=", "*="]);
                    let value =
                        if self.dice.chance(70) { self.dice.below(3).to_string() } else { self.expr(&wanted, 2) };
                    format!("{place} {op} {value};\n")
                }
            },
        }
    }

    fn if_let(&mut self, depth: usize) -> String {
        let then = self.scoped(|this| {
            let chain = this.chain(2);
            format!("if {chain} {}", this.block(depth))
        });
        let other = if self.dice.chance(40) { format!(" else {}", self.block(depth)) } else { String::new() };
        format!("{then}{other}\n")
    }

    fn let_else(&mut self) -> String {
        let leave = self.scoped(Gen::leave);
        let (value, pattern) = self.test(2);
        if pattern == "_" {
            return format!("let _ = {value};\n");
        }
        format!("let {pattern} = {value} else {{\n{leave}}};\n")
    }

    /// Returns a jump that can end a block.
    pub(super) fn leave(&mut self) -> String {
        let around = self.around.last().cloned();
        if let Some(around) = around.filter(|_| self.dice.chance(55)) {
            let label = around.label.as_ref().map(|label| format!(" {label}")).unwrap_or_default();
            return match (&around.value, around.is_loop) {
                (None, true) if self.dice.chance(50) => format!("continue{label};\n"),
                (Some(ty), _) => format!("break{label} {};\n", self.expr(ty, 2)),
                (None, _) => format!("break{label};\n"),
            };
        }
        match (self.dice.below(6), self.form.clone()) {
            (0, _) => "panic!(\"out\");\n".to_owned(),
            (1 | 2, Form::Tries(_)) => {
                format!("return tx.reject({});\n", self.expr(&Ty::Scalar(Scalar::U32), 1))
            }
            (3, Form::Tries(_)) => format!("return tx.reject({});\n", self.dice.below(9)),
            (_, Form::Tries(ty)) => format!("return Ok({});\n", self.expr(&ty, 2)),
            (_, Form::Plain(Ty::Unit)) => "return;\n".to_owned(),
            (_, Form::Plain(ty)) => format!("return {};\n", self.expr(&ty, 2)),
        }
    }

    pub(super) fn label(&mut self) -> Option<String> {
        self.dice.chance(35).then(|| {
            self.next += 1;
            format!("'l{}", self.next)
        })
    }

    pub(super) fn inside(&mut self, around: Around, depth: usize) -> String {
        let counts = usize::from(around.is_loop);
        self.around.push(around);
        self.loops += counts;
        let count = 1 + self.dice.below(3);
        let body = self.stmts(count, depth);
        self.loops -= counts;
        self.around.pop();
        body
    }

    fn for_loop(&mut self, depth: usize) -> String {
        let (label, scalar) = (self.label(), int(self.dice));
        let range = self.range(scalar);
        let (name, mutable) = (self.name(), self.dice.chance(15));
        let before = label.as_ref().map(|label| format!("{label}: ")).unwrap_or_default();
        self.scoped(|this| {
            this.vars.push(Var { name: name.clone(), ty: Ty::Scalar(scalar), mutable, place: false });
            let body = this.inside(Around { label, is_loop: true, value: None }, depth);
            format!("{before}for {}{name} in {range} {{\n{body}}}\n", if mutable { "mut " } else { "" })
        })
    }

    /// Returns a range of at most seven values.
    fn range(&mut self, scalar: Scalar) -> String {
        let (name, dots) = (scalar.rust(), *self.dice.pick(&["..", "..="]));
        let range = match self.dice.below(6) {
            0 => format!("{name}::MAX - {}{dots}{name}::MAX", self.dice.below(4)),
            1 if scalar.is_signed() => format!("-{}_{name}{dots}{}", 1 + self.dice.below(3), self.dice.below(3)),
            2 => format!("{}_{name}{dots}({} & 3)", self.dice.below(3), self.expr(&Ty::Scalar(scalar), 1)),
            _ => format!("{}_{name}{dots}{}", self.dice.below(3), self.dice.below(6)),
        };
        // Only a range with an exact size (`ExactSizeIterator`) can be stepped backwards.
        let short = scalar.size() <= if dots == ".." { 4 } else { 2 };
        match self.dice.below(8) {
            0 => format!("({range}).rev()"),
            1 => format!("({range}).step_by({})", 1 + self.dice.below(3)),
            2 | 3 if short => format!("({range}).step_by({} & 3).rev()", self.expr(&Ty::Scalar(Scalar::Usize), 1)),
            _ => range,
        }
    }

    /// Returns a counter that only the loop changes.
    fn counter(&mut self) -> (String, String) {
        self.next += 1;
        let (name, scalar) = (format!("c{}", self.next), int(self.dice));
        self.vars.push(Var { name: name.clone(), ty: Ty::Scalar(scalar), mutable: false, place: false });
        (name.clone(), format!("let mut {name} = 0_{};\n", scalar.rust()))
    }

    fn while_loop(&mut self, depth: usize) -> String {
        let label = self.label();
        let (counter, declared) = self.counter();
        let before = label.as_ref().map(|label| format!("{label}: ")).unwrap_or_default();
        let around = Around { label, is_loop: true, value: None };
        let most = 1 + self.dice.below(4);
        self.scoped(|this| {
            let condition = match this.dice.below(10) {
                0..2 => format!(" && {}", this.chain(1)),
                2 => format!(" && {}", this.bool(1)),
                _ => String::new(),
            };
            let body = this.inside(around, depth);
            format!("{declared}{before}while {counter} < {most}{condition} {{\n{counter} += 1;\n{body}}}\n")
        })
    }

    /// Returns a `loop` with a value.
    fn loop_value(&mut self, depth: usize) -> String {
        let (label, ty) = (self.label(), self.world.usual(self.dice));
        let (counter, declared) = self.counter();
        let before = label.as_ref().map(|label| format!("{label}: ")).unwrap_or_default();
        let most = 1 + self.dice.below(4);
        let body = self.scoped(|this| {
            let last = this.expr(&ty, 2);
            let body = this.inside(Around { label, is_loop: true, value: Some(ty.clone()) }, depth);
            format!("if {counter} == {most} {{\nbreak {last};\n}}\n{counter} += 1;\n{body}")
        });
        let (name, text) = (self.name(), self.world.text(&ty));
        self.vars.push(Var { name: name.clone(), ty, mutable: false, place: false });
        format!("{declared}let {name}: {text} = {before}loop {{\n{body}}};\n")
    }

    /// Returns a labelled block with a value.
    fn labelled(&mut self, depth: usize) -> String {
        self.next += 1;
        let (label, ty) = (format!("'b{}", self.next), self.world.usual(self.dice));
        let body = self.scoped(|this| {
            let around = Around { label: Some(label.clone()), is_loop: false, value: Some(ty.clone()) };
            let body = this.inside(around, depth);
            format!("{body}{}\n", this.expr(&ty, 2))
        });
        let (name, text) = (self.name(), self.world.text(&ty));
        let mutable = self.dice.chance(40);
        self.vars.push(Var { name: name.clone(), ty, mutable, place: false });
        format!("let {}{name}: {text} = {label}: {{\n{body}}};\n", if mutable { "mut " } else { "" })
    }

    /// Returns an array of the function, or a field of one.
    pub(super) fn some_array(&mut self) -> Option<(String, Ty)> {
        let mut found = self.arrays.clone();
        for (name, ty) in self.arrays.clone() {
            found.extend(self.array_fields(&name, &ty, 3).into_iter().map(|(path, ty)| (format!("&{path}"), ty)));
        }
        (self.tries() && !found.is_empty()).then(|| self.dice.pick(&found).clone())
    }

    fn write(&mut self) -> Option<String> {
        let (array, ty) = self.some_array()?;
        let (index, value) = (self.array_index(2), self.expr(&ty, 3));
        Some(format!("tx.write({array}, {index}, {value})?;\n"))
    }

    fn update(&mut self) -> Option<String> {
        let (array, ty) = self.some_array()?;
        let index = self.array_index(2);
        self.next += 1;
        let name = format!("u{}", self.next);
        let value = self.scoped(|this| {
            this.vars.push(Var { name: name.clone(), ty: ty.clone(), mutable: false, place: false });
            // `?` cannot leave the closure.
            let (form, fuel) = (this.form.clone(), this.fuel);
            this.form = Form::Plain(Ty::Unit);
            this.fuel = fuel.min(6);
            let value = this.pure(&ty);
            (this.form, this.fuel) = (form, fuel - 4);
            value
        });
        Some(format!("tx.update({array}, {index}, |{name}| {value})?;\n"))
    }

    /// Returns a value without reads and without calls that return a `TxResult`.
    fn pure(&mut self, ty: &Ty) -> String {
        self.expr(ty, 2)
    }

    fn assertion(&mut self) -> String {
        let condition = self.mostly(2);
        match self.dice.below(3) {
            0 => format!("assert!({condition}, \"no\");\n"),
            1 => format!("assert_eq!({condition}, true);\n"),
            _ => format!("assert!({condition});\n"),
        }
    }

    /// Returns a call of any helper, whose result is kept if there is one.
    fn call_stmt(&mut self) -> String {
        let tries = self.tries();
        let fitting: Vec<_> = self.world.helpers.iter().filter(|h| tries || !h.tries).cloned().collect();
        if fitting.is_empty() {
            return self.assign();
        }
        let helper = self.dice.pick(&fitting).clone();
        let Some(call) = self.call_of(&helper, 2) else { return self.let_stmt(3) };
        let call = if helper.tries { format!("{call}?") } else { call };
        if helper.result == Ty::Unit {
            return format!("{call};\n");
        }
        let name = self.name();
        let mutable = self.dice.chance(30);
        self.vars.push(Var { name: name.clone(), ty: helper.result, mutable, place: false });
        format!("let {}{name} = {call};\n", if mutable { "mut " } else { "" })
    }

    /// Returns `{ let ..; value }`.
    pub(super) fn block_value(&mut self, ty: &Ty, depth: usize) -> String {
        self.scoped(|this| {
            let first = if this.dice.chance(50) { this.let_stmt(depth) } else { this.assign_op() };
            format!("({{\n{first}{}\n}})", this.expr(ty, depth))
        })
    }
}
