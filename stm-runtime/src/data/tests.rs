//! Conversions of values to words and back, and arrays of compound values.

use super::*;
use crate::{Device, Error};

fn round<T: GpuData + PartialEq + std::fmt::Debug>(value: T, words: &[u64]) {
    assert_eq!(words_of(value), words);
    assert_eq!(T::COMPONENTS, words.len(), "{}", T::TYPE);
    assert_eq!(T::TYPE.scalars().len(), words.len(), "{}", T::TYPE);
    assert_eq!(value_of::<T>(words.iter().copied()), value);
}

#[test]
fn values_are_their_components_in_order() {
    round(-1_i8, &[0xff]);
    round((), &[]);
    round((7_u32,), &[7]);
    round((1_u8, -1_i16, true), &[1, 0xffff, 1]);
    round([3_u64, 4], &[3, 4]);
    round([(1_u8, 2_u8), (3, 4)], &[1, 2, 3, 4]);
    round([0_i64; 0], &[]);
    round(Some(5_i32), &[1, 5]);
    round(None::<(u8, f32)>, &[0, 0, 0]);
    round(Some(None::<u8>), &[1, 0, 0]);
    round((1_u8, ((), [Some(2_u8)]), 3_u8), &[1, 1, 2, 3]);
    round((1_u8, 2_u8, 3_u8, 4_u8, 5_u8, 6_u8, 7_u8, 8_u8), &[1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn missing_words_count_as_zero() {
    assert_eq!(value_of::<(u8, u8)>([9]), (9, 0));
}

#[test]
fn constants_have_their_type() {
    let constant = constant(&Some((1_u8, 2.0_f64)));
    assert_eq!(constant.ty.to_string(), "Option<(u8, f64)>");
    assert_eq!(constant.words, [1, 1, 2.0_f64.to_bits()]);
}

#[test]
fn calls_list_their_components() -> Result<(), Error> {
    let device = Device::cpu(1);
    let pairs = device.shared(&[(1_u8, 2_i64)])?;
    let all: [&crate::backend::Array; 3] = arrays(|list| {
        list.add(&pairs);
        list.add(&pairs.1);
    });
    assert!(all[1].same(all[2]) && !all[0].same(all[1]));
    assert_eq!(words(|list: &mut Words<3>| list.add((1_u8, Some(2_u8)))), [1, 1, 2]);
    Ok(())
}

#[test]
fn parts_of_an_array_are_arrays() -> Result<(), Error> {
    let device = Device::cpu(1);
    let pairs = device.shared_with(&[(1_u8, [Some(-1_i64), None]), (2, [None, Some(4)])], 2)?;
    assert_eq!((pairs.len(), pairs.coverage(), pairs.is_empty()), (2, 2, false));
    assert_eq!(pairs.to_vec()?, [(1, [Some(-1), None]), (2, [None, Some(4)])]);
    assert_eq!(pairs.0.to_vec()?, [1, 2]);
    assert_eq!(pairs.1.to_vec()?, [[Some(-1), None], [None, Some(4)]]);
    assert_eq!(pairs.1[0].is_some.to_vec()?, [true, false]);
    assert_eq!(pairs.1[1].some.to_vec()?, [0, 4]);
    assert_eq!((pairs.1[1].some.len(), pairs.1[1].some.coverage()), (2, 2));
    assert_eq!(format!("{:?}", pairs.1), "Shared<[Option<i64>; 2]>(2 elements)");
    assert!(pairs.clone().0.array(0).unwrap().same(pairs.array(0).unwrap()), "clones are the same array");
    Ok(())
}

#[test]
fn arrays_without_components_have_a_length() -> Result<(), Error> {
    let nothing = Device::cpu(1).shared(&[(), (), ()])?;
    assert_eq!((nothing.len(), nothing.to_vec()?.len()), (3, 3));
    Ok(())
}

#[test]
fn a_view_has_the_types_that_it_says() -> Result<(), Error> {
    let device = Device::cpu(1);
    let pairs = device.shared(&[(1_u8, 2_i64)])?;
    let component = |k| crate::data::Component { array: pairs.array(k).unwrap().clone(), place: k as u32 };
    let components = [component(0), component(1)];
    let view = Shared::<(u8, i64)>::view(&device, &components).expect("it has this type");
    assert_eq!((view.place(0), view.place(1), view.1.place(0)), (0, 1, 1));
    assert!(Shared::<(i64, u8)>::view(&device, &components).is_none());
    assert!(Shared::<(u8, i64, u8)>::view(&device, &components).is_none());
    assert!(Shared::<()>::view(&device, &components).is_none());
    Ok(())
}
