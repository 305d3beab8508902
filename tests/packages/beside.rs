//! Beside crates that use other features of cudarc.

use std::fs;

use crate::{cargo, root, run, target};

/// What a crate asks of cudarc: its defaults with a version of CUDA, old or not, or no version, as CubeCL does.
const CHOICES: [(&str, &str); 3] = [
    ("old", r#"features = ["cuda-12040"]"#),
    ("chosen", r#"features = ["cuda-12080"]"#),
    (
        "open",
        r#"default-features = false, features = ["std", "driver", "nvrtc", "fallback-dynamic-loading", "cuda-version-from-build-system", "fallback-latest"]"#,
    ),
];

const PROGRAM: &str = "
pub fn both() -> Result<gpu_transactions::Device, Box<dyn std::error::Error>> {
    let context = cudarc::driver::CudaContext::new(0)?;
    let device = gpu_transactions::Device::of_context(&context)?;
    device.adopt(context.default_stream().clone_htod(&[1_i64])?)?;
    Ok(device)
}
";

#[test]
fn other_crates_choose_the_version_of_cuda() {
    let version = |name: &str| {
        let lock: toml::Table = fs::read_to_string(root().join("Cargo.lock")).unwrap().parse().expect("the lock file");
        let packages = lock["package"].as_array().expect("packages");
        let package = packages.iter().find(|package| package["name"].as_str() == Some(name)).expect("the package");
        package["version"].as_str().expect("a version").to_owned()
    };
    // Outside of this repository, whose .cargo/config.toml chooses a version.
    let place = tempfile::tempdir().expect("a folder");
    let (ours, cudarc) = (root().join("gpu-transactions"), version("cudarc"));
    for (name, choice) in CHOICES {
        let crate_folder = place.path().join(name);
        fs::create_dir_all(crate_folder.join("src")).expect("a new folder");
        let manifest = format!(
            "[package]\nname = \"{name}\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
             gpu-transactions = {{ path = {ours:?}, features = [\"cudarc\"] }}\ncudarc = {{ version = \"{cudarc}\", {choice} }}\n"
        );
        fs::write(crate_folder.join("Cargo.toml"), manifest).expect("the manifest");
        fs::write(crate_folder.join("src/lib.rs"), PROGRAM).expect("the program");
        fs::copy(root().join("Cargo.lock"), crate_folder.join("Cargo.lock")).expect("the lock file");
        let mut command = cargo(&crate_folder, &["check", "--quiet"]);
        command.env_remove("CUDARC_CUDA_VERSION").env("CARGO_TARGET_DIR", target());
        run(&mut command).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}
