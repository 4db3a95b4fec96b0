//! Filter, projection, sort and update operators, pure.
