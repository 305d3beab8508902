//! `Room::default()`: it becomes `<Room as Default>::default()`, which can only be the function of the trait.

use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, Path, Type, TypePath};

use super::text;
use super::tree::strip;
use crate::spec::Scalar;

/// Returns the call with the trait; `None` for other calls.
pub(super) fn written_out(call: &ExprCall) -> Option<Expr> {
    let Expr::Path(path) = strip(&call.func) else { return None };
    let mut of = path.path.clone();
    let name = of.segments.pop()?;
    of.segments.pop_punct();
    if name.ident != "default" || !call.args.is_empty() {
        return None;
    }
    let ty = match (&path.qself, of.segments.last()) {
        (Some(of), None) => (*of.ty).clone(),
        (None, Some(last)) if last.ident != "Default" => {
            let text = text::plain(&last.ident);
            let names_type = text.starts_with(char::is_uppercase) || Scalar::from_rust(&text).is_some();
            Some(Type::Path(TypePath { attrs: Vec::new(), qself: None, path: of.clone() })).filter(|_| names_type)?
        }
        _ => return None,
    };
    syn::parse2(quote_spanned!(call.func.span()=> <#ty as ::core::default::Default>::default())).ok()
}

/// Returns whether the path is that of the trait's function.
pub(super) fn is_default(path: &Path) -> bool {
    let mut last = path.segments.iter().rev();
    last.next().is_some_and(|name| name.ident == "default") && last.next().is_some_and(|of| of.ident == "Default")
}
