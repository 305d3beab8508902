//! `std::array::from_fn(|k| ..)`: a loop that fills the array; and what states the length of the `map` of an array.

use quote::{quote, quote_spanned};
use syn::{Expr, ExprCall, ExprMethodCall, GenericArgument, PathArguments, PathSegment, TypeArray};

use super::Desugared;
use super::bind::Item;
use super::closure::Closure;
use super::generate::Generator;
use crate::front::parse::tree::strip;

/// Returns the last segment of the path, if the call is one of `array::from_fn`.
fn name(call: &mut ExprCall) -> Option<&mut PathSegment> {
    let Expr::Path(path) = &mut *call.func else { return None };
    let segments = &mut path.path.segments;
    let is_named = segments.len() > 1 && segments[segments.len() - 2].ident == "array";
    segments.last_mut().filter(|last| is_named && last.ident == "from_fn")
}

/// Writes the type of the array into the call, unless it names one.
pub(super) fn write_type(call: &mut ExprCall, array: &TypeArray) {
    let Some(name) = name(call).filter(|name| name.arguments.is_empty()) else { return };
    let (element, length) = (&array.elem, &array.len);
    if let Ok(arguments) = syn::parse2(quote!(::<#element, { #length }, _>)) {
        name.arguments = PathArguments::AngleBracketed(arguments);
    }
}

/// Writes the length of the result into a `map`.
pub(super) fn write_length(map: &mut ExprMethodCall, array: &TypeArray) {
    let length = &array.len;
    map.turbofish = syn::parse2(quote!(::<{ #length }>)).ok();
}

/// Returns the length that was written into a `map`.
pub(super) fn length_of_map(call: &ExprMethodCall) -> Option<&Expr> {
    match call.turbofish.as_ref()?.args.first()? {
        GenericArgument::Const(written) if call.method == "map" => of_block(written),
        _ => None,
    }
}

fn of_block(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Block(node) => match node.block.stmts.as_slice() {
            [syn::Stmt::Expr(value, None)] => Some(value),
            _ => None,
        },
        _ => None,
    }
}

/// Desugars the call. The first value fills the array, because each element has one from the start.
pub(super) fn call(generator: &mut Generator<'_>, call: &ExprCall) -> Desugared {
    let mut own = call.clone();
    let arguments = name(&mut own)?.arguments.clone();
    let with = call.args.first()?;
    let stated = match &arguments {
        PathArguments::AngleBracketed(stated) => stated.args.iter().take(2).collect(),
        _ => Vec::new(),
    };
    let closure = match Closure::of(strip(with), 1) {
        Ok(closure) => closure,
        Err(refused) => return Some(Err(refused)),
    };
    // What the context says, rustc and the inference find.
    let (element, length) = match stated.as_slice() {
        [element, GenericArgument::Const(written)] => {
            (quote!(#element), of_block(written).map_or_else(|| quote!(#written), |length| quote!(#length)))
        }
        [element, length] => (quote!(#element), quote!(#length)),
        _ => (quote!(_), quote!(_)),
    };
    let (span, [list, k]) = (generator.span, [(); 2].map(|()| generator.name()));
    let first = closure.call(generator, vec![Item::Value(quote_spanned!(span=> 0_usize))]);
    let next = closure.call(generator, vec![Item::name(&k)]);
    Some(Ok(quote_spanned! {span=> {
        let mut #list: [#element; #length] = [#first; #length];
        for #k in 1..#list.len() { #list[#k] = #next; }
        #list
    }}))
}
