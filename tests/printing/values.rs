//! Values of every type.

use std::fmt;

use kernels_gen::spec::Type;
use stm_runtime::prelude::*;
use stm_tests::draw::Draw;
use stm_tests::edges::{edges, scattered};

use crate::places::{compare, everywhere, printed};

macro_rules! scalars {
    ($($name:ident: $type:ty;)*) => {
        mod transactions {
            use stm_runtime::prelude::*;
            $(
                #[gpu_transaction]
                pub(super) fn $name(tx: &mut Tx, data: &Shared<$type>, at: u32) -> TxResult {
                    let value = tx.read(data, at)?;
                    gpu_println!("{} {:?} {:?} {:?} {:?}", value, value, Some(value), (value,), [value, value]);
                    Ok(())
                }
            )*
        }

        /// Prints every edge of every type, and some thousand words of any magnitude.
        pub(crate) fn scalars_print_as_in_rust() {
            everywhere(|environment| {
                $({
                    let Type::Scalar(scalar) = <$type as GpuData>::TYPE else { unreachable!("it is a scalar") };
                    let words = [edges(scalar), scattered(scalar)].concat();
                    let values: Vec<$type> = words.into_iter().map(|word| <$type>::stm_take(&mut || word)).collect();
                    let data = environment.device.shared(&values).expect("there is room");
                    let mut batch = environment.device.batch();
                    (0..values.len()).for_each(|at| _ = batch.push(transactions::$name::call(&data, at as u32)));
                    let line = |value: &$type| {
                        format!("{} {:?} {:?} {:?} {:?}", value, value, Some(value), (value,), [value, value])
                    };
                    let (_, lines) = printed(&batch, RunOptions::new().threads(1));
                    compare(environment, &lines, &values.iter().map(line).collect::<Vec<_>>());
                })*
            });
        }
    };
}

scalars! {
    an_i8: i8;
    an_i16: i16;
    an_i32: i32;
    an_i64: i64;
    an_isize: isize;
    a_u8: u8;
    a_u16: u16;
    a_u32: u32;
    a_u64: u64;
    a_usize: usize;
    an_f32: f32;
    an_f64: f64;
    a_bool: bool;
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Room {
    r#type: Level,
    price: f32,
    guests: [Option<i8>; 3],
}

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
struct Pair((), Room);

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
#[repr(i8)]
enum Level {
    Plain = 3,
    Suite = -128,
    r#Final = 7,
}

/// A type with its own formats.
#[derive(Clone, Copy, PartialEq, GpuData)]
struct Money {
    cents: i64,
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02} €", self.cents / 100, (self.cents % 100).abs())
    }
}

impl fmt::Debug for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{self}>")
    }
}

/// A variant with a `Display`.
#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
enum Colour {
    Red,
    Green,
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(if *self == Colour::Red { "rouge" } else { "vert" })
    }
}

#[gpu_fn]
fn shout(money: Money, x: Option<u8>) {
    gpu_println!("{money} {:>7?} {x:?} {money:?}", x);
}

#[gpu_transaction]
fn compounds(
    tx: &mut Tx,
    data: &Shared<Pair>,
    money: Money,
    colours: [Colour; 2],
    nested: Option<Option<(Money, Colour)>>,
    x: f64,
) -> TxResult {
    let pair = tx.read(data, 0)?;
    gpu_println!("{:?} {} {:?}", pair, money, nested);
    gpu_println!("{}{:?} {:?} {:?}", colours[0], colours, [Some((x, ())); 2], pair.1.guests);
    shout(money, if x > 0.0 { Some(1) } else { None });
    Ok(())
}

pub(crate) fn compound_values_print_as_in_rust() {
    everywhere(|environment| {
        let mut draw = Draw::new(3);
        for _ in 0..12 {
            let pair: Pair = draw.value();
            let data = environment.device.shared(&[pair]).expect("there is room");
            let mut batch = environment.device.batch();
            let mut want = Vec::new();
            for _ in 0..20 {
                let (money, colours, x) = (draw.value::<Money>(), draw.value::<[Colour; 2]>(), draw.value::<f64>());
                let nested: Option<Option<(Money, Colour)>> = draw.value();
                batch.push(compounds::call(&data, money, colours, nested, x));
                want.push(format!("{:?} {} {:?}", pair, money, nested));
                want.push(format!("{}{:?} {:?} {:?}", colours[0], colours, [Some((x, ())); 2], pair.1.guests));
                want.push(format!("{money} {0:>7?} {0:?} {money:?}", (x > 0.0).then_some(1)));
            }
            let (_, lines) = printed(&batch, RunOptions::new().threads(1));
            compare(environment, &lines, &want);
        }
    });
}
