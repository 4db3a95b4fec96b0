//! Documents from and to a server on the command line.

use std::sync::Arc;

use bson::Document;
use mayfly_engine::catalog::Namespace;
use mayfly_engine::clock::SystemClock;
use mayfly_engine::transfer::{
    DumpChoice, ExportFile, ExportFormat, ImportRequest, Losses, Progress,
};

use super::Failure;
use super::args::{Export, Import};
use super::export::{compression, say_count, warn_of};
use super::import::{Way, check_fields, keep_distance, leave, resumption, roll_back, transfer};
use super::import_dump;
use super::progress_line::with_progress;
use crate::job::{Cancel, ConnectionString, Keeping, Server, ServerMark};
use crate::limits::REHEARSED_DOCS_MAX;
use crate::source::kept_file::data_file;
use crate::source::{Opened, Source, Transfers, remote};
use crate::worker::result_file::ResultFile;
use crate::worker::transfer;

/// Attaches to the server that the variable's connection string names.
pub(super) fn attach(
    variable: &str,
    is_quiet: bool,
) -> Result<(Arc<dyn Source>, ConnectionString), Failure> {
    attach_with(variable, is_quiet, |string| {
        remote::open_string(string, data_file("journals").as_deref())
    })
}

/// The same with what is known of the server.
pub(super) fn open(variable: &str) -> Result<Opened, Failure> {
    Ok(attach_with(variable, false, attached)?.0)
}

/// The server that a string names, with what is known of it.
pub(super) fn attached(string: &ConnectionString) -> Result<Opened, String> {
    let (string, mark) = (string.clone(), ServerMark::default());
    let server =
        Server { string, mark, keeping: Keeping::AsBefore, journals: data_file("journals") };
    let opened = remote::attach(&server, &Cancel::default(), &|_| ());
    opened.map_err(|failed| failed.sentence)
}

fn attach_with<T>(
    variable: &str,
    is_quiet: bool,
    open: impl FnOnce(&ConnectionString) -> Result<T, String>,
) -> Result<(T, ConnectionString), Failure> {
    let text = std::env::var(variable).map_err(|_| {
        let example = "mongodb://localhost:27017";
        Failure(format!(
            "The variable {variable} is not set; set it to a string such as {example}."
        ))
    })?;
    let (source, string) =
        remote::open_by(&text, open).map_err(|sentence| Failure(format!("{sentence}.")))?;
    if !is_quiet {
        for note in &string.notes {
            eprintln!("{note}.");
        }
        eprintln!("Attached to {}, read-only.", string.name());
    }
    Ok((source, string))
}

/// The way for files of a server.
///
/// # Errors
/// When it has none.
pub(super) fn transfers(source: &dyn Source) -> Result<&dyn Transfers, Failure> {
    let what = "Imports and exports are not supported for this server.";
    source.transfers().ok_or_else(|| Failure(what.to_owned()))
}

/// Checks that the user repeated the name of the target, unless the server is near.
///
/// # Errors
/// The name is missing or wrong; the sentence says which argument to add.
pub(super) fn check_confirmed(
    args: &Import,
    string: &ConnectionString,
    target: &str,
) -> Result<(), Failure> {
    if string.is_near() || args.confirm.as_deref() == Some(target) {
        return Ok(());
    }
    Err(Failure(format!(
        "{} is neither this machine nor in a private network. To write to it, add --confirm \
         {target}.",
        string.name()
    )))
}

/// Imports files into a server, or ends an import of them that stopped. The last line of standard output
/// has the counts.
///
/// # Errors
/// One sentence, with what was stored so far.
pub(super) fn import(
    variable: &str,
    args: &Import,
    mut request: ImportRequest,
    beside: Option<DumpChoice>,
) -> Result<(), Failure> {
    if args.indexes {
        let sentence = "--indexes is not supported for a server; create them with mayfly shell.";
        return Err(Failure(sentence.to_owned()));
    }
    let (source, string) = attach(variable, true)?;
    check_confirmed(args, &string, &request.namespace.collection)?;
    let transfers = transfers(source.as_ref())?;
    keep_distance(&args.keep_distance, source.now_ms(), &mut request.types)?;
    let all = transfers.unfinished().map_err(Failure::from_error)?;
    let known = all.into_iter().rev().find(|known| known.is_of(&request));
    source.set_locked(false);
    let done = match Way::of(args, known, &request)? {
        Way::Resume(known) => {
            if let Some(choice) = beside {
                import_dump::say_left_out(&choice);
            }
            let request = resumption(&known, args);
            transfer(args, &SystemClock, |progress| transfers.resume(request, progress))
        }
        Way::RollBack(known) => {
            roll_back(&SystemClock, |progress| transfers.roll_back(known.id, progress))
        }
        Way::Leave(known) => leave(&known, transfers.leave(known.id)),
        Way::Begin => {
            if !request.drop {
                warn_of_overdue(transfers, &request);
            }
            check_fields(&request)?;
            let now_ms = source.now_ms();
            transfer(args, &SystemClock, |progress| match beside {
                Some(choice) => {
                    let choice = import_dump::for_server(choice);
                    import_dump::with_metadata(&request, choice, now_ms, |wanted| {
                        transfers.import_dump(wanted, progress)
                    })
                }
                None => transfers.import(&request, progress),
            })
        }
    };
    if args.rejects.is_some() {
        // Standard input can't be read again, so nothing could resume its import.
        let all = transfers.unfinished().map_err(Failure::from_error)?;
        for known in all.iter().filter(|known| known.is_of(&request)) {
            transfers.leave(known.id).map_err(Failure::from_error)?;
        }
    }
    source.close();
    done
}

/// Warns how many of the first documents the collection's TTL indexes would remove.
fn warn_of_overdue(transfers: &dyn Transfers, request: &ImportRequest) {
    let (namespace, options) = (&request.namespace, request.read_options());
    for file in &request.files {
        let progress = Progress::new();
        let found = transfers.rehearse(namespace, file, &options, REHEARSED_DOCS_MAX, &progress);
        // A file that can't be read is reported by the import.
        let Ok(found) = found else { return };
        if found.overdue > 0 {
            eprintln!(
                "{} of the first {} documents in {} are already expired in {namespace} and will be \
                 removed by the next pass.",
                found.overdue,
                found.documents,
                file.display()
            );
        }
    }
}

/// Exports documents of a server to a file. The last line of standard output is the count.
///
/// # Errors
/// One sentence; there is no new file then.
pub(super) fn export(
    variable: &str,
    args: &Export,
    namespace: &Namespace,
    find: Document,
    format: ExportFormat,
) -> Result<(), Failure> {
    if args.indexes {
        return Err(Failure("--indexes is not supported for a server.".to_owned()));
    }
    let (source, _) = attach(variable, true)?;
    let progress = Progress::new();
    let path = std::path::absolute(&args.output).map_err(Failure::from_error)?;
    let file = ExportFile { path, format, compression: compression(args) };
    let file = ResultFile { db: namespace.db.clone(), command: find, file };
    let written = with_progress(&SystemClock, &progress, || {
        let mut warn = |losses: &Losses| warn_of(losses, &file.file.format);
        file.write(source.as_ref(), args.overwrite, &progress, &mut warn)
    })?;
    source.close();
    let report = written.map_err(sentence)?;
    if let Some(lookalikes) = report.lookalikes {
        eprintln!("Warning: {lookalikes}");
    }
    say_count(args, report.exported);
    Ok(())
}

/// Why there is no new file.
pub(super) fn sentence(failure: transfer::Failure) -> Failure {
    match failure {
        transfer::Failure::Failed(sentence) => {
            let stop = if sentence.ends_with('.') { "" } else { "." };
            Failure(format!("{sentence}{stop}"))
        }
        transfer::Failure::Cancelled => Failure("Canceled. No file was written.".to_owned()),
        transfer::Failure::Exists(files) => {
            let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
            let (files, exist) =
                (files.join(" and "), if files.len() == 1 { "exists" } else { "exist" });
            Failure(format!("{files} {exist}; add --overwrite, or choose another name."))
        }
    }
}
