//! Methods of arrays and of `Option` that types of the user's program can have, too: rustc decides which one a call means.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;

use crate::infer::Class;

/// What the runtime has the methods in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BuiltIn {
    /// A trait of methods with `&self`.
    Looks,
    /// A trait of methods with `&mut self`.
    Changes,
}

impl BuiltIn {
    /// Returns the name of the trait.
    pub(crate) fn name(self) -> &'static str {
        match self {
            BuiltIn::Looks => "Looks",
            BuiltIn::Changes => "Changes",
        }
    }
}

/// The methods, with the number of their arguments, and whether arrays have them.
const METHODS: [(&str, usize, BuiltIn, bool); 13] = [
    ("contains", 1, BuiltIn::Looks, true),
    ("first", 0, BuiltIn::Looks, true),
    ("last", 0, BuiltIn::Looks, true),
    ("get", 1, BuiltIn::Looks, true),
    ("is_empty", 0, BuiltIn::Looks, true),
    ("fill", 1, BuiltIn::Changes, true),
    ("reverse", 0, BuiltIn::Changes, true),
    ("swap", 2, BuiltIn::Changes, true),
    ("rotate_left", 1, BuiltIn::Changes, true),
    ("rotate_right", 1, BuiltIn::Changes, true),
    ("take", 0, BuiltIn::Changes, false),
    ("replace", 1, BuiltIn::Changes, false),
    ("insert", 1, BuiltIn::Changes, false),
];

/// Returns what has a method of this name.
pub(crate) fn of(name: &Ident, arguments: usize) -> Option<BuiltIn> {
    METHODS.iter().find(|known| name == known.0 && arguments == known.1).map(|known| known.2)
}

/// Returns whether slices have a method of the name. In Rust one of a trait for the array would win, and here it would not.
pub(crate) fn is_of_slices(name: &Ident) -> bool {
    METHODS.iter().any(|known| known.3 && name == known.0) || super::iterate::is_of_slices(&name.to_string())
}

/// Returns an expression of the type of the method's result. It is never evaluated.
pub(super) fn result((of, name): (&TokenStream, &Ident), import: BuiltIn, args: &[TokenStream]) -> TokenStream {
    let (import, run) = (Ident::new(import.name(), Span::mixed_site()), format_ident!("stm_run_{}", name.unraw()));
    quote! {{
        #[allow(unused_imports)]
        use ::stm_runtime::__private::callee::#import as _;
        ::stm_runtime::__private::callee::ran((#of).#run::<::stm_runtime::__private::OnThreads, true>(#(#args),*))
    }}
}

/// Returns whether a value of that class has it.
pub(super) fn is_of(class: &Class, name: &Ident, arguments: usize) -> bool {
    METHODS.iter().any(|known| {
        let has = if known.3 { matches!(class, Class::Array(..)) } else { matches!(class, Class::Option(_)) };
        has && name == known.0 && arguments == known.1
    })
}
