//! The meaning of the tokens of binary operators.

use syn::BinOp;

use crate::ir::{Arith, Compare, Logic};

/// The meaning of a binary operator token.
pub(super) enum Binary {
    Arith(Arith),
    Logic(Logic),
    Compare(Compare),
    /// `||` if true, else `&&`.
    Short(bool),
}

pub(super) fn binary(op: &BinOp) -> Option<Binary> {
    Some(match op {
        BinOp::Lt(_) => Binary::Compare(Compare::Lt),
        BinOp::Le(_) => Binary::Compare(Compare::Le),
        BinOp::Gt(_) => Binary::Compare(Compare::Gt),
        BinOp::Ge(_) => Binary::Compare(Compare::Ge),
        BinOp::Eq(_) => Binary::Compare(Compare::Eq),
        BinOp::Ne(_) => Binary::Compare(Compare::Ne),
        BinOp::And(_) => Binary::Short(false),
        BinOp::Or(_) => Binary::Short(true),
        BinOp::Add(_) => Binary::Arith(Arith::Add),
        BinOp::Sub(_) => Binary::Arith(Arith::Sub),
        BinOp::Mul(_) => Binary::Arith(Arith::Mul),
        BinOp::Div(_) => Binary::Arith(Arith::Div),
        BinOp::Rem(_) => Binary::Arith(Arith::Rem),
        BinOp::Shl(_) => Binary::Arith(Arith::Shl),
        BinOp::Shr(_) => Binary::Arith(Arith::Shr),
        BinOp::BitAnd(_) => Binary::Logic(Logic::And),
        BinOp::BitOr(_) => Binary::Logic(Logic::Or),
        BinOp::BitXor(_) => Binary::Logic(Logic::Xor),
        _ => return None,
    })
}

/// Returns the operator of a compound assignment.
pub(super) fn compound(op: &BinOp) -> Option<Binary> {
    Some(match op {
        BinOp::AddAssign(_) => Binary::Arith(Arith::Add),
        BinOp::SubAssign(_) => Binary::Arith(Arith::Sub),
        BinOp::MulAssign(_) => Binary::Arith(Arith::Mul),
        BinOp::DivAssign(_) => Binary::Arith(Arith::Div),
        BinOp::RemAssign(_) => Binary::Arith(Arith::Rem),
        BinOp::ShlAssign(_) => Binary::Arith(Arith::Shl),
        BinOp::ShrAssign(_) => Binary::Arith(Arith::Shr),
        BinOp::BitAndAssign(_) => Binary::Logic(Logic::And),
        BinOp::BitOrAssign(_) => Binary::Logic(Logic::Or),
        BinOp::BitXorAssign(_) => Binary::Logic(Logic::Xor),
        _ => return None,
    })
}

/// Returns the tokens of a name that was stored without `r#`: of a field, a part of a tuple, or a method.
pub(super) fn name(name: &str) -> proc_macro2::TokenStream {
    let keyword =
        syn::parse_str::<syn::Ident>(name).is_err() && !name.starts_with(|c: char| c.is_ascii_digit() || c == '[');
    if keyword { format!("r#{name}") } else { name.to_owned() }.parse().unwrap_or_default()
}
