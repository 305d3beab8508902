//! Constants that are tables: `get`, iteration, and patterns of their elements.

use kernels_gen::spec::Scalar;

use super::Dice;
use super::expr::{Gen, Var};
use super::types::{Const, Ty, World};

impl World {
    /// Returns a constant that is an array of one to four elements.
    pub(super) fn table(&self, dice: &mut Dice, number: usize) -> Const {
        let element = self.ty(dice, 1);
        let ty = Ty::Array(Box::new(element), 1 + dice.below(4));
        let text = self.constant(dice, &ty);
        Const { name: format!("D{number}"), ty, text }
    }
}

impl Gen<'_> {
    /// Returns an integer from a table.
    pub(super) fn of_table(&mut self, scalar: Scalar, depth: usize) -> String {
        let table = self.dice.below(self.world.tables.len());
        let Const { name: table, ty, .. } = &self.world.tables[table];
        let Ty::Array(element, length) = ty else { return self.component(&Ty::Scalar(scalar)) };
        let (element, w, name, result) = ((**element).clone(), self.fresh(), scalar.rust(), Ty::Scalar(scalar));
        let at = match self.dice.chance(80) {
            true => format!("{} % {}", self.typed(&Ty::Scalar(Scalar::Usize), depth.min(1)), length + 1),
            false => self.typed(&Ty::Scalar(Scalar::Usize), depth.min(1)),
        };
        let (seen, other) = (Var { place: true, ..Var::new(&w, element.clone()) }, self.expr(&result, depth.min(1)));
        match self.dice.below(6) {
            0 => {
                let value = self.in_closure(&[seen], |this| this.expr(&result, 1));
                format!("{table}.get({at}).map_or({other}, |{w}| {value})")
            }
            1 => {
                let arm = self.scoped(|this| {
                    let (pattern, _) = this.lent_pattern(&element, false);
                    format!("Some({pattern}) => {},\n", this.expr(&result, 1))
                });
                format!(
                    "(match {table}.get({at}) {{\n{arm}Some(_) => {},\nNone => {other},\n}})",
                    self.component(&result)
                )
            }
            2 => {
                let value = self.in_closure(&[seen], |this| this.expr(&result, 1));
                format!("{table}.iter().rev().map(|{w}| {value}).fold({other}, |x, y| x.wrapping_mul(3) ^ y)")
            }
            3 => {
                let (text, given) = (self.world.text(&element), self.expr(&element, 1));
                let found = format!("let {w}: {text} = {table}.get({at}).copied().unwrap_or({given});");
                let value = self.scoped(|this| {
                    this.vars.push(Var::new(&w, element.clone()));
                    this.expr(&result, 1)
                });
                format!("({{ {found} {value} }})")
            }
            4 => format!("({table}.get({at}).is_some() as {name} ^ {other})"),
            _ => format!("({table}.len() as {name} + {table}.contains(&{}) as {name})", self.component(&element)),
        }
    }
}
