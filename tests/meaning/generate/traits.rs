//! A trait of the module: types that have it, calls of its methods, and functions with a parameter that has it as a bound.

use kernels_gen::spec::Scalar;

use super::Dice;
use super::expr::{Form, Gen, Var};
use super::types::{Receiver, Ty, World, int};

/// The trait `Q` of a module.
#[derive(Debug, Clone)]
pub(super) struct OwnTrait {
    /// The type of the arguments of its methods, and that of their results.
    argument: Scalar,
    result: Scalar,
    /// The types that have it. A generic record of them has it, too.
    owners: Vec<Ty>,
}

impl OwnTrait {
    pub(super) fn new(dice: &mut Dice, world: &World) -> OwnTrait {
        let mut owners = vec![Ty::Record(dice.below(world.records.len()))];
        let scalar = Ty::Scalar(int(dice));
        let others = [
            Ty::Enum(0),
            Ty::Variants(0),
            Ty::Option(Box::new(scalar.clone())),
            Ty::Array(Box::new(scalar.clone()), 2),
            Ty::Tuple(vec![scalar.clone(), Ty::Scalar(Scalar::Bool)]),
            scalar,
        ];
        owners.extend(others.into_iter().filter(|_| dice.chance(35)));
        OwnTrait { argument: int(dice), result: int(dice), owners }
    }

    /// Returns the trait, its implementations, and the functions.
    pub(super) fn items(&self, dice: &mut Dice, world: &World) -> String {
        let mut text = self.declaration(dice, world);
        for owner in &self.owners {
            text += &self.implementation(dice, world, owner);
        }
        let (argument, result) = (self.argument.rust(), self.result.rust());
        text += &format!(
            "#[gpu_fn]\nimpl<T: Q> Q for Pair<T> {{\nconst LEAST: {result} = T::LEAST;\nconst OWN: Self = Pair {{ a: T::OWN, b: T::OWN }};\n\
             fn made() -> Self {{\nPair {{ a: T::made(), b: T::OWN }}\n}}\n\
             fn weight(&self, a0: {argument}) -> {result} {{\nself.a.weight(a0) ^ self.b.weight(3)\n}}\n\
             fn change(&mut self, a0: {argument}) -> {result} {{\nself.a = self.b;\nself.b.change(a0)\n}}\n}}\n"
        );
        text + &self.functions(dice, world)
    }

    fn declaration(&self, dice: &mut Dice, world: &World) -> String {
        let (argument, result) = (self.argument.rust(), self.result.rust());
        let own = [
            ("self.weight(a0)", self.result),
            ("other.weight(a0)", self.result),
            ("Self::LEAST", self.result),
            ("Self::OWN.weight(3)", self.result),
        ];
        let total = self.body(dice, world, &own);
        let least = dice.below(9);
        format!(
            "#[gpu_fn]\npub trait Q: Copy {{\nconst LEAST: {result};\nconst OWN: Self;\nfn made() -> Self;\n\
             fn weight(&self, a0: {argument}) -> {result};\nfn change(&mut self, a0: {argument}) -> {result};\n\
             fn total(&self, a0: {argument}, other: &Self) -> {result} {{\n{total}}}\n\
             fn above(&self, other: &Self) -> bool {{\nself.total({least}, other) > other.weight({least})\n}}\n\
             fn better(self, other: Self) -> Self {{\nif self.above(&other) {{ other }} else {{ self }}\n}}\n}}\n"
        )
    }

    fn implementation(&self, dice: &mut Dice, world: &World, owner: &Ty) -> String {
        let (argument, result, ty) = (self.argument.rust(), self.result.rust(), world.text(owner));
        let [least, own] = [&Ty::Scalar(self.result), owner].map(|ty| world.constant(dice, ty));
        let made = {
            let mut this = Gen::new(dice, world, Form::Plain(owner.clone()), 6);
            this.body()
        };
        let weight = self.method(dice, world, owner, Receiver::Reference);
        let change = self.method(dice, world, owner, Receiver::Place);
        let total = match dice.chance(30) {
            true => {
                let body = self.method(dice, world, owner, Receiver::Reference);
                format!("fn total(&self, a0: {argument}, _other: &Self) -> {result} {{\n{body}}}\n")
            }
            false => String::new(),
        };
        format!(
            "#[gpu_fn]\nimpl Q for {ty} {{\nconst LEAST: {result} = {least};\nconst OWN: Self = {own};\nfn made() -> Self {{\n{made}}}\n\
             fn weight(&self, a0: {argument}) -> {result} {{\n{weight}}}\n\
             fn change(&mut self, a0: {argument}) -> {result} {{\n{change}}}\n{total}}}\n"
        )
    }

    /// Returns the body of a method of this type.
    fn method(&self, dice: &mut Dice, world: &World, owner: &Ty, receiver: Receiver) -> String {
        let fuel = 4 + dice.below(12) as i32;
        let mut this = Gen::new(dice, world, Form::Plain(Ty::Scalar(self.result)), fuel);
        let mutable = receiver == Receiver::Place;
        this.vars.push(Var { name: "self".to_owned(), ty: owner.clone(), mutable, place: true });
        this.vars.push(Var::new("a0", Ty::Scalar(self.argument)));
        this.body()
    }

    /// Returns a body that sees the trait alone: these values, and the argument.
    fn body(&self, dice: &mut Dice, world: &World, own: &[(&str, Scalar)]) -> String {
        let fuel = 4 + dice.below(12) as i32;
        let mut this = Gen::new(dice, world, Form::Plain(Ty::Scalar(self.result)), fuel);
        this.vars.push(Var::new("a0", Ty::Scalar(self.argument)));
        let mut text = String::new();
        for (value, scalar) in own {
            let name = this.fresh();
            text += &format!("let {name} = {value};\n");
            this.vars.push(Var::new(&name, Ty::Scalar(*scalar)));
        }
        text + &this.body()
    }

    fn functions(&self, dice: &mut Dice, world: &World) -> String {
        let (argument, result) = (self.argument.rust(), self.result.rust());
        let own = [
            ("a.weight(a0)", self.result),
            ("b.total(a0, &a)", self.result),
            ("T::LEAST", self.result),
            ("a.above(&b)", Scalar::Bool),
            ("Q::weight(&b, a0)", self.result),
            ("T::made().weight(a0)", self.result),
        ];
        let body = self.body(dice, world, &own);
        let head = *dice.pick(&["one in list.iter()", "one in list", "one in &list", "one in list.into_iter().rev()"]);
        format!(
            "#[gpu_fn]\npub fn q0<T: Q>(a: T, b: T, a0: {argument}) -> {result} {{\n{body}}}\n\
             #[gpu_fn]\npub fn q1<T: Q, const N: usize>(list: [T; N], a0: {argument}) -> {result} {{\nlet mut all = T::LEAST;\n\
             for {head} {{\nall = all.wrapping_mul(3) ^ one.weight(a0);\n}}\nall\n}}\n\
             #[gpu_fn]\npub fn q2<T: Q>(a: T, b: T) -> T {{\na.better(b).better(T::OWN)\n}}\n\
             #[gpu_fn]\npub fn q3<T: Q>(a: T, a0: {argument}) -> (T, {result}) {{\nlet mut a = a;\nlet all = a.change(a0);\n(a, all)\n}}\n"
        )
    }
}

impl Gen<'_> {
    /// Returns a value of a method, a constant, or a function of the trait, if one has this type.
    pub(super) fn by_trait(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let own = self.world.own_trait.as_ref()?;
        let depth = depth.min(1);
        let argument = Ty::Scalar(own.argument);
        if own.owners.contains(ty) && self.dice.chance(70) {
            let name = self.world.text(ty);
            return Some(match self.dice.below(6) {
                0 => format!("<{name} as Q>::made()"),
                5 => {
                    let w = self.fresh();
                    format!("({{ let {w}: {name} = Q::made(); {w} }})")
                }
                1 => format!("<{name} as Q>::OWN"),
                2 => format!("q3({}, {}).0", self.typed(ty, depth), self.expr(&argument, depth)),
                3 => format!("{}.better({})", self.typed(ty, depth), self.expr(ty, depth)),
                _ => format!("q2({}, {})", self.typed(ty, depth), self.expr(ty, depth)),
            });
        }
        if *ty != Ty::Scalar(own.result) {
            return None;
        }
        let mut owner = self.dice.pick(&own.owners).clone();
        if self.dice.chance(25) {
            owner = Ty::Pair(Box::new(owner));
        }
        let (name, value, given) = (self.world.text(&owner), self.typed(&owner, depth), self.expr(&argument, depth));
        Some(match self.dice.below(8) {
            0 => format!("{value}.weight({given})"),
            1 => format!("{value}.total({given}, &{})", self.typed(&owner, depth)),
            2 => format!("q1([{value}, {}], {given})", self.expr(&owner, depth)),
            3 => format!("<{name} as Q>::LEAST"),
            4 => format!("q3({value}, {given}).1"),
            5 => format!("Q::weight(&{value}, {given})"),
            // rustc does not find the method of a type of the language that takes `&mut self` by itself.
            6 if matches!(owner, Ty::Record(_) | Ty::Pair(_) | Ty::Enum(_) | Ty::Variants(_)) => {
                let (all, w) = (self.fresh(), self.fresh());
                format!("({{ let mut {w}: {name} = {value}; let {all} = {w}.change({given}); {all} ^ {w}.weight(1) }})")
            }
            _ => format!("q0({value}, {}, {given})", self.expr(&owner, depth)),
        })
    }
}
