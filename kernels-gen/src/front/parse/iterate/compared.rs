//! Comparisons of two chains: `eq`, `lt`, `cmp` and the like. They end at the first difference.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::ExprMethodCall;

use super::Desugared;
use super::arrays::ArrayNames;
use super::chain::{self, Chain, iterated};
use super::flow::loops;
use super::generate::Generator;
use super::prepare::pulled;
use super::{Refused, orderings};

/// The methods that give a `bool`: the operator for two elements that differ, and the results where the receiver has more elements, as
/// many, and fewer.
const TESTS: [(&str, &str, [&str; 3]); 6] = [
    ("eq", "==", ["false", "true", "false"]),
    ("ne", "!=", ["true", "false", "true"]),
    ("lt", "<", ["false", "false", "true"]),
    ("le", "<", ["false", "true", "true"]),
    ("gt", ">", ["true", "false", "false"]),
    ("ge", ">", ["true", "true", "false"]),
];

/// Desugars the comparison of two iterators.
pub(super) fn method(generator: &mut Generator<'_>, call: &ExprMethodCall, variables: &ArrayNames) -> Desugared {
    let name = call.method.to_string();
    let test = TESTS.iter().find(|(test, ..)| *test == name);
    if test.is_none() && name != "cmp" && name != "partial_cmp" || call.args.len() != 1 {
        return None;
    }
    let chain = chain::chain(&call.receiver)?;
    Some(chain.and_then(|chain| {
        let sides = (chain, iterated(&call.args[0])?);
        let value = compared(generator, &call.method, test, sides, variables);
        generator.refused.take().map_or(value, Err)
    }))
}

fn compared(
    generator: &mut Generator<'_>,
    method: &Ident,
    test: Option<&(&str, &str, [&str; 3])>,
    (mut first, mut second): (Chain, Chain),
    variables: &ArrayNames,
) -> Result<TokenStream, Refused> {
    first.check(variables)?;
    second.check(variables)?;
    let (span, result, partial) = (generator.span, generator.name(), method == "partial_cmp");
    // What the receiver is evaluated to comes first.
    let before = std::mem::take(&mut generator.setup);
    let other = pulled(generator, second, method)?;
    let setup = std::mem::replace(&mut generator.setup, before);
    let (decided, own) = (generator.exit(), generator.exit());
    let [more, same, fewer] = match test {
        Some((.., results)) => {
            results.map(|result| Ident::new(result, span)).map(|result| quote_spanned!(span=> #result))
        }
        None => ["Greater", "Equal", "Less"].map(|order| orderings::order(order, partial, span)),
    };
    let each = loops(generator, first, &own, &TokenStream::new(), &mut |generator, item| {
        let (settled, item) = item.settle(generator);
        let (next, with) = other.next(generator, &decided);
        let [one, two] = [(); 2].map(|()| generator.name());
        let (item, with, leave) = (item.into_tokens(), with.into_tokens(), decided.leave(span));
        let (differ, order) = match test {
            Some((_, operator, _)) => {
                let operator: TokenStream = operator.parse().unwrap_or_default();
                (quote_spanned!(span=> #one != #two), quote_spanned!(span=> #one #operator #two))
            }
            None => (quote_spanned!(span=> #result != #same), orderings::compared(generator, (&one, &two), partial)),
        };
        let lets = match (test, partial) {
            (None, false) => orderings::ordered(generator, (&one, &two), (&item, &with)),
            _ => quote_spanned!(span=> let #one = #item; let #two = #with;),
        };
        quote_spanned! {span=>
            #result = #more;
            #settled
            #next
            #lets
            #result = #order;
            if #differ { #leave }
        }
    })?;
    let each = own.around(&each, span);
    let (last, _) = other.next(generator, &decided);
    let all = quote_spanned!(span=> #each #result = #same; #last #result = #fewer;);
    let all = decided.around(&all, span);
    generator.setup.extend(setup);
    Ok(generator.block(&quote_spanned!(span=> let mut #result = #same; #all #result)))
}
