//! The format of a cached file: its name, its header, and the verification of its content.

use sha2::{Digest, Sha256};

use super::Key;

/// The first bytes of each file. The digit is the version of the format, as in the name of the folder.
const MAGIC: &[u8; 8] = b"stmkrnl2";
const HASH: usize = 32;
/// Magic, key and checksum.
pub(super) const HEADER: usize = MAGIC.len() + 2 * HASH;

const EXTENSION: &str = ".bin";

/// Returns the name of a key's file.
pub(super) fn name_of(key: Key) -> String {
    key.hex() + EXTENSION
}

/// Returns the header of a key's file.
pub(super) fn header(key: Key, payload: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    let (magic, hashes) = header.split_at_mut(MAGIC.len());
    magic.copy_from_slice(MAGIC);
    hashes[..HASH].copy_from_slice(&key.0);
    hashes[HASH..].copy_from_slice(&checksum(payload));
    header
}

/// Returns the content of a key's file if the file is whole. The key is in the header too, so that a renamed file is refused.
///
/// The checksum detects damage. It is no proof of origin: the file's owner is checked for that.
pub(super) fn payload(key: Key, bytes: &[u8]) -> Option<&[u8]> {
    let (found, payload) = bytes.split_at_checked(HEADER)?;
    (found == header(key, payload)).then_some(payload)
}

/// Returns whether the cache may have written a file of that name.
pub(super) fn is_name(name: &str) -> bool {
    let is_digit = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    name.strip_suffix(EXTENSION).is_some_and(|stem| stem.len() == 2 * HASH && stem.bytes().all(is_digit))
}

/// Returns whether the cache wrote the file of that name and with this beginning.
pub(super) fn is_ours(name: &str, head: &[u8]) -> bool {
    let key = head.strip_prefix(MAGIC).and_then(|rest| rest.first_chunk::<HASH>());
    key.is_some_and(|key| name_of(Key(*key)) == name)
}

fn checksum(payload: &[u8]) -> [u8; HASH] {
    Sha256::digest(payload).into()
}
