//! Draws a profile of conflicts: who was in whose way, the elements, and the lines.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::draw::{Area, FONT, Failure, GREY, LETTER, PALE, SMALL, WIDTH, text_of, titles};
use crate::error::BenchError;
use crate::profile::{Counted, Profile};
use crate::show::{grouped, short};

/// The pixels of titles of three lines.
const TITLES: i32 = 104;
/// The pixels of a row, and of the gap between two sections.
const ROW: i32 = 30;
const GAP: i32 = 26;
/// The bars that are drawn of each list.
const BARS: usize = 8;
/// The most columns of the matrix that have room for names; more have the numbers of the rows.
const NAMED: usize = 4;
/// The pixels of the names beside the bars.
const NAMES: i32 = 430;
const COLOUR: RGBColor = RGBColor(0, 114, 178);

/// Returns the picture as the text of an SVG file.
///
/// # Errors
/// The plotting library could not draw it.
pub fn picture(profile: &Profile, title: &str, subtitle: &str) -> Result<String, BenchError> {
    let rows = |list: &[Counted]| 1 + list.len().clamp(1, BARS) as i32;
    let matrix = 2 + profile.functions.len() as i32;
    let height = TITLES + 3 * GAP + ROW * (matrix + rows(&profile.elements) + rows(&profile.lines));
    text_of(title, height as u32, |root| {
        let top = titles(root, title, subtitle)? + GAP / 2;
        let top = draw_matrix(root, profile, top)? + GAP;
        let top = draw_bars(root, "Elements with the most conflicts", &profile.elements, top)? + GAP;
        draw_bars(root, "Lines with the most conflicts", &profile.lines, top)?;
        Ok(())
    })
}

/// Draws a row for each function, with a cell for each function that was in its way. Returns where it ends.
fn draw_matrix(root: &Area<'_>, profile: &Profile, top: i32) -> Result<i32, Failure> {
    heading(root, "Conflicts by function (row) and by the function in its way (column); waits for guards", top)?;
    let holders = profile.holders();
    let is_numbered = holders.len() > NAMED;
    let number = |name: &str| profile.functions.iter().position(|function| function.name == name).map(|at| at + 1);
    let column = |name: &str| match number(name).filter(|_| is_numbered) {
        Some(number) => number.to_string(),
        None => name.to_owned(),
    };
    let of = |row: usize, holder: &str| {
        profile.functions[row].holders.iter().find(|of| of.name == holder).map_or(0, |of| of.conflicts)
    };
    let most = (0..profile.functions.len()).flat_map(|row| holders.iter().map(move |holder| of(row, holder))).max();
    let columns = holders.len() as i32 + 1;
    let width = ((WIDTH as i32 - 40 - NAMES) / columns).min(170);
    let mut y = top + ROW;
    for (at, name) in holders.iter().chain(&["waits"]).enumerate() {
        centred(root, &column(name), NAMES + width * at as i32 + width / 2, y + ROW / 2, &GREY)?;
    }
    for (row, function) in profile.functions.iter().enumerate() {
        y += ROW;
        let number = if is_numbered { format!("{}  ", row + 1) } else { String::new() };
        name_of(root, &format!("{number}{}", function.name), y)?;
        for (at, holder) in holders.iter().enumerate() {
            let (conflicts, x) = (of(row, holder), NAMES + width * at as i32);
            let share = conflicts as f64 / most.unwrap_or(1).max(1) as f64;
            let cell = [(x + 2, y + 2), (x + width - 2, y + ROW - 2)];
            root.draw(&Rectangle::new(cell, PALE.filled()))?;
            root.draw(&Rectangle::new(cell, COLOUR.mix(share).filled()))?;
            let ink = if share > 0.5 { &WHITE } else { &BLACK };
            centred(root, &short(conflicts as f64), x + width / 2, y + ROW / 2, ink)?;
        }
        let x = NAMES + width * holders.len() as i32;
        centred(root, &short(function.waits as f64), x + width / 2, y + ROW / 2, &BLACK)?;
    }
    Ok(y + ROW)
}

/// Draws a bar for each of the first of a list. Returns where they end.
fn draw_bars(root: &Area<'_>, title: &str, list: &[Counted], top: i32) -> Result<i32, Failure> {
    heading(root, title, top)?;
    let mut y = top + ROW;
    if list.is_empty() {
        name_of(root, "none", y)?;
        y += ROW;
    }
    let most = list.first().map_or(1, |first| first.conflicts.max(1));
    // Room for the number beside the longest bar.
    let room = f64::from(WIDTH as i32 - NAMES - 160);
    for counted in list.iter().take(BARS) {
        name_of(root, &counted.name, y)?;
        let end = NAMES + (room * counted.conflicts as f64 / most as f64).max(1.0) as i32;
        root.draw(&Rectangle::new([(NAMES, y + 4), (end, y + ROW - 4)], COLOUR.filled()))?;
        let style = (FONT, SMALL).into_text_style(root).pos(Pos::new(HPos::Left, VPos::Center));
        root.draw(&Text::new(grouped(counted.conflicts), (end + 8, y + ROW / 2), style))?;
        y += ROW;
    }
    Ok(y)
}

fn heading(root: &Area<'_>, text: &str, top: i32) -> Result<(), Failure> {
    Ok(root.draw(&Text::new(text.to_owned(), (24, top), (FONT, SMALL).into_font()))?)
}

/// Draws a name before what belongs to it. Of one that is too long, the end is more telling than the folder or file before it.
fn name_of(root: &Area<'_>, name: &str, y: i32) -> Result<(), Failure> {
    let most = (f64::from(NAMES - 50) / (LETTER * f64::from(SMALL))) as usize;
    let beyond = name.chars().count().saturating_sub(most);
    let end: String = name.chars().skip(beyond).collect();
    let text = if beyond > 0 { format!("\u{2026}{end}") } else { end };
    let style = (FONT, SMALL).into_text_style(root).pos(Pos::new(HPos::Right, VPos::Center));
    Ok(root.draw(&Text::new(text, (NAMES - 12, y + ROW / 2), style))?)
}

fn centred(root: &Area<'_>, text: &str, x: i32, y: i32, ink: &RGBColor) -> Result<(), Failure> {
    let style = (FONT, SMALL).into_text_style(root).color(ink).pos(Pos::new(HPos::Center, VPos::Center));
    Ok(root.draw(&Text::new(text.to_owned(), (x, y), style))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Function;

    #[test]
    fn a_picture_has_every_function_and_the_first_elements() {
        let counted = |name: &str, conflicts| Counted { name: name.to_owned(), conflicts };
        let profile = Profile {
            functions: vec![
                Function {
                    name: "transfer".to_owned(),
                    holders: vec![counted("deposit", 1_234), counted("?", 5)],
                    waits: 77,
                    ..Function::default()
                },
                Function { name: "deposit".to_owned(), ..Function::default() },
            ],
            elements: (0..20).map(|at| counted(&format!("accounts[{at}]"), 100 - at)).collect(),
            lines: Vec::new(),
        };
        assert_eq!(profile.holders(), ["deposit", "?"]);
        let svg = picture(&profile, "a <title>", "where").unwrap();
        for text in ["transfer", "deposit", "1234", "77", "accounts[7]", "none", "a &lt;title&gt;", "waits"] {
            assert!(svg.contains(text), "no `{text}`: {svg}");
        }
        assert!(!svg.contains("accounts[8]") && picture(&Profile::default(), "", "").is_ok());
    }
}
