//! The paths of the command line.
//!
//! `cli/named_paths.rs` finds out what the paths of `mayfly PATH…` are: a data folder becomes
//! `OpenRequest::folder`, everything else a `Beginning`. `State::beginning` holds it until the store is open
//! and its databases are known; then `apply/beginning.rs` does what a drop on the window does. Files and
//! backups never go into the demo store, and where their store can't be opened, `stores::in_sandbox` opens
//! one. The import dialog of such files has `ImportDraft::shows_documents`: after an import without
//! surprises, the documents take the place of its result.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf, absolute};

use mayfly_engine::store::is_data_file;
use mayfly_engine::transfer::{
    Compression, ReadOptions, URL, holds_dump, is_dump_archive, is_url, preview,
};

use crate::job::Beginning;
use crate::limits::IMPORT_FILES_MAX;
use crate::source::embedded::DATA_FILE;
use crate::state::transfer::import::file_name;

/// The file that a store makes in its folder before its data file.
const APP_LOCK: &str = "app.lock";

/// Endings of files with documents.
const DATA: [&str; 6] = ["json", "ndjson", "jsonl", "csv", "tsv", "bson"];

/// The ending of a lesson file, and the file in the folder of a course.
const LESSON: &str = "md";
const COURSE: &str = "course.toml";

/// The error for any other file.
const OPENED: &str = "Mayfly opens JSON, NDJSON, CSV and BSON files, also compressed with gzip or \
                      zstd, folders of mongodump, backups and lessons";

/// The paths of a command line, by their contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NamedPaths {
    Nothing,
    /// A data folder, which is made if it is missing.
    Store(PathBuf),
    /// Something to open in a store.
    Beginning(Beginning),
}

/// The contents of one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Store,
    Dump,
    Documents,
    Lesson,
    Backup,
}

/// Finds out what the paths name. Reads at most the beginning of each file.
pub(super) fn sort(paths: &[PathBuf]) -> NamedPaths {
    sorted(paths).unwrap_or_else(|sentence| NamedPaths::Beginning(Beginning::Refused(sentence)))
}

fn sorted(paths: &[PathBuf]) -> Result<NamedPaths, String> {
    let [first, others @ ..] = paths else { return Ok(NamedPaths::Nothing) };
    let all = || paths.iter().map(whole).collect::<Vec<_>>();
    let kind = kind(first)?;
    if others.is_empty() {
        return Ok(match kind {
            Kind::Store => NamedPaths::Store(data_folder(first)),
            Kind::Dump | Kind::Documents => NamedPaths::Beginning(Beginning::Files(all())),
            Kind::Lesson => NamedPaths::Beginning(Beginning::Lessons(all())),
            Kind::Backup => NamedPaths::Beginning(Beginning::Backup(whole(first))),
        });
    }
    for path in paths {
        together(path, kind)?;
    }
    if paths.len() > IMPORT_FILES_MAX {
        return Err(format!("{} files are too many; open up to {IMPORT_FILES_MAX}", paths.len()));
    }
    let beginning = match kind {
        Kind::Lesson => Beginning::Lessons(all()),
        _ => Beginning::Files(all()),
    };
    Ok(NamedPaths::Beginning(beginning))
}

/// A path that means the same from everywhere. Only the disk knows where `..` leads.
fn whole(path: &PathBuf) -> PathBuf {
    let has_parents = path.components().any(|part| part == Component::ParentDir);
    let whole = if has_parents { path.canonicalize() } else { absolute(path) };
    whole.unwrap_or_else(|_| path.clone())
}

/// Whether a path can be opened together with others of a kind.
fn together(path: &Path, others: Kind) -> Result<(), String> {
    let shown = path.display();
    if !path.exists() {
        return Err(format!("{shown} doesn't exist"));
    }
    match kind(path)? {
        Kind::Store => Err(format!("{shown} is a store; open one store at a time, without files")),
        Kind::Dump if path.is_file() => {
            Err(format!("{shown} is an archive; open one at a time, without files"))
        }
        Kind::Dump => Err(format!("{shown} is a folder; open one folder at a time, without files")),
        Kind::Backup => Err(format!("{shown} is a backup; open one at a time, without files")),
        kind if kind != others => {
            Err("Open lessons and other files one after the other".to_owned())
        }
        _ => Ok(()),
    }
}

fn kind(path: &Path) -> Result<Kind, String> {
    if is_url(path) && !path.exists() {
        return Err(format!("{} {URL}", path.display()));
    }
    let about = match path.metadata() {
        Ok(about) => about,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A data folder is made where there is nothing.
            let is_file = is_documents(path) || has_ending(path, LESSON);
            return if is_file {
                Err(format!("{} doesn't exist", path.display()))
            } else {
                Ok(Kind::Store)
            };
        }
        Err(error) => return Err(format!("Can't open {}: {error}", path.display())),
    };
    if about.is_dir() {
        return folder_kind(path);
    }
    if !about.is_file() {
        return Err(format!("{} is not a regular file; save it to one first", path.display()));
    }
    let is_data_file =
        is_data_file(path).map_err(|error| format!("Can't open {}: {error}", path.display()))?;
    match is_data_file {
        true if file_name(path) == DATA_FILE => Ok(Kind::Store),
        true => Ok(Kind::Backup),
        false if has_ending(path, LESSON) => Ok(Kind::Lesson),
        false if is_dump_archive(path) => Ok(Kind::Dump),
        // Its dialog says what is wrong with it.
        false if is_documents(path) => Ok(Kind::Documents),
        false => match preview(path, &ReadOptions::default()) {
            Ok(found) if !found.documents.is_empty() => Ok(Kind::Documents),
            _ => Err(format!("{} is of no known kind. {OPENED}", path.display())),
        },
    }
}

fn folder_kind(folder: &Path) -> Result<Kind, String> {
    if folder.join(DATA_FILE).exists() || folder.join(APP_LOCK).exists() {
        return Ok(Kind::Store);
    }
    if folder.join(COURSE).is_file() {
        return Ok(Kind::Lesson);
    }
    if holds_dump(folder) {
        return Ok(Kind::Dump);
    }
    let shown = folder.display();
    let is_new = is_new(folder).map_err(|error| format!("Can't open {shown}: {error}"))?;
    let what = format!(
        "{shown} has files, but no store and no files of mongodump. Name the files to import them, \
         or a new folder to create a store"
    );
    if is_new { Ok(Kind::Store) } else { Err(what) }
}

/// Whether nothing visible is in a folder.
fn is_new(folder: &Path) -> io::Result<bool> {
    for entry in folder.read_dir()? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        // Hidden files don't count, so that a store can be made there without asking.
        if !name.starts_with('.') && name != "lost+found" {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The data folder that a path names: itself, or the folder of a data file.
fn data_folder(path: &Path) -> PathBuf {
    if !path.is_file() {
        return path.to_owned();
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new(".")).to_owned()
}

/// Whether a file's name is that of a file with documents.
fn is_documents(path: &Path) -> bool {
    let name = file_name(path).to_lowercase();
    let bare = Compression::bare_name(&name);
    bare != name || DATA.iter().any(|ending| has_ending(Path::new(bare), ending))
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(|has| has.eq_ignore_ascii_case(ending))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use mayfly_engine::engine::{Engine, EngineOptions};
    use mayfly_engine::store::{Store, StoreOptions};

    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["empty", "dump/shop", "course", "photos"] {
            fs::create_dir_all(at(name)).expect("a folder");
        }
        for (name, bytes) in [
            ("people.json", &b"{\"a\": 1}"[..]),
            ("größe 1.CSV", b"a,b\n1,2\n"),
            ("day.ndjson.gz", b"not yet compressed"),
            ("app.log", b"{\"a\": 1}\n{\"a\": 2}\n"),
            ("broken.json", b"{"),
            ("photo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
            ("letter.txt", b"Dear reader\n"),
            ("first.md", b"# First"),
            ("dump/shop/carts.bson", b""),
            ("course/course.toml", b""),
            ("photos/photo.png", b"\x89PNG"),
            ("empty/.DS_Store", b""),
        ] {
            fs::write(at(name), bytes).expect("a file");
        }
        let engine = Engine::open(&at("store"), EngineOptions::default()).expect("a store");
        engine.close().expect("closed");
        let (store, _) = Store::open(&at("store"), &StoreOptions::default()).expect("a store");
        store
            .backup_to(&at("store.backup"), &mut |_| std::ops::ControlFlow::Continue(()))
            .expect("a backup");
        folder
    }

    fn named(folder: &tempfile::TempDir, names: &[&str]) -> NamedPaths {
        let paths: Vec<_> = names.iter().map(|name| folder.path().join(name)).collect();
        sort(&paths)
    }

    #[test]
    fn a_path_is_known_by_what_is_there() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        let store = |name: &str| NamedPaths::Store(at(name));
        let begins = NamedPaths::Beginning;
        let files = |name: &str| begins(Beginning::Files(vec![at(name)]));
        let lessons = |name: &str| begins(Beginning::Lessons(vec![at(name)]));
        for (name, expected) in [
            ("store", store("store")),
            ("store/data.mdb", store("store")),
            ("empty", store("empty")),
            ("missing", store("missing")),
            ("dump", files("dump")),
            ("dump/shop", files("dump/shop")),
            ("people.json", files("people.json")),
            ("größe 1.CSV", files("größe 1.CSV")),
            ("day.ndjson.gz", files("day.ndjson.gz")),
            ("app.log", files("app.log")),
            ("broken.json", files("broken.json")),
            ("first.md", lessons("first.md")),
            ("course", lessons("course")),
            ("store.backup", begins(Beginning::Backup(at("store.backup")))),
        ] {
            assert_eq!(named(&folder, &[name]), expected, "{name}");
        }
        assert_eq!(sort(&[]), NamedPaths::Nothing);
        let files = vec![at("people.json"), at("größe 1.CSV")];
        let found = named(&folder, &["people.json", "größe 1.CSV"]);
        assert_eq!(found, begins(Beginning::Files(files)));
    }

    #[test]
    fn a_sentence_says_what_cannot_be_opened() {
        let folder = folder();
        let many: Vec<_> = std::iter::repeat_n("people.json", IMPORT_FILES_MAX + 1).collect();
        for (names, end) in [
            (&["missing.json"][..], "missing.json doesn't exist"),
            (&["missing.bson.zst"], "missing.bson.zst doesn't exist"),
            (&["people.json", "missing"], "missing doesn't exist"),
            (&["photo.png"], OPENED),
            (&["letter.txt"], OPENED),
            (&["photos"], "or a new folder to create a store"),
            (&["people.json", "photo.png"], OPENED),
            (&["people.json", "store"], "is a store; open one store at a time, without files"),
            (&["store", "store"], "is a store; open one store at a time, without files"),
            (&["dump", "dump/shop"], "is a folder; open one folder at a time, without files"),
            (&["people.json", "store.backup"], "is a backup; open one at a time, without files"),
            (&["people.json", "first.md"], "Open lessons and other files one after the other"),
            (&many, "101 files are too many; open up to 100"),
        ] {
            let NamedPaths::Beginning(Beginning::Refused(sentence)) = named(&folder, names) else {
                panic!("{names:?}");
            };
            assert!(sentence.ends_with(end), "{names:?}: {sentence}");
        }
    }

    #[test]
    fn a_relative_path_becomes_a_whole_one() {
        let file = tempfile::Builder::new().suffix(".json").tempfile_in(".").expect("a file");
        let name = file.path().file_name().expect("a name");
        let here = std::env::current_dir().expect("a folder");
        let expected = Beginning::Files(vec![here.join(name)]);
        let in_parent = Path::new("..").join(here.file_name().expect("a name")).join(name);
        for path in [name.into(), Path::new(".").join(name), in_parent] {
            assert_eq!(sort(&[path]), NamedPaths::Beginning(expected.clone()));
        }
    }
}
