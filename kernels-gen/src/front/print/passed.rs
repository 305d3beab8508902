//! The values that a method takes, where code that knows only its trait passes them to a type's own method.

use proc_macro2::Ident;
use syn::Type;

use crate::front::parse::{ParamSyntax, Signature};
use crate::ir::open::ParamRole;

/// How a value is passed to a method.
pub(super) struct Passed {
    pub(super) ty: Type,
    pub(super) lent: bool,
    pub(super) exclusive: bool,
}

/// Returns the values that a method takes; `None` where one is an array.
pub(super) fn values(signature: &Signature) -> Option<Vec<Passed>> {
    let value = |param: &ParamSyntax| {
        let (lent, exclusive) = (matches!(param.ty, Type::Reference(_)), param.role == ParamRole::Place);
        (param.role != ParamRole::Array).then(|| Passed { ty: param.of.clone(), lent, exclusive })
    };
    signature.params.iter().map(value).collect()
}

/// Returns whether code that knows only the trait can run a type's own method in place of this default one.
pub(crate) fn can_be_replaced(signature: &Signature) -> bool {
    values(signature).is_some()
}

/// Returns the names of what the method can change.
pub(super) fn changed<'a>(names: &'a [Ident], values: &[Passed]) -> Vec<&'a Ident> {
    names.iter().zip(values).filter(|(_, value)| value.exclusive).map(|(name, _)| name).collect()
}
