//! The walk of a file that a person picked, in a process of its own: whatever such a file does to its reader,
//! this process only hears of it.
//!
//! The other process gets the open file as its standard input, so that what is walked is what the caller has
//! open. It says one line of `protocol` after the other on its standard output, the last of them what it found.
//! Whatever else it does is no answer.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

use super::protocol::{Found, Word, found_text, parse, progress_text};
use super::read_watched;
use crate::limits::{WALK_END_LOOK, WALK_WORD_BYTES_MAX};
use crate::store::StoreError;
use crate::store::progress::{JobStep, Watch};

/// A program that walks the file which is its standard input, by calling [`walk_standard_input`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkProgram {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

/// Walks a file that a person picked and reads its rows, in a process of its own if there is a program for
/// that.
pub(in crate::store) fn walk_picked(
    file: &File,
    walker: Option<&WalkProgram>,
    watch: &mut Watch<'_>,
) -> Found {
    match walker {
        None => read_watched(file, watch),
        Some(walker) => walker.walk(file, watch),
    }
}

impl WalkProgram {
    fn walk(&self, file: &File, watch: &mut Watch<'_>) -> Found {
        let (mut words, mut running) = self
            .start(file)
            .map_err(|error| unchecked(format!("could not be started ({error})")))?;
        let mut heard = Heard::default();
        while heard.listen(&mut words)? {
            heard.tell(watch)?;
        }
        let status = loop {
            match running.0.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => heard.tell(watch)?,
                Err(error) => return Err(unchecked(format!("was lost sight of ({error})"))),
            }
            std::thread::park_timeout(WALK_END_LOOK);
        };
        if !status.success() {
            return Err(unchecked(ending(status)));
        }
        heard.found.unwrap_or_else(|| Err(unchecked("ended without a result")))
    }

    fn start(&self, file: &File) -> io::Result<(Words, Running)> {
        let (words, theirs) = pipe()?;
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(file.try_clone()?).stdout(theirs);
        // How it ends says enough for a person.
        command.stderr(Stdio::null());
        // Ctrl-C in a terminal is for this process, which then ends the other one.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Ok((words, Running(command.spawn()?)))
    }
}

/// The other process. It is ended with this value.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What the other process has said.
#[derive(Default)]
struct Heard {
    /// The beginning of a line.
    begun: Vec<u8>,
    done: u64,
    total: u64,
    found: Option<Found>,
}

impl Heard {
    /// Waits a while for more. False when nothing more will come.
    fn listen(&mut self, words: &mut Words) -> Result<bool, StoreError> {
        let mut bytes = [0; 4096];
        let count = match words.read(&mut bytes) {
            Ok(0) => return Ok(false),
            Ok(count) => count,
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => {
                    return Ok(true);
                }
                _ => return Err(unchecked(format!("could not be heard ({error})"))),
            },
        };
        self.begun.extend_from_slice(bytes.get(..count).unwrap_or_default());
        while let Some(end) = memchr::memchr(b'\n', &self.begun) {
            let rest = self.begun.split_off(end + 1);
            let line = std::mem::replace(&mut self.begun, rest);
            match parse(&line) {
                Some(Word::At(done, total)) if self.found.is_none() => {
                    (self.done, self.total) = (done, total);
                }
                Some(Word::Found(found)) if self.found.is_none() => self.found = Some(found),
                _ => return Err(unchecked("said what can't be understood")),
            }
        }
        if self.begun.len() > WALK_WORD_BYTES_MAX {
            return Err(unchecked("said what can't be understood"));
        }
        Ok(true)
    }

    fn tell(&self, watch: &mut Watch<'_>) -> Result<(), StoreError> {
        JobStep::Walking.tell(watch, self.done, self.total)
    }
}

/// What is heard through. A read of it ends after a while, so that a process that says nothing can be
/// stopped.
#[cfg(unix)]
type Words = std::os::unix::net::UnixStream;
#[cfg(not(unix))]
type Words = io::PipeReader;

#[cfg(unix)]
fn pipe() -> io::Result<(Words, Stdio)> {
    let (words, theirs) = Words::pair()?;
    words.set_read_timeout(Some(crate::limits::WALK_WORD_WAIT))?;
    Ok((words, std::os::fd::OwnedFd::from(theirs).into()))
}

#[cfg(not(unix))]
fn pipe() -> io::Result<(Words, Stdio)> {
    let (words, theirs) = io::pipe()?;
    Ok((words, theirs.into()))
}

fn ending(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was ended by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("ended with code {code}"),
        None => "did not end by itself".to_owned(),
    }
}

fn unchecked(what: impl Into<String>) -> StoreError {
    StoreError::Unchecked { what: what.into() }
}

/// The other side: walks the file that is the standard input, and says so on the standard output. For a
/// process that does nothing else: it gives up what it does not need first.
///
/// # Errors
/// When there is nobody to say it to.
pub fn walk_standard_input() -> io::Result<()> {
    let file = standard_input()?;
    bound(&file)?;
    let mut out = io::stdout().lock();
    let found = read_watched(&file, &mut |at| match writeln!(out, "{}", progress_text(at)) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    });
    writeln!(out, "{}", found_text(&found))?;
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

/// Bounds the memory by what the file may need, forbids to write files, and leaves no copy of the memory when
/// the process dies.
#[cfg(unix)]
fn bound(file: &File) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    use crate::limits::{WALK_MEMORY_BYTES, WALK_MEMORY_PART};
    let memory = WALK_MEMORY_BYTES.saturating_add(file.metadata()?.len() / WALK_MEMORY_PART);
    for (resource, bytes) in [(Resource::As, memory), (Resource::Fsize, 0), (Resource::Core, 0)] {
        // A lower bound that is there already stays.
        let bytes = getrlimit(resource).maximum.map_or(bytes, |maximum| maximum.min(bytes));
        // Not every system has each of these bounds. The walk does without.
        let _ = setrlimit(resource, Rlimit { current: Some(bytes), maximum: Some(bytes) });
    }
    Ok(())
}

#[cfg(not(unix))]
fn bound(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::path::Path as FsPath;

    use super::*;
    use crate::store::{JobProgress, StructureReport};

    fn go_on(_: JobProgress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn shell(script: &str) -> WalkProgram {
        WalkProgram { program: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()] }
    }

    fn walk(script: &str) -> Found {
        let file = tempfile::tempfile().expect("a file");
        walk_picked(&file, Some(&shell(script)), &mut go_on)
    }

    #[test]
    fn a_process_that_gives_no_answer_leaves_the_file_closed() {
        let check = |script: &str, expected: &str| {
            let found = walk(script).expect_err(script);
            assert_eq!(
                found.to_string(),
                StoreError::Unchecked { what: expected.into() }.to_string()
            );
        };
        let answer = found_text(&Ok(StructureReport::default()));
        check("kill -SEGV $$", "was ended by signal 11");
        check(&format!("echo '{answer}'; kill -ABRT $$"), "was ended by signal 6");
        check("exit 101", "ended with code 101");
        check(&format!("echo '{answer}'; exit 1"), "ended with code 1");
        check("true", "ended without a result");
        check(&format!("printf %s '{answer}'"), "ended without a result");
        check("echo the file is sound", "said what can\'t be understood");
        check(&format!("echo '{answer}'; echo '{answer}'"), "said what can't be understood");
        check("exec cat /dev/zero", "said what can't be understood");
        let missing = WalkProgram { program: "/nowhere/walk".into(), arguments: Vec::new() };
        let file = tempfile::tempfile().expect("a file");
        let found = walk_picked(&file, Some(&missing), &mut go_on).expect_err("missing");
        assert!(found.to_string().contains("could not be started"), "{found}");
    }

    #[test]
    fn the_last_word_is_what_was_found() {
        let report = StructureReport { pages_used: 5, ..StructureReport::default() };
        let answer = found_text(&Ok(report.clone()));
        let mut words = Vec::new();
        let mut note = |at: JobProgress| {
            words.push((at.done, at.total));
            ControlFlow::Continue(())
        };
        let script = shell(&format!(r#"echo '{{"done":4,"total":9}}'; echo '{answer}'"#));
        let file = tempfile::tempfile().expect("a file");
        assert_eq!(walk_picked(&file, Some(&script), &mut note), Ok(report));
        assert!(words.contains(&(4, 9)), "{words:?}");
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
        walk_picked(&file, Some(&script), &mut go_on).expect_err("no answer");
        assert_eq!(fs::read_to_string(seen).expect("written"), "the one that was opened");
    }

    /// One that says nothing at all, and one that says it is done and stays.
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
            // One that has ended and was not waited for would still be there.
            assert!(!FsPath::new("/proc").join(process.trim()).exists(), "{silence}");
        }
    }
}
