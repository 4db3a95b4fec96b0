//! Black-box tests; what they share.
