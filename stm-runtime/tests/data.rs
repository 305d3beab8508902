//! `#[derive(GpuData)]` as users write it: every form of item, in any module, without a warning.
#![deny(warnings, missing_docs, unreachable_pub, unused_qualifications, trivial_numeric_casts)]

use stm_runtime::prelude::*;

mod inner {
    use stm_runtime::GpuData;

    /// A record of records.
    #[derive(Debug, Clone, Copy, PartialEq, GpuData)]
    pub(crate) struct Room {
        pub(crate) free: u32,
        pub(super) beds: [Bed; 2],
        /// A keyword as a name.
        pub(crate) r#type: Option<Procedure>,
        hidden: Hidden,
    }

    #[derive(Debug, Clone, Copy, PartialEq, GpuData)]
    pub(crate) struct Bed(pub(crate) u8, bool);

    #[derive(Debug, Clone, Copy, PartialEq, GpuData)]
    struct Hidden {
        at: (i8, f64),
    }

    /// Not from 0 on, and the first is not the least.
    #[derive(Debug, Clone, Copy, PartialEq, GpuData)]
    #[repr(i16)]
    pub(crate) enum Procedure {
        Single = 4,
        Double = -2,
        Suite,
    }

    #[derive(Debug, Clone, Copy, PartialEq, GpuData)]
    pub(crate) enum Plain {
        First = -1,
        Second,
    }

    pub(crate) fn room(free: u32) -> Room {
        let hidden = Hidden { at: (-3, 0.5) };
        Room { free, beds: [Bed(1, true), Bed(2, false)], r#type: Some(Procedure::Double), hidden }
    }
}

/// One after the other, the words of a value.
fn words<T: GpuData>(value: T) -> Vec<u64> {
    stm_runtime::__private::words_of(value)
}

fn value<T: GpuData>(words: &[u64]) -> T {
    let mut words = words.iter();
    T::stm_take(&mut || *words.next().unwrap())
}

#[test]
fn records_are_the_components_of_their_fields() {
    let room = inner::room(9);
    let expect = [9, 1, 1, 2, 0, 1, 0xfffe, 0xfd, 0.5_f64.to_bits()];
    assert_eq!(words(room), expect);
    assert_eq!(value::<inner::Room>(&expect), room);
    assert_eq!(<inner::Room as GpuData>::COMPONENTS, 9);
}

#[test]
fn types_know_their_names() {
    let mut components = Vec::new();
    <inner::Room as GpuData>::TYPE
        .each_component("rooms", &mut |path, scalar| components.push(format!("{path}: {}", scalar.rust())));
    assert_eq!(
        components,
        [
            "rooms.free: u32",
            "rooms.beds[0].0: u8",
            "rooms.beds[0].1: bool",
            "rooms.beds[1].0: u8",
            "rooms.beds[1].1: bool",
            "rooms.type.is_some: bool",
            "rooms.type.some: i16",
            "rooms.hidden.at.0: i8",
            "rooms.hidden.at.1: f64",
        ]
    );
    let stm_runtime::__private::spec::Type::Record(record) = <inner::Room as GpuData>::TYPE else { panic!() };
    assert_eq!((record.name, record.module), ("Room", "data::inner"));
    let stm_runtime::__private::spec::Type::Enum(procedure) = <inner::Procedure as GpuData>::TYPE else { panic!() };
    assert_eq!(procedure.variants, [("Single", 4), ("Double", -2), ("Suite", -1)]);
}

#[test]
fn an_enum_is_its_discriminant_and_never_anything_else() {
    use inner::{Plain, Procedure};
    for (procedure, word) in [(Procedure::Single, 4), (Procedure::Double, 0xfffe), (Procedure::Suite, 0xffff)] {
        assert_eq!((words(procedure), value::<Procedure>(&[word])), (vec![word], procedure));
    }
    assert_eq!(value::<Procedure>(&[77]), Procedure::Single);
    assert_eq!((words(Plain::First), words(Plain::Second)), (vec![u64::MAX], vec![0]));
    assert_eq!(value::<Plain>(&[5]), Plain::First);
}

#[test]
fn fields_of_an_array_are_arrays() -> Result<(), Error> {
    let device = Device::cpu(1);
    let rooms = device.shared_with(&[inner::room(1), inner::room(2), inner::room(3)], 2)?;
    assert_eq!(rooms.to_vec()?, [1, 2, 3].map(inner::room));
    assert_eq!(rooms.free.to_vec()?, [1, 2, 3]);
    assert_eq!(rooms.beds[1].0.to_vec()?, [2; 3]);
    assert_eq!(rooms.r#type.some.to_vec()?, [inner::Procedure::Double; 3]);
    assert_eq!((rooms.r#type.len(), rooms.r#type.coverage()), (3, 2));
    assert_eq!(format!("{rooms:?} {:?}", rooms.beds), "Shared<Room>(3 elements) Shared<[Bed; 2]>(3 elements)");
    Ok(())
}

#[test]
fn types_can_be_local() -> Result<(), Error> {
    #[derive(Debug, Clone, Copy, PartialEq, GpuData)]
    struct Local {
        x: u8,
    }
    let locals = Device::cpu(1).shared(&[Local { x: 1 }])?;
    assert_eq!((locals.x.to_vec()?, locals.to_vec()?), (vec![1], vec![Local { x: 1 }]));
    Ok(())
}
