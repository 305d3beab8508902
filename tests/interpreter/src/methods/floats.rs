//! Methods of floats.

use super::{Bits, Reply, give, or};
use kernels_gen::fault::FaultCode::BadArgument;

macro_rules! float {
    ($($float:ident as $bits:ident;)*) => {$(
        pub(super) fn $float(name: &str, words: [Bits; 3]) -> Reply {
            let [a, b, c] = words.map(|word| $float::from_bits(word as $bits));
            Some(method! {
                name of a:
                abs() signum() recip() sqrt() next_up() next_down() floor() ceil() round() round_ties_even() trunc()
                fract() min(b) max(b) midpoint(b) copysign(b) div_euclid(b) rem_euclid(b) mul_add(b, c) is_nan()
                is_infinite() is_finite() is_normal() is_subnormal() is_sign_positive() is_sign_negative() to_bits();
                "from_bits" => give(a),
                "clamp" => or((b <= c).then(|| a.clamp(b, c)), BadArgument),
                _ => return None,
            })
        }
    )*};
}

float!(f32 as u32; f64 as u64;);
