//! Chains of iterator methods, and closures of `Option`, that give an integer.

use kernels_gen::spec::Scalar;

use super::expr::Gen;
use super::types::Ty;

impl Gen<'_> {
    /// Returns a chain over a range or an array with an end that gives the scalar. Closures use variables around them, and neither
    /// `?` nor `tx`.
    pub(super) fn iterated(&mut self, scalar: Scalar, depth: usize) -> String {
        if self.dice.chance(25) {
            return self.followed(scalar, depth);
        }
        if self.dice.chance(45) {
            return self.of_parts(scalar, depth);
        }
        self.chain_of(scalar)
    }

    pub(super) fn chain_of(&mut self, scalar: Scalar) -> String {
        let (mut chain, of) = self.chain_source(scalar);
        for _ in 0..self.dice.below(4) {
            chain += &self.chain_step(of);
        }
        self.chain_end(chain, of, scalar)
    }

    /// Returns an iterator over integers, perhaps reversed, and their type.
    pub(super) fn chain_source(&mut self, scalar: Scalar) -> (String, Scalar) {
        let ty = Ty::Scalar(scalar);
        let (name, back) = (scalar.rust(), if self.dice.chance(30) { ".rev()" } else { "" });
        let arrays: Vec<String> =
            (1..5).flat_map(|n| self.paths(&Ty::Array(Box::new(ty.clone()), n))).map(|(path, _)| path).collect();
        if self.dice.chance(20) {
            return (self.made_source(scalar), scalar);
        }
        if self.dice.chance(20) {
            return (self.backwards(scalar), scalar);
        }
        if self.dice.chance(40)
            && let Some(part) = self.part(scalar)
        {
            let source = match self.dice.below(2) {
                0 => self.pieces(&part),
                _ => format!("{part}.iter().copied()"),
            };
            return (source + back, scalar);
        }
        let source = match self.dice.below(4) {
            0 => format!("({}..{}_{name})", self.dice.below(3), self.dice.below(9)),
            1 => {
                // Rust has no `rev` for it, because it may have one more step than `usize` counts.
                let (least, most, by) = (self.dice.below(3), self.dice.below(9), 1 + self.dice.below(3));
                return (format!("({least}..={most}_{name}).step_by({by})"), scalar);
            }
            2 if !arrays.is_empty() => format!("{}.iter().copied()", self.dice.pick(&arrays)),
            _ => {
                let elements: Vec<String> = (0..3).map(|_| self.component(&ty)).collect();
                format!("[{}].into_iter()", elements.join(", "))
            }
        };
        (source + back, scalar)
    }

    fn chain_step(&mut self, of: Scalar) -> String {
        if self.dice.chance(45) {
            return self.more_step(of);
        }
        let (w, value, name) = (self.fresh(), self.component(&Ty::Scalar(of)), of.rust());
        let few = self.dice.below(4);
        match self.dice.below(16) {
            13.. => format!(".zip({}).map(|({w}, k)| {w}.wrapping_mul(5) ^ k)", self.other_chain(of)),
            0 => format!(".map(|{w}| {w}.wrapping_mul({value}))"),
            1 => format!(".map(|{w}| {w} ^ {value})"),
            2 => format!(".filter(|{w}| *{w} > {value})"),
            3 => format!(".filter(|&{w}| {w} & 1 == 0)"),
            4 => format!(".skip({few})"),
            5 => format!(".take({few})"),
            6 => format!(".step_by({})", 1 + few),
            7 => format!(".chain([{value}, {few}])"),
            8 => format!(".enumerate().map(|(k, {w})| {w}.wrapping_add(k as {name}))"),
            9 => format!(".zip([{value}, 3, 5]).map(|({w}, k)| {w}.wrapping_sub(k))"),
            10 => format!(".flat_map(|{w}| [{w}, {value}])"),
            11 => format!(".map(|{w}| [{w}, {few}]).flatten()"),
            _ => format!(".take_while(|{w}| *{w} != {value})"),
        }
    }

    fn chain_end(&mut self, chain: String, of: Scalar, scalar: Scalar) -> String {
        let (w, value, name) = (self.fresh(), self.component(&Ty::Scalar(of)), scalar.rust());
        if self.dice.chance(50) {
            return self.more_end(&chain, of, name);
        }
        match self.dice.below(13) {
            11 => format!("({chain}.lt({}) as {name})", self.other_chain(of)),
            12 => format!("({chain}.cmp([3, {value}]).is_ge() as {name})"),
            9 => format!("{chain}.try_fold({value}, |old, {w}| old.checked_add({w})).unwrap_or(3)"),
            0 => format!("{chain}.fold({value}, |old, {w}| old.wrapping_mul(3).wrapping_add({w}))"),
            // A scan ends by itself, and what follows it is not counted.
            1 if self.dice.chance(50) && !chain.contains(".scan(") => {
                format!("({chain}.zip([1, 3].iter().cycle()).map(|({w}, k)| {w} ^ k).sum::<{name}>())")
            }
            1 => format!("{chain}.sum::<{name}>()"),
            2 => format!("({chain}.count() as {name})"),
            3 => format!("{chain}.max().unwrap_or({value})"),
            4 => format!("{chain}.min_by_key(|{w}| {w}.wrapping_mul(5)).unwrap_or({value})"),
            5 => format!("({chain}.position(|{w}| {w} == {value}).unwrap_or(9) as {name})"),
            6 => format!("{chain}.find(|{w}| *{w} > {value}).unwrap_or(7)"),
            7 => format!("({chain}.any(|{w}| {w} < {value}) as {name})"),
            8 => format!("{chain}.last().map_or({value}, |{w}| {w}.wrapping_sub(1))"),
            _ => format!("{chain}.reduce(|old, {w}| old ^ {w}.wrapping_mul(3)).unwrap_or({value})"),
        }
    }

    /// Returns an `Option` that closures follow to a value.
    fn followed(&mut self, scalar: Scalar, depth: usize) -> String {
        let ty = Ty::Scalar(scalar);
        let (option, w) = (self.typed_option(&ty, depth), self.fresh());
        let (value, other) = (self.component(&ty), self.component(&ty));
        match self.dice.below(8) {
            0 => format!("{option}.map(|{w}| {w} ^ {value}).unwrap_or({other})"),
            5 => format!("{option}.ok_or({value}).map(|{w}| {w} ^ 5).unwrap_or_else(|{w}| {w} ^ {other})"),
            6 => format!(
                "{option}.ok_or_else(|| {value}).and_then(|{w}| if {w} > 3 {{ Ok({w}) }} else {{ Err({other}) }}).map_or_else(|{w}| {w}, |{w}| {w} / 2)"
            ),
            7 => format!("{option}.ok_or({value}).map_err(|{w}| {w} ^ {other}).err().unwrap_or(9)"),
            1 => format!("{option}.filter(|{w}| *{w} > {value}).unwrap_or({other})"),
            2 => format!("{option}.map_or({other}, |{w}| {w}.wrapping_add({value}))"),
            3 => format!("{option}.and_then(|{w}| {w}.checked_sub({value})).unwrap_or({other})"),
            _ => format!("{option}.unwrap_or_else(|| {value})"),
        }
    }

    pub(super) fn fresh(&mut self) -> String {
        self.next += 1;
        format!("w{}", self.next)
    }
}
