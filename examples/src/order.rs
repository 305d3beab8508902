//! The option for an order.

use clap::ValueEnum;
use gpu_transactions::Order;

/// An order by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OrderName {
    /// Some order, whichever is the fastest
    Any,
    /// That of the batch: the same outcome on every device and in each run
    Pushed,
}

impl From<OrderName> for Order {
    fn from(name: OrderName) -> Order {
        match name {
            OrderName::Any => Order::Any,
            OrderName::Pushed => Order::Pushed,
        }
    }
}
