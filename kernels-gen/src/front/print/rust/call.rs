//! Calls of functions for transactions.

use proc_macro2::Literal;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, Ident};

use super::{Rewriter, generated};
use crate::ir::open::{CallId, Form};

impl Rewriter<'_> {
    /// Prints a call of the function's host version, which reports faults and knows where its locations are.
    pub(super) fn call(&mut self, expr: &mut Expr, call: CallId, handle: bool) {
        let Expr::Call(node) = &*expr else { return };
        self.checked = true;
        let (path, tries) = &self.calls[call.0 as usize];
        let span = generated(path.span());
        let question = (!tries).then(|| quote_spanned!(node.paren_token.span.close()=> ?));
        let tries = Ident::new(if *tries { "Tries" } else { "Plain" }, span);
        let takes = Ident::new(if handle { "TakesTx" } else { "TakesNoTx" }, span);
        let (tx, args) = (self.handle, node.args.iter().skip(usize::from(handle)));
        let number = Literal::usize_unsuffixed(call.0 as usize);
        let this = self.this;
        let first = quote!(<#this>::stm_source().first_location(#number));
        let base = match self.tx.form {
            Form::Transaction => first,
            Form::Function { .. } => quote!(stm_base + #first),
        };
        let check = quote_spanned! {span=>
            let () = <#path as ::stm_runtime::__private::callee::Callee>::OK;
            let () = <#path as ::stm_runtime::__private::callee::#tries>::OK;
            let () = <#path as ::stm_runtime::__private::callee::#takes>::OK;
        };
        // The tokens span the user's call from first to last, so that messages underline the call.
        let close = node.paren_token.span.close();
        let frame = quote_spanned!(close=> ({ #check #base }, #tx) #question);
        let mut call = quote_spanned!(path.span()=> <#path>::stm_run::<_, STM_CHECKED>);
        node.paren_token.surround(&mut call, |inside| inside.extend(quote!(#(#args),*)));
        *expr = Expr::Verbatim(quote!(#call #frame));
    }
}
