//! The precedence graph of a history: the transactions that must precede others.
//!
//! For each lock word the installed versions give an order of writers. A writer precedes the next writer and the readers of
//! its version; a reader precedes the next writer. An order that obeys all of this exists if there is no cycle.

use std::collections::VecDeque;

use super::objection::Objection;
use super::verdict::{Dependency, Place, Step, Violation};
use crate::backend::Job;
use crate::memory::{self, NoMemory};
use crate::outcome::history::WHAT;
use crate::outcome::{Entry, History};

/// The number of transactions that are tried as the start of a short cycle.
const CYCLE_STARTS: usize = 64;

/// One edge: `from` precedes `to` because of the lock word.
#[derive(Debug, Clone, Copy)]
struct Edge {
    from: u32,
    to: u32,
    dependency: Dependency,
    /// The access of `from` to it.
    entry: Entry,
}

/// An access with its transaction (index in the history).
#[derive(Debug, Clone, Copy)]
struct Access {
    entry: Entry,
    by: u32,
}

/// Returns an order of the history's transactions (as indices in the history) that explains it.
pub(super) fn order(job: &Job<'_>, history: &History) -> Result<Vec<u32>, Objection> {
    let graph = Graph::new(history.len(), edges(job, history)?)?;
    let (order, blocked) = graph.sort()?;
    if order.len() == history.len() {
        return Ok(order);
    }
    let steps = graph.short_cycle(&blocked)?.into_iter().map(|edge| step(job, history, edge)).collect();
    Err(Violation::Cycle { steps }.into())
}

fn edges(job: &Job<'_>, history: &History) -> Result<Vec<Edge>, Objection> {
    let all = (0..history.len()).map(|i| history.entries(i).len()).sum();
    let mut accesses: Vec<Access> = memory::with_room(WHAT, all)?;
    for i in 0..history.len() {
        accesses.extend(history.entries(i).iter().map(|entry| Access { entry: *entry, by: i as u32 }));
    }
    // By place, then by version, the writer of a version before its readers.
    accesses.sort_unstable_by_key(|a| (a.entry.location(), a.entry.version(), !a.entry.is_write(), a.by));
    let mut edges = Vec::new();
    for same_place in accesses.chunk_by(|a, b| a.entry.location() == b.entry.location()) {
        edges_of_place(job, history, same_place, &mut edges)?;
    }
    Ok(edges)
}

/// Adds the edges of one lock word; `accesses` are all of its accesses, sorted.
fn edges_of_place(
    job: &Job<'_>,
    history: &History,
    accesses: &[Access],
    edges: &mut Vec<Edge>,
) -> Result<(), Objection> {
    let mut edge = |from: Access, to: u32, dependency| {
        if from.by == to {
            return Ok(());
        }
        memory::push(WHAT, edges, Edge { from: from.by, to, dependency, entry: from.entry })
    };
    // Version 0 existed before the run.
    let mut writer: Option<Access> = None;
    let mut readers: Vec<Access> = Vec::new();
    let mut installed = 0;
    for access in accesses {
        let (version, transaction) = (access.entry.version(), history.transaction(access.by as usize));
        let place = || place(job, access.entry);
        if !access.entry.is_write() {
            if mutant!("proof: a version that was never written may be read", version != installed, false) {
                return Err(Violation::NeverWritten { place: place(), version, transaction }.into());
            }
            let before = mutant!("proof: a reader may come before the writer", writer, None);
            before.into_iter().try_for_each(|writer| edge(writer, access.by, Dependency::WriteRead))?;
            memory::push(WHAT, &mut readers, *access)?;
            continue;
        }
        if version == installed {
            // The same transaction may have written several elements under one lock word.
            let before = writer.map(|writer| writer.by);
            if mutant!("proof: two may write one version", before == Some(access.by), true) {
                continue;
            }
            let other = before.map_or(transaction, |by| history.transaction(by as usize));
            return Err(Violation::WrittenTwice { place: place(), version, transactions: [other, transaction] }.into());
        }
        if mutant!("proof: versions may be missing", history.dense && version != installed + 1, false) {
            return Err(Violation::Gap { place: place(), version: installed + 1, next: transaction }.into());
        }
        let before = mutant!("proof: writers may come in any order", writer, None);
        before.into_iter().try_for_each(|writer| edge(writer, access.by, Dependency::WriteWrite))?;
        let first = mutant!("proof: the first reader may come after the next writer", 0, readers.len().min(1));
        readers[first..].iter().try_for_each(|reader| edge(*reader, access.by, Dependency::ReadWrite))?;
        readers.clear();
        (writer, installed) = (Some(*access), version);
    }
    Ok(())
}

fn place(job: &Job<'_>, entry: Entry) -> Place {
    let coverage_log2 = job.arrays.get(entry.array()).map_or(0, |array| array.coverage_log2());
    let array = job.arrays_in_batch.get(entry.array()).copied().unwrap_or(entry.array());
    Place { array, index: entry.lock() << coverage_log2 }
}

fn step(job: &Job<'_>, history: &History, edge: Edge) -> Step {
    let transaction = history.transaction(edge.from as usize);
    Step {
        transaction,
        procedure: job.procedure_name(transaction),
        arguments: job.arguments(transaction),
        dependency: edge.dependency,
        place: place(job, edge.entry),
        version: edge.entry.version(),
    }
}

/// The edges, grouped by their start.
struct Graph {
    /// The edges of node `n` are `edges[starts[n]..starts[n + 1]]`.
    starts: Vec<usize>,
    edges: Vec<Edge>,
}

impl Graph {
    fn new(nodes: usize, mut edges: Vec<Edge>) -> Result<Graph, NoMemory> {
        edges.sort_unstable_by_key(|edge| edge.from);
        let mut starts = memory::filled(WHAT, nodes + 1, 0)?;
        edges.iter().for_each(|edge| starts[edge.from as usize + 1] += 1);
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        Ok(Graph { starts, edges })
    }

    fn edges_from(&self, node: u32) -> &[Edge] {
        &self.edges[self.starts[node as usize]..self.starts[node as usize + 1]]
    }

    /// Sorts as far as possible; also returns the nodes that are on a cycle or after one.
    fn sort(&self) -> Result<(Vec<u32>, Vec<bool>), NoMemory> {
        let nodes = self.starts.len() - 1;
        let mut waits_for = memory::filled(WHAT, nodes, 0_u32)?;
        self.edges.iter().for_each(|edge| waits_for[edge.to as usize] += 1);
        let mut order: Vec<u32> = memory::with_room(WHAT, nodes)?;
        order.extend((0..nodes as u32).filter(|node| waits_for[*node as usize] == 0));
        let mut next = 0;
        while next < order.len() {
            for edge in self.edges_from(order[next]) {
                waits_for[edge.to as usize] -= 1;
                if waits_for[edge.to as usize] == 0 {
                    order.push(edge.to);
                }
            }
            next += 1;
        }
        let blocked = memory::collected(WHAT, waits_for.iter().map(|count| *count > 0))?;
        Ok((order, blocked))
    }

    /// Returns a short cycle among the blocked nodes, of which there is at least one.
    fn short_cycle(&self, blocked: &[bool]) -> Result<Vec<Edge>, NoMemory> {
        let starts = on_cycles(self, blocked)?;
        let mut shortest: Option<Vec<Edge>> = None;
        for start in starts.into_iter().take(CYCLE_STARTS) {
            let cycle = self.cycle_through(start, blocked)?;
            let is_shorter = |cycle: &Vec<Edge>| shortest.as_ref().is_none_or(|known| cycle.len() < known.len());
            shortest = cycle.filter(is_shorter).or(shortest);
        }
        Ok(shortest.unwrap_or_default())
    }

    /// Returns the shortest cycle through a node, by breadth-first search.
    fn cycle_through(&self, start: u32, blocked: &[bool]) -> Result<Option<Vec<Edge>>, NoMemory> {
        let mut came_by: Vec<Option<Edge>> = memory::filled(WHAT, blocked.len(), None)?;
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for edge in self.edges_from(node).iter().filter(|edge| blocked[edge.to as usize]) {
                if came_by[edge.to as usize].is_none() {
                    came_by[edge.to as usize] = Some(*edge);
                    memory::push_back(WHAT, &mut queue, edge.to)?;
                }
            }
            if came_by[start as usize].is_some() {
                break;
            }
        }
        let Some(last) = came_by[start as usize] else { return Ok(None) };
        let mut cycle = vec![last];
        while cycle[cycle.len() - 1].from != start {
            let Some(before) = came_by[cycle[cycle.len() - 1].from as usize] else { return Ok(None) };
            memory::push(WHAT, &mut cycle, before)?;
        }
        cycle.reverse();
        Ok(Some(cycle))
    }
}

/// Returns blocked nodes that are on a cycle and not merely after one. Every blocked node has a blocked predecessor, so walking
/// backwards must reach a cycle.
fn on_cycles(graph: &Graph, blocked: &[bool]) -> Result<Vec<u32>, NoMemory> {
    let mut predecessor: Vec<Option<u32>> = memory::filled(WHAT, blocked.len(), None)?;
    for edge in graph.edges.iter().filter(|edge| blocked[edge.from as usize] && blocked[edge.to as usize]) {
        predecessor[edge.to as usize] = Some(edge.from);
    }
    let mut seen = memory::filled(WHAT, blocked.len(), 0_u32)?;
    let mut starts = Vec::new();
    for (walk, first) in (0..blocked.len() as u32).filter(|node| blocked[*node as usize]).enumerate() {
        let mark = walk as u32 + 1;
        let mut node = first;
        while seen[node as usize] == 0 {
            seen[node as usize] = mark;
            let Some(before) = predecessor[node as usize] else { break };
            node = before;
        }
        if seen[node as usize] == mark && predecessor[node as usize].is_some() {
            memory::push(WHAT, &mut starts, node)?;
        }
    }
    Ok(starts)
}
