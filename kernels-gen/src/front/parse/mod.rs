//! From syn's tree to the intermediate form: the only module besides the printing of Rust that uses syn.
//!
//! One pass builds the form. Types are unified on the way, because the user's tokens are at hand here for messages;
//! [`crate::front::print::rust`] writes the inferred types back, so that rustc checks them.

mod alternative_names;
mod alternatives;
mod attr;
mod branch;
pub(crate) mod built_in;
mod call;
mod changed_elements;
mod check;
mod checks;
mod chosen;
mod complete;
mod compound;
mod conditional;
mod convert;
mod defaults;
mod desugar;
mod elements;
mod exchanged;
mod expr;
mod external;
mod format;
mod generics;
mod imports;
mod inserted;
mod instance;
mod iterate;
mod last_loop;
mod leaves;
mod lent_element;
mod letters;
mod literal;
mod loops;
mod lower;
mod macros;
mod message;
mod method;
mod named;
mod named_arrays;
mod notes;
mod operator;
mod ordering;
mod own_operator;
mod parsed;
mod part;
mod passed_parts;
mod pattern;
mod pattern_parts;
mod perhaps_own;
mod place;
mod place_choice;
mod places;
mod reference;
mod reject;
mod result;
mod results;
mod rows;
mod several;
mod signature;
mod slice_to_array;
mod source_span;
mod space;
mod split;
mod stmt;
mod text;
mod tokens;
mod tree;
mod types;
mod user_macros;
mod user_method;
mod verb;
mod witness;
mod written;

pub(crate) use attr::{Attribute, parse_options, parse_root};
pub(crate) use branch::has_let;
pub(crate) use built_in::BuiltIn;
pub(crate) use check::{LocationMap, check_types};
pub(crate) use complete::{for_values, remove_added};
pub(crate) use desugar::pattern_names;
pub(crate) use external::{CallSite, Called, ExternalSymbols, Passed, Witness, Witnesses};
pub(crate) use instance::{Instance, listed, parameters as generics, without_lifetimes};
pub(crate) use notes::{Note, Notes, Yields, address};
pub(crate) use own_operator::{function_of as operator_function, is_compound, is_operator, name_of as operator_name};
pub(crate) use parsed::Parsed;
pub(crate) use pattern::names_variant;
pub(crate) use reference::OWNER;
pub(crate) use signature::{
    Kind, ParamSyntax, Signature, function_result, is_handle, is_tx, is_usable, parse_method, parse_signature,
    result_of, usable_type,
};
pub(crate) use space::fits;
pub(crate) use text::type_source;
pub(crate) use tree::{BAD, GOOD, INTO, is_constant};
pub(crate) use types::{
    LENGTH, argument, is_length_of_slice, is_of_closures, is_of_language, no_type, partition, refused, results, scalar,
};
pub(crate) use witness::{complete_records, find_receivers};

use crate::front::diag::Diagnostics;
use crate::ir::open::{Function, Length, ParamDecl, TyId};
use crate::ir::{Options, Position};

/// Desugars the tree that is parsed and printed.
pub(crate) fn desugar(item: &mut syn::ItemFn, signature: &Signature, diags: &mut Diagnostics) {
    instance::type_literals(item);
    desugar::desugar(item, signature.tx.as_ref(), diags);
    complete::complete(item, signature.owner.as_ref(), diags);
}

/// Parses a function. Problems go to `diags`; the result is usable only if there are none.
pub(crate) fn parse(
    item: &syn::ItemFn,
    signature: &Signature,
    options: Options,
    file: &str,
    diags: &mut Diagnostics,
) -> Parsed {
    let mut lowering = lower::Lowering::new(signature, diags);
    let body = lowering.function_body(&item.block);
    let generics = lowering.generics();
    let start = item.sig.fn_token.span.start();
    let declare = |(param, (ty, part)): (&ParamSyntax, &(TyId, Option<Length>))| ParamDecl {
        name: text::plain(&param.ident),
        role: param.role,
        ty: *ty,
        part: *part,
    };
    let transaction = Function {
        name: text::plain(&item.sig.ident),
        file: file.to_owned(),
        at: Position { line: start.line as u32, column: start.column as u32 + 1 },
        form: signature.form,
        params: signature.params.iter().zip(&lowering.param_types).map(declare).collect(),
        generics,
        result: lowering.result_type,
        vars: lowering.vars,
        types: Vec::new(),
        relations: lowering.relations,
        body,
        locations: lowering.locations,
        positions: lowering.positions,
        loops: lowering.loop_count,
        options,
    };
    Parsed {
        transaction,
        infer: lowering.infer,
        notes: lowering.notes,
        checks: lowering.checks,
        spans: lowering.spans,
        external: lowering.external,
    }
}
