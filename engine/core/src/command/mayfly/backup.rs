//! `mayflyBackup`: a backup of the store while it is in use.

use std::{ops::ControlFlow, path::PathBuf};

use bson::{Bson, doc, raw::RawBsonRef};

use crate::{
    archive::missing_from_backup,
    collection::backup_damage,
    command::core::{Answer, Code, Command, CommandError, Context, Request, long, raw, required},
    plan::check_interrupt,
};

/// `{mayflyBackup: 1, to: path}`: the reply has `bytes` and the backups `kept`, the new one first,
/// and says in `notIncluded` where archived documents lie, which no backup has. When the store
/// holds damaged rows, `file` is another name than was asked for, no backup before it is lost, and
/// `damaged` (how many) and `warning` say why. Ends at `killOp` and at `maxTimeMS`. Only the
/// program itself may send it: a client of the listener has no business with the files of this
/// computer.
pub static COMMAND: Command = Command::admin("mayflyBackup", &[required("to")], run);

fn run(context: &Context, request: &Request<'_>) -> Answer {
    if request.client.connection_id != 0 {
        return Err(CommandError::new(
            Code::UNAUTHORIZED,
            "mayflyBackup is available only in the window; clients can't write local files",
        ));
    }
    let path = request.get("to")?.and_then(RawBsonRef::as_str).map(PathBuf::from);
    let Some(path) = path.filter(|path| path.is_absolute()) else {
        return Err(CommandError::bad_value("to must be the absolute path of the file to write"));
    };
    let done = context.collections.store().backup_to(&path, &mut |_| match check_interrupt() {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    });
    // Of the two the interruption says why.
    check_interrupt()?;
    let report = done?;
    let kept: Vec<Bson> =
        report.kept.iter().map(|path| path.to_string_lossy().into_owned().into()).collect();
    let file = report.file.to_string_lossy().into_owned();
    let mut reply = doc! { "bytes": long(report.bytes), "file": file, "kept": kept };
    let store = context.collections.store();
    if let Some(sentence) = backup_damage(store, &report) {
        reply.insert("damaged", long(report.damaged.count));
        reply.insert("warning", sentence);
    }
    if let Some(sentence) = missing_from_backup(store)? {
        reply.insert("notIncluded", sentence);
    }
    raw(&reply)
}

#[cfg(test)]
mod tests {
    use crate::command::testing::Lab;
    use crate::store::{StoreError, rot};

    #[test]
    fn a_store_in_use_is_backed_up() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}]}");
        let folder = tempfile::tempdir().expect("a folder");
        let to = folder.path().join("b").to_string_lossy().into_owned();
        for kept in 1..=2 {
            let reply = lab.ok(&format!("{{mayflyBackup: 1, to: '{to}'}}"));
            assert_eq!(reply.get_array("kept").expect("a list").len(), kept, "{reply}");
        }
        lab.ok("{mayflyArchive: 'c'}");
        let told = lab.ok(&format!("{{mayflyBackup: 1, to: '{to}'}}"));
        let sentence = told.get_str("notIncluded").expect("a sentence");
        assert!(
            sentence.ends_with("/archive.")
                && sentence.contains("doesn't include archived documents"),
            "{told}"
        );
        assert!(!told.contains_key("warning"), "{told}");
        let (store, catalog) =
            (lab.engine.collections().store(), lab.engine.collections().catalog());
        let row = [b"needle".as_slice(), &[0; 40]].concat();
        let id = catalog.collection_named("test", "c").expect("there").id;
        let written: Result<(), StoreError> =
            store.write(|writer| writer.put_document(id, 99, 0, &row));
        written.expect("written");
        rot(store.folder(), &[b"needle"]);
        let told = lab.ok(&format!("{{mayflyBackup: 1, to: '{to}'}}"));
        assert_eq!(told.get_str("file").ok(), Some(format!("{to}.damaged").as_str()));
        let expected = format!(
            "1 stored item is damaged (document 99 of test.c), so the copy is saved as \
             {to}.damaged and earlier backups are unchanged."
        );
        assert_eq!(told.get_str("warning").ok(), Some(expected.as_str()));
        lab.check("{mayflyBackup: 1, to: 'b'}", "{code: 2}");
        lab.check("{mayflyBackup: 1}", "{code: 40414}");
    }
}
