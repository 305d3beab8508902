//! The bytes of integers.

use kernels_gen::spec::Scalar;

use super::expr::Gen;
use super::types::{Ty, int};

const ORDERS: [&str; 3] = ["le", "be", "ne"];

impl Gen<'_> {
    /// Returns an integer made of bytes, or bytes of one.
    pub(super) fn of_bytes(&mut self, scalar: Scalar, depth: usize) -> String {
        let [from, to] = [*self.dice.pick(&ORDERS), *self.dice.pick(&ORDERS)];
        let (name, w, size) = (scalar.rust(), self.fresh(), scalar.size());
        let value = self.typed(&Ty::Scalar(scalar), depth);
        match self.dice.below(4) {
            0 => {
                let other = int(self.dice);
                let (value, at) = (self.typed(&Ty::Scalar(other), depth), self.index(other.size()));
                format!("({value}.to_{to}_bytes()[{at}] as {name})")
            }
            1 => {
                let [a, b] = [self.index(size), self.index(size)];
                let change = match self.dice.below(3) {
                    0 if self.by_rustc(100) => format!("{w}.swap({a}, {b})"),
                    1 if self.by_rustc(100) => format!("{w}.reverse()"),
                    _ => format!("{w}[{a}] ^= {w}[{b}]"),
                };
                format!("({{ let mut {w} = {value}.to_{to}_bytes(); {change}; {name}::from_{from}_bytes({w}) }})")
            }
            2 => {
                let (wide, at) = (self.typed(&Ty::Scalar(Scalar::U64), depth), self.dice.below(7));
                let short = format!("u16::from_{from}_bytes({w}[{at}..{at} + 2].try_into().unwrap())");
                match self.dice.chance(50) {
                    true => format!("({{ let {w} = {wide}.to_{to}_bytes(); {short} as {name} }})"),
                    false => format!(
                        "({} as {name})",
                        short.replace(&format!("({w}["), &format!("({wide}.to_{to}_bytes()["))
                    ),
                }
            }
            _ => format!("{name}::from_{from}_bytes({value}.to_{to}_bytes())"),
        }
    }
}
