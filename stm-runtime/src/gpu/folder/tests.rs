use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use super::*;

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Returns a private folder in a temporary one.
fn private() -> (tempfile::TempDir, Folder) {
    let dir = tempfile::tempdir().unwrap();
    let folder = Folder::create_private(&dir.path().join("parent/own")).unwrap();
    (dir, folder)
}

/// Returns the message of a refused file.
fn refusal(folder: &Folder, name: &str) -> String {
    match folder.file(name) {
        Ok(found) => format!("it is used: {}", found.is_some()),
        Err(why) => why.to_string(),
    }
}

#[test]
fn what_is_made_is_private_and_comes_back() {
    let (dir, folder) = private();
    assert_eq!((mode(&dir.path().join("parent")), mode(&dir.path().join("parent/own"))), (0o700, 0o700));
    assert!(folder.file("a").unwrap().is_none());
    folder.write("a", &[b"two ", b"parts"]).unwrap();
    assert_eq!(mode(&folder.path_of("a")), 0o600);
    let file = folder.file("a").unwrap().unwrap();
    assert_eq!((file.bytes, file.read(9).unwrap()), (9, b"two parts".to_vec()));
    assert_eq!(folder.names().unwrap(), ["a"]);
    folder.remove("a").unwrap();
    assert!(folder.file("a").unwrap().is_none() && folder.names().unwrap().is_empty());
    assert!(Folder::open_private(&dir.path().join("nowhere")).unwrap().is_none());
}

#[test]
fn reads_are_bounded() {
    let (_dir, folder) = private();
    folder.write("a", &[&[7; 100]]).unwrap();
    let why = folder.file("a").unwrap().unwrap().read(99).unwrap_err();
    assert_eq!(why.to_string(), "it has 100 bytes, more than 99");
    assert_eq!(folder.file("a").unwrap().unwrap().head(10).unwrap(), [7; 10]);
    assert_eq!(folder.file("a").unwrap().unwrap().head(1000).unwrap(), [7; 100]);
    // A file that grows after it was opened is truncated.
    let file = folder.file("a").unwrap().unwrap();
    fs::write(folder.path_of("a"), [7; 200]).unwrap();
    assert_eq!(file.read(1000).unwrap().len(), 100);
}

#[test]
fn a_file_can_be_touched() {
    let (_dir, folder) = private();
    folder.write("a", &[b"x"]).unwrap();
    let old = SystemTime::now() - Duration::from_secs(1000);
    fs::File::options().append(true).open(folder.path_of("a")).unwrap().set_modified(old).unwrap();
    let file = folder.file("a").unwrap().unwrap();
    assert_eq!(file.changed().unwrap(), old);
    file.touch();
    assert!(file.changed().unwrap() > old + Duration::from_secs(900));
}

#[test]
fn nothing_but_private_regular_files_is_opened() {
    let (dir, folder) = private();
    fs::write(dir.path().join("elsewhere"), "x").unwrap();
    symlink(dir.path().join("elsewhere"), folder.path_of("link")).unwrap();
    symlink("/dev/zero", folder.path_of("endless")).unwrap();
    symlink(dir.path().join("nowhere"), folder.path_of("dangling")).unwrap();
    for link in ["link", "endless", "dangling"] {
        assert_eq!(refusal(&folder, link), "it is a symbolic link");
    }
    fs::create_dir(folder.path_of("dir")).unwrap();
    assert_eq!(refusal(&folder, "dir"), "it is a folder, not a regular file");
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.path_of("fifo"), rustix::fs::Mode::RUSR).unwrap();
    assert_eq!(refusal(&folder, "fifo"), "it is a FIFO, not a regular file");
    folder.write("open", &[b"x"]).unwrap();
    fs::set_permissions(folder.path_of("open"), fs::Permissions::from_mode(0o664)).unwrap();
    assert_eq!(refusal(&folder, "open"), "other users can write to it (mode 664)");
}

#[test]
fn a_write_replaces_what_it_may_and_leaves_nothing_behind() {
    let (dir, folder) = private();
    let victim = dir.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    symlink(&victim, folder.path_of("link")).unwrap();
    folder.write("link", &[b"x"]).unwrap();
    assert_eq!(fs::read(&victim).unwrap(), b"precious");
    assert!(fs::symlink_metadata(folder.path_of("link")).unwrap().is_file());

    fs::create_dir(folder.path_of("dir")).unwrap();
    assert!(folder.write("dir", &[b"x"]).is_err());
    let mut names = folder.names().unwrap();
    names.sort();
    assert_eq!(names, ["dir", "link"]);
}

#[test]
fn a_folder_is_what_it_was_when_it_was_opened() {
    let (dir, folder) = private();
    let (own, other) = (dir.path().join("parent/own"), dir.path().join("other"));
    folder.write("a", &[b"mine"]).unwrap();
    fs::rename(&own, &other).unwrap();
    fs::create_dir(&own).unwrap();
    fs::write(own.join("a"), "planted").unwrap();
    assert_eq!(folder.file("a").unwrap().unwrap().read(10).unwrap(), b"mine");
    folder.write("b", &[b"mine"]).unwrap();
    assert!(other.join("b").exists() && !own.join("b").exists());
}

#[test]
fn folders_that_others_can_change_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let own = dir.path().join("own");
    let why = || Folder::open_private(&own).err().unwrap().to_string();
    Folder::create_private(&own).unwrap();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o1777)).unwrap();
    assert_eq!(why(), "other users can write to it (mode 1777)");
    assert!(Folder::create(&own).is_ok(), "for people alone");
    fs::remove_dir(&own).unwrap();
    symlink(dir.path(), &own).unwrap();
    assert_eq!(why(), "it is a symbolic link");
    fs::remove_file(&own).unwrap();
    fs::write(&own, "").unwrap();
    assert!(matches!(Folder::create_private(&own), Err(Unfit::Io(_))));
}

#[cfg(feature = "emulator")]
#[test]
fn what_a_program_leaves_is_read_where_it_was_asked_to_work() {
    let temporary = Temporary::new().unwrap();
    assert_eq!(mode(temporary.path()), 0o700);
    temporary.write("source", "text").unwrap();
    assert_eq!(fs::read(temporary.path().join("source")).unwrap(), b"text");
    fs::write(temporary.path().join("out"), "mine").unwrap();
    fs::set_permissions(temporary.path().join("out"), fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(temporary.read("out").unwrap(), b"mine");

    // Another user renames entries in the folder for temporary files.
    let elsewhere = tempfile::tempdir().unwrap();
    fs::rename(temporary.path(), elsewhere.path().join("moved")).unwrap();
    fs::create_dir(temporary.path()).unwrap();
    fs::write(temporary.path().join("out"), "planted").unwrap();
    assert_eq!(temporary.read("out").unwrap(), b"mine");
}

#[test]
fn systems_without_handles_go_by_path() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a/b");
    assert!(portable::Handle::open(&path, false).is_err_and(|why| why.is_missing()));
    portable::create_folder(&path).unwrap();
    let folder = portable::Handle::open(&path, false).unwrap();
    folder.check().unwrap();
    folder.new_file("x").unwrap().write_all(b"four").unwrap();
    assert!(folder.new_file("x").is_err());
    folder.rename("x", "y").unwrap();
    assert_eq!(folder.names().unwrap(), ["y"]);
    assert_eq!(portable::check_file(&folder.file("y").unwrap()).unwrap(), 4);
    folder.remove("y").unwrap();
    assert!(folder.file("y").is_err_and(|why| why.is_missing()));
    symlink(&path, path.join("link")).unwrap();
    assert!(matches!(folder.file("link"), Err(Unfit::Link)));
    assert!(matches!(portable::Handle::open(&path.join("link"), false), Err(Unfit::Link)));
    assert!(portable::Handle::open(&path.join("link"), true).is_ok());
    assert!(matches!(folder.file("../b"), Err(Unfit::NotRegular(_))));
    #[cfg(feature = "emulator")]
    portable::keep_private(&mut tempfile::Builder::new());
}
