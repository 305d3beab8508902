//! The picture: the town before and after, as a PNG without compression.

/// The most homes of a map, each way: of a larger town, a part is shown.
const SHOWN: usize = 256;
/// Dots of a home, each way.
const DOTS: usize = 3;
/// Dots between the maps.
const GAP: usize = 24;
/// The colours, as red, green and blue: of an empty home and what is between the maps, and of the two kinds of people.
const COLOURS: [u8; 9] = [250, 250, 250, 32, 96, 160, 240, 144, 32];
/// The most bytes of a block of a stream that is not compressed.
const BLOCK: usize = 0xffff;

/// Returns a PNG of maps, one beside the other. Each has `side` homes each way.
pub(crate) fn png(maps: &[Vec<u8>], side: usize) -> Vec<u8> {
    let shown = side.min(SHOWN);
    let line = |row: usize| {
        let map = |map: &Vec<u8>| (0..shown).flat_map(|at| [map[row * side + at]; DOTS]).collect::<Vec<u8>>();
        maps.iter().map(map).collect::<Vec<_>>().join(&[0; GAP][..])
    };
    // Before each line stands the number of its filter: none.
    let lines = (0..shown).map(|row| [vec![0], line(row)].concat().repeat(DOTS));
    let (dots, width) = (lines.collect::<Vec<_>>().concat(), maps.len() * (shown * DOTS + GAP) - GAP);
    let size = [width, shown * DOTS].map(|size| (size as u32).to_be_bytes()).concat();
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    put(&mut file, b"IHDR", &[&size[..], &[8, 3, 0, 0, 0]].concat());
    put(&mut file, b"PLTE", &COLOURS);
    put(&mut file, b"IDAT", &stored(&dots));
    put(&mut file, b"IEND", &[]);
    file
}

/// Adds a chunk of a PNG.
fn put(file: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) {
    let named = [name, data].concat();
    file.extend((data.len() as u32).to_be_bytes());
    file.extend(&named);
    file.extend(crc(&named).to_be_bytes());
}

/// Returns bytes as a stream of zlib that is not compressed.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let (mut stream, blocks) = (vec![0x78, 0x01], bytes.chunks(BLOCK));
    let last = blocks.len().saturating_sub(1);
    for (nth, block) in blocks.enumerate() {
        let length = (block.len() as u16).to_le_bytes();
        stream.push(u8::from(nth == last));
        stream.extend([length, length.map(|byte| !byte)].concat());
        stream.extend(block);
    }
    let (a, b) = bytes.iter().fold((1_u32, 0), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_formats() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
        assert_eq!(stored(b"Wikipedia")[16..], [0x11, 0xe6, 0x03, 0x98]);
        let one = png(&[vec![1; 4], vec![2; 4]], 2);
        assert_eq!(one[16..24], [0, 0, 0, 36, 0, 0, 0, 6]);
    }
}
