//! Alternatives of a pattern that declare the same variables.

use super::expr::Gen;
use super::types::{Ty, variant_of};

impl Gen<'_> {
    /// Returns alternatives for a type that has several parts of one type.
    pub(super) fn alternatives(&mut self, ty: &Ty) -> Option<String> {
        if self.dice.chance(40) {
            return None;
        }
        match ty {
            Ty::Tuple(parts) => {
                let [one, other] = parts.as_slice() else { return None };
                if one != other {
                    return None;
                }
                let inner = match one {
                    Ty::Option(inner) if self.dice.chance(70) => Some(inner),
                    _ => None,
                };
                let name = self.named(inner.map_or(one, |inner| inner).clone());
                let part = if inner.is_some() { format!("Some({name})") } else { name };
                Some(format!("({part}, _) | (_, {part})"))
            }
            Ty::Result(parts) if parts[0] == parts[1] => {
                let name = self.named(parts[0].clone());
                Some(format!("Ok({name}) | Err({name})"))
            }
            Ty::Array(element, 2) => {
                let Ty::Option(inner) = &**element else { return None };
                let name = self.named((**inner).clone());
                Some(format!("[Some({name}), _] | [None, Some({name})]"))
            }
            Ty::Variants(of) => self.variants(*of),
            _ => None,
        }
    }

    /// Returns variants that have a field of one type.
    fn variants(&mut self, of: usize) -> Option<String> {
        let (_, fields) = self.world.any_variant(self.dice, of);
        let wanted = fields.first()?.clone();
        let name = self.named(wanted.clone());
        let of = &self.world.with_fields[of];
        let alternative = |(variant, fields): &(String, Vec<super::types::Ty>)| {
            let at = fields.iter().position(|field| *field == wanted)?;
            let fields: Vec<String> =
                (0..fields.len()).map(|k| if k == at { name.clone() } else { "_".to_owned() }).collect();
            Some(variant_of(&format!("{}::{variant}", of.name), &fields))
        };
        Some(of.variants.iter().filter_map(alternative).collect::<Vec<_>>().join(" | "))
    }
}
