// A method does not call itself, directly or through others.
#![allow(unused)]

use stm_runtime::prelude::*;

#[derive(Debug, Clone, Copy, GpuData)]
struct Node {
    left: u32,
    right: u32,
}

#[gpu_fn]
impl Node {
    fn depth(self) -> u32 {
        if self.left == 0 { 0 } else { Node { left: self.left - 1, ..self }.depth() + 1 }
    }

    fn again(&self) -> u32 {
        self.again()
    }

    fn once(n: u32) -> u32 {
        Self::once(n - 1)
    }

    fn there(&self) -> u32 {
        self.back()
    }

    fn back(&self) -> u32 {
        Node::there(self)
    }
}

#[gpu_transaction]
fn run(tx: &mut Tx, nodes: &Shared<Node>) -> TxResult<u32> {
    let node = tx.read(nodes, 0)?;
    Ok(node.there())
}

fn main() {}
