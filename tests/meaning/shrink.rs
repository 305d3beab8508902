//! Reduction of a program: parts are left out as long as the results still differ.

use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use stm_runtime::Engine;

use crate::batch::Batch;
use crate::compare::{Difference, difference};
use crate::generate::{self, OF_MODULE, Reader};
use crate::reduce;
use crate::subject::Subject;
use crate::suite::Place;

/// The limits of a search in time and in attempts: with cargo and rustc, and without.
const LONGEST: Duration = Duration::from_secs(120);
const MOST: [usize; 2] = [12, 600];

/// Describes a difference: the results, the call alone, and the shortest text that still shows it.
pub(crate) fn explain(batch: &Batch<'_>, found: &Difference, place: &Place, engine: Engine, name: &str) -> String {
    // Where only the arrays differ, any transaction can be the cause.
    let transactions = match found.transaction {
        Some(transaction) => transaction..transaction + 1,
        None => 0..batch.transactions.len(),
    };
    let alone = |transaction: usize| batch.alone(transaction, &batch.memory_before(transaction));
    let again =
        transactions.map(alone).find_map(|alone| differs(&alone, place, engine, name).map(|again| (alone, again)));
    let Some((alone, again)) = again else {
        let (seed, number) = batch.subjects[0].module;
        return format!("seed {seed}, a batch from module {number}: {}\nno call differs alone", found.text);
    };
    let subject = alone.subjects[0];
    let (seed, number) = subject.module;
    let head = format!("seed {seed}, module {number}: {}", found.text);
    let reader = if subject.is_compiled { Reader::Rustc } else { Reader::Tool };
    let text = generate::module(seed, number, OF_MODULE, reader);
    let small = match place.device.is_gpu() {
        true => shrink(&text, subject.procedure.name(), MOST[1], |text| with_text(&alone, text, place, engine, name)),
        false => shrink(&text, subject.procedure.name(), MOST[0], with_rustc),
    };
    format!("{head}\nalone, on {:x?}:\n{again}\n{small}", alone.pool.memory)
}

fn differs(batch: &Batch<'_>, place: &Place, engine: Engine, name: &str) -> Option<String> {
    match batch.run(&place.device, engine) {
        Ok(got) => difference(batch, &batch.interpret(), name, &got).map(|found| found.text),
        Err(why) => Some(why.to_string()),
    }
}

/// Returns the same call of the transaction of that name in another text.
fn with_text(alone: &Batch<'_>, text: &str, place: &Place, engine: Engine, name: &str) -> bool {
    let Ok(subjects) = Subject::of_text(alone.subjects[0].module, text) else { return false };
    let wanted = alone.subjects[0].procedure.name();
    let Some(subject) = subjects.iter().find(|subject| subject.procedure.name() == wanted) else { return false };
    let batch = Batch { subjects: vec![subject], transactions: alone.transactions.clone(), pool: alone.pool.clone() };
    differs(&batch, place, engine, name).is_some()
}

/// Runs this test again on that text. One search at a time: searches share the file, and cargo runs one build at a time.
fn with_rustc(text: &str) -> bool {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock();
    let procedures: String =
        reduce::transactions(text).iter().map(|name| format!("m0::{name}::procedure(), ")).collect();
    let file = format!(
        "pub mod m0 {{\nuse stm_runtime::prelude::*;\n{text}}}\npub fn procedures() -> Vec<&'static stm_runtime::Procedure> {{ vec![{procedures}] }}\n"
    );
    let path = std::env::temp_dir().join(format!("meaning-{}.rs", std::process::id()));
    if std::fs::write(&path, file).is_err() {
        return false;
    }
    let cargo = Command::new("cargo")
        .args(["test", "-q", "-p", "stm-tests", "--test", "meaning"])
        .env("STM_MEANING_FILE", &path)
        .env("STM_MEANING_SHRINKS", "no")
        .output();
    _ = std::fs::remove_file(&path);
    cargo.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(" differ; ") && !output.status.success())
}

/// Leaves out part after part.
fn shrink(text: &str, name: &str, most: usize, differs: impl Fn(&str) -> bool) -> String {
    let (start, mut attempts) = (Instant::now(), 0);
    let mut best = text.to_owned();
    let mut at = 0;
    if std::env::var_os("STM_MEANING_SHRINKS").is_none() {
        while attempts < most && start.elapsed() < LONGEST {
            let Some(smaller) = reduce::without(&best, name, at) else { break };
            attempts += 1;
            match differs(&smaller) {
                true => best = smaller,
                false => at += 1,
            }
        }
    }
    format!("after {attempts} attempts to shorten it:\n{best}")
}
