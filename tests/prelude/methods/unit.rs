//! The harness of the methods, generated from their table.

use std::fmt::Write as _;

use kernels_gen::methods::Method;
use kernels_gen::spec::Scalar;

use super::case;
use crate::harness::{COMMON, PRELUDE};
use crate::ops::{fault_codes, numbers};

/// The methods in the form that the linker uses.
pub(crate) const METHODS: &str = concat!(
    include_str!("../../../kernels-gen/src/device/methods.cuh"),
    include_str!("../../../kernels-gen/src/device/methods_bits.cuh"),
    include_str!("../../../kernels-gen/src/device/methods_float.cuh"),
);

/// The text that the calls need.
pub(crate) const HEAD: &str = include_str!("head.cuh");

/// Returns the text for a device: one kernel, `method_cases`.
pub(crate) fn device_unit() -> String {
    [fault_codes(), numbers(), unit(METHODS)].concat()
}

/// Returns the harness around the text of the methods.
pub(crate) fn unit(methods: &str) -> String {
    let mut out = [PRELUDE, methods, COMMON, HEAD].concat();
    for scalar in scalars() {
        put_type(&mut out, scalar);
    }
    let name = |scalar: Scalar| scalar.cuda();
    out.push_str(
        "STM_DEVICE stm_status call(case_tx& tx, const method_case& c, u64* components) {\n  switch (c.type) {\n",
    );
    for scalar in scalars().map(name) {
        let _ = writeln!(out, "    case TYPE_{scalar}: return call_{scalar}(tx, c, components);");
    }
    out.push_str("  }\n  return tx.fault((stm_fault)0, CASE_UNKNOWN);\n}\n");
    out.push_str(include_str!("tail.cuh"));
    out
}

/// Returns the types that devices have.
pub(crate) fn scalars() -> impl Iterator<Item = Scalar> {
    Scalar::ALL.into_iter().filter(|scalar| scalar.rust() == scalar.cuda())
}

/// Writes a function with every method of a type.
fn put_type(out: &mut String, scalar: Scalar) {
    let name = scalar.cuda();
    let _ = writeln!(out, "STM_DEVICE stm_status call_{name}(case_tx& tx, const method_case& c, u64* components) {{");
    out.push_str("  switch (c.method) {\n");
    for (number, method) in case::of(scalar) {
        let _ = writeln!(out, "    case {number}: {{  // {name}::{}", method.name);
        put_call(out, method, scalar);
        out.push_str("      return STM_OK;\n    }\n");
    }
    out.push_str("  }\n  return tx.fault((stm_fault)0, CASE_UNKNOWN);\n}\n");
}

/// Writes the call as the compiler prints it; the location of a fault encodes the modes in which the call faults.
pub(crate) fn put_call(out: &mut String, method: &Method, scalar: Scalar) {
    let types = case::operand_types(method, scalar);
    let operands: Vec<String> = (0..types.len()).map(|k| format!("a{k}")).collect();
    let operands = operands.join(", ");
    for (k, ty) in types.iter().map(|ty| ty.cuda()).enumerate() {
        let _ = writeln!(out, "      {ty} a{k} = from_word<{ty}>(c.operands[{k}]);");
    }
    for (k, (function, ty)) in method.parts(scalar).iter().enumerate() {
        let _ = writeln!(out, "      components[{k}] = component<{}>({function}({operands}));", ty.cuda());
    }
    let (always, checked) = method.fault_parts();
    if let Some(function) = always {
        let _ = writeln!(out, "      CASE_FAULT_ALWAYS({function}({operands}));");
    }
    if let Some(function) = checked {
        let _ = writeln!(out, "      CASE_FAULT_CHECKED({function}({operands}));");
    }
}
