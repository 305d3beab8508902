//! The places where transactions can be defined: in blocks, in private modules, in macros.

use super::{everywhere, value};
use stm_runtime::prelude::*;

mod outer {
    mod hidden {
        pub(crate) mod deep {
            use stm_runtime::prelude::*;

            #[derive(Clone, Copy, GpuData)]
            struct Private {
                value: u32,
            }

            #[gpu_fn]
            fn private(of: Private) -> u32 {
                of.value + 1
            }

            /// Uses only private items of its module.
            #[gpu_transaction]
            pub(in crate::places) fn add(tx: &mut Tx, data: &Shared<u32>, at: u32, by: u32) -> TxResult<u32> {
                let old = tx.read(data, at)?;
                let new = private(Private { value: old + by });
                tx.write(data, at, new)?;
                Ok(new)
            }
        }
    }
    pub(super) use hidden::deep::add as plus;
}

macro_rules! both {
    ($(#[$attr:meta])* $name:ident, $helper:ident, $ty:ty, $factor:expr, |$value:ident| $new:expr) => {
        #[gpu_fn]
        fn $helper($value: $ty) -> $ty {
            let factor = $factor;
            ($new) * factor
        }

        $(#[$attr])*
        #[gpu_transaction]
        fn $name(tx: &mut Tx, data: &Shared<$ty>, at: u32) -> TxResult<$ty> {
            let factor = $helper(tx.read(data, at)?);
            tx.update(data, at, |$value| $new + factor)?;
            Ok(factor)
        }
    };
}

both!(
    /// A transaction of a macro.
    doubled, double, u32, 2, |value| value + 1
);
both!(halved, half, i64, 5_i64, |factor| factor - 1);

#[test]
fn transactions_stand_in_blocks() -> Result<(), Error> {
    const START: u32 = 3;

    #[gpu_fn]
    fn local(x: u32) -> u32 {
        x * START
    }

    #[gpu_transaction]
    fn add(tx: &mut Tx, data: &Shared<u32>, x: u32) -> TxResult<u32> {
        tx.update(data, 0, |old| old + local(x))?;
        Ok(local(x))
    }

    #[gpu_transaction]
    const put: _ = |tx: &mut Tx, data: &Shared<u32>, x: u32| -> TxResult { tx.write(data, 1, x + START) };

    let device = Device::cpu(1);
    let data = device.shared(&[0_u32, 0])?;
    let extra = 10_u32;
    let close = {
        use stm_runtime::gpu_transaction as transaction;
        transaction!(captures(extra: u32), |tx: &mut Tx, data: &Shared<u32>| { tx.update(data, 1, |old| old + extra) })
    };
    let mut batch = device.batch();
    let added = batch.push(add::call(&data, 2));
    let _ = batch.push(put::call(&data, 4));
    let report = batch.run()?;
    assert_eq!(value(report.outcome(added)), 6);
    let mut batch = device.batch();
    let _ = batch.push(close.call(&data));
    let _ = batch.run()?;
    assert_eq!(data.to_vec()?, [6, 17]);
    Ok(())
}

#[test]
fn transactions_of_modules_and_macros() {
    everywhere(|device| {
        let (data, wide) = (device.shared(&[4_u32, 5])?, device.shared(&[10_i64])?);
        let mut batch = device.batch();
        let plus = batch.push(outer::plus::call(&data, 0, 1));
        let two = batch.push(doubled::call(&data, 1));
        let five = batch.push(halved::call(&wide, 0));
        let report = batch.run_with(&RunOptions::new().check(true))?;
        assert_eq!((value(report.outcome(plus)), value(report.outcome(two))), (6, 12));
        assert_eq!(value(report.outcome(five)), 45);
        assert_eq!((data.to_vec()?, wide.to_vec()?), (vec![6, 18], vec![54]));
        Ok(())
    });
}
