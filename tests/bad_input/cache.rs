//! The kernel cache on disk, and the folder of dumps: damaged, not writable, used by several processes at once, and prepared
//! by an attacker.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use stm_runtime::EmulatorOptions;
use stm_tests::skip::{emulated, skipped};
use tempfile::TempDir;

use super::children::{child, said};

/// The time after which the second process counts as hanging.
const HANGS: Duration = Duration::from_secs(300);
/// The user that files are given to. The user need not exist.
const STRANGER: u32 = 12_345;

fn has_compiler() -> bool {
    emulated("the cache of kernels", EmulatorOptions::threads()).is_some()
}

/// Returns a cache in which a first run left its kernels. They are compiled once for all tests.
fn filled() -> Option<TempDir> {
    static FIRST: OnceLock<TempDir> = OnceLock::new();
    has_compiler().then(|| {
        let first = FIRST.get_or_init(|| {
            let cache = tempfile::tempdir().unwrap();
            let text = run(cache.path());
            assert!(text.contains("committed 20, notes []"), "{text}");
            cache
        });
        let cache = tempfile::tempdir().unwrap();
        let there = cache.path().join(folder(first.path()).file_name().unwrap());
        fs::create_dir(&there).unwrap();
        set_mode(&there, 0o700);
        for file in kernels(first.path()) {
            fs::copy(&file, there.join(file.file_name().unwrap())).unwrap();
        }
        cache
    })
}

/// Returns the output of a run with that cache. Fails if the run hangs.
fn run(cache: &Path) -> String {
    run_with(&[("STM_CACHE", cache)])
}

fn run_with(environment: &[(&str, &Path)]) -> String {
    let mut command = child("emulate", environment);
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begin = Instant::now();
    while process.try_wait().unwrap().is_none() {
        if begin.elapsed() > HANGS {
            process.kill().unwrap();
            panic!("the run hangs: {}", said(&process.wait_with_output().unwrap()));
        }
        thread::sleep(Duration::from_millis(20));
    }
    said(&process.wait_with_output().unwrap())
}

/// Returns every file below a folder with that extension.
fn below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()) {
        if entry.file_type().unwrap().is_dir() {
            all.extend(below(&entry.path(), extension));
        } else if entry.path().extension().is_some_and(|found| found == extension) {
            all.push(entry.path());
        }
    }
    all.sort();
    all
}

fn kernels(cache: &Path) -> Vec<PathBuf> {
    below(cache, "bin")
}

/// Returns the folder that holds the kernels.
fn folder(cache: &Path) -> PathBuf {
    kernels(cache)[0].parent().unwrap().to_owned()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Returns whether files can be given to another user here.
fn can_give_away() -> bool {
    let file = tempfile::NamedTempFile::new().unwrap();
    let can = chown(file.path(), Some(STRANGER), None).is_ok();
    if !can {
        skipped("files of another user", "only root can give files away");
    }
    can
}

fn make_old(path: &Path, age: Duration) {
    let file = fs::File::options().append(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - age).unwrap();
}

/// Checks that the run succeeded and noted these words.
fn assert_noted(text: &str, words: &[&str]) {
    assert!(text.contains("committed 20, notes [\"kernel cache: "), "{text}");
    words.iter().for_each(|word| assert!(text.contains(word), "no `{word}` in {text}"));
}

#[test]
fn a_damaged_cache_is_noted_and_made_anew() {
    let Some(cache) = filled() else { return };
    for file in kernels(cache.path()) {
        let mut bytes = fs::read(&file).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs::write(&file, bytes).unwrap();
    }
    assert_noted(&run(cache.path()), &["damaged"]);
    kernels(cache.path()).iter().for_each(|file| fs::write(file, b"").unwrap());
    assert_noted(&run(cache.path()), &["damaged"]);
    assert!(run(cache.path()).contains("committed 20, notes []"));
}

#[test]
fn a_cache_that_cannot_be_written_is_noted() {
    if !has_compiler() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("a file");
    fs::write(&file, b"").unwrap();
    assert_noted(&run(&file), &["a file", "STM_CACHE"]);
}

#[test]
fn two_processes_may_compile_at_once() {
    if !has_compiler() {
        return;
    }
    let cache = tempfile::tempdir().unwrap();
    let start = || {
        let mut command = child("emulate", &[("STM_CACHE", cache.path())]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..3).map(|_| start()).collect();
    for child in children {
        let text = said(&child.wait_with_output().unwrap());
        assert!(text.contains("committed 20, notes []"), "{text}");
    }
    let names = fs::read_dir(folder(cache.path())).unwrap().map(|entry| entry.unwrap().file_name());
    let leftovers: Vec<_> = names.filter(|name| !name.to_string_lossy().ends_with(".bin")).collect();
    assert!(leftovers.is_empty(), "{leftovers:?}");
}

#[test]
fn files_that_the_cache_did_not_write_stay() {
    if !has_compiler() {
        return;
    }
    let cache = tempfile::tempdir().unwrap();
    let (model, firmware) = (cache.path().join("pytorch_model.bin"), cache.path().join("firmware.bin"));
    // Larger than the limit of a cache, though sparse on the disk.
    fs::File::create(&model).unwrap().set_len(300 << 20).unwrap();
    fs::write(&firmware, b"firmware").unwrap();
    [&model, &firmware].iter().for_each(|file| make_old(file, Duration::from_secs(1_000_000)));
    assert!(run(cache.path()).contains("committed 20, notes []"));
    assert!(model.exists() && firmware.exists(), "the cache deleted files of others");
    assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 3, "kernels lie in a folder of their own");
}

#[test]
fn leftovers_of_dead_writers_go() {
    let Some(cache) = filled() else { return };
    let (dead, alive) = (folder(cache.path()).join(".writing-1"), folder(cache.path()).join(".writing-2"));
    [&dead, &alive].iter().for_each(|file| fs::write(file, b"half a kernel").unwrap());
    make_old(&dead, Duration::from_secs(2 * 24 * 3600));
    kernels(cache.path()).iter().for_each(|file| fs::remove_file(file).unwrap());
    assert!(run(cache.path()).contains("committed 20, notes []"));
    assert!(!dead.exists() && alive.exists());
}

#[test]
fn a_folder_that_others_can_write_is_not_used() {
    let Some(cache) = filled() else { return };
    for mode in [0o777, 0o1777, 0o720, 0o702] {
        set_mode(&folder(cache.path()), mode);
        assert_noted(&run(cache.path()), &["other users can write to it", "chmod", "STM_CACHE"]);
    }
    set_mode(&folder(cache.path()), 0o755);
    assert!(run(cache.path()).contains("committed 20, notes []"));
}

#[test]
fn a_folder_of_another_user_is_not_used() {
    let Some(cache) = filled() else { return };
    if !can_give_away() {
        return;
    }
    let kernel = &kernels(cache.path())[0];
    let before = fs::metadata(kernel).unwrap().modified().unwrap();
    chown(folder(cache.path()), Some(STRANGER), None).unwrap();
    assert_noted(&run(cache.path()), &["belongs to user 12345", "remove it", "STM_CACHE"]);
    assert_eq!(fs::metadata(kernel).unwrap().modified().unwrap(), before, "nothing is written there");
}

#[test]
fn a_link_in_place_of_the_folder_is_not_followed() {
    let Some(cache) = filled() else { return };
    let (there, elsewhere) = (folder(cache.path()), cache.path().join("elsewhere"));
    fs::rename(&there, &elsewhere).unwrap();
    symlink(&elsewhere, &there).unwrap();
    assert_noted(&run(cache.path()), &["symbolic link"]);
}

#[test]
fn a_file_that_others_can_write_is_not_loaded() {
    let Some(cache) = filled() else { return };
    for mode in [0o666, 0o620, 0o602] {
        kernels(cache.path()).iter().for_each(|file| set_mode(file, mode));
        assert_noted(&run(cache.path()), &["other users can write to it"]);
        assert!(run(cache.path()).contains("committed 20, notes []"), "the file is replaced");
    }
}

#[test]
fn a_file_of_another_user_is_not_loaded() {
    let Some(cache) = filled() else { return };
    if !can_give_away() {
        return;
    }
    kernels(cache.path()).iter().for_each(|file| chown(file, Some(STRANGER), None).unwrap());
    assert_noted(&run(cache.path()), &["belongs to user 12345"]);
    assert!(run(cache.path()).contains("committed 20, notes []"), "the file is replaced");
}

#[test]
fn only_regular_files_are_read() {
    let Some(cache) = filled() else { return };
    let replace = |how: &dyn Fn(&Path)| {
        for file in kernels(cache.path()) {
            fs::remove_file(&file).unwrap();
            how(&file);
        }
    };
    // A good kernel, under another name.
    let good = tempfile::tempdir().unwrap();
    for file in kernels(cache.path()) {
        fs::copy(&file, good.path().join(file.file_name().unwrap())).unwrap();
    }
    replace(&|file| {
        let made = Command::new("mkfifo").arg(file).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfifo is a part of every system");
    });
    assert_noted(&run(cache.path()), &["a FIFO"]);
    assert!(run(cache.path()).contains("committed 20, notes []"), "the FIFO is replaced");
    replace(&|file| symlink(good.path().join(file.file_name().unwrap()), file).unwrap());
    assert_noted(&run(cache.path()), &["symbolic link"]);
    assert!(run(cache.path()).contains("committed 20, notes []"), "the link is replaced");
    replace(&|file| fs::create_dir(file).unwrap());
    assert_noted(&run(cache.path()), &["a folder", "cannot write"]);
}

#[test]
fn a_dump_follows_no_link() {
    if !has_compiler() {
        return;
    }
    let (dump, victim) = (tempfile::tempdir().unwrap(), tempfile::NamedTempFile::new().unwrap());
    let dumped = || run_with(&[("STM_CACHE", Path::new("off")), ("STM_DUMP", dump.path())]);
    assert!(dumped().contains("committed 20, notes []"));
    let sources = below(dump.path(), "cu");
    assert!(!sources.is_empty(), "nothing was dumped");
    fs::write(victim.path(), b"precious").unwrap();
    for file in &sources {
        fs::remove_file(file).unwrap();
        symlink(victim.path(), file).unwrap();
    }
    assert!(dumped().contains("committed 20, notes []"));
    assert_eq!(fs::read(victim.path()).unwrap(), b"precious");
    assert!(sources.iter().all(|file| fs::symlink_metadata(file).unwrap().is_file()), "the links are replaced");
}
