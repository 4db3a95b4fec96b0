//! The library that stands between a program and the system's calls, see `faults/shim.c`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles the library into `folder`. Needs a C compiler.
///
/// # Panics
/// When it does not compile.
#[must_use]
pub fn build(folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("faults/shim.c");
    let library = folder.join("shim.so");
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-o"])
        .args([&library, &source])
        .arg("-ldl")
        .status()
        .expect("a C compiler is there");
    assert!(compiled.success(), "{} does not compile", source.display());
    library
}

/// One thing that a traced program did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// Bytes written to `data.mdb` at this place.
    Write {
        /// Where, in bytes.
        offset: u64,
        /// What.
        bytes: Vec<u8>,
        /// Whether they were on the disk when the call returned.
        through: bool,
    },
    /// Everything written before is on the disk.
    Flush,
    /// The program printed this.
    Print(String),
}

/// Reads a trace. A record that was cut off at the end is left out.
///
/// # Panics
/// When the file can't be read or is not a trace.
#[must_use]
pub fn read_trace(file: &Path) -> Vec<Call> {
    let bytes = fs::read(file).expect("the trace can be read");
    let mut rest = bytes.as_slice();
    let mut calls = Vec::new();
    while let Some((kind, after)) = rest.split_first() {
        let Some((offset, after)) = number(after) else { break };
        let Some((length, after)) = number(after) else { break };
        let length = usize::try_from(length).expect("a length fits");
        let Some((bytes, after)) = after.split_at_checked(length) else { break };
        rest = after;
        calls.push(match kind {
            b'w' | b'd' => Call::Write { offset, bytes: bytes.to_vec(), through: *kind == b'd' },
            b's' => Call::Flush,
            b'p' => Call::Print(String::from_utf8_lossy(bytes).into_owned()),
            other => panic!("a trace has no record {other}"),
        });
    }
    calls
}

fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<8>()?;
    Some((u64::from_ne_bytes(*number), rest))
}
