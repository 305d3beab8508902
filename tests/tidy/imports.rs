//! No cycle of imports among sibling modules: at the top of each crate, and in each of its folders.

use std::collections::{BTreeMap, BTreeSet};

use crate::allowed::{self, Found};
use crate::modules::{Module, Modules, Name, of_crate};
use crate::root;

/// The root file of each crate.
const CRATES: [(&str, &str); 7] = [
    ("kernels-gen", "kernels-gen/src/lib.rs"),
    ("stm-macros", "stm-macros/src/lib.rs"),
    ("stm-runtime", "stm-runtime/src/lib.rs"),
    ("gpu-transactions", "gpu-transactions/src/lib.rs"),
    ("stm-bench", "stm-bench/src/lib.rs"),
    ("benchmarks", "examples/benchmarks/src/lib.rs"),
    ("stm-tests", "tests/support/lib.rs"),
];

/// For each module, the siblings that it imports from, each with one location of an import.
type Graph = BTreeMap<String, BTreeMap<String, String>>;

#[test]
fn modules_side_by_side_have_no_cycle_of_imports() {
    let (mut found, mut text) = (Found::new(), String::new());
    for (name, file) in CRATES {
        let modules = of_crate(&root().join(file));
        assert!(modules.len() > 1 || name == "stm-macros", "{name} has modules");
        for parent in modules.keys() {
            let graph = graph(&modules, parent);
            for cycle in cycles(&graph) {
                let place = [&[name.to_owned()], parent.as_slice()].concat().join("::");
                found.extend(cycle.iter().map(|module| (format!("{place}::{module}"), 1)));
                text += &describe(&place, &graph, &cycle);
            }
        }
    }
    allowed::check("cycles", &found, &format!("modules that import from each other in a circle\n{text}"));
}

/// Returns the imports between the children of a module.
fn graph(modules: &Modules, parent: &Name) -> Graph {
    let mut graph = Graph::new();
    for (name, Module { paths, .. }) in modules {
        let Some(child) = child_of(parent, name) else { continue };
        let arrows = graph.entry(child.clone()).or_default();
        for (path, location) in paths {
            let target = resolve(modules, path);
            if let Some(other) = child_of(parent, &target).filter(|other| *other != child) {
                arrows.entry(other).or_insert_with(|| location.clone());
            }
        }
    }
    graph
}

/// Returns the child that contains another module.
fn child_of(parent: &Name, name: &Name) -> Option<String> {
    name.strip_prefix(parent.as_slice())?.first().cloned()
}

/// Returns the module that a path leads to, also through re-exports.
fn resolve(modules: &Modules, path: &Name) -> Name {
    let mut path = path.clone();
    // Longer chains of re-exports do not occur.
    for _ in 0..8 {
        let known = (0..=path.len()).rev().find(|length| modules.contains_key(&path[..*length])).unwrap_or(0);
        let module = &modules[&path[..known]];
        match path.get(known).and_then(|word| module.uses.get(word)) {
            Some(target) if *target != path => path = [target.as_slice(), &path[known + 1..]].concat(),
            _ => return path[..known].to_vec(),
        }
    }
    path
}

/// Returns the sets of modules that reach each other.
fn cycles(graph: &Graph) -> Vec<BTreeSet<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> = graph.keys().map(|from| (from, reach(graph, from))).collect();
    let mut cycles: Vec<BTreeSet<String>> = Vec::new();
    for (from, others) in reached.iter().filter(|(from, others)| others.contains(*from)) {
        if !cycles.iter().any(|cycle| cycle.contains(*from)) {
            let both = others.iter().filter(|other| reached.get(**other).is_some_and(|back| back.contains(from)));
            cycles.push(both.map(|other| (*other).clone()).collect());
        }
    }
    cycles
}

fn reach<'g>(graph: &'g Graph, from: &'g String) -> BTreeSet<&'g String> {
    let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(module) = next.pop() {
        let others = graph.get(module).into_iter().flat_map(BTreeMap::keys);
        next.extend(others.filter(|other| seen.insert(*other)));
    }
    seen
}

/// Returns the imports of a cycle, each with a location.
fn describe(place: &str, graph: &Graph, cycle: &BTreeSet<String>) -> String {
    let mut text = format!("in {place}:\n");
    for from in cycle {
        for (to, location) in graph[from].iter().filter(|(to, _)| cycle.contains(*to)) {
            text += &format!(
                "  {from} -> {to} ({})\n",
                location.rsplit_once("/src/").map_or(&**location, |(_, file)| file)
            );
        }
    }
    text
}

#[test]
fn a_cycle_is_found_also_where_names_are_passed_on() {
    let name = |path: &str| -> Name { path.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect() };
    let module = |paths: &[&str]| {
        let paths = paths.iter().map(|path| (name(path), "here".to_owned())).collect();
        Module { paths, ..Module::default() }
    };
    let mut modules = Modules::from([
        (name(""), Module::default()),
        (name("a"), module(&["b::Thing"])),
        (name("b"), module(&["Other"])),
        (name("c"), module(&["a::Thing"])),
    ]);
    assert_eq!(cycles(&graph(&modules, &name(""))), []);
    modules.get_mut(&name("")).expect("the root is there").uses.insert("Other".into(), name("a::Other"));
    assert_eq!(cycles(&graph(&modules, &name(""))), [BTreeSet::from(["a".to_owned(), "b".to_owned()])]);
}
