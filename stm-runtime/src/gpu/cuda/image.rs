//! A compiled unit as bytes: what the disk cache holds.

use std::fmt::Write;
use std::time::Duration;

use super::nvrtc::Compiled;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Image {
    pub(super) cubin: Option<Vec<u8>>,
    pub(super) ptx: String,
    pub(super) warnings: Vec<String>,
    pub(super) registers: Option<u32>,
    pub(super) spills: Option<u32>,
}

/// Stands for a number that is not known: no kernel has as many registers.
const UNKNOWN: u32 = u32::MAX;

impl From<Compiled> for Image {
    fn from(compiled: Compiled) -> Image {
        Image {
            warnings: compiled.warnings(),
            cubin: compiled.cubin,
            ptx: compiled.ptx,
            registers: compiled.registers,
            spills: compiled.spills,
        }
    }
}

impl Image {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut put = |part: &[u8]| {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part);
        };
        put(self.cubin.as_deref().unwrap_or(&[]));
        put(self.ptx.as_bytes());
        put(self.warnings.join("\n").as_bytes());
        put(&self.registers.unwrap_or(UNKNOWN).to_le_bytes());
        put(&self.spills.unwrap_or(UNKNOWN).to_le_bytes());
        bytes
    }

    /// `None` where the bytes are of another format; the checksum has been looked at before.
    pub(super) fn from_bytes(mut bytes: &[u8]) -> Option<Image> {
        let mut take = || {
            let (len, rest) = bytes.split_first_chunk::<8>()?;
            let (part, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*len)).ok()?)?;
            bytes = rest;
            Some(part)
        };
        let number = |part: &[u8]| Some(u32::from_le_bytes(part.try_into().ok()?)).map(|n| (n != UNKNOWN).then_some(n));
        let cubin = take()?;
        let ptx = take()?;
        let warnings = take()?;
        let (registers, spills) = (take()?, take()?);
        Some(Image {
            cubin: (!cubin.is_empty()).then(|| cubin.to_vec()),
            ptx: String::from_utf8(ptx.to_vec()).ok()?,
            warnings: std::str::from_utf8(warnings).ok()?.lines().map(str::to_owned).collect(),
            registers: number(registers)?,
            spills: number(spills)?,
        })
    }

    /// What `STM_DUMP` tells beside source and PTX.
    pub(super) fn summary(&self, arch: &str, how: &str, took: Duration) -> String {
        let known = |n: Option<u32>| n.map_or_else(|| "unknown".to_owned(), |n| n.to_string());
        let mut text = String::new();
        let _ = writeln!(text, "architecture: {arch}");
        let _ = writeln!(text, "registers a thread: {}", known(self.registers));
        let _ = writeln!(text, "bytes spilled: {}", known(self.spills));
        let _ = writeln!(text, "machine code bytes: {}", self.cubin.as_ref().map_or(0, Vec::len));
        let _ = writeln!(text, "{how} in {:.1} ms", took.as_secs_f64() * 1e3);
        for warning in &self.warnings {
            let _ = writeln!(text, "{warning}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image() -> Image {
        Image {
            cubin: Some(vec![1, 2, 3]),
            ptx: ".version 9.0".into(),
            warnings: vec!["a.rs(1): warning: x".into(), "b".into()],
            registers: Some(32),
            spills: None,
        }
    }

    #[test]
    fn bytes_bring_back_the_image() {
        assert_eq!(Image::from_bytes(&image().to_bytes()), Some(image()));
        let bare = Image { cubin: None, warnings: vec![], registers: None, ..image() };
        assert_eq!(Image::from_bytes(&bare.to_bytes()), Some(bare));
    }

    #[test]
    fn bytes_cut_short_are_no_image() {
        let bytes = image().to_bytes();
        for len in 0..bytes.len() {
            assert_eq!(Image::from_bytes(&bytes[..len]), None, "{len} bytes");
        }
    }

    #[test]
    fn the_summary_names_registers_and_spills() {
        let text = image().summary("sm_90", "compiled", Duration::from_millis(5));
        assert!(text.contains("registers a thread: 32") && text.contains("bytes spilled: unknown"), "{text}");
    }
}
