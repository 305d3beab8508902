use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use super::place::FOLDER;
use super::*;

fn key(name: &str) -> Key {
    Key::of(&[name])
}

fn file_of(dir: &tempfile::TempDir, key: Key) -> std::path::PathBuf {
    dir.path().join(FOLDER).join(format!("{}.bin", key.hex()))
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
fn every_damaged_file_is_reported_and_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let cache = DiskCache::at(dir.path(), 1 << 20);
    let file = file_of(&dir, key("a"));
    cache.put(key("a"), b"machine code").unwrap();
    let whole = fs::read(&file).unwrap();
    let is_refused = || matches!(cache.get(key("a")), Hit::Refused(why) if why.contains("damaged"));
    for len in 0..whole.len() {
        fs::write(&file, &whole[..len]).unwrap();
        assert!(is_refused(), "truncated to {len}");
    }
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x10;
        fs::write(&file, &flipped).unwrap();
        assert!(is_refused(), "byte {at}");
    }
    cache.put(key("a"), b"machine code").unwrap();
    assert_eq!(fs::read(&file).unwrap(), whole);
}

#[test]
fn a_file_under_another_name_is_not_believed() {
    let dir = tempfile::tempdir().unwrap();
    let cache = DiskCache::at(dir.path(), 1 << 20);
    cache.put(key("a"), b"machine code").unwrap();
    fs::rename(file_of(&dir, key("a")), file_of(&dir, key("b"))).unwrap();
    assert!(matches!(cache.get(key("b")), Hit::Refused(_)));
}

#[test]
fn a_file_larger_than_the_cache_is_neither_read_nor_written() {
    let dir = tempfile::tempdir().unwrap();
    DiskCache::at(dir.path(), 1 << 20).put(key("a"), &[0; 5000]).unwrap();
    let small = DiskCache::at(dir.path(), 1000);
    assert!(matches!(small.get(key("a")), Hit::Refused(why) if why.contains("more than 1000")));
    assert!(small.put(key("b"), &[0; 1000]).unwrap_err().contains("more than the cache holds"));
    assert_eq!(small.get(key("b")), Hit::Missing);
}

#[test]
fn a_folder_that_cannot_be_written_is_reported_and_survived() {
    let dir = tempfile::tempdir().unwrap();
    let in_the_way = dir.path().join("file");
    fs::write(&in_the_way, b"").unwrap();
    let cache = DiskCache::at(&in_the_way, 1 << 20);
    let why = cache.put(key("a"), b"x").unwrap_err();
    assert!(why.contains("file/gpu-stm-kernels-v2 is not used") && why.contains("STM_CACHE"), "{why}");
    assert_eq!(cache.get(key("a")), Hit::Refused(why.clone()), "notes are reported once");
    let look = KernelCache::of(in_the_way.join(FOLDER));
    assert_eq!((look.files, look.trouble), (0, Some(why)));
}

#[test]
fn only_the_kernels_of_the_cache_are_counted_and_removed() {
    let dir = tempfile::tempdir().unwrap();
    let cache = DiskCache::at(dir.path(), 3000);
    cache.put(key("a"), &[0; 1000]).unwrap();
    let folder = dir.path().join(FOLDER);
    // Files that are large, older than all others, and in the cache's own folder, but with other names, content or keys.
    let others = [
        dir.path().join("model.bin"),
        folder.join("model.bin"),
        folder.join(key("foreign").hex() + ".bin"),
        folder.join(key("copy").hex() + ".bin"),
        folder.join(key("a").hex().to_uppercase() + ".bin"),
    ];
    others.iter().for_each(|file| fs::write(file, vec![1; 100_000]).unwrap());
    fs::copy(file_of(&dir, key("a")), &others[3]).unwrap();
    for file in &others {
        let file = fs::File::options().append(true).open(file).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1)).unwrap();
    }
    let look = KernelCache::of(folder);
    assert_eq!((look.files, look.bytes, look.trouble), (1, 1072, None));
    cache.put(key("b"), &[0; 1000]).unwrap();
    assert!(file_of(&dir, key("a")).exists(), "files of others do not count");
    cache.put(key("c"), &[0; 1000]).unwrap();
    assert!(!file_of(&dir, key("a")).exists() && file_of(&dir, key("c")).exists());
    others.iter().for_each(|file| assert!(file.exists(), "{}", file.display()));
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
    assert_eq!(fs::read_dir(dir.path().join(FOLDER)).unwrap().count(), 1, "no temporary file stays");
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
    assert_eq!(cache.limit, 256 << 20);
    if cache.folder.is_none() {
        return eprintln!("SKIPPED: {}", cache.trouble.unwrap_or("STM_CACHE is off".into()));
    }
    let folder = cache.folder.expect("a folder");
    assert!(folder.is_absolute() && folder.ends_with(FOLDER), "{}", folder.display());
}
