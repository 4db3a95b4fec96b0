//! The prompt of `mayfly shell`: line editing, history and Tab.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use rustyline::completion::Completer;
use rustyline::config::{CompletionType, Config};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper};

use super::{Failure, shell::Running};
use crate::job::invisible::{mark, with_marks};
use crate::limits::SHELL_HISTORY_MAX;
use crate::shell::{Output, Shell, is_complete};
use crate::shutdown::ShutdownSignal;

/// Answers the line editor.
struct Tab(Rc<RefCell<Shell>>);

impl Completer for Tab {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let found = self.0.borrow().complete(line, position);
        // The editor prints a name of a server as it is.
        let found: Vec<_> =
            found.into_iter().filter(|word| word.text.chars().all(|c| mark(c).is_none())).collect();
        let start = found.first().map_or(position, |first| first.start);
        Ok((start, found.into_iter().map(|completion| completion.text).collect()))
    }
}

impl Hinter for Tab {
    type Hint = String;
}

impl Highlighter for Tab {}
impl Validator for Tab {}
impl Helper for Tab {}

/// Reads and runs inputs until Ctrl+D or `exit`.
///
/// # Errors
/// The terminal can't be read.
pub(super) fn run(
    shell: Shell,
    shutdown: &ShutdownSignal,
    running: &mut Running,
    out: &mut dyn FnMut(Output),
) -> Result<(), Failure> {
    let failed = |error: ReadlineError| Failure(format!("Can't read the terminal: {error}."));
    let shell = Rc::new(RefCell::new(shell));
    let mut editor = editor(&shell).map_err(failed)?;
    let history = history_file();
    if let Some(file) = &history {
        // The first time there is none.
        let _ = editor.load_history(file);
    }
    let mut input = String::new();
    loop {
        let prompt = if input.is_empty() {
            format!("{}> ", with_marks(&shell.borrow().database()))
        } else {
            "… ".to_owned()
        };
        let line = running.reading(|| editor.readline(&prompt));
        if shutdown.is_requested() {
            return Ok(());
        }
        match line {
            Ok(line) => {
                input.push_str(&line);
                input.push('\n');
                if !is_complete(&input) {
                    continue;
                }
                let text = std::mem::take(&mut input);
                if is_exit(&text) {
                    return Ok(());
                }
                if !text.trim().is_empty() {
                    remember(&mut editor, history.as_ref(), text.trim_end());
                }
                shell.borrow_mut().run_input(&text, &running.renew(), out);
                // Ctrl+C stops an input, not the shell.
                shutdown.forget();
            }
            Err(ReadlineError::Interrupted) => input.clear(),
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Ends the wait for a line after another signal: of them all, the line editor sees only SIGINT.
pub(super) fn interrupt() {
    #[cfg(unix)]
    {
        use nix::sys::signal::{Signal, kill};
        use nix::unistd::Pid;

        // Can't fail: every process may signal itself.
        let _ = kill(Pid::this(), Signal::SIGINT);
    }
}

fn editor(shell: &Rc<RefCell<Shell>>) -> rustyline::Result<Editor<Tab, FileHistory>> {
    let config = Config::builder()
        .max_history_size(SHELL_HISTORY_MAX)?
        .history_ignore_space(true)
        .completion_type(CompletionType::List)
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(Tab(Rc::clone(shell))));
    Ok(editor)
}

/// A history that can't be written is only missing the next time.
fn remember(editor: &mut Editor<Tab, FileHistory>, file: Option<&PathBuf>, input: &str) {
    let added = editor.add_history_entry(input).unwrap_or(false);
    if let Some(file) = file.filter(|_| added) {
        let _ = file.parent().map(std::fs::create_dir_all);
        let _ = editor.append_history(file);
    }
}

/// The platform's folder for what a program keeps between two starts.
fn history_file() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", "mayfly")?;
    let folder = folders.state_dir().unwrap_or_else(|| folders.data_local_dir());
    Some(folder.join("shell_history"))
}

fn is_exit(text: &str) -> bool {
    let word = text.trim().trim_end_matches(';').trim_end_matches("()");
    matches!(word, "exit" | "quit")
}
