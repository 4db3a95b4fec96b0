//! Imports whose checkpoints are damaged in the store.

use std::fmt::Write as _;

use crate::transfer::{
    ImportEnd, ImportRequest, Progress, import, leave_import, resume_import, roll_back_import,
    tests::Fixture, unfinished_imports,
};
use crate::{
    catalog::Namespace,
    collection::{DocumentWriter, WriteError},
    command::testing::{spoil, spoil_meta},
};

impl Fixture {
    fn lines(&self, name: &str, documents: u32) -> ImportRequest {
        let mut text = String::new();
        for id in 0..documents {
            let _ = writeln!(text, "{{\"_id\":{id}}}");
        }
        let namespace = Namespace::new("d", name);
        ImportRequest::new(vec![self.file(name, text.as_bytes())], namespace)
    }

    /// Starts an import that stays unfinished.
    fn begin(&self, name: &str) {
        let progress = Progress::new();
        progress.cancel_at(1);
        let report = import(&self.collections, &self.lines(name, 5_000), &progress).unwrap();
        assert!(report.unfinished.is_some() && report.imported > 0, "{report:?}");
    }

    fn spoil(&self, mark: &[u8]) {
        spoil(&self.folder.path().join("data"), mark);
    }
}

#[test]
fn a_damaged_checkpoint_stands_in_the_way_of_no_other_import() {
    let fixture = Fixture::new();
    fixture.begin("spoiled");
    let lost = unfinished_imports(&fixture.collections).unwrap().remove(0).id;
    fixture.spoil(b"startedMs\0");
    fixture.begin("sound");
    let known = unfinished_imports(&fixture.collections).unwrap();
    assert_eq!(known.len(), 1, "{known:?}");
    assert_eq!(known[0].request.namespace.collection, "sound");
    let report = resume_import(&fixture.collections, known[0].id, &Progress::new()).unwrap();
    assert_eq!((report.end, report.imported), (ImportEnd::Complete, 5_000));
    let again = ImportRequest { drop: true, ..fixture.lines("spoiled", 10) };
    assert_eq!(fixture.import(&again).end, ImportEnd::Complete);
    let error = resume_import(&fixture.collections, lost, &Progress::new()).unwrap_err();
    assert!(error.to_string().contains("checksum"), "{error}");
}

#[test]
fn a_damaged_list_of_imports_stands_in_the_way_of_no_import() {
    let fixture = Fixture::new();
    fixture.begin("lost");
    spoil_meta(&fixture.folder.path().join("data"), "imports");
    assert!(unfinished_imports(&fixture.collections).unwrap().is_empty());
    fixture.begin("next");
    let known = unfinished_imports(&fixture.collections).unwrap();
    assert_eq!(known[0].request.namespace.collection, "next");
    leave_import(&fixture.collections, known[0].id).unwrap();
    assert!(unfinished_imports(&fixture.collections).unwrap().is_empty());
}

/// Documents of a damaged list are kept and reported.
#[test]
fn a_roll_back_resumes_after_a_damaged_list() {
    for is_gone in [false, true] {
        let fixture = Fixture::new();
        let progress = Progress::new();
        progress.cancel_at(2_000);
        let report = import(&fixture.collections, &fixture.lines("c", 9_000), &progress).unwrap();
        let id = report.unfinished.unwrap();
        let list = format!("import/{id}/0");
        if is_gone {
            let gone = |writer: &mut DocumentWriter<'_, '_>| writer.delete_meta(&list);
            fixture.collections.write(|writer| gone(writer).map_err(WriteError::from)).unwrap();
        } else {
            spoil_meta(&fixture.folder.path().join("data"), &list);
        }
        let done = roll_back_import(&fixture.collections, id, &Progress::new()).unwrap();
        assert_eq!(done.lists_damaged, 1);
        assert!(done.removed > 0 && done.removed < report.imported, "{done:?}");
        assert_eq!(fixture.documents().len() as u64, report.imported - done.removed);
        assert!(done.sentence().contains("can't be identified"), "{}", done.sentence());
        assert!(unfinished_imports(&fixture.collections).unwrap().is_empty());
    }
}
