//! Traits with parameters: types that have one for some type of key, types without fields that stand for an order, and functions that
//! are found by their arguments and results.

use kernels_gen::spec::Scalar;

use super::Dice;
use super::expr::{Form, Gen, Var};
use super::types::{Receiver, Ty, World, int};

/// An order that types without fields stand for.
const ORDERS: &str = "\
#[gpu_fn]
pub trait Order<T> {
fn before(a: &T, b: &T) -> bool;
}
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub struct Up;
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub struct Down;
#[gpu_fn]
impl Order<{up}> for Up {
fn before(a: &{up}, b: &{up}) -> bool {
a < b
}
}
#[gpu_fn]
impl Order<{down}> for Down {
fn before(a: &{down}, b: &{down}) -> bool {
b < a
}
}
#[gpu_fn]
pub fn y3<O: Order<T>, T: Copy, const N: usize>(list: [T; N], other: T) -> T {
let mut first = other;
for one in list {
if O::before(&one, &first) {
first = one;
}
}
first
}
";

/// The trait `W<K>` of a module.
#[derive(Debug, Clone)]
pub(super) struct Scales {
    result: Scalar,
    /// The types that have it, each with the type of its keys. A generic record of the first has it, too.
    owners: Vec<(Ty, Ty)>,
    up: Ty,
    down: Ty,
}

impl Scales {
    pub(super) fn new(dice: &mut Dice, world: &World) -> Scales {
        let number = Ty::Scalar(int(dice));
        let mut owners = vec![Ty::Record(dice.below(world.records.len())), number.clone()];
        let others =
            [Ty::Enum(0), Ty::Variants(0), Ty::Array(Box::new(number.clone()), 2), Ty::Option(Box::new(number))];
        owners.extend(others.into_iter().filter(|_| dice.chance(35)));
        let with_key = |owner| (owner, if dice.chance(60) { Ty::Scalar(int(dice)) } else { world.ty(dice, 1) });
        let owners = owners.into_iter().map(with_key).collect();
        let [up, down] = [int(dice), int(dice)].map(Ty::Scalar);
        Scales { result: int(dice), owners, up, down }
    }

    /// Returns the traits, their implementations, and the functions.
    pub(super) fn items(&self, dice: &mut Dice, world: &World) -> String {
        let result = self.result.rust();
        let mut text = ORDERS.replace("{up}", &world.text(&self.up)).replace("{down}", &world.text(&self.down));
        text += &format!(
            "#[gpu_fn]\npub trait W<K>: Copy {{\nfn made_of(key: K) -> Self;\nfn scaled(&self, key: K) -> {result};\n\
             fn raised(&mut self, key: K) -> {result};\n}}\n"
        );
        for (owner, key) in &self.owners {
            text += &self.implementation(dice, world, owner, key);
        }
        let key = world.text(&self.owners[0].1);
        text += &format!(
            "#[gpu_fn]\nimpl<T: W<{key}>> W<{key}> for Pair<T> {{\nfn made_of(key: {key}) -> Self {{\nPair {{ a: T::made_of(key), b: T::made_of(key) }}\n}}\n\
             fn scaled(&self, key: {key}) -> {result} {{\nself.a.scaled(key).wrapping_mul(3) ^ self.b.scaled(key)\n}}\n\
             fn raised(&mut self, key: {key}) -> {result} {{\nself.b.raised(key)\n}}\n}}\n"
        );
        text + &self.functions(dice, world)
    }

    fn implementation(&self, dice: &mut Dice, world: &World, owner: &Ty, key: &Ty) -> String {
        let (result, ty, given) = (self.result.rust(), world.text(owner), world.text(key));
        let mut body = |receiver: Receiver, result: Ty| {
            let fuel = 4 + dice.below(8) as i32;
            let mut this = Gen::new(dice, world, Form::Plain(result), fuel);
            if receiver != Receiver::None {
                let mutable = receiver == Receiver::Place;
                this.vars.push(Var { name: "self".to_owned(), ty: owner.clone(), mutable, place: true });
            }
            this.vars.push(Var::new("key", key.clone()));
            this.body()
        };
        let made = body(Receiver::None, owner.clone());
        let scaled = body(Receiver::Reference, Ty::Scalar(self.result));
        let raised = body(Receiver::Place, Ty::Scalar(self.result));
        format!(
            "#[gpu_fn]\nimpl W<{given}> for {ty} {{\nfn made_of(key: {given}) -> Self {{\n{made}}}\n\
             fn scaled(&self, key: {given}) -> {result} {{\n{scaled}}}\n\
             fn raised(&mut self, key: {given}) -> {result} {{\n{raised}}}\n}}\n"
        )
    }

    fn functions(&self, dice: &mut Dice, world: &World) -> String {
        let result = self.result.rust();
        let fuel = 4 + dice.below(10) as i32;
        let mut this = Gen::new(dice, world, Form::Plain(Ty::Scalar(self.result)), fuel);
        for name in ["old", "new"] {
            this.vars.push(Var::new(name, Ty::Scalar(self.result)));
        }
        let body = this.body();
        format!(
            "#[gpu_fn]\npub fn y0<K: Copy, V: W<K>>(key: K, value: V) -> {result} {{\nlet mut value = value;\nlet old = value.raised(key);\n\
             let new = value.scaled(key);\n{body}}}\n\
             #[gpu_fn]\npub fn y1<K: Copy, V: W<K>, const N: usize>(list: [V; N], key: K) -> {result} {{\nlet mut all = V::made_of(key).scaled(key);\n\
             for one in list.iter() {{\nall = all.wrapping_mul(5) ^ one.scaled(key);\n}}\nall\n}}\n\
             #[gpu_fn]\npub fn y2<K: Copy, V: W<K>>(key: K) -> V {{\nlet mut made = V::made_of(key);\nmade.raised(key);\nmade\n}}\n"
        )
    }
}

impl Gen<'_> {
    /// Returns a variable with a value of one of the traits of the module.
    pub(super) fn let_by_trait(&mut self) -> Option<String> {
        let scales = self.world.scales.as_ref()?;
        let (owner, up, down) = (self.dice.pick(&scales.owners).0.clone(), scales.up.clone(), scales.down.clone());
        let result = Ty::Scalar(scales.result);
        let ty = self.dice.pick(&[owner.clone(), owner, result.clone(), result, up, down]).clone();
        let value = self.by_scale(&ty, 1)?;
        let (name, text) = (self.name(), self.world.text(&ty));
        self.vars.push(Var { name: name.clone(), ty, mutable: true, place: false });
        Some(format!("let mut {name}: {text} = {value};\n"))
    }

    /// Returns a value of a trait with a parameter, if one has this type.
    pub(super) fn by_scale(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let scales = self.world.scales.as_ref()?;
        let depth = depth.min(1);
        for (order, of) in [("Up", &scales.up), ("Down", &scales.down)] {
            if ty == of && self.dice.chance(40) {
                let [a, b, c] = [self.typed(ty, depth), self.expr(ty, depth), self.expr(ty, depth)];
                let stated = *self.dice.pick(&["_, _", "_, 2"]);
                return Some(format!("y3::<{order}, {stated}>([{a}, {b}], {c})"));
            }
        }
        let own = scales.owners.iter().find(|(owner, _)| owner == ty);
        if let Some((_, key)) = own.filter(|_| self.dice.chance(60)) {
            return Some(self.made_by_scale(ty, &key.clone(), depth));
        }
        if *ty != Ty::Scalar(scales.result) {
            return None;
        }
        let (mut owner, key) = self.dice.pick(&scales.owners).clone();
        if owner == scales.owners[0].0 && self.dice.chance(30) {
            owner = Ty::Pair(Box::new(owner));
        }
        let (value, given) = (self.typed(&owner, depth), self.typed(&key, depth));
        let (name, keys, w) = (self.world.text(&owner), self.world.text(&key), self.fresh());
        Some(match self.dice.below(8) {
            0 => format!("{value}.scaled({given})"),
            1 => format!("W::scaled(&{value}, {given})"),
            2 => format!("y0({given}, {value})"),
            3 => format!("y0::<{keys}, {name}>({given}, {value})"),
            4 => format!("y0::<_, {name}>({given}, {value})"),
            5 => {
                let other = self.expr(&owner, depth);
                format!("({{ let {w}: [{name}; 2] = [{value}, {other}]; y1::<{keys}, {name}, 2>({w}, {given}) }})")
            }
            6 => format!("({{ let {w}: {name} = W::made_of({given}); {w}.scaled({given}) }})"),
            _ => format!("({{ let mut {w}: {name} = {value}; {w}.raised({given}) ^ {w}.scaled({given}) }})"),
        })
    }

    /// Returns a value of a type that has the trait for such keys.
    fn made_by_scale(&mut self, ty: &Ty, key: &Ty, depth: usize) -> String {
        let (name, given, w) = (self.world.text(ty), self.typed(key, depth), self.fresh());
        match self.dice.below(4) {
            0 => format!("({{ let {w}: {name} = W::made_of({given}); {w} }})"),
            1 => format!("({{ let {w}: {name} = y2({given}); {w} }})"),
            2 if matches!(ty, Ty::Record(_) | Ty::Enum(_) | Ty::Variants(_)) => format!("{name}::made_of({given})"),
            _ => {
                let value = self.expr(ty, depth);
                format!("({{ let mut {w}: {name} = {value}; {w}.raised({given}); {w} }})")
            }
        }
    }
}
