//! Device code: engines, and the linker that joins them with generated bodies.
