//! Generic types in values: `Pair { a: 1, b: 2 }` becomes `Pair::<u32,> { .. }` where the function writes `Pair<u32>`, because the device
//! needs the type, and rustc then checks it. Of a record, these arguments are left out again if its use says which one it is.

use std::collections::HashMap;

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{GenericArgument, Path, PathArguments};

use super::text;
use crate::front::diag::{Diagnostics, Rule};

/// Types whose arguments the macro finds itself.
const KNOWN: [&str; 8] = ["Option", "Some", "None", "Result", "TxResult", "Shared", "Partition", "PhantomData"];

/// Completes the paths of values and patterns in the body of a function.
pub(super) fn complete(item: &mut syn::ItemFn, owner: Option<&syn::Type>, diags: &mut Diagnostics) {
    let mut written = Written::default();
    written.visit_item_fn(item);
    // What the function itself writes goes before the type around it.
    let mut around = Written::default();
    owner.into_iter().for_each(|owner| around.visit_type(owner));
    for (name, path) in around.0 {
        written.0.entry(name).or_insert(path);
    }
    if !written.0.is_empty() {
        Complete { written: &written.0, diags }.visit_block_mut(&mut item.block);
    }
}

/// Returns a path in the form that has a meaning in types and in values: `Pair::<u32>`.
pub(crate) fn for_values(path: &mut Path) {
    for segment in &mut path.segments {
        if let PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
            arguments.colon2_token.get_or_insert_with(Default::default);
        }
    }
}

/// For each generic type that the function writes with arguments: the path, or `None` if there are several.
#[derive(Default)]
struct Written(HashMap<String, Option<Path>>);

impl<'ast> Visit<'ast> for Written {
    fn visit_path(&mut self, path: &'ast Path) {
        for (k, segment) in path.segments.iter().enumerate() {
            let name = text::plain(&segment.ident);
            let PathArguments::AngleBracketed(arguments) = &segment.arguments else { continue };
            let inferred = |argument: &GenericArgument| matches!(argument, GenericArgument::Type(syn::Type::Infer(_)));
            let is_type = name.starts_with(char::is_uppercase) && !KNOWN.contains(&name.as_str());
            if !is_type || arguments.args.iter().any(inferred) {
                continue;
            }
            let mut whole = Path {
                leading_colon: path.leading_colon,
                segments: path.segments.iter().take(k + 1).cloned().collect(),
            };
            for_values(&mut whole);
            let known = self.0.entry(name).or_insert_with(|| Some(whole.clone()));
            if known.as_ref().is_some_and(|known| arguments_of(known) != arguments_of(&whole)) {
                *known = None;
            }
        }
        visit::visit_path(self, path);
    }
}

fn arguments_of(path: &Path) -> String {
    path.segments.last().map(|last| last.arguments.to_token_stream().to_string()).unwrap_or_default()
}

/// Returns the message for a generic type whose arguments nothing determines.
pub(super) fn several(name: &str) -> String {
    format!(
        "`{name}` is written with different types in this function, and the device has to know which one this is; write it, as in \
         `{name}::<u32>`"
    )
}

/// Returns the record or the enum whose arguments were added to a path, and whether they are known.
pub(crate) fn added(path: &Path) -> Option<(String, bool)> {
    let open = |argument: &GenericArgument| matches!(argument, GenericArgument::Type(syn::Type::Infer(_)));
    path.segments.iter().find_map(|segment| {
        let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
        arguments.args.trailing_punct().then(|| (text::plain(&segment.ident), !arguments.args.iter().any(open)))
    })
}

/// Removes arguments that were added.
pub(crate) fn remove_added(path: &mut Path) {
    for segment in &mut path.segments {
        if matches!(&segment.arguments, PathArguments::AngleBracketed(arguments) if arguments.args.trailing_punct()) {
            segment.arguments = PathArguments::None;
        }
    }
}

struct Complete<'a> {
    written: &'a HashMap<String, Option<Path>>,
    diags: &'a mut Diagnostics,
}

impl Complete<'_> {
    /// Adds the arguments of a type without arguments. `fields`: fields follow, so that the last name may be a variant with these.
    fn path(&mut self, path: &mut Path, fields: bool) {
        let found = path
            .segments
            .iter()
            .position(|segment| segment.arguments.is_none() && self.written.contains_key(&text::plain(&segment.ident)));
        let Some(at) = found else { return };
        let name = text::plain(&path.segments[at].ident);
        let last = path.segments.last().map(|last| text::plain(&last.ident)).unwrap_or_default();
        let inside = at + 2 == path.segments.len();
        let is_function = inside && last.starts_with(char::is_lowercase);
        let record = at + 1 == path.segments.len() || inside && fields && last.starts_with(char::is_uppercase);
        let segment = &mut path.segments[at];
        match &self.written[&name] {
            Some(whole) => {
                if let Some(last) = whole.segments.last() {
                    segment.arguments = last.arguments.clone();
                }
                if let (true, PathArguments::AngleBracketed(arguments)) = (record, &mut segment.arguments) {
                    arguments.args.push_punct(Default::default());
                }
            }
            None if record => segment.arguments = PathArguments::AngleBracketed(syn::parse_quote!(::<_,>)),
            // The arguments and the result of a function say which one it is.
            None if is_function => {}
            None => {
                self.diags.report(Rule::Mismatch, &segment.ident, several(&name));
            }
        }
    }
}

impl VisitMut for Complete<'_> {
    fn visit_expr_call_mut(&mut self, node: &mut syn::ExprCall) {
        match &mut *node.func {
            syn::Expr::Path(path) if path.qself.is_none() => self.path(&mut path.path, true),
            other => self.visit_expr_mut(other),
        }
        node.args.iter_mut().for_each(|arg| self.visit_expr_mut(arg));
    }

    fn visit_expr_struct_mut(&mut self, node: &mut syn::ExprStruct) {
        self.path(&mut node.path, true);
        visit_mut::visit_expr_struct_mut(self, node);
    }

    fn visit_expr_path_mut(&mut self, node: &mut syn::ExprPath) {
        if node.qself.is_none() {
            self.path(&mut node.path, false);
        }
    }

    fn visit_pat_struct_mut(&mut self, node: &mut syn::PatStruct) {
        self.path(&mut node.path, true);
        visit_mut::visit_pat_struct_mut(self, node);
    }

    fn visit_pat_tuple_struct_mut(&mut self, node: &mut syn::PatTupleStruct) {
        self.path(&mut node.path, true);
        visit_mut::visit_pat_tuple_struct_mut(self, node);
    }

    /// Leaves the items inside of the function as they are.
    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
