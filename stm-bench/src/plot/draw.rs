//! Draws a chart as SVG.

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::chart::{Chart, Series};
use super::ticks::Ruler;
use crate::error::BenchError;
use crate::stats::Spread;

pub(super) const WIDTH: u32 = 960;
const HEIGHT: u32 = 600;
/// Font sizes in the library's unit, about 1.24 for a pixel. At half size the text is still legible.
const TITLE: u32 = 29;
const LABEL: u32 = 25;
pub(super) const SMALL: u32 = 22;
pub(super) const FONT: &str = "sans-serif";
/// The mean width of a letter, as a part of its size.
pub(super) const LETTER: f64 = 0.46;
/// Colours that are distinct for colour-blind readers: those of Okabe and Ito without yellow, which is pale on white.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
    RGBColor(86, 180, 233),
];
pub(super) const GREY: RGBColor = RGBColor(90, 90, 90);
pub(super) const PALE: RGBColor = RGBColor(225, 225, 225);
/// Dashes and the gaps between them, in pixels.
const DASH: i32 = 7;
const GAP: i32 = 5;
/// Explains the crosses on the axis.
const NO_RESULT: &str = "\u{d7} no result";
/// Half of a marker, in pixels.
const MARKER: i32 = 6;

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type Failure = Box<dyn std::error::Error>;

impl Chart {
    /// Returns the plot as the text of an SVG file.
    ///
    /// # Errors
    /// The plotting library could not draw it.
    pub fn svg(&self) -> Result<String, BenchError> {
        text_of(&self.title, HEIGHT, |root| self.draw(root))
    }

    fn draw(&self, root: &Area<'_>) -> Result<(), Failure> {
        let top = titles(root, &self.title, &self.subtitle)?;
        let (_, below) = root.split_vertically(top + 4);
        // The legend is next to the data, never on it.
        let (left, right) = below.split_horizontally(WIDTH as i32 - self.legend_width());
        self.plot(&left)?;
        self.legend(&right)?;
        root.present()?;
        Ok(())
    }

    fn legend_width(&self) -> i32 {
        let names = self.series.iter().map(|series| named(series).chars().count());
        let is_explained = self.series.iter().any(|series| !series.missing.is_empty());
        let longest = names.chain(is_explained.then_some(NO_RESULT.len())).max().unwrap_or(0);
        (longest as f64 * LETTER * f64::from(SMALL)) as i32 + 76
    }

    fn plot(&self, area: &Area<'_>) -> Result<(), Failure> {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let missing = || self.series.iter().flat_map(|series| &series.missing);
        let across = Ruler::across(&self.x, &points().map(|(x, _)| x).chain(missing()).copied().collect::<Vec<_>>());
        let spread = |(_, y): &(f64, Spread)| [y.min, y.median, y.max];
        let upwards = Ruler::upwards(&self.y, &points().flat_map(spread).collect::<Vec<_>>());
        let widest = upwards.ticks.iter().map(|(_, name)| name.len()).max().unwrap_or(1);
        let mut chart = ChartBuilder::on(area)
            .margin(8)
            .margin_right(16)
            .x_label_area_size(LABEL + SMALL + 22)
            .y_label_area_size(LABEL + 18 + (widest as f64 * LETTER * f64::from(SMALL)) as u32)
            .build_cartesian_2d(across.clone(), upwards.clone())?;
        chart
            .configure_mesh()
            .x_desc(described(&self.x.label, across.log))
            .y_desc(described(&self.y.label, upwards.log))
            .axis_desc_style((FONT, LABEL))
            .label_style((FONT, SMALL))
            .x_labels(across.ticks.len())
            .y_labels(upwards.ticks.len())
            .bold_line_style(PALE)
            .light_line_style(TRANSPARENT)
            .axis_style(GREY)
            .draw()?;
        if points().next().is_none() {
            let (wide, high) = area.dim_in_pixel();
            let style = (FONT, LABEL).into_text_style(area).color(&GREY).pos(Pos::new(HPos::Center, VPos::Center));
            area.draw(&Text::new("no results", (wide as i32 / 2, high as i32 / 2), style))?;
        }
        for (at, series) in self.series.iter().enumerate() {
            let shown = series.points.iter().filter(|(x, y)| across.has(*x) && upwards.has(y.median));
            line(&mut chart, at, &shown.copied().collect::<Vec<_>>())?;
            let crosses = series.missing.iter().filter(|x| across.has(**x));
            // On the axis, in a row of its own for each line, so that lines do not hide each other.
            let place = |x: &f64| {
                EmptyElement::at((*x, upwards.bottom())) + cross(at, -(2 * MARKER + 2) * at as i32 - MARKER - 2)
            };
            chart.draw_series(crosses.map(place))?;
        }
        Ok(())
    }

    fn legend(&self, area: &Area<'_>) -> Result<(), Failure> {
        for (at, series) in self.series.iter().enumerate() {
            let y = 24 + at as i32 * (SMALL as i32 + 12);
            let colour = COLOURS[at % COLOURS.len()];
            let ends = [(6, y), (42, y)];
            match is_dashed(at) {
                true => area.draw(&DashedPathElement::new(ends, DASH, GAP, colour.stroke_width(2)))?,
                false => area.draw(&PathElement::new(ends, colour.stroke_width(2)))?,
            }
            area.draw(&(EmptyElement::at((24, y)) + marker(at)))?;
            let style = (FONT, SMALL).into_text_style(area).pos(Pos::new(HPos::Left, VPos::Center));
            area.draw(&Text::new(named(series), (52, y), style))?;
        }
        if self.series.iter().any(|series| !series.missing.is_empty()) {
            let y = 24 + self.series.len() as i32 * (SMALL as i32 + 12);
            let style = (FONT, SMALL).into_text_style(area).color(&GREY).pos(Pos::new(HPos::Left, VPos::Center));
            area.draw(&Text::new(NO_RESULT, (16, y), style))?;
        }
        Ok(())
    }
}

/// Draws the titles on white. Returns where they end.
pub(super) fn titles(root: &Area<'_>, title: &str, subtitle: &str) -> Result<i32, Failure> {
    root.fill(&WHITE)?;
    let mut top = 14;
    for line in wrap(title, f64::from(WIDTH - 40) / (LETTER * f64::from(TITLE))) {
        root.draw(&Text::new(line, (24, top), (FONT, TITLE).into_font()))?;
        top += TITLE as i32 + 6;
    }
    for line in wrap(subtitle, f64::from(WIDTH - 40) / (LETTER * f64::from(SMALL))) {
        root.draw(&Text::new(line, (24, top), (FONT, SMALL).into_font().color(&GREY)))?;
        top += SMALL as i32 + 5;
    }
    Ok(top)
}

/// Returns what `draw` draws as the text of an SVG file of that height, which is named for those who do not see it.
pub(super) fn text_of(
    title: &str,
    height: u32,
    draw: impl FnOnce(&Area<'_>) -> Result<(), Failure>,
) -> Result<String, BenchError> {
    let mut text = String::new();
    let failed = |why: Failure| BenchError::Plot { title: title.to_owned(), why: why.to_string() };
    draw(&SVGBackend::with_string(&mut text, (WIDTH, height)).into_drawing_area()).map_err(failed)?;
    let label = format!("<svg role=\"img\" aria-label=\"{}\" ", crate::page::escape(title));
    Ok(text.replacen("<svg ", &label, 1))
}

fn described(label: &str, log: bool) -> String {
    if log { format!("{label}, log scale") } else { label.to_owned() }
}

/// Returns the name of a line in the legend. A line without points says so.
fn named(series: &Series) -> String {
    if series.points.is_empty() { format!("{} (none)", series.name) } else { series.name.clone() }
}

/// Returns whether the line is dashed: lines are, once all colours are used.
fn is_dashed(at: usize) -> bool {
    at >= COLOURS.len()
}

type Plane<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Ruler, Ruler>>;

/// Draws one line: bars from the minimum to the maximum, the line, and a marker on each median.
fn line(plane: &mut Plane<'_, '_>, at: usize, points: &[(f64, Spread)]) -> Result<(), Failure> {
    let colour = COLOURS[at % COLOURS.len()];
    let thin = colour.stroke_width(1);
    for (x, y) in points.iter().map(|(x, y)| (*x, y)) {
        let cap = |y: f64| EmptyElement::at((x, y)) + PathElement::new([(-4, 0), (4, 0)], thin);
        plane.draw_series([PathElement::new([(x, y.min), (x, y.max)], thin)])?;
        plane.draw_series([cap(y.min), cap(y.max)])?;
    }
    let medians = points.iter().map(|(x, y)| (*x, y.median));
    let style = colour.stroke_width(2);
    match is_dashed(at) {
        true => plane.draw_series(DashedLineSeries::new(medians.clone(), DASH as u32, GAP as u32, style))?,
        false => plane.draw_series(LineSeries::new(medians.clone(), style))?,
    };
    plane.draw_series(medians.map(|place| EmptyElement::at(place) + marker(at)))?;
    Ok(())
}

/// Returns a marker around the origin, in pixels. Its shape distinguishes lines where colours do not.
fn marker(at: usize) -> Polygon<(i32, i32)> {
    let m = MARKER;
    let corners = match at % 5 {
        0 => (0..16)
            .map(|step| f64::from(step) * std::f64::consts::TAU / 16.0)
            .map(|angle| (angle.cos(), angle.sin()))
            .map(|(x, y)| ((x * f64::from(m)).round() as i32, (y * f64::from(m)).round() as i32))
            .collect(),
        1 => vec![(-m + 1, -m + 1), (m - 1, -m + 1), (m - 1, m - 1), (-m + 1, m - 1)],
        2 => vec![(0, -m - 1), (m + 1, m - 1), (-m - 1, m - 1)],
        3 => vec![(0, -m - 1), (m + 1, 0), (0, m + 1), (-m - 1, 0)],
        _ => vec![(0, m + 1), (m + 1, -m + 1), (-m - 1, -m + 1)],
    };
    Polygon::new(corners, COLOURS[at % COLOURS.len()].filled())
}

/// Returns a cross in the colour of a line, that many pixels below a place.
fn cross(at: usize, below: i32) -> PathElement<(i32, i32)> {
    let m = MARKER - 1;
    // One line forth and back, because an element is one path.
    let corners = [(-m, -m), (m, m), (0, 0), (-m, m), (m, -m)].map(|(x, y)| (x, y + below));
    PathElement::new(corners, COLOURS[at % COLOURS.len()].stroke_width(2))
}

/// Returns lines of at most `most` letters, broken between words.
fn wrap(text: &str, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    // A number stays with its percent sign.
    for word in text.replace(" %", "\u{a0}%").split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if ((line.chars().count() + 1 + word.chars().count()) as f64) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stays_with_its_sign_of_percent() {
        assert_eq!(wrap("by  threads, 20 % read-only", 15.0), ["by threads,", "20\u{a0}% read-only"]);
        assert_eq!(wrap("100 %", 2.0), ["100\u{a0}%"]);
    }
}
