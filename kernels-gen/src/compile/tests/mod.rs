//! Open transactions as the macro would make them, and what becomes of them.

mod build;
mod calls;
mod compounds;
mod methods;
mod size;
mod space;
mod wrong;
