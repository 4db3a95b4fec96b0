//! Standard input and standard output in place of a file.
//!
//! Both go through a temporary file: an import looks at its file several times, and an export writes
//! all documents or none.

use std::io;
use std::path::{Path, PathBuf};

use mayfly_engine::store::{create_chosen, open_chosen};
use tempfile::TempDir;

use super::{
    Failure,
    args::{Export, Import},
};

/// The file of rejected documents of standard input, in the working directory.
const REJECTS: &str = "stdin.rejected.jsonl";

/// Ends the sentence of an import from standard input that stopped.
pub(super) const INPUT_CHOICES: &str =
    "Send the input again with --mode skip to import the rest, or with --drop to start over.";

/// Whether a path is `-`.
pub(super) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The file that standard input or output goes through. Dropping it deletes it.
struct Spool {
    folder: TempDir,
    name: &'static str,
}

impl Spool {
    fn new(name: &'static str) -> Result<Self, Failure> {
        let folder =
            tempfile::Builder::new().prefix("mayfly-").tempdir().map_err(|error| wrong(&error))?;
        Ok(Self { folder, name })
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(self.name)
    }

    /// A sentence about the file, which the user knows by another name.
    fn named(&self, Failure(sentence): Failure) -> Failure {
        let (path, name) = (self.path(), if self.name == "stdin" { "input" } else { "output" });
        Failure(sentence.replace(&path.display().to_string(), &format!("Standard {name}")))
    }
}

fn wrong(error: &io::Error) -> Failure {
    let folder = std::env::temp_dir();
    Failure(format!(
        "Can't write to the folder for temporary files, {}: {error}.",
        folder.display()
    ))
}

/// Imports standard input with `import`.
///
/// # Errors
/// As the import, when there are other files too, or an option needs the input a second time.
pub(super) fn import(
    args: &Import,
    import: impl FnOnce(&Import) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if args.files.len() > 1 {
        let sentence = "Standard input (-) is imported alone; import the files in another command.";
        return Err(Failure(sentence.to_owned()));
    }
    let again = [("--resume", args.resume), ("--roll-back", args.roll_back)];
    if let Some((option, _)) = again.iter().find(|(_, is_given)| *is_given) {
        return Err(Failure(format!(
            "{option} needs the file again, but standard input (-) can be read only once."
        )));
    }
    let spool = Spool::new("stdin")?;
    let mut file = create_chosen(&spool.path()).map_err(|error| wrong(&error))?;
    io::copy(&mut io::stdin().lock(), &mut file).map_err(|error| wrong(&error))?;
    drop(file);
    let rejects = std::env::current_dir().map_err(|error| wrong(&error))?.join(REJECTS);
    let files = vec![spool.path()];
    let of_file = Import { files, rejects: Some(rejects), ..args.clone() };
    import(&of_file).map_err(|failure| spool.named(failure))
}

/// Exports to standard output with `export`.
///
/// # Errors
/// As the export, for a folder, or when the output is closed early.
pub(super) fn export(
    args: &Export,
    export: impl FnOnce(&Export) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let refused = [
        (args.collection.is_none(), "A folder can't go to standard output (-); add --collection."),
        (args.indexes, "--indexes writes a second file; write to a file instead of - to use it."),
    ];
    if let Some((_, sentence)) = refused.iter().find(|(is_refused, _)| *is_refused) {
        return Err(Failure((*sentence).to_owned()));
    }
    let spool = Spool::new("stdout")?;
    let to_file = Export { output: spool.path(), is_piped: true, ..args.clone() };
    export(&to_file).map_err(|failure| spool.named(failure))?;
    let mut file = open_chosen(&spool.path()).map_err(|error| wrong(&error))?;
    match io::copy(&mut file, &mut io::stdout().lock()) {
        // The reader has enough, such as `head`.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure(format!("Can't write to standard output: {error}.")))
        }
        _ => Ok(()),
    }
}
