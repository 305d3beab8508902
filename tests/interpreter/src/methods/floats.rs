//! Methods of floats.

use super::{Bits, Reply, give, or};
use kernels_gen::fault::FaultCode::BadArgument;

macro_rules! float {
    ($($float:ident as $bits:ident;)*) => {$(
        pub(super) fn $float(name: &str, words: [Bits; 3]) -> Reply {
            let [a, b, c] = words.map(|word| $float::from_bits(word as $bits));
            Some(match name {
                "abs" => give(a.abs()),
                "signum" => give(a.signum()),
                "recip" => give(a.recip()),
                "sqrt" => give(a.sqrt()),
                "next_up" => give(a.next_up()),
                "next_down" => give(a.next_down()),
                "floor" => give(a.floor()),
                "ceil" => give(a.ceil()),
                "round" => give(a.round()),
                "round_ties_even" => give(a.round_ties_even()),
                "trunc" => give(a.trunc()),
                "fract" => give(a.fract()),
                "min" => give(a.min(b)),
                "max" => give(a.max(b)),
                "midpoint" => give(a.midpoint(b)),
                "copysign" => give(a.copysign(b)),
                "div_euclid" => give(a.div_euclid(b)),
                "rem_euclid" => give(a.rem_euclid(b)),
                "mul_add" => give(a.mul_add(b, c)),
                "is_nan" => give(a.is_nan()),
                "is_infinite" => give(a.is_infinite()),
                "is_finite" => give(a.is_finite()),
                "is_normal" => give(a.is_normal()),
                "is_subnormal" => give(a.is_subnormal()),
                "is_sign_positive" => give(a.is_sign_positive()),
                "is_sign_negative" => give(a.is_sign_negative()),
                "to_bits" => give(a.to_bits()),
                "from_bits" => give(a),
                "clamp" => or((b <= c).then(|| a.clamp(b, c)), BadArgument),
                _ => return None,
            })
        }
    )*};
}

float!(f32 as u32; f64 as u64;);
