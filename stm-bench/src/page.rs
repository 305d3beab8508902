//! Pages that combine plots, numbers and the machine.

use std::fmt::Write;

use crate::cell::{Cell, measured_phases};
use crate::journal::Session;
use crate::show::{digits, grouped, rate};
use crate::sweep::value_of;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222}\
h1{font-size:1.6rem}h2{font-size:1.25rem;margin-top:2.5rem;border-top:1px solid #ccc;padding-top:1rem}\
img{max-width:100%;height:auto}code{background:#f3f3f3;padding:.1em .3em}table{border-collapse:collapse;font-size:.9rem}\
td,th{padding:.15rem .6rem;text-align:right;border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}\
.says{color:#444}.note{color:#a33}dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem}dt{color:#666}dd{margin:0}";

/// A page.
#[derive(Debug, Clone, Default)]
pub(crate) struct Page {
    pub(crate) title: String,
    /// Below the title.
    pub(crate) remarks: Vec<String>,
    pub(crate) sessions: Vec<Session>,
    pub(crate) sections: Vec<Section>,
}

/// A part of a page.
#[derive(Debug, Clone, Default)]
pub(crate) struct Section {
    pub(crate) title: String,
    /// What the paper says.
    pub(crate) says: Option<String>,
    /// The checks of the paper's claims against the numbers.
    pub(crate) reading: Vec<String>,
    /// Image files next to the page, with their captions.
    pub(crate) images: Vec<(String, String)>,
    /// Cells without a result, and why.
    pub(crate) notes: Vec<String>,
    /// The numbers, as HTML.
    pub(crate) table: String,
}

/// Escapes text for HTML and XML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn paragraph(class: &str, text: &str) -> String {
    format!("<p class=\"{class}\">{}</p>\n", escape(text))
}

impl Page {
    pub(crate) fn html(&self) -> String {
        let title = escape(&self.title);
        let mut text = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n\
             <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n"
        );
        text.extend(self.remarks.iter().map(|remark| paragraph("remark", remark)));
        text.extend(self.sessions.last().map(session));
        let earlier = self.sessions.iter().rev().skip(1).map(|session| &*session.started).collect();
        text.extend(
            began(earlier)
                .map(|times| paragraph("remark", &format!("Some was measured earlier, in what began {times}."))),
        );
        text.push_str(&self.contents());
        text.extend(self.sections.iter().zip(1..).map(|(section, number)| section.html(number)));
        text.push_str("</body></html>\n");
        text
    }
}

impl Page {
    /// Returns links to the sections, if there are several.
    fn contents(&self) -> String {
        if self.sections.len() < 2 {
            return String::new();
        }
        let link = |(section, number): (&Section, usize)| {
            format!("<li><a href=\"#section-{number}\">{}</a></li>\n", escape(&section.title))
        };
        format!("<nav><ol>\n{}</ol></nav>\n", self.sections.iter().zip(1..).map(link).collect::<String>())
    }
}

/// Returns these times, if they are few, or the first and the last.
fn began(mut times: Vec<&str>) -> Option<String> {
    times.sort_unstable();
    match times[..] {
        [] => None,
        [first, .., last] if times.len() > 3 => Some(format!("{} times from {first} to {last}", times.len())),
        _ => Some(times.join(", ")),
    }
}

fn session(session: &Session) -> String {
    let machine = &session.machine;
    let processor = format!("{}, {} threads", machine.processor, machine.cores);
    let rows = [
        ("device", &machine.device),
        ("processor", &processor),
        ("system", &machine.system),
        ("version", &machine.version),
        ("begun", &session.started),
    ];
    let rows: String = rows.iter().map(|(name, value)| format!("<dt>{name}</dt><dd>{}</dd>", escape(value))).collect();
    format!("<dl>{rows}<dt>command</dt><dd><code>{}</code></dd></dl>\n", escape(&session.command))
}

impl Section {
    fn html(&self, number: usize) -> String {
        let mut text = format!("<section id=\"section-{number}\"><h2>{}</h2>\n", escape(&self.title));
        text.extend(self.says.iter().map(|says| paragraph("says", &format!("The paper: {says}"))));
        text.extend(self.reading.iter().map(|reading| paragraph("reading", reading)));
        for (file, shows) in &self.images {
            let _ = writeln!(text, "<p><img src=\"{}\" alt=\"{}\"></p>", escape(file), escape(shows));
        }
        text.extend(self.notes.iter().map(|note| paragraph("note", note)));
        if !self.table.is_empty() {
            let _ = writeln!(text, "<details><summary>numbers</summary>{}</details>", self.table);
        }
        text.push_str("</section>\n");
        text
    }
}

/// Returns cells as an HTML table.
pub(crate) fn numbers(cells: &[Cell], axes: &[String]) -> String {
    let head = axes.iter().map(|axis| escape(axis));
    let head = head.chain(["engine", "M commits/s", "least", "most", "aborted %", "committed"].map(str::to_owned));
    let phases = measured_phases(cells);
    let head = head.chain(phases.iter().map(|name| format!("{name} us")));
    let mut text = format!("<table><tr>{}</tr>", head.map(|name| format!("<th>{name}</th>")).collect::<String>());
    for cell in cells {
        let mut row: Vec<String> = axes.iter().map(|axis| value_of(cell, axis).unwrap_or_default()).collect();
        row.push(cell.key.engine.clone());
        match (&cell.rate, cell.median_run()) {
            (Some(spread), Some(run)) => {
                row.extend([spread.median, spread.min, spread.max].map(rate));
                row.extend([format!("{:.2}", run.abort_rate()), grouped(run.committed)]);
                let median = |name: &&str| cell.phase(name).map(|spread| digits(spread.median)).unwrap_or_default();
                row.extend(phases.iter().map(median));
            }
            _ => row.push(cell.status.name().to_owned()),
        }
        let row: String = row.iter().map(|value| format!("<td>{}</td>", escape(value))).collect();
        let _ = write!(text, "<tr>{row}</tr>");
    }
    text.push_str("</table>");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_times_are_printed_as_the_first_and_the_last() {
        assert_eq!(began(Vec::new()), None);
        assert_eq!(began(vec!["12:30", "12:00"]).unwrap(), "12:00, 12:30");
        assert_eq!(began(vec!["4", "2", "1", "3"]).unwrap(), "4 times from 1 to 4");
    }

    #[test]
    fn a_page_of_several_sections_begins_with_links_to_them() {
        let section = |title: &str| Section { title: title.to_owned(), ..Section::default() };
        let mut page = Page { sections: vec![section("one"), section("a & b")], ..Page::default() };
        let html = page.html();
        assert!(
            html.contains("<a href=\"#section-2\">a &amp; b</a>") && html.contains("id=\"section-2\"><h2>a &amp; b")
        );
        page.sections.pop();
        assert!(!page.html().contains("<nav>"));
    }
}
