//! Checks that machine code is complete.

/// Bytes of the header of a 64-bit file.
const HEADER: usize = 64;
/// The type of a section that has no bytes in the file.
const NO_BITS: u64 = 8;

/// Returns whether everything that an image describes lies within its bytes.
///
/// The driver takes an image by its address alone. It would read past the end of a truncated one.
pub(super) fn is_whole(image: &[u8]) -> bool {
    let is_elf = image.len() >= HEADER && image.starts_with(b"\x7fELF\x02\x01");
    is_elf && segments_fit(image).and(sections_fit(image)).is_some()
}

/// Checks the table of segments, and each segment.
fn segments_fit(image: &[u8]) -> Option<()> {
    let (at, each, count) = (number(image, 32, 8)?, number(image, 54, 2)?, number(image, 56, 2)?);
    entries(image, at, each, count)?.try_for_each(|entry| within(image, number(entry, 8, 8)?, number(entry, 32, 8)?))
}

/// Checks the table of sections, and each section.
fn sections_fit(image: &[u8]) -> Option<()> {
    let (at, each, count) = (number(image, 40, 8)?, number(image, 58, 2)?, number(image, 60, 2)?);
    entries(image, at, each, count)?.try_for_each(|entry| match number(entry, 4, 4)? {
        NO_BITS => Some(()),
        _ => within(image, number(entry, 24, 8)?, number(entry, 32, 8)?),
    })
}

/// Returns the entries of a table.
fn entries(image: &[u8], at: u64, each: u64, count: u64) -> Option<impl Iterator<Item = &[u8]>> {
    let bytes = each.checked_mul(count)?;
    within(image, at, bytes)?;
    let table = &image[at as usize..(at + bytes) as usize];
    Some(table.chunks_exact(each.max(1) as usize))
}

fn within(image: &[u8], at: u64, bytes: u64) -> Option<()> {
    (at.checked_add(bytes)? <= image.len() as u64).then_some(())
}

/// Reads a little-endian number of `len` bytes.
fn number(bytes: &[u8], at: usize, len: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + len)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::cuda::nvrtc::Nvrtc;

    #[test]
    fn what_the_compiler_makes_is_whole_and_no_beginning_of_it_is() {
        let nvrtc = match Nvrtc::find() {
            Ok(nvrtc) => nvrtc,
            Err(why) => return eprintln!("SKIPPED: {why}"),
        };
        let kernel = "__shared__ int s[99]; __device__ int g[99]; extern \"C\" __global__ void stm_run(int* p) { g[*p] = s[*p]++; }";
        let compiled = nvrtc.compile(kernel, "unit.cu", "sm_90").unwrap();
        let part = nvrtc.compile_part(kernel, "unit.cu", "sm_90", 128).unwrap();
        for image in [compiled.cubin.unwrap(), part.cubin.unwrap()] {
            assert!(is_whole(&image));
            let cut = (0..image.len()).rev().find(|len| is_whole(&image[..*len]));
            assert_eq!(cut, None, "of {} bytes", image.len());
        }
    }

    #[test]
    fn numbers_that_overflow_fit_nowhere() {
        let mut image = [0; HEADER];
        image[..6].copy_from_slice(b"\x7fELF\x02\x01");
        assert!(is_whole(&image) && !is_whole(&image[1..]) && !is_whole(b"\x7fELF"));
        for (at, value) in [(32, u64::MAX), (40, u64::MAX), (32, 60), (40, 60)] {
            let mut wrong = image;
            wrong[at..at + 8].copy_from_slice(&value.to_le_bytes());
            // One entry in each table.
            (wrong[54], wrong[56], wrong[58], wrong[60]) = (56, 1, 64, 1);
            assert!(!is_whole(&wrong), "{value} at {at}");
        }
    }
}
