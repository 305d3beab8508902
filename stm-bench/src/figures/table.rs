//! The table of figures: what a paper plots, and the benchmark that reproduces it.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Value;

use crate::cell::Metric;
use crate::error::BenchError;
use crate::parameters::Parameters;

/// Every figure, and the small sizes of each benchmark for `--quick`.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) figure: Vec<Figure>,
    /// Parameters by benchmark with which all of its figures take only moments.
    pub(crate) quick: BTreeMap<String, Values>,
}

/// The table as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    figure: Vec<Values>,
    /// The name of each paper, by its number.
    papers: BTreeMap<String, String>,
    #[serde(default)]
    quick: BTreeMap<String, Values>,
    /// What several figures have in common. A figure lists the names in `like`.
    #[serde(default)]
    shared: BTreeMap<String, Values>,
}

/// Values by name, as in the table.
pub(crate) type Values = toml::Table;

/// One figure.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Figure {
    pub(crate) paper: String,
    /// From the table's list of papers.
    #[serde(skip)]
    pub(crate) paper_name: String,
    pub(crate) number: String,
    pub(crate) title: String,
    pub(crate) benchmark: String,
    pub(crate) engines: Vec<String>,
    /// Transactions in the batch on a GPU.
    pub(crate) transactions: u64,
    /// Parameters and options that are the same everywhere.
    #[serde(default)]
    pub(crate) with: Values,
    pub(crate) axis: Across,
    /// What the paper says, in a sentence of our own words.
    pub(crate) says: String,
    #[serde(default)]
    pub(crate) claims: Vec<Claim>,
    /// Its graphs; one where none is listed.
    #[serde(default)]
    pub(crate) panel: Vec<Panel>,
}

/// What a figure varies.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Across {
    pub(crate) name: String,
    /// With its unit.
    pub(crate) label: String,
    pub(crate) values: Vec<Value>,
    #[serde(default)]
    pub(crate) log: bool,
}

/// One graph of a figure.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Panel {
    #[serde(default)]
    pub(crate) letter: String,
    /// What distinguishes it from the other graphs.
    #[serde(default)]
    pub(crate) what: String,
    #[serde(default)]
    pub(crate) with: Values,
    /// Another axis than the figure's.
    pub(crate) axis: Option<Across>,
    #[serde(default)]
    pub(crate) log: bool,
    #[serde(default)]
    pub(crate) metric: Metric,
    /// Other claims than the figure's.
    pub(crate) claims: Option<Vec<Claim>>,
    /// Shows the ratio to that engine.
    pub(crate) relative_to: Option<String>,
    /// Shows where the commits of that engine spend their time.
    pub(crate) phases_of: Option<String>,
}

/// A claim of the paper that numbers can support or contradict.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) enum Claim {
    /// One engine is faster than another, everywhere.
    Faster(String, String),
    /// An engine's throughput rises along the axis.
    Rises(String),
    /// It falls.
    Falls(String),
    /// It hardly changes.
    Steady(String),
}

impl Figure {
    /// Returns `figure 5.3` or `table II`.
    pub(crate) fn name(&self) -> String {
        match self.number.strip_prefix("table-") {
            Some(number) => format!("table {number}"),
            None => format!("figure {}", self.number),
        }
    }
}

impl Panel {
    /// Returns whether it needs runs with phases.
    pub(crate) fn is_timed(&self) -> bool {
        self.phases_of.is_some() || self.metric.is_timed()
    }
}

impl Table {
    pub(crate) fn parse(text: &str) -> Result<Table, BenchError> {
        let Written { figure, papers, quick, shared } = toml::from_str(text).map_err(wrong)?;
        let whole = |figure| {
            let mut figure = completed(figure, &shared)?;
            let paper = &figure.paper;
            let unnamed = || wrong(format!("paper `{paper}` has no name; add it to `[papers]`"));
            figure.paper_name = papers.get(paper).cloned().ok_or_else(unnamed)?;
            if figure.panel.is_empty() {
                figure.panel.push(Panel::default());
            }
            Ok(figure)
        };
        Ok(Table { figure: figure.into_iter().map(whole).collect::<Result<_, BenchError>>()?, quick })
    }

    /// Returns the figures of a paper, or one of them.
    pub(crate) fn find(&self, paper: Option<&str>, number: Option<&str>) -> Result<Vec<&Figure>, BenchError> {
        let fits = |figure: &&Figure| {
            paper.is_none_or(|paper| figure.paper == paper) && number.is_none_or(|number| figure.number == number)
        };
        let found: Vec<&Figure> = self.figure.iter().filter(fits).collect();
        let unknown = || BenchError::UnknownFigure {
            paper: paper.unwrap_or("any").to_owned(),
            number: number.unwrap_or("at all").to_owned(),
        };
        if found.is_empty() { Err(unknown()) } else { Ok(found) }
    }
}

fn wrong(why: impl ToString) -> BenchError {
    BenchError::Figures(why.to_string())
}

/// Adds what a figure does not state itself from the shared entries that it is like; the first one that states it counts. Tables
/// are joined.
fn completed(mut figure: Values, shared: &BTreeMap<String, Values>) -> Result<Figure, BenchError> {
    let name = ["paper", "number"].map(|key| figure.get(key).map(text).unwrap_or_default()).join(", ");
    let wrong = |why: &dyn std::fmt::Display| wrong(format!("figure {name}: {why}"));
    let like: Vec<String> = figure.remove("like").map_or(Ok(Vec::new()), Value::try_into).map_err(|why| wrong(&why))?;
    for name in like {
        let entry = shared.get(&name).ok_or_else(|| wrong(&format_args!("`[shared]` has no `{name}`")))?;
        for (key, value) in entry {
            match (figure.get_mut(key), value) {
                (None, _) => _ = figure.insert(key.clone(), value.clone()),
                (Some(Value::Table(own)), Value::Table(more)) => {
                    more.iter().for_each(|(key, value)| _ = own.entry(key).or_insert_with(|| value.clone()));
                }
                (Some(_), _) => {}
            }
        }
    }
    figure.try_into().map_err(|why| wrong(&why))
}

/// Returns a value in the form of the command line.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(set) => set.to_string(),
        other => format!("{other:?}"),
    }
}

/// Returns values in the form of the command line.
pub(crate) fn texts(values: &Values) -> Parameters {
    values.iter().map(|(name, value)| (name.clone(), text(value))).collect()
}
