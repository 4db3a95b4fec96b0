//! Parses the arguments, then opens the window or runs a command.

use std::{
    ffi::OsString,
    io::IsTerminal as _,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    WindowError, WindowOptions,
    cli::{self, Failure, WindowOutcome, WindowRequest},
    job::{Beginning, OpenError, Zone},
    run_window,
    shutdown::ShutdownSignal,
    source::{
        OpenRequest, Opener,
        embedded::{check_free, opener},
        kept_file::data_file,
    },
    window::open_settings,
    worker::{Secrets, lesson_shelf},
};

/// The whole program. `prepare` may add to the window's context, if there is a window.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    prepare: impl FnOnce(&egui::Context) + 'static,
) -> ExitCode {
    cli::run(arguments, |request, shutdown| window(request, shutdown, prepare))
}

fn window(
    request: WindowRequest,
    shutdown: ShutdownSignal,
    prepare: impl FnOnce(&egui::Context) + 'static,
) -> Result<WindowOutcome, Failure> {
    // Only a terminal shows standard error. Without one, for example from a desktop's menu, the window
    // opens and shows the error. Which store was open last is known to the window alone, so it opens
    // in any case, and the terminal shows the error too.
    let is_terminal = std::io::stderr().is_terminal();
    if let Some(Beginning::Refused(sentence)) = request.beginning.as_ref().filter(|_| is_terminal) {
        return Err(Failure(format!("{sentence}.")));
    }
    // The window has another place for files than a store in use.
    let is_terminal = is_terminal && !request.beginning.as_ref().is_some_and(Beginning::writes);
    if is_terminal && !request.open_last {
        let store = &request.store;
        check_free(store).map_err(|failure| Failure(in_terminal(store, &failure)))?;
    }
    let opener = if is_terminal && request.open_last {
        telling(opener(), |sentence| eprintln!("{sentence}"))
    } else {
        opener()
    };
    let options = WindowOptions {
        request: request.store,
        open_last: request.open_last,
        opener,
        lessons: lesson_shelf::shelf(data_file("lessons.json")),
        secrets: Secrets::system(),
        settings: open_settings(data_file("settings.json")),
        journals: data_file("journals"),
        local_zone: Zone::Local,
        present: request.present,
        lesson: request.lesson,
        beginning: request.beginning,
        shutdown: Some(shutdown),
    };
    match run_window(options, prepare) {
        Ok(()) => Ok(WindowOutcome::Closed),
        Err(WindowError::NoDisplay) => Ok(WindowOutcome::NoDisplay),
        Err(error) => Err(Failure(format!("{error}."))),
    }
}

/// Tells why the first store can't be opened, if another program has it open.
fn telling(open: Opener, tell: impl Fn(&str) + Send + Sync + 'static) -> Opener {
    let is_first = AtomicBool::new(true);
    Arc::new(move |request| {
        let is_first = is_first.swap(false, Ordering::Relaxed);
        open(request).inspect_err(|failure| {
            if is_first && failure.is_in_use {
                tell(&in_terminal(request, failure));
            }
        })
    })
}

/// Why a store can't be opened, and what to type instead.
fn in_terminal(request: &OpenRequest, failure: &OpenError) -> String {
    let Ok(folder) = request.data_folder() else { return failure.message.clone() };
    if !failure.is_in_use {
        return failure.message.clone();
    }
    format!("{}: {} To open another store, run mayfly FOLDER.", folder.display(), failure.message)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use mayfly_engine::engine::{Engine, EngineOptions};

    use super::*;

    #[test]
    fn a_terminal_is_told_once_that_a_store_is_in_use_and_what_to_do() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let data = folder.path().join("store");
        let engine = Engine::open(&data, EngineOptions::default()).expect("a store");
        let told = Arc::new(Mutex::new(Vec::new()));
        let open = telling(opener(), {
            let told = Arc::clone(&told);
            move |sentence| told.lock().expect("no panic").push(sentence.to_owned())
        });
        let request = OpenRequest { folder: Some(data.clone()), ..OpenRequest::default() };
        for _ in 0..2 {
            assert!(open(&request).is_err_and(|failure| failure.is_in_use));
        }
        engine.close().expect("it closes");
        let told = told.lock().expect("no panic");
        let [sentence] = told.as_slice() else { panic!("{told:?}") };
        let begins = format!("{}: The store is in use by another program", data.display());
        assert!(sentence.starts_with(&begins), "{sentence}");
        assert!(sentence.ends_with("To open another store, run mayfly FOLDER."), "{sentence}");
    }
}
