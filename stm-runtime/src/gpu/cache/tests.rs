use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use super::disk::Hit;
use super::*;

fn key(name: &str) -> Key {
    Key::of(&[name])
}

fn file_of(dir: &tempfile::TempDir, key: Key) -> std::path::PathBuf {
    dir.path().join(format!("{}.bin", key.hex()))
}

#[test]
fn what_is_put_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let cache = DiskCache::at(&dir.path().join("not/yet/there"), 1 << 20);
    assert_eq!(cache.get(key("a")), Hit::Missing);
    cache.put(key("a"), b"machine code").unwrap();
    assert_eq!(cache.get(key("a")), Hit::Found(b"machine code".to_vec()));
    cache.discard(key("a"));
    assert_eq!(cache.get(key("a")), Hit::Missing);
}

#[test]
fn parts_of_a_key_do_not_run_together() {
    assert_ne!(Key::of(&["ab", "c"]), Key::of(&["a", "bc"]));
    assert_eq!(Key::of(&["ab", "c"]), Key::of(&["ab", "c"]));
}

#[test]
fn every_damaged_file_is_deleted() {
    let dir = tempfile::tempdir().unwrap();
    let cache = DiskCache::at(dir.path(), 1 << 20);
    let file = file_of(&dir, key("a"));
    cache.put(key("a"), b"machine code").unwrap();
    let whole = fs::read(&file).unwrap();
    for len in 0..whole.len() {
        fs::write(&file, &whole[..len]).unwrap();
        assert!(matches!(cache.get(key("a")), Hit::Spoiled(_)), "truncated to {len}");
        assert!(!file.exists());
    }
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x10;
        fs::write(&file, &flipped).unwrap();
        assert!(matches!(cache.get(key("a")), Hit::Spoiled(_)), "byte {at}");
        assert!(!file.exists());
    }
}

#[test]
fn a_file_under_another_name_is_not_believed() {
    let dir = tempfile::tempdir().unwrap();
    let cache = DiskCache::at(dir.path(), 1 << 20);
    cache.put(key("a"), b"machine code").unwrap();
    fs::rename(file_of(&dir, key("a")), file_of(&dir, key("b"))).unwrap();
    assert!(matches!(cache.get(key("b")), Hit::Spoiled(_)));
}

#[test]
fn a_folder_that_cannot_be_written_is_told_and_survived() {
    let dir = tempfile::tempdir().unwrap();
    let in_the_way = dir.path().join("file");
    fs::write(&in_the_way, b"").unwrap();
    let cache = DiskCache::at(&in_the_way, 1 << 20);
    assert!(cache.put(key("a"), b"x").unwrap_err().contains("cannot write"));
    assert!(!matches!(cache.get(key("a")), Hit::Found(_)));
}

#[test]
fn the_least_recently_used_goes_first() {
    let dir = tempfile::tempdir().unwrap();
    let cache = DiskCache::at(dir.path(), 3 * 1100);
    for (age, name) in ["a", "b", "c"].iter().enumerate() {
        cache.put(key(name), &[0; 1000]).unwrap();
        let old = SystemTime::now() - Duration::from_secs(1000 - age as u64);
        fs::File::options().append(true).open(file_of(&dir, key(name))).unwrap().set_modified(old).unwrap();
    }
    assert!(matches!(cache.get(key("a")), Hit::Found(_)));
    cache.put(key("d"), &[0; 1000]).unwrap();
    let left: Vec<_> = ["a", "b", "c", "d"].iter().filter(|n| file_of(&dir, key(n)).exists()).collect();
    assert_eq!(left, [&"a", &"c", &"d"]);
}

#[test]
fn writers_at_once_leave_a_good_file() {
    let dir = tempfile::tempdir().unwrap();
    let payload = vec![7_u8; 100_000];
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let cache = DiskCache::at(dir.path(), 1 << 20);
                for _ in 0..20 {
                    cache.put(key("a"), &payload).unwrap();
                    assert_eq!(cache.get(key("a")), Hit::Found(payload.clone()));
                }
            });
        }
    });
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file stays");
}

#[test]
fn a_key_is_made_once_however_many_ask() {
    let cache = MemoryCache::new();
    let made = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let value = cache.get_or_make(key("a"), || {
                    std::thread::sleep(Duration::from_millis(20));
                    Ok::<_, ()>(made.fetch_add(1, Ordering::Relaxed))
                });
                assert_eq!(value, Ok(0));
            });
        }
    });
    assert_eq!(made.into_inner(), 1);
}

#[test]
fn a_failure_is_not_kept() {
    let cache = MemoryCache::new();
    assert_eq!(cache.get_or_make(key("a"), || Err::<u32, _>("no compiler")), Err("no compiler"));
    assert_eq!(cache.get_or_make(key("a"), || Ok::<_, &str>(3)), Ok(3));
}

#[test]
fn the_cache_says_where_and_how_much_it_is() {
    let cache = KernelCache::look();
    assert!(cache.folder.is_some() || cache.files == 0, "{cache:?}");
    assert_eq!(cache.limit, 256 << 20);
    let dir = tempfile::tempdir().unwrap();
    DiskCache::at(dir.path(), 1 << 20).put(key("a"), &[0; 100]).unwrap();
    fs::write(dir.path().join("else.txt"), "no kernel").unwrap();
    let kernels = super::disk::kernels(dir.path());
    assert!(matches!(kernels[..], [(_, len, _)] if len > 100), "{kernels:?}");
}
