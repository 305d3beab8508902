//! Compilation of open transactions in the form that the macro makes.

mod build;
mod calls;
mod compounds;
mod methods;
mod print;
mod size;
mod space;
mod wrong;
