//! Ranges, filling and copies of arrays, against lists.

use kernels_gen::device::unit::ColumnWidth;

use crate::new_rows::CellsMut;
use crate::{Device, Error, GpuData, Partitioned, Shared};

type Pair = (u8, i64);

/// Returns CPU threads, and the emulator if it is there.
fn devices() -> Vec<Device> {
    #[cfg_attr(not(feature = "emulator"), allow(unused_mut))]
    let mut devices = vec![Device::cpu(1)];
    #[cfg(feature = "emulator")]
    devices.push(Device::emulated(crate::EmulatorOptions::threads()).unwrap());
    devices
}

fn pairs(count: usize) -> Vec<Pair> {
    (0..count as i64).map(|k| (k as u8, -k)).collect()
}

#[test]
fn ranges_are_read_and_written_across_pieces() {
    for device in devices() {
        let mut model = pairs(200);
        for array in
            [device.shared(&model), device.shared_with(&model, 4), device.shared_by_field(&model)].map(Result::unwrap)
        {
            assert_eq!(array.to_vec().unwrap(), model);
            for (first, count) in [(0, 200), (1, 150), (31, 34), (199, 1), (200, 0)] {
                assert_eq!(array.read_range(first..first + count).unwrap(), model[first..first + count]);
                let new: Vec<Pair> = (0..count).map(|k| (7, (first * k) as i64)).collect();
                array.write_range(first, &new).unwrap();
                model[first..first + count].copy_from_slice(&new);
                assert_eq!(array.to_vec().unwrap(), model);
            }
            assert_eq!(array.read_range(..=1).unwrap(), model[..2]);
            assert_eq!(array.1.read_range(198..).unwrap(), [model[198].1, model[199].1]);
            array.1.fill(5).unwrap();
            assert!(array.to_vec().unwrap().iter().zip(&model).all(|(own, old)| *own == (old.0, 5)));
            array.fill((1, 2)).unwrap();
            assert_eq!(array.to_vec().unwrap(), [(1, 2); 200]);
            model = pairs(200);
            array.write_range(0, &model).unwrap();
        }
    }
}

#[test]
fn filling_repeats_a_piece_within_an_array_or_a_part() {
    for device in devices() {
        let accounts = device.shared(&[1_i64; 300]).unwrap();
        for amount in [299, 7] {
            accounts.fill(amount).unwrap();
            assert_eq!(accounts.to_vec().unwrap(), [amount; 300]);
        }
        let parts: Partitioned<u8, 100> = device.partitioned(&[1; 300]).unwrap();
        parts.part(1).unwrap().fill(2).unwrap();
        assert_eq!(parts.to_vec().unwrap(), [[1; 100], [2; 100], [1; 100]].concat());
    }
}

#[test]
fn values_of_every_width_come_back_as_they_were() {
    fn back<T: GpuData + PartialEq + std::fmt::Debug>(device: &Device, value: impl Fn(u8) -> T) {
        let list: Vec<T> = (0..200).map(value).collect();
        let array = device.shared(&list).unwrap();
        assert_eq!(
            (array.to_vec().unwrap(), array.read_range(70..180).unwrap()),
            (list.clone(), list[70..180].to_vec())
        );
        let column = device.column(&list).unwrap();
        assert_eq!(column.range(3..190).unwrap().to_vec().unwrap(), list[3..190]);
        assert_eq!(array.to_column().unwrap().to_vec().unwrap(), list);
    }
    for device in devices() {
        back(&device, |k| k as i8);
        back(&device, |k| -150 * i16::from(k));
        back(&device, |k| f32::from(k) / 3.0);
        back(&device, |k| usize::from(k) << 40);
        back(&device, |k| k % 3 == 0);
        back(&device, |k| (k, i64::from(k)));
        let words: Vec<u64> = (0..200).map(|k| k * 0x0101_0101).collect();
        let cells = device.column(&words).unwrap().into_cells();
        let mut list = vec![0; 187];
        let narrow = cells[0].range(3..190).narrowed(ColumnWidth::U16).unwrap();
        narrow.copy_to(CellsMut::U16(&mut list)).unwrap();
        assert_eq!(list, words[3..190].iter().map(|word| *word as u16).collect::<Vec<_>>());
    }
}

#[test]
fn copies_are_between_arrays_and_parts() {
    for device in devices() {
        let (one, other) = (device.shared(&pairs(100)).unwrap(), device.shared_with(&[(0, 0); 100], 2).unwrap());
        other.copy_from(&one).unwrap();
        assert_eq!(other.to_vec().unwrap(), pairs(100));
        one.copy_from(&one.clone()).unwrap();
        assert_eq!(one.to_vec().unwrap(), pairs(100));
        let parts: Partitioned<Pair, 2> = device.partitioned(&pairs(6)).unwrap();
        parts.part(0).unwrap().copy_from(&parts.part(2).unwrap()).unwrap();
        parts.part(1).unwrap().write_range(1, &[(9, 9)]).unwrap();
        let expected = [(4, -4), (5, -5), (2, -2), (9, 9), (4, -4), (5, -5)];
        assert_eq!(
            (parts.to_vec().unwrap(), parts.all().read_range(3..5).unwrap()),
            (expected.into(), expected[3..5].into())
        );
        let none = device.shared::<()>(&[(); 3]).unwrap();
        none.fill(()).and_then(|()| none.copy_from(&none.clone())).unwrap();
        assert_eq!(none.read_range(1..).unwrap().len(), 2);
    }
}

#[test]
fn what_does_not_fit_is_an_error_with_the_place_of_the_call() {
    let device = Device::cpu(1);
    let array: Shared<u16> = device.shared(&[1, 2, 3]).unwrap();
    let here = |line: u32, error: Error| {
        let text = error.to_string();
        assert!(text.starts_with(&format!("{}:{line}:", file!())), "{text}");
        text
    };
    let text = here(line!(), array.write_range(2, &[4, 5]).unwrap_err());
    assert!(text.ends_with("the range 2..4 is not within the 3 elements; use a range within 0..3"));
    here(line!(), array.read_range(4..).unwrap_err());
    here(line!(), array.read_range(..=usize::MAX).unwrap_err());
    #[expect(clippy::reversed_empty_ranges)]
    here(line!(), array.read_range(2..1).unwrap_err());
    here(line!(), array.write_range(usize::MAX, &[1]).unwrap_err());
    here(line!(), array.copy_from(&device.shared(&[0; 2]).unwrap()).unwrap_err());
    let text = here(line!(), array.copy_from(&Device::cpu(1).shared(&[0; 3]).unwrap()).unwrap_err());
    assert!(text.contains("3 elements cannot be copied to one of 3 on another device"), "{text}");
    assert_eq!(array.to_vec().unwrap(), [1, 2, 3]);
}
