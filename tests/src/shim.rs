//! Libraries preloaded into a program, such as `faults/shim.c`, which intercepts its system calls.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Compiles the library into `folder`. Needs a C compiler.
///
/// # Panics
/// When it does not compile.
pub fn build(folder: &Path) -> PathBuf {
    build_other("shim", folder)
}

/// The same with another one of `faults/`.
///
/// # Panics
/// As [`build`].
pub fn build_other(name: &str, folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("faults/{name}.c"));
    let library = folder.join(format!("{name}.so"));
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-o"])
        .args([&library, &source])
        .arg("-ldl")
        .status()
        .expect("a C compiler is there");
    assert!(compiled.success(), "{} does not compile", source.display());
    library
}

/// One action of a traced program. Names are relative to the watched folder, which is `.` itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// A new file was created and opened.
    Made(String),
    /// An existing file or folder was opened.
    Opened(String),
    /// A file or folder was closed.
    Closed(String),
    /// A folder was created.
    Folder(String),
    /// Bytes were written.
    Write {
        /// The file.
        file: String,
        /// The offset in bytes.
        offset: u64,
        /// The bytes.
        bytes: Vec<u8>,
        /// Whether they were on the disk when the call returned.
        through: bool,
    },
    /// A file was set to this length.
    Length(String, u64),
    /// A file was extended to this length, if it was shorter.
    Room(String, u64),
    /// All earlier writes to the file, or all earlier names in the folder, are on the disk.
    Flush(String),
    /// A file or folder was renamed.
    Rename(String, String),
    /// Two files or folders exchanged their names.
    Exchange(String, String),
    /// A file got another hard link.
    Link(String, String),
    /// A file or an empty folder was removed.
    Unlink(String),
    /// The program printed this.
    Print(String),
}

impl Call {
    /// The call without its bytes.
    pub fn told(&self) -> String {
        match self {
            Self::Write { file, offset, bytes, .. } => {
                format!("{} bytes at {offset} of {file}", bytes.len())
            }
            other => format!("{other:?}"),
        }
    }
}

/// Runs a program to its end. Returns its actions on the files of `folder`, in order.
///
/// # Panics
/// When it does not start.
pub fn traced(command: &mut Command, library: &Path, folder: &Path) -> (Output, Vec<Call>) {
    let trace = library.with_file_name("trace");
    fs::write(&trace, "").expect("a file for the trace can be made");
    let folder = fs::canonicalize(folder).expect("the folder is there");
    command.env("LD_PRELOAD", library).env("SHIM_FOLDER", folder).env("SHIM_TRACE", &trace);
    let output = command.output().expect("the program starts");
    (output, read_trace(&trace))
}

/// Reads a trace. Leaves out a truncated record at the end.
fn read_trace(file: &Path) -> Vec<Call> {
    let bytes = fs::read(file).expect("the trace can be read");
    let mut rest = bytes.as_slice();
    std::iter::from_fn(|| {
        let (call, after) = read_call(rest)?;
        rest = after;
        Some(call)
    })
    .collect()
}

fn read_call(bytes: &[u8]) -> Option<(Call, &[u8])> {
    let (kind, rest) = bytes.split_first()?;
    let (number, rest) = take_number(rest)?;
    let (name_len, rest) = take_number(rest)?;
    let (len, rest) = take_number(rest)?;
    let (name, rest) = rest.split_at_checked(usize::try_from(name_len).ok()?)?;
    let (bytes, rest) = rest.split_at_checked(usize::try_from(len).ok()?)?;
    let name = String::from_utf8_lossy(name).into_owned();
    let text = || String::from_utf8_lossy(bytes).into_owned();
    let call = match kind {
        b'n' => Call::Made(name),
        b'o' => Call::Opened(name),
        b'c' => Call::Closed(name),
        b'm' => Call::Folder(name),
        b'w' | b'd' => {
            let (bytes, through) = (bytes.to_vec(), *kind == b'd');
            Call::Write { file: name, offset: number, bytes, through }
        }
        b't' => Call::Length(name, number),
        b'a' => Call::Room(name, number),
        b's' => Call::Flush(name),
        b'r' => Call::Rename(name, text()),
        b'x' => Call::Exchange(name, text()),
        b'l' => Call::Link(name, text()),
        b'u' => Call::Unlink(name),
        b'p' => Call::Print(text()),
        other => panic!("a trace has no record {other}"),
    };
    Some((call, rest))
}

fn take_number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<8>()?;
    Some((u64::from_ne_bytes(*number), rest))
}
