//! The types that the surroundings of an expression state: of a `sum` or `product` in it, of `std::array::from_fn`, or of the `map` of an
//! array.

use proc_macro2::Ident;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprMethodCall, ItemFn, Local, Pat, ReturnType, Stmt, Type};

use super::bind::inside;
use super::{ends, from_fn, generated};
use crate::front::parse::tree::INTO;
use crate::front::parse::types::{argument, scalar};
use crate::spec::Scalar;

/// Methods that give the value that is in their receiver.
const OF_VALUE: [&str; 4] = ["unwrap", "expect", "unwrap_or", "unwrap_or_default"];

/// Writes the type of a `let` into its value.
pub(in crate::front::parse) fn type_of_let(local: &mut Local) {
    if let (Pat::Type(typed), Some(init)) = (&local.pat, &mut local.init) {
        write(&mut init.expr, &typed.ty);
    }
}

/// Writes the array of bytes that `u32::from_le_bytes` takes into its argument.
pub(in crate::front::parse) fn type_of_bytes(call: &mut syn::ExprCall) {
    if let (Expr::Path(path), Some(bytes)) = (&*call.func, call.args.first_mut())
        && let [of, name] = path.path.segments.iter().collect::<Vec<_>>().as_slice()
        && ["from_le_bytes", "from_be_bytes", "from_ne_bytes"].iter().any(|method| name.ident == method)
        && let Some(number) = Scalar::from_rust(&of.ident.to_string())
    {
        let size = number.size();
        write(bytes, &syn::parse_quote!([u8; #size]));
    }
}

/// Writes the type of the result into the values that a function returns.
pub(in crate::front::parse) fn type_of_function(item: &mut ItemFn) {
    struct Returns<'t>(&'t Type);
    impl VisitMut for Returns<'_> {
        fn visit_expr_return_mut(&mut self, node: &mut syn::ExprReturn) {
            if let Some(value) = &mut node.expr {
                write(value, self.0);
            }
            visit_mut::visit_expr_return_mut(self, node);
        }
        fn visit_expr_closure_mut(&mut self, _: &mut syn::ExprClosure) {}
    }
    if let ReturnType::Type(_, ty) = &item.sig.output {
        Returns(ty).visit_block_mut(&mut item.block);
        write_last(&mut item.block, ty);
    }
}

fn is_named(expr: &Expr, name: &str) -> bool {
    matches!(expr, Expr::MethodCall(call) if call.method == name && call.args.is_empty())
}

/// Writes the type of what a conversion of a slice holds into it.
fn held(expr: &mut Expr, ty: &Type) {
    let Expr::MethodCall(call) = expr else { return };
    match (call.method.to_string().as_str(), ty) {
        ("ok" | "ok_or" | "map_err", ty) => held(&mut call.receiver, ty),
        ("try_into", Type::Array(_)) => call.turbofish = syn::parse2(quote::quote!(::<#ty>)).ok(),
        _ => {}
    }
}

/// Returns whether the type may be one of the user's program, with a `From` of its own. Another name of a number looks the same.
fn may_be_own(ty: &syn::TypePath) -> bool {
    let own = Type::Path(ty.clone());
    let known = ["Option", "Result", "TxResult"].iter().any(|name| argument(&own, name).is_some());
    ty.qself.is_none() && scalar(&own).is_none() && !known && !ty.path.is_ident("char")
}

fn write_last(block: &mut Block, ty: &Type) {
    if let Some(Stmt::Expr(last, None)) = block.stmts.last_mut() {
        write(last, ty);
    }
}

fn write(expr: &mut Expr, ty: &Type) {
    match (expr, ty) {
        (expr, Type::Paren(node)) => write(expr, &node.elem),
        (Expr::Paren(node), ty) => write(&mut node.expr, ty),
        (Expr::Group(node), ty) => write(&mut node.expr, ty),
        (Expr::Block(node), ty) => write_last(&mut node.block, ty),
        (Expr::If(node), ty) => {
            write_last(&mut node.then_branch, ty);
            if let Some((_, other)) = &mut node.else_branch {
                write(other, ty);
            }
        }
        (Expr::Match(node), ty) => node.arms.iter_mut().for_each(|arm| write(&mut arm.body, ty)),
        (Expr::Tuple(node), Type::Tuple(of)) => {
            node.elems.iter_mut().zip(&of.elems).for_each(|(part, ty)| write(part, ty));
        }
        (Expr::Array(node), Type::Array(of)) => node.elems.iter_mut().for_each(|part| write(part, &of.elem)),
        (Expr::MethodCall(call), ty) if call.turbofish.is_none() && ends::has_type(call) => {
            call.turbofish = syn::parse2(quote::quote!(::<#ty>)).ok();
        }
        (Expr::MethodCall(call), ty) if call.turbofish.is_none() && call.method == "map" => map(call, ty),
        (expr, Type::Path(ty)) if is_named(expr, "into") && may_be_own(ty) => {
            if let Expr::MethodCall(call) = &*expr {
                let (value, name, mut path) =
                    (&call.receiver, Ident::new(INTO, generated(call.method.span())), ty.path.clone());
                crate::front::parse::for_values(&mut path);
                *expr = syn::parse_quote!(#path::#name(#value));
            }
        }
        (Expr::MethodCall(call), ty) if OF_VALUE.iter().any(|name| call.method == name) => {
            held(&mut call.receiver, ty);
        }
        (Expr::Try(node), ty) => held(&mut node.expr, ty),
        (expr, ty) if is_named(expr, "ok") => inside("Some", ty).into_iter().for_each(|inner| held(expr, inner)),
        (Expr::Call(call), Type::Array(array)) => {
            from_fn::write_type(call, array);
            closure(call.args.first_mut(), &array.elem);
        }
        (Expr::Call(call), ty) => {
            let name = match &*call.func {
                Expr::Path(path) => path.path.get_ident().map(ToString::to_string),
                _ => None,
            };
            if let (Some(inner), Some(value)) = (name.and_then(|name| inside(&name, ty)), call.args.first_mut()) {
                write(value, inner);
            }
        }
        _ => {}
    }
}

/// Writes the length of the result into the `map` of an array, and the type of the elements into the closure.
fn map(call: &mut ExprMethodCall, ty: &Type) {
    match ty {
        Type::Array(array) => {
            from_fn::write_length(call, array);
            closure(call.args.first_mut(), &array.elem);
        }
        _ => {
            if let Some(inner) = inside("Some", ty).or_else(|| inside("Ok", ty)) {
                closure(call.args.first_mut(), inner);
            }
        }
    }
}

fn closure(with: Option<&mut Expr>, ty: &Type) {
    if let Some(Expr::Closure(node)) = with
        && matches!(node.output, ReturnType::Default)
    {
        write(&mut node.body, ty);
    }
}
