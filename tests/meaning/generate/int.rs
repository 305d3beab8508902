//! Integers and booleans.

use kernels_gen::methods::{ASSOCIATED, Faults, METHODS, Method, MethodResult, Operand};
use kernels_gen::spec::Scalar;

use super::Reader;
use super::expr::Gen;
use super::types::{Ty, int};

/// Returns the component to take from a method's result.
fn gives(outcome: MethodResult) -> (Option<Operand>, &'static str) {
    match outcome {
        MethodResult::One(one) => (Some(one), ""),
        MethodResult::Pair(one, _) => (Some(one), ".0"),
        MethodResult::Option(_) => (None, ""),
    }
}

fn suffix(scalar: Scalar, shown: bool) -> String {
    if shown { format!("_{}", scalar.rust()) } else { String::new() }
}

impl Gen<'_> {
    pub(super) fn int(&mut self, scalar: Scalar, depth: usize) -> String {
        let ty = Ty::Scalar(scalar);
        let depth = depth - 1;
        if scalar == Scalar::Usize
            && self.dice.chance(12)
            && let Some(array) = self.any_array()
        {
            return format!("{array}.len()");
        }
        match self.dice.weighted(&[26, 10, 8, 6, 14, 26, 6, 4, 10, 4, 4, 4, 3, 4, 3, 7, 4]) {
            0 => self.arith(scalar, depth),
            1 => {
                let op = *self.dice.pick(&["&", "|", "^"]);
                format!("({} {op} {})", self.expr(&ty, depth), self.expr(&ty, depth))
            }
            2 => self.shift(scalar, depth),
            3 if scalar.is_signed() && self.dice.chance(60) => format!("(-{})", self.expr(&ty, depth)),
            3 => format!("(!{})", self.expr(&ty, depth)),
            4 => self.cast(scalar, depth),
            5 => self.method(scalar, depth),
            6 => self.unwrapped(&ty, depth),
            8 => self.iterated(scalar, depth),
            9 => self.over_elements(scalar, depth),
            10 if self.by_rustc(100) => self.of_array(scalar, depth),
            11 if self.dice.chance(30) => self.by_name(scalar),
            11 => self.by_closure(scalar, depth),
            12 => self.of_bytes(scalar, depth),
            13 => self.of_reads(scalar).unwrap_or_else(|| self.component(&ty)),
            15 if self.by_rustc(100) => self.by_path(scalar, depth),
            // Only rustc finds the methods of constants.
            16 if self.world.reader == Reader::Rustc => self.of_table(scalar, depth),
            14 => self.of_letter(scalar, depth).unwrap_or_else(|| self.component(&ty)),
            _ => {
                self.next += 1;
                let (name, place) = (format!("w{}", self.next), self.expr(&ty, depth));
                format!("({{ let mut {name} = {place}; {name} ^= {}; {name} }})", self.component(&ty))
            }
        }
    }

    fn arith(&mut self, scalar: Scalar, depth: usize) -> String {
        let ty = Ty::Scalar(scalar);
        let left = self.expr(&ty, depth);
        let op = *self.dice.pick(&["+", "+", "-", "*", "/", "%"]);
        if matches!(op, "/" | "%") {
            return match self.dice.below(10) {
                0 => format!("({left} {op} {})", self.expr(&ty, depth)),
                1..=3 => format!("({left} {op} ({} | 1))", self.expr(&ty, depth)),
                k => format!("({left} {op} {}{})", 1 + self.dice.below(9), suffix(scalar, k > 6)),
            };
        }
        match self.dice.below(4) {
            0 => format!("({left} {op} {})", self.expr(&ty, depth)),
            k => format!("({left} {op} {}{})", self.dice.below(if op == "*" { 3 } else { 4 }), suffix(scalar, k > 1)),
        }
    }

    fn shift(&mut self, scalar: Scalar, depth: usize) -> String {
        let left = self.expr(&Ty::Scalar(scalar), depth);
        let op = *self.dice.pick(&["<<", ">>"]);
        let amount = int(self.dice);
        let bits = 8 * scalar.size();
        match self.dice.below(10) {
            0 => format!("({left} {op} {})", self.expr(&Ty::Scalar(amount), depth)),
            1..=3 => format!("({left} {op} ({} & {}))", self.expr(&Ty::Scalar(amount), depth), bits - 1),
            _ => format!("({left} {op} {}_{})", self.dice.below(bits), amount.rust()),
        }
    }

    fn cast(&mut self, scalar: Scalar, depth: usize) -> String {
        let from = match self.dice.below(8) {
            0 if !self.world.enums.is_empty() => Ty::Enum(self.dice.below(self.world.enums.len())),
            _ => Ty::Scalar(super::types::scalar(self.dice)),
        };
        format!("({} as {})", self.expr(&from, depth), scalar.rust())
    }

    /// Returns a call of a method whose result is the scalar, or a pair with it.
    pub(super) fn method(&mut self, scalar: Scalar, depth: usize) -> String {
        let mut fitting = Vec::new();
        for method in METHODS {
            let (Some(operand), part) = gives(method.result) else { continue };
            // Methods that fault for many operands are rare.
            if matches!(method.faults, Faults::Always | Faults::Both) && !self.dice.chance(35) {
                continue;
            }
            let receivers =
                Scalar::ALL.into_iter().chain(Scalar::WIDE).filter(|s| method.on.has(*s) && operand.of(*s) == scalar);
            fitting.extend(receivers.map(|receiver| (method, receiver, part)));
        }
        let Some((method, receiver, part)) = (!fitting.is_empty()).then(|| *self.dice.pick(&fitting)) else {
            return self.component(&Ty::Scalar(scalar));
        };
        format!("{}{part}", self.method_call(method, receiver, depth))
    }

    pub(super) fn method_call(&mut self, method: &Method, receiver: Scalar, depth: usize) -> String {
        let value = self.expr(&Ty::Scalar(receiver), depth);
        let args = self.method_args(method, receiver, depth);
        let path = self.dice.chance(10);
        match path {
            true => format!("{}::{}({})", receiver.rust(), method.name, [vec![value], args].concat().join(", ")),
            false => format!("{value}.{}({})", method.name, args.join(", ")),
        }
    }

    fn method_args(&mut self, method: &Method, receiver: Scalar, depth: usize) -> Vec<String> {
        let name = receiver.rust();
        if method.name == "clamp" && self.dice.chance(90) {
            return match receiver {
                Scalar::Bool => vec!["false".to_owned(), "true".to_owned()],
                Scalar::F32 | Scalar::F64 => vec![format!("-2.5_{name}"), format!("7.25_{name}")],
                _ => vec![format!("{}_{name}", self.dice.below(5)), format!("{}_{name}", 5 + self.dice.below(90))],
            };
        }
        let faults = matches!(method.faults, Faults::Always | Faults::Both);
        let args = method.args.iter().map(|operand| match operand {
            Operand::Is(Scalar::U32) if self.dice.chance(80) => format!("{}_u32", self.dice.below(5)),
            Operand::Same if receiver.is_float() && matches!(method.name, "min" | "max") => format!("1.5_{name}"),
            Operand::Same if faults && receiver.is_int() && self.dice.chance(80) => {
                format!("{}_{name}", 2 + self.dice.below(9))
            }
            other => self.expr(&Ty::Scalar(other.of(receiver)), depth.min(1)),
        });
        args.collect()
    }

    /// Returns a call of a method whose result is an `Option` of the scalar.
    pub(super) fn method_option(&mut self, scalar: Scalar, depth: usize) -> Option<String> {
        let mut fitting = Vec::new();
        for method in METHODS {
            let MethodResult::Option(some) = method.result else { continue };
            let receivers =
                Scalar::ALL.into_iter().chain(Scalar::WIDE).filter(|s| method.on.has(*s) && some.of(*s) == scalar);
            fitting.extend(receivers.map(|receiver| (method, receiver)));
        }
        if fitting.is_empty() {
            return None;
        }
        let (method, receiver) = *self.dice.pick(&fitting);
        Some(self.method_call(method, receiver, depth))
    }

    /// Returns the value of an `Option`.
    pub(super) fn unwrapped(&mut self, ty: &Ty, depth: usize) -> String {
        let option = self.typed_option(ty, depth);
        match self.dice.below(8) {
            0 => format!("{option}.unwrap()"),
            1 => format!("{option}.expect(\"there is one\")"),
            2 if matches!(ty, Ty::Scalar(_)) => format!("{option}.unwrap_or_default()"),
            _ => format!("{option}.unwrap_or({})", self.expr(ty, depth)),
        }
    }

    pub(super) fn bool(&mut self, depth: usize) -> String {
        self.fuel -= 1;
        let truth = Ty::Scalar(Scalar::Bool);
        if depth == 0 || self.fuel <= 0 {
            return self.component(&truth);
        }
        let depth = depth - 1;
        match self.dice.weighted(&[32, 8, 14, 6, 10, 8, 8, 6, 6, 2, 3, 2]) {
            0 => {
                let op = *self.dice.pick(&["==", "!=", "<", "<=", ">", ">="]);
                let ty = Ty::Scalar(super::types::scalar(self.dice));
                format!("({} {op} {})", self.expr(&ty, depth), self.expr(&ty, depth))
            }
            1 => format!("(!{})", self.bool(depth)),
            2 => {
                let op = *self.dice.pick(&["&&", "||"]);
                format!("({} {op} {})", self.bool(depth), self.bool(depth))
            }
            3 => {
                let op = *self.dice.pick(&["&", "|", "^"]);
                format!("({} {op} {})", self.bool(depth), self.bool(depth))
            }
            4 => self.equality(depth),
            5 => self.matches(depth),
            6 => self.method(Scalar::Bool, depth),
            7 => {
                let inner = self.world.ty(self.dice, 1);
                let test = *self.dice.pick(&["is_some", "is_none"]);
                format!("{}.{test}()", self.typed_option(&inner, depth))
            }
            10 => self.tested_option(depth.min(1)),
            11 if self.by_rustc(100) => self.about_letter(depth),
            8 => self.any_array().map_or_else(|| self.component(&truth), |array| format!("{array}.is_empty()")),
            _ => self.component(&truth),
        }
    }

    /// Returns a comparison of compound values.
    fn equality(&mut self, depth: usize) -> String {
        let ty = self.world.ty(self.dice, 2);
        let op = *self.dice.pick(&["==", "!=", "==", "!=", "<", "<=", ">", ">="]);
        let left = self.typed(&ty, depth);
        format!("({left} {op} {})", self.expr(&ty, depth))
    }

    /// Returns a value whose type needs no context.
    pub(super) fn typed(&mut self, ty: &Ty, depth: usize) -> String {
        let (name, text) = (self.fresh(), self.world.text(ty));
        let paths = self.paths(ty);
        if !paths.is_empty() && self.dice.chance(70) {
            return self.dice.pick(&paths).0.clone();
        }
        format!("({{ let {name}: {text} = {}; {name} }})", self.expr(ty, depth))
    }

    /// Returns `f32::from_bits(..)`, similar calls, and words of floats.
    pub(super) fn of_bits(&mut self, scalar: Scalar, depth: usize) -> String {
        let function = &ASSOCIATED[0];
        let bits = self.expr(&Ty::Scalar(function.args[0].of(scalar)), depth);
        format!("{}::{}({bits})", scalar.rust(), function.name)
    }
}
