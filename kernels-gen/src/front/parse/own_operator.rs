//! Operators on values whose type only rustc knows: of numbers, or functions of the user's program, as in
//! `#[gpu_fn] impl Add for Money`. Such an operator is a call of `op_add`, which leads to the one or the other.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::{BinOp, Expr, Ident};

use super::external::{CallSite, Called, Receiver};
use super::lower::{Lowered, Lowering};
use super::notes::Note;
use super::places::PlaceExpr;
use super::source_span::At;
use super::text;
use crate::front::diag::SourceSpan;
use crate::infer::Class;
use crate::ir::open::{Arg, Atom, Relation, StmtKind, TyId};
use crate::spec::LocationKind;

/// The operators, their traits, and the names of the functions.
const OPERATORS: [(&str, &str, &str); 11] = [
    ("+", "Add", "op_add"),
    ("-", "Sub", "op_sub"),
    ("*", "Mul", "op_mul"),
    ("/", "Div", "op_div"),
    ("%", "Rem", "op_rem"),
    ("+=", "AddAssign", "op_add_assign"),
    ("-=", "SubAssign", "op_sub_assign"),
    ("*=", "MulAssign", "op_mul_assign"),
    ("/=", "DivAssign", "op_div_assign"),
    ("%=", "RemAssign", "op_rem_assign"),
    ("neg", "Neg", "op_neg"),
];

/// Returns the name of the function of an operator's trait.
pub(crate) fn function_of(of: &syn::Path) -> Option<&'static str> {
    let last = of.segments.last()?;
    OPERATORS.iter().find(|(_, name, _)| last.ident == name).map(|(.., function)| *function)
}

/// The most tokens by which rustc finds the type of an operator's result. What is longer is a number.
pub(super) const MOST_TOKENS: usize = 240;

pub(super) fn size(tokens: &TokenStream) -> usize {
    let inside = |token| match token {
        TokenTree::Group(group) => 2 + size(&group.stream()),
        _ => 1,
    };
    tokens.clone().into_iter().map(inside).sum()
}

/// Returns the operator that a call is.
pub(crate) fn name_of(site: &CallSite) -> Option<&'static str> {
    let Called::Operator(_, called) = &site.called else { return None };
    OPERATORS.iter().find(|(.., function)| called == function).map(|(operator, ..)| *operator)
}

pub(crate) fn is_operator(name: &Ident) -> bool {
    OPERATORS.iter().any(|(.., function)| name == function)
}

/// Returns whether the operator is a compound assignment.
pub(crate) fn is_compound(op: &BinOp) -> bool {
    super::tokens::compound(op).is_some()
}

/// Returns the operator with its operands.
pub(super) fn applied(name: &Ident, operands: &[TokenStream]) -> Option<TokenStream> {
    let (operator, ..) = OPERATORS.iter().find(|(.., function)| name == function)?;
    match operands {
        [value] => Some(quote!((-(#value)))),
        [left, right] if !operator.ends_with('=') => {
            let operator: TokenStream = operator.parse().ok()?;
            let applied = quote!(((#left) #operator (#right)));
            // Each operand could be the result of two others.
            Some(applied).filter(|applied| size(applied) <= MOST_TOKENS)
        }
        _ => None,
    }
}

/// Returns whether a bound is `Add<Output = T>`, for this operator and this parameter.
fn gives(bound: &syn::TypeParamBound, operator: &str, param: &Ident) -> bool {
    let syn::TypeParamBound::Trait(bound) = bound else { return false };
    let Some(last) = bound.path.segments.last().filter(|last| last.ident == operator) else { return false };
    let syn::PathArguments::AngleBracketed(all) = &last.arguments else { return false };
    all.args.iter().any(|argument| match argument {
        syn::GenericArgument::AssocType(output) => {
            output.ident == "Output" && matches!(&output.ty, syn::Type::Path(path) if path.path.is_ident(param))
        }
        _ => false,
    })
}

/// The operands of an operator, evaluated.
pub(super) enum Operands {
    One(Atom),
    Two(Atom, Atom),
    /// A compound assignment. `late`: the right side assigns.
    Place {
        place: PlaceExpr,
        left: Atom,
        right: Atom,
        late: bool,
    },
}

impl Lowering<'_> {
    /// Returns whether all operands are of a parameter for types, `T`, whose bounds say that the operator gives a `T`.
    fn gives_param(&self, operands: &[TyId], operator: &str) -> bool {
        let Some((_, name, _)) = OPERATORS.iter().find(|(token, ..)| *token == operator) else { return false };
        let Some(param) = operands.first().and_then(|ty| self.param_of(*ty)) else { return false };
        operands.iter().all(|ty| self.param_of(*ty).as_ref() == Some(&param))
            && self.signature.bounds_of(&param).any(|bound| gives(bound, name, &param))
    }

    /// Parses an operator whose first operand has a type that only rustc knows; `None` where the macro knows it.
    pub(super) fn own_operator(&mut self, whole: &Expr, operator: &str, operands: &Operands) -> Option<Lowered> {
        let (_, _, function) = OPERATORS.iter().find(|(token, ..)| *token == operator)?;
        let (first, second, late) = match operands {
            Operands::One(value) => (value, None, false),
            Operands::Two(left, right) => (left, Some(right), false),
            Operands::Place { left, right, late, .. } => (left, Some(right), *late),
        };
        let ty = self.type_of(first);
        if *self.infer.class(ty) != Class::Any || !self.infer.is_later(ty) {
            return None;
        }
        let types: Vec<TyId> = [Some(first), second].into_iter().flatten().map(|atom| self.type_of(atom)).collect();
        types.iter().for_each(|ty| self.infer.mark_later(*ty));
        let args = match operands {
            Operands::One(value) => vec![Arg::Value(value.clone())],
            Operands::Two(left, right) => vec![Arg::Value(left.clone()), Arg::Value(right.clone())],
            Operands::Place { place, left, right, .. } => {
                vec![Arg::Receiver(place.var, place.steps.clone(), left.clone()), Arg::Value(right.clone())]
            }
        };
        let at = match whole {
            Expr::Binary(node) => SourceSpan::of(&node.op),
            _ => whole.source_span(),
        };
        let receiver = Receiver { ty, witness: None, of_params: false, at };
        let called = Called::Operator(Box::new(receiver), Ident::new(function, at.first));
        let arguments = types.len() - 1;
        let call = self.external.number_call(CallSite {
            called,
            tries: false,
            of_param: false,
            by_path: false,
            of_trait: None,
            handle: None,
            arguments,
            passed: Vec::new(),
            witnesses: None,
        });
        let location = self.location(LocationKind::Arithmetic, text::of_expr(whole), whole);
        let part = matches!(operands, Operands::Place { place, .. } if place.is_indexed());
        self.notes.expr(whole, Note::Operation { call, ty, location, late, part });
        // What the bounds say of it, rustc need not find out.
        let result = if self.gives_param(&types, operator) { ty } else { self.infer.later() };
        self.relations.push(Relation::Call { function: call, args: types, result });
        let var = self.var(None, result, false);
        self.push(StmtKind::Call { var, call, args, location }, whole);
        Some(match operands {
            Operands::Place { .. } => Lowered::Unit,
            _ => Lowered::Atom(Atom::Var(var)),
        })
    }
}
