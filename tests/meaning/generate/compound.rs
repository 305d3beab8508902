//! Tuples, arrays, options, records, enums.

use super::expr::Gen;
use super::types::{Ty, variant_of};

impl Gen<'_> {
    pub(super) fn compound(&mut self, ty: &Ty, depth: usize) -> String {
        let depth = depth - 1;
        match ty {
            Ty::Tuple(parts) => {
                let parts: String = parts.iter().map(|part| self.expr(part, depth) + ", ").collect();
                format!("({parts})")
            }
            Ty::Pair(part) => self.generic_pair(part, depth.min(1)),
            Ty::Array(element, length) if self.by_rustc(30) => self.made_array(element, *length, depth),
            Ty::Array(element, length) if self.dice.chance(25) => format!("[{}; {length}]", self.expr(element, depth)),
            Ty::Array(element, length) => {
                let elements: Vec<String> = (0..*length).map(|_| self.expr(element, depth.min(1))).collect();
                format!("[{}]", elements.join(", "))
            }
            Ty::Option(inner) => self.option(inner, depth),
            Ty::Result(parts) => self.result(parts, depth),
            Ty::Record(record) => self.record(*record, depth),
            Ty::Enum(of) => self.world.variant(self.dice, *of),
            Ty::Variants(of) => {
                let (variant, fields) = self.world.any_variant(self.dice, *of);
                let fields: Vec<String> = fields.iter().map(|ty| self.expr(ty, depth.min(1))).collect();
                // `E::V { f: 1 }` is not allowed where a block could begin.
                format!("({})", variant_of(&variant, &fields))
            }
            Ty::Unit => "()".to_owned(),
            Ty::Scalar(_) | Ty::Char => self.component(ty),
        }
    }

    fn option(&mut self, inner: &Ty, depth: usize) -> String {
        let ty = Ty::Option(Box::new(inner.clone()));
        match (self.dice.below(11), inner) {
            (0, _) => "None".to_owned(),
            (1 | 2, Ty::Scalar(scalar)) => {
                self.method_option(*scalar, depth).unwrap_or_else(|| format!("Some({})", self.expr(inner, depth)))
            }
            (9 | 10, _) if self.by_rustc(100) => self.turned_option(inner, depth),
            (3, _) => format!("{}.then_some({})", self.bool(depth), self.expr(inner, depth)),
            (4, _) => {
                let name = *self.dice.pick(&["or", "xor"]);
                format!("{}.{name}({})", self.typed_option(inner, depth), self.expr(&ty, depth))
            }
            (5, _) => {
                let other = self.world.ty(self.dice, 1);
                format!("{}.and({})", self.typed_option(&other, depth), self.typed_option(inner, depth))
            }
            _ => format!("Some({})", self.expr(inner, depth)),
        }
    }

    fn result(&mut self, parts: &[Ty; 2], depth: usize) -> String {
        let [ok, err] = parts;
        match self.dice.below(5) {
            0 => format!("{}.ok_or({})", self.typed_option(ok, depth), self.expr(err, depth)),
            1 => {
                let whole = self.typed(&Ty::Result(Box::new(parts.clone())), depth);
                format!("{whole}.map_err(|_| {})", self.component(err))
            }
            2 => format!("Err({})", self.expr(err, depth)),
            _ => format!("Ok({})", self.expr(ok, depth)),
        }
    }

    /// Returns an `Option` whose type needs no context.
    pub(super) fn typed_option(&mut self, inner: &Ty, depth: usize) -> String {
        let ty = Ty::Option(Box::new(inner.clone()));
        self.typed(&ty, depth)
    }

    fn record(&mut self, record: usize, depth: usize) -> String {
        let fields = self.world.records[record].fields.clone();
        let (named, name) = (self.world.records[record].named, self.world.records[record].name.clone());
        let bases = self.paths(&Ty::Record(record));
        if named && fields.len() > 1 && !bases.is_empty() && self.dice.chance(40) {
            let (field, ty) = self.dice.pick(&fields).clone();
            let value = self.expr(&ty, depth);
            return format!("{name} {{ {field}: {value}, ..{} }}", self.dice.pick(&bases).0);
        }
        let values: Vec<String> = fields.iter().map(|(_, ty)| self.expr(ty, depth.min(2))).collect();
        // A record expression is not allowed where a block could begin.
        format!("({})", self.world.build(record, &values))
    }
}
