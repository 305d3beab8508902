//! Files of arrays: what was saved comes back, and everything else is refused.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::{Device, Error, FileProblem, GpuData, Shared};

#[derive(Debug, Clone, Copy, PartialEq, GpuData)]
#[repr(u8)]
enum Level {
    Plain,
    Suite,
}

fn problem<T: GpuData>(path: &Path) -> FileProblem {
    match Device::cpu(1).load::<T>(path).unwrap_err() {
        Error::ArrayFile { path: named, problem } => {
            assert_eq!(named, path);
            problem
        }
        other => panic!("{other}"),
    }
}

/// Writes bytes with their checksum.
fn forge(path: &Path, bytes: &[u8]) {
    fs::write(path, [bytes, &Sha256::digest(bytes)].concat()).unwrap();
}

#[test]
fn arrays_come_back_from_their_files() {
    let (device, folder) = (Device::cpu(1), tempfile::tempdir().unwrap());
    let path = folder.path().join("a");
    for len in [0, 1, 200] {
        let elements: Vec<(bool, Option<i64>, [f32; 2])> =
            (0..len).map(|k| (k % 2 == 0, (k % 3 > 0).then_some(-k), [k as f32, f32::NAN])).collect();
        device.shared(&elements).unwrap().save(&path).unwrap();
        let back = device.load(&path).unwrap();
        let into = device.shared_by_field(&vec![(false, None, [0.0; 2]); len as usize]).unwrap();
        into.load(&path).unwrap();
        for array in [back, into] {
            let back: Vec<(bool, Option<i64>, [f32; 2])> = array.to_vec().unwrap();
            assert_eq!(format!("{back:?}"), format!("{elements:?}"));
        }
    }
    // The format does not change by itself.
    device.shared(&[(1_u8, -2_i16)]).unwrap().save(&path).unwrap();
    let head = b"STMARRAY\x01\0\0\0\x0f\0\0\0\x01\0\0\0\0\0\0\0.0: u8\n.1: i16\n\x01\xfe\xff";
    assert_eq!(fs::read(&path).unwrap(), [&head[..], &Sha256::digest(head)].concat());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "temporary files are gone");
}

#[test]
fn damaged_and_foreign_files_change_nothing() {
    let (device, folder) = (Device::cpu(1), tempfile::tempdir().unwrap());
    let path = folder.path().join("a");
    let array: Shared<u16> = device.shared(&[1, 2, 3]).unwrap();
    array.save(&path).unwrap();
    let good = fs::read(&path).unwrap();
    array.fill(9).unwrap();
    let refuse = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        assert!(matches!(array.load(&path), Err(Error::ArrayFile { .. })) && device.load::<u16>(&path).is_err());
        assert_eq!(array.to_vec().unwrap(), [9; 3]);
    };
    for at in 0..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        refuse(&bytes);
        refuse(&good[..at]);
    }
    refuse(&[&good[..], b"!"].concat());
    // As many elements as no machine has room for.
    let mut huge = good.clone();
    huge[16..24].fill(0xff);
    refuse(&huge);
    fs::write(&path, &good).unwrap();
    assert_eq!(problem::<i16>(&path), FileProblem::Type { asked: "i16".into() });
    let short = device.shared(&[0_u16]).unwrap();
    let elements = FileProblem::Elements { file: 3, array: 1 };
    assert_eq!(short.load(&path), Err(Error::ArrayFile { path: path.clone(), problem: elements }));
    array.load(&path).unwrap();
    assert_eq!(array.to_vec().unwrap(), [1, 2, 3]);
}

#[test]
fn a_right_checksum_does_not_make_a_value() {
    let (device, folder) = (Device::cpu(1), tempfile::tempdir().unwrap());
    let path = folder.path().join("a");
    device.shared(&[true, false]).unwrap().save(&path).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes.truncate(bytes.len() - 32);
    *bytes.last_mut().unwrap() = 2;
    forge(&path, &bytes);
    assert_eq!(problem::<bool>(&path), FileProblem::Damaged);
    *bytes.last_mut().unwrap() = 1;
    forge(&path, &bytes);
    assert_eq!(device.load::<bool>(&path).unwrap().to_vec().unwrap(), [true, true]);
    bytes[8] = 2;
    forge(&path, &bytes);
    assert_eq!(problem::<bool>(&path), FileProblem::Version { file: 2, known: 1 });
    device.shared(&[Level::Plain, Level::Suite]).unwrap().save(&path).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes.truncate(bytes.len() - 32);
    *bytes.last_mut().unwrap() = 0x7f;
    forge(&path, &bytes);
    assert_eq!(problem::<Level>(&path), FileProblem::Damaged);
}

#[test]
fn what_is_no_file_is_neither_read_nor_replaced() {
    let (device, folder) = (Device::cpu(1), tempfile::tempdir().unwrap());
    assert_eq!(problem::<u8>(folder.path()), FileProblem::NoFile);
    assert!(matches!(problem::<u8>(&folder.path().join("none")), FileProblem::System(_)));
    let array = device.shared(&[1_u8]).unwrap();
    assert!(array.save(folder.path()).is_err() && array.save(folder.path().join("none/a")).is_err());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        assert_eq!(problem::<u8>(Path::new("/dev/zero")), FileProblem::NoFile);
        // A link stays, and so do permissions.
        let (file, link) = (folder.path().join("a"), folder.path().join("link"));
        array.save(&file).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        array.fill(7).and_then(|()| array.save(&link)).unwrap();
        assert_eq!(device.load::<u8>(&file).unwrap().to_vec().unwrap(), [7]);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
