//! Names of methods: like functions, modules and types around them, keywords, in modules, in functions and from macros.

use super::{everywhere, value};
use stm_runtime::prelude::*;

/// A documented record.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
pub(crate) struct Case {
    /// A field with the name of a method.
    new: i64,
    inner: parts::Part,
}

mod parts {
    use stm_runtime::prelude::*;

    #[derive(Debug, Clone, Copy, PartialEq, GpuData)]
    pub(crate) struct Part {
        r#type: i64,
    }

    #[gpu_fn]
    impl Part {
        pub(super) const ONE: Self = Self { r#type: 1 };

        pub(super) fn r#type(&self) -> i64 {
            self.r#type
        }

        pub(super) fn r#match(&mut self, r#fn: &i64) {
            self.r#type += *r#fn;
        }

        fn hidden(self) -> i64 {
            self.r#type * 3
        }

        pub(super) fn shown(self) -> i64 {
            self.hidden()
        }
    }
}

/// A function with the name of a method.
#[gpu_fn]
fn template(x: i64) -> i64 {
    x + 100
}

#[gpu_fn]
impl Case {
    /// Has the name of a field, and of what it calls.
    fn new(template: i64) -> Self {
        let new = self::template(template);
        Case { new, inner: parts::Part::ONE }
    }

    fn template(self) -> i64 {
        template(self.new)
    }

    #[inline]
    #[must_use]
    fn parts(&mut self) -> i64 {
        self.inner.r#match(&2);
        self.inner.r#type() + self.inner.shown()
    }

    #[cfg(any())]
    fn left_out(&self) -> Nothing {
        Nothing
    }

    /// An unused one, with the handle.
    #[allow(dead_code)]
    fn unused(&self, tx: &mut Tx, data: &Shared<i64>) -> TxResult {
        tx.write(data, 0, tx.read(data, self.new)? + self.new)
    }
}

macro_rules! declare {
    ($name:ident, $method:ident, $by:literal) => {
        #[gpu_fn]
        impl Case {
            fn $method(&self, x: i64) -> i64 {
                let y = x * $by;
                self.new + y
            }
        }

        #[gpu_transaction]
        fn $name(tx: &mut Tx, cases: &Shared<Case>, x: i64) -> TxResult<i64> {
            let y = tx.read(cases, 0)?;
            Ok(y.$method(x))
        }
    };
}

declare!(twice, doubled, 2);
declare!(thrice, tripled, 3);

#[gpu_transaction]
fn methods(tx: &mut Tx, cases: &Shared<Case>, at: u32) -> TxResult<(i64, i64)> {
    let mut case = tx.read(cases, at)?;
    let parts = case.parts();
    tx.write(cases, at, Case::new(1))?;
    Ok((case.template(), parts + tx.read(&cases.inner, at)?.r#type()))
}

#[test]
fn methods_are_found_by_their_types() {
    everywhere(|device| {
        let cases = device.shared(&[Case::new(5)])?;
        let mut batch = device.batch();
        let (two, three) = (batch.push(twice::call(&cases, 10)), batch.push(thrice::call(&cases, 10)));
        let report = batch.run()?;
        assert_eq!((value(report.outcome(two)), value(report.outcome(three))), (125, 135));
        let mut batch = device.batch();
        let ticket = batch.push(methods::call(&cases, 0));
        assert_eq!(value(batch.run()?.outcome(ticket)), (205, 3 + 9 + 1));
        assert_eq!(cases.to_vec()?, [Case::new(1)]);
        Ok(())
    });
}

#[test]
fn types_of_a_function_have_methods() {
    #[derive(Debug, Clone, Copy, PartialEq, GpuData)]
    struct Local {
        x: u32,
    }

    trait Grow {
        fn grown(self) -> Self;
    }

    #[gpu_fn]
    impl Grow for Local {
        fn grown(self) -> Self {
            Self { x: self.x + 1 }
        }
    }

    #[gpu_transaction]
    fn grow(_tx: &mut Tx, local: Local) -> TxResult<Local> {
        Ok(local.grown().grown())
    }

    everywhere(|device| {
        let mut batch = device.batch();
        let ticket = batch.push(grow::call(Local { x: 4 }));
        assert_eq!(value(batch.run()?.outcome(ticket)), Local { x: 6 });
        Ok(())
    });
}
