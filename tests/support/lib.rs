//! Support for the tests of this package.
