//! The walk of an untrusted file in a subprocess: a file that exploits or crashes its reader harms only
//! that process.
//!
//! The subprocess gets the open file as its standard input, so it walks the very file that the caller has
//! open. It writes one `protocol` message a line to its standard output; the last one is the outcome.
//! Anything else is not an answer, and the file is not opened.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

use super::protocol::{Message, Outcome};
use super::read_watched;
use crate::limits::{WALK_EXIT_POLL, WALK_MESSAGE_BYTES_MAX};
use crate::store::StoreError;
use crate::store::progress::{JobProgress, JobStep, Watch};

/// A program that calls [`walk_standard_input`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkProgram {
    /// Path of the executable.
    pub program: PathBuf,
    /// Its command-line arguments.
    pub arguments: Vec<OsString>,
}

/// Walks an untrusted file and verifies its rows; in a subprocess if there is a `walker`.
pub(in crate::store) fn walk_picked(
    file: &File,
    walker: Option<&WalkProgram>,
    watch: &mut Watch<'_>,
) -> Outcome {
    match walker {
        None => read_watched(file, watch),
        Some(walker) => walker.walk(file, watch),
    }
}

impl WalkProgram {
    fn walk(&self, file: &File, watch: &mut Watch<'_>) -> Outcome {
        let (mut pipe, mut process) = self
            .start(file)
            .map_err(|error| unchecked(format!("could not be started ({error})")))?;
        let mut output = ChildOutput::default();
        while output.read_some(&mut pipe)? {
            output.report(watch)?;
        }
        let status = loop {
            match process.0.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => output.report(watch)?,
                Err(error) => {
                    return Err(unchecked(format!("could not be followed to its end ({error})")));
                }
            }
            std::thread::park_timeout(WALK_EXIT_POLL);
        };
        // Even after a result: a process that crashed may have written anything before.
        if !status.success() {
            return Err(unchecked(exit_text(status)));
        }
        output.outcome.unwrap_or_else(|| Err(unchecked("ended without a result")))
    }

    fn start(&self, file: &File) -> io::Result<(ChildPipe, WalkProcess)> {
        let (pipe, theirs) = pipe()?;
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(file.try_clone()?).stdout(theirs);
        // The exit status says enough.
        command.stderr(Stdio::null());
        // Ctrl-C in a terminal goes to this process only, which then kills the subprocess.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok((pipe, WalkProcess(command.spawn()?)))
    }
}

/// The subprocess. Dropping this kills it.
struct WalkProcess(Child);

impl Drop for WalkProcess {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The output of the subprocess so far.
#[derive(Default)]
struct ChildOutput {
    partial: Vec<u8>,
    done: u64,
    total: u64,
    outcome: Option<Outcome>,
}

impl ChildOutput {
    /// Waits up to `WALK_MESSAGE_WAIT` for more. False at the end of the output.
    fn read_some(&mut self, pipe: &mut ChildPipe) -> Result<bool, StoreError> {
        let mut bytes = [0; 4096];
        let count = match pipe.read(&mut bytes) {
            Ok(0) => return Ok(false),
            Ok(count) => count,
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => {
                    return Ok(true);
                }
                _ => {
                    return Err(unchecked(format!("gave output that could not be read ({error})")));
                }
            },
        };
        self.partial.extend_from_slice(bytes.get(..count).unwrap_or_default());
        while let Some(end) = memchr::memchr(b'\n', &self.partial) {
            let rest = self.partial.split_off(end + 1);
            let line = std::mem::replace(&mut self.partial, rest);
            // A second result is invalid too. Nothing but the protocol is trusted.
            match Message::parse(&line).filter(|_| self.outcome.is_none()) {
                Some(Message::Progress { done, total }) => (self.done, self.total) = (done, total),
                Some(message) => self.outcome = message.outcome(),
                None => return Err(unchecked("gave an invalid answer")),
            }
        }
        // A process that was taken over must not fill the memory of this one.
        if self.partial.len() > WALK_MESSAGE_BYTES_MAX {
            return Err(unchecked("gave an invalid answer"));
        }
        Ok(true)
    }

    fn report(&self, watch: &mut Watch<'_>) -> Result<(), StoreError> {
        JobStep::Walking.report(watch, self.done, self.total)
    }
}

/// The read end of the subprocess's output. On Unix a read times out, so that a silent process can be
/// stopped.
#[cfg(unix)]
type ChildPipe = std::os::unix::net::UnixStream;
#[cfg(not(unix))]
type ChildPipe = io::PipeReader;

#[cfg(unix)]
fn pipe() -> io::Result<(ChildPipe, Stdio)> {
    let (ours, theirs) = ChildPipe::pair()?;
    ours.set_read_timeout(Some(crate::limits::WALK_MESSAGE_WAIT))?;
    Ok((ours, std::os::fd::OwnedFd::from(theirs).into()))
}

#[cfg(not(unix))]
fn pipe() -> io::Result<(ChildPipe, Stdio)> {
    let (ours, theirs) = io::pipe()?;
    Ok((ours, theirs.into()))
}

fn exit_text(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was killed by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("ended with code {code}"),
        None => "ended abnormally".to_owned(),
    }
}

fn unchecked(what: impl Into<String>) -> StoreError {
    StoreError::Unchecked { what: what.into() }
}

/// The subprocess: walks the file on standard input and reports on standard output. Only for a process
/// that does nothing else, because it limits its own memory and file writes first.
///
/// # Errors
/// When standard output can't be written.
pub fn walk_standard_input() -> io::Result<()> {
    let file = standard_input()?;
    // Before the first byte is read, since the file may exploit a bug in the walk.
    limit_resources(&file)?;
    let mut out = io::stdout().lock();
    let found = read_watched(&file, &mut |JobProgress { done, total, .. }| match writeln!(
        out,
        "{}",
        Message::Progress { done, total }
    ) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    });
    writeln!(out, "{}", Message::from(found))?;
    out.flush()
}

#[cfg(unix)]
fn standard_input() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

#[cfg(windows)]
fn standard_input() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(io::stdin().as_handle().try_clone_to_owned()?.into())
}

/// Limits memory to what a walk of this file may need, forbids file writes, and disables core dumps.
#[cfg(unix)]
fn limit_resources(file: &File) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    use crate::limits::{WALK_MEMORY_BYTES, WALK_MEMORY_PART};
    let memory = WALK_MEMORY_BYTES.saturating_add(file.metadata()?.len() / WALK_MEMORY_PART);
    for (resource, bytes) in [(Resource::As, memory), (Resource::Fsize, 0), (Resource::Core, 0)] {
        // A lower limit that is already set stays.
        let bytes = getrlimit(resource).maximum.map_or(bytes, |maximum| maximum.min(bytes));
        // Not every system has each of these limits.
        let _ = setrlimit(resource, Rlimit { current: Some(bytes), maximum: Some(bytes) });
    }
    Ok(())
}

#[cfg(not(unix))]
fn limit_resources(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
#[allow(clippy::expect_used, reason = "the lint knows tests by `cfg(test)` alone")]
mod tests {
    use std::fs;
    use std::path::Path as FsPath;

    use super::*;
    use crate::store::StructureReport;

    fn ignore_progress(_: JobProgress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn shell(script: &str) -> WalkProgram {
        WalkProgram { program: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()] }
    }

    fn walk(script: &str) -> Outcome {
        let file = tempfile::tempfile().expect("a file");
        walk_picked(&file, Some(&shell(script)), &mut ignore_progress)
    }

    #[test]
    fn a_process_without_an_answer_leaves_the_file_closed() {
        let check = |script: &str, expected: &str| {
            let found = walk(script).expect_err(script);
            assert_eq!(
                found.to_string(),
                StoreError::Unchecked { what: expected.into() }.to_string()
            );
        };
        let answer = Message::Report(StructureReport::default());
        check("kill -SEGV $$", "was killed by signal 11");
        check(&format!("echo '{answer}'; kill -ABRT $$"), "was killed by signal 6");
        check("exit 101", "ended with code 101");
        check(&format!("echo '{answer}'; exit 1"), "ended with code 1");
        check("true", "ended without a result");
        check(&format!("printf %s '{answer}'"), "ended without a result");
        check("echo the file is sound", "gave an invalid answer");
        check(&format!("echo '{answer}'; echo '{answer}'"), "gave an invalid answer");
        check("exec cat /dev/zero", "gave an invalid answer");
        let missing = WalkProgram { program: "/nowhere/walk".into(), arguments: Vec::new() };
        let file = tempfile::tempfile().expect("a file");
        let found = walk_picked(&file, Some(&missing), &mut ignore_progress).expect_err("missing");
        assert!(found.to_string().contains("could not be started"), "{found}");
    }

    #[test]
    fn the_last_message_is_the_outcome() {
        let report = StructureReport { pages_used: 5, ..StructureReport::default() };
        let answer = Message::Report(report.clone());
        let mut reports = Vec::new();
        let mut note = |at: JobProgress| {
            reports.push((at.done, at.total));
            ControlFlow::Continue(())
        };
        let script =
            shell(&format!(r#"echo '{{"progress":{{"done":4,"total":9}}}}'; echo '{answer}'"#));
        let file = tempfile::tempfile().expect("a file");
        assert_eq!(walk_picked(&file, Some(&script), &mut note), Ok(report));
        assert!(reports.contains(&(4, 9)), "{reports:?}");
    }

    #[test]
    fn the_process_gets_the_open_file_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, seen) = (folder.path().join("picked"), folder.path().join("seen"));
        fs::write(&path, "the one that was opened").expect("written");
        let file = File::open(&path).expect("opened");
        fs::remove_file(&path).expect("removed");
        fs::write(&path, "another one of the same name").expect("written");
        let script = shell(&format!("cat > {}", seen.display()));
        walk_picked(&file, Some(&script), &mut ignore_progress).expect_err("no answer");
        assert_eq!(fs::read_to_string(seen).expect("written"), "the one that was opened");
    }

    /// One that writes nothing, and one that closes its output and keeps running.
    #[test]
    fn a_stop_ends_the_process() {
        for silence in ["exec sleep 1000", "exec sleep 1000 >&-"] {
            let folder = tempfile::tempdir().expect("a folder");
            let number = folder.path().join("number");
            let script = shell(&format!("echo $$ > {}; {silence}", number.display()));
            let written = || fs::read_to_string(&number).ok().filter(|text| text.ends_with('\n'));
            let mut stop = |_| match written() {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            };
            let file = tempfile::tempfile().expect("a file");
            assert_eq!(walk_picked(&file, Some(&script), &mut stop), Err(StoreError::Stopped));
            let process = written().expect("it ran");
            // A killed process that nothing waited for would still be listed.
            assert!(!FsPath::new("/proc").join(process.trim()).exists(), "{silence}");
        }
    }
}
