//! Generates the programs of the test `meaning` that rustc compiles, and the lines of the test `printing`. The variables
//! `STM_MEANING_SEED` and `STM_MEANING_PROGRAMS` select others.

#[allow(dead_code, reason = "the test uses the rest of it")]
mod generate;
#[path = "../printing/generate.rs"]
mod printing;

use std::path::PathBuf;

use {serde_core as _, thiserror as _};

/// The default number of programs that rustc compiles.
const PROGRAMS: usize = 304;

fn main() {
    let seed = number("STM_MEANING_SEED", 1);
    let programs = number("STM_MEANING_PROGRAMS", PROGRAMS as u64) as usize;
    let text = match std::env::var("STM_MEANING_FILE") {
        Ok(path) => {
            println!("cargo::rerun-if-changed={path}");
            std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path}: {why}"))
        }
        Err(_) => generate::file(seed, programs),
    };
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    std::fs::write(folder.join("generated.rs"), text)
        .expect("cargo's folder for what a build makes should be writable");
    std::fs::write(folder.join("printing.rs"), printing::file(seed))
        .expect("cargo's folder for what a build makes should be writable");
    println!("cargo::rerun-if-changed=meaning");
    println!("cargo::rerun-if-changed=printing");
    println!("cargo::rerun-if-env-changed=STM_MEANING_FILE");
    println!("cargo::rustc-env=STM_MEANING_SEED_BUILT={seed}");
}

fn number(name: &str, default: u64) -> u64 {
    println!("cargo::rerun-if-env-changed={name}");
    let Some(text) = std::env::var_os(name).filter(|text| !text.is_empty()) else { return default };
    let text = text.to_string_lossy();
    text.parse().unwrap_or_else(|_| panic!("{name} is a number, and not `{text}`"))
}
