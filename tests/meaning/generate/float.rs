//! Floats. Rust leaves open which NaN arithmetic gives, so no NaN is kept: `max` with a number replaces it.

use kernels_gen::methods::{METHODS, MethodResult};
use kernels_gen::spec::Scalar;

use super::expr::Gen;
use super::types::{Ty, int};

impl Gen<'_> {
    pub(super) fn float(&mut self, scalar: Scalar, depth: usize) -> String {
        let ty = Ty::Scalar(scalar);
        let depth = depth - 1;
        let text = match self.dice.weighted(&[40, 10, 25, 20, 5]) {
            0 => {
                let op = *self.dice.pick(&["+", "-", "*", "/", "%"]);
                format!("({} {op} {})", self.expr(&ty, depth), self.expr(&ty, depth))
            }
            1 => return format!("(-{})", self.expr(&ty, depth)),
            2 => {
                let from = if self.dice.chance(75) { int(self.dice) } else { other(scalar) };
                format!("({} as {})", self.expr(&Ty::Scalar(from), depth), scalar.rust())
            }
            3 => {
                let own = |method: &&&kernels_gen::methods::Method| {
                    method.on.has(scalar) && matches!(method.result, MethodResult::One(one) if one.of(scalar) == scalar)
                };
                let methods: Vec<_> = METHODS.iter().collect();
                let methods: Vec<_> = methods.iter().filter(own).copied().collect();
                let method = *self.dice.pick(&methods);
                self.method_call(method, scalar, depth)
            }
            _ => self.of_bits(scalar, depth),
        };
        format!("{text}.max(-1e30_{})", scalar.rust())
    }
}

fn other(scalar: Scalar) -> Scalar {
    if scalar == Scalar::F32 { Scalar::F64 } else { Scalar::F32 }
}
