//! Generic records in values, without their arguments: what their fields and their use say of these.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::quote;
use syn::Type;

use super::{Finder, has};
use crate::front::diag::{Diagnostics, Rule};
use crate::front::parse::Signature;
use crate::front::parse::complete::several;
use crate::front::parse::external::{Inferred, Witness};
use crate::front::parse::own_operator as operator;
use crate::front::parse::parsed::Parsed;
use crate::infer::Class;
use crate::ir::open::{Relation, TyId};

/// Decides for each record without arguments what it is: its use says so, or its fields do, or the function writes it once. Without a
/// signature there is no rustc to ask about fields. Those whose fields say nothing come last: others may contain them.
pub(crate) fn complete_records(parsed: &mut Parsed, signature: Option<&Signature>, diags: &mut Diagnostics) {
    let Parsed { transaction, infer, external, .. } = parsed;
    let mut inferred = std::mem::take(&mut external.inferred);
    let (mut known, mut changed) = (HashMap::new(), true);
    let arguments = transaction.relations.iter().filter_map(|relation| match relation {
        Relation::Call { args, .. } => Some(args),
        _ => None,
    });
    let arguments: Vec<TyId> = arguments.flatten().map(|ty| infer.root(*ty)).collect();
    for last in [false, true] {
        for record in std::mem::take(&mut inferred) {
            let mut finder = Finder { known, ..Finder::new(infer, external, &[]) };
            if std::mem::take(&mut changed) {
                finder.find(&transaction.relations);
            }
            let made = signature.and_then(|_| finder.made(&record));
            known = finder.known;
            // What a function returns is not passed on to find another function.
            let plain = |witness: &Witness| !has(witness.tokens(), &["unknown", "returned", "returned_open"]);
            let (ty, said) = (record.ty, known.get(&infer.root(record.ty)).map(plain));
            if said == Some(true) || said.is_some() && made.is_none() || matches!(infer.class(ty), Class::Dead) {
                continue;
            }
            if !last && made.is_none() {
                inferred.push(record);
                continue;
            }
            let number = match (made, record.fallback) {
                (Some(made), _) => {
                    external.dependent |= signature.is_some_and(|signature| signature.depends(&made).is_some());
                    external.number_type(&Type::Verbatim(made))
                }
                (None, Some(fallback)) => {
                    external.completed.insert(record.node);
                    external.number_type(&fallback)
                }
                // The function that it is passed to determines it.
                (None, None) if arguments.contains(&infer.root(ty)) => continue,
                (None, None) => {
                    diags.report(Rule::Mismatch, record.at, several(&record.name.unwrap_or_default()));
                    continue;
                }
            };
            transaction.relations.push(Relation::Names { ty, name: number });
            changed = true;
        }
    }
}

impl Finder<'_> {
    /// Returns a record of these fields, if the types of some are known: not those of literals. Where the function writes the record with
    /// arguments, these say more than a field that is not known.
    fn made(&self, record: &Inferred) -> Option<TokenStream> {
        let known = |ty: TyId| {
            // The record itself may be what says of which type a number is.
            let value = match self.infer.answer(ty).map(|scalar| quote::format_ident!("{}", scalar.rust())) {
                Some(scalar) => Some(quote!(::stm_runtime::__private::callee::never::<#scalar>())),
                None => self.operand(ty),
            };
            value.filter(|value| !self.infer.has_literal(ty) && !has(value, &["unknown", "returned", "returned_open"]))
        };
        let given: Vec<_> = record.fields.iter().map(|(member, ty)| (member, *ty, known(*ty))).collect();
        let all = given.iter().all(|(.., value)| value.is_some());
        if given.iter().all(|(.., value)| value.is_none()) || !all && record.name.is_some() {
            return None;
        }
        let values = given.into_iter().map(|(member, ty, value)| {
            let value = value.unwrap_or_else(|| self.open(ty));
            quote!(#member: #value)
        });
        let path = &record.path;
        let made = quote!(#path { #(#values),* });
        Some(made).filter(|made| operator::size(made) <= operator::MOST_TOKENS)
    }

    /// Returns an expression of a type that the others determine: a literal, or what never ends, which has any type.
    pub(super) fn open(&self, ty: TyId) -> TokenStream {
        let literal = self.operand(ty).filter(|value| !has(value, &["unknown", "returned", "returned_open"]));
        literal.unwrap_or_else(|| quote!(::core::unreachable!()))
    }
}
