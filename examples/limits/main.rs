//! Compares the generated kernel with kernels written by hand, on the same batch of transfers.
//!
//! `cargo run --release --example limits`

mod cli;
mod contest;
mod generated;
mod hand;
mod interop;
mod show;

use std::io::{Write, stdout};
use std::process::ExitCode;

use clap::Parser;
use examples::{Teller, Transfer};
use gpu_transactions::raw::Gpu;
use gpu_transactions::{Device, Error, GpuError};

use cli::Args;
use contest::{Contestant, measure};
use generated::Generated;
use hand::{Columns, Hand, KERNELS};
use show::Comparison;

/// The initial balance: high enough that every guard is true, so all kernels do the same work.
const START: u32 = 1_000_000;
/// The devices that run kernels written by hand.
const KNOWN: &str = if cfg!(feature = "emulator") {
    "cuda, cuda:N (device number) or emulated"
} else {
    "cuda or cuda:N (device number)"
};

fn main() -> ExitCode {
    match Args::try_parse() {
        Ok(args) => examples::ending("limits", limits(&args)),
        Err(instead) => examples::help_or_refuse("limits", &instead),
    }
}

fn limits(args: &Args) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let place = match Place::open(&args.device) {
        Ok(place) => place,
        // A missing GPU is not an error of the program; a device number that does not exist is one of its caller.
        Err(Error::Gpu(why)) if !matches!(why, GpuError::NoSuchDevice { .. }) => {
            writeln!(stdout(), "limits: nothing was measured, because no GPU can be used: {why}")?;
            return Ok(ExitCode::SUCCESS);
        }
        Err(error) => return Err(error.into()),
    };
    let accounts = args.accounts.unwrap_or(place.accounts);
    if args.interop {
        let ordinal = ordinal(&args.device).ok_or("`--interop` needs a CUDA device")?;
        let is_well = interop::check(ordinal, accounts, args.seed)?;
        return Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::from(1) });
    }
    let transactions = args.transactions.unwrap_or(place.transactions);
    let transfers: Vec<Transfer> = Teller::new(args.seed, accounts).take(transactions as usize).collect();

    let columns = Columns::new(&place.gpu, &transfers, accounts, START)?;
    let mut hands = Vec::new();
    for (name, text) in KERNELS {
        hands.push(Hand::compile(name, text, &columns)?);
    }
    let mut generated = Generated::new(&place.device, &transfers, accounts, START, place.gpu.threads())?;
    let mut contestants: Vec<&mut dyn Contestant> = hands.iter_mut().map(|hand| hand as &mut dyn Contestant).collect();
    contestants.push(&mut generated);
    let scores = measure(&mut contestants, args.repeat)?;

    let device = place.gpu.describe();
    let kernels = show::lines(&scores);
    let comparison = Comparison { device, accounts, transactions, repeat: args.repeat, kernels };
    print(&comparison, args.json)?;
    let sound = scores.last().is_none_or(|score| score.conserved);
    Ok(if sound { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn print(comparison: &Comparison<'_>, json: bool) -> Result<(), Box<dyn std::error::Error>> {
    let mut out = stdout();
    if json {
        writeln!(out, "{}", examples::json(comparison)?)?;
        return Ok(());
    }
    let (accounts, transactions) = (examples::grouped(comparison.accounts), examples::grouped(comparison.transactions));
    writeln!(out, "{transactions} transfers between {accounts} accounts on {}", comparison.device)?;
    let repeat = comparison.repeat;
    writeln!(out, "median of {repeat} runs in turn, each kernel in its best launch shape, device time alone")?;
    writeln!(out, "{}", comparison.table())?;
    for line in comparison.unfinished() {
        writeln!(out, "note: {line} transfers")?;
    }
    Ok(())
}

/// Returns the number of a CUDA device.
fn ordinal(name: &str) -> Option<usize> {
    match name.split_once(':') {
        Some(("cuda", number)) => number.parse().ok(),
        None if name == "cuda" => Some(0),
        _ => None,
    }
}

/// A device, opened for both sides, and a sensible batch size for it.
struct Place {
    gpu: Gpu,
    device: Device,
    accounts: u32,
    transactions: u32,
}

impl Place {
    fn open(name: &str) -> Result<Place, Error> {
        #[cfg(feature = "emulator")]
        if name == "emulated" {
            let options = gpu_transactions::EmulatorOptions::threads();
            let (gpu, device) = (Gpu::emulated(options.clone())?, Device::emulated(options)?);
            return Ok(Place { gpu, device, accounts: 1000, transactions: 2000 });
        }
        let Some(ordinal) = ordinal(name) else {
            return Err(Error::UnknownDevice { name: name.to_owned(), known: KNOWN });
        };
        let (gpu, device) = (Gpu::cuda(ordinal)?, Device::cuda(ordinal)?);
        Ok(Place { gpu, device, accounts: 2_500_000, transactions: 1 << 24 })
    }
}
