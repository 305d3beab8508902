//! The parameters of a benchmark as texts, which command lines, axes of sweeps and result files share.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, ArgMatches, Command};

/// Values by the long names of the options.
pub type Parameters = BTreeMap<String, String>;

/// Returns the long options of a command.
pub(crate) fn names(command: &Command) -> Vec<String> {
    command.get_arguments().filter_map(Arg::get_long).filter(|name| *name != "help").map(str::to_owned).collect()
}

/// Returns the parameters of the command line, including defaults.
pub(crate) fn read(command: &Command, matches: &ArgMatches) -> Parameters {
    let value = |arg: &Arg| {
        let values: Vec<_> = matches.get_raw(arg.get_id().as_str())?.map(|value| value.to_string_lossy()).collect();
        Some((arg.get_long()?.to_owned(), values.join(",")))
    };
    command.get_arguments().filter_map(value).collect()
}

/// Returns the command line for these parameters.
pub(crate) fn arguments(command: &Command, parameters: &Parameters) -> Vec<String> {
    let is_flag = |name: &str| {
        let arg = command.get_arguments().find(|arg| arg.get_long() == Some(name));
        arg.is_some_and(|arg| matches!(arg.get_action(), ArgAction::SetTrue))
    };
    let argument = |(name, value): (&String, &String)| match &**value {
        "true" if is_flag(name) => Some(format!("--{name}")),
        "false" if is_flag(name) => None,
        _ => Some(format!("--{name}={value}")),
    };
    parameters.iter().filter_map(argument).collect()
}

/// Returns `accounts=1000 k=2` for people.
pub(crate) fn show(parameters: &Parameters) -> String {
    parameters.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Entry;
    use crate::tests::Counters;

    #[test]
    fn parameters_go_through_a_command_line_and_back() {
        let entry = Entry::of::<Counters>();
        let set = |pairs: &[(&str, &str)]| pairs.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let (_, defaults) = entry.open(&Parameters::new()).unwrap();
        assert_eq!(show(&defaults), "counters=10 lose=0 sorted=false");
        let (_, some) = entry.open(&set(&[("counters", "3"), ("sorted", "true")])).unwrap();
        assert_eq!(show(&some), "counters=3 lose=0 sorted=true");
        assert_eq!(entry.open(&some).unwrap().1, some);
        let unknown = entry.open(&set(&[("colour", "3")])).err().unwrap().to_string();
        assert!(unknown.contains("colour") && unknown.contains("counters, lose, sorted"), "{unknown}");
        let wrong = entry.open(&set(&[("counters", "x")])).err().unwrap().to_string();
        assert!(wrong.contains("'x'") && !wrong.contains("Usage"), "{wrong}");
    }
}
