//! Names that must be absent from some folders: one test for each invariant of the house.

use super::source::{APP, ENGINE, Source, rust_files};

/// Lines of a file, without its tests.
const FILE_LINES_MAX: usize = 500;

/// Lines of a file that has one subject and would only be cut by the ruler.
const ONE_SUBJECT_LINES_MAX: usize = 600;

/// The files with one subject that are longer than the others may be.
const ONE_SUBJECT: [&str; 6] = [
    "app/program/src/cli/args.rs",
    "app/session/src/limits.rs",
    "engine/core/src/catalog/rules/index_spec.rs",
    "engine/core/src/collection/write/document_writer.rs",
    "engine/core/src/command/crud/bulk_write.rs",
    "engine/value/src/limits.rs",
];

/// Lines of a function, from its head to its closing brace.
const FUNCTION_LINES_MAX: usize = 70;

/// Fails with every line of `files` outside `allowed` that holds one of `words`.
fn check_absent(files: &[Source], words: &[&str], allowed: &[&str], rule: &str) {
    let mut broken = Vec::new();
    for file in files.iter().filter(|file| !file.is_tests()) {
        if allowed.iter().any(|prefix| file.path.starts_with(prefix)) {
            continue;
        }
        for (number, line) in file.code() {
            if let Some(word) = words.iter().find(|word| line.contains(**word)) {
                broken.push(format!("{}:{number} names `{word}`: {}", file.path, line.trim()));
            }
        }
    }
    assert!(broken.is_empty(), "{rule}\n{}", broken.join("\n"));
}

/// Fails unless some line of the files below `prefix` holds `word`: the allowance is in use.
fn check_present(files: &[Source], prefix: &str, word: &str) {
    let used = is_present(files, prefix, word);
    assert!(used, "nothing below {prefix} names `{word}` any more: mend this test");
}

fn is_present(files: &[Source], prefix: &str, word: &str) -> bool {
    files
        .iter()
        .filter(|file| file.path.starts_with(prefix))
        .any(|file| file.code().any(|(_, line)| line.contains(word)))
}

fn all() -> Vec<Source> {
    rust_files(&[ENGINE, APP].concat())
}

#[test]
fn only_the_remote_source_names_the_driver() {
    let driver = "app/session/src/source/remote/";
    // The code that a query is copied as names the driver in text.
    let allowed = [driver, "app/model/src/state/code/rust.rs"];
    check_absent(&all(), &["mongodb::"], &allowed, "the driver is the remote source's");
    check_present(&all(), driver, "mongodb::");
    let runtime = "app/session/src/source/remote/runtime.rs";
    let engine = "engine/core/src/archive/s3/";
    let relay = "app/session/src/source/remote/relay";
    let allowed = [runtime, relay, engine];
    check_absent(&all(), &["tokio::"], &allowed, "the runtime and what runs on it name tokio");
    check_present(&all(), runtime, "tokio::");
}

/// Passwords leave the program through one door, whose errors never show one.
#[test]
fn only_secrets_names_the_keyring() {
    let door = "app/session/src/source/secrets.rs";
    check_absent(&all(), &["keyring::"], &[door], "the keyring is the file secrets.rs's");
    check_present(&all(), door, "keyring::");
}

#[test]
fn only_store_env_is_unsafe() {
    let words = ["unsafe {", "unsafe fn", "unsafe impl", "allow(unsafe_code", "expect(unsafe_code"];
    check_absent(
        &all(),
        &words,
        &["engine/store/src/store/txn/env.rs", "app/window/src/renderer.rs"],
        "unsafe stays in store/txn/env.rs, and in one query of OpenGL",
    );
    check_present(&all(), "engine/store/src/store/txn/env.rs", "unsafe {");
    check_present(&all(), "app/window/src/renderer.rs", "unsafe {");
}

/// A process that closes LMDB's lock file anywhere drops the lock that LMDB holds on it.
#[test]
fn only_the_folder_touches_the_lock_file() {
    check_absent(
        &all(),
        &["lock.mdb"],
        &["engine/store/src/store/file/folder.rs"],
        "LMDB's lock stays LMDB's",
    );
    check_present(&all(), "engine/store/src/store/file/folder.rs", "lock.mdb");
}

/// A file that the user chose, or a name in such a folder, may be that lock file.
#[test]
fn files_are_opened_by_the_function_that_knows_locks() {
    let words = [
        "File::open(",
        "File::create(",
        "File::create_new(",
        "File::options(",
        "OpenOptions::new(",
        "fs::read(",
        "fs::read_to_string(",
        "fs::write(",
        "fs::copy(",
    ];
    let allowed = [
        // The function, and what it calls; LMDB's own opener has such a name too.
        "engine/store/src/store/file/app_lock.rs",
        "engine/store/src/store/txn/env.rs",
        "engine/store/src/store/file/folder.rs",
        // Fixed names: Linux's own files, a folder, the mark of the demo store, the locks of a sandbox and
        // of the settings.
        "app/session/src/pace.rs",
        "app/session/src/shutdown.rs",
        "app/session/src/source/kept_file.rs",
        "app/session/src/source/sample_mark.rs",
        "app/session/src/source/sandbox_folder.rs",
        // Journals: files whose names only it makes.
        "app/session/src/worker/journal/file.rs",
        "app/session/src/source/remote/import_file.rs",
        // Copies the folder of a store that is closed.
        "app/session/src/source/move_folder.rs",
        "engine/store/src/clock/system.rs",
        "engine/core/src/command/admin/host_info.rs",
        "engine/core/src/command/admin/server_status.rs",
        "engine/core/src/wire/unix_socket.rs",
        // Reads before any store is open.
        "app/program/src/cli/script_file.rs",
        // The command opens no store.
        "app/program/src/cli/generate.rs",
        // Compiled for tests alone.
        "engine/core/src/command/testing.rs",
        "engine/store/src/store/testing.rs",
    ];
    check_absent(&all(), &words, &allowed, "open files with store::open_chosen or its like");
    let files = all();
    for file in allowed {
        let used = words.iter().any(|word| is_present(&files, file, word));
        assert!(used, "{file} opens no file any more: mend this test");
    }
}

/// Stored, compared and shown times are in UTC, or in the zone that a command names.
#[test]
fn nobody_reads_the_zone_of_the_system() {
    check_absent(
        &all(),
        &["chrono::Local", "Local::now", "offset::Local", "\"TZ\""],
        &[],
        "UTC only",
    );
}

#[test]
fn only_collection_writes_documents_entries_and_counters() {
    let words = [
        ".put_document(",
        ".delete_document(",
        ".put_entry(",
        ".delete_entry(",
        ".set_counters(",
        ".clear_documents(",
        ".clear_entries(",
    ];
    let allowed = ["engine/core/src/collection/", "engine/store/src/store/"];
    check_absent(&all(), &words, &allowed, "documents are written in collection only");
    check_present(&all(), "engine/core/src/collection/", ".put_document(");
}

#[test]
fn only_the_system_clock_reads_the_time() {
    let words = ["SystemTime::now", "Instant::now", "Utc::now", "Local::now", "clock_gettime"];
    let files = rust_files(ENGINE);
    check_absent(&files, &words, &["engine/store/src/clock/system.rs"], "time is passed in");
    check_present(&files, "engine/store/src/clock/system.rs", "clock_gettime");
}

#[test]
fn only_owners_start_threads() {
    let allowed = [
        "engine/core/src/engine.rs",
        "engine/core/src/engine/",
        "engine/core/src/reaper/thread.rs",
        "engine/store/src/store/copy/stream.rs",
        "engine/core/src/transfer/",
        "engine/core/src/wire/",
        "app/session/src/worker/",
        "app/program/src/cli/",
        "app/session/src/lessons/check/",
        "app/session/src/shell/watch.rs",
        "app/session/src/source/remote/runtime.rs",
    ];
    let words = ["thread::spawn", "thread::Builder"];
    check_absent(&all(), &words, &allowed, "threads are started by their owners");
    check_absent(&all(), &["thread::spawn("], &[], "threads have names");
}

#[test]
fn pure_layers_do_no_io() {
    let files: Vec<Source> =
        rust_files(&["engine/value/src/value", "engine/value/src/ttl", "engine/value/src/query"]);
    let words = ["std::fs", "std::net", "std::process", "std::thread", "std::env", "File::open"];
    check_absent(&files, &words, &[], "value, ttl and query do no input or output");
}

#[test]
fn only_command_query_and_pipeline_name_error_numbers() {
    let files = rust_files(ENGINE);
    let words = ["11000", "40415", "10107", "40324", "6049202", "5979800"];
    let allowed =
        ["engine/core/src/command/", "engine/value/src/query/", "engine/core/src/pipeline/"];
    check_absent(&files, &words, &allowed, "command, query and pipeline name MongoDB's numbers");
    check_present(&files, "engine/value/src/query/code.rs", "40415");
}

#[test]
fn colours_stand_only_in_theme() {
    let words = ["Color32::from_rgb", "Color32::from_rgba", "Color32::from_gray", "hex_color!"];
    let named = ["Color32::WHITE", "Color32::BLACK", "Color32::RED", "Color32::GREEN"];
    let files = rust_files(APP);
    check_absent(&files, &words, &["app/window/src/theme/"], "a colour stands only in theme");
    check_absent(&files, &named, &["app/window/src/theme/"], "a colour stands only in theme");
}

#[test]
fn panels_do_not_touch_the_engine() {
    let files = rust_files(&["app/window/src/panels", "app/window/src/dialogs"]);
    let words = ["std::fs", "Engine", ".run(", "std::thread"];
    check_absent(&files, &words, &[], "panels read state and push actions");
}

#[test]
fn the_clipboard_has_one_door() {
    let files = rust_files(APP);
    let (effect, door) = ("WindowEffect::Copy(", "app/model/src/apply/clipboard.rs");
    check_absent(
        &files,
        &[effect],
        &[door, "app/window/src/app.rs"],
        "copies go through apply::clipboard",
    );
    check_absent(
        &files,
        &["copy_text("],
        &["app/window/src/app.rs"],
        "the window copies for effects only",
    );
    check_present(&files, door, effect);
}

#[test]
fn files_are_short() {
    let long: Vec<String> = rust_files(&[ENGINE, APP, &["tests"]].concat())
        .iter()
        .map(|file| (file, file.lines_above_tests()))
        .filter(|(file, lines)| {
            let has_one_subject = ONE_SUBJECT.contains(&file.path.as_str());
            let bound = if has_one_subject { ONE_SUBJECT_LINES_MAX } else { FILE_LINES_MAX };
            !file.is_tests() && *lines > bound
        })
        .map(|(file, lines)| format!("{}: {lines} lines", file.path))
        .collect();
    assert!(long.is_empty(), "at most {FILE_LINES_MAX} lines without tests\n{}", long.join("\n"));
}

#[test]
fn functions_are_short() {
    let mut long = Vec::new();
    let mut seen = 0;
    for file in all().iter().filter(|file| !file.is_tests()) {
        let mut open: Option<(usize, usize, String)> = None;
        for (number, line) in file.code() {
            let indent = line.len() - line.trim_start().len();
            if let Some((start, depth, name)) = &open {
                if indent == *depth && line.trim_start().starts_with('}') {
                    seen += 1;
                    if number - start >= FUNCTION_LINES_MAX {
                        long.push(format!("{}:{start} {name}: {}", file.path, number - start + 1));
                    }
                    open = None;
                }
            } else if let Some(name) = function_name(line)
                && !line.trim_end().ends_with(['}', ';'])
            {
                open = Some((number, indent, name));
            }
        }
    }
    assert!(seen > 100, "only {seen} functions seen: this test no longer reads the source");
    assert!(long.is_empty(), "at most {FUNCTION_LINES_MAX} lines a function\n{}", long.join("\n"));
}

fn function_name(line: &str) -> Option<String> {
    let (head, rest) = line.split_once("fn ")?;
    let plain = head.trim().split(' ').all(|word| {
        word.is_empty() || word.starts_with("pub") || matches!(word, "const" | "async" | "in")
    });
    plain.then(|| rest.split(['(', '<']).next().unwrap_or_default().to_owned())
}

#[test]
fn nothing_is_left_open() {
    let words = ["todo!(", "unimplemented!(", "dbg!(", "#[ignore"];
    let files = rust_files(&["engine", "app", "tests/src", "tests/examples"]);
    let mut broken = Vec::new();
    for file in &files {
        for (number, line) in file.text.lines().enumerate() {
            if words.iter().any(|word| line.contains(word)) {
                broken.push(format!("{}:{}: {}", file.path, number + 1, line.trim()));
            }
        }
    }
    assert!(broken.is_empty(), "stubs and skipped tests\n{}", broken.join("\n"));
}
