//! Loops over the elements of arrays.

use kernels_gen::spec::Scalar;

use super::expr::{Around, Gen, Var};
use super::types::Ty;

impl Gen<'_> {
    /// Returns a `for` over an array: over its values, or over references into it, which the body does not change.
    pub(super) fn for_elements(&mut self, depth: usize) -> String {
        let label = self.label();
        let before = label.as_ref().map(|label| format!("{label}: ")).unwrap_or_default();
        let (array, element) = self.array();
        let (mut by_reference, numbered) = (self.dice.chance(50), self.dice.chance(35));
        let root: String = array.trim_start_matches(['(', '*']).chars().take_while(|c| c.is_alphanumeric()).collect();
        let lent = by_reference;
        let head = match (by_reference, numbered || self.dice.chance(50)) {
            (false, false) => array,
            (true, false) => format!("&{array}"),
            (_, true) => {
                let mut head = format!("{array}.{}()", if by_reference { "iter" } else { "into_iter" });
                if by_reference && self.dice.chance(30) {
                    by_reference = false;
                    head += *self.dice.pick(&[".copied()", ".cloned()"]);
                }
                head += if numbered { ".enumerate()" } else { "" };
                head + if self.dice.chance(30) { ".rev()" } else { "" }
            }
        };
        let vars = self.vars.clone();
        for var in self.vars.iter_mut().filter(|var| lent && var.name == root) {
            var.mutable = false;
        }
        let pattern = self.element_pattern(element, by_reference, numbered);
        let body = self.scoped(|this| this.inside(Around { label, is_loop: true, value: None }, depth));
        self.vars = vars;
        format!("{before}for {pattern} in {head} {{\n{body}}}\n")
    }

    /// Returns an array, as a place or a value, and the type of its elements.
    fn array(&mut self) -> (String, Ty) {
        let mut found = Vec::new();
        for var in self.visible() {
            let whole = if var.place { format!("(*{})", var.name) } else { var.name.clone() };
            let parts = self.parts_of(&var.name, &var.ty, 2);
            for (path, ty) in std::iter::once((whole, var.ty.clone())).chain(parts) {
                if let Ty::Array(element, _) = ty {
                    found.push((path, *element));
                }
            }
        }
        if !found.is_empty() && self.dice.chance(75) {
            return self.dice.pick(&found).clone();
        }
        let element = self.world.ty(self.dice, 1);
        let ty = Ty::Array(Box::new(element.clone()), 1 + self.dice.below(4));
        (self.typed(&ty, 2), element)
    }

    fn element_pattern(&mut self, element: Ty, by_reference: bool, numbered: bool) -> String {
        let pattern = match self.dice.below(8) {
            0 => "_".to_owned(),
            k => {
                let name = self.name();
                let place = by_reference && k < 5;
                let mutable = !by_reference && k == 1;
                self.vars.push(Var { name: name.clone(), ty: element, mutable, place });
                match (by_reference, place, mutable) {
                    (true, false, _) => format!("&{name}"),
                    (_, _, true) => format!("mut {name}"),
                    _ => name,
                }
            }
        };
        if !numbered {
            return pattern;
        }
        self.next += 1;
        let number = format!("n{}", self.next);
        self.vars.push(Var { name: number.clone(), ty: Ty::Scalar(Scalar::Usize), mutable: false, place: false });
        format!("({number}, {pattern})")
    }
}
