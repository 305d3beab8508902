//! Arrays and calls whose types are known only at run time.

use kernels_gen::spec::Scalar;
use stm_runtime::__private::{Array, Word, arrays};
use stm_runtime::{Batch, Call, Device, Error, Procedure, Shared, Ticket};

use crate::batch::RESULT;
use crate::pool::Pool;

/// The number of value words of a call; a procedure ignores words beyond its own values.
const VALUES: usize = 16;

macro_rules! any {
    ($($scalar:ident($type:ty),)*) => {
        /// An array of scalars.
        enum Any {
            $($scalar(Shared<$type>),)*
        }

        impl Any {
            fn new(device: &Device, scalar: Scalar, words: &[u64]) -> Result<Any, Error> {
                Ok(match scalar {
                    $(Scalar::$scalar => {
                        let values: Vec<$type> = words.iter().map(|word| <$type>::from_word(*word)).collect();
                        Any::$scalar(device.shared(&values)?)
                    })*
                    wide => panic!("a component that is {}", wide.rust()),
                })
            }

            fn array(&self) -> &Array {
                match self {
                    $(Any::$scalar(shared) => arrays::<1>(|list| list.add(shared))[0],)*
                }
            }

            fn words(&self) -> Result<Vec<u64>, Error> {
                match self {
                    $(Any::$scalar(shared) => Ok(shared.to_vec()?.into_iter().map(Word::to_word).collect()),)*
                }
            }
        }
    };
}

any! {
    I8(i8), I16(i16), I32(i32), I64(i64), Isize(isize),
    U8(u8), U16(u16), U32(u32), U64(u64), Usize(usize),
    F32(f32), F64(f64), Bool(bool),
}

/// The arrays of a pool, on a device.
pub(crate) struct Arrays(Vec<Any>);

impl Arrays {
    pub(crate) fn new(device: &Device, pool: &Pool) -> Result<Arrays, Error> {
        let all = pool.scalars.iter().zip(&pool.memory).map(|(scalar, words)| Any::new(device, *scalar, words));
        all.collect::<Result<_, _>>().map(Arrays)
    }

    pub(crate) fn of(&self, which: &[usize]) -> Vec<&Array> {
        which.iter().map(|at| self.0[*at].array()).collect()
    }

    pub(crate) fn words(&self) -> Result<Vec<Vec<u64>>, Error> {
        self.0.iter().map(Any::words).collect()
    }
}

/// Adds a call to a batch.
pub(crate) fn push(
    batch: &mut Batch,
    procedure: &'static Procedure,
    arrays: &[&Array],
    words: &[u64],
) -> Ticket<[u64; RESULT]> {
    let mut values = [0; VALUES];
    values.iter_mut().zip(words).for_each(|(value, word)| *value = *word);
    macro_rules! counts {
        ($($count:literal)*) => {
            match arrays.len() {
                $($count => batch.push(call::<$count>(procedure, arrays, values)),)*
                many => panic!("{many} arrays, which the generator should not make"),
            }
        };
    }
    counts!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32)
}

fn call<'r, const N: usize>(
    procedure: &'static Procedure,
    arrays: &[&'r Array],
    values: [u64; VALUES],
) -> Call<'r, [u64; RESULT], N, VALUES> {
    Call::new(procedure, std::array::from_fn(|k| arrays[k]), values)
}
