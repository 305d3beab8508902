//! Helpers and transactions.

use kernels_gen::spec::Scalar;

use super::expr::{Form, Gen, Var};
use super::types::{Helper, Param, Receiver, Ty, World};
use super::{Dice, Reader};

/// The largest number of components of the value parameters of a transaction.
const MOST_VALUES: usize = 16;
/// The largest number of components of one scalar among its array parameters: procedures of one batch share the arrays.
const MOST_ARRAYS: usize = 4;

/// Returns a `#[gpu_fn]` that later functions can call.
pub(super) fn helper(dice: &mut Dice, world: &mut World, number: usize) -> String {
    let tries = dice.chance(45);
    let mut params = Vec::new();
    for _ in 0..dice.below(4) {
        params.push(match dice.below(10) {
            0..=3 => Param::Value(world.usual(dice)),
            4 => Param::Reference(world.usual(dice)),
            5..=7 => Param::Place(world.usual(dice)),
            _ if tries => Param::Array(world.usual(dice)),
            _ => Param::Value(Ty::Scalar(Scalar::U32)),
        });
    }
    if tries {
        params.insert(0, Param::Array(world.usual(dice)));
    }
    let result = if dice.chance(20) { Ty::Unit } else { world.usual(dice) };
    let owner = if dice.chance(50) { Some(owner(dice, world)) } else { None };
    if world.reader == Reader::Rustc && tries && owner.is_none() && dice.chance(50) {
        params.push(Param::Arrays(world.usual(dice)));
    }
    let helper = Helper { name: format!("h{number}"), params, result: result.clone(), tries, owner };
    let form = if tries { Form::Tries(result.clone()) } else { Form::Plain(result.clone()) };
    let fuel = 6 + dice.below(25) as i32;
    let mut this = Gen::new(dice, world, form, fuel);
    let mut list: Vec<String> = helper.owner.iter().filter_map(|(ty, receiver)| this.receiver(ty, *receiver)).collect();
    if tries {
        list.push("tx: &mut Tx".to_owned());
    }
    for (k, param) in helper.params.iter().enumerate() {
        list.push(this.parameter(&format!("a{k}"), param));
    }
    let body = this.body();
    let text = world.text(&result);
    let result = match (tries, result) {
        (true, Ty::Unit) => " -> TxResult".to_owned(),
        (true, _) => format!(" -> TxResult<{text}>"),
        (false, Ty::Unit) => String::new(),
        (false, _) => format!(" -> {text}"),
    };
    let signature = format!("fn {}({}){result}", helper.name, list.join(", "));
    let text = match &helper.owner {
        None => format!("#[gpu_fn]\npub {signature} {{\n{body}}}\n"),
        Some((ty, _)) => in_a_block(dice, &world.text(ty), number, &signature, &body),
    };
    world.helpers.push(helper);
    text
}

/// Returns a type for a method, and its `self`.
fn owner(dice: &mut Dice, world: &World) -> (Ty, Receiver) {
    let ty = match dice.chance(25) {
        true => Ty::Enum(dice.below(world.enums.len())),
        false => Ty::Record(dice.below(world.records.len())),
    };
    (ty, *dice.pick(&[Receiver::None, Receiver::Value, Receiver::Value, Receiver::Reference, Receiver::Place]))
}

/// Returns a method in an `impl` block, which may be that of a trait.
fn in_a_block(dice: &mut Dice, ty: &str, number: usize, signature: &str, body: &str) -> String {
    if dice.chance(70) {
        return format!("#[gpu_fn]\nimpl {ty} {{\npub {signature} {{\n{body}}}\n}}\n");
    }
    let declared = signature.replace("mut self", "self").replace("mut a", "a");
    let declared = if signature.contains("&mut self") { declared.replace("&self", "&mut self") } else { declared };
    format!(
        "pub trait T{number} {{\n{declared};\n}}\n#[gpu_fn]\nimpl T{number} for {ty} {{\n{signature} {{\n{body}}}\n}}\n"
    )
}

/// Returns a `#[gpu_transaction]`.
pub(super) fn transaction(dice: &mut Dice, world: &World, number: usize) -> String {
    let result = if dice.chance(15) { Ty::Unit } else { world.usual(dice) };
    let fuel = 15 + dice.below(70) as i32;
    let mut this = Gen::new(dice, world, Form::Tries(result.clone()), fuel);
    let params = this.parameters();
    let body = this.body();
    let overflow = *dice.pick(&["check", "wrap"]);
    let mut options = format!("overflow = \"{overflow}\", max_accesses = {}", 4 + dice.below(60));
    if dice.chance(25) {
        options += &format!(", max_iterations = {}", 1 + dice.below(30));
    }
    let text = if result == Ty::Unit { String::new() } else { format!("<{}>", world.text(&result)) };
    format!("#[gpu_transaction({options})]\npub fn t{number}({params}) -> TxResult{text} {{\n{body}}}\n")
}

impl<'a> Gen<'a> {
    pub(super) fn new(dice: &'a mut Dice, world: &'a World, form: Form, fuel: i32) -> Gen<'a> {
        Gen {
            dice,
            world,
            form,
            vars: Vec::new(),
            arrays: Vec::new(),
            renamed: Vec::new(),
            lists: Vec::new(),
            around: Vec::new(),
            fuel,
            next: 0,
            loops: 0,
        }
    }

    fn parameter(&mut self, name: &str, param: &Param) -> String {
        let name = name.to_owned();
        match param {
            Param::Array(ty) => {
                self.arrays.push((name.clone(), ty.clone()));
                format!("{name}: &Shared<{}>", self.world.text(ty))
            }
            Param::Arrays(ty) => {
                self.arrays.extend((0..2).map(|k| (format!("{name}[{k}]"), ty.clone())));
                self.lists.push((name.clone(), ty.clone()));
                format!("{name}: [&Shared<{}>; 2]", self.world.text(ty))
            }
            Param::Value(ty) => {
                let mutable = self.dice.chance(30);
                self.vars.push(Var { name: name.clone(), ty: ty.clone(), mutable, place: false });
                format!("{}{name}: {}", if mutable { "mut " } else { "" }, self.world.text(ty))
            }
            Param::Reference(ty) => {
                self.vars.push(Var { name: name.clone(), ty: ty.clone(), mutable: false, place: true });
                format!("{name}: &{}", self.world.text(ty))
            }
            Param::Place(ty) => {
                self.vars.push(Var { name: name.clone(), ty: ty.clone(), mutable: true, place: true });
                format!("{name}: &mut {}", self.world.text(ty))
            }
        }
    }

    /// Returns `self` as a method of this type takes it.
    fn receiver(&mut self, ty: &Ty, receiver: Receiver) -> Option<String> {
        let own = receiver == Receiver::Value && self.dice.chance(30);
        let (text, mutable, place) = match receiver {
            Receiver::None => return None,
            Receiver::Value => (if own { "mut self" } else { "self" }, own, false),
            Receiver::Reference => ("&self", false, true),
            Receiver::Place => ("&mut self", true, true),
        };
        self.vars.push(Var { name: "self".to_owned(), ty: ty.clone(), mutable, place });
        Some(text.to_owned())
    }

    /// Returns the parameters of a transaction, within the limits of a batch.
    fn parameters(&mut self) -> String {
        let mut list = vec!["tx: &mut Tx".to_owned()];
        let (mut arrays, mut values): (Vec<Scalar>, usize) = (Vec::new(), 0);
        for k in 0..1 + self.dice.below(4) {
            let ty =
                if k == 0 && self.dice.chance(40) { self.world.deep(self.dice) } else { self.world.usual(self.dice) };
            let (is_list, each) = (self.by_rustc(12), self.world.components(&ty));
            let all = [arrays.clone(), each.repeat(1 + usize::from(is_list))].concat();
            if Scalar::ALL.iter().all(|s| all.iter().filter(|component| *component == s).count() <= MOST_ARRAYS) {
                arrays = all;
                if is_list {
                    list.push(self.parameter(&format!("l{k}"), &Param::Arrays(ty)));
                } else {
                    list.push(self.parameter(&format!("r{k}"), &Param::Array(ty)));
                }
            }
        }
        for k in 0..1 + self.dice.below(5) {
            let ty = self.world.usual(self.dice);
            values += self.world.components(&ty).len();
            if values <= MOST_VALUES {
                list.push(self.parameter(&format!("a{k}"), &Param::Value(ty)));
            }
        }
        list.join(", ")
    }

    pub(super) fn body(&mut self) -> String {
        let count = 2 + self.dice.below(6);
        let mut text = String::new();
        for _ in 0..count {
            text += &self.stmt(3);
            if self.fuel <= 0 {
                break;
            }
        }
        text + &self.tail(2)
    }

    /// Returns the end of the function: its result.
    fn tail(&mut self, depth: usize) -> String {
        match self.form.clone() {
            Form::Plain(Ty::Unit) => String::new(),
            Form::Plain(ty) => format!("{}\n", self.expr(&ty, 3)),
            Form::Tries(ty) => match self.dice.below(10) {
                0 if depth > 0 => {
                    let condition = self.bool(2);
                    let (then, other) =
                        (self.scoped(|this| this.tail(depth - 1)), self.scoped(|this| this.tail(depth - 1)));
                    format!("if {condition} {{\n{then}}} else {{\n{other}}}\n")
                }
                1 if depth > 0 => {
                    let text = self.match_with(1, |this| format!("{{\n{}}}", this.scoped(|this| this.tail(depth - 1))));
                    format!("{text}\n")
                }
                2 => match self.call(&ty, 2).and_then(|call| call.strip_suffix('?').map(ToOwned::to_owned)) {
                    Some(call) => format!("{call}\n"),
                    None => format!("Ok({})\n", self.expr(&ty, 3)),
                },
                3 if depth < 2 => format!("tx.reject({})\n", self.dice.below(9)),
                _ => format!("Ok({})\n", self.expr(&ty, 3)),
            },
        }
    }
}
