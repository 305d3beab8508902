//! The picture: the town before and after, as a PNG.

use std::io::Write;

/// The most homes of a map, each way: of a larger town, a part is shown.
const SHOWN: usize = 256;
/// Dots of a home, each way.
const DOTS: usize = 3;
/// Dots between the maps.
const GAP: usize = 24;
/// The colours, as red, green and blue: of an empty home and what is between the maps, and of the two kinds of people.
const COLOURS: [u8; 9] = [250, 250, 250, 32, 96, 160, 240, 144, 32];

/// Writes a PNG of maps, one beside the other. Each has `side` homes each way.
pub(crate) fn put(into: impl Write, maps: &[Vec<u8>], side: usize) -> Result<(), png::EncodingError> {
    let shown = side.min(SHOWN);
    let line = |row: usize| {
        let map = |map: &Vec<u8>| (0..shown).flat_map(|at| [map[row * side + at]; DOTS]).collect::<Vec<u8>>();
        maps.iter().map(map).collect::<Vec<_>>().join(&[0; GAP][..])
    };
    let dots: Vec<u8> = (0..shown).flat_map(|row| line(row).repeat(DOTS)).collect();
    let width = maps.len() * (shown * DOTS + GAP) - GAP;
    let mut picture = png::Encoder::new(into, width as u32, (shown * DOTS) as u32);
    picture.set_color(png::ColorType::Indexed);
    picture.set_palette(&COLOURS[..]);
    let mut picture = picture.write_header()?;
    picture.write_image_data(&dots)?;
    picture.finish()
}
