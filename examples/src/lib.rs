//! Examples live beside this file; there is no library.
